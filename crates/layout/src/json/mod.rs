//! Types as JSON, both ways:
//!
//! ```text
//! {"leaf": "MPI_CHAR"}
//! {"vec": {"count": 4, "stride": 10, "child": TYPE}}
//! {"idx": {"indices": [0, 2, 3, 5], "child": TYPE}}
//! {"idxbuc": {"stride": 4, "indices": [0, 20], "blocks": [2, 3], "child": TYPE}}
//! {"strc": {"indices": [0, 8], "children": [TYPE, TYPE]}}
//! {"resized": {"lb": 0, "extent": 16, "child": TYPE}}
//! ```
//!
//! Displacements, strides and bounds in bytes. Members may come in any order; unknown and repeated
//! ones are errors. Numbers are integers of 64 bits.

mod reader;
mod value;
mod writer;

pub use reader::parse;
pub use writer::write;

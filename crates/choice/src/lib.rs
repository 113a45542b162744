//! Which way a message takes: untouched, as the same layout in the description that this library
//! is fast with, or packed by commloom's engine.
//!
//! ```text
//! program's type, normal form ─► Shape (family, run length, bytes) ─┐
//! reference layouts, measured by                                    ├─► Model ─► Choice ─► Trials
//!             `commloom calibrate --messages` ─► Table ─────────────┘
//! ```
//!
//! Nothing is known about a library but what messages of [`references`] took with it: untouched,
//! and packed. A message is expected to take what references of its family took that have as long
//! runs and as many bytes, and is left alone unless another way is expected to be clearly faster.
//! `book/src/explanation/strategy.md` says what was measured and how good the expectation is.

#![forbid(unsafe_code)]

mod family;
mod model;
mod reference;
mod shape;
mod table;
mod trials;

pub use family::{Family, Form, MANY};
pub use model::{Choice, Model, Way};
pub use reference::{Reference, references};
pub use shape::{Shape, unit};
pub use table::{LONGEST, Operation, Row, Table, TableError, Times, file_name};
pub use trials::{Step, Trials, WORTH};

//! What the fuzz targets check, one file per target. Each takes any bytes and panics where a promise
//! is broken.
//!
//! An input is read as text where it is text, so that seeds and findings can be read and written by
//! hand; all other bytes build something through [`bytes::Bytes`], so that most mutations give
//! another valid input and not an error message.
//!
//! This file is also compiled into `crates/reconstruct/tests/fuzz_bodies.rs`, which runs the seeds,
//! the regressions and some random bytes with every `cargo test`: hence `super::`, not `crate::`.

mod bytes;
mod models;
mod normalize;
mod parse;
mod reconstruct;

pub use normalize::normalize;
pub use parse::parse;
pub use reconstruct::reconstruct;

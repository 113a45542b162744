//! The code that the tests of every crate share: naive oracles that follow the definitions word by
//! word, random types and sequences from a seed, and a corpus of named layouts.
//!
//! Written for tests only: it panics on bad input, and takes time and memory proportional to the
//! data that a type describes.
#![forbid(unsafe_code)]

pub mod browser;
mod built;
pub mod cheapest;
pub mod cheapest_shaped;
pub mod corpus;
pub mod graphs;
pub mod memory;
pub mod oracle;
pub mod random;
pub mod ranks;
pub mod runner;
pub mod simulated;

pub use built::built;
pub use memory::{memory_for, without_margin};
pub use random::{Limits, Rng, random_path, random_type};
pub use runner::{check, skipped};

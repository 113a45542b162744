//! Tasks of the project that are no part of commloom itself.
//!
//! There is one so far: [`demo`] compiles the programs under `examples/` with every MPI library
//! asked for, runs them natively and under `commloom exec`, and compares times and received bytes.
#![forbid(unsafe_code)]

pub mod demo;

//! The performance guidelines of MPI datatypes (Carpen-Amarie, Hunold and Träff, "MPI Derived Datatypes: Performance
//! Expectations and Status Quo"): what is measured, how, and what was measured.
//!
//! ```text
//! layouts.toml ─ table ─► plan (cases, measurements, random orders) ─► campaign ─ launches of mpirun ─► results
//!                                                                         │ protocol
//!                     pattern, repetitions ──────────────────────────► processes that measure
//! ```
//!
//! Nothing here calls MPI, prints or reads the environment.
#![forbid(unsafe_code)]

pub mod campaign;
pub mod formula;
pub mod pattern;
pub mod plan;
pub mod protocol;
pub mod repetitions;
pub mod results;
pub mod table;

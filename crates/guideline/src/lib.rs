//! The performance guidelines of MPI datatypes (Carpen-Amarie, Hunold and Träff, "MPI Derived
//! Datatypes: Performance Expectations and Status Quo"): what is measured, how, what was measured,
//! and what that means.
//!
//! ```text
//! layouts.toml ─ table ─► plan (cases, random orders) ─► campaign ─ launches of mpirun ─► results
//!                                                           │ protocol
//!                     pattern, repetitions ────────────► processes that measure
//!
//! results ─ measure::statistics ─┬─► verdict (guidelines, expectations) ─► report
//!                                └─► check (against a baseline)
//! report: terminal, web page, SVG, PNG
//! ```
//!
//! Nothing here calls MPI, prints or reads the environment.
#![forbid(unsafe_code)]

pub mod campaign;
pub mod check;
pub mod formula;
pub mod pattern;
pub mod plan;
pub mod protocol;
pub mod repetitions;
pub mod report;
pub mod results;
pub mod table;
pub mod verdict;

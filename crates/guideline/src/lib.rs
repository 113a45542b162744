//! The performance guidelines of MPI datatypes (Carpen-Amarie, Hunold and Träff, "MPI Derived Datatypes: Performance
//! Expectations and Status Quo"): what is measured, and what was measured.
//!
//! Nothing here calls MPI, prints or reads the environment.
#![forbid(unsafe_code)]

pub mod results;

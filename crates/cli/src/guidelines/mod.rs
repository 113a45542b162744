//! Measuring for `commloom guidelines`.
//!
//! ```text
//! campaign (crate guideline) ─ launch ─► mpirun ─┬─► commloom guidelines --worker (worker ─► measure)
//!                                    ▲           └─► commloom exec -- commloom guidelines --worker
//!                                    └── events, as lines of standard output ──┘
//! ```

mod environment;
mod launch;
mod measure;
mod mpirun;
mod worker;

pub use environment::describe;
pub use launch::{Processes, end};
pub use mpirun::{Mpirun, installed};
pub use worker::run as work;

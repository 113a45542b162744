//! Measuring for `commloom guidelines`.
//!
//! ```text
//! campaign (guideline) ─ launch ─► mpirun ─┬─► commloom guidelines --worker
//!                              ▲           └─► commloom exec -- commloom guidelines --worker
//!                              └── events, as lines of standard output ──┘
//! --worker: worker ─► measure
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

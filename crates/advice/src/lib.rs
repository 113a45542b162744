//! Advice for programs that ran: one for each place in the program, kind of operation and number
//! of processes, however many parts of the program it is in.
//!
//! ```text
//! recorded parts with their collectives ─ findings ─► Finding ─┬─ replacement: the code
//!                                                              ├─ proof: the code replayed
//!                                                              └─ warnings: what it changes
//! all that are printed ─ orders: the program run again with their calls
//! the same findings at the same places ─ advice ─► Advice
//! ```
//!
//! Nothing here reads files, measures, or says how advice is shown.
#![forbid(unsafe_code)]

mod asked;
mod blocks;
mod calls;
mod communicator;
mod conditions;
mod course;
mod deadlock;
mod elements;
mod finding;
mod gather;
mod group;
mod halo;
mod halves;
mod held;
mod kinds;
mod model;
mod orders;
mod place;
mod printed;
mod proof;
mod replacement;
mod vectors;
mod waits;
mod warnings;
mod whole;

pub use commloom_emit::Language;
pub use finding::{AdviceError, Finding, Ran, RecordedPart, findings};
pub use gather::advice;
pub use kinds::mpi;
pub use model::{
    Advice, Location, Measured, Predicted, ProcessGrid, Spread, by_saving, dimensions, replaced,
};
pub use place::{Called, Frame, file_name};

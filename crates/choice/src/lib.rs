//! Which way a message takes: untouched, as the same layout in the description that this library
//! is fast with, or packed by commloom's engine.
//!
//! ```text
//! program's type, normal form ─► Shape (family, length, bytes) ─┐
//! reference layouts, measured by                                ├─► Model ─► Choice ─► Contest
//!             `commloom calibrate --messages` ─► Table ─────────┘
//! ```
//!
//! Nothing is known about a library but what messages of [`references`] took with it: untouched,
//! and packed. A message is expected to take what references of its family took that have as long
//! runs and as many bytes: that says which ways are worth a try, and in which order. What is done
//! is decided by the times of the program itself.
//! `book/src/explanation/strategy.md` says what was measured and how good the expectation is.

#![forbid(unsafe_code)]

mod contest;
mod decisions;
mod family;
mod model;
mod reference;
mod samples;
mod shape;
mod step;
mod table;
mod trial;

pub use contest::{Contest, ContestVerdict, LONGEST_REST};
pub use decisions::{Decisions, ExchangeKind};
pub use family::{Family, Form, MANY};
pub use model::{Candidate, Choice, Model, Way};
pub use reference::{Reference, references};
pub use samples::Interval;
pub use shape::{Shape, unit};
pub use step::{Step, Took};
pub use table::{LONGEST, Operation, Row, Table, TableError, Times, file_name};

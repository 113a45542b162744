//! Replaces the messages of persistent requests by collective operations while the program runs,
//! where that was asked for (`COMMLOOM_REPLACE`). What is replaced and why that is safe:
//! book/src/explanation/replacement.md.
//!
//! ```text
//! MPI_Init        ─► shared: memory that all processes map
//!                    communicators: numbers for communicators
//! MPI_Send_init.. ─► message: what it says, once and for all
//!                    channels: who uses which peers and tags
//! MPI_Startall    ─► start: the group ─ group: what now? ─► ballot: do all do the same?
//!                        ├─ yes ─► commgraph, on MPI
//!                        └─ no ─► the library, as the program has it
//! MPI_Wait, ...   ─► told: requests that were replaced are complete, and say so
//! ```
//!
//! A group is what one `MPI_Startall` starts. Everything happens inside that call: either all
//! processes of the communicator are in theirs at the same time, and then all of them run the
//! collective operation there; or the messages go as the program has them, at once. Nothing is
//! held back.

mod ballot;
mod channels;
mod comm;
mod communicators;
mod group;
mod message;
mod open;
mod replacement;
mod report;
mod runnable;
mod shared;
mod start;
mod told;

pub(crate) use channels::Way;
pub(crate) use replacement::Replacement;
pub(crate) use told::{Told, stop};

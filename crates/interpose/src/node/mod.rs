//! Common to the processes of a job on one machine: the times by which all of them decide how
//! equal exchanges go, and messages whose bytes go through memory that both have mapped: the
//! sender packs into it, the receiver unpacks from it, and the MPI message between them is empty.
//! Why that is safe: book/src/explanation/node.md.
//!
//! ```text
//! room      who else of the job is on this machine, and where its memory is
//! told      what exchanges took in one process
//! board     the same of all of them
//! memory    what one process shares with the others: offers, and room for packed bytes
//! offers    the state of one offer, changed by compare-and-swap
//! slots     which part of the memory is whose
//! ordinals  the number of each message among those that MPI keeps in order
//! known     communicators by a number that all of their processes agree on
//! neighbours  all of it together: what the accelerator asks
//! ```

pub(crate) mod board;
mod known;
mod memory;
pub(crate) mod neighbours;
mod offers;
mod ordinals;
mod room;
mod slots;
mod told;

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
//! present   this process among them, and what it shares
//! neighbours  all of it together: what the accelerator asks about messages
//! put_board  the part of the memory that is about windows
//! shared_window  who of this machine has the same window, and how far each is with its fences
//! puts      what one process puts into windows of another, until that one takes it
//! ```

pub(crate) mod board;
mod known;
mod memory;
pub(crate) mod neighbours;
mod offers;
mod ordinals;
pub(crate) mod present;
mod put_board;
pub(crate) mod puts;
mod room;
pub(crate) mod shared_window;
mod slots;
mod told;

//! The course of one process of an MPI program: sends, receives, their completion, collectives,
//! and where in the program. One file for each process, only ever appended to
//! (`book/src/reference/trace-format.md`).
//!
//! [`Writer`] puts [`Event`]s into blocks that can each be read alone; [`read`] gives back all
//! that is whole, with a list of [`Problem`]s. A process that was killed loses its last block at
//! most.
//!
//! Nothing here opens a file, prints or reads the environment.
#![forbid(unsafe_code)]

mod block;
mod bytes;
mod event;
mod events;
mod header;
mod operation;
mod problem;
mod read;
mod record;
mod show;
mod table;
mod write;

pub use event::{
    Action, Buffer, Collective, Communicator, Event, Mode, NO_RANK, NOT_LOOKED_AT, Operator,
    Origin, Received, Site, Stay, Sum, Summed,
};
pub use events::{Events, Iter, Kind};
pub use header::{Header, VERSION};
pub use problem::{Problem, Unreadable};
pub use read::{Trace, read};
pub use write::{BLOCK, Writer};

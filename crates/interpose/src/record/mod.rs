//! Records what the program does, where a trace is wanted (`COMMLOOM_TRACE`): every call goes to
//! the library as it is, and what it does goes to a file (`commloom-trace`,
//! book/src/reference/trace-format.md).
//!
//! The [`Recorder`] is a layer of [`calls`](crate::runtime::calls),
//! [`completion`](crate::runtime::completion) and
//! [`collective_arguments`](crate::runtime::collective_arguments), in the place of the
//! accelerator; [`environment`] stands in for that of [`preload::calls`](crate::preload::calls),
//! and [`communicators`] for none. Each call first asks to come [`Inside`](recorder::Inside): it
//! is let in if something is recorded, and if the call is the program's own. A tool behind us that
//! calls `PMPI_Send` within `MPI_Send`, or a library that makes one call of others, comes in a
//! second time, and passes.
//!
//! - No lock is held during a call of the library; one mutex guards everything else.
//! - Events are recorded before the call that they belong to, completions after it.
//! - Nothing of the trace is written by a forked child.

mod arithmetic;
mod attention;
mod caller;
mod collectives;
mod combination;
pub mod communicators;
mod completion;
mod contents;
mod element;
pub mod environment;
mod foreign;
mod handles;
mod held;
mod layout;
mod messages;
mod numbers;
mod output;
mod overlap;
mod persistent;
mod picture;
mod point_to_point;
mod recorder;
mod requests;
mod rivals;
mod search;
mod slot;
mod sums;
mod watch;

pub use recorder::Recorder;

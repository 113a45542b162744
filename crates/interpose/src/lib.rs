//! What the preloaded libraries do. Written once, generic over the ABI; the crates
//! `interpose-mpich`, `interpose-openmpi` and `interpose-abi` are one [`preload!`] each.
//!
//! ```text
//! MPI_Type_commit ─► record hangs on the handle as an attribute (its life is MPI's)
//! MPI_Send(buf, count, type) ─► message(type, count) ─┬─ none or Native ─► the library, untouched
//!     decode, normalize, plan: once per (type, count) ├─ Substitute ─────► the library, other handle
//!     way: commloom_choice::Model                     └─ Engine ─────────► pack, the library, contiguous
//! MPI_Irecv ─► pending table ─► MPI_Wait, MPI_Test ... ─► unpack what arrived
//! MPI_Finalize ─► one report for all ranks
//! ```
//!
//! Where groups of persistent requests are replaced by collective operations, [`replace`] sees them first.
//! Where a trace is wanted, every call goes to [`recording`] instead.
//!
//! Rules that hold everywhere in this crate:
//! - nothing unwinds into C: our own work runs under [`Preload::shield`], and where it fails the
//!   program's call goes on to the library as it was;
//! - our own work is never wrapped around a communication call, so that a failure cannot send twice;
//! - the program's arguments reach the library whenever something is unusual about them, so that
//!   errors are the library's own;
//! - no lock is held during a call of the library.

mod at_exit;
mod beginning;
mod blocks;
mod callers;
pub mod calls;
pub mod complete;
pub mod config;
mod count;
mod displacements;
mod element;
mod exchange;
mod export;
mod export_arrivals;
mod export_collectives;
mod export_communicators;
mod export_reductions;
mod gpu;
mod incoming;
mod layouts;
mod lives;
mod lossy;
mod made;
mod measured;
mod message;
mod outgoing;
mod pending;
mod persistent;
mod plain;
pub mod pool;
mod record;
pub mod recording;
mod replace;
mod report;
mod rows;
mod say;
mod signals;
mod state;
mod tally;

pub use count::{CallCount, Integer};
pub use state::Preload;

/// What [`preload!`] needs by name.
#[doc(hidden)]
pub mod reexport {
    pub use commloom_mpi::{Abi, Aint, Count, Mpich, Offset, OpenMpi, Standard};
}

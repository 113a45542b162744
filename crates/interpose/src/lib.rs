//! The work of the preloaded libraries. Written once, generic over the ABI; the crates
//! `interpose-mpich`, `interpose-openmpi` and `interpose-abi` are one [`preload!`] each.
//!
//! ```text
//! MPI_Type_commit ─► record hangs on the handle as an attribute (its life is MPI's)
//! MPI_Send(buf, count, type) ─► message(type, count) ─┬─ none or Native ─► the library, untouched
//!     decode, normalize, plan: once per (type, count) ├─ Substitute ─► the library, other handle
//!     strategy: commloom_choice::Model                └─ Engine ─► pack, the library, contiguous
//! MPI_Irecv ─► pending table ─► MPI_Wait, MPI_Test ... ─► unpack what arrived
//! MPI_Finalize ─► one report for all ranks
//! ```
//!
//! The layers stand on [`runtime`]; each imports from those below it only:
//!
//! ```text
//! preload      the exported symbols and the calls behind them; when the library begins and ends
//! accelerate   datatypes and messages  |  record   traces  |  replace   persistent requests
//! node         memory of the processes of one machine, for accelerate
//! runtime      the library behind us, settings, requests and statuses as MPI has them
//! ```
//!
//! Where a trace is wanted, [`record`] takes every call, and nothing else is done. Where groups of
//! persistent requests are replaced by collective operations, [`replace`] sees them first.
//!
//! Rules that hold everywhere in this crate:
//! - nothing unwinds into C: our own work runs under `Runtime::shield`, and where it fails the
//!   program's call goes on to the library as it was;
//! - our own work is never wrapped around a communication call, so that a failure cannot send
//!   twice;
//! - the program's arguments reach the library whenever something is unusual about them, so that
//!   errors are the library's own;
//! - no lock is held during a call of the library.

pub(crate) mod accelerate;
pub(crate) mod node;
pub mod preload;
pub mod record;
pub(crate) mod replace;
pub mod runtime;

pub use preload::state::Preload;
pub use runtime::count::{CallCount, Integer};

/// Names that [`preload!`] needs.
#[doc(hidden)]
pub mod reexport {
    pub use crate::runtime::border::ProgramBorder;
    pub use commloom_mpi::{Abi, Aint, Count, Functions, Mpich, Offset, OpenMpi, Standard};
    pub use commloom_trace::Mode;
}

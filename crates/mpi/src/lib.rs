//! The only crate that knows an MPI ABI.
//!
//! There are three of them, kept as data: [`Mpich`] (also Intel MPI, Cray MPICH, MVAPICH),
//! [`OpenMpi`] (4 and 5), and the [`Standard`] ABI of MPI 5.0. Nothing here links an MPI library:
//! [`Library`] finds the one that the process uses, [`Functions`] holds its entry points, and
//! [`Mpi`] wraps them so that every return code is a [`Result`].
//!
//! On top of that, [`decode`] turns any datatype handle into a [`commloom_layout::Type`], and
//! [`encode`] builds a committed handle, owned by an [`OwnedDatatype`], from a `Type`.
//! [`single()`], [`pair()`] and [`group()`] start a library in this process, to measure it.
//!
//! ```text
//! Library ──► Functions<A> (MPI_ names, PMPI_ names) ─┐
//!        └──► Handles<A> (predefined handles) ────────┴─► Mpi<A> ─► decode, encode, OwnedDatatype
//! ```
//!
//! # Safety in this crate
//! A handle or pointer that reaches MPI must be valid; no type system can know that of a C
//! integer. That duty is taken once, by the caller of [`Mpi::next`] or [`Mpi::open`] (both
//! `unsafe`), for every later call through that value. Only methods that take raw buffers are
//! `unsafe` by themselves.

#[cfg(not(target_pointer_width = "64"))]
compile_error!("the ABI tables of commloom-mpi are those of 64-bit systems");

pub mod abi;
mod attribute;
mod construct;
mod contents;
mod datatype;
mod decode;
mod encode;
mod error;
mod faults;
mod functions;
mod gather;
pub mod graphs;
mod group;
mod handles;
mod library;
mod mpi;
mod number;
mod objects;
mod owned;
mod prototypes;
mod session;
mod status;
mod topology;

pub use abi::{Abi, AbiKind, Combiner, Constants, Mpich, OpenMpi, RawHandle, Standard, Status};
pub use construct::construct;
pub use datatype::Bounds;
pub use decode::{DEFAULT_BUDGET, decode};
pub use encode::{contiguous, encode};
pub use error::{DecodeError, EncodeError, MpiError};
pub use faults::{FAULTS, Family, Fault, Release, Remedy, SHORT, Subject, Version};
pub use functions::{
    Aint, CommCopyFunction, CommDeleteFunction, Count, Functions, Names, Offset, TypeCopyFunction,
    TypeDeleteFunction,
};
pub use group::Members;
pub use handles::Handles;
pub use library::{Library, LibraryError};
pub use mpi::{Mpi, TEXT_CAPACITY};
pub use objects::loaded_names;
pub use owned::OwnedDatatype;
pub use session::{
    Buffers, Datatype, GroupSession, PairSession, Pattern, SessionError, SingleSession, Work,
    first_that_opens, group, pair, single,
};
pub use topology::Neighbors;

//! The wrapped calls, one family per file. For messages, persistent requests, completion and
//! collectives the state is a layer ([`calls`](crate::runtime::calls),
//! [`completion`](crate::runtime::completion),
//! [`collective_arguments`](crate::runtime::collective_arguments)); each other function takes the
//! state, the function of the library that the call goes on to, and the arguments of the MPI call.

mod collectives;
mod completion;
pub mod environment;
mod files;
pub mod packing;
mod persistent;
mod point_to_point;
pub mod sessions;
pub mod types;
pub mod watched;
pub mod windows;

use std::ffi::c_int;

use commloom_mpi::Abi;

/// The answer to a call that the library behind us does not have. A program that is linked to a
/// library cannot make one; a program that looks functions up may.
#[must_use]
pub fn unsupported<A: Abi>() -> c_int {
    A::CONSTANTS.err_unsupported_operation
}

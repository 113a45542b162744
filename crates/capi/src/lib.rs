//! `libcommloom`: communication graphs for C programs, with the names of the paper (cDAG).
//!
//! [`functions`] are the exported ones; each checks its arguments and calls into [`objects`],
//! which keeps graphs and schedules by number, so that a handle that is no longer valid is an
//! error and not a crash. [`library`] finds the MPI library of the process, whatever its ABI is.
//! The header is made by cbindgen: `include/commloom.h`, checked by a test.
//!
//! # Safety in this crate
//! C passes addresses and MPI handles. Addresses are not looked at here, only noted; what MPI is
//! given is the duty of the program, as for every MPI call.

mod error;
mod functions;
mod host;
mod library;
mod objects;

pub use error::cDAG_Error;
pub use functions::*;

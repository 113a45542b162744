//! Types as code that builds them, in C, Fortran and Python: first a list of MPI calls, then its
//! words.
//!
//! ```text
//! Type ─ calls ─► Calls ─┬─ c, fortran, python ─► a function in a file of its own
//!                        └─ Code::datatype ─► lines among others, of C or Fortran
//! ```
//!
//! The arguments of every constructor stand in one place, [`Call::spelled`]; a language says how
//! it writes numbers, handles and lists ([`Spelling`]).
#![forbid(unsafe_code)]

mod c;
mod calls;
mod code;
mod fortran;
mod plan;
mod portable;
mod python;

pub use c::c;
pub use calls::{Call, Calls, Handle, Items, Spelling};
pub use code::{Code, Language, Listed};
pub use fortran::{NoFortranHandle, fortran};
pub use plan::calls;
pub use python::{mpi4py_name, python};

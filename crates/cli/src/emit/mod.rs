//! Types as code in C, Fortran and Python: first a list of MPI calls, then its words.

mod c;
mod calls;
mod fortran;
mod plan;
mod portable;
mod python;

pub use c::c;
pub use calls::{Call, Handle};
pub use fortran::fortran;
pub use plan::calls;
pub use python::python;

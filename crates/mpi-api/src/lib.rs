//! Every function of MPI as data: its parameters with kind, direction and role, its bindings, and
//! since when it exists.
//!
//! The table is `functions.txt`, which `scripts/mpi-api` derives from what the MPI Forum publishes
//! of its standard (MPI 5.0). It has what was removed too, and says which functions have a form
//! with large counts. It knows no ABI: handles are kinds here, and `commloom-mpi` has their types.
#![forbid(unsafe_code)]

mod function;
mod role;
mod table;

pub use function::{Direction, Form, Function, Kind, Parameter, Version};
pub use role::{Buffer, Role};
pub use table::{Call, find, functions};

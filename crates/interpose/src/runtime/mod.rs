//! The ground: what every layer needs of the process that it is in, and what calls of MPI have in
//! common whoever looks after them.

pub(crate) mod at_exit;
pub(crate) mod attributes;
pub(crate) mod border;
pub(crate) mod callers;
pub mod calls;
pub mod collective_arguments;
pub mod completion;
pub mod config;
pub mod count;
pub(crate) mod displacements;
pub mod files;
pub(crate) mod floating;
pub(crate) mod gpu;
pub(crate) mod lives;
pub(crate) mod making;
pub(crate) mod measured;
pub(crate) mod normal_form;
pub(crate) mod outcome;
pub mod pool;
pub mod process;
pub(crate) mod say;
pub(crate) mod signals;
pub mod statuses;
pub(crate) mod sync;

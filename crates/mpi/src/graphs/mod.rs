//! Communication graphs on MPI: gathered, compiled once, run as often as wanted.
//!
//! [`Context`] is a communicator of our own beside one of the program. [`Context::compile`]
//! gathers the parts of a graph by a tree ([`tree`]), compiles them at rank 0, hands the programs
//! out and prepares each ([`prepare`]): persistent requests, datatypes, communicators of teams.
//! [`Compiled::run`] then only starts what is ready ([`run`]).
//!
//! Messages and calls on the duplicated communicator never meet those of the program.

mod call;
mod context;
mod error;
mod measure;
mod packet;
mod prepare;
mod replay;
mod run;
mod tree;

pub use context::{Compiled, Context, Summary};
pub use error::GraphsError;
pub use prepare::OnMpi;
pub use replay::{Replay, replay};

//! The wrapped calls, one family per file. Each takes the state and the arguments of the MPI call.

pub mod completion;
pub mod environment;
pub mod packing;
pub mod point_to_point;
pub mod types;

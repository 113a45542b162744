//! The MPI libraries. Two of them cannot live in one process, so each has its own: the benchmark
//! starts itself again as a worker, and both go in step over pipes, one sample at a time.

mod find;
mod peer;
pub mod worker;

pub use find::find;
pub use peer::Peer;

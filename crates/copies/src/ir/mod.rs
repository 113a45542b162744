//! Datatypes with symbolic sizes, and the passes that make them efficient.
//!
//! The chain of Kjolstad, Hoefler and Snir (PPoPP 2012, section 2): initial structs, four
//! specializations (struct -> hindexed -> hvector -> vector -> contiguous), three compressions
//! (contiguous into the parent's block length, nested structs and hindexed types, contiguous into
//! the send count), and the collapse of nests whose strides fit.

mod build;
mod display;
mod lower;
mod model;
mod passes;
mod steps;
#[cfg(test)]
mod tests;
mod units;

pub use lower::datatype;
pub use model::{Datatype, Member, Node};
pub use passes::Pass;
pub use steps::{Step, steps};

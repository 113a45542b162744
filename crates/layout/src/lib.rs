//! A layout is an ordered list of bytes in memory. This crate holds the one value that describes
//! it, [`Type`], and everything that can be said about a layout without deciding anything:
//! its type map, signature, bounds, cost, and its two notations (text and JSON).
//!
//! A [`Type`] is built either from the small core of the papers (Kalany and Träff 2015;
//! Ganian et al. 2016): leaf, vec, idx, idxbuc, strc, plus explicit bounds; or through the MPI
//! constructors of [`mpi`], which reduce to that core. Displacements, strides, sizes and extents
//! are in **bytes** throughout; counts are numbers of copies of the child.
//!
//! Nothing here panics on input, wraps on overflow, reads the environment or prints.
#![forbid(unsafe_code)]

mod basic;
mod cost;
mod error;
mod facts;
pub mod json;
mod list;
pub mod mpi;
pub mod shaped;
mod signature;
pub mod text;
mod ty;
mod typemap;

pub use basic::Basic;
pub use cost::CostModel;
pub use error::LayoutError;
pub use facts::{Base, Facts};
pub use signature::Signature;
pub use ty::{Kind, MAX_DEPTH, Type};
pub use typemap::{Entry, Run, Runs, TypeMap};

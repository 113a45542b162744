//! Packing code becomes MPI datatypes.
//!
//! The system of Kjolstad, Hoefler and Snir (PPoPP 2012), for C, C++ and Fortran, with nothing
//! assumed silently:
//!
//! source -> [`tree`] (one small typed tree for all languages) -> [`copies`] (what is copied, in
//! the order of the buffer) -> [`ir`] (the datatype) -> edit
//!
//! This crate reads no files and prints nothing: texts come in, texts and explanations go out.

#![forbid(unsafe_code)]

mod anew;
pub mod check;
pub mod edit;
pub mod emit;
pub mod explain;
mod finding;
mod leftovers;
mod together;

pub use commloom_copies::{self as copies, ir, verify};
pub use commloom_program::{self as project, fact, refusal};
pub use commloom_proof as legality;
pub use commloom_read as read;
pub use commloom_source::{self as source, affine, symbols, tree};

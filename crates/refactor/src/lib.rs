//! Packing code becomes MPI datatypes.
//!
//! The system of Kjolstad, Hoefler and Snir (PPoPP 2012), for C, C++ and Fortran, with nothing
//! assumed silently. It is a pipeline of crates, each of which knows only those before it:
//!
//! [`source`] (texts and trees) -> [`read`] (grammars) -> [`project`] (the whole program) ->
//! [`copies`] (what is copied, in the order of the buffer, as a datatype) -> [`legality`] (why
//! that is right) -> [`check`] (the edits)
//!
//! This crate is the last one, and hands on the others by the names of their subjects. It reads no
//! files and prints nothing: texts come in, texts and explanations go out.

#![forbid(unsafe_code)]

mod anew;
mod around;
mod cards;
pub mod check;
pub mod edit;
pub mod emit;
pub mod explain;
mod finding;
mod guard;
mod interfaces;
mod leftovers;
mod lists;
mod mentions;
mod remarks;
mod scopes;
mod settings;
mod together;
mod withhold;
mod worth;

pub use commloom_copies::{self as copies, ir, verify};
pub use commloom_program::{self as project, fact, refusal};
pub use commloom_proof as legality;
pub use commloom_read as read;
pub use commloom_source::{self as source, affine, symbols, tree};

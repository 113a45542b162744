//! The hand-written loops: generated as C, compiled with every compiler that is there, loaded at
//! run time, so that the crate itself needs no C compiler.

mod library;
mod source;

pub use library::{Compiler, FLAGS, Library, compilers};
pub use source::{Sizes, arguments};

/// `m`, `p`, number of parts, list, other sizes.
pub type Hand = unsafe extern "C" fn(*mut u8, *mut u8, i64, *const i32, *const i64);

/// Source, lines of it, destination, lines of it.
pub type Stream = unsafe extern "C" fn(*const u8, i64, *mut u8, i64);

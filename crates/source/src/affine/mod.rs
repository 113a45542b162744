//! Symbolic whole numbers: polynomials over what the program knows when it packs.
//!
//! Trip counts, strides, offsets and lengths are all of this kind. Two of them are the same where
//! their polynomials are; nothing else is ever concluded (no ordering, no signs), so that a wrong
//! guess cannot happen.

mod atom;
mod display;
mod polynomial;

pub use polynomial::{Atom, Counter, Layout, Operator, Overflow, Place, Polynomial, Step};

//! Front ends: from text to the [`tree`](commloom_source::tree).
//!
//! The grammars of tree-sitter are known here and nowhere else. Whatever a front end does not
//! understand is `Unknown` in the tree, never nothing.

#![forbid(unsafe_code)]

pub mod c;
pub mod fortran;

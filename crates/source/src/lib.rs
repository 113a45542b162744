//! Programs as values: texts with places, one small typed tree for all languages, and the numbers
//! that stand in programs.
//!
//! This is the ground of the pipeline that `commloom-refactor` describes: nothing here reads a
//! grammar, so whoever only asks in which [`Language`] a file is written builds nothing else.

#![forbid(unsafe_code)]

pub mod affine;
pub mod symbols;
mod text;
pub mod tree;
pub mod words;

pub use text::{FileId, Language, Lines, Source, Span};

//! Pictures of types and of what processes do, as text and as SVG, and what the pages that show
//! them have in common.

#![forbid(unsafe_code)]

mod cells;
mod grid;
pub mod html;
mod label;
pub mod matrix;
mod memory;
mod sketch;
pub mod spacetime;
mod svg;
mod tree;

pub use cells::{By, Cell, Cells, counted, parts_in_words, unit};
pub use grid::{Grid, Plane, grid};
pub use label::label;
pub use memory::memory;
pub use sketch::{Sketch, sketch};
pub use svg::{Panel, colour, svg};
pub use tree::tree;

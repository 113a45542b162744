//! Pictures of types, as text and as SVG.

mod cells;
mod memory;
mod svg;
mod tree;

pub use cells::{By, counted, parts_in_words, unit};
pub use memory::memory;
pub use svg::{Panel, svg};
pub use tree::tree;

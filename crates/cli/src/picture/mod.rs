//! Pictures of types, as text and as SVG.

mod cells;
mod memory;
mod svg;
mod tree;

pub use memory::memory;
pub use svg::svg;
pub use tree::tree;

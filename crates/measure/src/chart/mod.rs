//! Charts of times, as data and drawn as SVG.
//!
//! ```text
//! Figure (names, charts of bars) ─ chart, key ─┐
//! HeatMap (columns, rows of squares) ─ draw ───┴─► lines of SVG ─ standalone ─► a picture
//! ```

mod bars;
mod heat;
mod svg;
mod words;

pub use bars::{Bar, Chart, Figure, Group, HEIGHT, WIDTH, chart, key};
pub use heat::{HeatColumn, HeatMap, HeatRow, Shade, Square};
pub use svg::{COLOURS, coordinate, standalone, text};
pub use words::{range, time};

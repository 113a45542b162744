//! [`Model`]: the cheapest way, if it is clearly cheaper.

use crate::family::Family;
use crate::shape::Shape;
use crate::table::{Table, Times};

/// How a message is handed to the MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// With the program's own arguments.
    Native,
    /// With another handle of the same layout.
    Substitute,
    /// Packed (or to be unpacked) by commloom.
    Engine,
}

/// Predicts what messages take with one library.
#[derive(Debug, Clone, Default)]
pub struct Model {
    table: Table,
}

/// How much faster another way must be expected to be.
const MARGIN: f64 = 0.9;
/// What looking a message up takes on both sides together, in nanoseconds.
const LOOK_UP: f64 = 90.0;

impl Model {
    /// The model of the library that was measured.
    #[must_use]
    pub fn new(table: Table) -> Model {
        Model { table }
    }

    /// What the model was made of.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The way for a message, sent or received.
    #[must_use]
    pub fn way(&self, shape: &Shape) -> Way {
        let Some(own) = self.times(shape.family, shape) else { return Way::Native };
        let unit = shape.unit.filter(|unit| *unit != shape.family);
        let substitute = unit.and_then(|unit| self.times(unit, shape)).map(|times| times.native);
        let engine = own.engine + LOOK_UP;
        match substitute {
            Some(time) if time <= engine && time < MARGIN * own.native => Way::Substitute,
            _ if engine < MARGIN * own.native => Way::Engine,
            _ => Way::Native,
        }
    }

    /// Whether it pays to pack what goes to or comes from one process in a collective. There is no
    /// other way: a substituted handle would change count and size of the elements.
    #[must_use]
    pub fn collective(&self, shape: &Shape) -> bool {
        let times = self.times(shape.family, shape);
        times.is_some_and(|times| times.engine + LOOK_UP < MARGIN * times.native)
    }

    /// Whether `MPI_Pack` and `MPI_Unpack` of this shape go through the engine: where runs are short
    /// enough for the loop around them to count.
    #[must_use]
    pub fn packs(&self, shape: &Shape) -> bool {
        shape.runs > 1.0 && shape.run() < 4096.0
    }

    /// What a message takes if it is described in this way; nothing is known of contiguous ones.
    fn times(&self, family: Family, shape: &Shape) -> Option<Times> {
        if shape.runs <= 1.0 {
            return None;
        }
        let times = self.table.times(family, shape.run(), shape.bytes)?;
        let lines = 2.0 * per_line(shape.span) * shape.more_lines();
        Some(Times { native: times.native + lines, engine: times.engine + lines })
    }
}

/// What a cache line takes when it is not next to the last one, in nanoseconds. Both ways pay it: it
/// is here so that a factor between them counts less.
fn per_line(span: f64) -> f64 {
    match span {
        span if span <= 1e6 => 0.3,
        span if span <= 4e6 => 0.5,
        _ => 0.62,
    }
}

//! [`Model`]: the cheapest way, if it is clearly cheaper.

use crate::family::Family;
use crate::shape::Shape;
use crate::table::{Table, Times};
use crate::trials::WORTH;

/// How a message is handed to the MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// With the program's own arguments.
    #[default]
    Native,
    /// With another handle of the same layout.
    Substitute,
    /// Packed (or to be unpacked) by commloom.
    Engine,
}

/// A way, and what one message is expected to take, in nanoseconds; 0 where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Choice {
    /// How.
    pub way: Way,
    /// In this way.
    pub expected: f64,
    /// Left to the library.
    pub native: f64,
    /// Packed.
    pub engine: f64,
}

impl Choice {
    /// Whether the other way (the engine's; for messages that are packed the library's) is near enough
    /// to be tried.
    #[must_use]
    pub fn is_close(&self) -> bool {
        let other = if self.way == Way::Engine { self.native } else { self.engine };
        self.expected > 0.0 && other <= WORTH * self.expected
    }
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
    pub fn choose(&self, shape: &Shape) -> Choice {
        let own = self.times(shape.family, shape);
        let normal = self.times(shape.normal, shape);
        let (Some(own), Some(normal)) = (own, normal) else { return Choice::default() };
        let other = shape.unit && shape.normal != shape.family;
        let substitute = other.then_some(normal.native);
        // The engine does not see the program's description.
        let (native, engine) = (own.native, normal.engine + LOOK_UP);
        let (way, expected) = match substitute {
            Some(time) if time <= engine && time < MARGIN * native => (Way::Substitute, time),
            _ if engine < MARGIN * native => (Way::Engine, engine),
            _ => (Way::Native, native),
        };
        Choice { way, expected, native, engine }
    }

    /// Whether it pays to pack what goes to or comes from one process in a collective. There is no
    /// other way: a substituted handle would change count and size of the elements.
    #[must_use]
    pub fn collective(&self, shape: &Shape) -> bool {
        let Choice { native, engine, .. } = self.choose(shape);
        engine < MARGIN * native
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Form;
    use crate::table::Row;
    use commloom_layout::{Basic, Type, mpi};

    /// A library that needs these times for one vector, for many elements, and packed.
    fn model([one, many, engine]: [f64; 3]) -> Model {
        let row = |many, native| {
            let family = Family { form: Form::Vector, many };
            Row { family, run: 8, bytes: 8000, times: Times { native, engine } }
        };
        Model::new(Table::new("L", "here", [row(false, one), row(true, many)]))
    }

    fn vector() -> Shape {
        let ty = mpi::vector(1000, 2, 4, &Type::leaf(Basic::INT)).unwrap();
        Shape::of(1, &ty, &ty)
    }

    #[test]
    fn the_cheapest_way_is_chosen_if_it_is_clearly_cheaper() {
        let way = |times| model(times).choose(&vector()).way;
        assert_eq!(way([1000.0, 2000.0, 2000.0]), Way::Native);
        assert_eq!(way([1000.0, 950.0, 950.0]), Way::Native);
        assert_eq!(way([1000.0, 500.0, 2000.0]), Way::Substitute);
        assert_eq!(way([1000.0, 500.0, 300.0]), Way::Engine);
        assert_eq!(way([1000.0, 2000.0, 300.0]), Way::Engine);
    }

    #[test]
    fn only_near_alternatives_are_tried() {
        let close = |times| model(times).choose(&vector()).is_close();
        assert!(close([1000.0, 2000.0, 900.0]));
        assert!(close([1000.0, 2000.0, 750.0]));
        assert!(!close([1000.0, 2000.0, 500.0]));
        assert!(!close([1000.0, 2000.0, 1500.0]));
    }

    #[test]
    fn what_was_not_measured_is_left_alone() {
        let list = mpi::indexed(&[1, 2, 1], &[0, 3, 9], &Type::leaf(Basic::INT)).unwrap();
        let model = model([1000.0, 100.0, 100.0]);
        assert_eq!(model.choose(&Shape::of(1, &list, &list)), Choice::default());
        assert!(!model.collective(&Shape::of(1, &list, &list)));
    }
}

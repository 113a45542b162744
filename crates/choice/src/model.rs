//! [`Model`]: the cheapest way, if it is clearly cheaper.

use crate::shape::{Description, Shape};
use crate::table::{Operation, Table, Times};

/// How a message is handed to the MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Way {
    /// With the program's own arguments.
    #[default]
    Native,
    /// As many small elements of another handle of the same layout.
    Unit,
    /// As one element of another handle of the same layout.
    Whole,
    /// Packed (or to be unpacked) by commloom.
    Engine,
}

/// The expectations of one message, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Choice {
    /// Left to the library; 0 where nothing is known.
    pub native: f64,
    /// Packed; 0 where nothing is known.
    pub engine: f64,
    /// The other ways that are worth a try, the one that is expected to be fastest first: packed,
    /// and one other handle.
    pub others: [Option<Candidate>; 2],
}

/// A way that may be faster than native.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// How.
    pub way: Way,
    /// How many times the native time it is expected to take; 1 where nothing is known.
    pub times: f64,
}

impl Choice {
    /// The time of the message in [that way](Choice::way), in nanoseconds; 0 where it is unknown.
    #[must_use]
    pub fn expected(&self) -> f64 {
        let first = self.others[0].filter(|first| first.way == self.way());
        first.map_or(self.native, |first| first.times * self.native)
    }

    /// The way that is expected to be clearly the fastest.
    #[must_use]
    pub fn way(&self) -> Way {
        let clear = self.others[0].filter(|first| self.native > 0.0 && first.times < MARGIN);
        clear.map_or(Way::Native, |first| first.way)
    }
}

/// Predicts what messages take with one library.
#[derive(Debug, Clone, Default)]
pub struct Model {
    table: Table,
}

/// How much faster another way must be expected to be.
const MARGIN: f64 = 0.9;
/// How much slower it may be expected to be and is tried in spite of that: what was measured
/// elsewhere is wrong by so much at times.
const WORTH: f64 = 3.0;
/// A description of the same kind is another one if it has so much fewer runs.
const FEWER_RUNS: f64 = 0.9;
/// The time to look a message up on both sides together, in nanoseconds.
const LOOK_UP: f64 = 90.0;

impl Model {
    /// The model of the library that was measured.
    #[must_use]
    pub fn new(table: Table) -> Model {
        Model { table }
    }

    /// The measurements behind the model.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// The ways for a message, sent or received.
    #[must_use]
    pub fn choose(&self, shape: &Shape) -> Choice {
        if shape.runs <= 1.0 {
            return Choice::default();
        }
        let times = |description| self.times(Operation::Message, description, shape);
        let own = shape.own;
        let differs = |o: &Description| o.family != own.family || o.runs < FEWER_RUNS * own.runs;
        let handles = [(Way::Whole, shape.whole), (Way::Unit, shape.unit)];
        let mut handles = handles
            .into_iter()
            .filter_map(|(way, description)| Some((way, description.filter(differs)?)));
        let (Some(native), Some(packed)) = (times(own), times(shape.packed())) else {
            let unknown = |way| Candidate { way, times: 1.0 };
            let others = [Some(Way::Engine), handles.next().map(|(way, _)| way)];
            return Choice { others: others.map(|way| way.map(unknown)), ..Choice::default() };
        };
        // The engine does not see the program's description.
        let (native, engine) = (native.native, packed.engine + LOOK_UP);
        let candidate = |(way, time): (Way, f64)| {
            Some(Candidate { way, times: time / native }).filter(|c| c.times <= WORTH)
        };
        let engine_too = candidate((Way::Engine, engine));
        let handle = handles
            .filter_map(|(way, description)| candidate((way, times(description)?.native)))
            .min_by(|a, b| a.times.total_cmp(&b.times));
        let mut others = [engine_too, handle];
        others.sort_by(|a, b| {
            let times = |c: &Option<Candidate>| c.map_or(f64::INFINITY, |c| c.times);
            times(a).total_cmp(&times(b))
        });
        Choice { native, engine, others }
    }

    /// How many times the native time it is expected to take to pack what goes to or comes from
    /// one process in a collective: a message, or a broadcast. There is no other way: a
    /// substituted handle would change count and size of the elements. 1 where nothing is known,
    /// and `None` where it is not worth a try.
    #[must_use]
    pub fn collective(&self, operation: Operation, shape: &Shape) -> Option<f64> {
        let times = |description| {
            let times = |operation| self.times(operation, description, shape);
            times(operation).or_else(|| times(Operation::Message))
        };
        let (Some(own), Some(packed)) = (times(shape.own), times(shape.packed())) else {
            return (shape.runs > 1.0).then_some(1.0);
        };
        Some((packed.engine + LOOK_UP) / own.native).filter(|times| *times <= WORTH)
    }

    /// Whether [`Model::collective`] expects packing to be clearly faster.
    #[must_use]
    pub fn packs_in_collective(&self, operation: Operation, shape: &Shape) -> bool {
        self.collective(operation, shape).is_some_and(|times| times < MARGIN)
    }

    /// Whether `MPI_Pack` and `MPI_Unpack` of this shape go through the engine: where runs are
    /// short enough for the loop around them to count.
    #[must_use]
    pub fn packs(&self, shape: &Shape) -> bool {
        shape.runs > 1.0 && shape.run() < 4096.0
    }

    /// The expected time of a message that is described in this way; nothing is known of
    /// contiguous ones.
    fn times(&self, operation: Operation, by: Description, shape: &Shape) -> Option<Times> {
        if shape.runs <= 1.0 {
            return None;
        }
        let run = shape.bytes / by.runs;
        let times = self.table.times(operation, by.family, run, shape.bytes)?;
        let lines = 2.0 * per_line(shape.span) * shape.more_lines();
        Some(Times { native: times.native + lines, engine: times.engine + lines })
    }
}

/// The time of a cache line that is not next to the last one, in nanoseconds. Both ways pay it: it
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
    use crate::family::{Family, Form};
    use crate::table::Row;
    use commloom_layout::{Basic, Type, mpi};

    /// A library that needs these times for one vector, for many elements, and packed.
    fn model([one, many, engine]: [f64; 3]) -> Model {
        let row = |many, native| {
            let family = Family { form: Form::Vector, many };
            let operation = Operation::Message;
            Row { operation, family, run: 8, bytes: 8000, times: Times { native, engine } }
        };
        Model::new(Table::new("L", "here", [row(false, one), row(true, many)]))
    }

    fn int() -> Type {
        Type::leaf(Basic::INT)
    }

    /// One vector, in 1000 runs.
    fn vector() -> Shape {
        let ty = mpi::vector(1000, 2, 4, &int()).unwrap();
        Shape::of(1, &ty, &ty, &ty)
    }

    /// The same, as many pairs.
    fn pairs() -> Shape {
        let pair = mpi::contiguous(2, &int()).unwrap();
        let pair = mpi::resized(0, 16, &pair).unwrap();
        let normal = mpi::vector(1000, 2, 4, &int()).unwrap();
        Shape::of(1000, &pair, &normal, &normal)
    }

    #[test]
    fn the_cheapest_way_is_chosen_if_it_is_clearly_cheaper() {
        let way = |times| model(times).choose(&vector()).way();
        assert_eq!(way([1000.0, 2000.0, 2000.0]), Way::Native);
        assert_eq!(way([1000.0, 950.0, 950.0]), Way::Native);
        assert_eq!(way([1000.0, 500.0, 2000.0]), Way::Unit);
        assert_eq!(way([1000.0, 500.0, 300.0]), Way::Engine);
        assert_eq!(way([1000.0, 2000.0, 300.0]), Way::Engine);
        let way = |times| model(times).choose(&pairs()).way();
        assert_eq!(way([500.0, 1000.0, 2000.0]), Way::Whole);
        assert_eq!(way([950.0, 1000.0, 2000.0]), Way::Native);
        assert_eq!(way([500.0, 1000.0, 300.0]), Way::Engine);
    }

    #[test]
    fn ways_are_worth_a_try_unless_they_are_expected_to_be_far_slower() {
        let others = |times| model(times).choose(&vector()).others.map(|o| o.map(|o| o.way));
        assert_eq!(others([1000.0, 2000.0, 910.0]), [Some(Way::Engine), Some(Way::Unit)]);
        assert_eq!(others([1000.0, 700.0, 910.0]), [Some(Way::Unit), Some(Way::Engine)]);
        assert_eq!(others([1000.0, 3500.0, 500.0]), [Some(Way::Engine), None]);
        assert_eq!(others([1000.0, 3500.0, 3500.0]), [None, None]);
    }

    #[test]
    fn blocks_that_touch_are_one_run_in_one_element_only() {
        let unit = mpi::indexed(&[9, 11], &[0, 11], &int()).unwrap();
        let unit = mpi::resized(0, 88, &unit).unwrap();
        let all = mpi::contiguous(100, &unit).unwrap();
        let shape = Shape::of(100, &unit, &all, &all);
        assert_eq!((shape.own.runs, shape.runs), (200.0, 101.0));
    }

    #[test]
    fn broadcasts_are_decided_by_broadcasts_where_there_are_any() {
        let rows = |operation, native| {
            [false, true].map(|many| {
                let family = Family { form: Form::Vector, many };
                let times = Times { native, engine: 1000.0 };
                Row { operation, family, run: 8, bytes: 8000, times }
            })
        };
        let messages = rows(Operation::Message, 5000.0);
        let packs = |operation, rows: &[Row]| {
            Model::new(Table::new("L", "here", rows.iter().copied()))
                .packs_in_collective(operation, &vector())
        };
        assert!(packs(Operation::Broadcast, &messages));
        let broadcasts = rows(Operation::Broadcast, 1000.0);
        let both = [messages, broadcasts].concat();
        assert!(!packs(Operation::Broadcast, &both));
        assert!(packs(Operation::Message, &both));
    }

    #[test]
    fn of_what_was_not_measured_nothing_is_expected() {
        let list = mpi::indexed(&[1, 2, 1], &[0, 3, 9], &int()).unwrap();
        let shape = Shape::of(1, &list, &list, &list);
        let model = model([1000.0, 100.0, 100.0]);
        let choice = model.choose(&shape);
        assert_eq!((choice.way(), choice.native), (Way::Native, 0.0));
        assert_eq!(choice.others[0], Some(Candidate { way: Way::Engine, times: 1.0 }));
        assert_eq!(model.collective(Operation::Message, &shape), Some(1.0));
    }
}

//! A layout in normal form, and what follows from that alone.

use std::sync::{Arc, OnceLock};

use commloom_layout::{CostModel, Type};
use commloom_mpi::Abi;
use commloom_report::{Format, Pictures, Row, brief};

use crate::accelerate::element::Element;
use crate::accelerate::engine::Engine;
use crate::accelerate::tally::Tally;

/// The layout of one element of a datatype, as the program describes it and in normal form.
pub(crate) struct NormalizedLayout<A: Abi> {
    pub before: Type,
    pub after: Type,
    /// One element in packed form.
    element: OnceLock<Arc<Element<A>>>,
    pub tally: Arc<Tally>,
}

impl<A: Abi> NormalizedLayout<A> {
    pub fn new(before: Type, after: Type, tally: Arc<Tally>) -> Self {
        NormalizedLayout { before, after, element: OnceLock::new(), tally }
    }

    /// One element in packed form.
    pub fn element(&self, engine: &'static Engine<A>) -> Arc<Element<A>> {
        self.element.get_or_init(|| Arc::new(Element::new(engine, &self.after))).clone()
    }

    /// The row of the layout in the report, without the numbers.
    pub fn row(&self, format: Format) -> Row {
        let model = CostModel::default();
        let NormalizedLayout { before, after, .. } = self;
        Row {
            before: brief(before),
            after: brief(after),
            cost_before: model.cost(before),
            cost_after: model.cost(after),
            pictures: format.has_pictures().then(|| Pictures::of(before, after)),
            ..Row::default()
        }
    }
}

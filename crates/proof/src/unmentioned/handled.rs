//! Uses of memory, as far as a report needs them.

use std::collections::{BTreeMap, HashSet};

use commloom_program::ProcedureId;
use commloom_source::Span;

/// Copies by procedures; of each the first place.
pub(super) type Copied = BTreeMap<ProcedureId, Span>;

/// More procedures with copies of one memory are not told apart: what a thousand of them share is
/// nobody's buffer, and their number times the arguments' would be the time.
const PROCEDURES: usize = 64;

/// The uses of some memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Handled {
    /// Copies into it.
    pub filled: Copies,
    /// Copies out of it.
    pub emptied: Copies,
    /// Whether values are computed that it gets.
    pub is_result: bool,
    /// Whether its values are computed with.
    pub is_operand: bool,
    /// Whether elements of it get values, of whatever kind.
    pub is_stored: bool,
    /// Whether values of its elements are used.
    pub is_loaded: bool,
    /// Whether an algorithm computes its values: of a buffer, and of an array of the program.
    pub is_made: bool,
    /// Whether MPI writes to it, and whether MPI sends it.
    pub is_received: bool,
    pub is_sent: bool,
}

/// Copies in one direction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Copies {
    /// In loops.
    pub many: Copied,
    /// Of single elements, which are many where the procedure is called in a loop.
    single: Copied,
}

impl Copies {
    /// Whether it is the first one of the procedure.
    pub fn note(&mut self, id: ProcedureId, span: Span, many: bool) -> bool {
        let places = if many { &mut self.many } else { &mut self.single };
        if places.len() >= PROCEDURES || places.contains_key(&id) {
            return false;
        }
        places.insert(id, span);
        true
    }

    fn add(&mut self, other: &Copies, in_loop: bool) -> bool {
        let mut news = false;
        for (places, many) in [(&other.many, true), (&other.single, in_loop)] {
            for (id, copy) in places {
                news |= self.note(*id, *copy, many);
            }
        }
        news
    }

    /// Single copies of these procedures are many.
    pub fn are_often(&mut self, often: &HashSet<ProcedureId>) {
        for (id, copy) in self.single.iter().filter(|(id, _)| often.contains(id)) {
            self.many.entry(*id).or_insert(*copy);
        }
    }
}

impl Handled {
    /// Whether that says anything new.
    pub fn add(&mut self, other: &Handled, in_loop: bool) -> bool {
        let mut news = self.filled.add(&other.filled, in_loop);
        news |= self.emptied.add(&other.emptied, in_loop);
        for (own, others) in [
            (&mut self.is_result, other.is_result),
            (&mut self.is_operand, other.is_operand),
            (&mut self.is_stored, other.is_stored),
            (&mut self.is_loaded, other.is_loaded),
            (&mut self.is_made, other.is_made),
            (&mut self.is_received, other.is_received),
            (&mut self.is_sent, other.is_sent),
        ] {
            news |= others && !*own;
            *own |= others;
        }
        news
    }
}

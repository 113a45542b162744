//! Places and divisors that may not be evaluated where the loops that did so take no turn: C asks
//! whether they do. Fortran has no such expression.

use commloom_copies::{Circumstances, Doubt, type_at};
use commloom_source::affine::{Atom, Counter, Place, Polynomial, Step};
use commloom_source::tree::{Expression, Type};

use super::model::EmitError;
use super::number::Speller;

/// Most alternatives in a test, and most parts of each.
const MOST: usize = 3;

impl Speller<'_> {
    /// A number that is read, if it is there.
    pub(super) fn read(&self, place: &Place) -> Result<String, EmitError> {
        let text = self.place(place)?;
        Ok(match self.test(place)? {
            Some(test) => format!("({test} ? {text} : 0)"),
            None => text,
        })
    }

    /// Whether the pointers on the way to a place can be read: the test that tells, where there
    /// must be one.
    pub(super) fn way(&self, place: &Place) -> Result<Option<String>, EmitError> {
        for end in (1..place.steps.len()).rev() {
            let part = place.up_to(end);
            let leads = self.symbols.and_then(|symbols| type_at(symbols, &part));
            let is_read = matches!(leads, Some(Type::Pointer(_)))
                && matches!(place.steps.get(end), Some(Step::At(_) | Step::Follow));
            if is_read && let Some(test) = self.test(&part)? {
                return Ok(Some(test));
            }
        }
        Ok(None)
    }

    /// The test that a place is there; none where it is.
    pub(super) fn test(&self, place: &Place) -> Result<Option<String>, EmitError> {
        let Some(doubt) = self.doubt(place) else { return Ok(None) };
        let mut all: Vec<String> = Vec::new();
        for context in &doubt.contexts {
            let Some(test) = self.context(context)? else { return Ok(None) };
            if !all.contains(&test) {
                all.push(test);
            }
        }
        if self.fortran || all.len() > MOST {
            return Err(EmitError::Unread);
        }
        Ok(match all.as_slice() {
            [one] => Some(one.clone()),
            all => Some(format!("({})", all.join(" || "))),
        })
    }

    /// Whether a pointer is followed in turns only.
    pub(super) fn may_be_null(&self, pointer: &Place) -> bool {
        let is_behind = |doubt: &&Doubt| {
            let steps = &doubt.place.steps;
            doubt.place.variable == pointer.variable
                && steps.len() > pointer.steps.len()
                && steps.starts_with(&pointer.steps)
        };
        let reads = self.doubtful.of.map_or(&[][..], |doubts| doubts.reads.as_slice());
        let all: Vec<&Doubt> = reads.iter().filter(is_behind).collect();
        let is_sure = |doubt: &&Doubt| {
            doubt.contexts.iter().any(|context| matches!(self.context(context), Ok(None)))
        };
        !all.is_empty() && !all.iter().any(is_sure)
    }

    /// Whether a place is read where loops turn, and perhaps nowhere else.
    fn doubt(&self, place: &Place) -> Option<&Doubt> {
        self.doubtful.of?.reads.iter().find(|doubt| doubt.place == *place)
    }

    /// The test that loops turn, and conditions hold, of which it is not known here.
    fn context(&self, context: &Circumstances) -> Result<Option<String>, EmitError> {
        let mut parts = Vec::new();
        for condition in &context.conditions {
            if !self.doubtful.conditions.contains(condition) {
                return Err(EmitError::Unread);
            }
        }
        for counter in context.turns.iter().filter(|turn| !self.turns.contains_key(turn)) {
            let turn = self.doubtful.turns.iter().find(|turn| turn.counter == *counter);
            let count = &turn.ok_or(EmitError::Unread)?.count;
            if count.any(&mut |atom| matches!(atom, Atom::Unnamed(_) | Atom::Lost(_))) {
                return Err(EmitError::Unread);
            }
            parts.push(format!("{} > 0", self.plain(count)?));
        }
        if parts.len() > MOST {
            return Err(EmitError::Unread);
        }
        Ok((!parts.is_empty()).then(|| parts.join(" && ")))
    }

    /// Whether a condition can be asked here: loops that it was asked in turn.
    pub(super) fn can_ask(&self, condition: &Expression) -> bool {
        let Some(doubts) = self.doubtful.of else { return true };
        let is_open = |turn: &Counter| self.turns.contains_key(turn);
        doubts
            .conditions
            .iter()
            .filter(|(span, _)| *span == condition.span)
            .all(|(_, turns)| turns.iter().all(is_open))
    }

    /// Whether a quotient was computed on every path.
    pub(super) fn is_computed(&self, atom: &Atom) -> bool {
        self.doubtful.of.is_none_or(|doubts| doubts.quotients.contains(atom))
    }

    /// Whether something in a place may not be evaluated.
    pub(super) fn is_doubtful(&self, place: &Place) -> bool {
        let is_way = !matches!(self.way(place), Ok(None));
        let mut is_inside = |number: &Polynomial| {
            number.any(&mut |atom| match atom {
                Atom::Read { place, .. } => !matches!(self.test(place), Ok(None)),
                Atom::Apply(..) => !self.is_computed(atom),
                _ => false,
            })
        };
        is_way || place.subscripts().any(&mut is_inside)
    }
}

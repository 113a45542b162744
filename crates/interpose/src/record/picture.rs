//! A picture of memory, and what has become of that since.

use commloom_trace::Operator;

use super::element::{CERTAIN, Element, LIKELY};
use super::{foreign, search};

/// A picture of some memory.
pub(super) struct Shot {
    pub start: u64,
    pub bytes: Vec<u8>,
    /// The same memory at this call.
    pub now: Vec<u8>,
    pub has_changed: bool,
    /// More than one place: a result is searched for in there.
    pub is_wide: bool,
    pub looks: u32,
}

impl Shot {
    /// Sees what is there now; whether that could be read.
    pub fn look(&mut self) -> bool {
        self.now.resize(self.bytes.len(), 0);
        let is_there = foreign::read_all(self.start, &mut self.now);
        self.has_changed = self.now != self.bytes;
        is_there
    }

    /// Where what was there is now combined with the operands.
    pub fn combined(
        &self,
        element: Element,
        now: &[u8],
        operands: &[&[u8]],
    ) -> Option<(Operator, usize)> {
        for &operator in element.operators() {
            let place = if self.is_wide {
                // Anything may be a maximum.
                (operator == Operator::Sum)
                    .then(|| search::in_place(element, (&self.bytes, now), operands))
                    .flatten()
            } else {
                let is = element.is(operator, now, &self.bytes, operands)
                    && element.evidence(operator, &self.bytes, operands) >= LIKELY;
                is.then_some(0)
            };
            if let Some(place) = place {
                return Some((operator, place));
            }
        }
        None
    }

    /// Where the sum of a sequence is that was not there before.
    pub fn appears(
        &self,
        element: Element,
        now: &[u8],
        first: &[u8],
        operands: &[&[u8]],
    ) -> Option<usize> {
        if element.evidence(Operator::Sum, first, operands) < CERTAIN {
            return None;
        }
        let mut result = first.to_vec();
        operands.iter().for_each(|b| element.combine(Operator::Sum, &mut result, b));
        let place = search::find(element.size(), now, &result)?;
        let is_new = self.bytes.get(place..place + result.len()) != Some(&result);
        (is_new && element.is(Operator::Sum, &result, first, operands)).then_some(place)
    }

    /// The bytes at an address are known to have become these.
    pub fn becomes(&mut self, at: u64, bytes: &[u8]) {
        for (own, address) in self.bytes.iter_mut().zip(self.start..) {
            if let Some(byte) =
                address.checked_sub(at).and_then(|i| bytes.get(usize::try_from(i).ok()?))
            {
                *own = *byte;
            }
        }
    }
}

/// A length as a distance of addresses.
pub(super) fn long(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

//! A set of places of a line, in order and by number.

use crate::num::{at, place};

/// Places where a line may be cut.
pub(super) struct Cuts {
    places: Vec<u32>,
    bits: Vec<u64>,
    /// Places before each word of bits.
    before: Vec<u32>,
}

impl Cuts {
    /// A set without places, for a line of `n` tokens.
    pub(super) fn new(n: usize) -> Cuts {
        Cuts { places: Vec::new(), bits: vec![0; n / 64 + 1], before: Vec::new() }
    }

    pub(super) fn insert(&mut self, x: u32) {
        self.bits[at(x) / 64] |= 1 << (x % 64);
    }

    /// Numbers the places; none is inserted after that.
    pub(super) fn number(&mut self) {
        let mut count = 0;
        for (word, &bits) in self.bits.iter().enumerate() {
            self.before.push(place(count));
            count += at(bits.count_ones());
            let mut rest = bits;
            while rest != 0 {
                self.places.push(place(word * 64 + at(rest.trailing_zeros())));
                rest &= rest - 1;
            }
        }
    }

    /// How many places lie before `x`: the number of `x` if it is one of them.
    pub(super) fn before(&self, x: u32) -> usize {
        let word = at(x) / 64;
        at(self.before[word]) + at((self.bits[word] & ((1 << (x % 64)) - 1)).count_ones())
    }

    /// The places `from..to` (exclusive at both ends) lie at these numbers.
    pub(super) fn between(&self, from: u32, to: u32) -> std::ops::Range<usize> {
        let first = self.before(from + 1);
        first..self.before(to).max(first)
    }

    pub(super) fn place(&self, number: usize) -> u32 {
        self.places[number]
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }
}

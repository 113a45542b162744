//! Fingerprints of blocks of steps.
//!
//! Equal blocks have equal fingerprints; that is all that the bounds rely on. Where different
//! blocks have equal ones (one pair in 2^61 of random ones), a repeat is seen that does not exist,
//! and the bound may become lower, never wrong. So nothing is verified.

use crate::num::count;

/// The modulus, a Mersenne prime.
const PRIME: u64 = (1 << 61) - 1;
/// The base of the polynomials, random.
const BASE: u64 = 0x0F6A_91C3_7D24_E5B9;

/// Fingerprints of all prefixes of the steps of a sequence. Steps are numbered from 0.
pub(super) struct Fingerprints {
    prefixes: Vec<u64>,
    /// `BASE` to the powers 1, 2, 4, 8, ..
    powers: Vec<u64>,
}

impl Fingerprints {
    /// O(n) time, 8 n bytes.
    pub(super) fn new(starts: &[i64]) -> Fingerprints {
        let mut prefixes = Vec::with_capacity(starts.len());
        let mut last = 0;
        prefixes.push(last);
        prefixes.extend(starts.windows(2).map(|w| {
            last = reduced(product(last, BASE) + residue(w[1] - w[0]));
            last
        }));
        let powers = std::iter::successors(Some(BASE), |&p| Some(product(p, p)));
        Fingerprints { prefixes, powers: powers.take(64).collect() }
    }

    /// Number of steps.
    pub(super) fn len(&self) -> usize {
        self.prefixes.len() - 1
    }

    /// Forgets all but the first `elements`, at least one.
    pub(super) fn truncate(&mut self, elements: usize) {
        self.prefixes.truncate(elements);
    }

    /// The fingerprints of `length` steps from each place.
    pub(super) fn windows(&self, length: usize) -> Windows<'_> {
        let bits = (0..64).filter(|&bit| count(length) >> bit & 1 == 1);
        let power = bits.fold(1, |acc, bit| product(acc, self.powers[bit]));
        Windows { prefixes: &self.prefixes, length, power }
    }

    /// How many steps from `x` on equal those from `y` on, `y` the later one.
    pub(super) fn common_after(&self, x: usize, y: usize) -> usize {
        let room = self.len() - y;
        self.gallop(room, |from, window| window.equal(x + from, y + from))
    }

    /// How many steps before `x` equal those before `y`, `y` the later one.
    pub(super) fn common_before(&self, x: usize, y: usize) -> usize {
        self.gallop(x, |from, window| {
            window.equal(x - from - window.length, y - from - window.length)
        })
    }

    /// The largest total that is reached by equal pieces of 2^k, each asked for by what was
    /// reached before it: pieces that double, then pieces that halve. O(log room).
    fn gallop(&self, room: usize, equal: impl Fn(usize, Windows<'_>) -> bool) -> usize {
        let piece = |exponent: usize| Windows {
            prefixes: &self.prefixes,
            length: 1 << exponent,
            power: self.powers[exponent],
        };
        let fits = |reached: usize, exponent: usize| {
            reached + (1 << exponent) <= room && equal(reached, piece(exponent))
        };
        let (mut reached, mut exponent) = (0, 0);
        while fits(reached, exponent) {
            reached += 1 << exponent;
            exponent += 1;
        }
        while exponent > 0 {
            exponent -= 1;
            if fits(reached, exponent) {
                reached += 1 << exponent;
            }
        }
        reached
    }
}

/// Windows of one length.
#[derive(Clone, Copy)]
pub(super) struct Windows<'a> {
    prefixes: &'a [u64],
    pub length: usize,
    power: u64,
}

impl Windows<'_> {
    /// Whether the steps from `x` on equal those from `y` on.
    pub(super) fn equal(&self, x: usize, y: usize) -> bool {
        self.at(x) == self.at(y)
    }

    /// The fingerprint of the steps from `i` on.
    pub(super) fn at(&self, i: usize) -> u64 {
        difference(self.prefixes[i + self.length], product(self.prefixes[i], self.power))
    }

    /// The places `from..to` whose fingerprints are among `wanted`, with the fingerprints.
    pub(super) fn search(
        &self,
        from: usize,
        to: usize,
        wanted: [Option<u64>; 2],
        mut found: impl FnMut(usize, usize),
    ) {
        let missing = u64::MAX;
        let [a, b] = wanted.map(|w| w.unwrap_or(missing));
        let ends = &self.prefixes[from + self.length..to + self.length];
        for (i, (&start, &end)) in self.prefixes[from..to].iter().zip(ends).enumerate() {
            let here = difference(end, product(start, self.power));
            if here == a {
                found(from + i, 0);
            }
            if here == b {
                found(from + i, 1);
            }
        }
    }
}

/// The residue of a step.
fn residue(step: i64) -> u64 {
    let size = reduced(step.unsigned_abs());
    if step < 0 { difference(0, size) } else { size }
}

/// Any number to below the modulus.
fn reduced(x: u64) -> u64 {
    let x = (x & PRIME) + (x >> 61);
    if x >= PRIME { x - PRIME } else { x }
}

/// a b of numbers below the modulus.
fn product(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    let mask = u128::from(PRIME);
    let (low, high) = (wide & mask, wide >> 61);
    reduced(u64::try_from(low + high).expect("below 2^62"))
}

/// a - b of numbers below the modulus.
fn difference(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

//! A line of tokens as runs of equal steps, with fingerprints of all its parts.
//!
//! The *step* of token t leads to token t+1; its *symbol* tells the distance and, in a line of
//! several atoms, both atoms. A *letter* is a maximal run of one symbol: its tokens lie at equal
//! distances. Two parts of a line are equal up to a shift iff their first atoms and their symbols
//! are.
//!
//! Space: 8 bytes per letter. A regular layout has far fewer letters than elements.

use rustc_hash::FxHashMap;

use super::line::View;
use crate::num::{at, place};

/// Modulus of the fingerprints, a Mersenne prime: small, so that they take little memory. What is
/// found by fingerprint is compared.
const PRIME: u64 = (1 << 31) - 1;
/// Base of the fingerprints.
const BASE: u64 = 0x5b4d_1c27;

/// The steps of a line, run-length coded.
pub(super) struct Letters<'a> {
    line: View<'a>,
    /// Symbols, where they are not the steps themselves.
    symbols: Option<Vec<i64>>,
    /// First step of each letter, and the number of steps at the end.
    starts: Vec<u32>,
    /// Fingerprints of the first k letters.
    prints: Vec<u32>,
}

impl<'a> Letters<'a> {
    /// The letters of a line of at least two tokens. O(n) expected.
    pub(super) fn new(line: View<'a>) -> Self {
        let steps = line.len() - 1;
        let (mut symbols, mut starts) = (None, Vec::new());
        if line.is_uniform() {
            let begins = |t: &usize| *t == 0 || line.step(*t) != line.step(*t - 1);
            // Counted first: growing would take twice the room.
            starts.reserve_exact((0..steps).filter(begins).count() + 1);
            starts.extend((0..steps).filter(begins).map(place));
        } else {
            let (mut numbers, mut all) = (FxHashMap::default(), Vec::new());
            for t in 0..steps {
                let next = i64::try_from(numbers.len()).expect("lines are shorter than 2^32");
                let symbol = (line.step(t), line.number(t), line.number(t + 1));
                let symbol = *numbers.entry(symbol).or_insert(next);
                if all.last() != Some(&symbol) {
                    all.push(symbol);
                    starts.push(place(t));
                }
            }
            symbols = Some(all);
        }
        starts.push(place(steps));
        let mut letters = Letters { line, symbols, starts, prints: Vec::new() };
        letters.fingerprint();
        letters
    }

    fn fingerprint(&mut self) {
        self.prints.reserve_exact(self.len() + 1);
        let mut print = 0;
        self.prints.push(0);
        for k in 0..self.len() {
            let letter = mixed(self.symbol_bits(k), u64::from(self.length(k)));
            print = plus(times(print, BASE), letter % PRIME);
            self.prints.push(u32::try_from(print).expect("below 2^31"));
        }
    }

    /// Number of letters.
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn symbol(&self, k: usize) -> i64 {
        match &self.symbols {
            Some(symbols) => symbols[k],
            None => self.line.step(at(self.starts[k])),
        }
    }

    fn symbol_bits(&self, k: usize) -> u64 {
        u64::from_ne_bytes(self.symbol(k).to_ne_bytes())
    }

    /// First step of letter `k`; the number of steps for the letter past the last one.
    pub(super) fn start(&self, k: usize) -> u32 {
        self.starts[k]
    }

    /// Steps in letter `k`.
    pub(super) fn length(&self, k: usize) -> u32 {
        self.starts[k + 1] - self.starts[k]
    }

    /// The letter of step `t`. O(log n).
    pub(super) fn of_step(&self, t: u32) -> usize {
        self.starts.partition_point(|s| *s <= t) - 1
    }

    /// Whether token `t` is a copy of another atom than the one before.
    pub(super) fn changes_atom(&self, t: usize) -> bool {
        self.line.number(t) != self.line.number(t - 1)
    }

    /// Fingerprint of the letters `from..to`, whole; `power` is base^(to - from).
    pub(super) fn print(&self, from: usize, to: usize, power: u64) -> u64 {
        minus(u64::from(self.prints[to]), times(u64::from(self.prints[from]), power))
    }

    /// base^exponent.
    pub(super) fn power(&self, mut exponent: usize) -> u64 {
        let (mut power, mut square) = (1, BASE);
        while exponent > 0 {
            if exponent % 2 == 1 {
                power = times(power, square);
            }
            square = times(square, square);
            exponent /= 2;
        }
        power
    }

    /// Name of the window of `w` >= 2 letters from `k`: the outer ones by symbol only.
    pub(super) fn window(&self, k: usize, w: usize, power: u64) -> u64 {
        let inner = self.print(k + 1, k + w - 1, power);
        let ends = mixed(self.symbol_bits(k), self.symbol_bits(k + w - 1));
        mixed(inner, ends)
    }

    /// Fingerprint of the steps `from..to`, at least one: equal where the symbols are.
    pub(super) fn steps(&self, from: u32, to: u32) -> u64 {
        let (first, last) = (self.of_step(from), self.of_step(to - 1));
        if first == last {
            return mixed(self.symbol_bits(first), u64::from(to - from));
        }
        let head = mixed(self.symbol_bits(first), u64::from(self.starts[first + 1] - from));
        let tail = mixed(self.symbol_bits(last), u64::from(to - self.starts[last]));
        let inner = self.print(first + 1, last, self.power(last - first - 1));
        mixed(mixed(head, inner), tail)
    }
}

/// Two numbers as one.
fn mixed(a: u64, b: u64) -> u64 {
    let a = (a ^ (a >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let b = (b ^ (b >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let sum = (a ^ (a >> 31)).wrapping_add(b.rotate_left(27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    sum ^ (sum >> 30)
}

fn times(a: u64, b: u64) -> u64 {
    a * b % PRIME
}

fn plus(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= PRIME { sum - PRIME } else { sum }
}

fn minus(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + PRIME - b }
}

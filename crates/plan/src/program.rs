//! [`Program`]: a short period of small blocks as a sequence of vector permutations.
//!
//! The kernels "Z" (pack) and "U2" (unpack) of KERNELS.md. *Packing*: each packed vector of 64 (or
//! 32) bytes is one permutation of two 64-byte windows of memory. The windows begin with the first
//! and end with the last byte that the vector needs, so that nothing outside the layout's bounds is
//! read, whatever the alignment. *Unpacking*: each 64-byte window of memory, chosen greedily, is
//! one permutation of a piece of the packed stream and one masked store, so that gaps stay
//! untouched. Both repeat after a few periods.

use crate::Part;
use crate::number::{count, index};

/// Bytes in a vector.
const WIDTH: i64 = 64;

/// A program has at most so many vectors: beyond, its index vectors crowd the cache.
const MOST_MOVES: usize = 12;

/// Permutations that move some periods, to be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    copies: u64,
    stride: i64,
    bytes: u64,
    unit: u64,
    width: u64,
    moves: Box<[Move]>,
}

/// One permutation. Displacements in bytes from the start of the program's first period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// First (when unpacking: only) window of 64 bytes in memory.
    pub a: i64,
    /// Second window when packing.
    pub second: i64,
    /// Place of the packed bytes.
    pub b: u64,
    /// When unpacking: which units of the window are stored; that many units are loaded.
    pub mask: u64,
    /// For each unit of the result, the unit it comes from; those of the second window follow those
    /// of the first. One entry is as wide as a unit, little-endian.
    pub index: [u8; 64],
}

impl Program {
    /// Periods that one round moves.
    #[must_use]
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// Bytes in memory from one period to the next.
    #[must_use]
    pub fn stride(&self) -> i64 {
        self.stride
    }

    /// Packed bytes of a period.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that are permuted as one: 4 or 1.
    #[must_use]
    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Bytes of a packed vector, 64 or 32 (packing only).
    #[must_use]
    pub fn width(&self) -> u64 {
        self.width
    }

    /// The permutations of a round, in packed order.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }
}

/// Blocks of a repeated period, known to be in ascending order without overlaps.
pub(crate) struct Period<'p> {
    parts: &'p [Part],
    stride: i64,
    bytes: u64,
    unit: u64,
}

impl<'p> Period<'p> {
    /// Fails where vectors do not pay or do not work: large or far blocks, blocks out of order.
    pub(crate) fn new(parts: &'p [Part], stride: i64, byte_permute: bool) -> Option<Period<'p>> {
        let ends = |part: &Part| i64::try_from(part.length).ok()?.checked_add(part.a);
        let apart = parts.windows(2).all(|w| ends(&w[0]).is_some_and(|end| end <= w[1].a));
        let last = parts.last()?;
        let bytes = last.b + last.length;
        if !apart || ends(last)? > stride || stride > 4 * WIDTH || bytes > 128 {
            return None;
        }
        let words = stride % 4 == 0 && parts.iter().all(|p| p.length % 4 == 0 && p.a % 4 == 0);
        let unit = match (words, byte_permute) {
            (true, _) => 4,
            (false, true) => 1,
            (false, false) => return None,
        };
        Some(Period { parts, stride, bytes, unit })
    }

    /// Loads and stores that moving one period block by block takes.
    fn pieces(&self) -> u64 {
        let pieces = |length: u64| length / 32 + u64::from((length % 32).count_ones());
        self.parts.iter().map(|part| pieces(part.length)).sum()
    }

    /// Place in memory of each unit of so many periods, in order.
    fn places(&self, copies: u64) -> Vec<i64> {
        let mut places = Vec::with_capacity(index(copies * self.bytes / self.unit));
        let unit = self.unit.cast_signed();
        for copy in 0..copies.cast_signed() {
            for part in self.parts {
                let (first, units) = (copy * self.stride + part.a, part.length / self.unit);
                places.extend((0..units.cast_signed()).map(|i| first + i * unit));
            }
        }
        places
    }

    fn program(&self, copies: u64, width: u64, moves: Vec<Move>) -> Program {
        Program {
            copies,
            stride: self.stride,
            bytes: self.bytes,
            unit: self.unit,
            width,
            moves: moves.into(),
        }
    }

    /// The program that packs, where there is one that should be faster than moving blocks. `most`
    /// is the number of periods to move.
    pub(crate) fn pack(&self, most: u64) -> Option<Program> {
        [64, 32].into_iter().find_map(|width| self.pack_by(width, most))
    }

    fn pack_by(&self, width: u64, most: u64) -> Option<Program> {
        // The least number of periods that fills whole vectors.
        let twos = 1u64 << self.bytes.trailing_zeros();
        let copies = width / twos.min(width);
        let vectors = copies * self.bytes / width;
        // Measured on Zen 5: at most so many pieces may be moved for the price of a vector. A period of
        // several blocks is moved column by column, which touches every line several times.
        let worth = match (self.parts.len(), vectors) {
            (1, 0..=3) => 5,
            (1, _) => 8,
            _ => 3,
        };
        let slow = self.pieces() * copies < worth * vectors;
        if copies > most || index(vectors) > MOST_MOVES || slow {
            return None;
        }
        let places = self.places(copies);
        let chunks = places.chunks_exact(index(width / self.unit));
        let moves: Option<Vec<Move>> =
            chunks.zip(0..).map(|(chunk, i)| self.gather(chunk, i * width)).collect();
        Some(self.program(copies, width, moves?))
    }

    /// One packed vector from two windows, if they suffice.
    fn gather(&self, places: &[i64], b: u64) -> Option<Move> {
        let unit = self.unit.cast_signed();
        let (low, high) = (*places.first()?, *places.last()? + unit);
        if !(WIDTH..=2 * WIDTH).contains(&(high - low)) {
            return None;
        }
        let second = high - WIDTH;
        let mut index = Index::new(self.unit);
        for (i, &place) in places.iter().enumerate() {
            let from =
                if place + unit <= low + WIDTH { place - low } else { WIDTH + place - second };
            index.set(i, (from / unit).unsigned_abs());
        }
        Some(Move { a: low, second, b, mask: u64::MAX, index: index.0 })
    }

    /// The program that unpacks, under the same conditions.
    pub(crate) fn unpack(&self, most: u64) -> Option<Program> {
        // The number of periods whose windows are used best; the least such.
        let (copies, windows) = (1..=8u64.min(most))
            .map(|copies| (copies, self.windows(copies)))
            .filter(|&(_, windows)| windows <= count(MOST_MOVES))
            .min_by_key(|&(copies, windows)| (windows * 840 / copies, copies))?;
        if 2 * self.pieces() * copies < 3 * windows {
            return None;
        }
        let places = self.places(copies);
        let unit = self.unit.cast_signed();
        let (mut moves, mut first) = (Vec::with_capacity(index(windows)), 0);
        while let Some(&low) = places.get(first) {
            let mut index = Index::new(self.unit);
            let (mut mask, mut next) = (0u64, first);
            while let Some(&place) = places.get(next)
                && place + unit <= low + WIDTH
            {
                let to = ((place - low) / unit).unsigned_abs();
                mask |= 1 << to;
                index.set(crate::number::index(to), count(next - first));
                next += 1;
            }
            let b = count(first) * self.unit;
            moves.push(Move { a: low, second: low, b, mask, index: index.0 });
            first = next;
        }
        Some(self.program(copies, 64, moves))
    }

    /// Number of greedy windows that cover so many periods.
    fn windows(&self, copies: u64) -> u64 {
        let (mut windows, mut end) = (0, i64::MIN);
        for copy in 0..copies.cast_signed() {
            for part in self.parts {
                let mut at = copy * self.stride + part.a;
                let stop = at + part.length.cast_signed();
                while stop > end.max(at) {
                    at = at.max(end);
                    end = at + WIDTH;
                    windows += 1;
                }
            }
        }
        windows
    }
}

/// An index vector being filled.
struct Index([u8; 64], u64);

impl Index {
    fn new(unit: u64) -> Index {
        Index([0; 64], unit)
    }

    /// Unit `to` comes from unit `from`, which is below 128 and so needs one byte only.
    fn set(&mut self, to: usize, from: u64) {
        self.0[to * index(self.1)] = u8::try_from(from).expect("two windows have 128 bytes");
    }
}

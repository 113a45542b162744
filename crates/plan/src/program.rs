//! [`Program`]: a short period of small blocks as a sequence of vector permutations.
//!
//! *Packing* (book/src/explanation/kernels.md): each packed vector of 64 bytes is picked from two
//! to four windows of 64 bytes of memory, whole windows at a time. Where a row of adjacent windows
//! serves the vectors in turn, each is loaded once ([`Form::Chain`]). *Unpacking* (kernel "U2"):
//! each 64-byte window of memory, chosen greedily, is one permutation of a piece of the packed
//! stream and one masked store, so that gaps stay untouched. Both repeat after a few periods, a
//! *round*.
//!
//! Windows never reach out of the bytes of their round, on either side, whatever the alignment:
//! the last ones end with its last byte.

use crate::number::index;

/// A round has at most so many vectors: more index vectors do not stay in registers.
pub const MOST_MOVES: usize = 8;

/// Permutations that move some periods, to be repeated. Held in one piece: a short message is
/// moved in the time of a few cache misses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    index: [Index; MOST_MOVES],
    moves: [Move; MOST_MOVES],
    vectors: usize,
    form: Form,
    copies: u64,
    round: (i64, u64),
    stride: i64,
    bytes: u64,
    unit: u64,
    last: i64,
    inverse: Option<u8>,
}

/// For each unit of a vector, the unit it comes from; those of a second (fourth) window follow
/// those of the first (third). One entry is as wide as a unit, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(64))]
pub struct Index(pub [u8; 64]);

/// Where the vectors of a round come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Packing: vector `i` is picked from the windows at `64 i` and `64 (i + 1)`; the last window
    /// is at [`Program::last`].
    Chain,
    /// Packing: each vector is picked from so many adjacent windows (2 to 4) from [`Move::a`] on.
    Windows(u8),
    /// Packing: of each window at [`Move::a`] some units go to [`Move::b`].
    Gather,
    /// Packing: one vector is picked from all the windows at [`Move::a`].
    Merge,
    /// Unpacking: adjacent windows of memory, each spread from the 64 packed bytes at [`Move::b`].
    Row,
    /// Unpacking: the same for windows at [`Move::a`].
    Spread,
}

/// One permutation. Displacements in bytes from the start of the round's first period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// First window in memory. When unpacking, the only one.
    pub a: i64,
    /// Place of the packed bytes. For vectors that are full when packed, vector `i` goes to
    /// `64 i`, the last one to the end.
    pub b: u64,
    /// When unpacking: which units of the window are stored. When gathering: which are loaded.
    /// When packing from more than two windows: which units come from the third or fourth. When
    /// merging: which units of the vector come from this window.
    pub mask: u64,
}

impl Form {
    /// A number for tables of functions, below [`Form::COUNT`].
    #[must_use]
    #[inline]
    pub fn number(self) -> usize {
        match self {
            Form::Chain => 0,
            Form::Windows(2) => 1,
            Form::Windows(3) => 2,
            Form::Windows(_) => 3,
            Form::Gather => 4,
            Form::Row => 5,
            Form::Spread => 6,
            Form::Merge => 7,
        }
    }

    /// Number of forms.
    pub const COUNT: usize = 8;
}

impl Program {
    /// Where the vectors come from.
    #[must_use]
    #[inline]
    pub fn form(&self) -> Form {
        self.form
    }

    /// Periods that one round moves.
    #[must_use]
    #[inline]
    pub fn copies(&self) -> u64 {
        self.copies
    }

    /// Bytes from one round to the next, in memory and packed.
    #[must_use]
    #[inline]
    pub fn round(&self) -> (i64, u64) {
        self.round
    }

    /// Bytes in memory from one period to the next.
    #[must_use]
    #[inline]
    pub fn stride(&self) -> i64 {
        self.stride
    }

    /// Packed bytes of a period.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that are permuted as one: 4 or 1.
    #[must_use]
    #[inline]
    pub fn unit(&self) -> u64 {
        self.unit
    }

    /// Place of the last window of a chain.
    #[must_use]
    #[inline]
    pub fn last(&self) -> i64 {
        self.last
    }

    /// How many periods to skip so that rounds begin on a line of 64 bytes, from a place that is
    /// `missing` bytes before one. `None` where no period begins on a line, or rounds do not keep
    /// it.
    #[must_use]
    #[inline]
    pub fn skip(&self, missing: u64) -> Option<u64> {
        let inverse = u64::from(self.inverse?);
        let steps = self.stride.trailing_zeros();
        let period = 64u64 >> steps;
        let aligned = missing & ((1 << steps) - 1) == 0;
        aligned.then_some(((missing >> steps) * inverse) & (period - 1))
    }

    /// The permutations of a round, in packed order; at most 8.
    #[must_use]
    #[inline]
    pub fn moves(&self) -> &[Move] {
        &self.moves[..self.vectors]
    }

    /// The order of the units of each vector, for [`Program::moves`] many vectors.
    #[must_use]
    #[inline]
    pub fn index(&self) -> &[Index] {
        &self.index[..self.vectors]
    }
}

impl Program {
    /// A program without vectors, for periods of so many packed bytes, `stride` apart.
    pub(crate) fn new(form: Form, copies: u64, stride: i64, bytes: u64, unit: u64) -> Box<Program> {
        let round = (stride * copies.cast_signed(), bytes * copies);
        let lines = round.0 % 64 == 0;
        Box::new(Program {
            index: [Index([0; 64]); MOST_MOVES],
            moves: [Move { a: 0, b: 0, mask: 0 }; MOST_MOVES],
            vectors: 0,
            form,
            copies,
            round,
            stride,
            bytes,
            unit,
            last: 0,
            inverse: (lines && stride % 64 != 0).then(|| inverse(stride)),
        })
    }

    /// Sets the place of the last window of a chain.
    pub(crate) fn end_at(&mut self, last: i64) {
        self.last = last;
    }

    /// Adds a vector; there must be room for it.
    pub(crate) fn push(&mut self, a: i64, b: u64, vector: &Vector) {
        self.moves[self.vectors] = Move { a, b, mask: vector.mask };
        self.index[self.vectors] = vector.index;
        self.vectors += 1;
    }
}

/// A vector of a program while its units are filled in.
pub(crate) struct Vector {
    index: Index,
    mask: u64,
    shift: u32,
}

impl Vector {
    /// For units of 1 or 4 bytes.
    pub(crate) fn new(unit: u64) -> Vector {
        // Shifts are cheaper than divisions, which counts here.
        Vector { index: Index([0; 64]), mask: 0, shift: unit.trailing_zeros() }
    }

    /// `units` (at least 1) units from unit `to` on come from byte `from` on, which is below 128.
    #[inline]
    pub(crate) fn put(&mut self, to: u64, units: u64, from: u64) {
        let (mut to, step) = (index(to << self.shift), 1 << self.shift);
        let mut from = u8::try_from((from & 127) >> self.shift).expect("below 128");
        for _ in 0..units {
            self.index.0[to] = from;
            (to, from) = (to + step, from.wrapping_add(1));
        }
    }

    /// Sets the bits of so many units (at least 1) in the mask.
    #[inline]
    pub(crate) fn mark(&mut self, first: u64, units: u64) {
        self.mask |= (u64::MAX >> (64 - units)) << first;
    }
}

/// The inverse of the odd part of a stride modulo 64.
fn inverse(stride: i64) -> u8 {
    let odd = (stride >> stride.trailing_zeros()).unsigned_abs();
    // An odd number is its own inverse modulo 8; a step of Newton's doubles the bits that are
    // right.
    let inverse = odd.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(odd)));
    u8::try_from(inverse % 64).expect("below 64")
}

//! [`Program`]: a short period of small blocks as a sequence of vector permutations.
//!
//! *Packing* (kernel "Z" of KERNELS.md): each packed vector of 64 bytes is picked from two to four
//! windows of 64 bytes of memory, whole windows at a time. Where a row of adjacent windows serves the
//! vectors in turn, each is loaded once ([`Form::Chain`]). *Unpacking* (kernel "U2"): each 64-byte
//! window of memory, chosen greedily, is one permutation of a piece of the packed stream and one
//! masked store, so that gaps stay untouched. Both repeat after a few periods, a *round*.
//!
//! Windows never reach out of the bytes of their round, on either side, whatever the alignment: the
//! last ones end with its last byte.

use crate::Part;
use crate::number::{count, index};

/// Bytes in a vector.
const WIDTH: i64 = 64;

/// A round has at most so many vectors: more index vectors do not stay in registers.
const MOST_MOVES: usize = 8;

/// The same when unpacking to adjacent windows: there are seven registers for their masks.
const MOST_ROW: u64 = 6;

/// The same for windows at places of their own, which take a register more each.
const MOST_SPREAD: u64 = 3;

/// Periods of more packed bytes are long runs or long programs, and cheaper block by block.
const MOST_BYTES: u64 = 64 * MOST_MOVES as u64;

/// What moving one piece of a block (a load and a store) costs, in tenths of a cycle. This and the
/// costs below were measured on Zen 5 with both sides off their lines by 16 bytes, in the first-level
/// cache; past it every form waits for memory.
const PIECE: u64 = 8;

/// What a round costs beside its vectors.
const ROUND: u64 = 10;

/// What a vector costs.
fn cost(form: Form) -> u64 {
    match form {
        Form::Chain => 18,
        Form::Windows(2) | Form::Row | Form::Spread => 25,
        Form::Windows(3) => 34,
        Form::Windows(_) => 43,
    }
}

/// Permutations that move some periods, to be repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    form: Form,
    copies: u64,
    stride: i64,
    bytes: u64,
    unit: u64,
    last: i64,
    moves: Box<[Move]>,
}

/// Where the vectors of a round come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Packing: vector `i` is picked from the windows at `64 i` and `64 (i + 1)`; the last window is
    /// at [`Program::last`].
    Chain,
    /// Packing: each vector is picked from so many adjacent windows (2 to 4) from [`Move::a`] on.
    Windows(u8),
    /// Unpacking: adjacent windows of memory, each spread from the 64 packed bytes at [`Move::b`].
    Row,
    /// Unpacking: the same for windows at [`Move::a`].
    Spread,
}

/// One permutation. Displacements in bytes from the start of the round's first period.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// First window in memory. When unpacking, the only one.
    pub a: i64,
    /// Place of the packed bytes. When packing, vector `i` goes to `64 i`, the last one to the end.
    pub b: u64,
    /// When unpacking: which units of the window are stored. When packing from more than two windows:
    /// which units come from the third or fourth.
    pub mask: u64,
    /// For each unit of the result, the unit it comes from; those of a second (fourth) window follow
    /// those of the first (third). One entry is as wide as a unit, little-endian.
    pub index: [u8; 64],
}

impl Program {
    /// Where the vectors come from.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

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

    /// Place of the last window of a chain.
    #[must_use]
    pub fn last(&self) -> i64 {
        self.last
    }

    /// The permutations of a round, in packed order; at most 8.
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
    /// Bytes from the first to the end of the last, in memory.
    span: i64,
}

impl<'p> Period<'p> {
    /// Fails where vectors do not pay or do not work: large or far blocks, blocks out of order.
    pub(crate) fn new(parts: &'p [Part], stride: i64, byte_permute: bool) -> Option<Period<'p>> {
        let ends = |part: &Part| i64::try_from(part.length).ok()?.checked_add(part.a);
        let apart = parts.windows(2).all(|w| ends(&w[0]).is_some_and(|end| end <= w[1].a));
        let last = parts.last()?;
        let (bytes, span) = (last.b + last.length, ends(last)?);
        // Past four windows for a vector of packed bytes there is no program.
        let thin = count(index(stride.unsigned_abs())) > 4 * bytes.max(64);
        if !apart || span > stride || thin || bytes > MOST_BYTES {
            return None;
        }
        let words = stride % 4 == 0 && parts.iter().all(|p| p.length % 4 == 0 && p.a % 4 == 0);
        let unit = match (words, byte_permute) {
            (true, _) => 4,
            (false, true) => 1,
            (false, false) => return None,
        };
        Some(Period { parts, stride, bytes, unit, span })
    }

    /// Loads and stores that moving one period block by block takes.
    fn pieces(&self) -> u64 {
        let pieces = |length: u64| length / 32 + u64::from((length % 32).count_ones());
        self.parts.iter().map(|part| pieces(part.length)).sum()
    }

    /// What moving so many periods block by block costs. A period of several blocks is moved column
    /// by column, which touches every line several times.
    fn block_cost(&self, copies: u64) -> u64 {
        let columns = if self.parts.len() > 1 { 2 } else { 1 };
        copies.saturating_mul(self.pieces() * PIECE * columns)
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

    /// The program that packs, where there is one that should be faster than moving blocks. `most`
    /// is the number of periods to move.
    pub(crate) fn pack(&self, most: u64) -> Option<Program> {
        let mut best = None;
        let mut least = self.block_cost(most);
        for vectors in (1..=count(MOST_MOVES)).rev() {
            let copies = (64 * vectors / self.bytes).min(most);
            // Every vector is full, the last one may move bytes of the one before again.
            if copies * self.bytes <= 64 * (vectors - 1) || copies * self.bytes < 64 {
                continue;
            }
            let total = |form| most.div_ceil(copies).saturating_mul(vectors * cost(form) + ROUND);
            if total(Form::Chain) >= least {
                continue;
            }
            let Some(rounds) = self.rounds(copies, vectors) else { continue };
            if total(rounds.form) < least {
                least = total(rounds.form);
                best = Some(rounds);
            }
        }
        self.gather(&best?)
    }

    /// How rounds of so many periods and vectors are packed best. O(vectors + parts).
    fn rounds(&self, copies: u64, vectors: u64) -> Option<Rounds> {
        let span = self.stride * (copies.cast_signed() - 1) + self.span;
        let last = copies * self.bytes - 64;
        let ends = |v: u64| {
            let b = (64 * v).min(last);
            (self.place(b), self.place(b + 64 - self.unit) + self.unit.cast_signed())
        };
        let end = (span - WIDTH).min(WIDTH * vectors.cast_signed());
        let mut chain = end > WIDTH * (vectors.cast_signed() - 1);
        let mut widest = 0;
        for v in 0..vectors {
            let (low, high) = ends(v);
            let at = WIDTH * v.cast_signed();
            let second = if v + 1 == vectors { end } else { at + WIDTH };
            chain &= low >= at && high <= second + WIDTH;
            widest = widest.max(high - low);
        }
        let windows = u8::try_from((widest + WIDTH - 1) / WIDTH).ok()?.max(2);
        let form = if chain { Form::Chain } else { Form::Windows(windows) };
        let fits = chain || windows <= 4 && span >= WIDTH * i64::from(windows);
        fits.then_some(Rounds { form, copies, vectors, span })
    }

    /// Where the packed byte `b` of repeated periods lies in memory. O(parts).
    fn place(&self, b: u64) -> i64 {
        let (copy, rest) = (b / self.bytes, b % self.bytes);
        let part = self.parts.iter().rev().find(|part| part.b <= rest).unwrap_or(&self.parts[0]);
        self.stride * copy.cast_signed() + part.a + (rest - part.b).cast_signed()
    }

    /// The vectors of a round that packs; `None` where a unit is split between two windows.
    fn gather(&self, rounds: &Rounds) -> Option<Program> {
        let places = self.places(rounds.copies);
        let units = index(64 / self.unit);
        let end = (rounds.span - WIDTH).min(WIDTH * rounds.vectors.cast_signed());
        let mut moves = Vec::with_capacity(index(rounds.vectors));
        for v in 0..index(rounds.vectors) {
            let first = (v * units).min(places.len() - units);
            let vector = &places[first..first + units];
            let (a, second) = match rounds.form {
                Form::Windows(n) => {
                    let a = vector[0].min(rounds.span - WIDTH * i64::from(n));
                    (a, a + WIDTH)
                }
                _ if v + 1 == index(rounds.vectors) => (WIDTH * count(v).cast_signed(), end),
                _ => (WIDTH * count(v).cast_signed(), WIDTH * count(v + 1).cast_signed()),
            };
            let mut step = Move { a, b: count(first) * self.unit, mask: 0, index: [0; 64] };
            for (to, &place) in vector.iter().enumerate() {
                let (window, from) = if place + self.unit.cast_signed() <= a + WIDTH {
                    (0, place - a)
                } else if let Form::Windows(_) = rounds.form {
                    ((place - a) / WIDTH, (place - a) % WIDTH)
                } else {
                    (1, place - second)
                };
                let unit = self.unit.cast_signed();
                if from < 0 || from + unit > WIDTH {
                    return None;
                }
                step.mask |= u64::from(window >= 2) << to;
                step.set(to, (window % 2 * WIDTH + from) / unit, self.unit);
            }
            moves.push(step);
        }
        Some(self.program(rounds.form, rounds.copies, end, moves))
    }

    fn program(&self, form: Form, copies: u64, last: i64, moves: Vec<Move>) -> Program {
        Program {
            form,
            copies,
            stride: self.stride,
            bytes: self.bytes,
            unit: self.unit,
            last,
            moves: moves.into(),
        }
    }

    /// The program that unpacks, under the same conditions.
    pub(crate) fn unpack(&self, most: u64) -> Option<Program> {
        let (row, spread) = (self.windows(Form::Row, most), self.windows(Form::Spread, most));
        let (cost, form, copies) = [row, spread].into_iter().flatten().min_by_key(|best| best.0)?;
        (cost < self.block_cost(most)).then(|| self.spread(form, copies))
    }

    /// The cost and number of periods of the rounds of a form that unpack `most` periods best.
    /// O(windows + parts), at most.
    fn windows(&self, form: Form, most: u64) -> Option<(u64, Form, u64)> {
        // Whole vectors are loaded from the packed stream.
        let fewest = 64u64.div_ceil(self.bytes);
        let limit = if form == Form::Row { MOST_ROW } else { MOST_SPREAD };
        let mut best: Option<(u64, Form, u64)> = None;
        let (mut windows, mut end) = (0, 0);
        for copy in 0..most {
            for part in self.parts {
                let mut at = copy.cast_signed() * self.stride + part.a;
                let stop = at + part.length.cast_signed();
                while stop > end.max(at) {
                    // In a row a window follows the one before, wherever the blocks begin.
                    at = if form == Form::Row { end } else { at.max(end) };
                    end = at + WIDTH;
                    windows += 1;
                    if windows > limit {
                        return best;
                    }
                }
            }
            if copy + 1 >= fewest {
                let cost = most.div_ceil(copy + 1).saturating_mul(windows * cost(form) + ROUND);
                if best.is_none_or(|best| cost < best.0) {
                    best = Some((cost, form, copy + 1));
                }
            }
        }
        best
    }

    /// The windows of a round that unpacks.
    fn spread(&self, form: Form, copies: u64) -> Program {
        let places = self.places(copies);
        let unit = self.unit.cast_signed();
        let last = copies * self.bytes - 64;
        let (mut moves, mut first) = (Vec::with_capacity(MOST_MOVES), 0);
        while let Some(&place) = places.get(first) {
            let low =
                if form == Form::Row { WIDTH * count(moves.len()).cast_signed() } else { place };
            let b = (count(first) * self.unit).min(last);
            let mut step = Move { a: low, b, mask: 0, index: [0; 64] };
            let mut from = count(first) - b / self.unit;
            while let Some(&place) = places.get(first)
                && place + unit <= low + WIDTH
            {
                let to = ((place - low) / unit).unsigned_abs();
                step.mask |= 1 << to;
                step.set(index(to), from.cast_signed(), self.unit);
                from += 1;
                first += 1;
            }
            moves.push(step);
        }
        self.program(form, copies, 0, moves)
    }
}

/// A way to pack round by round.
struct Rounds {
    form: Form,
    copies: u64,
    vectors: u64,
    /// Bytes of a round in memory.
    span: i64,
}

impl Move {
    /// Unit `to` comes from unit `from`, which is below 128 and so needs one byte only.
    fn set(&mut self, to: usize, from: i64, unit: u64) {
        self.index[to * index(unit)] = u8::try_from(from).expect("two windows have 128 bytes");
    }
}

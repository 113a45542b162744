//! [`Period`]: which [`Program`]s there are for a repeated period of blocks, and the cheapest of
//! them.

use crate::number::{count, index};
use crate::program::{MOST_MOVES, Vector};
use crate::{Form, PeriodBlock, Program};

/// Bytes in a vector.
const WIDTH: i64 = 64;

/// [`MOST_MOVES`] when unpacking to adjacent windows: there are seven registers for their masks.
const MOST_ROW: u64 = 6;

/// The same for windows at places of their own, which take a register more each.
const MOST_SPREAD: u64 = 3;

/// Periods of more packed bytes are long runs or long programs, and cheaper block by block.
const MOST_BYTES: u64 = 64 * MOST_MOVES as u64;

/// The cost of moving one piece of a block (a load and a store), in tenths of a cycle. This and
/// the costs below were measured on Zen 5 in the first-level cache; past it every form waits for
/// memory.
const PIECE: u64 = 8;

/// The cost of a round beside its vectors.
const ROUND: u64 = 4;

/// The cost of a round that merges, beside its windows.
const MERGED: u64 = 16;

/// The cost of a vector, where rounds can be kept on the lines of memory and where they cannot.
fn cost(form: Form, lines: bool) -> u64 {
    match (form, lines) {
        (Form::Chain, true) => 15,
        (Form::Chain, false) => 19,
        (Form::Windows(2) | Form::Row, true) => 17,
        (Form::Gather, _) => 18,
        (Form::Merge, true) => 8,
        (Form::Merge, false) => 12,
        (Form::Windows(2) | Form::Row | Form::Spread, _) => 25,
        (Form::Windows(3), true) => 26,
        (Form::Windows(3), false) => 34,
        (Form::Windows(_), true) => 34,
        (Form::Windows(_), false) => 43,
    }
}

/// Blocks of a repeated period, known to be in ascending order without overlaps.
pub(crate) struct Period<'p> {
    parts: &'p [PeriodBlock],
    stride: i64,
    bytes: u64,
    unit: u64,
    /// Bytes from the first to the end of the last, in memory.
    span: i64,
}

impl<'p> Period<'p> {
    /// Fails where vectors do not pay or do not work: large or far blocks, blocks out of order.
    pub(crate) fn new(
        parts: &'p [PeriodBlock],
        stride: i64,
        byte_permute: bool,
    ) -> Option<Period<'p>> {
        let ends = |part: &PeriodBlock| i64::try_from(part.length).ok()?.checked_add(part.a);
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

    /// The pieces of a period of several blocks are moved one after the other over many periods,
    /// which touches every line several times.
    fn passes(&self) -> u64 {
        if self.parts.len() > 1 { 2 } else { 1 }
    }

    /// The cost of moving so many periods without vectors.
    fn block_cost(&self, copies: u64) -> u64 {
        copies.saturating_mul(self.pieces() * PIECE * self.passes())
    }

    /// Whether moving blocks keeps up with memory: past the caches plain stores then take 0.57 to
    /// 0.9 of the time of masked ones, both of every line (Zen 5, from 16 MB on; below 8 MB it is
    /// 1.1 to 7 times the time). With more pieces in as much memory it is 1.3 to 2 times.
    pub(crate) fn plain_stores(&self) -> bool {
        let stride = self.stride.unsigned_abs();
        stride <= WIDTH.unsigned_abs() && 3 * self.passes() * self.pieces() < stride
    }

    /// A round has at most so many vectors. Those of single bytes are four times as long to make.
    fn most_moves(&self) -> u64 {
        if self.unit == 1 { 4 } else { count(MOST_MOVES) }
    }

    /// Whether rounds of so many periods begin where the one before did in its line of 64 bytes.
    fn lines(&self, copies: u64) -> bool {
        self.stride * copies.cast_signed() % WIDTH == 0
    }

    /// The units of repeated periods from packed byte `b` on. O(log parts).
    fn walk(&self, b: u64) -> Walk<'_> {
        let (copy, rest) = (b / self.bytes, b % self.bytes);
        let part = match self.parts {
            [_] => 0,
            parts => parts.partition_point(|part| part.b <= rest) - 1,
        };
        let done = rest - self.parts[part].b;
        Walk { period: self, copy: self.stride * copy.cast_signed(), part, done }
    }

    /// The program that packs, where there is one that should be faster than moving blocks. `most`
    /// is the number of periods to move.
    pub(crate) fn pack(&self, most: u64) -> Option<Box<Program>> {
        let mut best = None;
        let mut least = self.block_cost(most);
        let whole = self.whole_vectors();
        for vectors in (1..=self.most_moves()).rev() {
            let copies = (64 * vectors / self.bytes).min(most);
            // Every vector is full, the last one may move bytes of the one before again.
            if copies * self.bytes <= 64 * (vectors - 1) || copies * self.bytes < 64 {
                continue;
            }
            let (lines, rounds) = (self.lines(copies), most.div_ceil(copies));
            let total = |form| rounds.saturating_mul(vectors * cost(form, lines) + ROUND);
            if total(Form::Chain) >= least {
                continue;
            }
            let Some(rounds) = self.rounds(&whole[index(vectors) - 1], copies, vectors) else {
                continue;
            };
            if total(rounds.form) < least {
                least = total(rounds.form);
                best = Some(rounds);
            }
        }
        let others = [self.windows(Form::Gather, most), self.windows(Form::Merge, most)];
        match others.into_iter().flatten().min_by_key(|best| best.0) {
            Some((cost, form, copies)) if cost < least => Some(self.spread(form, copies)),
            _ => best.map(|rounds| self.gather(&rounds)),
        }
    }

    /// The properties that the vectors before each one that may end a round share.
    fn whole_vectors(&self) -> [Whole; MOST_MOVES] {
        let mut all = [Whole { chain: true, widest: WIDTH + 1 }; MOST_MOVES];
        for v in 1..index(self.most_moves()) {
            let first = count(v - 1) * 64;
            let (low, high) = self.ends(first);
            let window = first.cast_signed();
            let chain = low >= window && high <= window + 2 * WIDTH;
            let Whole { chain: before, widest } = all[v - 1];
            all[v] = Whole { chain: before && chain, widest: widest.max(high - low) };
        }
        all
    }

    /// The first byte in memory and the end of the 64 packed bytes from `b` on.
    fn ends(&self, b: u64) -> (i64, i64) {
        (self.walk(b).place(), self.walk(b + 64 - self.unit).place() + self.unit.cast_signed())
    }

    /// How rounds of so many periods and vectors are packed best, `before` being what the vectors
    /// before the last have in common.
    fn rounds(&self, before: &Whole, copies: u64, vectors: u64) -> Option<Rounds> {
        let span = self.stride * (copies.cast_signed() - 1) + self.span;
        let mut rounds = Rounds { form: Form::Chain, copies, vectors, span };
        let end = rounds.end();
        let first = WIDTH * (vectors.cast_signed() - 1);
        let (low, high) = self.ends(copies * self.bytes - 64);
        let fits = end > first && low >= first && high <= end + WIDTH;
        if !(before.chain && fits) {
            let widest = before.widest.max(high - low);
            let windows = u8::try_from((widest + WIDTH - 1) / WIDTH).ok()?;
            rounds.form = Form::Windows(windows);
            // What does not fit in registers (a place of each vector, a mask where there are more
            // than two windows) takes a quarter more time than fewer vectors a round.
            let most = if windows == 2 { 6 } else { 5 };
            if windows > 4 || vectors > most || span < WIDTH * i64::from(windows) {
                return None;
            }
        }
        Some(rounds)
    }

    /// The vectors of a round that packs.
    fn gather(&self, rounds: &Rounds) -> Box<Program> {
        let &Rounds { form, copies, vectors, span } = rounds;
        let (units, shift) = (64 / self.unit, self.unit.trailing_zeros());
        let end = rounds.end();
        let mut program = Program::new(form, copies, self.stride, self.bytes, self.unit);
        program.end_at(end);
        for v in 0..vectors {
            let b = (64 * v).min(copies * self.bytes - 64);
            let mut walk = self.walk(b);
            let a = match form {
                Form::Windows(n) => walk.place().min(span - WIDTH * i64::from(n)),
                _ => WIDTH * v.cast_signed(),
            };
            // In the last window of a chain, places count from its own beginning.
            let last = form == Form::Chain && v + 1 == vectors;
            let behind = if last { a + WIDTH - end } else { 0 };
            let mut vector = Vector::new(self.unit);
            let mut to = 0;
            while to < units {
                // Stretches in one window each.
                let from = walk.place() - a;
                let room = (WIDTH - from % WIDTH).unsigned_abs() >> shift;
                let adjacent = walk.take(room.min(units - to));
                let byte = if from < WIDTH { from } else { from + behind };
                vector.put(to, adjacent, byte.cast_unsigned());
                if byte >= 2 * WIDTH {
                    vector.mark(to, adjacent);
                }
                to += adjacent;
            }
            program.push(a, b, &vector);
        }
        program
    }

    /// The program that unpacks, under the same conditions.
    pub(crate) fn unpack(&self, most: u64) -> Option<Box<Program>> {
        let (row, spread) = (self.windows(Form::Row, most), self.windows(Form::Spread, most));
        let (cost, form, copies) = [row, spread].into_iter().flatten().min_by_key(|best| best.0)?;
        (cost < self.block_cost(most)).then(|| self.spread(form, copies))
    }

    /// The cost and number of periods of the rounds of a form with one window a vector that move
    /// `most` periods best. O(windows + parts), at most.
    fn windows(&self, form: Form, most: u64) -> Option<(u64, Form, u64)> {
        // Whole vectors are loaded from the packed stream.
        let (fewest, limit) = match form {
            Form::Gather => (1, MOST_SPREAD),
            Form::Merge => (1, count(MOST_MOVES)),
            Form::Row => (64u64.div_ceil(self.bytes), MOST_ROW.min(self.most_moves())),
            _ => (64u64.div_ceil(self.bytes), MOST_SPREAD),
        };
        let round = if form == Form::Merge { MERGED } else { ROUND };
        let mut best: Option<(u64, Form, u64)> = None;
        let (mut windows, mut end) = (0, 0);
        for copy in 0..most {
            if form == Form::Merge && (copy + 1) * self.bytes > 64 {
                return best;
            }
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
            let wide = form != Form::Merge || self.stride * copy.cast_signed() + self.span >= WIDTH;
            if copy + 1 >= fewest && wide {
                let each = windows * cost(form, self.lines(copy + 1)) + round;
                let cost = most.div_ceil(copy + 1).saturating_mul(each);
                if best.is_none_or(|best| cost < best.0) {
                    best = Some((cost, form, copy + 1));
                }
            }
        }
        best
    }

    /// The windows of a round of a form with one window a vector.
    fn spread(&self, form: Form, copies: u64) -> Box<Program> {
        let (bytes, shift) = (copies * self.bytes, self.unit.trailing_zeros());
        let span = self.stride * (copies.cast_signed() - 1) + self.span;
        let mut program = Program::new(form, copies, self.stride, self.bytes, self.unit);
        let mut walk = self.walk(0);
        let (mut row, mut packed) = (0, 0);
        while packed < bytes {
            let low = match form {
                Form::Row => row,
                // Whole windows are loaded.
                Form::Merge => walk.place().min(span - WIDTH),
                _ => walk.place(),
            };
            row += WIDTH;
            // Whole vectors of the packed stream are loaded: the last ones end with its last byte.
            let b = match form {
                Form::Gather => packed,
                Form::Merge => 0,
                _ => packed.min(bytes.saturating_sub(64)),
            };
            let mut vector = Vector::new(self.unit);
            while packed < bytes {
                let here = walk.place() - low;
                if here >= WIDTH {
                    break;
                }
                let room = (WIDTH - here).unsigned_abs() >> shift;
                let adjacent = walk.take(room);
                let (here, there) = (here.unsigned_abs(), packed - b);
                let (from, to) = match form {
                    Form::Gather | Form::Merge => (here, there),
                    _ => (there, here),
                };
                vector.put(to >> shift, adjacent, from);
                // Masks are of what is scattered: windows, but where these merge, packed bytes.
                let masked = if form == Form::Merge { there } else { here };
                vector.mark(masked >> shift, adjacent);
                packed += adjacent << shift;
            }
            program.push(low, b, &vector);
        }
        program
    }
}

/// A place among the units of repeated periods.
struct Walk<'p> {
    period: &'p Period<'p>,
    /// Where the period begins in memory.
    copy: i64,
    /// The part, and how many of its bytes lie before the place.
    part: usize,
    done: u64,
}

impl Walk<'_> {
    /// Where the next unit lies in memory.
    fn place(&self) -> i64 {
        self.copy + self.period.parts[self.part].a + self.done.cast_signed()
    }

    /// Passes units that are adjacent in memory, at most `most`; returns how many.
    #[inline]
    fn take(&mut self, most: u64) -> u64 {
        let Period { parts, stride, unit, .. } = self.period;
        let left = (parts[self.part].length - self.done) >> unit.trailing_zeros();
        if left > most {
            self.done += most * unit;
            return most;
        }
        (self.part, self.done) = (self.part + 1, 0);
        if self.part == parts.len() {
            (self.part, self.copy) = (0, self.copy + stride);
        }
        left
    }
}

/// The properties that the first vectors of a round share.
#[derive(Clone, Copy)]
struct Whole {
    /// Each fits in two windows of a row.
    chain: bool,
    /// Bytes of memory that one of them spans at most.
    widest: i64,
}

/// A way to pack round by round.
struct Rounds {
    form: Form,
    copies: u64,
    vectors: u64,
    /// Bytes of a round in memory.
    span: i64,
}

impl Rounds {
    /// Place of the last window of a chain: it ends with the last byte of the round at the latest.
    fn end(&self) -> i64 {
        (self.span - WIDTH).min(WIDTH * self.vectors.cast_signed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(blocks: &[(i64, u64)], stride: i64) -> bool {
        let mut b = 0;
        let parts: Vec<PeriodBlock> = blocks
            .iter()
            .map(|&(a, length)| {
                b += length;
                PeriodBlock { a, b: b - length, length }
            })
            .collect();
        Period::new(&parts, stride, true).expect("ascending").plain_stores()
    }

    #[test]
    fn far_out_plain_stores_are_for_few_pieces_in_much_memory() {
        assert!(plain(&[(0, 2)], 4));
        assert!(plain(&[(0, 3)], 7));
        assert!(plain(&[(0, 8)], 24));
        assert!(plain(&[(0, 4), (8, 4)], 16));
        assert!(!plain(&[(0, 1)], 3));
        assert!(!plain(&[(0, 3), (4, 5), (11, 2)], 16));
        assert!(!plain(&[(0, 40)], 120));
    }
}

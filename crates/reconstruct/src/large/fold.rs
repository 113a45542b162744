//! Folds rows of a line into single tokens.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::line::Line;
use super::rows::Row;
use crate::ReconstructError;
use crate::forms::{Forms, shift_price};
use crate::num::count;
use crate::path;
use crate::prices::Prices;
use crate::repeat::repeat;
use crate::sequence::Sequence;

/// Blocks of at most so many tokens are solved exactly.
const EXACT_BLOCK: usize = 64;

/// What tokens cost where they stand, summed up: an entry of a list after an equal one, a part and a
/// list of its own otherwise. An estimate that decides which rows are folded.
pub(super) struct Estimate<'a> {
    prices: &'a Prices,
    sums: Vec<u64>,
}

impl<'a> Estimate<'a> {
    pub(super) fn new(line: &Line, prices: &'a Prices) -> Self {
        let mut sums = vec![0u64];
        for t in 0..line.len() {
            let price = match t {
                0 => part(line.atom(t), prices),
                _ if line.atoms[t] == line.atoms[t - 1] => prices.model.lookup,
                _ => part(line.atom(t), prices),
            };
            sums.push(sums[t].saturating_add(price));
        }
        Estimate { prices, sums }
    }

    fn tokens(&self, from: usize, to: usize) -> u64 {
        self.sums[to] - self.sums[from]
    }

    /// Fewest tokens that may be worth a vec of their own: their entries, against two parts.
    pub(super) fn least(prices: &Prices) -> usize {
        let model = &prices.model;
        let parts = model.lookup.saturating_mul(2).saturating_add(model.leaf).saturating_mul(2);
        let cost = prices.vec().saturating_add(parts);
        usize::try_from(cost / model.lookup).unwrap_or(usize::MAX).max(3)
    }

    /// What is saved by folding, if anything.
    fn saving(&self, line: &Line, row: &Row) -> u64 {
        let (from, blocks) = (row.begin(line), row.blocks(line));
        let block = match row.period {
            1 => line.atom(from).plain.cost,
            q => part(line.atom(from), self.prices).saturating_add(self.tokens(from + 1, from + q)),
        };
        let entry = self.prices.model.lookup.saturating_mul(2);
        let node = match row.begins {
            None => self.prices.vec(),
            Some(_) => {
                let buckets = self.prices.idxbuc(1 + row.breaks).unwrap_or(u64::MAX);
                self.prices.idx(blocks).min(buckets)
            }
        };
        // The list at hand ends here and another one begins behind.
        let broken = part(line.atom(from), self.prices);
        let folded = [node, block, entry, broken].into_iter().fold(0, u64::saturating_add);
        self.tokens(from, from + blocks * row.period).saturating_sub(folded)
    }
}

impl Row {
    /// Where the first block begins: behind the free junction; in a strided row, where the line
    /// jumps farthest among the places that lose no block.
    fn begin(&self, line: &Line) -> usize {
        if let Some(begins) = self.begins {
            return begins;
        }
        let slack = (self.to - self.from) % self.period;
        let jump = |t: usize| if t == 0 { u64::MAX } else { line.step(t - 1).unsigned_abs() };
        let places = self.from..=self.from + slack;
        places.max_by_key(|&t| (jump(t), Reverse(t))).unwrap_or(self.from)
    }

    /// Whole blocks in the row.
    fn blocks(&self, line: &Line) -> usize {
        (self.to - self.begin(line)) / self.period
    }

    /// The part `from..to` of the row, if it has two blocks.
    fn part(&self, from: usize, to: usize) -> Option<Row> {
        let q = self.period;
        // The next place where a block begins.
        let begins =
            self.begins.map(|b| if from <= b { b } else { b + (from - b).div_ceil(q) * q });
        let tokens = to.checked_sub(begins.unwrap_or(from))?;
        (tokens >= 2 * q).then_some(Row { from, to, begins, ..*self })
    }
}

/// An atom as a part of a strc, alone in its list.
fn part(atom: &Forms, prices: &Prices) -> u64 {
    let entry = prices.model.lookup.saturating_mul(2);
    atom.plain.cost.saturating_add(entry).saturating_add(shift_price(prices))
}

/// Rows that do not overlap, those that save most per token first; others in the way are cut.
pub(super) fn choose(line: &Line, rows: Vec<Row>, prices: &Prices) -> Vec<Row> {
    let estimate = Estimate::new(line, prices);
    let saving = |row: &Row| estimate.saving(line, row);
    let mut ranked: Vec<(u64, Row)> = rows.into_iter().map(|r| (saving(&r), r)).collect();
    ranked.retain(|(saved, _)| *saved > 0);
    // By what is saved per token, in parts of 2^16: long rows and good ones come first.
    let share = |saved: u64, row: &Row| {
        saved.saturating_mul(1 << 16) / count(row.blocks(line) * row.period)
    };
    ranked.sort_by_cached_key(|(saved, row)| {
        (Reverse(share(*saved, row)), row.period, row.from, row.to)
    });
    let mut chosen: BTreeMap<usize, Row> = BTreeMap::new();
    for (saved, row) in ranked {
        if let Some(free) = free_part(&chosen, &row) {
            let cut = if free == row { saved } else { saving(&free) };
            if cut > 0 {
                // What is left over beside whole blocks stays free for other rows.
                let from = free.begin(line);
                let to = from + free.blocks(line) * free.period;
                chosen.insert(from, Row { from, to, ..free });
            }
        }
    }
    chosen.into_values().collect()
}

/// The longest part of `row` that no chosen row covers, if it has two blocks.
fn free_part(chosen: &BTreeMap<usize, Row>, row: &Row) -> Option<Row> {
    let mut from = row.from;
    if let Some((_, before)) = chosen.range(..=from).next_back() {
        from = from.max(before.to);
    }
    if from >= row.to {
        return None;
    }
    let mut longest = (from, from);
    for (_, other) in chosen.range(from..row.to) {
        if other.from - from > longest.1 - longest.0 {
            longest = (from, other.from);
        }
        from = other.to;
    }
    if row.to > from && row.to - from > longest.1 - longest.0 {
        longest = (from, row.to);
    }
    row.part(longest.0, longest.1)
}

/// The line with each of `rows` (in order, apart) as one token, and what is left of it as before.
pub(super) fn fold(
    line: &Line,
    rows: &[Row],
    prices: &Prices,
    mut solve_block: impl FnMut(Line) -> Result<Forms, ReconstructError>,
) -> Result<Line, ReconstructError> {
    let mut folded = line.emptied();
    let mut known: HashMap<Vec<(i64, u32)>, Forms> = HashMap::new();
    let mut done = 0;
    for row in rows {
        let q = row.period;
        let (from, blocks) = (row.begin(line), row.blocks(line));
        let origin = line.starts[from];
        let tokens = (from..from + q).map(|t| (line.starts[t] - origin, line.atoms[t]));
        let tokens: Vec<(i64, u32)> = tokens.collect();
        let block = match known.get(&tokens) {
            Some(block) => block.clone(),
            None => {
                let block = if q <= EXACT_BLOCK {
                    line.tree(from, from + q, prices)?
                } else {
                    let mut part = line.emptied();
                    part.copy(line, from, from + q);
                    solve_block(part)?
                };
                known.insert(tokens, block.clone());
                block
            }
        };
        folded.copy(line, done, from);
        let end = from + blocks * q;
        let row = if row.begins.is_none() {
            repeat(count(blocks), line.starts[from + q] - origin, &block, prices)?
        } else {
            let starts: Vec<i64> = line.starts[from..end].iter().step_by(q).copied().collect();
            path::solve(Sequence::new(&starts)?, &block, prices)?
        };
        folded.push(origin, &row);
        done = end;
    }
    folded.copy(line, done, line.len());
    Ok(folded)
}

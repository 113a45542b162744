//! Blocks that are not like the others: where a message is read, written or cut at a wrong place,
//! a collective operation can still do the same, with an address or a length of its own for that
//! process.

use std::collections::HashMap;

use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective};
use crate::ids::Process;
use crate::number::{at, count, id};

/// A deviation from what its neighbours do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Oddity {
    /// Where a block is read.
    Read,
    /// Where a block is written.
    Written,
    /// How long a block is.
    Length,
}

/// A block that is out of line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OddBlock {
    /// The deviation.
    pub what: Oddity,
    /// Whose bytes.
    pub source: Process,
    /// Who gets them, and where; none for a contribution to a reduction.
    pub destination: Option<(Process, u64)>,
    /// The address or length that is odd, in bytes.
    pub given: u64,
    /// The number that would fit.
    pub expected: u64,
}

/// The blocks of an operation that are out of line, if most are in line. Linear in its addresses.
pub(crate) fn blocks(collective: &Collective) -> Vec<OddBlock> {
    let n = collective.group.size();
    let mut found = Vec::new();
    // Number `k` of a row belongs to a block that goes from one rank to another, or to nowhere in
    // particular. A root that leaves its own block out has a length of zero.
    let root = collective.root.and_then(|root| collective.group.rank(root));
    let left_out = root.filter(|_| !collective.own);
    let mut look = |what, row: &Addresses, block: &dyn Fn(u32) -> (u32, Option<(u32, u64)>)| {
        let skip = left_out.filter(|_| what == Oddity::Length);
        for (k, given, expected) in out_of_line(row, n, skip) {
            // That the last block is another length is how most divide.
            if what == Oddity::Length && k + 1 == n {
                continue;
            }
            let (source, to) = block(k);
            let destination = to.and_then(|(j, a)| Some((collective.group.process(j)?, a)));
            if let Some(source) = collective.group.process(source) {
                found.push(OddBlock { what, source, destination, given, expected });
            }
        }
    };
    match &collective.blocks {
        Blocks::Rooted { from, to, lengths } => {
            let root = root.unwrap_or(0);
            let block = |k| match collective.kind.gathers() {
                true => (k, Some((root, to.get(at(k))))),
                false => (root, Some((k, to.get(at(k))))),
            };
            look(Oddity::Read, from, &block);
            look(Oddity::Written, to, &block);
            look(Oddity::Length, lengths, &block);
        }
        Blocks::Gathered { from, to, lengths } => {
            let next = |i: u32| if i + 1 == n { 0 } else { i + 1 };
            let to_next = |i| (i, to.get(at(next(i))).map(|row| (next(i), row.get(at(i)))));
            look(Oddity::Read, from, &to_next);
            look(Oddity::Length, lengths, &to_next);
            for (j, row) in (0..n).zip(to) {
                look(Oddity::Written, row, &|i| (i, Some((j, row.get(at(i))))));
            }
        }
        Blocks::Exchanged { from, to, lengths } => {
            let block = |i, j| (i, to.get(at(j)).map(|row| (j, row.get(at(i)))));
            for (i, row) in (0..n).zip(from) {
                look(Oddity::Read, row, &|j| block(i, j));
            }
            for (j, row) in (0..n).zip(to) {
                look(Oddity::Written, row, &|i| block(i, j));
            }
            for (i, row) in (0..n).zip(lengths) {
                look(Oddity::Length, row, &|j| block(i, j));
            }
        }
        Blocks::Reduced { from, to, lengths, offsets, .. } => {
            let result = |j| (j, Some((j, to.get(at(j)))));
            look(Oddity::Read, from, &|i| (i, None));
            look(Oddity::Written, to, &result);
            look(Oddity::Read, offsets, &result);
            look(Oddity::Length, lengths, &result);
        }
        Blocks::None | Blocks::Neighbors { .. } => {}
    }
    // Rotated blocks are out of line everywhere.
    if count(found.len()) > u64::from(n) { Vec::new() } else { found }
}

/// The places of a row that are not on the line of at least three quarters of all but `skip`:
/// place, number, number on the line.
fn out_of_line(row: &Addresses, n: u32, skip: Option<u32>) -> Vec<(u32, u64, u64)> {
    let Addresses::Listed(all) = row else { return Vec::new() };
    if n < 5 || all.len() != at(n) {
        return Vec::new();
    }
    let looked: Vec<usize> = (0..all.len()).filter(|k| Some(id(*k)) != skip).collect();
    let apart = |w: &[usize]| (w[1] - w[0] == 1).then(|| all[w[1]].wrapping_sub(all[w[0]]));
    let intercept = |step: u64, k: usize| all[k].wrapping_sub(step.wrapping_mul(count(k)));
    let line = |step: u64| {
        let start = most_common(looked.iter().map(|k| intercept(step, *k)));
        let is_odd = |k: &usize| intercept(step, *k) != start;
        (looked.iter().copied().filter(is_odd).collect::<Vec<usize>>(), start, step)
    };
    // In a short row, one number that is odd may be part of most steps.
    let steps = [most_common(looked.windows(2).filter_map(apart)), 0];
    let Some((odd, start, step)) = steps.map(line).into_iter().min_by_key(|(odd, ..)| odd.len())
    else {
        return Vec::new();
    };
    if odd.len() * 4 > looked.len() {
        return Vec::new();
    }
    let line = |k: usize| start.wrapping_add(step.wrapping_mul(count(k)));
    // Blocks that start with that of another process are in line after all.
    let around = step.wrapping_mul(u64::from(n));
    let rotated = |k: usize| [line(k).wrapping_sub(around), line(k).wrapping_add(around)];
    let odd = odd.into_iter().filter(|k| step == 0 || !rotated(*k).contains(&all[*k]));
    odd.map(|k| (id(k), all[k], line(k))).collect()
}

fn most_common(values: impl Iterator<Item = u64>) -> u64 {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    counts.into_iter().max_by_key(|(value, n)| (*n, *value)).map_or(0, |(value, _)| value)
}

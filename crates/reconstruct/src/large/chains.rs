//! From ranges to chains of equal blocks, and to the places where a line may be cut.
//!
//! A *chain* of period q is a sequence of places x, x+q, .. with equal blocks of q tokens; a
//! *link* is a place of it with an equal block behind. In a range that is longer than a block,
//! blocks may begin at several *rotations*; tried are: the start of the range, the place from
//! which the last block ends with the range, all letter borders in the first period if they are
//! few, else those behind the farthest steps. A chain goes on from one range to the next of the
//! same period only where the one step that differs lies between two blocks: so the first two are
//! all that matter there.
//!
//! Cuts are the borders of letters (where there are very many, of those of two steps or more), of
//! stretches of one atom, and of all blocks in chains.

use rustc_hash::FxHashMap;

use super::cuts::Cuts;
use super::letters::Letters;
use super::ranges::Range;
use crate::num::{at, place};

/// Rotations of a range by letter borders: as many as make no more links than twice the tokens.
const BORDERS: [usize; 4] = [16, 6, 2, 0];
/// So many letters all make cuts.
pub(super) const EVERY_LETTER: usize = 1 << 16;
/// Links that are always affordable.
const ALWAYS: usize = 1 << 16;

/// Equal blocks of `period` tokens.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain {
    pub period: u32,
    pub links: u32,
}

/// Chains, the cuts that they and the letters make, and which chains have a link at each cut.
pub(super) struct Chains {
    pub chains: Vec<Chain>,
    pub cuts: Cuts,
    /// For each cut where its links begin in `links`.
    first: Vec<u32>,
    links: Vec<u32>,
}

impl Chains {
    /// `ranges` by period and place; `starts` are those of the tokens.
    pub(super) fn new(letters: &Letters<'_>, ranges: &[Range], starts: &[i64]) -> Chains {
        let mut cuts = Cuts::new(starts.len());
        // Between many letters only the longer ones make cuts: a list has no reason to end at
        // others.
        let shortest = if letters.len() <= EVERY_LETTER { 1 } else { 2 };
        for k in (0..letters.len()).filter(|&k| letters.length(k) >= shortest) {
            cuts.insert(letters.start(k));
            cuts.insert(letters.start(k) + 1);
            cuts.insert(letters.start(k + 1));
            cuts.insert(letters.start(k + 1) + 1);
        }
        for t in (1..starts.len()).filter(|&t| letters.changes_atom(t)) {
            cuts.insert(place(t));
        }
        let mut chains: Vec<Chain> = Vec::new();
        // Chains of the period at hand by the place of the link with which they would go on.
        let (mut open, mut period): (FxHashMap<u32, u32>, u32) = (FxHashMap::default(), 0);
        let mut pieces: Vec<(u32, u32, u32, u32)> = Vec::new();
        let borders = affordable(letters, ranges, starts);
        for range in ranges {
            let q = range.period;
            if q != period {
                (open, period) = (FxHashMap::default(), q);
            }
            for x in rotations(letters, range, starts, borders) {
                let chain = open.remove(&x).unwrap_or_else(|| {
                    chains.push(Chain { period: q, links: 0 });
                    place(chains.len() - 1)
                });
                let links = links(range, x);
                chains[at(chain)].links += links;
                let last = x + (links - 1) * q;
                open.insert(last + q, chain);
                pieces.push((chain, q, x, last));
                for y in (x..=last + 2 * q).step_by(at(q)) {
                    cuts.insert(y);
                }
            }
        }
        cuts.number();
        let (first, links) = by_cut(&cuts, &pieces);
        Chains { chains, cuts, first, links }
    }

    /// The chains with a link at cut `number`.
    pub(super) fn at(&self, number: usize) -> &[u32] {
        &self.links[at(self.first[number])..at(self.first[number + 1])]
    }
}

/// Links sorted by their cut: counted, then placed.
fn by_cut(cuts: &Cuts, pieces: &[(u32, u32, u32, u32)]) -> (Vec<u32>, Vec<u32>) {
    let links = || {
        pieces.iter().flat_map(|&(chain, q, x, last)| {
            (x..=last).step_by(at(q)).map(move |y| (cuts.before(y), chain))
        })
    };
    let mut first = vec![0u32; cuts.len() + 1];
    for (cut, _) in links() {
        first[cut + 1] += 1;
    }
    for cut in 0..cuts.len() {
        first[cut + 1] += first[cut];
    }
    let mut next = first.clone();
    let mut sorted = vec![0; at(first[cuts.len()])];
    for (cut, chain) in links() {
        sorted[at(next[cut])] = chain;
        next[cut] += 1;
    }
    (first, sorted)
}

/// Links of a chain in a range, from `x` on.
fn links(range: &Range, x: u32) -> u32 {
    (range.last() - x) / range.period + 1
}

/// The most borders that make no more links than twice the tokens.
fn affordable(letters: &Letters<'_>, ranges: &[Range], starts: &[i64]) -> usize {
    let affordable = |borders: &usize| {
        let mut all = 0;
        ranges.iter().all(|range| {
            let chains = rotations(letters, range, starts, *borders);
            all += chains.iter().map(|&x| at(links(range, x))).sum::<usize>();
            all <= (2 * starts.len()).max(ALWAYS)
        })
    };
    let [least @ .., none] = BORDERS;
    least.into_iter().find(affordable).unwrap_or(none)
}

/// The places in the first period of a range where blocks begin.
fn rotations(letters: &Letters<'_>, range: &Range, starts: &[i64], most: usize) -> Vec<u32> {
    let q = range.period;
    let mut rotations = vec![range.from];
    let mut add = |x: u32| {
        if x <= range.last() && !rotations.contains(&x) {
            rotations.push(x);
        }
    };
    add(range.from + (range.to + 1 - range.from) % q);
    if most == 0 {
        return rotations;
    }
    let end = range.last().min(range.from + q - 1);
    let mut borders: Vec<u32> = Vec::new();
    let first = if range.from == 0 { 0 } else { letters.of_step(range.from - 1) };
    for k in first..letters.len() {
        let (early, late) = (letters.start(k) + 1, letters.start(k + 1));
        if early > end || borders.len() > 64 {
            break;
        }
        let inside = |x: &u32| (range.from..=end).contains(x);
        borders.extend([early, late].into_iter().filter(inside));
    }
    borders.dedup();
    if borders.len() > most {
        let jump = |x: &u32| (starts[at(*x)] - starts[at(*x) - 1]).unsigned_abs();
        borders.sort_by_key(|x| std::cmp::Reverse(jump(x)));
        borders.truncate(most);
    }
    borders.into_iter().for_each(add);
    rotations
}

//! Proven lower bounds on the cost of any type tree, for any cost model:
//! book/src/explanation/lower-bounds.md has the theorems and their proofs.
//!
//! | file | what |
//! |---|---|
//! | `slots` | theorem 1: as many slots as different steps |
//! | `repeats` | lemma 6: where equal blocks follow each other; `fingerprint` finds them |
//! | `cover` | theorem 2: the least price of parts that cover the sequence |
//! | `blocks` | theorem 4: the same for blocks of repeats; `stabbing` lists the repeats around |
//! | `spine` | theorem 3: the chain of path nodes at the root |
//! | `strides`, `buckets` | the price of an idxbuc, over all strides |
//! | `tariff` | what nodes cost |
//!
//! Time O(n log n) for fingerprints, O(r log n) for r = O(n) repeats, and a limited amount of work
//! for blocks. Space: 8 n bytes for fingerprints and at most about as much for repeats.

mod blocks;
mod buckets;
mod cover;
mod fingerprint;
mod repeats;
mod slots;
mod spine;
mod stabbing;
mod strides;
mod tariff;

use rustc_hash::FxHashMap;

use crate::prices::Prices;
use crate::sequence::Sequence;
use blocks::Collision;
use cover::{Priced, least_parts};
use fingerprint::Fingerprints;
use repeats::{Packed, repeats};
use tariff::Tariff;

/// Elements that may be looked at to price blocks, for each element and in any case.
const WORK: usize = 4;
const LEAST_WORK: usize = 1 << 20;

/// No tree for `sequence` costs less. A bound of `enough` is not raised any further.
pub(crate) fn lower_bound(sequence: Sequence<'_>, prices: &Prices, enough: u64) -> u64 {
    let tariff = Tariff::new(prices);
    let by_slots = slots::least_cost(sequence, &tariff);
    if by_slots >= enough || u32::try_from(sequence.len()).is_err() {
        return by_slots;
    }
    by_parts(sequence.starts, &tariff).map_or(by_slots, |by_parts| by_parts.max(by_slots))
}

/// By the parts of strc nodes (theorems 2, 3 and 4).
fn by_parts(starts: &[i64], tariff: &Tariff) -> Result<u64, Collision> {
    by_parts_of_prefix(starts, starts.len(), tariff)
}

/// The same with the repeats of the first `known` elements, at least two, or fewer (lemma 4).
fn by_parts_of_prefix(starts: &[i64], known: usize, tariff: &Tariff) -> Result<u64, Collision> {
    let mut prints = Fingerprints::new(starts);
    let lengths = spine::repeated_lengths(&prints);
    prints.truncate(known);
    let found = repeats_of_prefix(starts, &mut prints);
    let known = &starts[..=prints.len()];
    let mut repeats = linked(&found, tariff)?;
    drop(found);
    blocks::price(known, &prints, &mut repeats, tariff, WORK * starts.len() + LEAST_WORK)?;
    drop(prints);
    let parts = several_parts(known, &repeats, tariff, &lengths);
    Ok(spine::least_cost(starts, &lengths, &parts, tariff))
}

/// The least price of two or more parts of the first so many elements, for each of `lengths`; for
/// those past `known` that of half of `known` (lemma 4).
fn several_parts(
    known: &[i64],
    repeats: &[Priced],
    tariff: &Tariff,
    lengths: &[usize],
) -> Vec<u64> {
    let within = |&q: &usize| if q > known.len() { known.len() / 2 } else { q };
    let mut at: Vec<usize> = lengths.iter().map(within).filter(|&q| q >= 2).collect();
    at.sort_unstable();
    at.dedup();
    let parts = least_parts(known, repeats, tariff, &at);
    let of = |q| at.binary_search(&within(q)).map_or(0, |k| parts[k].more);
    lengths.iter().map(of).collect()
}

/// The repeats of the longest prefix, of all that has fingerprints, half of it, a quarter, ..,
/// that has few enough of them. Those fingerprints are kept.
fn repeats_of_prefix(starts: &[i64], prints: &mut Fingerprints) -> Vec<Packed> {
    let n = starts.len();
    // Below a million elements room for nearly all; above, for memory as much as the sequence.
    let most = (n / 8).max((n / 2).min(1 << 20)) + (1 << 16);
    loop {
        let known = prints.len() + 1;
        if let Some(found) = repeats(&starts[..known], prints, most) {
            return found;
        }
        prints.truncate(known / 2);
    }
}

/// The repeats with the least price of any blocks, and which of them follow each other.
fn linked(repeats: &[Packed], tariff: &Tariff) -> Result<Vec<Priced>, Collision> {
    let mut linked: Vec<Priced> = Vec::with_capacity(repeats.len());
    let mut last: FxHashMap<usize, usize> = FxHashMap::default();
    for (k, &packed) in repeats.iter().enumerate() {
        let repeat = packed.get();
        let before = last.insert(repeat.period, k);
        if before.is_some_and(|b| repeats[b].get().end >= repeat.start) {
            return Err(Collision);
        }
        let before = before.filter(|&b| repeats[b].get().end + 1 == repeat.start);
        if let Some(b) = before {
            linked[b].after = true;
        }
        let block = tariff.pair();
        linked.push(Priced { packed, block, before: before.is_some(), after: false });
    }
    Ok(linked)
}

#[cfg(test)]
mod tests;

//! As many places in the tree as there are different steps (book/src/explanation/lower-bounds.md,
//! theorem 1).
//!
//! Every step is made at one *slot*: the node, and the junction of neighbouring copies or parts of
//! it, where the paths from the root to the two elements part. All steps made at one slot are
//! equal, with the stride of a vec or of an idxbuc as one slot. So there are at least as many
//! slots as different steps, and every slot has its price.

use super::tariff::Tariff;
use crate::sequence::Sequence;

/// No tree for `sequence`, moved to zero, costs less. O(n) time, at most 4 n bytes.
pub(super) fn least_cost(sequence: Sequence<'_>, tariff: &Tariff) -> u64 {
    let slots = different_steps(sequence);
    let vecs = tariff.vec.saturating_mul(slots);
    let strc = tariff.strc.saturating_add(tariff.part).saturating_add(tariff.leaf);
    let fixed = tariff.list(1).min(tariff.idxbuc).min(strc);
    let each = tariff.vec.min(tariff.entry).min(tariff.bucket);
    let lists = fixed.saturating_add(each.saturating_mul(slots));
    tariff.leaf.saturating_add(vecs.min(lists))
}

/// At most the number of different steps: steps that share a bit of the table count once.
fn different_steps(sequence: Sequence<'_>) -> u64 {
    /// 2^64 over the golden ratio: spreads equally spaced steps evenly.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let bits = (16 * sequence.len()).next_power_of_two().max(64).trailing_zeros();
    let mut table = vec![0u64; 1 << (bits - 6)];
    for step in sequence.steps() {
        let bit = u64::from_ne_bytes(step.to_ne_bytes()).wrapping_mul(SPREAD) >> (64 - bits);
        let word = usize::try_from(bit >> 6).expect("the table fits in memory");
        table[word] |= 1 << (bit & 63);
    }
    table.iter().map(|w| u64::from(w.count_ones())).sum()
}

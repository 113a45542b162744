//! The same transfers in fewer, or in more, pieces.

use crate::transfers::Transfer;

/// Joins transfers of neighbouring bytes, in place; they are sorted by destination and address. Back
/// come the places where they were joined: source and address there.
pub(crate) fn joined(transfers: &mut Vec<Transfer>) -> Vec<(u32, u64)> {
    let mut seams = Vec::new();
    transfers.dedup_by(|next, kept| {
        let follows = kept.absorb(next);
        if follows {
            seams.push((next.source, next.source_address));
        }
        follows
    });
    seams
}

/// Cuts transfers wherever another one from the same memory starts or ends, and at `seams`: blocks that lie
/// side by side by accident come apart. `None` where that changes nothing, or makes more than eight times as
/// many.
///
/// Destinations are disjoint, so cuts spread through sources only, and one pass finds all.
pub(crate) fn refined(transfers: &[Transfer], mut seams: Vec<(u32, u64)>) -> Option<Vec<Transfer>> {
    let limit = transfers.len().saturating_mul(8).saturating_add(1024);
    for t in transfers {
        seams.push((t.source, t.source_address));
        seams.push((t.source, t.source_address + t.length));
    }
    seams.sort_unstable();
    seams.dedup();
    let mut pieces = Vec::with_capacity(transfers.len());
    for t in transfers {
        let mut from = 0;
        let inside = seams.partition_point(|seam| *seam <= (t.source, t.source_address));
        let inside = seams[inside..].iter();
        for (_, cut) in inside.take_while(|seam| **seam < (t.source, t.source_address + t.length)) {
            pieces.push(t.part(from, cut - t.source_address));
            from = cut - t.source_address;
        }
        pieces.push(t.part(from, t.length));
        if pieces.len() > limit {
            return None;
        }
    }
    (pieces.len() > transfers.len()).then_some(pieces)
}

//! Operations that follow each other in memory at every process are one.

use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective, Kind};
use crate::ids::Bytes;

/// Merges operations of one kind and root whose blocks continue each other everywhere.
pub(crate) fn neighbours(collectives: &mut Vec<Collective>) {
    collectives.sort_by_cached_key(|c| (c.kind, c.root, c.group.clone(), first_address(c)));
    collectives.dedup_by(|next, kept| continues(kept, next));
}

fn first_address(c: &Collective) -> u64 {
    match &c.blocks {
        Blocks::Rooted { from, .. } | Blocks::Gathered { from, .. } => from.get(0),
        Blocks::Exchanged { from, .. } => from.first().map_or(0, |row| row.get(1)),
        Blocks::None | Blocks::Reduced { .. } | Blocks::Neighbors { .. } => 0,
    }
}

fn continues(kept: &mut Collective, next: &Collective) -> bool {
    let uniform = [Kind::Bcast, Kind::Scatter, Kind::Gather, Kind::Allgather, Kind::Alltoall];
    if (kept.kind, kept.root, kept.own, &kept.group)
        != (next.kind, next.root, next.own, &next.group)
        || !uniform.contains(&kept.kind)
    {
        return false;
    }
    let n = kept.length.0;
    let follows = |a: &Addresses, b: &Addresses| a.plus(n) == *b;
    let all = |a: &[Addresses], b: &[Addresses]| a.iter().zip(b).all(|(a, b)| follows(a, b));
    let both = n + next.length.0;
    match (&mut kept.blocks, &next.blocks) {
        (Blocks::Rooted { from, to, lengths }, Blocks::Rooted { from: f, to: t, .. })
            if follows(from, f) && follows(to, t) =>
        {
            *lengths = crate::detect::broadcast::constant(both);
        }
        (Blocks::Gathered { from, to, lengths }, Blocks::Gathered { from: f, to: t, .. })
            if follows(from, f) && all(to, t) =>
        {
            *lengths = crate::detect::broadcast::constant(both);
        }
        (Blocks::Exchanged { from, to, lengths }, Blocks::Exchanged { from: f, to: t, .. })
            if all(from, f) && all(to, t) =>
        {
            lengths.fill(crate::detect::broadcast::constant(both));
        }
        _ => return false,
    }
    kept.length = Bytes(both);
    kept.transfers += next.transfers;
    true
}

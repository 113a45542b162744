//! Operations that follow each other in memory at every process are one; at regular distances, one
//! with a vector type. Each was certified, and together they are what the one is replayed as.

use std::collections::HashMap;

use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective, Kind, Pieces};
use crate::ids::Bytes;
use crate::number::{at, id};

/// Operations whose blocks all have one length.
const UNIFORM: [Kind; 5] =
    [Kind::Bcast, Kind::Scatter, Kind::Gather, Kind::Allgather, Kind::Alltoall];

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
    if (kept.kind, kept.root, kept.own, &kept.group)
        != (next.kind, next.root, next.own, &next.group)
        || !UNIFORM.contains(&kept.kind)
    {
        return false;
    }
    let n = kept.length.0;
    if !all_shifted(kept, next, n, n) {
        return false;
    }
    let both = n + next.length.0;
    match &mut kept.blocks {
        Blocks::Rooted { lengths, .. } | Blocks::Gathered { lengths, .. } => {
            *lengths = crate::detect::broadcast::constant(both);
        }
        Blocks::Exchanged { lengths, .. } => {
            lengths.fill(crate::detect::broadcast::constant(both));
        }
        Blocks::None | Blocks::Reduced { .. } | Blocks::Neighbors { .. } => return false,
    }
    kept.length = Bytes(both);
    kept.transfers += next.transfers;
    true
}

/// So many blocks at regular distances are meant as one: fewer may lie so by accident.
const MIN_PIECES: usize = 3;

/// Joins operations whose blocks lie equally far apart at every process into one with a vector
/// type: a column that was sent block by block. O(n log n) in the operations, times what it takes
/// to compare two.
pub(crate) fn columns(collectives: &mut Vec<Collective>) {
    let key = |c: &Collective| (c.kind, c.root, c.group.clone(), c.own, c.length);
    let (mut all, mut others): (Vec<Collective>, Vec<Collective>) =
        collectives.drain(..).partition(|c| UNIFORM.contains(&c.kind) && c.pieces.count == 1);
    all.sort_by_cached_key(|c| (key(c), places(c)));
    let mut rest = all.into_iter().peekable();
    while let Some(first) = rest.next() {
        let mut same = vec![first];
        while let Some(next) = rest.next_if(|c| key(c) == key(&same[0])) {
            same.push(next);
        }
        others.extend(if same.len() < MIN_PIECES { same } else { joined(same) });
    }
    *collectives = others;
}

/// Joins operations that differ in their addresses only, sorted by them.
fn joined(all: Vec<Collective>) -> Vec<Collective> {
    // How many of those that follow are tried as the second piece.
    const TRIED: usize = 4;
    let by_place: HashMap<(u64, u64), usize> = all.iter().map(places).zip(0..).collect();
    let mut used = vec![false; all.len()];
    let mut found = Vec::new();
    for k in 0..all.len() {
        if used[k] {
            continue;
        }
        let run = |second: usize| {
            let (from, to) = shift(&all[k], &all[second])?;
            let mut run = vec![k, second];
            let mut here = places(&all[second]);
            loop {
                here = (here.0.wrapping_add(from), here.1.wrapping_add(to));
                let next = by_place.get(&here).copied().filter(|next| !used[*next]);
                let last = run.last().map_or(k, |last| *last);
                match next.filter(|next| shift(&all[last], &all[*next]) == Some((from, to))) {
                    Some(next) if run.len() < all.len() => run.push(next),
                    _ => return Some((run, from, to)),
                }
            }
        };
        let following = (k + 1..all.len()).filter(|next| !used[*next]).take(TRIED);
        let longest = following.filter_map(run).max_by_key(|(run, ..)| run.len());
        let mut collective = all[k].clone();
        if let Some((run, from, to)) = longest.filter(|(run, ..)| run.len() >= MIN_PIECES) {
            collective.pieces = Pieces {
                count: id(run.len()),
                from: Addresses::Affine { start: 0, step: from },
                to: Addresses::Affine { start: 0, step: to },
            };
            collective.transfers = run.iter().map(|piece| all[*piece].transfers).sum();
            run.iter().for_each(|piece| used[*piece] = true);
        }
        used[k] = true;
        found.push(collective);
    }
    found
}

/// Where a block between two processes is read and written.
fn places(c: &Collective) -> (u64, u64) {
    match &c.blocks {
        Blocks::Rooted { from, to, .. } => {
            let root = c.root.and_then(|root| c.group.rank(root));
            let other = usize::from(root == Some(0));
            (from.get(other), to.get(other))
        }
        Blocks::Gathered { from, to, .. } => (from.get(0), to.get(1).map_or(0, |row| row.get(0))),
        Blocks::Exchanged { from, to, .. } => {
            let row = |rows: &[Addresses], k: usize, other| rows.get(k).map_or(0, |r| r.get(other));
            (row(from, 0, 1), row(to, 1, 0))
        }
        Blocks::None | Blocks::Reduced { .. } | Blocks::Neighbors { .. } => (0, 0),
    }
}

/// How much further on all blocks of `b` are read and written than those of `a`, if it is the same
/// for all.
fn shift(a: &Collective, b: &Collective) -> Option<(u64, u64)> {
    let (start, end) = (places(a), places(b));
    let (read, written) = (end.0.wrapping_sub(start.0), end.1.wrapping_sub(start.1));
    (all_shifted(a, b, read, written) && (read, written) != (0, 0)).then_some((read, written))
}

/// Whether all blocks of `b` are read and written so much further on than those of `a`.
fn all_shifted(a: &Collective, b: &Collective, read: u64, written: u64) -> bool {
    let n = at(a.group.size());
    // What a process has for itself may be anything, where it is not copied.
    let own = |k: usize| (!a.own).then_some(k);
    let rows = |a: &[Addresses], b: &[Addresses], by| {
        let mut pairs = a.iter().zip(b).enumerate();
        a.len() == b.len() && pairs.all(|(k, (a, b))| shifted(a, b, by, n, own(k)))
    };
    match (&a.blocks, &b.blocks) {
        (Blocks::Rooted { from, to, .. }, Blocks::Rooted { from: f, to: t, .. }) => {
            let root = a.root.and_then(|root| a.group.rank(root)).and_then(|root| own(at(root)));
            shifted(from, f, read, n, root) && shifted(to, t, written, n, root)
        }
        (Blocks::Gathered { from, to, .. }, Blocks::Gathered { from: f, to: t, .. }) => {
            shifted(from, f, read, n, None) && rows(to, t, written)
        }
        (Blocks::Exchanged { from, to, .. }, Blocks::Exchanged { from: f, to: t, .. }) => {
            rows(from, f, read) && rows(to, t, written)
        }
        _ => false,
    }
}

/// Whether the numbers of `b` are those of `a`, each larger by `by`; but for the one at `except`.
fn shifted(a: &Addresses, b: &Addresses, by: u64, n: usize, except: Option<usize>) -> bool {
    a.plus(by) == *b || (0..n).all(|k| Some(k) == except || a.get(k).wrapping_add(by) == b.get(k))
}

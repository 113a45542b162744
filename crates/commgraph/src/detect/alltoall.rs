//! Alltoall(v): every process has a block of its own for every other.

use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective, Kind, Pieces};
use crate::detect::group::Group;
use crate::detect::work::Work;
use crate::ids::Bytes;
use crate::number::{at, id};
use crate::transfers::Transfer;

/// Takes the exchanges in which all blocks have one length. O(n log n).
pub(crate) fn alltoalls(work: &mut Work) {
    let pairs = at(work.processes).saturating_mul(work.others());
    if work.free() < pairs {
        return;
    }
    let free = work.sorted_by_key(|t| (t.length, t.destination, t.source, t.destination_address));
    let classes = free.chunk_by(|a, b| work.get(*a).length == work.get(*b).length);
    let classes: Vec<Vec<u32>> =
        classes.filter(|c| c.len() >= pairs).map(<[u32]>::to_vec).collect();
    for class in classes {
        rounds(work, class, pairs, Kind::Alltoall);
    }
}

/// Takes the exchanges with blocks of any length, for at least `edges` pairs of processes.
pub(crate) fn alltoallvs(work: &mut Work, edges: usize) {
    if work.free() < edges {
        return;
    }
    let free = work.sorted_by_key(|t| (t.destination, t.source, t.destination_address));
    rounds(work, free, edges, Kind::Alltoallv);
}

/// Takes one transfer of each pair, as long as there are enough pairs.
fn rounds(work: &mut Work, mut free: Vec<u32>, edges: usize, kind: Kind) {
    while free.len() >= edges.max(1) {
        let mut last = None;
        let (picks, again): (Vec<u32>, Vec<u32>) = free.iter().partition(|pick| {
            let pair = Some((work.get(**pick).destination, work.get(**pick).source));
            std::mem::replace(&mut last, pair) != pair
        });
        if picks.len() < edges || !alltoall(work, &picks, kind) {
            return;
        }
        free = again;
    }
}

/// `picks` are sorted by destination and then by source.
fn alltoall(work: &mut Work, picks: &[u32], kind: Kind) -> bool {
    let collective = exchange(work, picks, kind, false);
    let Some(own) = own_blocks(work, &collective) else { return work.take(collective, picks) };
    let mut all = picks.to_vec();
    all.extend(own);
    all.sort_by_key(|pick| (work.get(*pick).destination, work.get(*pick).source));
    let collective = exchange(work, &all, kind, true);
    work.take(collective, &all)
}

/// The blocks that each process copies for itself: where the other blocks tell, or else the only
/// copy that can be meant.
fn own_blocks(work: &Work, c: &Collective) -> Option<Vec<u32>> {
    let Blocks::Exchanged { from, to, .. } = &c.blocks else { return None };
    let is_uniform = c.kind == Kind::Alltoall;
    let of = |i: u32| {
        let regular = Transfer {
            destination: i,
            destination_address: to[at(i)].get(at(i)),
            source: i,
            source_address: from[at(i)].get(at(i)),
            length: c.length.0,
        };
        let mut copies = work.copies(i).filter(|(_, t)| !is_uniform || t.length == c.length.0);
        let only = match (copies.next(), copies.next()) {
            (Some((pick, _)), None) => Some(pick),
            _ => None,
        };
        work.find(&regular).filter(|_| is_uniform).or(only)
    };
    (0..work.processes).map(of).collect()
}

/// The exchange of these blocks, which are sorted by destination and then by source.
fn exchange(work: &Work, picks: &[u32], kind: Kind, own: bool) -> Collective {
    let p = at(work.processes);
    let length = picks.iter().map(|pick| work.get(*pick).length).max().unwrap_or(0);
    let default = |own: bool| if kind == Kind::Alltoall && own { length } else { 0 };
    let mut by_source = picks.to_vec();
    by_source.sort_by_key(|pick| work.get(*pick).source);
    let rows = |sorted: &[u32],
                row: fn(&Transfer) -> u32,
                column: fn(&Transfer) -> u32,
                value: fn(&Transfer) -> u64,
                step| {
        let mut rest = sorted.iter().map(|pick| work.get(*pick)).peekable();
        (0..id(p))
            .map(|r| {
                let cell = |c| rest.next_if(|t| (row(t), column(t)) == (r, c)).map(value);
                Addresses::collect((0..id(p)).map(cell), step)
            })
            .collect::<Vec<_>>()
    };
    let from =
        rows(&by_source, |t| t.source, |t| t.destination, |t| t.source_address, default(true));
    let to = rows(picks, |t| t.destination, |t| t.source, |t| t.destination_address, default(true));
    let lengths: Vec<Addresses> = match kind {
        Kind::Alltoall => vec![Addresses::Affine { start: length, step: 0 }; p],
        _ => {
            let mut rest = by_source.iter().map(|pick| work.get(*pick)).peekable();
            (0..id(p))
                .map(|r| {
                    let cell = |c| {
                        let t = rest.next_if(|t| (t.source, t.destination) == (r, c));
                        Some(t.map_or(0, |t| t.length))
                    };
                    Addresses::collect((0..id(p)).map(cell), 0)
                })
                .collect()
        }
    };
    Collective {
        kind,
        root: None,
        group: Group::All(work.processes),
        length: Bytes(length),
        own,
        transfers: 0,
        blocks: Blocks::Exchanged { from, to, lengths },
        pieces: Pieces::ONE,
    }
}

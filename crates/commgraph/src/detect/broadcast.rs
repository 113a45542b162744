//! Broadcasts: one range of memory goes to all others. p of them, one from each process, are an
//! allgather.

use std::collections::VecDeque;

use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective, Kind, Pieces};
use crate::detect::group::Group;
use crate::detect::work::Work;
use crate::ids::{Bytes, Process};
use crate::number::{at, id};
use crate::transfers::Transfer;

/// A broadcast that may be part of an allgather.
pub(crate) struct Spread {
    root: u32,
    address: u64,
    length: u64,
    /// One transfer to each other process, by destination.
    picks: Vec<u32>,
}

/// All ranges that go to all other processes. O(n log n); O(n) where the transfers are sorted by
/// source, or no process sends as many.
pub(crate) fn groups(work: &Work) -> Vec<Spread> {
    let range = |t: &Transfer| (t.source, t.source_address, t.length);
    let key = |t: &Transfer| (range(t), t.destination, t.destination_address);
    let free = work.sorted_where(|t| t.source, work.others(), key);
    let mut groups = Vec::new();
    for same in free.chunk_by(|a, b| range(work.get(*a)) == range(work.get(*b))) {
        if same.len() < work.others() {
            continue;
        }
        let (root, address, length) = range(work.get(same[0]));
        let once = |a: &u32, b: &u32| work.get(*a).destination != work.get(*b).destination;
        if same.is_sorted_by(once) {
            groups.push(Spread { root, address, length, picks: same.to_vec() });
            continue;
        }
        // It comes to some processes more than once.
        let mut rest = same.to_vec();
        while rest.len() >= work.others() {
            let mut last = None;
            let (picks, again): (Vec<u32>, Vec<u32>) = rest.iter().partition(|pick| {
                let destination = Some(work.get(**pick).destination);
                std::mem::replace(&mut last, destination) != destination
            });
            if picks.len() < work.others() {
                break;
            }
            groups.push(Spread { root, address, length, picks });
            rest = again;
        }
    }
    groups
}

/// Takes allgathers of one length each; the rest comes back.
pub(crate) fn allgathers(work: &mut Work, mut groups: Vec<Spread>) -> Vec<Spread> {
    groups.sort_by_key(|g| (g.length, g.root, g.address));
    let mut left = Vec::new();
    let mut groups = groups.into_iter().peekable();
    while let Some(first) = groups.next() {
        let length = first.length;
        let mut same = vec![first];
        while let Some(next) = groups.next_if(|g| g.length == length) {
            same.push(next);
        }
        left.extend(combined(work, same, Kind::Allgather));
    }
    left
}

/// Takes allgathers of different lengths; the rest comes back. Each process must contribute: a
/// block that is missing would be memory that nobody wrote.
pub(crate) fn allgathervs(work: &mut Work, mut groups: Vec<Spread>) -> Vec<Spread> {
    groups.sort_by_key(|g| (g.root, g.address));
    combined(work, groups, Kind::Allgatherv)
}

/// Takes the groups that are still there as broadcasts.
pub(crate) fn broadcasts(work: &mut Work, groups: Vec<Spread>) {
    for Spread { root, address, length, picks } in groups {
        if !picks.iter().all(|pick| work.is_free(*pick)) {
            continue;
        }
        // The root is left out of the picks.
        let mut targets = picks.iter().map(|pick| work.get(*pick).destination_address);
        let by_process = (0..work.processes).map(|p| if p == root { None } else { targets.next() });
        let to = Addresses::collect(by_process, 0);
        let collective = Collective {
            kind: Kind::Bcast,
            root: Some(Process(root)),
            group: Group::All(work.processes),
            length: Bytes(length),
            own: false,
            transfers: 0,
            blocks: Blocks::Rooted { from: constant(address), to, lengths: constant(length) },
            pieces: Pieces::ONE,
        };
        work.take(collective, &picks);
    }
}

pub(crate) fn constant(start: u64) -> Addresses {
    Addresses::Affine { start, step: 0 }
}

/// Takes one group of each root, sorted by root, as long as each has one.
fn combined(work: &mut Work, groups: Vec<Spread>, kind: Kind) -> Vec<Spread> {
    let p = at(work.processes);
    let mut left: Vec<VecDeque<Spread>> = Vec::new();
    // Without enough groups, there is no need to sort them by root.
    if groups.len() < p {
        return groups;
    }
    left.resize_with(p, VecDeque::new);
    for group in groups {
        left[at(group.root)].push_back(group);
    }
    while left.iter().all(|queue| !queue.is_empty()) {
        let round: Vec<Spread> = left.iter_mut().filter_map(VecDeque::pop_front).collect();
        if !allgather(work, &round, kind) {
            return round.into_iter().chain(left.into_iter().flatten()).collect();
        }
    }
    left.into_iter().flatten().collect()
}

fn allgather(work: &mut Work, round: &[Spread], kind: Kind) -> bool {
    let p = round.len();
    // The pick of group `i` for destination `j`: its root is left out.
    let pick = |i: usize, j: usize| (i != j).then(|| round[i].picks[if j > i { j - 1 } else { j }]);
    let length = round.iter().map(|g| g.length).max().unwrap_or(0);
    let from = Addresses::collect(round.iter().map(|g| Some(g.address)), 0);
    let lengths = Addresses::collect(round.iter().map(|g| Some(g.length)), 0);
    let to: Vec<Addresses> = (0..p)
        .map(|j| {
            let address = |i| pick(i, j).map(|pick| work.get(pick).destination_address);
            Addresses::collect((0..p).map(address), length)
        })
        .collect();
    let own: Option<Vec<u32>> = (0..p)
        .map(|i| {
            work.find(&Transfer {
                destination: id(i),
                destination_address: to[i].get(i),
                source: id(i),
                source_address: round[i].address,
                length: round[i].length,
            })
        })
        .collect();
    let picks: Vec<u32> = (0..p)
        .flat_map(|j| (0..p).map(move |i| (i, j)))
        .filter_map(|(i, j)| pick(i, j).or_else(|| own.as_ref().map(|own| own[i])))
        .collect();
    let collective = Collective {
        kind,
        root: None,
        group: Group::All(work.processes),
        length: Bytes(length),
        own: own.is_some(),
        transfers: 0,
        blocks: Blocks::Gathered { from, to, lengths },
        pieces: Pieces::ONE,
    };
    work.take(collective, &picks)
}

//! Scatter(v) and gather(v): blocks of one process for all others, or of all others for one.

use crate::detect::addresses::Addresses;
use crate::detect::broadcast::constant;
use crate::detect::collective::{Blocks, Collective, Kind, Pieces};
use crate::detect::group::Group;
use crate::detect::work::Work;
use crate::ids::{Bytes, Process};
use crate::transfers::Transfer;

/// Which way the blocks go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Scatter,
    Gather,
}

impl Way {
    pub(crate) fn root(self, t: &Transfer) -> u32 {
        if self == Way::Scatter { t.source } else { t.destination }
    }

    pub(crate) fn other(self, t: &Transfer) -> u32 {
        if self == Way::Scatter { t.destination } else { t.source }
    }
}

/// Takes those with blocks of one length for every other process. O(n log n).
pub(crate) fn uniform(work: &mut Work, way: Way) {
    let class = |t: &Transfer| (way.root(t), t.length);
    let others = work.others();
    let key = |t: &Transfer| (class(t), way.other(t), t.destination_address);
    let free = work.sorted_where(|t| way.root(t), others, key);
    let same: Vec<Vec<u32>> = free
        .chunk_by(|a, b| class(work.get(*a)) == class(work.get(*b)))
        .filter(|same| same.len() >= others)
        .map(<[u32]>::to_vec)
        .collect();
    for same in same {
        rounds(work, way, same, others, true);
    }
}

/// Takes those with blocks of any length, for at least `edges` other processes.
pub(crate) fn vector(work: &mut Work, way: Way, edges: usize) {
    let key = |t: &Transfer| (way.root(t), way.other(t), t.destination_address);
    let free = work.sorted_where(|t| way.root(t), edges, key);
    let same: Vec<Vec<u32>> = free
        .chunk_by(|a, b| way.root(work.get(*a)) == way.root(work.get(*b)))
        .filter(|same| same.len() >= edges)
        .map(<[u32]>::to_vec)
        .collect();
    for same in same {
        rounds(work, way, same, edges, false);
    }
}

/// Takes one transfer of each other process, as long as there are enough.
fn rounds(work: &mut Work, way: Way, mut free: Vec<u32>, edges: usize, same_length: bool) {
    while free.len() >= edges.max(1) {
        let mut last = None;
        let (picks, again): (Vec<u32>, Vec<u32>) = free.iter().partition(|pick| {
            let other = Some(way.other(work.get(**pick)));
            std::mem::replace(&mut last, other) != other
        });
        if picks.len() < edges || !rooted(work, way, picks, same_length) {
            return;
        }
        free = again;
    }
}

fn rooted(work: &mut Work, way: Way, mut picks: Vec<u32>, same_length: bool) -> bool {
    let root = way.root(work.get(picks[0]));
    let length = picks.iter().map(|pick| work.get(*pick).length).max().unwrap_or(0);
    let at_root = |t: &Transfer| match way {
        Way::Scatter => t.source_address,
        Way::Gather => t.destination_address,
    };
    let column = |work: &Work, picks: &[u32], value: &dyn Fn(&Transfer) -> u64| {
        let mut rest = picks.iter().map(|pick| work.get(*pick)).peekable();
        let cell = |p| rest.next_if(|t| way.other(t) == p).map(value);
        Addresses::collect((0..work.processes).map(cell), length)
    };
    // The root's own block, where the blocks at the root are regular.
    let own = same_length.then(|| column(work, &picks, &at_root)).filter(Addresses::is_affine);
    let own = own.and_then(|blocks| {
        let expected = blocks.get(crate::number::at(root));
        let copy = work.copies(root).find(|(_, t)| t.length == length && at_root(t) == expected);
        copy.map(|(pick, _)| pick)
    });
    if let Some(own) = own {
        let place = picks.partition_point(|pick| way.other(work.get(*pick)) < root);
        picks.insert(place, own);
    }
    let kind = match (way, same_length) {
        (Way::Scatter, true) => Kind::Scatter,
        (Way::Scatter, false) => Kind::Scatterv,
        (Way::Gather, true) => Kind::Gather,
        (Way::Gather, false) => Kind::Gatherv,
    };
    let lengths = if same_length {
        constant(length)
    } else {
        let mut rest = picks.iter().map(|pick| work.get(*pick)).peekable();
        let cell = |p| Some(rest.next_if(|t| way.other(t) == p).map_or(0, |t| t.length));
        Addresses::collect((0..work.processes).map(cell), 0)
    };
    let collective = Collective {
        kind,
        root: Some(Process(root)),
        group: Group::All(work.processes),
        length: Bytes(length),
        own: own.is_some(),
        transfers: 0,
        blocks: Blocks::Rooted {
            from: column(work, &picks, &|t| t.source_address),
            to: column(work, &picks, &|t| t.destination_address),
            lengths,
        },
        pieces: Pieces::ONE,
    };
    work.take(collective, &picks)
}

//! Broadcasts, scatters and gathers of some of the processes.
//!
//! Hoefler and Schneider, PACT'12, section 4.2: the process with most flows of one length to
//! others is the root of the largest group. O(n log n).

use std::collections::BTreeSet;

use super::members::{MIN_SIZE, among};
use crate::detect::rooted::Way;
use crate::detect::work::Work;
use crate::detect::{broadcast, rooted};
use crate::transfers::Transfer;

/// One block to two processes is a broadcast; two blocks of one length from a process are just two
/// messages, this many are a scatter. Two are one where the program has put those three processes
/// together, and the others answer with nothing of that length, as the two neighbours in a line.
const MIN_BLOCKS: usize = 3;

/// Takes every range that goes to several processes.
pub(super) fn broadcasts(work: &mut Work) {
    let range = |t: &Transfer| (t.source, t.source_address, t.length);
    let free = work.sorted_by_key(|t| (range(t), t.destination, t.destination_address));
    let ranges: Vec<Vec<u32>> = free
        .chunk_by(|a, b| range(work.get(*a)) == range(work.get(*b)))
        .map(|same| one_each(work, same, |t| t.destination))
        .filter(|picks| picks.len() + 1 >= MIN_SIZE)
        .collect();
    for picks in ranges {
        let members = members(work, &picks);
        among(work, &members, &picks, |sub| {
            let spreads = broadcast::groups(sub);
            broadcast::broadcasts(sub, spreads);
        });
    }
}

/// Takes scatters and gathers, the largest first.
pub(crate) fn scatters_and_gathers(work: &mut Work, trios: &BTreeSet<[u32; 3]>) {
    while largest(work, trios) {}
}

/// Takes those that share no transfer with a larger one. Whether there were some.
fn largest(work: &mut Work, trios: &BTreeSet<[u32; 3]>) -> bool {
    let mut all: Vec<(Way, Vec<u32>)> = Vec::new();
    for way in [Way::Scatter, Way::Gather] {
        let class = |t: &Transfer| (way.root(t), t.length);
        let free = work.sorted_by_key(|t| (class(t), way.other(t), t.destination_address));
        let same = free.chunk_by(|a, b| class(work.get(*a)) == class(work.get(*b)));
        let picks = same.map(|same| one_each(work, same, |t| way.other(t)));
        let is_one = |picks: &Vec<u32>| picks.len() >= MIN_BLOCKS || is_of_trio(work, picks, trios);
        all.extend(picks.filter(is_one).map(|picks| (way, picks)));
    }
    all.sort_by_key(|(_, picks)| std::cmp::Reverse(picks.len()));
    let mut any = false;
    for (way, mut picks) in all {
        if !picks.iter().all(|pick| work.is_free(*pick)) {
            continue;
        }
        let members = members(work, &picks);
        // What the root copies for itself may belong to it.
        let root = way.root(work.get(picks[0]));
        picks.extend(work.copies(root).map(|(pick, _)| pick).collect::<Vec<_>>());
        any |= among(work, &members, &picks, |sub| rooted::uniform(sub, way));
    }
    any
}

/// Whether two blocks are between three processes that belong together, and only one way.
fn is_of_trio(work: &Work, picks: &[u32], trios: &BTreeSet<[u32; 3]>) -> bool {
    let [first, second] = *picks else { return false };
    let Ok(three) = <[u32; 3]>::try_from(members(work, picks)) else { return false };
    let is_answered = |pick: u32| {
        let t = work.get(pick);
        let answers = |back: &Transfer| back.source == t.destination && back.length == t.length;
        work.arriving(t.source).any(|(_, back)| answers(back))
    };
    trios.contains(&three) && !is_answered(first) && !is_answered(second)
}

/// The first transfer of each other process.
fn one_each(work: &Work, sorted: &[u32], other: impl Fn(&Transfer) -> u32) -> Vec<u32> {
    let mut picks = sorted.to_vec();
    picks.dedup_by_key(|pick| other(work.get(*pick)));
    picks
}

/// All that send or receive, sorted.
fn members(work: &Work, picks: &[u32]) -> Vec<u32> {
    let ends = picks.iter().map(|pick| work.get(*pick)).flat_map(|t| [t.source, t.destination]);
    let mut all: Vec<u32> = ends.collect();
    all.sort_unstable();
    all.dedup();
    all
}

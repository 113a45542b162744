//! Groups of processes that may exchange blocks of one length, all with all.
//!
//! A group that does is a clique: of every pair, each sends to the other. Heuristics, from those
//! that find all groups that are apart to those that find some:
//!
//! - equal neighbourhoods: processes that send (one range, or blocks of one length) to the same
//!   processes and to each other;
//! - lines of processes that are equally far apart, as the rows and columns of a grid are;
//! - cliques grown from each process, the neighbour with most common neighbours first.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::members::MIN_SIZE;
use crate::detect::work::Work;
use crate::number::at;
use crate::transfers::Transfer;

/// Pairs of processes beyond which no cliques are grown.
const MAX_PAIRS: usize = 1 << 20;

/// Candidates, sorted members each, the largest first.
pub(super) fn groups(work: &Work) -> Vec<Vec<u32>> {
    let mut found = BTreeSet::new();
    let free = work.sorted_by_key(|t| (t.length, t.source, t.source_address, t.destination));
    for class in free.chunk_by(|a, b| work.get(*a).length == work.get(*b).length) {
        if class.len() < MIN_SIZE * (MIN_SIZE - 1) {
            continue;
        }
        let range = |pick: u32| (work.get(pick).source, work.get(pick).source_address);
        let ranges = class.chunk_by(|a, b| range(*a) == range(*b));
        found.extend(equal(ranges.map(|same| closed(work, same))));
        let mutual = Mutual::of(work, class);
        found.extend(equal(mutual.sources().map(|process| mutual.closed(process))));
        found.extend(mutual.lines());
        if mutual.pairs <= MAX_PAIRS {
            found.extend(mutual.cliques());
        }
    }
    let mut found: Vec<Vec<u32>> = found.into_iter().collect();
    // Of equals, the one with the first processes.
    found.sort_by_key(|members| std::cmp::Reverse(members.len()));
    found
}

/// The processes that transfers of one source come to, and that source; sorted.
fn closed(work: &Work, same: &[u32]) -> Vec<u32> {
    let mut all: Vec<u32> = same.iter().map(|pick| work.get(*pick).destination).collect();
    all.extend(same.first().map(|pick| work.get(*pick).source));
    all.sort_unstable();
    all.dedup();
    all
}

/// Neighbourhoods that at least as many have as there are members.
fn equal(neighbourhoods: impl Iterator<Item = Vec<u32>>) -> Vec<Vec<u32>> {
    let mut counts: HashMap<Vec<u32>, usize> = HashMap::new();
    neighbourhoods.for_each(|members| *counts.entry(members).or_default() += 1);
    let all_agree =
        |(members, n): &(Vec<u32>, usize)| members.len() >= MIN_SIZE && *n >= members.len();
    counts.into_iter().filter(all_agree).map(|(members, _)| members).collect()
}

/// Which processes send to each other.
struct Mutual {
    processes: u32,
    /// By process, sorted; those without others are left out.
    neighbors: BTreeMap<u32, Vec<u32>>,
    pairs: usize,
}

impl Mutual {
    fn of(work: &Work, class: &[u32]) -> Mutual {
        let pair = |t: &Transfer| (t.source, t.destination);
        let mut directed: Vec<(u32, u32)> = class.iter().map(|p| pair(work.get(*p))).collect();
        directed.sort_unstable();
        directed.dedup();
        let is_mutual = |(a, b): &&(u32, u32)| directed.binary_search(&(*b, *a)).is_ok();
        let mut neighbors: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut pairs = 0;
        for (a, b) in directed.iter().filter(is_mutual) {
            neighbors.entry(*a).or_default().push(*b);
            pairs += 1;
        }
        Mutual { processes: work.processes, neighbors, pairs }
    }

    fn sources(&self) -> impl Iterator<Item = u32> + '_ {
        self.neighbors.keys().copied()
    }

    fn of_process(&self, process: u32) -> &[u32] {
        self.neighbors.get(&process).map_or(&[], Vec::as_slice)
    }

    fn are(&self, a: u32, b: u32) -> bool {
        self.of_process(a).binary_search(&b).is_ok()
    }

    /// A process and its neighbours.
    fn closed(&self, process: u32) -> Vec<u32> {
        let mut all = self.of_process(process).to_vec();
        all.push(process);
        all.sort_unstable();
        all
    }

    /// Cliques of processes that are equally far apart, the longest from each first process and
    /// for each distance.
    fn lines(&self) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        for first in self.sources() {
            for second in self.of_process(first).iter().filter(|second| **second > first) {
                let step = second - first;
                // The line starts here, if the process before is not part of it.
                let before = first.checked_sub(step);
                if before.is_some_and(|b| self.are(b, first) && self.are(b, *second)) {
                    continue;
                }
                let mut line = vec![first];
                let mut next = Some(*second);
                while let Some(process) = next.filter(|process| *process < self.processes) {
                    if !line.iter().all(|member| self.are(*member, process)) {
                        break;
                    }
                    line.push(process);
                    next = process.checked_add(step);
                }
                if line.len() >= MIN_SIZE {
                    found.push(line);
                }
            }
        }
        found
    }

    /// A clique around each process that is in none so far. Cubic in the neighbours of a process,
    /// at worst.
    fn cliques(&self) -> Vec<Vec<u32>> {
        let mut covered = vec![false; at(self.processes)];
        let mut found = Vec::new();
        for process in self.sources() {
            let around = self.of_process(process);
            if covered[at(process)] || around.len() + 1 < MIN_SIZE {
                continue;
            }
            let common =
                |other: u32| around.iter().filter(|third| self.are(other, **third)).count();
            let mut order: Vec<(usize, u32)> =
                around.iter().map(|other| (common(*other), *other)).collect();
            order.sort_unstable_by_key(|(common, other)| (std::cmp::Reverse(*common), *other));
            let mut clique = vec![process];
            for (_, other) in order {
                if clique.iter().all(|member| self.are(*member, other)) {
                    clique.push(other);
                }
            }
            if clique.len() >= MIN_SIZE {
                clique.iter().for_each(|member| covered[at(*member)] = true);
                clique.sort_unstable();
                found.push(clique);
            }
        }
        found
    }
}

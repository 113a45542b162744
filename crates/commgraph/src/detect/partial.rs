//! Results of reductions to which some contributions are missing.
//!
//! Like [`super::near`], for reductions: nothing is taken, it tells where to look.

use std::collections::BTreeMap;

use crate::dataflow::Reduced;
use crate::detect::collective::{Blocks, Collective, Kind};
use crate::detect::near::SHOWN;
use crate::detect::{Addresses, Detection, beside};
use crate::ids::{Bytes, Process};
use crate::number::{at, count};

/// A reduction that most processes take part in, with results that are not as they should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialReduction {
    /// Which operation it would be.
    pub kind: Kind,
    /// The reduction, by its number in the graph's table.
    pub reduction: u32,
    /// Length of a result.
    pub length: Bytes,
    /// How many processes have their result.
    pub present: u64,
    /// The first [`SHOWN`] of the others.
    pub wrong: Vec<PartialResult>,
}

/// A result that lacks contributions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialResult {
    /// Who should have it.
    pub process: Process,
    /// The reduction that it has instead; none where nothing like it is there.
    pub result: Option<Reduced>,
    /// The first [`SHOWN`] processes whose contributions are missing.
    pub missing: Vec<Process>,
    /// The first [`SHOWN`] contributions of processes that have several, or that lie elsewhere
    /// than those to other results: process and address.
    pub extra: Vec<(Process, u64)>,
}

/// Whole results at one process, by reduction, length and how far apart the contributions are: the
/// process, and where process 0 has its contribution.
type Full = BTreeMap<(u32, u64, Vec<u64>), Vec<(u32, u64)>>;

/// Reductions whose results most processes have, and those whose results have most contributions.
/// O(n log n) in the results and their contributions.
pub(crate) fn reductions(processes: u32, detection: &Detection) -> Vec<PartialReduction> {
    let mut left: BTreeMap<(u32, u64), Vec<&Reduced>> = BTreeMap::new();
    for r in &detection.left_reduced {
        if let Some(c) = &r.contributions {
            left.entry((c.reduction, r.length)).or_default().push(r);
        }
    }
    let mut full: Full = BTreeMap::new();
    for c in &detection.collectives {
        if let Some((reduction, from, root)) = reduced_at_one(c) {
            let from: Vec<u64> = (0..at(processes)).map(|p| from.get(p)).collect();
            // Blocks of a reduce_scatter lie equally far apart everywhere.
            let shape = from.iter().map(|a| a.wrapping_sub(from[0])).collect();
            full.entry((reduction, c.length.0, shape)).or_default().push((root, from[0]));
        }
    }
    let mut found = Vec::new();
    for ((reduction, length, _), mut roots) in full {
        let here = left.get(&(reduction, length)).map_or(&[][..], Vec::as_slice);
        let is_one = roots.iter().all(|(_, from)| *from == roots[0].1);
        let kind = if is_one { Kind::Allreduce } else { Kind::ReduceScatterBlock };
        roots.sort_unstable();
        roots.dedup_by_key(|(root, _)| *root);
        if (2..at(processes)).contains(&roots.len()) && roots.len() * 2 >= at(processes) {
            let has = |p: &u32| roots.binary_search_by_key(p, |(root, _)| *root).is_ok();
            let wrong = (0..processes).filter(|p| !has(p)).take(SHOWN);
            let wrong = wrong.map(|p| partial(p, 0..processes, here)).collect();
            found.push(made(kind, reduction, length, count(roots.len()), wrong));
            left.remove(&(reduction, length));
        }
    }
    let beside = beside::reductions(processes, detection);
    // What lies beside a whole one is compared with that.
    for partial in &beside {
        let told = partial.wrong.iter().flat_map(|wrong| &wrong.result);
        let told: Vec<_> = told.map(|r| (r.destination, r.address)).collect();
        if let Some(results) = left.get_mut(&(partial.reduction, partial.length.0)) {
            results.retain(|r| !told.contains(&(r.destination, r.address)));
        }
    }
    found.extend(beside);
    for ((reduction, length), results) in left {
        found.extend(without_whole(processes, (reduction, length), &results));
    }
    found
}

fn made(
    kind: Kind,
    reduction: u32,
    length: u64,
    present: u64,
    wrong: Vec<PartialResult>,
) -> PartialReduction {
    PartialReduction { kind, reduction, length: Bytes(length), present, wrong }
}

fn reduced_at_one(c: &Collective) -> Option<(u32, &Addresses, u32)> {
    match (&c.blocks, c.kind, c.root) {
        (Blocks::Reduced { from, reduction, .. }, Kind::Reduce, Some(Process(root))) => {
            Some((*reduction, from, root))
        }
        _ => None,
    }
}

/// The results that would be there if no process has a whole one.
fn without_whole(
    processes: u32,
    (reduction, length): (u32, u64),
    results: &[&Reduced],
) -> Option<PartialReduction> {
    let is_many = |r: &&Reduced| {
        let contributors = distinct(r).len();
        contributors >= 2 && contributors * 4 >= at(processes)
    };
    let many: Vec<&Reduced> = results.iter().copied().filter(is_many).collect();
    // In a scan the last contribution is one's own, in an exscan that of the process before.
    let last_is = |before: u32| {
        results.len() > 1
            && results.iter().all(|r| distinct(r).last().map(|p| p + before) == Some(r.destination))
    };
    let (kind, results) = match () {
        () if last_is(0) => (Kind::Scan, results.to_vec()),
        () if last_is(1) => (Kind::Exscan, results.to_vec()),
        () if many.len() * 2 >= at(processes) => (Kind::Allreduce, many),
        () => (Kind::Reduce, parts(results, many)),
    };
    let wanted = |p: u32| match kind {
        Kind::Scan => 0..p + 1,
        Kind::Exscan => 0..p,
        _ => 0..processes,
    };
    let prefixes = matches!(kind, Kind::Scan | Kind::Exscan);
    let usual = if prefixes { usual_addresses(&results) } else { BTreeMap::new() };
    let is_unusual = |(p, a): &(u32, u64)| usual.get(p).is_some_and(|usual| usual != a);
    let lacks = |r: &&Reduced| {
        let memory = || r.contributions.iter().flat_map(|c| &c.memory);
        memory().map(|(p, _)| *p).ne(wanted(r.destination)) || memory().any(is_unusual)
    };
    let wrong: Vec<PartialResult> = results
        .iter()
        .copied()
        .filter(lacks)
        .take(SHOWN)
        .map(|r| {
            let mut wrong = partial(r.destination, wanted(r.destination), &[r]);
            let memory = r.contributions.iter().flat_map(|c| &c.memory);
            let unusual = memory.filter(|m| is_unusual(m)).map(|(p, a)| (Process(*p), *a));
            wrong.extra.extend(unusual.take(SHOWN));
            wrong
        })
        .collect();
    let present = count(results.iter().filter(|r| !lacks(r)).count());
    (!wrong.is_empty()).then(|| made(kind, reduction, length, present, wrong))
}

/// Of a chain that breaks, one process has the sum of the first part, another that of the rest:
/// `many`, and those of `results` to which nobody contributed that did to the first of `many`.
fn parts<'a>(results: &[&'a Reduced], mut many: Vec<&'a Reduced>) -> Vec<&'a Reduced> {
    let Some(first) = many.first().map(|r| distinct(r)) else { return many };
    let is_apart = |r: &&Reduced| distinct(r).iter().all(|p| first.binary_search(p).is_err());
    let known: Vec<(u32, u64)> = many.iter().map(|r| (r.destination, r.address)).collect();
    let is_new = |r: &&Reduced| !known.contains(&(r.destination, r.address));
    many.extend(results.iter().copied().filter(is_new).filter(is_apart).take(SHOWN));
    many
}

/// Where each process has the contribution that goes into most of the results.
fn usual_addresses(results: &[&Reduced]) -> BTreeMap<u32, u64> {
    let mut counts: BTreeMap<(u32, u64), usize> = BTreeMap::new();
    for memory in results.iter().flat_map(|r| &r.contributions).flat_map(|c| &c.memory) {
        *counts.entry(*memory).or_default() += 1;
    }
    let mut usual: BTreeMap<u32, (usize, u64)> = BTreeMap::new();
    for ((process, address), n) in counts {
        let best = usual.entry(process).or_insert((n, address));
        *best = (*best).max((n, address));
    }
    usual.into_iter().map(|(process, (_, address))| (process, address)).collect()
}

/// The processes that contributed, sorted.
fn distinct(r: &Reduced) -> Vec<u32> {
    let memory = r.contributions.as_ref().map_or(&[][..], |c| &c.memory);
    let mut all: Vec<u32> = memory.iter().map(|(p, _)| *p).collect();
    all.dedup();
    all
}

fn partial(process: u32, wanted: std::ops::Range<u32>, results: &[&Reduced]) -> PartialResult {
    let here = results.iter().filter(|r| r.destination == process);
    let best = here.max_by_key(|r| distinct(r).len()).copied();
    let has = best.map(distinct).unwrap_or_default();
    let missing = wanted.filter(|p| has.binary_search(p).is_err()).take(SHOWN).map(Process);
    let memory = best.and_then(|r| r.contributions.as_ref()).map_or(&[][..], |c| &c.memory);
    let several = memory.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1);
    let extra = several.flatten().take(SHOWN).map(|(p, a)| (Process(*p), *a)).collect();
    let missing = missing.collect();
    PartialResult { process: Process(process), result: best.cloned(), missing, extra }
}

//! The operations that are missing beside one that was found: of a pipeline in segments, or of an
//! operation that is done block by block, the other segments and blocks tell what this one should
//! be.
//!
//! Like [`super::near`], nothing is taken because of it. O(p) for each operation, and a lookup for
//! each process.

use std::collections::{BTreeMap, HashMap};

use crate::dataflow::Reduced;
use crate::detect::Detection;
use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective, Kind};
use crate::detect::near::{Expected, NearMiss, SHOWN, instead};
use crate::detect::odd::{OddBlock, Oddity};
use crate::detect::partial::{PartialReduction, PartialResult};
use crate::ids::{Address, Bytes, Process};
use crate::number::{at, count};
use crate::transfers::Transfer;

/// On which side of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    Before,
    After,
}

impl Side {
    const BOTH: [Side; 2] = [Side::Before, Side::After];

    /// Where a block of `length` starts that lies on this side of one of `of` bytes at `address`.
    fn of(self, (address, of): (u64, u64), length: u64) -> u64 {
        match self {
            Side::Before => address.wrapping_sub(length),
            Side::After => address.wrapping_add(of),
        }
    }
}

/// Places in memory, by process and edge: of what may lie after a block its first byte, of what
/// may lie before one the byte past its last.
type Ends = HashMap<(Side, u32, u64), Vec<usize>>;

fn ends(places: impl Iterator<Item = (u32, u64, u64)>) -> Ends {
    let mut ends = Ends::new();
    for (k, (process, address, length)) in places.enumerate() {
        ends.entry((Side::After, process, address)).or_default().push(k);
        ends.entry((Side::Before, process, address.wrapping_add(length))).or_default().push(k);
    }
    ends
}

fn found(ends: &Ends, side: Side, process: u32, (address, of): (u64, u64)) -> &[usize] {
    let edge = if side == Side::After { address.wrapping_add(of) } else { address };
    ends.get(&(side, process, edge)).map_or(&[], Vec::as_slice)
}

/// Broadcasts of the segment before or after one that was found, which do not reach everybody.
pub(crate) fn broadcasts(processes: u32, detection: &Detection) -> Vec<NearMiss> {
    let whole: Vec<&Collective> = detection
        .collectives
        .iter()
        .filter(|c| c.kind == Kind::Bcast && c.group.members().is_none() && c.pieces.count == 1)
        .collect();
    if whole.is_empty() || detection.left.is_empty() {
        return Vec::new();
    }
    let left = &detection.left;
    let ends = ends(left.iter().map(|t| (t.source, t.source_address, t.length)));
    let mut misses: Vec<NearMiss> = Vec::new();
    for c in whole {
        let (Some(Process(root)), Blocks::Rooted { from, to, .. }) = (c.root, &c.blocks) else {
            continue;
        };
        let here = (from.get(usize::from(root == 0)), c.length.0);
        for side in Side::BOTH {
            let mut lengths: BTreeMap<u64, Vec<Transfer>> = BTreeMap::new();
            for t in found(&ends, side, root, here).iter().map(|k| left[*k]) {
                let there = (to.get(at(t.destination)), c.length.0);
                if t.destination_address == side.of(there, t.length) {
                    lengths.entry(t.length).or_default().push(t);
                }
            }
            for (length, present) in lengths {
                let expected = |p: u32| Expected {
                    source: Process(root),
                    source_address: Some(Address(side.of(here, length))),
                    destination: Process(p),
                    destination_address: Some(Address(
                        side.of((to.get(at(p)), c.length.0), length),
                    )),
                    length: Bytes(length),
                };
                let has = |p: u32| present.binary_search_by_key(&p, |t| t.destination).is_ok();
                let absent = (0..processes).filter(|p| *p != root && !has(*p));
                let absent_here = count(absent.clone().count());
                let missing: Vec<Expected> = absent.take(SHOWN).map(expected).collect();
                misses.push(NearMiss {
                    kind: Kind::Bcast,
                    root: c.root,
                    length: Bytes(length),
                    present: count(present.len()),
                    absent: absent_here,
                    instead: instead(left, &present, &missing),
                    missing,
                });
            }
        }
    }
    misses.retain(|miss| miss.absent > 0);
    misses
}

/// Results of reductions that lie beside those of one that was found, and are not made of what
/// lies beside its contributions.
pub(crate) fn reductions(processes: u32, detection: &Detection) -> Vec<PartialReduction> {
    let left: Vec<&Reduced> =
        detection.left_reduced.iter().filter(|r| r.contributions.is_some()).collect();
    if left.is_empty() {
        return Vec::new();
    }
    let ends = ends(left.iter().map(|r| (r.destination, r.address, r.length)));
    let mut partial: Vec<PartialReduction> = Vec::new();
    for c in detection.collectives.iter().filter(|c| c.group.members().is_none()) {
        let Blocks::Reduced { from, to, reduction, .. } = &c.blocks else { continue };
        let holders = match (c.kind, c.root) {
            (Kind::Allreduce, _) => 0..processes,
            (Kind::Reduce, Some(Process(root))) => root..root + 1,
            _ => continue,
        };
        for side in Side::BOTH {
            let mut wrong: BTreeMap<u64, Vec<PartialResult>> = BTreeMap::new();
            for p in holders.clone() {
                for k in found(&ends, side, p, (to.get(at(p)), c.length.0)) {
                    let expected = |i: u32| side.of((from.get(at(i)), c.length.0), left[*k].length);
                    if let Some(result) = unlike(processes, *reduction, left[*k], expected) {
                        wrong.entry(left[*k].length).or_default().push(result);
                    }
                }
            }
            partial.extend(wrong.into_iter().map(|(length, mut wrong)| {
                let present =
                    u64::from(holders.end - holders.start).saturating_sub(count(wrong.len()));
                wrong.truncate(SHOWN);
                PartialReduction {
                    kind: c.kind,
                    reduction: *reduction,
                    length: Bytes(length),
                    present,
                    wrong,
                }
            }));
        }
    }
    partial
}

/// Contributions to a reduction that do not lie beside those to the one whose result lies beside:
/// the operation's place, and which.
pub(crate) fn contributions(processes: u32, detection: &Detection) -> Vec<(usize, OddBlock)> {
    let reduces: Vec<(usize, &Collective, &Addresses, u32, u64)> = (0..)
        .zip(&detection.collectives)
        .filter_map(|(k, c)| match &c.blocks {
            Blocks::Reduced { from, to, .. }
                if matches!(c.kind, Kind::Reduce | Kind::Allreduce)
                    && c.group.members().is_none() =>
            {
                let root = c.root.map_or(0, |Process(root)| root);
                Some((k, c, from, root, to.get(at(root))))
            }
            _ => None,
        })
        .collect();
    let irregular = |from: &Addresses| !from.is_affine();
    if reduces.len() < 2 || !reduces.iter().any(|(_, _, from, ..)| irregular(from)) {
        return Vec::new();
    }
    let ends = ends(reduces.iter().map(|(_, c, _, root, to)| (*root, *to, c.length.0)));
    let mut odd = Vec::new();
    for (_, whole, from, root, to) in reduces.iter().filter(|(_, _, from, ..)| !irregular(from)) {
        for side in Side::BOTH {
            for k in found(&ends, side, *root, (*to, whole.length.0)) {
                let (place, c, here, ..) = reduces[*k];
                let expected = |p| side.of((from.get(at(p)), whole.length.0), c.length.0);
                let unlike = (0..processes).filter(|p| here.get(at(*p)) != expected(*p));
                // Elsewhere altogether, it is another operation.
                if !irregular(here) || unlike.clone().count() == at(processes) {
                    continue;
                }
                odd.extend(unlike.take(SHOWN).map(|p| {
                    let (given, expected) = (here.get(at(p)), expected(p));
                    let (what, source) = (Oddity::Read, Process(p));
                    (place, OddBlock { what, source, destination: None, given, expected })
                }));
            }
        }
    }
    odd.sort_unstable_by_key(|(place, o)| (*place, o.source));
    odd.dedup();
    odd
}

/// The contributions that a result lacks, and those that are too many, if it is not the sum of
/// what every process has at the address expected.
fn unlike(
    processes: u32,
    reduction: u32,
    result: &Reduced,
    expected: impl Fn(u32) -> u64,
) -> Option<PartialResult> {
    let contributions = result.contributions.as_ref().filter(|c| c.reduction == reduction)?;
    let memory = &contributions.memory;
    let has = |p: u32| memory.binary_search(&(p, expected(p))).is_ok();
    let missing: Vec<Process> =
        (0..processes).filter(|p| !has(*p)).take(SHOWN).map(Process).collect();
    let twice = memory.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let others = memory.iter().copied().filter(|(p, address)| *address != expected(*p));
    let extra: Vec<_> = others.chain(twice).take(SHOWN).map(|(p, a)| (Process(p), a)).collect();
    let process = Process(result.destination);
    (!missing.is_empty() || !extra.is_empty()).then(|| PartialResult {
        process,
        result: Some(result.clone()),
        missing,
        extra,
    })
}

//! Operations that are there but for a few transfers.
//!
//! Nothing is taken because of them: they only tell where to look for the message that spoils an
//! operation. Blocks of one length are looked at together: at least half of the pairs of processes
//! make it an allgather or alltoall, at least a quarter of the other processes a rooted operation
//! (a binomial tree that loses its first message loses half of them), if few processes look like
//! roots.

use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective, Kind};
use crate::detect::pieces;
use crate::detect::{Detection, beside};
use crate::ids::{Address, Bytes, Process};
use crate::number::{at, count};
use crate::transfers::Transfer;

/// A transfer that should be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    /// Whose bytes.
    pub source: Process,
    /// Where they should be read, if the others tell.
    pub source_address: Option<Address>,
    /// Who should get them.
    pub destination: Process,
    /// Where they should go, if the others tell.
    pub destination_address: Option<Address>,
    /// How many.
    pub length: Bytes,
}

/// A collective operation of which some transfers are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NearMiss {
    /// Which operation it would be.
    pub kind: Kind,
    /// Of a rooted one.
    pub root: Option<Process>,
    /// Length of a block.
    pub length: Bytes,
    /// How many of its transfers are there.
    pub present: u64,
    /// How many are not.
    pub absent: u64,
    /// The first [`SHOWN`] that are not.
    pub missing: Vec<Expected>,
    /// The first [`SHOWN`] transfers to where the missing ones should go, or from where they
    /// should come.
    pub instead: Vec<Transfer>,
}

/// So many transfers of each kind are named.
pub const SHOWN: usize = 32;

/// All near misses on all processes. O(n log n) in the transfers of lengths that are frequent
/// enough, O(n) in the others.
pub(crate) fn misses(processes: u32, detection: &Detection) -> Vec<NearMiss> {
    if processes < 3 {
        return Vec::new();
    }
    let mut found = beside::broadcasts(processes, detection);
    let atoms = atoms(processes, detection);
    let mut by_destination = atoms.clone();
    by_destination.sort_unstable();
    for class in atoms.chunk_by(|a, b| a.length == b.length) {
        if class.len() < at(processes).div_ceil(4) {
            continue;
        }
        let mut class = Class { processes, edges: class.to_vec(), atoms: &by_destination };
        if let Some(all) = class.all() {
            found.push(all);
        } else if class.has_hub() {
            for kind in [Kind::Bcast, Kind::Scatter, Kind::Gather] {
                found.extend(class.rooted(kind));
            }
        }
    }
    found
}

/// The transfers that are left or part of a rooted operation, in pieces, by length: of an
/// allgather that lacks one, broadcasts are found. None where no process has many.
fn atoms(processes: u32, detection: &Detection) -> Vec<Transfer> {
    let moves = |t: &Transfer| t.source != t.destination;
    let mut atoms: Vec<Transfer> = detection.left.iter().copied().filter(moves).collect();
    for c in suspicious(processes, &detection.collectives) {
        c.replay(|t| atoms.extend(Some(t).filter(moves)));
    }
    let mut degrees = vec![(0_u32, 0_u32); at(processes)];
    for t in &atoms {
        degrees[at(t.source)].0 += 1;
        degrees[at(t.destination)].1 += 1;
    }
    let few = processes.div_ceil(4);
    if degrees.iter().all(|(out, into)| *out < few && *into < few) {
        return Vec::new();
    }
    atoms.sort_unstable();
    let mut atoms = pieces::refined(processes, &atoms, &[]).unwrap_or(atoms);
    atoms.sort_unstable_by_key(|t| (t.length, t.source, t.source_address, t.destination));
    atoms
}

/// Operations that may be part of a better one: so many of a kind that they are nearly one of
/// every root, or scatters that are nearly broadcasts.
fn suspicious(processes: u32, all: &[Collective]) -> impl Iterator<Item = &Collective> {
    let rooted = [Kind::Bcast, Kind::Scatter, Kind::Gather];
    let many = rooted.map(|kind| {
        let same = all.iter().filter(|c| c.kind == kind).count();
        same.saturating_mul(2) >= at(processes)
    });
    all.iter().filter(move |c| {
        let irregular = match &c.blocks {
            Blocks::Rooted { from, .. } => c.kind == Kind::Scatter && !from.is_affine(),
            _ => c.kind == Kind::Allgatherv,
        };
        let one_of_many = rooted.iter().zip(many).any(|(kind, many)| many && c.kind == *kind);
        c.group.members().is_none() && (irregular || one_of_many)
    })
}

/// Transfers of one length, by source, source address and destination.
struct Class<'a> {
    processes: u32,
    edges: Vec<Transfer>,
    /// Of all lengths, by destination.
    atoms: &'a [Transfer],
}

impl Class<'_> {
    fn others(&self) -> u64 {
        u64::from(self.processes) - 1
    }

    /// Whether some process is the source or the destination of many.
    fn has_hub(&self) -> bool {
        let mut degrees = vec![(0_u64, 0_u64); at(self.processes)];
        for t in &self.edges {
            degrees[at(t.source)].0 += 1;
            degrees[at(t.destination)].1 += 1;
        }
        degrees.iter().any(|(out, into)| self.is_many(*(out.max(into))))
    }

    fn is_many(&self, edges: u64) -> bool {
        edges >= 2 && edges.saturating_mul(4) >= self.others()
    }

    /// An allgather or an alltoall that lacks some pairs.
    fn all(&self) -> Option<NearMiss> {
        let pairs = u64::from(self.processes) * self.others();
        if count(self.edges.len()).saturating_mul(2) < pairs {
            return None;
        }
        // Of each source the range that goes to most, as an allgather; any, as an alltoall.
        let mut gathered = Vec::new();
        for of_source in self.edges.chunk_by(|a, b| a.source == b.source) {
            let ranges = of_source.chunk_by(|a, b| a.source_address == b.source_address);
            let most = ranges.map(once_each).max_by_key(Vec::len);
            gathered.extend(most.into_iter().flatten());
        }
        let mut exchanged = self.edges.clone();
        exchanged.sort_by_key(|t| (t.source, t.destination));
        let exchanged = once_each(&exchanged);
        let half = |edges: &[Transfer]| count(edges.len()).saturating_mul(2) >= pairs;
        let (kind, edges) = match half(&gathered) {
            true => (Kind::Allgather, gathered),
            false => (Kind::Alltoall, exchanged),
        };
        let lacks = half(&edges) && count(edges.len()) < pairs;
        lacks.then(|| self.miss(kind, None, &edges))
    }

    /// Rooted operations that lack some; their edges are removed.
    fn rooted(&mut self, kind: Kind) -> Vec<NearMiss> {
        let group = |t: &Transfer| match kind {
            Kind::Bcast => (t.source, t.source_address),
            Kind::Scatter => (t.source, 0),
            _ => (t.destination, 0),
        };
        let other = |t: &Transfer| if kind == Kind::Gather { t.source } else { t.destination };
        let mut edges = std::mem::take(&mut self.edges);
        edges.sort_by_key(|t| (group(t), other(t)));
        let candidates: Vec<Vec<Transfer>> = edges
            .chunk_by(|a, b| group(a) == group(b))
            .filter(|same| self.is_many(count(same.len())))
            .map(once_each)
            .filter(|same| self.is_many(count(same.len())))
            .collect();
        // Where many processes look like roots, they exchange something else.
        let few = candidates.len() <= at(self.processes).div_ceil(4);
        let mut misses = Vec::new();
        for candidate in candidates.iter().filter(|_| few) {
            let root = group(&candidate[0]).0;
            if count(candidate.len()) < self.others() {
                misses.push(self.miss(kind, Some(root), candidate));
            }
        }
        let mut taken: Vec<Transfer> = candidates.into_iter().filter(|_| few).flatten().collect();
        taken.sort_unstable();
        edges.retain(|t| taken.binary_search(t).is_err());
        self.edges = edges;
        misses
    }

    /// The operation, given what there is of it.
    fn miss(&self, kind: Kind, root: Option<u32>, edges: &[Transfer]) -> NearMiss {
        let mut pairs: Vec<(u32, u32)> = edges.iter().map(|t| (t.source, t.destination)).collect();
        pairs.sort_unstable();
        let all = 0..self.processes;
        let wanted = all.clone().flat_map(|i| all.clone().map(move |j| (i, j)));
        let wanted = wanted.filter(|(i, j)| {
            let is_root = |p: &u32| root.is_none_or(|root| root == *p);
            i != j && is_root(if kind == Kind::Gather { j } else { i })
        });
        let absent = match root {
            Some(_) => self.others(),
            None => u64::from(self.processes) * self.others(),
        } - count(pairs.len());
        let length = edges.first().map_or(0, |t| t.length);
        let missing: Vec<Expected> = wanted
            .filter(|pair| pairs.binary_search(pair).is_err())
            .take(SHOWN.min(usize::try_from(absent).unwrap_or(SHOWN)))
            .map(|(i, j)| Expected {
                source: Process(i),
                source_address: line(edges, (i, j), |t| t.source_address).map(Address),
                destination: Process(j),
                destination_address: line(edges, (i, j), |t| t.destination_address).map(Address),
                length: Bytes(length),
            })
            .collect();
        let mut present = edges.to_vec();
        present.sort_unstable();
        let instead = instead(self.atoms, &present, &missing);
        NearMiss {
            kind,
            root: root.map(Process),
            length: Bytes(length),
            present: count(pairs.len()),
            absent,
            missing,
            instead,
        }
    }
}

/// One transfer of each pair of processes, the first.
fn once_each(sorted: &[Transfer]) -> Vec<Transfer> {
    let mut all = sorted.to_vec();
    all.dedup_by_key(|t| (t.source, t.destination));
    all
}

/// The address that a pair of processes should have: on the line through those of the same source,
/// or else through those of the same destination.
fn line(
    edges: &[Transfer],
    (source, destination): (u32, u32),
    address: impl Fn(&Transfer) -> u64,
) -> Option<u64> {
    let along = |same: &dyn Fn(&Transfer) -> bool, place: &dyn Fn(&Transfer) -> u32, at_place| {
        let mut points: Vec<(u32, u64)> =
            edges.iter().filter(|t| same(t)).map(|t| (place(t), address(t))).collect();
        points.sort_unstable();
        let mut rest = points.iter().peekable();
        let last = points.last()?.0;
        let cells = (0..=last).map(|p| rest.next_if(|(q, _)| *q == p).map(|(_, a)| *a));
        let all = Addresses::collect(cells, 0);
        (points.len() > 1 && all.is_affine()).then(|| all.get(at(at_place)))
    };
    along(&|t| t.source == source, &|t| t.destination, destination)
        .or_else(|| along(&|t| t.destination == destination, &|t| t.source, source))
}

/// The transfers that overlap a missing one at either end and are not `present`; all sorted.
pub(crate) fn instead(
    atoms: &[Transfer],
    present: &[Transfer],
    missing: &[Expected],
) -> Vec<Transfer> {
    let other = |t: &&Transfer| present.binary_search(t).is_err();
    let mut found: Vec<Transfer> = Vec::new();
    for e in missing {
        if let Some(Address(start)) = e.destination_address {
            let (here, end) = (e.destination.0, start.saturating_add(e.length.0));
            let past = atoms.partition_point(|t| {
                (t.destination, t.destination_address.saturating_add(t.length)) <= (here, start)
            });
            let inside = |t: &&Transfer| (t.destination, t.destination_address) < (here, end);
            found.extend(atoms[past..].iter().take_while(inside).filter(other).take(SHOWN));
        }
    }
    let from = |e: &Expected| {
        let Address(start) = e.source_address?;
        Some((e.source.0, start, start.saturating_add(e.length.0)))
    };
    let mut sources: Vec<_> = missing.iter().filter_map(from).collect();
    sources.sort_unstable();
    sources.dedup();
    let comes_from = |t: &&Transfer| {
        let past =
            sources.partition_point(|(p, _, end)| (*p, *end) <= (t.source, t.source_address));
        let end = t.source_address.saturating_add(t.length);
        sources.get(past).is_some_and(|(p, start, _)| *p == t.source && *start < end)
    };
    if found.len() < SHOWN {
        found.extend(atoms.iter().filter(comes_from).filter(other).take(SHOWN));
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(SHOWN);
    found
}

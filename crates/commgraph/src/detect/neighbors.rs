//! Neighbourhood and halo exchange: every process of a grid exchanges with those next to it.
//!
//! The grid is inferred. On one that is numbered as `MPI_Cart_create` does, a neighbour is as far
//! away in rank as the stride of its dimension, except across the border; so the strides are among
//! the differences of ranks that at least half of the processes send over. Each choice of them is
//! tried, the largest taken: all processes must exchange with all neighbours along the axes.
//! Diagonal ones are added where all exchange with them. In a dimension of two processes, both
//! neighbours are the same process, and what goes to it is one block.

use std::collections::HashMap;

use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective, Kind, Neighbor, Pieces};
use crate::detect::grid::Grid;
use crate::detect::group::Group;
use crate::detect::work::Work;
use crate::ids::Bytes;
use crate::number::{at, id};
use crate::transfers::Transfer;

/// Takes exchanges on grids, as long as there are some. O(n log n) for each.
pub(crate) fn exchanges(work: &mut Work) {
    while exchange(work) {}
}

fn exchange(work: &mut Work) -> bool {
    let p = work.processes;
    // Everybody has a neighbour, and gives and gets.
    if work.counts(|t| t.source).contains(&0) || work.counts(|t| t.destination).contains(&0) {
        return false;
    }
    let pairs = Pairs::of(work);
    // Where everybody talks to everybody, neighbours mean nothing.
    if p < 3 || pairs.distinct() == at(p).saturating_mul(at(p) - 1) {
        return false;
    }
    let fits = candidates(&pairs, p).into_iter().filter_map(|dims| fit(&pairs, dims));
    // Diagonal neighbours on one grid can look like those along the axes of another. Of equals,
    // the first.
    let found = fits.reduce(|a, b| if b.1.len() > a.1.len() { b } else { a });
    let found = found.filter(|(_, picks)| !goes_on(&pairs, picks));
    found.is_some_and(|(collective, picks)| work.take(collective, &picks))
}

/// Whether half of the processes send more blocks of the same length: rows that gather all from
/// all look like an exchange of neighbours and something else.
fn goes_on(pairs: &Pairs, picks: &[u32]) -> bool {
    let block = |pick: u32| (pairs.get(pick).source, pairs.get(pick).length);
    let mut taken: Vec<(u32, u64)> = picks.iter().map(|pick| block(*pick)).collect();
    let mut all: Vec<(u32, u64)> = pairs.sorted.iter().map(|pick| block(*pick)).collect();
    taken.sort_unstable();
    all.sort_unstable();
    let mut rest = taken.chunk_by(|a, b| a == b).peekable();
    let mut more: Vec<u32> = all
        .chunk_by(|a, b| a == b)
        .filter(|same| rest.next_if(|t| t[0] == same[0]).is_some_and(|t| t.len() < same.len()))
        .map(|same| same[0].0)
        .collect();
    more.dedup();
    more.len() * 2 >= at(pairs.work.processes)
}

/// The free transfers, by source, destination, length and source address.
struct Pairs<'a> {
    work: &'a Work,
    sorted: Vec<u32>,
    /// Where those of each source start, and at last where they end.
    first: Vec<u32>,
}

impl<'a> Pairs<'a> {
    fn of(work: &'a Work) -> Self {
        let key = |t: &Transfer| {
            (t.source, t.destination, t.length, t.source_address, t.destination_address)
        };
        let sorted = work.sorted_by_key(key);
        let mut first = vec![0; at(work.processes) + 1];
        sorted.iter().for_each(|pick| first[at(work.get(*pick).source) + 1] += 1);
        for k in 1..first.len() {
            first[k] += first[k - 1];
        }
        Pairs { work, sorted, first }
    }

    fn get(&self, pick: u32) -> &Transfer {
        self.work.get(pick)
    }

    /// The transfers from one process to another.
    fn between(&self, source: u32, destination: u32) -> &[u32] {
        let all = &self.sorted[at(self.first[at(source)])..at(self.first[at(source) + 1])];
        let start = all.partition_point(|pick| self.get(*pick).destination < destination);
        let rest = &all[start..];
        &rest[..rest.partition_point(|pick| self.get(*pick).destination == destination)]
    }

    fn is_pair(&self, source: u32, destination: u32) -> bool {
        !self.between(source, destination).is_empty()
    }

    /// How many pairs of processes there are.
    fn distinct(&self) -> usize {
        let pair = |pick: u32| (self.get(pick).source, self.get(pick).destination);
        self.sorted.chunk_by(|a, b| pair(*a) == pair(*b)).count()
    }
}

/// The dimensions of grids that may be there, three of them first.
fn candidates(pairs: &Pairs, p: u32) -> Vec<Vec<u32>> {
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let mut last = None;
    for pick in &pairs.sorted {
        let t = pairs.get(*pick);
        if t.destination > t.source && last != Some((t.source, t.destination)) {
            *counts.entry(t.destination - t.source).or_default() += 1;
        }
        last = Some((t.source, t.destination));
    }
    let is_stride = |(d, n): (u32, u32)| (n >= p / 2 && p.is_multiple_of(d)).then_some(d);
    let mut strides: Vec<u32> = counts.into_iter().filter_map(is_stride).collect();
    strides.sort_unstable();
    if strides.first() != Some(&1) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (k, row) in strides.iter().enumerate().skip(1) {
        let planes = strides[k + 1..].iter().filter(|plane| plane.is_multiple_of(*row));
        found.extend(planes.map(|plane| vec![p / plane, plane / row, *row]));
    }
    found.extend(strides.iter().skip(1).map(|row| vec![p / row, *row]));
    found.push(vec![p]);
    found.retain(|dims| dims.iter().all(|n| *n > 1));
    found
}

/// An exchange of all on a grid, and its transfers in the order of its replay.
fn fit(pairs: &Pairs, dims: Vec<u32>) -> Option<(Collective, Vec<u32>)> {
    let grid = Grid { periodic: periods(pairs, &dims), dims };
    let axes = axes(grid.dims.len());
    let mut directions = Vec::new();
    for offset in axes {
        directions.push(Direction::of(pairs, &grid, offset)?);
    }
    let axes = directions.len();
    for (a, b) in diagonals(grid.dims.len()) {
        if let (Some(a), Some(b)) = (Direction::of(pairs, &grid, a), Direction::of(pairs, &grid, b))
        {
            directions.extend([a, b]);
        }
    }
    let p = pairs.work.processes;
    // Opposite directions are next to each other.
    let opposite = |k: usize| &directions[k ^ 1];
    let mut picks = Vec::new();
    for j in 0..p {
        for (k, direction) in directions.iter().enumerate() {
            if let Some(i) = grid.neighbor(j, &direction.offset) {
                picks.extend_from_slice(opposite(k).of_rank(i));
            }
        }
    }
    let length_of = |d: &Direction, r: u32| d.first(r).map(|pick| pairs.get(pick).length);
    let all = || directions.iter().flat_map(|d| (0..p).filter_map(|r| length_of(d, r)));
    let (shortest, longest) = (all().min().unwrap_or(0), all().max().unwrap_or(0));
    let plain = axes == directions.len() && directions.iter().all(|d| d.pieces.count == 1);
    let kind = match plain {
        true if shortest == longest => Kind::NeighborAlltoall,
        true => Kind::NeighborAlltoallv,
        false => Kind::NeighborAlltoallw,
    };
    let neighbor = |(k, d): (usize, &Direction)| {
        let by_rank = |value: &dyn Fn(u32) -> Option<u64>| Addresses::collect((0..p).map(value), 0);
        let comes_from = |r| grid.neighbor(r, &d.offset).and_then(|i| opposite(k).first(i));
        Neighbor {
            offset: d.offset.clone(),
            from: by_rank(&|r| d.first(r).map(|pick| pairs.get(pick).source_address)),
            to: by_rank(&|r| comes_from(r).map(|pick| pairs.get(pick).destination_address)),
            lengths: by_rank(&|r| length_of(d, r)),
            pieces: d.pieces.clone(),
        }
    };
    let neighbors = directions.iter().enumerate().map(neighbor).collect();
    let collective = Collective {
        kind,
        root: None,
        group: Group::All(p),
        length: Bytes(longest),
        own: false,
        transfers: 0,
        blocks: Blocks::Neighbors { grid, neighbors },
        pieces: Pieces::ONE,
    };
    Some((collective, picks))
}

/// The dimensions of more than two processes whose first and last ones all exchange.
fn periods(pairs: &Pairs, dims: &[u32]) -> Vec<bool> {
    let grid = Grid { dims: dims.to_vec(), periodic: vec![true; dims.len()] };
    let exchanges = |k: usize| {
        let mut before = vec![0; dims.len()];
        before[k] = -1;
        (0..pairs.work.processes).filter(|r| grid.coordinates(*r)[k] == 0).all(|r| {
            let last = grid.neighbor(r, &before);
            last.is_some_and(|last| pairs.is_pair(r, last) && pairs.is_pair(last, r))
        })
    };
    (0..dims.len()).map(|k| dims[k] > 2 && exchanges(k)).collect()
}

/// The neighbours along the axes, in MPI's order.
fn axes(dims: usize) -> Vec<Vec<i32>> {
    let along = |k: usize| {
        [-1, 1].map(|step| {
            let mut offset = vec![0; dims];
            offset[k] = step;
            offset
        })
    };
    (0..dims).flat_map(along).collect()
}

/// The other neighbours, each with the opposite one.
fn diagonals(dims: usize) -> Vec<(Vec<i32>, Vec<i32>)> {
    let mut all: Vec<Vec<i32>> = vec![vec![]];
    for _ in 0..dims {
        let longer = |v: &Vec<i32>| [-1, 0, 1].map(|step| [&v[..], &[step]].concat());
        all = all.iter().flat_map(longer).collect();
    }
    let is_diagonal = |v: &&Vec<i32>| v.iter().filter(|step| **step != 0).count() > 1;
    let first = |v: &&Vec<i32>| v.iter().find(|step| **step != 0) == Some(&-1);
    let opposite = |v: &Vec<i32>| v.iter().map(|step| -step).collect();
    all.iter().filter(is_diagonal).filter(first).map(|v| (v.clone(), opposite(v))).collect()
}

/// The messages of all processes in one direction.
struct Direction {
    offset: Vec<i32>,
    pieces: Pieces,
    /// For each rank as many transfers as there are pieces; [`NOBODY`] where it has no neighbour
    /// there.
    picks: Vec<u32>,
}

const NOBODY: u32 = u32::MAX;

/// Where pieces lie from the first one on: read, written.
type Shape = Vec<(u64, u64)>;

impl Direction {
    /// One block of the same shape of each process that has a neighbour there, if all send one. Of
    /// several the one that most processes send.
    fn of(pairs: &Pairs, grid: &Grid, offset: Vec<i32>) -> Option<Direction> {
        let p = pairs.work.processes;
        let neighbors: Vec<Option<u32>> = (0..p).map(|r| grid.neighbor(r, &offset)).collect();
        let sends = |(r, to): (u32, &Option<u32>)| to.is_none_or(|to| pairs.is_pair(r, to));
        if !(0..p).zip(&neighbors).all(sends) {
            return None;
        }
        let lists = || (0..p).zip(&neighbors).filter_map(|(r, to)| Some(pairs.between(r, (*to)?)));
        if lists().all(|list| list.len() == 1) {
            let one =
                |(r, to): (u32, &Option<u32>)| to.map_or(NOBODY, |to| pairs.between(r, to)[0]);
            let picks = (0..p).zip(&neighbors).map(one).collect();
            return Some(Direction { offset, pieces: Pieces::ONE, picks });
        }
        let mut votes: HashMap<(u64, Shape), usize> = HashMap::new();
        for list in lists() {
            for same in list.chunk_by(|a, b| pairs.get(*a).length == pairs.get(*b).length) {
                *votes.entry((pairs.get(same[0]).length, shape(pairs, same))).or_default() += 1;
            }
        }
        let ((length, shape), _) = votes
            .into_iter()
            .max_by_key(|((length, shape), n)| (*n, shape.len(), *length, shape.clone()))?;
        let mut picks = Vec::with_capacity(neighbors.len() * shape.len());
        for (r, to) in (0..p).zip(&neighbors) {
            match to {
                Some(to) => picks.extend(embedded(pairs, pairs.between(r, *to), length, &shape)?),
                None => picks.extend(std::iter::repeat_n(NOBODY, shape.len())),
            }
        }
        let pieces = Pieces {
            count: id(shape.len()),
            from: Addresses::collect(shape.iter().map(|(from, _)| Some(*from)), 0),
            to: Addresses::collect(shape.iter().map(|(_, to)| Some(*to)), 0),
        };
        Some(Direction { offset, pieces, picks })
    }

    fn of_rank(&self, rank: u32) -> &[u32] {
        let count = at(self.pieces.count);
        &self.picks[at(rank) * count..(at(rank) + 1) * count]
    }

    fn first(&self, rank: u32) -> Option<u32> {
        self.of_rank(rank).first().copied().filter(|pick| *pick != NOBODY)
    }
}

/// The shape of transfers, by source address.
fn shape(pairs: &Pairs, picks: &[u32]) -> Shape {
    let first = pairs.get(picks[0]);
    let apart = |t: &Transfer| {
        let from = t.source_address.wrapping_sub(first.source_address);
        (from, t.destination_address.wrapping_sub(first.destination_address))
    };
    picks.iter().map(|pick| apart(pairs.get(*pick))).collect()
}

/// Transfers of this length and shape among those of one pair. Quadratic in them where others are
/// there too.
fn embedded(pairs: &Pairs, list: &[u32], length: u64, wanted: &Shape) -> Option<Vec<u32>> {
    let start = list.partition_point(|pick| pairs.get(*pick).length < length);
    let rest = &list[start..];
    let same = &rest[..rest.partition_point(|pick| pairs.get(*pick).length == length)];
    if same.len() == wanted.len() && shape(pairs, same) == *wanted {
        return Some(same.to_vec());
    }
    same.iter().find_map(|anchor| {
        let t = pairs.get(*anchor);
        let piece = |(from, to): &(u64, u64)| {
            let key =
                (t.source_address.wrapping_add(*from), t.destination_address.wrapping_add(*to));
            let of = |pick: &u32| {
                (pairs.get(*pick).source_address, pairs.get(*pick).destination_address)
            };
            same.binary_search_by_key(&key, of).ok().map(|place| same[place])
        };
        wanted.iter().map(piece).collect()
    })
}

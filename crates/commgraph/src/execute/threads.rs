//! Runs schedules whose processes all live in this one, on the threads of a pool.
//!
//! The memory of every process is at hand: a message is one copy, from where the data are to where
//! they go. What happens at the same time is decided beforehand ([`moves`](super::moves)); a run
//! cuts the memories into disjoint slices, and shares the moves of a round out among the threads
//! of `rayon`'s pool, which sleep when there is nothing to do. A reduction reads all contributions
//! at once, each thread its own part of them, and adds them in the order of a binary tree.

use rayon::prelude::*;

use super::Executor;
use super::arithmetic::Combiner;
use super::error::ScheduleError;
use super::moves::{Move, Round, Spot, Work, rounds};
use crate::number::at;
use crate::schedule::Schedule;

/// The executor for processes that are parts of this one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Threads;

/// The memory of one process of the graph.
#[derive(Debug)]
pub struct Image<'m> {
    /// The address of its first byte.
    pub start: u64,
    /// Its bytes.
    pub bytes: &'m mut [u8],
}

/// A schedule, ready to run.
pub struct Ready {
    rounds: Vec<Prepared>,
    /// Of each process, besides its memory.
    scratch: Vec<Vec<u8>>,
}

struct Prepared {
    moves: Round,
    /// The moves in the order of what they write.
    order: Vec<u32>,
    bytes: u64,
}

impl Executor for Threads {
    type Source = Schedule;
    type Ready = Ready;
    type Memory<'m> = Vec<Image<'m>>;
    type Error = ScheduleError;

    fn prepare(&self, schedule: &Schedule) -> Result<Ready, ScheduleError> {
        let (rounds, scratch) = rounds(schedule)?;
        let prepared = rounds.into_iter().map(|moves| {
            let mut order: Vec<u32> = (0..).take(moves.len()).collect();
            order.sort_unstable_by_key(|m| moves[at(*m)].into);
            let bytes = moves.iter().map(|m| m.length).sum();
            Prepared { moves, order, bytes }
        });
        let bytes = |n: u64| vec![0; usize::try_from(n).unwrap_or(usize::MAX)];
        let scratch = scratch.into_iter().map(bytes).collect();
        Ok(Ready { rounds: prepared.collect(), scratch })
    }

    fn run(&self, ready: &mut Ready, mut memory: Vec<Image<'_>>) -> Result<(), ScheduleError> {
        let Ready { rounds, scratch } = ready;
        if memory.len() != scratch.len() {
            let (given, processes) = (memory.len(), scratch.len());
            return Err(ScheduleError::Memories { given, processes });
        }
        rounds.iter().try_for_each(|round| {
            let images = memory.iter_mut().map(|image| (image.start, &mut *image.bytes));
            let scratch = scratch.iter_mut().map(|bytes| (0, &mut bytes[..]));
            let spaces = images.zip(scratch).flat_map(|(image, scratch)| [image, scratch]);
            round.run(spaces.collect())
        })
    }
}

/// Bytes of a round below which one thread is faster than several.
const SMALL: u64 = 128 * 1024;
/// The bytes that one thread takes at a time; whole elements of any type.
const CHUNK: usize = 64 * BLOCK;

/// A move with its memory.
struct Cut<'a> {
    into: &'a mut [u8],
    work: CutWork<'a>,
}

enum CutWork<'a> {
    Copy(&'a [u8]),
    Reduce { from: Vec<&'a [u8]>, own: bool, with: Combiner },
}

impl Prepared {
    fn run(&self, spaces: Vec<(u64, &mut [u8])>) -> Result<(), ScheduleError> {
        let cuts = self.cut(spaces)?;
        if self.bytes < SMALL {
            cuts.into_iter().for_each(Cut::run);
        } else {
            let chunks: Vec<Cut> = cuts.into_iter().flat_map(Cut::chunks).collect();
            chunks.into_par_iter().for_each(Cut::run);
        }
        Ok(())
    }

    /// Cuts the spaces into what each move writes, and what is left to read.
    fn cut<'a>(&self, spaces: Vec<(u64, &'a mut [u8])>) -> Result<Vec<Cut<'a>>, ScheduleError> {
        let mut written: Vec<Option<&'a mut [u8]>> = Vec::new();
        written.resize_with(self.moves.len(), || None);
        let mut left: Vec<Vec<(u64, &'a [u8])>> = Vec::with_capacity(spaces.len());
        let mut order = self.order.iter().copied().peekable();
        for (space, (start, bytes)) in spaces.into_iter().enumerate() {
            let (mut here, mut rest, mut gaps) = (start, bytes, Vec::new());
            while let Some(m) = order.next_if(|m| self.moves[at(*m)].into.space == space) {
                let Move { into, length, .. } = &self.moves[at(m)];
                let outside = || outside(space, into.at, *length);
                let gap = into.at.checked_sub(here).ok_or_else(outside)?;
                let (gap, after) = split(rest, gap).ok_or_else(outside)?;
                let (own, after) = split(after, *length).ok_or_else(outside)?;
                gaps.push((here, &*gap));
                written[at(m)] = Some(own);
                (here, rest) = (into.at + length, after);
            }
            gaps.push((here, &*rest));
            left.push(gaps);
        }
        let read = |spot: Spot, length: u64| {
            let gaps = left.get(spot.space).map_or(&[][..], |gaps| gaps);
            let gap = gaps.partition_point(|(start, _)| *start <= spot.at).checked_sub(1);
            let found = gap.and_then(|gap| {
                let (start, bytes) = gaps[gap];
                let from = usize::try_from(spot.at - start).ok()?;
                bytes.get(from..from.checked_add(usize::try_from(length).ok()?)?)
            });
            found.ok_or_else(|| outside(spot.space, spot.at, length))
        };
        let cuts = self.moves.iter().zip(written).map(|(m, into)| {
            let into = into.ok_or_else(|| outside(m.into.space, m.into.at, m.length))?;
            let work = match &m.work {
                Work::Copy(from) => CutWork::Copy(read(*from, m.length)?),
                Work::Reduce { from, own, with } => {
                    let from = from.iter().map(|spot| read(*spot, m.length));
                    let from = from.collect::<Result<_, _>>()?;
                    CutWork::Reduce { from, own: *own, with: *with }
                }
            };
            Ok(Cut { into, work })
        });
        cuts.collect()
    }
}

fn split(bytes: &mut [u8], n: u64) -> Option<(&mut [u8], &mut [u8])> {
    bytes.split_at_mut_checked(usize::try_from(n).ok()?)
}

fn outside(space: usize, address: u64, length: u64) -> ScheduleError {
    ScheduleError::Outside { process: space / 2, address, length }
}

impl<'a> Cut<'a> {
    fn run(self) {
        match self.work {
            CutWork::Copy(from) => self.into.copy_from_slice(from),
            CutWork::Reduce { from, own, with } => sum(self.into, &from, own, with),
        }
    }

    /// The same in pieces that threads can share.
    fn chunks(self) -> Vec<Cut<'a>> {
        if self.into.len() <= CHUNK {
            return vec![self];
        }
        let part =
            |bytes: &'a [u8], k: usize| &bytes[k * CHUNK..((k + 1) * CHUNK).min(bytes.len())];
        let chunks = self.into.chunks_mut(CHUNK).enumerate().map(|(k, into)| {
            let work = match &self.work {
                CutWork::Copy(from) => CutWork::Copy(part(from, k)),
                CutWork::Reduce { from, own, with } => {
                    let from = from.iter().map(|from| part(from, k)).collect();
                    CutWork::Reduce { from, own: *own, with: *with }
                }
            };
            Cut { into, work }
        });
        chunks.collect()
    }
}

/// Bytes that are summed at a time, so that partial sums stay in the first cache; whole elements
/// of any type.
const BLOCK: usize = 4096;

/// All contributions together, in the order of a binary tree: with `own`, added to what is there.
fn sum(into: &mut [u8], from: &[&[u8]], own: bool, with: Combiner) {
    if from.is_empty() {
        return;
    }
    for (k, block) in into.chunks_mut(BLOCK).enumerate() {
        if own {
            let mut rest = [0; BLOCK];
            let rest = &mut rest[..block.len()];
            tree(rest, from, k * BLOCK, with);
            with(block, rest);
        } else {
            tree(block, from, k * BLOCK, with);
        }
    }
}

fn tree(into: &mut [u8], from: &[&[u8]], start: usize, with: Combiner) {
    let part =
        |from: &[u8]| -> std::ops::Range<usize> { start..(start + into.len()).min(from.len()) };
    match from {
        [] => {}
        [one] => into.copy_from_slice(&one[part(one)]),
        [one, other] => {
            let (one, other) = (&one[part(one)], &other[part(other)]);
            into.copy_from_slice(one);
            with(into, other);
        }
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            tree(into, left, start, with);
            let mut rest = [0; BLOCK];
            let rest = &mut rest[..into.len()];
            tree(rest, right, start, with);
            with(into, rest);
        }
    }
}

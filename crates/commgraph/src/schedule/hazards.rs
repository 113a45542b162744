//! In which order the parts of a schedule run, and what must be copied first.
//!
//! Every part reads memory as it was at the start, and no byte is written by two. So a part that
//! reads what another one writes goes before it. Where that leads round in a circle, or a part
//! reads what it writes itself, a process makes a copy at the start, and the part reads that.

use std::collections::{BTreeMap, BTreeSet};

use crate::number::{at, id};

/// The memory that a part reads and writes at one process: ranges, start and end.
#[derive(Debug, Default)]
pub(crate) struct Access {
    pub part: u32,
    pub reads: Vec<(u64, u64)>,
    pub writes: Vec<(u64, u64)>,
}

/// Which part reads, at which process, what which part writes.
#[derive(Debug, Default)]
pub(crate) struct Hazards {
    /// Reader and writer, and where they meet.
    meet: BTreeMap<(u32, u32), BTreeSet<u32>>,
}

impl Hazards {
    /// Adds what the parts do at one process. O(n log n) in the ranges and their meetings.
    pub(crate) fn add(&mut self, process: u32, parts: &[Access]) {
        let mut writes: Vec<(u64, u64, u32)> = Vec::new();
        for access in parts {
            writes.extend(access.writes.iter().map(|(start, end)| (*start, *end, access.part)));
        }
        writes.sort_unstable();
        for access in parts {
            for (start, end) in &access.reads {
                let first = writes.partition_point(|(_, past, _)| past <= start);
                for (_, _, writer) in writes[first..].iter().take_while(|(s, _, _)| s < end) {
                    self.meet.entry((access.part, *writer)).or_default().insert(process);
                }
            }
        }
    }

    /// The parts in an order in which as few as possible read what is already overwritten: those
    /// that nobody must precede first, by number; in a circle the lowest number.
    pub(crate) fn order(&self, parts: u32) -> Vec<u32> {
        let others = || self.meet.keys().filter(|(reader, writer)| reader != writer);
        let mut waits = vec![0_u32; at(parts)];
        let mut after: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (reader, writer) in others() {
            waits[at(*writer)] += 1;
            after.entry(*reader).or_default().push(*writer);
        }
        let mut left: BTreeSet<u32> = (0..parts).collect();
        let mut ready: BTreeSet<u32> = (0..parts).filter(|part| waits[at(*part)] == 0).collect();
        let mut order = Vec::with_capacity(at(parts));
        while let Some(next) = ready.pop_first().or_else(|| left.first().copied()) {
            left.remove(&next);
            order.push(next);
            for writer in after.get(&next).into_iter().flatten() {
                waits[at(*writer)] -= 1;
                if waits[at(*writer)] == 0 && left.contains(writer) {
                    ready.insert(*writer);
                }
            }
        }
        order
    }

    /// Where each part must read a copy, if the parts run in this order: by part, the processes
    /// where it reads what an earlier part writes, and those where it reads what it writes itself.
    pub(crate) fn copies(&self, order: &[u32]) -> Vec<Copies> {
        let mut place = vec![0_u32; order.len()];
        order.iter().enumerate().for_each(|(k, part)| place[at(*part)] = id(k));
        let mut copies = vec![Copies::default(); order.len()];
        for ((reader, writer), processes) in &self.meet {
            let list = &mut copies[at(*reader)];
            if reader == writer {
                list.own.extend(processes);
            } else if place[at(*writer)] < place[at(*reader)] {
                list.others.extend(processes);
            }
        }
        copies
    }
}

/// The processes where a part must read a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Copies {
    /// Because an earlier part overwrites what it reads.
    pub others: BTreeSet<u32>,
    /// Because it overwrites that itself.
    pub own: BTreeSet<u32>,
}

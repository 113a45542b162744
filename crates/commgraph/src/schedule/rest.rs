//! The transfers that are part of no collective: one message for each transfer, and results of
//! reductions computed where they are wanted.

use std::collections::HashMap;

use super::hazards::Access;
use super::{Job, Place, Task};
use crate::dataflow::Reduced;
use crate::number::{at, id};
use crate::operation::Reduction;
use crate::transfers::Transfer;

/// Transfers and results that messages bring about.
#[derive(Debug, Default)]
pub(crate) struct Rest {
    pub transfers: Vec<Transfer>,
    pub reduced: Vec<Reduced>,
}

/// The jobs of one process, and the copies that it has to make before everything else.
#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    pub first: Vec<Job>,
    pub jobs: Vec<Job>,
    pub scratch: u64,
}

impl Rest {
    pub(crate) fn is_empty(&self) -> bool {
        self.transfers.is_empty() && self.reduced.is_empty()
    }

    /// Whether every result can be computed from its contributions.
    pub(crate) fn is_possible(&self, reductions: &[Reduction]) -> bool {
        self.reduced.iter().all(|r| {
            r.contributions.as_ref().is_some_and(|c| {
                let element = reductions[at(c.reduction)].element.size();
                r.length.is_multiple_of(element)
            })
        })
    }

    /// The memory that it reads and writes, by process.
    pub(crate) fn accesses(&self, processes: u32, part: u32) -> Vec<Access> {
        let mut all: Vec<Access> =
            (0..processes).map(|_| Access { part, ..Access::default() }).collect();
        let range = |start: u64, length: u64| (start, start.saturating_add(length));
        for t in &self.transfers {
            all[at(t.source)].reads.push(range(t.source_address, t.length));
            all[at(t.destination)].writes.push(range(t.destination_address, t.length));
        }
        for r in &self.reduced {
            all[at(r.destination)].writes.push(range(r.address, r.length));
            for (process, from) in r.contributions.iter().flat_map(|c| &c.memory) {
                all[at(*process)].reads.push(range(*from, r.length));
            }
        }
        all
    }

    /// The jobs of all processes. `copies`: processes that read copies made at the start. A
    /// message starts at once; what overwrites it waits until it is gone. Near-linear in transfers
    /// and contributions.
    pub(crate) fn work(
        &self,
        reductions: &[Reduction],
        scratch: &[u64],
        copies: impl Fn(u32) -> bool,
    ) -> Vec<Work> {
        let accesses = self.accesses(id(scratch.len()), 0);
        let mut makers: Vec<Maker> = (0..)
            .zip(accesses)
            .zip(scratch)
            .map(|((process, access), scratch)| {
                Maker::new(access.writes, *scratch, copies(process))
            })
            .collect();
        let mut tags = Tags::default();
        for t in &self.transfers {
            let (from, into) = (t.source_address, t.destination_address);
            if t.source == t.destination {
                makers[at(t.source)].copy(from, into, t.length);
            } else {
                let tag = tags.next(t.source, t.destination);
                makers[at(t.source)].send(from, t.length, t.destination, tag);
                makers[at(t.destination)].receive(into, t.length, t.source, tag);
            }
        }
        for r in &self.reduced {
            let Some(contributions) = &r.contributions else { continue };
            let reduction = reductions[at(contributions.reduction)];
            for (process, from) in &contributions.memory {
                if *process != r.destination {
                    let tag = tags.next(*process, r.destination);
                    makers[at(*process)].send(*from, r.length, r.destination, tag);
                    makers[at(r.destination)].contribution(*process, tag, r.length, reduction);
                } else {
                    makers[at(r.destination)].own_contribution(*from, r.length, reduction);
                }
            }
            makers[at(r.destination)].result(r.address, r.length);
        }
        makers.into_iter().map(Maker::finish).collect()
    }
}

/// Numbers the messages of every pair of processes.
#[derive(Default)]
struct Tags(HashMap<(u32, u32), u32>);

impl Tags {
    fn next(&mut self, from: u32, to: u32) -> u32 {
        let tag = self.0.entry((from, to)).or_default();
        *tag += 1;
        *tag - 1
    }
}

/// Makes the jobs of one process.
struct Maker {
    work: Work,
    /// Everything that is written, sorted: start, end.
    writes: Vec<(u64, u64)>,
    /// The job that writes each of them; none yet: `None`.
    writers: Vec<Option<u32>>,
    /// Jobs that must be done before a range is written: the place in `writes`, and the job.
    before: Vec<(usize, u32)>,
    copies: bool,
    /// The sum of the result that is being computed: where, and the job that touched it last.
    sum: Option<(Place, u32)>,
}

impl Maker {
    fn new(mut writes: Vec<(u64, u64)>, scratch: u64, copies: bool) -> Maker {
        writes.sort_unstable();
        let writers = vec![None; writes.len()];
        let work = Work { scratch, ..Work::default() };
        Maker { work, writes, writers, before: Vec::new(), copies, sum: None }
    }

    fn room(&mut self, length: u64) -> Place {
        let place = Place::Scratch(self.work.scratch);
        self.work.scratch += length;
        place
    }

    fn push(&mut self, task: Task, after: Vec<u32>) -> u32 {
        self.work.jobs.push(Job { task, after });
        id(self.work.jobs.len() - 1)
    }

    /// The places in `writes` that overlap a range.
    fn overlap(&self, from: u64, length: u64) -> std::ops::Range<usize> {
        let end = from.saturating_add(length);
        let first = self.writes.partition_point(|(_, past)| *past <= from);
        first..first.max(self.writes.partition_point(|(start, _)| *start < end))
    }

    /// Where a range is read: in memory, or in a copy made at the start.
    fn kept(&mut self, from: u64, length: u64, overwritten: bool) -> Place {
        if !self.copies && !overwritten {
            return Place::Memory(from);
        }
        let copy = self.room(length);
        let task = Task::Copy { from: Place::Memory(from), into: copy, length };
        self.work.first.push(Job::new(task));
        copy
    }

    fn writes_to(&mut self, into: u64, job: u32) {
        let place = self.writes.partition_point(|(start, _)| *start < into);
        if let Some(writer) = self.writers.get_mut(place) {
            *writer = Some(job);
        }
    }

    fn send(&mut self, from: u64, length: u64, to: u32, tag: u32) {
        let overlap = self.overlap(from, length);
        let from = self.kept(from, length, false);
        let job = self.push(Task::Send { from, length, to, tag }, Vec::new());
        if matches!(from, Place::Memory(_)) {
            self.before.extend(overlap.map(|place| (place, job)));
        }
    }

    fn receive(&mut self, into: u64, length: u64, from: u32, tag: u32) {
        let task = Task::Receive { into: Place::Memory(into), length, from, tag };
        let job = self.push(task, Vec::new());
        self.writes_to(into, job);
    }

    fn copy(&mut self, from: u64, into: u64, length: u64) {
        // It may overlap what it writes itself.
        let overwritten = self.overlap(from, length).any(|place| self.writes[place].0 != into);
        let from = self.kept(from, length, overwritten);
        let job = self.push(Task::Copy { from, into: Place::Memory(into), length }, Vec::new());
        self.writes_to(into, job);
    }

    fn contribution(&mut self, process: u32, tag: u32, length: u64, reduction: Reduction) {
        let into = self.room(length);
        let job = self.push(Task::Receive { into, length, from: process, tag }, Vec::new());
        match self.sum {
            None => self.sum = Some((into, job)),
            Some((sum, last)) => {
                let task = Task::Reduce { from: into, into: sum, length, reduction };
                let job = self.push(task, vec![last, job]);
                self.sum = Some((sum, job));
            }
        }
    }

    fn own_contribution(&mut self, from: u64, length: u64, reduction: Reduction) {
        let overwritten = !self.overlap(from, length).is_empty();
        let from = self.kept(from, length, overwritten);
        match self.sum {
            None => {
                let sum = self.room(length);
                let job = self.push(Task::Copy { from, into: sum, length }, Vec::new());
                self.sum = Some((sum, job));
            }
            Some((sum, last)) => {
                let task = Task::Reduce { from, into: sum, length, reduction };
                let job = self.push(task, vec![last]);
                self.sum = Some((sum, job));
            }
        }
    }

    fn result(&mut self, into: u64, length: u64) {
        if let Some((from, last)) = self.sum.take() {
            let task = Task::Copy { from, into: Place::Memory(into), length };
            let job = self.push(task, vec![last]);
            self.writes_to(into, job);
        }
    }

    fn finish(mut self) -> Work {
        for (place, job) in self.before {
            if let Some(writer) = self.writers[place] {
                self.work.jobs[at(writer)].after.push(job);
            }
        }
        self.work
    }
}

//! An order in which the jobs of a phase can be done, and which sends must be copied for that.
//!
//! MPI may hold a send back until its receive has been started (MPI 4.1, section 3.4). A graph
//! whose sends complete when they are on their way can then stand still: two processes that send
//! to each other what they overwrite by what they receive. This walk holds every send back as long
//! as MPI may, and where nothing goes on names a send that somebody waits for; copied first, it is
//! done at once. O(n + m) in jobs and dependencies.

use std::collections::{HashMap, VecDeque};

use super::{Job, Task};
use crate::number::{at, id};
use crate::operation::NONE;

/// How the jobs of all processes in one phase can be done. Jobs are numbered through all
/// processes.
pub(crate) struct Completion {
    /// All jobs, a receive after its send.
    pub order: Vec<u32>,
    /// Sends that have to be copied first.
    pub buffered: Vec<u32>,
    /// The other side of each message, [`NONE`] for other jobs.
    pub partner: Vec<u32>,
    /// Where the jobs of each process start, and at last where they end.
    pub first: Vec<u32>,
}

impl Completion {
    /// Walks through the jobs of a phase.
    pub(crate) fn of(jobs: &[&[Job]]) -> Completion {
        let mut first = vec![0];
        for own in jobs {
            first.push(first.last().copied().unwrap_or(0) + id(own.len()));
        }
        let partner = partners(jobs, &first);
        let mut walk = Walk::new(jobs, &first, &partner);
        walk.run();
        let Walk { order, buffered, .. } = walk;
        Completion { order, buffered, partner, first }
    }

    /// The process that a job belongs to, and its place there.
    pub(crate) fn owner(&self, job: u32) -> (u32, usize) {
        let process = self.first.partition_point(|first| *first <= job) - 1;
        (id(process), at(job - self.first[process]))
    }
}

fn partners(jobs: &[&[Job]], first: &[u32]) -> Vec<u32> {
    let total = jobs.iter().map(|own| own.len()).sum();
    let mut partner = vec![NONE; total];
    let mut open: HashMap<(u32, u32, u32), u32> = HashMap::new();
    for (process, own) in (0..).zip(jobs) {
        for (job, number) in own.iter().zip(first[at(process)]..) {
            let envelope = match job.task {
                Task::Send { to, tag, .. } => (process, to, tag),
                Task::Receive { from, tag, .. } => (from, process, tag),
                _ => continue,
            };
            match open.remove(&envelope) {
                None => {
                    open.insert(envelope, number);
                }
                Some(other) => {
                    partner[at(number)] = other;
                    partner[at(other)] = number;
                }
            }
        }
    }
    partner
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Started,
    Done,
}

struct Walk<'a> {
    tasks: Vec<&'a Task>,
    partner: &'a [u32],
    /// How many jobs each still waits for.
    waits: Vec<u32>,
    /// Who waits for each job: the places in `waiting`, and where they end.
    ends: Vec<u32>,
    waiting: Vec<u32>,
    state: Vec<State>,
    ready: VecDeque<u32>,
    order: Vec<u32>,
    buffered: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(jobs: &[&'a [Job]], first: &[u32], partner: &'a [u32]) -> Walk<'a> {
        let all = || jobs.iter().zip(first).flat_map(|(own, f)| own.iter().map(move |j| (j, *f)));
        let tasks: Vec<&Task> = all().map(|(job, _)| &job.task).collect();
        let mut ends = vec![0_u32; tasks.len()];
        for (job, first) in all() {
            job.after.iter().for_each(|on| ends[at(first + on)] += 1);
        }
        let mut total = 0;
        for end in &mut ends {
            (*end, total) = (total, total + *end);
        }
        let mut waiting = vec![0; at(total)];
        for (number, (job, first)) in (0..).zip(all()) {
            for on in &job.after {
                let place = &mut ends[at(first + on)];
                waiting[at(*place)] = number;
                *place += 1;
            }
        }
        let waits: Vec<u32> = all().map(|(job, _)| id(job.after.len())).collect();
        let ready = (0..).zip(&waits).filter(|(_, n)| **n == 0).map(|(job, _)| job).collect();
        let state = vec![State::New; tasks.len()];
        let (order, buffered) = (Vec::with_capacity(tasks.len()), Vec::new());
        Walk { tasks, partner, waits, ends, waiting, state, ready, order, buffered }
    }

    fn run(&mut self) {
        let mut next_send = 0;
        loop {
            while let Some(job) = self.ready.pop_front() {
                self.start(job);
            }
            // Those before were done, waited for by nobody, or have been copied.
            let held = (next_send..id(self.tasks.len())).find(|job| {
                matches!(self.tasks[at(*job)], Task::Send { .. })
                    && self.state[at(*job)] == State::Started
                    && !self.waiting_for(*job).is_empty()
            });
            let Some(held) = held else { return };
            self.buffered.push(held);
            self.finish(held);
            // A send before it may start later.
            next_send = if self.ready.is_empty() { held + 1 } else { 0 };
        }
    }

    fn waiting_for(&self, job: u32) -> &[u32] {
        let start = job.checked_sub(1).map_or(0, |before| self.ends[at(before)]);
        &self.waiting[at(start)..at(self.ends[at(job)])]
    }

    fn start(&mut self, job: u32) {
        self.state[at(job)] = State::Started;
        let partner = self.partner[at(job)];
        let both = partner != NONE && self.state[at(partner)] != State::New;
        match self.tasks[at(job)] {
            Task::Send { .. } => {
                self.order.push(job);
                if both {
                    self.arrive(job, partner);
                }
            }
            Task::Receive { .. } => {
                if both {
                    self.arrive(partner, job);
                }
            }
            _ => {
                self.order.push(job);
                self.finish(job);
            }
        }
    }

    fn arrive(&mut self, send: u32, receive: u32) {
        self.order.push(receive);
        if self.state[at(send)] != State::Done {
            self.finish(send);
        }
        self.finish(receive);
    }

    fn finish(&mut self, job: u32) {
        self.state[at(job)] = State::Done;
        let start = job.checked_sub(1).map_or(0, |before| self.ends[at(before)]);
        for place in start..self.ends[at(job)] {
            let next = self.waiting[at(place)];
            self.waits[at(next)] -= 1;
            if self.waits[at(next)] == 0 {
                self.ready.push_back(next);
            }
        }
    }
}

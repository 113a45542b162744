//! How long a schedule takes.

use super::{Blocks, LogGp, Seconds, call, float};
use crate::number::{at, count};
use crate::operation::NONE;
use crate::schedule::{Call, Completion, Schedule, Side, Task};

/// The time from the start of a schedule until its last process is done, if all start together. A
/// collective call begins when its last process has come, and all leave it together. Near-linear
/// in the jobs.
#[must_use]
pub fn predict(schedule: &Schedule, machine: &LogGp) -> Seconds {
    let mut clocks = Clocks::new(schedule.programs.len());
    for phase in 0..schedule.phases() {
        clocks.jobs(schedule, phase, machine);
        for team in schedule.teams(phase) {
            let start = team.iter().map(|(p, _)| clocks.processor[at(*p)]).fold(0.0, f64::max);
            let end = start + time(machine, &team);
            team.iter().for_each(|(p, _)| clocks.processor[at(*p)] = end);
        }
    }
    Seconds(clocks.processor.into_iter().fold(0.0, f64::max))
}

/// The time of one call.
fn time(machine: &LogGp, team: &[(u32, &Call)]) -> f64 {
    let Some((_, first)) = team.first() else { return 0.0 };
    let mut blocks = Blocks { longest: 0.0, busiest: 0.0, messages: 0.0 };
    for side in team.iter().flat_map(|(_, call)| [&call.send, &call.receive]) {
        let (longest, all, messages) = bytes(side, team.len());
        blocks.longest = blocks.longest.max(longest);
        blocks.busiest = blocks.busiest.max(all);
        blocks.messages = blocks.messages.max(messages);
    }
    call(machine, first.kind, float(count(team.len())), blocks)
}

/// Bytes of the longest block, of all, and how many are not empty.
fn bytes(side: &Side, ranks: usize) -> (f64, f64, f64) {
    match side {
        Side::Nothing | Side::InPlace => (0.0, 0.0, 0.0),
        Side::Block { shape, .. } => (float(shape.size()), float(shape.size()), 1.0),
        Side::Row { shape, .. } => {
            let ranks = float(count(ranks));
            (float(shape.size()), ranks * float(shape.size()), ranks)
        }
        Side::Blocks { lengths, shape, .. } => {
            let pieces = f64::from(shape.pieces);
            let all = || (0..ranks).map(|k| float(lengths.get(k)) * pieces);
            let there = count(all().filter(|n| *n > 0.0).count());
            (all().fold(0.0, f64::max), all().sum(), float(there))
        }
    }
}

/// When each process, and its way out to the network and in from it, is free.
struct Clocks {
    processor: Vec<f64>,
    out: Vec<f64>,
    into: Vec<f64>,
}

impl Clocks {
    fn new(processes: usize) -> Clocks {
        let zero = || vec![0.0; processes];
        Clocks { processor: zero(), out: zero(), into: zero() }
    }

    fn jobs(&mut self, schedule: &Schedule, phase: usize, machine: &LogGp) {
        let jobs = schedule.jobs(phase);
        let completion = Completion::of(&jobs);
        let mut done = vec![0.0_f64; completion.partner.len()];
        let mut arrival = done.clone();
        for number in &completion.order {
            let (process, place) = completion.owner(*number);
            let (p, job) = (at(process), &jobs[at(process)][place]);
            let first = completion.first[p];
            let ready = job.after.iter().map(|on| done[at(first + on)]).fold(0.0, f64::max);
            let processor = &mut self.processor[p];
            let mut work = |time: f64| {
                *processor = processor.max(ready) + time;
                *processor
            };
            done[at(*number)] = match job.task {
                Task::Nothing => ready,
                Task::Copy { length, .. } => work(float(length) * machine.copy_per_byte),
                Task::Pack { layout, .. } | Task::Unpack { layout, .. } => {
                    let length = schedule.programs[p].size_of(layout);
                    work(float(length) * machine.copy_per_byte)
                }
                Task::Reduce { length, .. } => work(float(length) * machine.reduce_per_byte),
                Task::Send { length, .. } => {
                    let started = work(machine.overhead);
                    let leaves = started.max(self.out[p]);
                    let transmission = float(length) * machine.per_byte;
                    self.out[p] = leaves + transmission.max(machine.gap);
                    let partner = completion.partner[at(*number)];
                    if partner != NONE {
                        arrival[at(partner)] = leaves + machine.latency;
                    }
                    started
                }
                Task::Receive { length, .. } => {
                    // It waits beside what the process does else.
                    let posted = work(machine.overhead);
                    let transmission = float(length) * machine.per_byte;
                    let comes = arrival[at(*number)].max(self.into[p]) + transmission;
                    self.into[p] = comes;
                    posted.max(comes + machine.overhead)
                }
            };
        }
        for (p, processor) in self.processor.iter_mut().enumerate() {
            let own = at(completion.first[p])..at(completion.first[p + 1]);
            *processor = done[own].iter().copied().fold(*processor, f64::max);
        }
    }
}

//! The graph as it is: every operation a job.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Job, Phase, Place, Program, Schedule, Strip, Task};
use crate::graph::Graph;
use crate::ids::{Address, LayoutId};
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::{Action, Reduction, Sides};

/// The schedule that does just what the graph says. Each message of two processes gets a tag of
/// its own: operations start when what they wait for is done, not in the order of creation, by
/// which the graph matches messages.
pub(crate) fn schedule(graph: &Graph, matching: &Matching) -> Schedule {
    let tags = tags(graph, matching);
    let programs = (0..graph.processes()).map(|process| {
        let first = id(graph.range(process).start);
        let mut maker = Maker { graph, jobs: Vec::new(), scratch: 0, layouts: Vec::new() };
        for operation in graph.range(process) {
            let after = graph.before(operation).iter().map(|on| on - first).collect();
            maker.jobs.push(Job { task: Task::Nothing, after });
        }
        for operation in graph.range(process) {
            // The buffer of a receive may be larger than the message.
            let length = match graph.action(operation) {
                Action::Receive { .. } => graph.operations[at(matching.partner(operation))].length,
                _ => graph.operations[operation].length,
            };
            maker.make(at(id(operation) - first), graph.action(operation), length, tags[operation]);
        }
        let Maker { jobs, scratch, layouts, .. } = maker;
        Program {
            process,
            processes: graph.processes(),
            scratch,
            phases: vec![Phase::Jobs(jobs)],
            seats: Vec::new(),
            layouts,
        }
    });
    Schedule { programs: programs.collect() }
}

/// The number of each message among those of its two processes, at both of its operations.
fn tags(graph: &Graph, matching: &Matching) -> Vec<u32> {
    let mut tags = vec![0_u32; graph.operations()];
    let mut next: HashMap<(u32, u32), u32> = HashMap::new();
    for process in 0..graph.processes() {
        for operation in graph.range(process) {
            if let Action::Send { to, .. } = graph.action(operation) {
                let tag = next.entry((process, to.0)).or_default();
                tags[operation] = *tag;
                tags[at(matching.partner(operation))] = *tag;
                *tag += 1;
            }
        }
    }
    tags
}

/// The same schedule with only those messages that these receives get; what waits for others waits
/// for nothing.
pub(crate) fn messages_alone(
    graph: &Graph,
    matching: &Matching,
    receives: &BTreeSet<u32>,
) -> Schedule {
    let tags = tags(graph, matching);
    let mut kept: HashSet<(u32, u32, u32)> = HashSet::new();
    for receive in receives {
        let sender = graph.owner(matching.partner(at(*receive)));
        kept.insert((sender, graph.owner(*receive), tags[at(*receive)]));
    }
    let mut schedule = schedule(graph, matching);
    for program in &mut schedule.programs {
        let own = program.process;
        let first = graph.range(own).start;
        let jobs = program.phases.iter_mut().flat_map(|phase| match phase {
            Phase::Jobs(jobs) => jobs.as_mut_slice(),
            Phase::Call(_) => &mut [],
        });
        for (k, job) in jobs.enumerate() {
            let message = match job.task {
                Task::Send { to, tag, .. } => (own, to, tag),
                Task::Receive { from, tag, .. } => (from, own, tag),
                // Packs and unpacks stand in the places of their operations.
                Task::Pack { .. } | Task::Unpack { .. } if k < graph.range(own).len() => {
                    match graph.action(first + k) {
                        Action::Send { to, .. } => (own, to.0, tags[first + k]),
                        Action::Receive { from, .. } => (from.0, own, tags[first + k]),
                        _ => continue,
                    }
                }
                _ => continue,
            };
            if !kept.contains(&message) {
                job.task = Task::Nothing;
            }
        }
    }
    schedule
}

/// Makes the jobs of one process. Job k is done when operation k is; typed buffers take more jobs
/// behind those.
struct Maker<'a> {
    graph: &'a Graph,
    jobs: Vec<Job>,
    scratch: u64,
    layouts: Vec<Vec<Strip>>,
}

/// A buffer: where it starts, and its layout, by its number in the program.
#[derive(Clone, Copy)]
struct Side {
    place: Place,
    layout: Option<u32>,
}

impl Maker<'_> {
    fn make(&mut self, job: usize, action: Action, length: u64, tag: u32) {
        self.jobs[job].task = match action {
            Action::Nothing => Task::Nothing,
            Action::Send { at, layout, to, .. } => {
                let from = self.side(at, length, layout);
                self.send(job, from, length, (to.0, tag))
            }
            Action::Receive { at, layout, from, .. } => {
                let into = self.side(at, length, layout);
                self.receive(job, into, length, (from.0, tag))
            }
            Action::Copy { from, to, layouts, .. } => {
                let (from, into) = self.sides(from, to, length, layouts);
                self.copy(job, from, into, length)
            }
            Action::Reduce { from, into, layouts, reduction, .. } => {
                let (from, into) = self.sides(from, into, length, layouts);
                self.reduce(job, from, into, length, reduction)
            }
        };
    }

    fn side(&mut self, address: Address, length: u64, layout: Option<LayoutId>) -> Side {
        let layout = layout.and_then(|id| self.graph.layout(id)).map(|layout| {
            // A message may fill only the first bytes.
            let strips = layout.pieces().take_while(|piece| piece.offset < length);
            let strips = strips.map(|piece| Strip {
                displacement: piece.displacement,
                length: piece.length.min(length - piece.offset),
            });
            self.layouts.push(strips.collect());
            id(self.layouts.len() - 1)
        });
        Side { place: Place::Memory(address.0), layout }
    }

    fn sides(&mut self, from: Address, into: Address, length: u64, sides: Sides) -> (Side, Side) {
        (self.side(from, length, sides.from), self.side(into, length, sides.into))
    }

    fn room(&mut self, length: u64) -> Place {
        let place = Place::Scratch(self.scratch);
        self.scratch += length;
        place
    }

    /// One more job.
    fn push(&mut self, task: Task, after: Vec<u32>) -> u32 {
        self.jobs.push(Job { task, after });
        id(self.jobs.len() - 1)
    }

    fn send(&mut self, job: usize, from: Side, length: u64, (to, tag): (u32, u32)) -> Task {
        let Some(layout) = from.layout else {
            return Task::Send { from: from.place, length, to, tag };
        };
        let packed = self.room(length);
        self.push(Task::Send { from: packed, length, to, tag }, vec![id(job)]);
        Task::Pack { from: from.place, layout, into: packed }
    }

    fn receive(&mut self, job: usize, into: Side, length: u64, (from, tag): (u32, u32)) -> Task {
        let Some(layout) = into.layout else {
            return Task::Receive { into: into.place, length, from, tag };
        };
        let packed = self.room(length);
        let message = self.push(Task::Receive { into: packed, length, from, tag }, Vec::new());
        self.jobs[job].after.push(message);
        Task::Unpack { from: packed, into: into.place, layout }
    }

    fn copy(&mut self, job: usize, from: Side, into: Side, length: u64) -> Task {
        match (from.layout, into.layout) {
            (None, None) => Task::Copy { from: from.place, into: into.place, length },
            (Some(layout), None) => Task::Pack { from: from.place, layout, into: into.place },
            (None, Some(layout)) => Task::Unpack { from: from.place, into: into.place, layout },
            (Some(_), Some(layout)) => {
                let packed = self.packed(job, from, length);
                Task::Unpack { from: packed, into: into.place, layout }
            }
        }
    }

    fn reduce(
        &mut self,
        job: usize,
        from: Side,
        into: Side,
        length: u64,
        reduction: Reduction,
    ) -> Task {
        let from = self.packed(job, from, length);
        let Some(layout) = into.layout else {
            return Task::Reduce { from, into: into.place, length, reduction };
        };
        let sum = self.packed(job, into, length);
        let before = self.jobs[job].after.clone();
        let reduced = self.push(Task::Reduce { from, into: sum, length, reduction }, before);
        self.jobs[job].after.push(reduced);
        Task::Unpack { from: sum, into: into.place, layout }
    }

    /// The bytes of a buffer without gaps, before a job: where they are.
    fn packed(&mut self, job: usize, from: Side, length: u64) -> Place {
        let Some(layout) = from.layout else { return from.place };
        let packed = self.room(length);
        let before = self.jobs[job].after.clone();
        let pack = self.push(Task::Pack { from: from.place, layout, into: packed }, before);
        self.jobs[job].after.push(pack);
        packed
    }
}

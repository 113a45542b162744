//! The graph as it is: every operation a job.

use std::collections::HashMap;

use super::{Job, Phase, Place, Program, Schedule, Task};
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::Action;

/// The schedule that does just what the graph says. Each message of two processes gets a tag of its own: operations start
/// when what they wait for is done, not in the order of creation, by which the graph matches messages.
pub(crate) fn schedule(graph: &Graph, matching: &Matching) -> Schedule {
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
    let programs = (0..graph.processes()).map(|process| {
        let first = graph.range(process).start;
        let job = |operation: usize| Job {
            task: task(graph, matching, operation, tags[operation]),
            after: graph.before(operation).iter().map(|on| on - id(first)).collect(),
        };
        let jobs = graph.range(process).map(job).collect();
        Program {
            process,
            processes: graph.processes(),
            scratch: 0,
            phases: vec![Phase::Jobs(jobs)],
            seats: Vec::new(),
        }
    });
    Schedule { programs: programs.collect() }
}

fn task(graph: &Graph, matching: &Matching, operation: usize, tag: u32) -> Task {
    let memory = |address: crate::ids::Address| Place::Memory(address.0);
    match graph.action(operation) {
        Action::Send { at: from, length, to, .. } => {
            Task::Send { from: memory(from), length: length.0, to: to.0, tag }
        }
        Action::Receive { at: into, from, .. } => {
            // The buffer may be larger than the message.
            let length = graph.operations[at(matching.partner(operation))].length;
            Task::Receive { into: memory(into), length, from: from.0, tag }
        }
        Action::Copy { from, to, length } => {
            Task::Copy { from: memory(from), into: memory(to), length: length.0 }
        }
        Action::Reduce { from, into, length, reduction } => {
            let (from, into) = (memory(from), memory(into));
            Task::Reduce { from, into, length: length.0, reduction }
        }
        Action::Nothing => Task::Nothing,
    }
}

//! Waiting: which processes a process must have waited for when a graph has run, and what is
//! missing in a schedule. For 64 processes at a time, as in [`crate::wait`].

use super::{Call, Completion, Job, Phase, Schedule, Side, Task};
use crate::detect::Kind;
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::NONE;
use crate::order::Order;
use crate::wait::{Messages, waited};

/// Pairs (process, whom it does not wait for any more), at most `limit` and one more.
///
/// A lower bound is taken of what a schedule waits for, so that some pairs may be there without
/// need: of a message only what its sender knew when the phase began.
pub(crate) fn missing(
    graph: &Graph,
    (matching, order): (&Matching, &Order),
    schedule: &Schedule,
    limit: usize,
) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for first in (0..graph.processes()).step_by(64) {
        let wanted = waited(graph, matching, order, first, Messages::All);
        let kept = waits(schedule, first);
        for (process, (wanted, kept)) in (0..).zip(wanted.iter().zip(&kept)) {
            let mut lost = wanted & !kept;
            while lost != 0 {
                found.push((process, first + lost.trailing_zeros()));
                lost &= lost - 1;
                if found.len() > limit {
                    return found;
                }
            }
        }
    }
    found
}

/// Adds a phase in which each process gets an empty message from each that it must wait for.
pub(crate) fn add_messages(schedule: &mut Schedule, pairs: &[(u32, u32)]) {
    let mut phases: Vec<Vec<Job>> = vec![Vec::new(); schedule.programs.len()];
    let nowhere = super::Place::Scratch(0);
    for (process, other) in pairs {
        let (length, tag) = (0, 0);
        let receive = Task::Receive { into: nowhere, length, from: *other, tag };
        phases[at(*process)].push(Job::new(receive));
        phases[at(*other)].push(Job::new(Task::Send { from: nowhere, length, to: *process, tag }));
    }
    for (program, jobs) in schedule.programs.iter_mut().zip(phases) {
        program.phases.push(Phase::Jobs(jobs));
    }
}

/// Adds a barrier of all processes.
pub(crate) fn add_barrier(schedule: &mut Schedule) {
    for program in &mut schedule.programs {
        program.phases.push(Phase::Call(Box::new(Call {
            kind: Kind::Barrier,
            team: None,
            root: None,
            send: Side::Nothing,
            receive: Side::Nothing,
            reduction: None,
        })));
    }
}

/// Which of 64 processes each process waits for.
fn waits(schedule: &Schedule, first: u32) -> Vec<u64> {
    let own = |process: u32| process.checked_sub(first).filter(|k| *k < 64).map_or(0, |k| 1 << k);
    let mut sets: Vec<u64> = (0..id(schedule.programs.len())).map(own).collect();
    for phase in 0..schedule.phases() {
        let known = sets.clone();
        let jobs = schedule.jobs(phase);
        if jobs.iter().any(|own| !own.is_empty()) {
            let completion = Completion::of(&jobs);
            for job in 0..id(completion.partner.len()) {
                let (process, place) = completion.owner(job);
                let receives = matches!(jobs[at(process)][place].task, Task::Receive { .. });
                if receives && completion.partner[at(job)] != NONE {
                    let (sender, _) = completion.owner(completion.partner[at(job)]);
                    sets[at(process)] |= known[at(sender)];
                }
            }
        }
        for team in schedule.teams(phase) {
            let rank_known = |rank: usize| team.get(rank).map_or(0, |(p, _)| known[at(*p)]);
            let everybody = (0..team.len()).fold(0, |all, rank| all | rank_known(rank));
            for (rank, (process, call)) in team.iter().enumerate() {
                let root = call.root.map_or(0, |root| rank_known(at(root)));
                sets[at(*process)] |= match call.kind {
                    Kind::Barrier | Kind::Allreduce | Kind::ReduceScatterBlock => everybody,
                    Kind::Bcast | Kind::Scatter => root,
                    Kind::Scatterv if has_bytes(&call.receive) => root,
                    Kind::Gather | Kind::Reduce if call.root == Some(id(rank)) => everybody,
                    Kind::Allgather | Kind::Alltoall => everybody,
                    Kind::Scan => (0..=rank).fold(0, |all, k| all | rank_known(k)),
                    Kind::Exscan => (0..rank).fold(0, |all, k| all | rank_known(k)),
                    _ => {
                        let from = (0..team.len()).filter(|k| comes(&call.receive, *k));
                        from.fold(0, |all, k| all | rank_known(k))
                    }
                };
            }
        }
    }
    sets
}

/// Whether a process gets a block of this rank, in a vector form.
fn comes(receive: &Side, rank: usize) -> bool {
    matches!(receive, Side::Blocks { lengths, .. } if lengths.get(rank) > 0)
}

fn has_bytes(side: &Side) -> bool {
    matches!(side, Side::Block { shape, .. } if shape.size() > 0)
}

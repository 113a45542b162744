//! Makes a schedule safe: no order in which messages are held back stops it.

use super::{Completion, Job, Phase, Place, Schedule, Task};
use crate::number::id;

/// Copies what could not be sent otherwise: a send that must be copied becomes a copy, and a send
/// of the copy that nobody waits for. Near-linear in the jobs.
pub(crate) fn copy_held_sends(schedule: &mut Schedule) {
    for phase in 0..schedule.phases() {
        let jobs = schedule.jobs(phase);
        let somebody_waits = jobs.iter().any(|own| {
            let sends = |on: &u32| {
                let job = own.get(crate::number::at(*on));
                job.is_some_and(|job| matches!(job.task, Task::Send { .. }))
            };
            own.iter().any(|job| job.after.iter().any(sends))
        });
        if !somebody_waits {
            continue;
        }
        let completion = Completion::of(&jobs);
        for send in &completion.buffered {
            let (process, place) = completion.owner(*send);
            let program = &mut schedule.programs[crate::number::at(process)];
            let Phase::Jobs(jobs) = &mut program.phases[phase] else { continue };
            let Task::Send { from, length, to, tag } = jobs[place].task else { continue };
            let copy = Place::Scratch(program.scratch);
            program.scratch += length;
            jobs[place].task = Task::Copy { from, into: copy, length };
            let task = Task::Send { from: copy, length, to, tag };
            jobs.push(Job { task, after: vec![id(place)] });
        }
    }
}

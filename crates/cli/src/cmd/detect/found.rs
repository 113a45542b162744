//! The results for a graph.

use commloom_commgraph::cost::Seconds;
use commloom_commgraph::read::msccl::Difference;
use commloom_commgraph::schedule::{
    Job, Mode, Phase, Replace, Schedule, ScheduleOptions, Task, compile,
};
use commloom_commgraph::{
    Analysis, Collective, Kind, Note, Options, Synchronization, synchronization,
};

use super::case::Case;
use crate::failure::Failure;

/// The operations found in a graph, and whether the claim holds.
pub struct Found {
    what: What,
    /// Times as it is, and with the operations that were found.
    pub predicted: Option<Predicted>,
    /// Additions of strict mode.
    pub waits: Option<Waits>,
    /// The first place where an MSCCL algorithm is not what it claims to be.
    pub difference: Option<Difference>,
}

enum What {
    All(Box<Analysis>),
    Waiting(Box<Synchronization>),
}

/// Times by the cost model.
#[derive(Debug, Clone, Copy)]
pub struct Predicted {
    pub messages: Seconds,
    pub replaced: Seconds,
}

/// Additions of strict mode, so that each process waits for whom it has waited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waits {
    Nothing,
    Barrier,
    /// So many empty messages.
    Messages(usize),
}

impl Found {
    /// Analyses a graph.
    ///
    /// # Errors
    /// Graphs that have no meaning.
    pub fn of(case: &Case, detection: Options, mode: Mode) -> Result<Found, Failure> {
        let graph = &case.program.graph;
        let failure = |error| case.failure(&error);
        let difference = match &case.claim {
            Some(claim) => claim.check(&case.program).map_err(failure)?,
            None => None,
        };
        if !case.program.addressed || case.is_sweep() {
            let what = What::Waiting(Box::new(synchronization(graph).map_err(failure)?));
            return Ok(Found { what, predicted: None, waits: None, difference });
        }
        let options = |mode| ScheduleOptions {
            detection,
            mode,
            replace: Replace::Always,
            ..ScheduleOptions::default()
        };
        let kept = compile(graph, options(Mode::Data)).map_err(failure)?;
        let (messages, mut replaced, mut waits) = (kept.plain, kept.predicted, None);
        if mode == Mode::Strict {
            let strict = compile(graph, options(mode)).map_err(failure)?;
            replaced = strict.predicted;
            waits = Some(added(&kept.schedule, &strict.schedule));
        }
        // A chunk may have any number of bytes.
        let known = case.claim.is_none() && !kept.calls.is_empty();
        let predicted = known.then_some(Predicted { messages, replaced });
        Ok(Found { what: What::All(Box::new(kept.analysis)), predicted, waits, difference })
    }

    /// The analysis, where there are addresses.
    pub fn analysis(&self) -> Option<&Analysis> {
        match &self.what {
            What::All(analysis) => Some(analysis),
            What::Waiting(_) => None,
        }
    }

    pub fn messages(&self) -> usize {
        match &self.what {
            What::All(a) => a.matches,
            What::Waiting(s) => s.matches,
        }
    }

    pub fn wait_sets_complete(&self) -> bool {
        match &self.what {
            What::All(a) => a.wait_sets_complete,
            What::Waiting(s) => s.wait_sets_complete,
        }
    }

    pub fn collectives(&self) -> &[Collective] {
        match &self.what {
            What::All(a) => &a.detection.collectives,
            What::Waiting(s) => s.barrier.as_slice(),
        }
    }

    /// Transfers and results of reductions that are part of nothing.
    pub fn left(&self) -> Option<usize> {
        self.analysis().map(|a| a.detection.left.len() + a.detection.left_reduced.len())
    }

    /// The notes of the analysis.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.analysis().into_iter().flat_map(|a| &a.notes)
    }

    /// Whether an algorithm is what it claims to be; true where nothing is claimed.
    pub fn claim_holds(&self) -> bool {
        self.difference.is_none()
    }
}

/// Additions of a schedule in strict mode to the same in data mode.
fn added(data: &Schedule, strict: &Schedule) -> Waits {
    let (before, after) = (waits(data), waits(strict));
    if after.0 > before.0 {
        return Waits::Barrier;
    }
    match after.1 - before.1.min(after.1) {
        0 => Waits::Nothing,
        messages => Waits::Messages(messages),
    }
}

/// Barriers that processes call, and empty messages.
fn waits(schedule: &Schedule) -> (usize, usize) {
    let mut counts = (0, 0);
    for phase in schedule.programs.iter().flat_map(|program| &program.phases) {
        match phase {
            Phase::Call(call) => counts.0 += usize::from(call.kind == Kind::Barrier),
            Phase::Jobs(jobs) => {
                let empty = |job: &&Job| matches!(job.task, Task::Send { length: 0, .. });
                counts.1 += jobs.iter().filter(empty).count();
            }
        }
    }
    counts
}

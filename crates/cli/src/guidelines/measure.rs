//! One measurement: the data of both rounds checked, and between them the times (section 2.3.2 of
//! the paper).
//!
//! ```text
//! prepare ─► round 1, checked ─► once, for the number of repetitions ─► warm-up
//!         ─► repetitions, timed ─► round 2, checked
//! ```
//!
//! A round has data of its own. The first shows what the first message of a datatype brings, the
//! second what the last ones did: libraries and commloom change their ways in between.

use std::time::{Duration, Instant};

use commloom_guideline::pattern::{self, Places};
use commloom_guideline::plan::{Datatype, Measurement, Plan};
use commloom_guideline::repetitions::{Effort, warm_up};
use commloom_guideline::results::{Method, Operation, Options};
use commloom_mpi as mpi;
use commloom_mpi::{GroupSession, MpiError, Pattern};

/// The outcome of a measurement that all processes have made together.
pub enum Outcome {
    /// Microseconds.
    Times(Vec<f64>),
    /// All processes know that there are no times, and go on.
    Wrong(String),
}

/// The processes, and what is prepared in them.
pub struct Measuring<'m> {
    team: &'m mut dyn GroupSession,
    plan: &'m Plan,
    effort: Effort,
    prepared: Option<Prepared>,
}

struct Prepared {
    case: usize,
    /// Where the data of one message lie.
    places: Places,
    list_entries: usize,
}

impl<'m> Measuring<'m> {
    pub fn new(team: &'m mut dyn GroupSession, plan: &'m Plan, options: &Options) -> Self {
        let effort = if options.quick { Effort::QUICK } else { Effort::FULL };
        Measuring { team, plan, effort, prepared: None }
    }

    /// Whether mistakes are made here. In a ping-pong only the first two processes do something.
    pub fn is_last_process(&self) -> bool {
        self.team.rank() == 1
    }

    pub fn abort(&self) {
        self.team.abort();
    }

    /// Makes a measurement; `spoil`: one received byte is changed here.
    ///
    /// # Errors
    /// What only this process knows: the others must be ended.
    pub fn one(&mut self, measurement: Measurement, spoil: bool) -> Result<Outcome, String> {
        let rank = self.team.rank();
        let failed = |error: MpiError| format!("process {rank}: {error}");
        if let Some(reason) = self.prepare(measurement).map_err(failed)? {
            return Ok(Outcome::Wrong(reason));
        }
        let Some(prepared) = self.prepared.take() else { return Ok(Outcome::Times(Vec::new())) };
        let outcome = self.times(&prepared, measurement, spoil).map_err(failed);
        self.prepared = Some(prepared);
        outcome
    }

    /// Makes the datatype of another case; the reason where one of the processes cannot.
    fn prepare(&mut self, measurement: Measurement) -> Result<Option<String>, MpiError> {
        let case = measurement.case;
        if self.prepared.as_ref().is_some_and(|prepared| prepared.case == case) {
            return Ok(None);
        }
        self.prepared = None;
        let of_case = self.plan.measurements.iter().filter(|m| m.case == case);
        let (mut copies, mut packed) = (1, false);
        for m in of_case {
            packed |= m.method == Method::Packed;
            copies = if m.operation == Operation::Allgather { self.team.size() } else { copies };
        }
        let made = self.make(case, copies, packed);
        let well = self.team.share(&[u64::from(made.is_ok())])?;
        let mine = made.as_ref().err().cloned();
        if let Some(process) = well.iter().position(|&well| well == 0) {
            return Ok(Some(
                mine.unwrap_or_else(|| format!("process {process} has no such datatype")),
            ));
        }
        self.prepared = made.ok();
        Ok(None)
    }

    fn make(&mut self, case: usize, copies: usize, packed: bool) -> Result<Prepared, String> {
        let datatype = self.plan.datatype(case).map_err(|e| e.to_string())?;
        let element = datatype.layout().map_err(|e| e.to_string())?;
        let list_entries = datatype.list_entries();
        let datatype = match datatype {
            Datatype::Constructed(construction) => mpi::Datatype::Constructed(construction),
            Datatype::Normal(layout) => mpi::Datatype::Encoded(layout),
        };
        let count = self.plan.cases[case].case.count;
        let places = Places::new(&element, count).map_err(|e| e.to_string())?;
        self.team.prepare(&datatype, count, copies, packed).map_err(|e| e.to_string())?;
        Ok(Prepared { case, places, list_entries })
    }

    fn times(
        &mut self,
        prepared: &Prepared,
        measurement: Measurement,
        spoil: bool,
    ) -> Result<Outcome, MpiError> {
        let Measurement { operation, method, .. } = measurement;
        let work = Work { pattern: of(operation), packed: method == Method::Packed };
        if let Some(wrong) = self.round(prepared, work, 1, false)? {
            return Ok(Outcome::Wrong(wrong));
        }
        let once = self.slowest_of_last(work, 1)?;
        // What one takes now, after the ways have changed.
        let once = self.slowest_of_last(work, warm_up(prepared.list_entries, once))?;
        let bytes = self.plan.cases[prepared.case].case.bytes;
        let repetitions = self.effort.repetitions(bytes, once);
        let mut times = Vec::new();
        self.repeat(work, repetitions, &mut times)?;
        if let Some(wrong) = self.round(prepared, work, 2, spoil)? {
            return Ok(Outcome::Wrong(wrong));
        }
        let all = self.team.share(&times)?;
        let messages = if operation == Operation::Pingpong { 2 } else { 1 };
        let slowest = |k: usize| all.iter().skip(k).step_by(times.len()).copied().max();
        Ok(Outcome::Times(
            (0..times.len()).map(|k| microseconds(slowest(k).unwrap_or(0), messages)).collect(),
        ))
    }

    /// Time of the last of so many repetitions in the slowest process.
    fn slowest_of_last(&mut self, work: Work, times: u32) -> Result<Duration, MpiError> {
        let mut taken = Vec::new();
        self.repeat(work, times, &mut taken)?;
        let last = self.team.share(&[taken.last().copied().unwrap_or(0)])?;
        Ok(Duration::from_nanos(last.into_iter().max().unwrap_or(0)))
    }

    /// The operation so many times, each after a barrier, with its times here in nanoseconds.
    fn repeat(&mut self, work: Work, times: u32, taken: &mut Vec<u64>) -> Result<(), MpiError> {
        taken.reserve(usize::try_from(times).unwrap_or(0));
        for _ in 0..times {
            self.team.barrier()?;
            let start = Instant::now();
            self.team.perform(work.pattern, work.packed)?;
            taken.push(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        }
        Ok(())
    }

    /// The operation once, with new data; what is wrong with those that arrived, for all processes
    /// the same.
    fn round(
        &mut self,
        prepared: &Prepared,
        work: Work,
        number: u64,
        spoil: bool,
    ) -> Result<Option<String>, MpiError> {
        let (rank, size) = (self.team.rank(), self.team.size());
        let Prepared { places, .. } = prepared;
        let (outgoing, incoming) = self.team.memory();
        let own = pattern::stream(places.bytes(), rank, number);
        places.fill(outgoing, &own, pattern::OUTGOING_GAP);
        incoming.fill(pattern::INCOMING_GAP);
        self.team.barrier()?;
        self.team.perform(work.pattern, work.packed)?;

        let senders = match (work.pattern, rank) {
            (Pattern::PingPong, 0 | 1) => 0..1,
            (Pattern::Broadcast, rank) if rank > 0 => 0..1,
            (Pattern::PingPong | Pattern::Broadcast, _) => 0..0,
            (Pattern::AllGather, _) => 0..size,
        };
        let (outgoing, incoming) = self.team.memory();
        let step = outgoing.len();
        if spoil && let Some(byte) = incoming.first_mut() {
            *byte ^= 1;
        }
        let mut found = [0; 5];
        let mut expected = vec![0; step];
        for (sender, arrived) in senders.zip(incoming.chunks_exact(step.max(1))) {
            let sent;
            let data = if sender == rank {
                &own
            } else {
                sent = pattern::stream(places.bytes(), sender, number);
                &sent
            };
            places.fill(&mut expected, data, pattern::INCOMING_GAP);
            if let Some(wrong) = pattern::first_wrong(&expected, arrived) {
                let word = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
                let values = [u64::from(wrong.expected), u64::from(wrong.found)];
                found = [1, word(sender), word(wrong.at), values[0], values[1]];
                break;
            }
        }
        let all = self.team.share(&found)?;
        let wrong = all.chunks(found.len()).enumerate().find(|(_, words)| words[0] != 0);
        Ok(wrong.map(|(process, words)| {
            format!(
                "wrong byte: process {process} found {:#04x} instead of {:#04x} at byte {} of what \
                 process {} sent{}",
                words[4],
                words[3],
                words[2],
                words[1],
                if words[3] == u64::from(pattern::INCOMING_GAP) { " (perhaps a gap)" } else { "" },
            )
        }))
    }
}

#[derive(Clone, Copy)]
struct Work {
    pattern: Pattern,
    packed: bool,
}

fn of(operation: Operation) -> Pattern {
    match operation {
        Operation::Pingpong => Pattern::PingPong,
        Operation::Bcast => Pattern::Broadcast,
        Operation::Allgather => Pattern::AllGather,
    }
}

/// Of one message, in microseconds.
#[expect(clippy::cast_precision_loss, reason = "a time")]
fn microseconds(nanoseconds: u64, messages: u64) -> f64 {
    (nanoseconds / messages) as f64 / 1000.0
}

//! What messages of the references take with one MPI library, between two processes.
//!
//! Both run this. They take turns in sending (half a round trip is one message), natively and packed
//! by turns, so that a machine that changes its speed changes both.

use std::path::PathBuf;
use std::time::Instant;

use commloom_choice::{Reference, Row, Table, Times, references};
use commloom_layout::{Basic, Type};
use commloom_mpi::{AloneError, LibraryError, Partner, together};
use commloom_pack::{pack, unpack};
use commloom_plan::{Plan, Target};

use super::child::median;
use crate::failure::Failure;

/// How long one sample should take, in nanoseconds: many times the resolution of the clock.
const SAMPLE: u64 = 200_000;
/// Most round trips of a sample.
const MOST: u64 = 100;
/// A round trip that takes longer is measured only once, in nanoseconds: some libraries walk long
/// lists again for every piece of a message.
const LONG: u64 = 20_000_000;

/// Measures with the first of `libraries` that is there; `progress` gets the layouts done and all of
/// them. The table is in the first process only.
///
/// # Errors
/// No such library, not two processes, or what went wrong.
pub fn measure(
    libraries: &[PathBuf],
    rounds: u32,
    mut progress: impl FnMut(u64, u64),
) -> Result<Option<Table>, Failure> {
    let mut reasons = Vec::new();
    for library in libraries {
        match together(library, |partner| Ok(both(partner, rounds, &mut progress))) {
            Ok(result) => return result,
            Err(AloneError::Library(error @ LibraryError::Open { .. })) => {
                reasons.push(error.to_string());
            }
            Err(error) => return Err(Failure::message(error.to_string())),
        }
    }
    Err(Failure::message(reasons.join("; ")))
}

fn both(
    partner: &mut dyn Partner,
    rounds: u32,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Option<Table>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::message(error.to_string());
    let size = partner.size().map_err(|e| failed(&e))?;
    if size != 2 {
        return Err(Failure::message(format!(
            "messages are measured between two processes, here are {size}: start it with\n  \
             mpirun -n 2 commloom calibrate --messages --mpi ...\nwhere mpirun is that of the library"
        )));
    }
    let first = partner.rank().map_err(|e| failed(&e))? == 0;
    let all = references().map_err(|e| failed(&e))?;
    let count = u64::try_from(all.len()).unwrap_or(u64::MAX);
    let target = commloom_pack::detect();
    let mut rows = Vec::new();
    for (done, reference) in (0..count).zip(&all) {
        if first {
            progress(done, count);
        }
        let times = one(partner, reference, &target, rounds, first)?;
        rows.push(Row {
            family: reference.family,
            run: reference.run,
            bytes: reference.bytes,
            times,
        });
    }
    let version = partner.version().map_err(|e| failed(&e))?;
    let words: Vec<&str> = version.lines().next().unwrap_or_default().split_whitespace().collect();
    let measured = format!("{rounds} rounds, {}", place());
    Ok(first.then(|| Table::new(&words.join(" "), &measured, rows)))
}

/// The medians of the rounds for one reference, in nanoseconds.
fn one(
    partner: &mut dyn Partner,
    reference: &Reference,
    target: &Target,
    rounds: u32,
    first: bool,
) -> Result<Times, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::message(error.to_string());
    partner.clear();
    let Reference { ty, count, bytes, .. } = reference;
    let typed = partner.add(ty, *count).map_err(|e| failed(&e))?;
    let packed = partner.add(&Type::leaf(Basic::INT), bytes / 4).map_err(|e| failed(&e))?;
    let plan = Plan::packed(ty, *count, target).map_err(|e| failed(&e))?;
    let word = partner.add(&Type::leaf(Basic::BYTE), 8).map_err(|e| failed(&e))?;
    let exchange = Exchange { partner, plan, typed, packed, word, first };
    exchange.samples(rounds).map_err(|e| failed(&e))
}

/// One reference between the two processes.
struct Exchange<'p> {
    partner: &'p mut dyn Partner,
    plan: Plan,
    typed: usize,
    packed: usize,
    /// A number from the first process to the second.
    word: usize,
    /// This process sends first.
    first: bool,
}

impl Exchange<'_> {
    fn samples(mut self, rounds: u32) -> Result<Times, Box<dyn std::error::Error>> {
        // The first of each is not counted: memory and caches are cold.
        self.round_trips(false, 1)?;
        self.round_trips(true, 1)?;
        let mut samples = [Vec::new(), Vec::new()];
        let ways = [false, true].map(|packed| (packed, self.plan_sample(packed)));
        for round in 0..rounds {
            for ((packed, sample), times) in ways.iter().zip(&mut samples) {
                let (messages, once) = *sample.as_ref().map_err(ToString::to_string)?;
                if !once || round == 0 {
                    times.push(self.round_trips(*packed, messages)? / 2.0);
                }
            }
        }
        let [native, engine] = samples.map(|times| median(&times));
        Ok(Times { native, engine })
    }

    /// How many round trips make a sample, and whether one sample is enough, by one more round trip.
    /// The first process decides.
    fn plan_sample(&mut self, packed: bool) -> Result<(u64, bool), Box<dyn std::error::Error>> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
        let mut took = self.round_trips(packed, 1)? as u64;
        if self.first {
            self.partner.memory(self.word).copy_from_slice(&took.to_le_bytes());
            self.partner.send(self.word, 1)?;
        } else {
            self.partner.receive(self.word, 0)?;
            took = u64::from_le_bytes((&*self.partner.memory(self.word)).try_into()?);
        }
        Ok(((SAMPLE / took.max(1)).clamp(1, MOST), took > LONG))
    }

    /// Nanoseconds of each of so many round trips.
    fn round_trips(&mut self, packed: bool, times: u64) -> Result<f64, Box<dyn std::error::Error>> {
        let start = Instant::now();
        for _ in 0..times {
            self.round_trip(packed)?;
        }
        #[expect(clippy::cast_precision_loss, reason = "at most a hundred")]
        let times = times as f64;
        Ok(start.elapsed().as_secs_f64() * 1e9 / times)
    }

    fn round_trip(&mut self, packed: bool) -> Result<(), Box<dyn std::error::Error>> {
        if self.first {
            self.send(packed)?;
            self.receive(packed)
        } else {
            self.receive(packed)?;
            self.send(packed)
        }
    }

    fn send(&mut self, packed: bool) -> Result<(), Box<dyn std::error::Error>> {
        let to = i32::from(self.first);
        if !packed {
            return Ok(self.partner.send(self.typed, to)?);
        }
        let (memory, stream) = self.partner.memories(self.typed, self.packed);
        pack(&self.plan, memory, 0, 0..self.plan.bytes(), stream)?;
        Ok(self.partner.send(self.packed, to)?)
    }

    fn receive(&mut self, packed: bool) -> Result<(), Box<dyn std::error::Error>> {
        let from = i32::from(self.first);
        if !packed {
            return Ok(self.partner.receive(self.typed, from)?);
        }
        self.partner.receive(self.packed, from)?;
        let (stream, memory) = self.partner.memories(self.packed, self.typed);
        Ok(unpack(&self.plan, memory, 0, 0..self.plan.bytes(), stream)?)
    }
}

/// The processor, as Linux names it.
fn place() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or("processor unknown", |(_, name)| name.trim()).to_owned()
}

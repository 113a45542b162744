//! Times of messages of the references with one MPI library, between two processes.
//!
//! Both run this. They take turns in sending (half a round trip is one message), natively and
//! packed by turns, so that a machine that changes its speed changes both; then the same in
//! broadcasts.

use std::path::PathBuf;
use std::time::Instant;

use commloom_choice::{Operation, Reference, Row, Table, Times, references};
use commloom_layout::{Basic, Type, mpi};
use commloom_measure::machine::Machine;
use commloom_measure::statistics::Quartiles;
use commloom_mpi::{PairSession, first_that_opens, pair};
use commloom_pack::{pack, unpack};
use commloom_plan::{Plan, Target};

use crate::failure::Failure;

/// How long one sample should take, in nanoseconds: many times the resolution of the clock.
const SAMPLE: u64 = 200_000;
/// Most round trips of a sample.
const MOST: u64 = 100;
/// Limit of all samples of one way together, in nanoseconds, if there are several: some libraries
/// walk long lists again for every piece of a message.
const BUDGET: u64 = 40_000_000;

/// Measures with the first of `libraries` that is there; `progress` gets the layouts done and all
/// of them. The table is in the first process only.
///
/// # Errors
/// No such library, not two processes, or what went wrong.
pub fn measure(
    libraries: &[PathBuf],
    rounds: u32,
    mut progress: impl FnMut(u64, u64),
) -> Result<Option<Table>, Failure> {
    let done = first_that_opens(libraries, |library| {
        pair(library, |partner| Ok(both(partner, rounds, &mut progress)))
    });
    done.unwrap_or_else(|error| Err(Failure::message(error.to_string())))
}

fn both(
    partner: &mut dyn PairSession,
    rounds: u32,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Option<Table>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::message(error.to_string());
    let size = partner.size().map_err(|e| failed(&e))?;
    if size != 2 {
        return Err(Failure::message(format!(
            "messages are measured between two processes, here are {size}: start it with\n  \
             mpirun -n 2 commloom calibrate --messages --mpi ...\n\
             where mpirun is that of the library"
        )));
    }
    let first = partner.rank().map_err(|e| failed(&e))? == 0;
    let all = references().map_err(|e| failed(&e))?;
    let count = u64::try_from(all.len()).unwrap_or(u64::MAX);
    let target = commloom_pack::detect();
    let mut samples: Vec<[Samples; 2]> = all.iter().map(|_| Default::default()).collect();
    // One sample of each, then the next of each: a machine that is slow for seconds shall not be
    // slow for all samples of one layout.
    for round in 0..rounds {
        let done = u64::from(round) * count;
        for ((at, reference), samples) in (0..).zip(&all).zip(&mut samples) {
            if first {
                progress(done + at, u64::from(rounds) * count);
            }
            if samples.iter().flat_map(|of| &of.ways).all(Way::is_done) {
                continue;
            }
            let exchange = Exchange::new(partner, reference, &target, first);
            let sampled = exchange.and_then(|mut exchange| exchange.sample(samples));
            sampled.map_err(|e| failed(&e))?;
        }
    }
    let version = partner.version().map_err(|e| failed(&e))?;
    let words: Vec<&str> = version.lines().next().unwrap_or_default().split_whitespace().collect();
    let measured = format!("{rounds} rounds, {}", Machine::here().processor);
    let rows = all.iter().zip(&samples).flat_map(|(reference, samples)| {
        let Reference { family, run, bytes, .. } = *reference;
        OPERATIONS.into_iter().zip(samples).map(move |(operation, of)| Row {
            operation,
            family,
            run,
            bytes,
            times: of.times(),
        })
    });
    Ok(first.then(|| Table::new(&words.join(" "), &measured, rows)))
}

/// The operations measured for each layout.
const OPERATIONS: [Operation; 2] = [Operation::Message, Operation::Broadcast];

/// One way of communicating a layout.
#[derive(Debug, Clone, Default)]
struct Way {
    /// Of one message each, in nanoseconds.
    samples: Vec<f64>,
    /// Round trips that make a sample, once known.
    trips: Option<u64>,
    /// Samples that are still to be taken at most, once known.
    rest: u32,
}

impl Way {
    fn is_done(&self) -> bool {
        self.trips.is_some() && self.rest == 0
    }
}

/// One layout in one operation: with the datatype, and packed.
#[derive(Debug, Clone, Default)]
struct Samples {
    ways: [Way; 2],
}

impl Samples {
    /// Times of a message while nothing else runs. The factor between both ways is the median of
    /// those that were measured one after the other.
    fn times(&self) -> Times {
        let [native, packed] = self.ways.each_ref().map(|way| &way.samples);
        let factors: Vec<f64> = native.iter().zip(packed).map(|(n, p)| n / p).collect();
        let engine = Quartiles::of(packed).map_or(0.0, |of| of.low);
        let factor = Quartiles::of(&factors).map_or(0.0, |of| of.median);
        Times { native: engine * factor, engine }
    }
}

/// One reference between the two processes.
struct Exchange<'p> {
    partner: &'p mut dyn PairSession,
    plan: Plan,
    typed: usize,
    /// For messages, and for broadcasts: as many elements of the same size.
    packed: [usize; 2],
    /// A number from the first process to the second.
    word: usize,
    /// This process sends first.
    first: bool,
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

impl<'p> Exchange<'p> {
    fn new(
        partner: &'p mut dyn PairSession,
        reference: &Reference,
        target: &Target,
        first: bool,
    ) -> Outcome<Self> {
        partner.clear();
        let Reference { ty, count, bytes, .. } = reference;
        let int = Type::leaf(Basic::INT);
        let typed = partner.add(ty, *count)?;
        let element = mpi::contiguous(ty.size() / int.size(), &int)?;
        let packed = [partner.add(&int, bytes / int.size())?, partner.add(&element, *count)?];
        let word = partner.add(&Type::leaf(Basic::BYTE), 8)?;
        let plan = Plan::packed(ty, *count, target)?;
        Ok(Exchange { partner, plan, typed, packed, word, first })
    }

    /// One sample of each way.
    fn sample(&mut self, samples: &mut [Samples; 2]) -> Outcome<()> {
        for (operation, samples) in OPERATIONS.into_iter().zip(samples) {
            for (packed, way) in [false, true].into_iter().zip(&mut samples.ways) {
                if way.is_done() {
                    continue;
                }
                // The first one is not counted: memory and caches are cold.
                self.round_trips(operation, packed, 1)?;
                let trips = match way.trips {
                    Some(trips) => trips,
                    None => self.plan(operation, packed, way)?,
                };
                way.samples.push(self.round_trips(operation, packed, trips)? / 2.0);
                way.rest = way.rest.saturating_sub(1);
            }
        }
        Ok(())
    }

    /// How many round trips make a sample, by one more of them. The first process decides.
    fn plan(&mut self, operation: Operation, packed: bool, way: &mut Way) -> Outcome<u64> {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
        let mut took = self.round_trips(operation, packed, 1)? as u64;
        if self.first {
            self.partner.memory(self.word).copy_from_slice(&took.to_le_bytes());
            self.partner.send(self.word, 1)?;
        } else {
            self.partner.receive(self.word, 0)?;
            took = u64::from_le_bytes((&*self.partner.memory(self.word)).try_into()?);
        }
        // With the one before each that is not counted.
        way.rest = u32::try_from(BUDGET / (2 * took.max(1))).unwrap_or(u32::MAX).max(1);
        let trips = (SAMPLE / took.max(1)).clamp(1, MOST);
        way.trips = Some(trips);
        Ok(trips)
    }

    /// Nanoseconds of each of so many round trips.
    fn round_trips(&mut self, operation: Operation, packed: bool, times: u64) -> Outcome<f64> {
        let start = Instant::now();
        for _ in 0..times {
            for sends in [self.first, !self.first] {
                if sends {
                    self.give(operation, packed)?;
                } else {
                    self.take(operation, packed)?;
                }
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "at most a hundred")]
        let times = times as f64;
        Ok(start.elapsed().as_secs_f64() * 1e9 / times)
    }

    fn give(&mut self, operation: Operation, packed: bool) -> Outcome<()> {
        let [own, other] = [i32::from(!self.first), i32::from(self.first)];
        let number = self.number(operation, packed);
        if packed {
            let (memory, stream) = self.partner.memories(self.typed, number);
            pack(&self.plan, memory, 0, 0..self.plan.bytes(), stream)?;
        }
        match operation {
            Operation::Message => self.partner.send(number, other)?,
            Operation::Broadcast => self.partner.broadcast(number, own)?,
        }
        Ok(())
    }

    fn take(&mut self, operation: Operation, packed: bool) -> Outcome<()> {
        let other = i32::from(self.first);
        let number = self.number(operation, packed);
        match operation {
            Operation::Message => self.partner.receive(number, other)?,
            Operation::Broadcast => self.partner.broadcast(number, other)?,
        }
        if packed {
            let (stream, memory) = self.partner.memories(number, self.typed);
            unpack(&self.plan, memory, 0, 0..self.plan.bytes(), stream)?;
        }
        Ok(())
    }

    /// Number of the buffer and datatype for the library.
    fn number(&self, operation: Operation, packed: bool) -> usize {
        match (packed, operation) {
            (false, _) => self.typed,
            (true, Operation::Message) => self.packed[0],
            (true, Operation::Broadcast) => self.packed[1],
        }
    }
}

//! The loop: one random operation after the other, each made twice and compared.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use commloom_mpi::Abi;
use commloom_testkit::Rng;
use indicatif::{ProgressBar, ProgressStyle};

use crate::census::Census;
use crate::memory::{Memory, mix};
use crate::options::{Family, Options};
use crate::outcome::{Outcome, Verdict, judge};
use crate::session::Session;
use crate::specimen::{Pool, Specimen};
use crate::{collective, errors, exchange, packing, point, watch};

/// Any operation.
enum Operation<'p, A: Abi> {
    Point(point::Plan<'p, A>),
    Exchange(exchange::Plan<'p, A>),
    Pack(packing::Plan<'p, A>),
    Collective(collective::Plan<'p, A>),
    Error(errors::Plan<'p, A>),
}

impl<'p, A: Abi> Operation<'p, A> {
    fn random(
        family: Family,
        rng: &mut Rng,
        session: &Session<A>,
        all: &[&'p Specimen<A>],
        number: u64,
    ) -> Self {
        match family {
            Family::Point => Operation::Point(point::Plan::random(rng, session, all, number)),
            Family::Exchange => {
                Operation::Exchange(exchange::Plan::random(rng, session, all, number))
            }
            Family::Pack => Operation::Pack(packing::Plan::random(rng, session, all)),
            Family::Collective => {
                Operation::Collective(collective::Plan::random(rng, session, all))
            }
            Family::Error => Operation::Error(errors::Plan::random(rng, session, all, number)),
        }
    }

    fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        match self {
            Operation::Point(plan) => plan.perform(session, native),
            Operation::Exchange(plan) => plan.perform(session, native),
            Operation::Pack(plan) => plan.perform(session, native),
            Operation::Collective(plan) => plan.perform(session, native),
            Operation::Error(plan) => plan.perform(session, native),
        }
    }

    fn expected(&self, rank: usize) -> Vec<Memory> {
        match self {
            Operation::Point(plan) => plan.expected(rank),
            Operation::Exchange(plan) => plan.expected(rank),
            Operation::Pack(plan) => plan.expected(),
            Operation::Collective(plan) => plan.expected(rank),
            Operation::Error(_) => Vec::new(),
        }
    }

    fn count(&self, census: &mut Census, ranks: usize) {
        match self {
            Operation::Point(plan) => plan.count(census),
            Operation::Exchange(plan) => plan.count(census),
            Operation::Pack(plan) => plan.count(census, ranks),
            Operation::Collective(plan) => plan.count(census),
            Operation::Error(plan) => plan.count(census),
        }
    }

    fn text(&self, session: &Session<A>) -> String {
        match self {
            Operation::Point(plan) => plan.text(),
            Operation::Exchange(plan) => plan.text(),
            Operation::Pack(plan) => plan.text(),
            Operation::Collective(plan) => plan.text(session),
            Operation::Error(plan) => plan.text(),
        }
    }
}

/// How often ranks agree to go on, where there is a limit on the time.
const AGREE: u64 = 50;

/// Makes the operations that the options ask for.
pub fn fuzz<A: Abi>(session: &Session<A>, options: &Options) -> ExitCode {
    let made_up = Instant::now().elapsed().as_nanos()
        ^ std::time::UNIX_EPOCH.elapsed().map_or(0, |t| t.as_nanos());
    let made_up = u64::try_from(made_up % 1_000_000_000).expect("small");
    let seed = session.agree(options.seed.unwrap_or(made_up));
    let end = options.first.saturating_add(options.operations);
    if session.rank == 0 {
        let version = session.mpi.library_version().unwrap_or_default();
        println!(
            "{} ranks of {}\nMPI_Send comes from {}\nseed {seed}, operations {} to {end}",
            session.ranks,
            version.lines().next().unwrap_or_default(),
            session.send_comes_from(),
            options.first,
        );
    }
    let drawn: Vec<Family> = match options.only.as_slice() {
        [] => Family::DRAWN.to_vec(),
        only => only.to_vec(),
    };
    let start = Instant::now();
    let limit = options.seconds.map(Duration::from_secs);
    let bar = progress(session.rank, options.operations);
    let mut pool = Pool::new(seed, options.verbose && session.rank == 0);
    watch::start(session.rank, options.patience);
    let (mut made, mut library) = (0u64, 0u64);
    let mut census = Census::new(session.mpi.own.send_c.is_some());
    for number in options.first..end {
        if let Some(limit) = limit
            && number % AGREE == 0
            && session.agree(u64::from(start.elapsed() > limit)) != 0
        {
            break;
        }
        watch::at(number, true);
        pool.advance(session, number);
        let mut rng = Rng::with_seed(mix(&[seed, number, 0xF0_22]));
        let all = pool.all();
        let family = drawn[rng.usize(0..drawn.len())];
        let operation = Operation::random(family, &mut rng, session, &all, number);
        if options.verbose && session.rank == 0 {
            println!("{number}: {}", operation.text(session));
            // The next call may be the last one.
            let _ = std::io::stdout().flush();
        }
        watch::at(number, true);
        let native = operation.perform(session, true);
        watch::at(number, false);
        let wrapped = operation.perform(session, false);
        match judge(&native, &wrapped, &operation.expected(session.rank)) {
            Verdict::Right => {}
            Verdict::Library(why) => {
                library += 1;
                if options.verbose {
                    println!("{number}: rank {}: the library alone: {why}", session.rank);
                }
            }
            Verdict::Wrong(why) => {
                let text = format!(
                    "commloom-fuzz-mpi: seed {seed}, operation {number}, rank {}: {why}\n{}\n\
                     repeat it with --seed {seed} --first {number} --operations 1, or with those \
                     before it\n",
                    session.rank,
                    operation.text(session)
                );
                // In one piece: all ranks write to one place.
                let _ = std::io::stderr().write_all(text.as_bytes());
                session.abort();
            }
        }
        operation.count(&mut census, session.ranks);
        made += 1;
        bar.inc(1);
    }
    bar.finish_and_clear();
    session.barrier();
    if session.rank == 0 {
        println!(
            "{made} operations in {:.0} s: nothing differs (rank 0 saw {library} where the library \
             alone is wrong, and {} types that it makes otherwise than the standard says)",
            start.elapsed().as_secs_f64(),
            pool.defective
        );
        println!("calls: {}", census.text());
    }
    pool.end(session);
    ExitCode::SUCCESS
}

/// Drawn by rank 0 on a terminal only.
fn progress(rank: usize, operations: u64) -> ProgressBar {
    if rank > 0 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} operations, {eta} left");
    ProgressBar::new(operations).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

//! The loop: one random operation after the other, each made twice and compared.

use std::io::{IsTerminal as _, Write as _};
use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use commloom_mpi::{Abi, Library, LibraryError};
use commloom_testkit::Rng;
use indicatif::{ProgressBar, ProgressStyle};

use crate::census::Census;
use crate::held::asked;
use crate::memory::{self, Memory, mix};
use crate::options::{Family, Options};
use crate::outcome::{Comparison, Outcome, judge};
use crate::session::{Face, Session};
use crate::specimen::SpecimenPool;
use crate::turns::take_turns;
use crate::{collective, errors, exchange, packing, point, released, truncation, watch, window};

/// Any operation.
enum Operation<'p, A: Abi> {
    Point(point::Plan<'p, A>),
    Exchange(exchange::Plan<'p, A>),
    Pack(packing::Plan<'p, A>),
    Collective(collective::Plan<'p, A>),
    Error(errors::Plan<'p, A>),
    Truncation(truncation::Plan<'p, A>),
    Released(released::Plan<'p, A>),
    Window(window::Plan<'p, A>),
}

impl<'p, A: Abi> Operation<'p, A> {
    fn random(
        family: Family,
        rng: &mut Rng,
        session: &Session<A>,
        pool: &'p SpecimenPool<A>,
        number: u64,
    ) -> Self {
        let all = &pool.all();
        match family {
            Family::Point => Operation::Point(point::Plan::random(rng, session, all, number)),
            Family::Exchange => {
                Operation::Exchange(exchange::Plan::random(rng, session, all, number))
            }
            Family::Pack => Operation::Pack(packing::Plan::random(rng, session, all)),
            Family::Collective => {
                Operation::Collective(collective::Plan::random(rng, session, all))
            }
            // Those between two ranks are others where there is only one.
            Family::Truncation if session.ranks > 1 => {
                let bytes = pool.bytes();
                Operation::Truncation(truncation::Plan::random(rng, session, all, bytes, number))
            }
            Family::Released if session.ranks > 1 => {
                Operation::Released(released::Plan::random(rng, session, all, number))
            }
            Family::Window => Operation::Window(window::Plan::random(rng, session, all)),
            Family::Error | Family::Truncation | Family::Released => {
                Operation::Error(errors::Plan::random(rng, session, all, number))
            }
        }
    }

    fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        match self {
            Operation::Point(plan) => plan.perform(session, native),
            Operation::Exchange(plan) => plan.perform(session, native),
            Operation::Pack(plan) => plan.perform(session, native),
            Operation::Collective(plan) => plan.perform(session, native),
            Operation::Error(plan) => plan.perform(session, native),
            Operation::Truncation(plan) => plan.perform(session, native),
            Operation::Released(plan) => plan.perform(session, native),
            Operation::Window(plan) => plan.perform(session, native),
        }
    }

    fn expected(&self, rank: usize) -> Vec<Memory> {
        match self {
            Operation::Point(plan) => plan.expected(rank),
            Operation::Exchange(plan) => plan.expected(rank),
            Operation::Pack(plan) => plan.expected(),
            Operation::Collective(plan) => plan.expected(rank),
            Operation::Error(_) => Vec::new(),
            Operation::Truncation(plan) => plan.expected(rank),
            Operation::Released(plan) => plan.expected(rank),
            Operation::Window(plan) => plan.expected(rank),
        }
    }

    fn count(&self, census: &mut Census, ranks: usize) {
        match self {
            Operation::Point(plan) => plan.count(census),
            Operation::Exchange(plan) => plan.count(census),
            Operation::Pack(plan) => plan.count(census, ranks),
            Operation::Collective(plan) => plan.count(census),
            Operation::Error(plan) => plan.count(census),
            Operation::Truncation(plan) => plan.count(census),
            Operation::Released(plan) => plan.count(census),
            Operation::Window(plan) => plan.count(census),
        }
    }

    fn text(&self, session: &Session<A>) -> String {
        match self {
            Operation::Point(plan) => plan.text(),
            Operation::Exchange(plan) => plan.text(),
            Operation::Pack(plan) => plan.text(),
            Operation::Collective(plan) => plan.text(session),
            Operation::Error(plan) => plan.text(),
            Operation::Truncation(plan) => plan.text(),
            Operation::Released(plan) => plan.text(),
            Operation::Window(plan) => plan.text(),
        }
    }
}

/// How often ranks agree to go on, where there is a limit on the time.
const AGREE: u64 = 50;

/// Sessions one after the other that have the same types.
const ALIKE: u64 = 4;
/// One in so many operations is made in a session of its own, beside the world.
const SESSION: u32 = 40;

/// Makes an operation, on a communicator of a session of its own if so wished.
fn perform<A: Abi>(
    session: &mut Session<A>,
    operation: &Operation<A>,
    native: bool,
    own_session: bool,
) -> Outcome {
    if !own_session {
        return operation.perform(session, native);
    }
    let opened = session.open(if native { Face::Native } else { Face::Wrapped });
    let before = std::mem::replace(&mut session.comm, opened.comm);
    let outcome = operation.perform(session, native);
    session.comm = before;
    session.close(opened);
    outcome
}

/// Makes the operations that the options ask for, in one session.
pub fn fuzz<A: Abi>(mut session: Session<A>, options: &Options) -> ExitCode {
    let mut campaign = Campaign::new(&session, options);
    let mut pool = campaign.pool(&session);
    campaign.make(&mut session, &mut pool, options.first..campaign.end, None);
    campaign.defective += pool.defective;
    pool.end(&session);
    let code = campaign.close(&session);
    session.end();
    code
}

/// The same where MPI is started and ended again and again, with sessions one after the other.
///
/// # Errors
/// The library has no sessions.
pub fn fuzz_sessions<A: Abi>(
    library: &Library,
    options: &Options,
    each: u64,
) -> Result<ExitCode, LibraryError> {
    let mut session = Session::<A>::start_session(library.clone())?;
    let mut campaign = Campaign::new(&session, options);
    let mut first = options.first;
    let each = if session.quirks.starts_once { campaign.end } else { each.max(1) };
    loop {
        let end = ((first / each + 1).saturating_mul(each)).min(campaign.end);
        let mut pool = campaign.pool(&session);
        let on = campaign.make(&mut session, &mut pool, first..end, Some(each));
        campaign.defective += pool.defective;
        // Every other time the types are there until MPI ends, as in programs that free nothing.
        if mix(&[campaign.seed, first]).is_multiple_of(2) {
            pool.end(&session);
        }
        first = end;
        if !on || first >= campaign.end {
            let code = campaign.close(&session);
            session.end();
            return Ok(code);
        }
        session.end();
        session = Session::start_session(library.clone())?;
    }
}

/// The operations to make, and the results so far.
struct Campaign<'o> {
    options: &'o Options,
    seed: u64,
    end: u64,
    drawn: Vec<Family>,
    start: Instant,
    bar: ProgressBar,
    census: Census,
    made: u64,
    /// Operations in which the preload changed something, as this rank sees it.
    wrong: u64,
    /// Operations in which the library alone is wrong, as this rank sees it.
    library: u64,
    /// Types that the library makes otherwise than the standard says.
    defective: u64,
}

impl<'o> Campaign<'o> {
    /// Says what comes.
    fn new<A: Abi>(session: &Session<A>, options: &'o Options) -> Self {
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
                Session::<A>::send_comes_from().unwrap_or_default(),
                options.first,
            );
        }
        watch::start(session.rank, options.patience);
        take_turns(options.turns);
        let drawn = match options.only.as_slice() {
            [] => Family::DRAWN.to_vec(),
            only => only.to_vec(),
        };
        Campaign {
            options,
            seed,
            end,
            drawn,
            start: Instant::now(),
            bar: progress(session.rank, options.operations),
            census: Census::new(session.mpi.own.send_c.is_some()),
            made: 0,
            wrong: 0,
            library: 0,
            defective: 0,
        }
    }

    fn pool<A: Abi>(&self, session: &Session<A>) -> SpecimenPool<A> {
        SpecimenPool::new(session, self.seed, self.options.verbose && session.rank == 0)
    }

    /// Makes the operations of a range; `false` where time is up. Where there is a session for
    /// `each` so many, some sessions have the types of the one before: what was kept of it may be
    /// in use again.
    fn make<A: Abi>(
        &mut self,
        session: &mut Session<A>,
        pool: &mut SpecimenPool<A>,
        numbers: Range<u64>,
        each: Option<u64>,
    ) -> bool {
        let limit = self.options.seconds.map(Duration::from_secs);
        for number in numbers {
            if let Some(limit) = limit
                && number % AGREE == 0
                && session.agree(u64::from(self.start.elapsed() > limit)) != 0
            {
                return false;
            }
            watch::at(number, true);
            pool.advance(
                session,
                each.map_or(number, |each| number / each / ALIKE * each + number % each),
            );
            self.one(session, pool, number);
            self.made += 1;
            self.bar.inc(1);
        }
        true
    }

    fn one<A: Abi>(&mut self, session: &mut Session<A>, pool: &SpecimenPool<A>, number: u64) {
        let (seed, verbose) = (self.seed, self.options.verbose);
        let mut rng = Rng::with_seed(mix(&[seed, number, 0xF0_22]));
        let family = match self.drawn[rng.usize(0..self.drawn.len())] {
            // Errors of requests end a program that has no world to say otherwise.
            Family::Error | Family::Truncation if session.is_of_session() => Family::Point,
            family => family,
        };
        let operation = Operation::random(family, &mut rng, session, pool, number);
        // In a program that has nothing else, all are.
        let own_session =
            session.has_sessions() && rng.u32(0..SESSION) == 0 && !session.is_of_session();
        if verbose && session.rank == 0 {
            let own = if own_session { "in a session of its own, " } else { "" };
            println!("{number}: {own}{}", operation.text(session));
            // The next call may be the last one.
            let _ = std::io::stdout().flush();
        }
        memory::soil(&mut rng);
        watch::at(number, true);
        let mut native = perform(session, &operation, true, own_session);
        if matches!(operation, Operation::Truncation(_)) {
            native = native.repeated(perform(session, &operation, true, own_session));
        }
        watch::at(number, false);
        let wrapped = perform(session, &operation, false, own_session);
        match judge(&native, &wrapped, &operation.expected(session.rank)) {
            Comparison::Right => {}
            Comparison::Library(why) => {
                self.library += 1;
                if verbose {
                    println!("{number}: rank {}: the library alone: {why}", session.rank);
                }
            }
            Comparison::Wrong(why) => {
                let text = format!(
                    "commloom-fuzz-mpi: seed {seed}, operation {number}, rank {}: {why}\n{}\n\
                     repeat it with --seed {seed} --first {number} --operations 1, or with those \
                     before it\n",
                    session.rank,
                    operation.text(session)
                );
                // In one piece: all ranks write to one place.
                let _ = std::io::stderr().write_all(text.as_bytes());
                self.wrong += 1;
                if !self.options.keep_going {
                    session.abort();
                }
            }
        }
        operation.count(&mut self.census, session.ranks);
    }

    /// Says what came of it.
    fn close<A: Abi>(&self, session: &Session<A>) -> ExitCode {
        self.bar.finish_and_clear();
        let right = session.everybody(self.wrong == 0);
        if session.rank == 0 {
            println!(
                "{} operations in {:.0} s: {} (rank 0 saw {} where the library alone is wrong, \
                 and {} types that it makes otherwise than the standard says)",
                self.made,
                self.start.elapsed().as_secs_f64(),
                if right { "nothing differs" } else { "something differs" },
                self.library,
                self.defective
            );
            if self.options.whole {
                println!("{} messages of rank 0 beside empty ones", asked(c"commloom_beside"));
                println!("{} puts of rank 0 aside", asked(c"commloom_aside"));
            }
            println!("calls: {}", self.census.text());
        }
        if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Drawn by rank 0 on a terminal only.
fn progress(rank: usize, operations: u64) -> ProgressBar {
    if rank > 0 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} operations, {eta} left");
    ProgressBar::new(operations).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

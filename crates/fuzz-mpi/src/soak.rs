//! A soak: threads of all ranks exchange random messages for a long time. No message may be lost
//! or differ, and memory must not grow once everything has been used once.
//!
//! Resident memory does not tell: it moves by 20 MB with the fragments of the heap, with the
//! library alone too. What `malloc` has handed out does. Under Open MPI 4.1.4 it is flat to 50 kB;
//! a preload that forgot the 112 bytes that it keeps for a type failed after 80 s, with 1.5 MB
//! more in use.

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use commloom_layout::{Basic, Type, mpi as constructors};
use commloom_mpi::{Abi, encode};
use commloom_testkit::{Rng, oracle};

use crate::held::Held;
use crate::memory::{Memory, mix};
use crate::number::{int, wide};
use crate::options::Options;
use crate::session::{Face, Session};

/// Parts of the time after which memory is looked at. After the first one it must be flat.
const SAMPLES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// The bytes by which memory in use may grow after that, beyond what the preload keeps and the
/// library is known to lose: libraries keep buffers too, and the most that were under way at once
/// are there late.
const GROWTH: u64 = 512 << 10;
/// Rounds between two agreements on whether to go on.
const ROUNDS: u64 = 200;

/// Runs the soak for the time that the options say.
pub fn soak<A: Abi>(session: &Session<A>, options: &Options) -> ExitCode {
    let seconds = options.seconds.unwrap_or(1200);
    let seed = session.agree(options.seed.unwrap_or(1));
    let threads = if session.threads { options.threads.max(1) } else { 1 };
    if session.rank == 0 {
        println!(
            "{} ranks with {threads} threads for {seconds} s, seed {seed}, {}, MPI_Send comes \
             from {}",
            session.ranks,
            session.mpi.library_version().unwrap_or_default().lines().next().unwrap_or_default(),
            Session::<A>::send_comes_from().unwrap_or_default()
        );
    }
    let sent = |rounds: u64| rounds * u64::try_from(threads).expect("few");
    let start = Instant::now();
    let (mut samples, mut first, mut grown, mut round) = (Vec::new(), None, 0, 0);
    loop {
        if !exchanges(session, seed, threads, round) {
            session.abort();
        }
        round += ROUNDS;
        let elapsed = start.elapsed();
        // Nothing is under way now, nor does another rank send while this one looks.
        session.barrier();
        let held = Held::now();
        session.barrier();
        if options.verbose {
            println!("rank {}, {round} rounds: {held:?}", session.rank);
        }
        while let Some(part) = SAMPLES.get(samples.len())
            && elapsed >= Duration::from_secs(seconds).mul_f64(*part)
        {
            samples.push(held);
        }
        if !samples.is_empty() {
            let (needed, before) = *first.get_or_insert((held.needed(), sent(round)));
            // A type for each message.
            let lost = (sent(round) - before).saturating_mul(session.quirks.lost_by_commit);
            grown = grown.max(held.needed().saturating_sub(needed).saturating_sub(lost));
        }
        // Rank 0 decides for all.
        if session.agree(u64::from(elapsed.as_secs() >= seconds)) != 0 {
            break;
        }
    }
    // Rank 0 may have ended a moment before this rank would have.
    samples.resize(SAMPLES.len(), Held::now());
    let columns = |of: fn(&Held) -> u64| {
        let kilobytes: Vec<String> =
            samples.iter().map(|held| (of(held) / 1024).to_string()).collect();
        kilobytes.join(", ")
    };
    let sent = sent(round);
    // In one piece: all ranks write to one place.
    let row = format!(
        "| {} | {threads} | {sent} | {} | {} | {} |\n",
        session.rank,
        columns(|held| held.needed()),
        columns(|held| held.kept),
        columns(|held| held.resident)
    );
    let _ = std::io::stdout().write_all(row.as_bytes());
    if grown > GROWTH {
        eprintln!("soak: rank {}: memory is not flat, {grown} bytes more are in use", session.rank);
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Some rounds of messages of all threads; whether all were right.
fn exchanges<A: Abi>(session: &Session<A>, seed: u64, threads: usize, first: u64) -> bool {
    let wrong = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let wrong = &wrong;
            scope.spawn(move || {
                for round in first..first + ROUNDS {
                    if let Err(why) = exchange(session, seed, thread, round) {
                        eprintln!("soak: rank {}, round {round}: {why}", session.rank);
                        wrong.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    !wrong.load(Ordering::Relaxed)
}

/// One message to the next rank and one from the one before, of a random type, both checked.
fn exchange<A: Abi>(
    session: &Session<A>,
    seed: u64,
    thread: usize,
    round: u64,
) -> Result<(), String> {
    let (mpi, f) = (&session.mpi, session.functions(Face::Wrapped));
    let number = |n: usize| u64::try_from(n).expect("few");
    // What both sides of a message know.
    let mut rng = Rng::with_seed(mix(&[seed, number(thread), round]));
    let step = rng.usize(0..session.ranks);
    let layout = random_layout(&mut rng);
    let count = rng.u64(1..4);
    let (blocking, split) = (rng.bool(), rng.bool());
    let to = (session.rank + step) % session.ranks;
    let from = (session.rank + session.ranks - step) % session.ranks;
    let noise = |rank: usize| mix(&[seed, number(thread), round, number(rank)]);
    let places = oracle::byte_map(&layout, count);
    let mut sent = Memory::holding([places.as_slice()], noise(session.rank));
    let mut received = Memory::holding([places.as_slice()], !noise(session.rank));
    let mut right = received.clone();
    let other = Memory::holding([places.as_slice()], noise(from));
    right.scatter(&places, &other.gather(&places));

    let made = encode(mpi, &layout).map_err(|e| e.to_string())?;
    let mut handle = made.handle();
    let (tag, comm, n) = (int(thread), session.comm, int(count));
    let null = mpi.handles.request_null;
    let mut requests = [null; 2];
    let statuses = A::CONSTANTS.statuses_ignore_ptr();
    // SAFETY: a live type, buffers that hold the elements until the requests are complete.
    let codes = unsafe {
        // The type again, so that the preload hears of it.
        let committed = (f.type_commit)(&raw mut handle);
        let r = requests.as_mut_ptr();
        let posted = (f.irecv)(received.address(), n, handle, int(from), tag, comm, r);
        let data = sent.address().cast_const();
        let sending = if blocking {
            (f.send)(data, n, handle, int(to), tag, comm)
        } else {
            (f.isend)(data, n, handle, int(to), tag, comm, r.add(1))
        };
        let completed = if split {
            let mut flag = 0;
            let mut code = A::CONSTANTS.success;
            while flag == 0 && code == A::CONSTANTS.success {
                code = (f.testall)(2, r, &raw mut flag, statuses);
                std::thread::yield_now();
            }
            code
        } else {
            (f.waitall)(2, r, statuses)
        };
        [committed, posted, sending, completed]
    };
    for code in codes {
        mpi.check("a call", code).map_err(|e| e.to_string())?;
    }
    match received.difference(&right) {
        None => Ok(()),
        Some((at, is, should)) => Err(format!(
            "thread {thread}, from {from}, {count} elements of {layout:?}: the byte at {at} is \
             {is:#04x}, should be {should:#04x}"
        )),
    }
}

/// One of some hundred layouts, so that a program that makes types again and again is what is
/// tested.
fn random_layout(rng: &mut Rng) -> Type {
    let basic = [Basic::INT, Basic::DOUBLE, Basic::BYTE][rng.usize(0..3)];
    let leaf = Type::leaf(basic);
    let n = [3, 50, 400, 4000][rng.usize(0..4)];
    let block = rng.u64(1..5);
    let step = wide(block) + rng.i64(1..4);
    let made = match rng.u32(0..3) {
        0 => constructors::vector(n, block, step, &leaf),
        1 => {
            let places: Vec<i64> = (0..wide(n)).map(|i| i * step + i % 2).collect();
            constructors::indexed_block(block, &places, &leaf)
        }
        _ => constructors::vector(4, 1, step, &leaf)
            .and_then(|row| constructors::hvector(n, 1, row.true_extent() + 16, &row)),
    };
    made.unwrap_or(leaf)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layouts_of_the_soak_can_be_received() {
        for seed in 0..300 {
            let layout = random_layout(&mut Rng::with_seed(seed));
            assert!(layout.size() > 0);
            assert!(!oracle::overlaps(&layout, 3), "{seed}: {layout:?}");
        }
    }
}

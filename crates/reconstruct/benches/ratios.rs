//! How much longer a reconstruction takes than one pass that sums the sequence, and how its time
//! grows with n. `make bench-reconstruct` writes both tables to
//! book/src/tables/reconstruct-speed.md; `cargo bench -p commloom-reconstruct --bench ratios --
//! [--short] [--n N] [--case NAME]` prints them, or the lines for one n or one case.
//!
//! Every result is verified before it is timed. The sum and the reconstructions of one input take
//! turns, and ratios are taken within a turn, so that a machine that changes its speed changes
//! both. Memory is given back outside the timed part.
#![allow(missing_docs)]

mod cases;
mod report;

use std::hint::black_box;
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Instant;

use cases::{CASES, Case};
use commloom_layout::{Basic, CostModel};
use commloom_measure::statistics::Quartiles;
use commloom_reconstruct::{Constructors, Reconstruction, reconstruct, reconstruct_shared};
use multiversion::multiversion;

/// 14,414,400 has 504 divisors.
const LENGTHS: [i64; 4] = [10_000, 1_000_000, 14_414_400, 1 << 24];

/// Where the results are lists of megabytes.
const LARGE: [i64; 1] = [1 << 24];

/// For the growth exponent.
const DECADES: [i64; 4] = [100_000, 1_000_000, 10_000_000, 100_000_000];

/// For trees, which take seconds.
const TREES: [i64; 2] = [1_000_000, 10_000_000];

/// Elements that are read to drive a sequence out of the caches: 512 MiB.
const OTHER_DATA: usize = 1 << 26;

/// With these the C library keeps memory that is freed, as a program that allocates all the time
/// does. Otherwise it returns each list of megabytes to the system, and the next call waits for
/// new pages (about 1 us each on virtual machines), longer than it calculates.
const KEEP_MEMORY: [(&str, &str); 2] =
    [("MALLOC_MMAP_MAX_", "0"), ("MALLOC_TRIM_THRESHOLD_", "1000000000000")];

type Call = fn(&Arc<[i64]>) -> Reconstruction;

/// A call that is compared with the sum, and how many times as long it may take.
pub struct Measured {
    pub name: &'static str,
    pub goal: f64,
    call: Call,
}

pub const CALLS: [Measured; 4] = [
    Measured { name: "basic", goal: 4.0, call: |d| shared(d, Constructors::Basic) },
    Measured { name: "extended", goal: 8.0, call: |d| shared(d, Constructors::Extended) },
    Measured { name: "basic, slice", goal: 4.0, call: |d| copied(d, Constructors::Basic) },
    Measured { name: "extended, slice", goal: 8.0, call: |d| copied(d, Constructors::Extended) },
];

fn shared(starts: &Arc<[i64]>, set: Constructors) -> Reconstruction {
    reconstruct_shared(starts, Basic::CHAR, set, &CostModel::default()).expect("valid cases")
}

fn copied(starts: &Arc<[i64]>, set: Constructors) -> Reconstruction {
    reconstruct(starts, Basic::CHAR, set, &CostModel::default()).expect("valid cases")
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let has = |name: &str| args.iter().any(|a| a == name);
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let rounds = if has("--short") { 9 } else { 41 };
    let n: Option<i64> = value("--n").and_then(|n| n.parse().ok());
    let name = value("--case");
    let cases = || CASES.iter().filter(|c| name.is_none_or(|name| c.name == name));

    if has("--new-memory") {
        for case in cases() {
            LARGE.iter().for_each(|&n| report::ratios(n, case, &ratios(case, n, rounds)));
        }
        return ExitCode::SUCCESS;
    }
    if KEEP_MEMORY.iter().any(|(name, _)| std::env::var_os(name).is_none()) {
        return again(|command| command.envs(KEEP_MEMORY));
    }
    report::begin_ratios();
    for length in LENGTHS.into_iter().filter(|l| n.is_none_or(|n| n == *l)) {
        cases().for_each(|case| report::ratios(length, case, &ratios(case, length, rounds)));
    }
    if n.is_some() {
        return ExitCode::SUCCESS;
    }
    report::begin_new_memory();
    again(|command| {
        KEEP_MEMORY.iter().for_each(|(name, _)| {
            command.env_remove(name);
        });
        command.arg("--new-memory")
    });
    report::begin_growth();
    for cached in [false, true] {
        report::begin_growth_where(cached);
        for case in cases().filter(|c| c.regular) {
            report::growth(case, &DECADES.map(|n| (n, growth(case, n, cached))));
        }
    }
    report::begin_trees();
    cases().for_each(|case| report::trees(case, &TREES.map(|n| tree(case, n))));
    ExitCode::SUCCESS
}

/// Runs this program with the same arguments in another environment.
fn again(change: impl FnOnce(&mut Command) -> &mut Command) -> ExitCode {
    let mut command = Command::new(std::env::current_exe().expect("this program has a name"));
    command.args(std::env::args_os().skip(1));
    let status = change(&mut command).status().expect("this program can be run");
    if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Times of one input: quartiles of the seconds of the sum, and of the ratios to it.
pub struct Ratios {
    pub sum: [f64; 3],
    /// Of a sum that may use AVX2: seconds.
    pub wide_sum: [f64; 3],
    pub calls: [[f64; 3]; CALLS.len()],
}

fn ratios(case: &Case, n: i64, rounds: usize) -> Ratios {
    let starts: Arc<[i64]> = (case.make)(n).into();
    let [basic, extended, basic_copied, extended_copied] = CALLS.map(|c| (c.call)(&starts));
    verify(&basic, &starts, case.name);
    verify(&extended, &starts, case.name);
    assert_eq!(basic.ty, basic_copied.ty, "{}: a slice gives another type", case.name);
    assert_eq!(extended.ty, extended_copied.ty, "{}: a slice gives another type", case.name);
    drop([basic, extended, basic_copied, extended_copied]);

    // Short calls are repeated, for the resolution of the clock.
    let (repeat, rounds) = if n <= 100_000 { (16, 10 * rounds) } else { (1, rounds) };
    let (mut sums, mut wide_sums) = (Vec::new(), Vec::new());
    let mut calls = [const { Vec::new() }; CALLS.len()];
    for _ in 0..rounds {
        let sum =
            seconds(repeat, || black_box(&starts).iter().fold(0i64, |a, b| a.wrapping_add(*b)));
        sums.push(sum);
        wide_sums.push(seconds(repeat, || wide_sum(&starts)));
        for (ratios, measured) in calls.iter_mut().zip(CALLS) {
            ratios.push(seconds(repeat, || (measured.call)(black_box(&starts))) / sum);
        }
    }
    Ratios { sum: spread(sums), wide_sum: spread(wide_sums), calls: calls.map(spread) }
}

/// Median seconds of the sum, basic, extended, with the sequence in the caches or not.
fn growth(case: &Case, n: i64, cached: bool) -> [f64; 3] {
    const ROUNDS: usize = 9;
    let starts: Arc<[i64]> = (case.make)(n).into();
    CALLS.iter().take(2).for_each(|c| verify(&(c.call)(&starts), &starts, case.name));
    let other = vec![1; if cached { 0 } else { OTHER_DATA }];
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        black_box(sum(&other));
        times[0].push(seconds(1, || sum(&starts)));
        for (times, measured) in times[1..].iter_mut().zip(CALLS) {
            black_box(sum(&other));
            times.push(seconds(1, || (measured.call)(black_box(&starts))));
        }
    }
    times.map(|t| spread(t)[1])
}

/// Seconds of one call for the cheapest tree that is found.
fn tree(case: &Case, n: i64) -> f64 {
    let starts = (case.make)(n).into();
    let start = Instant::now();
    let found = shared(&starts, Constructors::Tree);
    let seconds = start.elapsed().as_secs_f64();
    verify(&found, &starts, case.name);
    seconds
}

fn sum(starts: &[i64]) -> i64 {
    black_box(starts).iter().fold(0, |a, b| a.wrapping_add(*b))
}

#[multiversion(targets("x86_64+avx2"))]
fn wide_sum(starts: &[i64]) -> i64 {
    black_box(starts).iter().fold(0, |a, b| a.wrapping_add(*b))
}

fn verify(found: &Reconstruction, starts: &[i64], what: &str) {
    let flat = found.ty.type_map().map(|e| e.displacement);
    assert!(flat.eq(starts.iter().copied()), "{what}: another layout");
    assert_eq!(CostModel::default().cost(&found.ty), found.cost, "{what}: another cost");
}

/// Seconds per call, without the time to drop the results.
fn seconds<T>(repeat: u32, call: impl Fn() -> T) -> f64 {
    let mut total = 0.0;
    for _ in 0..repeat {
        let start = Instant::now();
        let result = black_box(call());
        total += start.elapsed().as_secs_f64();
        drop(result);
    }
    total / f64::from(repeat)
}

fn spread(values: Vec<f64>) -> [f64; 3] {
    let found = Quartiles::of(&values).expect("there are rounds");
    [found.low, found.median, found.high]
}

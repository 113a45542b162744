//! Time and memory of each phase of the analysis, on the patterns that matter:
//! `make bench-detect`.
//!
//! Prints Markdown. Arguments: names of patterns (all), `--quick` (small sizes only). Building the
//! graphs is not counted. Of several runs the least: the rest is what else the machine did.

mod measure;
mod patterns;

use std::time::SystemTime;

use commloom_measure::date;
use commloom_measure::machine::{Machine, version};
use commloom_measure::statistics::slope;
use measure::{Measured, measure};
use patterns::{PATTERNS, Pattern};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Processes up to which `--quick` goes.
const QUICK: u32 = 1 << 10;

/// The exponents of the work itself. Counted by hand, as a run takes minutes for each pattern:
/// `valgrind --tool=callgrind --toggle-collect='phases::measure::run*'
/// --dump-after='phases::measure::measure*' target/release/examples/phases NAME`.
const INSTRUCTIONS: &str = "\
Times grow faster than the work, probably because graphs leave the caches: more so where messages
go to and fro in memory at random. Counted in instructions (callgrind, 2026-11-26, commit 9feb8f0,
AMD EPYC family 25 model 1), which do not depend on what else the machine does:

| pattern | processes | exponent in processes | in what |
|---|---|---|---|
| alltoall | 128 to 512 | 1.95 | 0.98 in transfers, which are p (p - 1) |
| doubling | 1024, 4096 | 1.18 | 1.04 in operations, which are p log p |
| ring | 128, 256 | 2.12 | 1.06 in operations, which are p^2 |
| halo | 1024, 4096 | 1.02 | 1.01 in operations |
| random | 1024 to 131072 | 1.01 | 1.01 in operations |";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let quick = arguments.iter().any(|a| a == "--quick");
    let wanted: Vec<&String> = arguments.iter().filter(|a| *a != "--quick").collect();
    println!("# How fast communication graphs are analysed\n");
    println!(
        "Made by `make bench-detect`, {}. One thread. Milliseconds of processor time, the\n\
         least of several runs; building the graph is not counted. Memory: the most at any time,\n\
         graph included, in bytes per process. The exponent is fitted to the time of all phases\n\
         in the number of processes, from 2^14 on where there are so many.",
        about()
    );
    println!("\n{INSTRUCTIONS}");
    for pattern in PATTERNS {
        if wanted.is_empty() || wanted.iter().any(|name| pattern.name.contains(&***name)) {
            table(pattern, quick);
        }
    }
}

fn table(pattern: &Pattern, quick: bool) {
    println!("\n## {}\n\n{}\n", pattern.title, pattern.what);
    println!(
        "| processes | operations | transfers | matching | order | dataflow | detection | all | \
         bytes per process | found |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let sizes = pattern.sizes.iter().copied().filter(|p| !quick || *p <= QUICK);
    let rows: Vec<Measured> = sizes
        .map(|processes| {
            let m = measure(pattern, processes, &MEMORY);
            print!("| {} | {} | {} |", m.processes, m.operations, m.transfers);
            m.phases
                .iter()
                .chain([&m.all()])
                .for_each(|t| print!(" {:.2} |", t.as_secs_f64() * 1e3));
            println!(" {:.0} | {} |", m.bytes_each(), m.found);
            m
        })
        .collect();
    if let Some(exponent) = exponent(&rows) {
        println!("\nExponent: {exponent:.2}. {}", pattern.limit);
    }
}

/// The slope of the least squares line through the logarithms.
fn exponent(rows: &[Measured]) -> Option<f64> {
    let large: Vec<&Measured> = rows.iter().filter(|m| m.processes >= 1 << 14).collect();
    let used = if large.len() >= 3 { large } else { rows.iter().collect() };
    let points: Vec<(f64, f64)> =
        used.iter().map(|m| (f64::from(m.processes).ln(), m.all().as_secs_f64().ln())).collect();
    slope(&points)
}

/// Date, processor and compiler.
fn about() -> String {
    let Machine { processor, load, .. } = Machine::here();
    format!(
        "{}, {processor}, {}, commit {}, load {load}",
        date::minute(SystemTime::now()),
        version("rustc", &["--version"]),
        version("git", &["describe", "--always", "--dirty"]),
    )
}

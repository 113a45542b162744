//! Time and memory of each phase on a binomial broadcast: `make bench-detect`.
//!
//! Processes may be given as arguments. The least of five runs; building the graph is not counted.

use std::time::{Duration, Instant};

use commloom_commgraph::{Builder, Dataflow, Dependencies, Kind, Matching, Options, Order, detect};
use commloom_testkit::graphs::site::Site;
use commloom_testkit::graphs::textbook::ALGORITHMS;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// What is measured: matching, order, dataflow, detection, and all; bytes at most.
fn measure(processes: u32) -> ([Duration; 5], usize) {
    let before = MEMORY.current_usage();
    let binomial = ALGORITHMS.iter().find(|a| a.name == "bcast::binomial").expect("in the list");
    let mut builder = Builder::new(processes, Dependencies::Automatic);
    (binomial.build)(&mut Site::new(&mut builder, processes, 1 << 10));
    let graph = builder.finish().expect("a valid graph");
    MEMORY.reset_peak_usage();
    let start = Instant::now();
    let matching = Matching::of(&graph).expect("matched");
    let matched = start.elapsed();
    let order = Order::of(&graph, &matching).expect("no deadlock");
    let ordered = start.elapsed();
    let flow = Dataflow::of(&graph, &matching, &order).expect("no race");
    let flowed = start.elapsed();
    let found = detect(processes, flow, Options::default());
    let all = start.elapsed();
    let peak = MEMORY.peak_usage() - before;
    assert!(found.left.is_empty() && found.collectives[0].kind == Kind::Bcast, "a broadcast");
    ([matched, ordered - matched, flowed - ordered, all - flowed, all], peak)
}

fn main() {
    let given: Vec<u32> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let sizes = [1 << 10, 1 << 14, 1 << 17, 300_000, 1 << 20, 1 << 22];
    println!("| processes | matching | order | dataflow | detection | all, ms | bytes a process |");
    println!("|---|---|---|---|---|---|---|");
    for processes in if given.is_empty() { sizes.to_vec() } else { given } {
        let runs: Vec<_> = (0..5).map(|_| measure(processes)).collect();
        let (times, peak) = runs.into_iter().min_by_key(|(times, _)| times[4]).expect("five runs");
        print!("| {processes} |");
        times.iter().for_each(|t| print!(" {:.2} |", t.as_secs_f64() * 1e3));
        println!(
            " {:.1} |",
            f64::from(u32::try_from(peak / 16).unwrap_or(u32::MAX)) * 16.0 / f64::from(processes)
        );
    }
}

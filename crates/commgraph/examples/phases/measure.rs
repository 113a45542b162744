//! One measurement.

use std::time::{Duration, Instant};

use commloom_commgraph::{Dataflow, Graph, Matching, Options, Order, detect};
use nix::time::{ClockId, clock_gettime};
use peak_alloc::PeakAlloc;

use crate::patterns::Pattern;

/// Runs of one size: at least so many, and until so much time is gone, but not more than that
/// many.
const RUNS: (usize, Duration, usize) = (2, Duration::from_secs(1), 9);

pub struct Measured {
    pub processes: u32,
    pub operations: usize,
    pub transfers: u64,
    /// Matching, order, dataflow, detection.
    pub phases: [Duration; 4],
    /// Bytes at most.
    pub peak: usize,
    /// The operations found, and how many transfers are left.
    pub found: String,
}

impl Measured {
    pub fn all(&self) -> Duration {
        self.phases.iter().sum()
    }

    pub fn bytes_each(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // Three digits are shown.
        let peak = self.peak as f64;
        peak / f64::from(self.processes)
    }
}

/// The fastest of several runs.
pub fn measure(pattern: &Pattern, processes: u32, memory: &PeakAlloc) -> Measured {
    let before = memory.current_usage();
    let graph = (pattern.graph)(processes);
    let start = Instant::now();
    let (least, until, most) = RUNS;
    let mut best = run(&graph, memory, before);
    let mut runs = 1;
    while runs < least || start.elapsed() < until && runs < most {
        let next = run(&graph, memory, before);
        if next.all() < best.all() {
            best = next;
        }
        runs += 1;
    }
    if let Some(expected) = pattern.finds {
        assert_eq!(best.found, expected, "{} of {processes}", pattern.name);
    }
    best
}

fn run(graph: &Graph, memory: &PeakAlloc, before: usize) -> Measured {
    memory.reset_peak_usage();
    let start = cpu();
    let matching = Matching::of(graph).expect("matched");
    let matched = cpu() - start;
    let order = Order::of(graph, &matching).expect("no deadlock");
    let ordered = cpu() - start;
    let flow = Dataflow::of(graph, &matching, &order).expect("no race");
    let flowed = cpu() - start;
    let transfers = flow.count();
    let counted = cpu() - start;
    let detection = detect(graph.processes(), flow, Options::default());
    let detected = cpu() - start;
    let mut found: Vec<&str> = detection.collectives.iter().map(|c| c.kind.name()).collect();
    found.dedup();
    if !detection.left.is_empty() {
        found.push("transfers left");
    }
    Measured {
        processes: graph.processes(),
        operations: graph.operations(),
        transfers,
        phases: [matched, ordered - matched, flowed - ordered, detected - counted],
        peak: memory.peak_usage() - before,
        found: found.join(", "),
    }
}

/// Processor time of this thread: what others do on the machine is not in it, but for shared
/// caches.
fn cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("Linux has it").into()
}

//! A broadcast takes at most 128 bytes a process in all: graph, matching, dataflow and detection.
//!
//! The allocator that counts serves the whole process, so all is done in one test.

use commloom_commgraph::{Builder, Dataflow, Dependencies, Kind, Matching, Options, Order, detect};
use commloom_testkit::graphs::site::Site;
use commloom_testkit::graphs::textbook::ALGORITHMS;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

#[test]
fn a_binomial_broadcast_takes_at_most_128_bytes_a_process() {
    let binomial = ALGORITHMS.iter().find(|a| a.name == "bcast::binomial").unwrap();
    for p in [10_000, 65_536] {
        let before = MEMORY.current_usage();
        let mut builder = Builder::new(p, Dependencies::Automatic);
        (binomial.build)(&mut Site::new(&mut builder, p, 1 << 10));
        let graph = builder.finish().unwrap();
        MEMORY.reset_peak_usage();
        let matching = Matching::of(&graph).unwrap();
        let order = Order::of(&graph, &matching).unwrap();
        let flow = Dataflow::of(&graph, &matching, &order).unwrap();
        let found = detect(p, flow, Options::default());
        let peak = MEMORY.peak_usage() - before;
        assert_eq!(found.collectives.len(), 1);
        assert_eq!((found.collectives[0].kind, found.left.len()), (Kind::Bcast, 0));
        let each = peak.div_ceil(usize::try_from(p).unwrap());
        assert!(each <= 128, "{each} bytes a process for {p} processes");
    }
}

//! The memory of the analysis at most: a broadcast 128 bytes a process, patterns that forward
//! blocks no memory for each transfer.
//!
//! The allocator that counts serves the whole process, so all is done in one test.

use commloom_commgraph::{
    Builder, Dataflow, Dependencies, Detection, Graph, Kind, Matching, Options, Order, detect,
};
use commloom_testkit::graphs::site::Site;
use commloom_testkit::graphs::textbook::ALGORITHMS;
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn graph(name: &str, p: u32) -> Graph {
    let algorithm = ALGORITHMS.iter().find(|a| a.name == name).unwrap();
    let mut builder = Builder::new(p, Dependencies::Automatic);
    (algorithm.build)(&mut Site::new(&mut builder, p, 1 << 10));
    builder.finish().unwrap()
}

/// The operations found, and bytes per process at most, the graph among them.
fn analysed(name: &str, p: u32) -> (Detection, usize) {
    let before = MEMORY.current_usage();
    let graph = graph(name, p);
    MEMORY.reset_peak_usage();
    let matching = Matching::of(&graph).unwrap();
    let order = Order::of(&graph, &matching).unwrap();
    let flow = Dataflow::of(&graph, &matching, &order).unwrap();
    let found = detect(p, flow, Options::default());
    let peak = MEMORY.peak_usage() - before;
    (found, peak.div_ceil(usize::try_from(p).unwrap()))
}

fn only(found: &Detection, kind: Kind) {
    assert_eq!(found.collectives.len(), 1);
    assert_eq!((found.collectives[0].kind, found.left.len()), (kind, 0));
}

#[test]
fn memory_is_in_what_is_written_down_and_not_in_the_transfers() {
    for p in [10_000, 65_536] {
        let (found, each) = analysed("bcast::binomial", p);
        only(&found, Kind::Bcast);
        assert!(each <= 128, "{each} bytes a process for {p} processes");
    }
    // Each process sends log p messages, which take a run each, and reads what up to log p others
    // wrote. The p transfers of each process would take 40 p bytes.
    for (name, kind) in
        [("zero_copy::bruck", Kind::Alltoall), ("allgather::recursive_doubling", Kind::Allgather)]
    {
        for p in [256, 512, 1024_u32] {
            let (found, each) = analysed(name, p);
            only(&found, kind);
            let log = usize::try_from(p.ilog2()).unwrap();
            let bound = 1600 * log;
            assert!(each <= bound, "{name}: {each} bytes a process for {p} processes, not {bound}");
        }
    }
}

//! How long each phase takes: `cargo run --release --example phases -- PROCESSES`.

use std::time::Instant;

use commloom_commgraph::{
    Address, Builder, Bytes, Communicator, Dataflow, Dependencies, Graph, Matching, Options, Order,
    Process, Tag, detect,
};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

fn broadcast(processes: u32) -> Graph {
    let mut b = Builder::new(processes, Dependencies::Automatic);
    let buffer = (Address(0x1000), Bytes(1 << 20));
    for p in 0..processes {
        let low = if p == 0 { processes.next_power_of_two() } else { p & p.wrapping_neg() };
        if p != 0 {
            b.receive(Process(p), buffer, Process(p - low), Tag(0), Communicator(0)).unwrap();
        }
        let mut step = low / 2;
        while step > 0 {
            if p + step < processes {
                b.send(Process(p), buffer, Process(p + step), Tag(0), Communicator(0)).unwrap();
            }
            step /= 2;
        }
    }
    b.finish().unwrap()
}

fn main() {
    let processes = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(300_000);
    for _ in 0..5 {
        let start = Instant::now();
        let graph = broadcast(processes);
        let built = start.elapsed();
        MEMORY.reset_peak_usage();
        let start = Instant::now();
        let matching = Matching::of(&graph).unwrap();
        let matched = start.elapsed();
        let order = Order::of(&graph, &matching).unwrap();
        let ordered = start.elapsed();
        let flow = Dataflow::of(&graph, &matching, &order).unwrap();
        let flowed = start.elapsed();
        let transfers = flow.count();
        let found = detect(processes, flow, Options::default());
        let detected = start.elapsed();
        println!(
            "{processes}: {:?} build {built:.1?}, match {matched:.1?}, order {ordered:.1?}, dataflow {flowed:.1?}, detect {detected:.1?} (added up), \
             {transfers} transfers, {} bytes a process at most",
            found.collectives.iter().map(|c| c.kind).collect::<Vec<_>>(),
            MEMORY.peak_usage() / usize::try_from(processes).unwrap()
        );
    }
}

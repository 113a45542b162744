//! The executor on threads moves real bytes: what the oracle says of each byte is what memory
//! holds.

use commloom_commgraph::execute::{Executor, Image, Threads};
use commloom_commgraph::schedule::{Mode, Replace, ScheduleOptions, compile};
use commloom_commgraph::{
    Address, Builder, Bytes, Combine, Communicator, Dependencies, Graph, Process, Reduction, Tag,
};
use commloom_layout::Basic;
use commloom_testkit::graphs::execute::execute;
use commloom_testkit::graphs::random::{GraphShape, graph};
use commloom_testkit::graphs::site::Site;
use commloom_testkit::graphs::textbook::ALGORITHMS;
use commloom_testkit::{Rng, check};

const START: u64 = 0x1000;

/// Runs a graph in every way on memory of random bytes from 0 on, and compares with the oracle.
/// The reductions of random graphs are sums of bytes.
fn compare(graph: &Graph, size: usize, rng: &mut Rng) {
    let processes = usize::try_from(graph.processes()).unwrap();
    let initial: Vec<Vec<u8>> =
        (0..processes).map(|_| (0..size).map(|_| rng.u8(..)).collect()).collect();
    let oracle = execute(graph, rng).expect("it ends");
    let byte = |p: u32, a: u64| initial[usize::try_from(p).unwrap()][usize::try_from(a).unwrap()];
    for replace in [Replace::Never, Replace::IfCheaper, Replace::Always] {
        let options = ScheduleOptions { replace, mode: Mode::Strict, ..ScheduleOptions::default() };
        let compiled = compile(graph, options).unwrap();
        let mut ready = Threads.prepare(&compiled.schedule).unwrap();
        // A second run of the same schedule must not depend on the first.
        for _ in 0..2 {
            let mut memory = initial.clone();
            let images = memory.iter_mut().map(|bytes| Image { start: 0, bytes });
            Threads.run(&mut ready, images.collect()).unwrap();
            for ((p, a), parts) in &oracle {
                if graph.is_dead(Process(*p), Address(*a)) {
                    continue;
                }
                let wanted = parts.iter().fold(0_u8, |sum, (p, a)| sum.wrapping_add(byte(*p, *a)));
                let found = memory[usize::try_from(*p).unwrap()][usize::try_from(*a).unwrap()];
                assert_eq!(found, wanted, "{replace:?}: byte {a} of process {p}: {parts:?}");
            }
        }
    }
}

#[test]
fn random_graphs_move_the_right_bytes() {
    check(2000, |rng| {
        let memory = rng.u64(1..20);
        let shape = GraphShape {
            processes: rng.u32(1..5),
            steps: rng.u32(0..12),
            memory,
            reductions: rng.bool(),
            typed: rng.bool(),
            dependencies: Dependencies::Automatic,
        };
        let graph = graph(rng, shape);
        compare(&graph, 64, rng);
    });
}

#[test]
fn every_textbook_algorithm_moves_the_right_bytes() {
    check(1, |rng| {
        for algorithm in ALGORITHMS {
            for processes in (2..=5).chain([8]).filter(|p| (algorithm.works_for)(*p)) {
                let mut builder = Builder::new(processes, Dependencies::Automatic);
                let mut site = Site::new(&mut builder, processes, 5);
                site.root = rng.u32(0..processes);
                let end = usize::try_from(site.at + site.room() + 64).unwrap();
                (algorithm.build)(&mut site);
                compare(&builder.finish().unwrap(), end, rng);
            }
        }
    });
}

/// Long enough for several threads: an allreduce of doubles, by messages and by its call.
#[test]
fn large_sums_are_right() {
    let (p, n) = (4_u32, 200_000_usize);
    let length = Bytes(8 * 200_000);
    let mut builder = Builder::new(p, Dependencies::Automatic);
    let reduction = Reduction { combine: Combine::Sum, element: Basic::DOUBLE };
    let (own, other) = (Address(START), Address(START + length.0));
    let message = |b: &mut Builder, from: u32, to: u32, into: Address| {
        b.send(Process(from), (own, length), Process(to), Tag(0), Communicator(0)).unwrap();
        b.receive(Process(to), (into, length), Process(from), Tag(0), Communicator(0)).unwrap();
    };
    for k in 1..p {
        message(&mut builder, k, 0, other);
        builder.reduce(Process(0), other, own, length, reduction).unwrap();
    }
    (1..p).for_each(|k| message(&mut builder, 0, k, own));
    builder.dead(Process(0), other, length).unwrap();
    let graph = builder.finish().unwrap();
    for replace in [Replace::Never, Replace::Always] {
        let options = ScheduleOptions { replace, ..ScheduleOptions::default() };
        let compiled = compile(&graph, options).unwrap();
        assert_eq!(compiled.calls.is_empty(), replace == Replace::Never);
        let mut memory: Vec<Vec<u8>> = (0..p)
            .map(|k| {
                let value =
                    |i: usize| f64::from(k + 1) * f64::from(u32::try_from(i % 1000).unwrap());
                let mut bytes: Vec<u8> = (0..n).flat_map(|i| value(i).to_ne_bytes()).collect();
                bytes.resize(16 * n, 0);
                bytes
            })
            .collect();
        let images = memory.iter_mut().map(|bytes| Image { start: START, bytes });
        let mut ready = Threads.prepare(&compiled.schedule).unwrap();
        Threads.run(&mut ready, images.collect()).unwrap();
        for bytes in &memory {
            let (elements, _) = bytes.as_chunks::<8>();
            let right = |i: usize| 10.0 * f64::from(u32::try_from(i % 1000).unwrap());
            let wrong = (0..n).find(|i| f64::from_ne_bytes(elements[*i]) != right(*i));
            assert_eq!(wrong, None, "{replace:?}");
        }
    }
}

#[test]
fn memory_that_is_too_small_is_an_error_with_the_place() {
    let mut builder = Builder::new(2, Dependencies::Automatic);
    let message = (Address(100), Bytes(8));
    builder.send(Process(0), message, Process(1), Tag(0), Communicator(0)).unwrap();
    builder.receive(Process(1), message, Process(0), Tag(0), Communicator(0)).unwrap();
    let compiled = compile(&builder.finish().unwrap(), ScheduleOptions::default()).unwrap();
    let mut ready = Threads.prepare(&compiled.schedule).unwrap();
    let (mut first, mut second) = ([0_u8; 200], [0_u8; 104]);
    let images =
        vec![Image { start: 0, bytes: &mut first }, Image { start: 0, bytes: &mut second }];
    let error = Threads.run(&mut ready, images).unwrap_err();
    assert_eq!(error.to_string(), "process 1 has no 8 bytes at 0x64");
    assert!(Threads.run(&mut ready, Vec::new()).is_err());
}

//! Schedules do what their graphs do: the same memory, and in strict mode everybody waits for the
//! same.

use std::collections::BTreeSet;

use commloom_commgraph::schedule::{
    Compiled, Mode, Phase, Replace, Schedule, ScheduleOptions, compile,
};
use commloom_commgraph::{
    Address, Builder, Bytes, Combine, Communicator, Dependencies, Graph, Kind, Matching, Options,
    Order, Process, Reduction, Tag, wait,
};
use commloom_layout::Basic;
use commloom_testkit::graphs::execute::{Memory, execute, initial};
use commloom_testkit::graphs::random::{GraphShape, graph};
use commloom_testkit::graphs::schedule::run;
use commloom_testkit::graphs::site::Site;
use commloom_testkit::graphs::textbook::ALGORITHMS;
use commloom_testkit::{Rng, check};

fn options(mode: Mode, replace: Replace) -> ScheduleOptions {
    ScheduleOptions { mode, replace, ..ScheduleOptions::default() }
}

/// Memory that somebody may read afterwards; what nobody wrote is left out.
fn live(graph: &Graph, memory: &Memory) -> Memory {
    let changed = memory.iter().filter(|((p, a), byte)| **byte != initial(*p, *a));
    let live = changed.filter(|((p, a), _)| !graph.is_dead(Process(*p), Address(*a)));
    live.map(|(place, byte)| (*place, byte.clone())).collect()
}

/// Runs a schedule in a random order and compares it with a run of the graph.
fn same(graph: &Graph, schedule: &Schedule, mode: Mode, rng: &mut Rng) -> Result<(), String> {
    let expected = execute(graph, rng).ok_or("the graph does not end")?;
    let outcome = run(schedule, rng).ok_or("the schedule does not end, or a call is wrong")?;
    let (expected, found) = (live(graph, &expected), live(graph, &outcome.memory));
    if expected != found {
        let differ = |a: &Memory, b: &Memory| {
            a.iter().find(|(k, v)| b.get(k) != Some(v)).map(|x| format!("{x:?}"))
        };
        return Err(format!(
            "memory differs: {:?} in the graph, {:?} in the schedule",
            differ(&expected, &found),
            differ(&found, &expected)
        ));
    }
    if mode == Mode::Strict {
        let matching = Matching::of(graph).map_err(|e| e.to_string())?;
        let order = Order::of(graph, &matching).map_err(|e| e.to_string())?;
        for (p, heard) in (0..).zip(&outcome.heard) {
            let wanted = wait::wait_set(graph, &matching, &order, Process(p));
            let wanted: BTreeSet<u32> = wanted.into_iter().map(|p| p.0).collect();
            if !wanted.is_subset(heard) {
                return Err(format!("process {p} waits for {wanted:?}, here only for {heard:?}"));
            }
        }
    }
    Ok(())
}

/// Compiles in every way, and compares.
fn all_ways(graph: &Graph, rng: &mut Rng) -> Compiled {
    let mut last = None;
    for mode in [Mode::Data, Mode::Strict] {
        for replace in [Replace::Never, Replace::IfCheaper, Replace::Always] {
            let subsets = rng.bool() && replace == Replace::IfCheaper;
            let detection = Options { subsets, ..Options::default() };
            let options = ScheduleOptions { detection, ..options(mode, replace) };
            let compiled = compile(graph, options).unwrap();
            if let Err(problem) = same(graph, &compiled.schedule, mode, rng) {
                panic!("{mode:?}, {replace:?}: {problem}\n{compiled:#?}");
            }
            last = Some(compiled);
        }
    }
    last.unwrap()
}

fn calls(schedule: &Schedule) -> Vec<Kind> {
    let phases = schedule.programs.iter().flat_map(|program| &program.phases);
    let kinds = phases.filter_map(|phase| match phase {
        Phase::Call(call) => Some(call.kind),
        Phase::Jobs(_) => None,
    });
    kinds.collect::<BTreeSet<Kind>>().into_iter().collect()
}

#[test]
fn random_graphs_leave_the_same_memory() {
    check(20_000, |rng| {
        let dependencies =
            if rng.bool() { Dependencies::Automatic } else { Dependencies::Explicit };
        let shape = GraphShape {
            processes: rng.u32(1..5),
            steps: rng.u32(0..12),
            memory: rng.u64(1..10),
            reductions: rng.bool(),
            typed: rng.bool(),
            dependencies,
        };
        let graph = graph(rng, shape);
        // Explicit dependencies need not suffice.
        if compile(&graph, ScheduleOptions::default()).is_ok() {
            all_ways(&graph, rng);
        }
    });
}

#[test]
fn every_textbook_algorithm_is_replaced_and_leaves_the_same_memory() {
    check(1, |rng| {
        for algorithm in ALGORITHMS {
            for processes in (2..=6).chain([8]).filter(|p| (algorithm.works_for)(*p)) {
                let mut builder = Builder::new(processes, Dependencies::Automatic);
                let mut site = Site::new(&mut builder, processes, 3);
                site.root = rng.u32(0..processes);
                (algorithm.build)(&mut site);
                let graph = builder.finish().unwrap();
                let compiled = all_ways(&graph, rng);
                let of_two = processes == 2;
                assert!(
                    compiled.calls.len() == 1 || of_two,
                    "{} of {processes}: {:?}",
                    algorithm.name,
                    compiled.analysis.detection
                );
            }
        }
    });
}

#[test]
fn several_algorithms_at_once_leave_the_same_memory() {
    check(150, |rng| {
        let processes = rng.u32(2..7);
        let mut builder = Builder::new(processes, Dependencies::Automatic);
        let mut at = rng.u64(1..20);
        for tag in 0..3 {
            let algorithm = &ALGORITHMS[rng.usize(0..ALGORITHMS.len())];
            if !(algorithm.works_for)(processes) {
                continue;
            }
            let mut site = Site::new(&mut builder, processes, rng.u64(1..6));
            (site.at, site.tag, site.root) = (at, tag, rng.u32(0..processes));
            (algorithm.build)(&mut site);
            // Often into the memory of the one before.
            at += if rng.bool() { site.room() } else { rng.u64(0..9) };
        }
        let graph = builder.finish().unwrap();
        if compile(&graph, ScheduleOptions::default()).is_ok() {
            all_ways(&graph, rng);
        }
    });
}

/// Every process sends a block to the next and then overwrites it: MPI may hold all sends back.
#[test]
fn what_is_sent_and_then_overwritten_is_copied_first() {
    let p = 4;
    let mut builder = Builder::new(p, Dependencies::Automatic);
    for i in 0..p {
        let block = (Address(8), Bytes(4));
        builder.send(Process(i), block, Process((i + 1) % p), Tag(0), Communicator(0)).unwrap();
        builder
            .receive(Process(i), block, Process((i + p - 1) % p), Tag(0), Communicator(0))
            .unwrap();
    }
    let graph = builder.finish().unwrap();
    let compiled = all_ways(&graph, &mut Rng::with_seed(1));
    assert!(compiled.schedule.programs.iter().any(|program| program.scratch > 0));
}

/// Two broadcasts each overwrite what the other one sends.
#[test]
fn calls_that_overwrite_each_other_read_copies() {
    let p = 3;
    let mut builder = Builder::new(p, Dependencies::Automatic);
    let message = |b: &mut Builder, from: (u32, u64), to: (u32, u64)| {
        let n = Bytes(4);
        b.send(Process(from.0), (Address(from.1), n), Process(to.0), Tag(0), Communicator(0))
            .unwrap();
        b.receive(Process(to.0), (Address(to.1), n), Process(from.0), Tag(0), Communicator(0))
            .unwrap();
    };
    // All sends come first.
    for (root, at) in [(0, 0), (1, 4)] {
        for i in (0..p).filter(|i| *i != root) {
            let n = Bytes(4);
            builder
                .send(Process(root), (Address(at), n), Process(i), Tag(1), Communicator(0))
                .unwrap();
        }
    }
    for (root, into) in [(0, 4), (1, 0)] {
        for i in (0..p).filter(|i| *i != root) {
            let n = (Address(into), Bytes(4));
            builder.receive(Process(i), n, Process(root), Tag(1), Communicator(0)).unwrap();
        }
    }
    message(&mut builder, (2, 100), (0, 200));
    let graph = builder.finish().unwrap();
    let compiled = all_ways(&graph, &mut Rng::with_seed(1));
    assert_eq!(calls(&compiled.schedule), [Kind::Bcast]);
    assert!(compiled.schedule.programs.iter().any(|program| program.scratch > 0));
}

/// Rows and columns of a grid exchange: teams of their own, one division of the processes for all
/// rows.
#[test]
fn groups_of_processes_are_teams() {
    let (rows, columns) = (2_u32, 3_u32);
    let mut builder = Builder::new(rows * columns, Dependencies::Automatic);
    let n = 16;
    for p in 0..rows * columns {
        let row = p / columns;
        for q in (row * columns..(row + 1) * columns).filter(|q| *q != p) {
            let out = (Address(u64::from(q % columns) * n), Bytes(n));
            let into = (Address(1000 + u64::from(q % columns) * n), Bytes(n));
            builder.send(Process(p), out, Process(q), Tag(0), Communicator(0)).unwrap();
            builder.receive(Process(p), into, Process(q), Tag(0), Communicator(0)).unwrap();
        }
    }
    let graph = builder.finish().unwrap();
    let detection = Options { subsets: true, ..Options::default() };
    let options = ScheduleOptions { detection, ..options(Mode::Data, Replace::Always) };
    let compiled = compile(&graph, options).unwrap();
    same(&graph, &compiled.schedule, Mode::Data, &mut Rng::with_seed(1)).unwrap();
    assert_eq!(compiled.calls.len(), 2, "{:?}", compiled.analysis.detection);
    assert!(compiled.schedule.programs.iter().all(|program| program.seats.len() == 1));
}

/// A reduction that is no collective: two processes of three contribute.
#[test]
fn other_reductions_are_computed_where_they_are_wanted() {
    let mut builder = Builder::new(3, Dependencies::Automatic);
    let n = Bytes(8);
    builder.send(Process(1), (Address(0), n), Process(0), Tag(0), Communicator(0)).unwrap();
    builder.receive(Process(0), (Address(8), n), Process(1), Tag(0), Communicator(0)).unwrap();
    let reduction = Reduction { combine: Combine::Sum, element: Basic::DOUBLE };
    builder.reduce(Process(0), Address(8), Address(0), n, reduction).unwrap();
    let graph = builder.finish().unwrap();
    all_ways(&graph, &mut Rng::with_seed(1));
}

#[test]
fn strict_mode_adds_what_a_broadcast_no_longer_waits_for() {
    let p = 8;
    let mut builder = Builder::new(p, Dependencies::Automatic);
    let mut site = Site::new(&mut builder, p, 16);
    let binomial = ALGORITHMS.iter().find(|a| a.name == "bcast::binomial").unwrap();
    (binomial.build)(&mut site);
    let graph = builder.finish().unwrap();
    let data = compile(&graph, options(Mode::Data, Replace::Always)).unwrap();
    let strict = compile(&graph, options(Mode::Strict, Replace::Always)).unwrap();
    assert_eq!(data.schedule.phases(), 1);
    assert_eq!(strict.schedule.phases(), 2);
    assert!(strict.predicted > data.predicted);
}

#[test]
fn linear_broadcast_costs_more_than_its_call() {
    let p = 64;
    let mut builder = Builder::new(p, Dependencies::Automatic);
    let mut site = Site::new(&mut builder, p, 1024);
    let linear = ALGORITHMS.iter().find(|a| a.name == "bcast::linear").unwrap();
    (linear.build)(&mut site);
    let compiled = compile(&builder.finish().unwrap(), ScheduleOptions::default()).unwrap();
    assert_eq!(calls(&compiled.schedule), [Kind::Bcast]);
    assert!(compiled.predicted < compiled.plain, "{compiled:?}");
}

//! Communication graphs: readers do not panic and point into the text; what is read and found moves the same bytes as
//! an executor that is too simple to be wrong.
#![allow(dead_code)] // Each fuzz target uses some of it.

use commloom_commgraph::read::{Format, Program, allprof, goal, msccl};
use commloom_commgraph::{
    Action, Dataflow, Graph, Matching, Options, Order, Process, analyse, synchronization,
};
use commloom_layout::text::ParseError;
use commloom_testkit::Rng;
use commloom_testkit::graphs::execute::execute;

/// Larger graphs are read, but not analysed: that is what benchmarks are for.
const PROCESSES: u32 = 300;
/// Operations, and bytes that they move, which the executor is patient enough for.
const OPERATIONS: usize = 60;
const BYTES: u64 = 2000;

/// GOAL.
pub fn goal(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let _ = Format::of(text);
    match goal::read(text) {
        Ok(program) => check(&program),
        Err(error) => assert_points_into(text, &error),
    }
}

/// MSCCL XML.
pub fn msccl(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match msccl::read(text) {
        Ok(algorithm) => {
            check(&algorithm.program);
            if algorithm.program.graph.processes() <= PROCESSES
                && let Ok(Some(difference)) = algorithm.claim.check(&algorithm.program)
            {
                assert!(text.get(difference.span.clone()).is_some(), "{difference:?} in {text:?}");
            }
        }
        Err(error) => assert_points_into(text, &error),
    }
}

/// Traces of liballprof: one for each process, between lines `---`.
pub fn allprof(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let texts: Vec<&str> = text.split("---\n").collect();
    match allprof::read(&texts) {
        Ok(trace) => trace.phases.iter().for_each(|phase| check(&phase.program)),
        Err((process, error)) => assert_points_into(texts[process], &error),
    }
}

fn check(program: &Program) {
    let graph = &program.graph;
    if graph.processes() > PROCESSES {
        return;
    }
    for operation in (0..graph.processes()).flat_map(|p| graph.of(Process(p))) {
        assert!(program.places.of(&operation).is_some(), "{operation} has no place");
    }
    if !program.addressed {
        let _ = synchronization(graph);
        return;
    }
    if analyse(graph, Options::default()).is_ok() && is_small(graph) {
        assert_moves_the_same(graph);
    }
}

pub fn is_small(graph: &Graph) -> bool {
    let lengths =
        (0..graph.processes()).flat_map(|p| graph.of(Process(p))).map(|o| match o.action {
            Action::Send { length, .. }
            | Action::Receive { length, .. }
            | Action::Copy { length, .. }
            | Action::Reduce { length, .. } => length.0,
            Action::Nothing => 0,
        });
    graph.operations() <= OPERATIONS && lengths.fold(0, u64::saturating_add) <= BYTES
}

/// Where bytes end up by the dataflow, they end up when every byte is moved on its own.
pub fn assert_moves_the_same(graph: &Graph) {
    let matching = Matching::of(graph).expect("it was analysed");
    let order = Order::of(graph, &matching).expect("it was analysed");
    let flow = Dataflow::of(graph, &matching, &order).expect("it was analysed");
    let memory = execute(graph, &mut Rng::with_seed(1)).expect("there is an order");
    for t in flow.transfers() {
        for k in 0..t.length {
            let here = (t.destination, t.destination_address + k);
            let there = vec![(t.source, t.source_address + k)];
            assert_eq!(memory.get(&here), Some(&there), "{t:?}, byte {k}");
        }
    }
}

/// The place is in the text, at whole characters, and can be shown.
fn assert_points_into(source: &str, error: &ParseError) {
    let span = error.span();
    assert!(source.get(span.clone()).is_some(), "{span:?} is no part of {source:?}");
    assert!(error.render("input").contains('^'));
}

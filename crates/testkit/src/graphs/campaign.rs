//! Random graphs, each run byte by byte, and compared with what the analysis says of it.

use commloom_commgraph::{
    Address, Builder, Bytes, Communicator, Dataflow, Dependencies, Graph, GraphError, Kind,
    Matching, Options, Order, Process, Tag, detect,
};

use super::execute::execute;
use super::meaning::{of_dataflow, of_detection, without_identity};
use super::random::{self, GraphShape};
use super::site::{Change, Site};
use super::textbook::ALGORITHMS;
use crate::Rng;

/// The observations on one graph.
#[derive(Debug, Clone, Default)]
pub struct GraphCheck {
    /// Operations of all processes.
    pub operations: usize,
    /// Whether it has a race, and so no meaning.
    pub race: bool,
    /// Bytes that it changes.
    pub changed: usize,
    /// Transfers and results of reductions that are part of no operation.
    pub left: usize,
    /// The operations found.
    pub kinds: Vec<Kind>,
}

/// Draws a graph, runs it in a random order, and compares the memory with that of the dataflow,
/// and with that after the operations found and the transfers left are replayed.
///
/// # Panics
/// Where they differ.
pub fn before_and_after(rng: &mut Rng) -> GraphCheck {
    let graph = if rng.bool() { anything(rng) } else { algorithms(rng) };
    let mut outcome = GraphCheck { operations: graph.operations(), ..GraphCheck::default() };
    let matching = Matching::of(&graph).expect("every message has two sides");
    let order = Order::of(&graph, &matching).expect("it ends");
    let flow = match Dataflow::of(&graph, &matching, &order) {
        Ok(flow) => flow,
        Err(GraphError::Race { .. }) => return GraphCheck { race: true, ..outcome },
        Err(other) => panic!("{other}"),
    };
    // Memory that is dead in the end may hold anything.
    let mut memory = without_identity(execute(&graph, rng).expect("it ends"));
    memory.retain(|(p, a), _| !graph.is_dead(Process(*p), Address(*a)));
    assert_eq!(of_dataflow(&flow), memory, "before");
    let density = if rng.bool() { 1.0 } else { rng.f64() };
    let options = Options { density, subsets: rng.bool() };
    let detection = detect(graph.processes(), flow, options);
    // What the detectors do not look into is as it was before.
    let mut after = without_identity(of_detection(&detection));
    for (place, byte) in after.iter_mut().filter(|(_, byte)| byte.is_empty()) {
        byte.clone_from(memory.get(place).expect("it is written before, too"));
    }
    assert_eq!(after, memory, "after: {:?}", detection.collectives);
    outcome.changed = memory.len();
    outcome.left = detection.left.len() + detection.left_reduced.len();
    outcome.kinds = detection.collectives.iter().map(|c| c.kind).collect();
    outcome
}

/// Random operations on random buffers.
fn anything(rng: &mut Rng) -> Graph {
    let shape = GraphShape {
        processes: rng.u32(1..7),
        steps: rng.u32(0..24),
        memory: if rng.bool() { rng.u64(2..16) } else { rng.u64(16..80) },
        reductions: rng.u32(0..4) == 0,
        typed: rng.bool(),
        dependencies: if rng.u32(0..4) == 0 {
            Dependencies::Explicit
        } else {
            Dependencies::Automatic
        },
    };
    random::graph(rng, shape)
}

/// One or two algorithms of the textbooks, perhaps with a wrong message, and random messages
/// before, between and after them, in the same memory or elsewhere.
fn algorithms(rng: &mut Rng) -> Graph {
    let processes = rng.u32(2..9);
    let mut builder = Builder::new(processes, Dependencies::Automatic);
    let mut at = 64;
    let few = rng.u32(0..3);
    for tag in 0..rng.i32(1..3) {
        messages(rng, &mut builder, processes, at, few);
        let fitting: Vec<_> = ALGORITHMS.iter().filter(|a| (a.works_for)(processes)).collect();
        let algorithm = fitting[rng.usize(0..fitting.len())];
        let mut site = Site::new(&mut builder, processes, rng.u64(2..5));
        (site.at, site.tag, site.root) = (at, tag, rng.u32(0..processes));
        if algorithm.kind != Kind::Barrier && rng.u32(0..4) == 0 {
            // Changes with which every message still has two sides.
            let changes = [Change::Shorter, Change::SentFrom, Change::ReceivedAt];
            site.change = Some((rng.u32(0..processes), changes[rng.usize(0..changes.len())]));
        }
        (algorithm.build)(&mut site);
        if rng.bool() {
            at += site.room() + rng.u64(0..3);
        }
    }
    messages(rng, &mut builder, processes, at, few);
    builder.finish().expect("a valid graph")
}

/// Up to `most` short messages near an address.
fn messages(rng: &mut Rng, builder: &mut Builder, processes: u32, at: u64, most: u32) {
    for _ in 0..rng.u32(0..=most) {
        let (from, to) = (Process(rng.u32(0..processes)), Process(rng.u32(0..processes)));
        let length = Bytes(rng.u64(0..5));
        let (source, into) = (Address(at + rng.u64(0..100)), Address(at + rng.u64(0..100)));
        let (tag, communicator) = (Tag(0), Communicator(1));
        builder.send(from, (source, length), to, tag, communicator).expect("in range");
        builder.receive(to, (into, length), from, tag, communicator).expect("in range");
    }
}

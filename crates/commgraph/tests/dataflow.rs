//! Transfers against an executor that moves bytes, and those of book/src/explanation/detection.md.

use std::cell::Cell;
use std::collections::BTreeMap;

use commloom_commgraph::{
    Address, Builder, Bytes, Communicator, Dataflow, Dependencies, Graph, GraphError, Matching,
    Order, Process, Tag, Transfer,
};
use commloom_testkit::check;
use commloom_testkit::graphs::execute::{addresses, execute};
use commloom_testkit::graphs::meaning::{of_dataflow, without_identity};
use commloom_testkit::graphs::random::{GraphShape, graph};

fn dataflow(graph: &Graph) -> Result<Dataflow, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    Dataflow::of(graph, &matching, &order)
}

#[test]
fn random_graphs_leave_the_memory_that_moving_their_bytes_leaves() {
    check(4000, |rng| {
        let shape = GraphShape {
            processes: rng.u32(1..5),
            steps: rng.u32(0..14),
            memory: if rng.bool() { rng.u64(2..14) } else { rng.u64(14..60) },
            reductions: rng.u32(0..4) == 0,
            typed: rng.bool(),
            dependencies: Dependencies::Automatic,
        };
        let graph = graph(rng, shape);
        let memory = execute(&graph, rng).expect("it ends");
        let flow = dataflow(&graph).expect("a graph without races");
        assert_eq!(of_dataflow(&flow), without_identity(memory));
    });
}

/// Where dependencies do not suffice, a race is found if and only if some two conflicting accesses
/// are unordered; and without one every order of execution gives the same memory.
#[test]
fn races_are_found_exactly() {
    let clean = Cell::new(0);
    check(4000, |rng| {
        let shape = GraphShape {
            processes: rng.u32(1..4),
            steps: rng.u32(0..6),
            memory: rng.u64(2..20),
            reductions: rng.u32(0..4) == 0,
            typed: rng.bool(),
            dependencies: Dependencies::Explicit,
        };
        let graph = graph(rng, shape);
        let expected = has_race(&graph);
        match dataflow(&graph) {
            Err(GraphError::Race { .. }) => assert!(expected, "no race"),
            Err(other) => panic!("{other}"),
            Ok(flow) => {
                assert!(!expected, "a race was missed");
                clean.set(clean.get() + 1);
                for _ in 0..3 {
                    let memory = execute(&graph, rng).expect("it ends");
                    assert_eq!(of_dataflow(&flow), without_identity(memory));
                }
            }
        }
    });
    assert!((500..3500).contains(&clean.get()), "{} of 4000 are without races", clean.get());
}

/// By the definition: reachability by closure, all pairs of accesses.
fn has_race(graph: &Graph) -> bool {
    use commloom_commgraph::Action;
    let operations: Vec<_> = (0..graph.processes()).flat_map(|p| graph.of(Process(p))).collect();
    let n = operations.len();
    let mut reach = vec![vec![false; n]; n];
    let place = |p: Process, i: u32| {
        operations.iter().position(|o| (o.process, o.index) == (p, i)).unwrap()
    };
    let mut channels: BTreeMap<_, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for (i, o) in operations.iter().enumerate() {
        for on in graph.waits_for(o.process, o.index) {
            reach[place(o.process, on)][i] = true;
        }
        match o.action {
            Action::Send { to, tag, communicator, .. } => {
                channels.entry((o.process, to, tag, communicator)).or_default().0.push(i);
            }
            Action::Receive { from, tag, communicator, .. } => {
                channels.entry((from, o.process, tag, communicator)).or_default().1.push(i);
            }
            _ => {}
        }
    }
    let mut sent = vec![0; n];
    for (sends, receives) in channels.values() {
        for (s, r) in sends.iter().zip(receives) {
            reach[*s][*r] = true;
            if let Action::Send { length, .. } = operations[*s].action {
                sent[*r] = length.0;
            }
        }
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    let place = |at, length, layout, write| -> Vec<(u64, bool)> {
        addresses(graph, at, length, layout).into_iter().map(|a| (a, write)).collect()
    };
    let accesses = |i: usize| -> Vec<(u64, bool)> {
        match operations[i].action {
            Action::Send { at, length, layout, .. } => place(at, length, layout, false),
            Action::Receive { at, length, layout, .. } => {
                let mut all = place(at, length, layout, true);
                all.truncate(usize::try_from(sent[i]).unwrap());
                all
            }
            Action::Copy { from, to, length, layouts }
            | Action::Reduce { from, into: to, length, layouts, .. } => {
                let mut all = place(from, length, layouts.from, false);
                all.extend(place(to, length, layouts.into, true));
                all
            }
            Action::Nothing => Vec::new(),
        }
    };
    (0..n).any(|i| {
        (0..i).any(|j| {
            let unordered =
                operations[i].process == operations[j].process && !reach[i][j] && !reach[j][i];
            let conflict =
                accesses(i).iter().any(|x| accesses(j).iter().any(|y| (x.1 || y.1) && x.0 == y.0));
            unordered && conflict
        })
    })
}

struct Simple(Builder);

impl Simple {
    fn send(&mut self, p: u32, to: u32, at: u64, n: u64) {
        let buffer = (Address(at), Bytes(n));
        self.0.send(Process(p), buffer, Process(to), Tag(0), Communicator(0)).unwrap();
    }
    fn receive(&mut self, p: u32, from: u32, at: u64, n: u64) {
        let buffer = (Address(at), Bytes(n));
        self.0.receive(Process(p), buffer, Process(from), Tag(0), Communicator(0)).unwrap();
    }
}

fn transfer(source: u32, from: u64, length: u64, destination: u32, to: u64) -> Transfer {
    Transfer { destination, destination_address: to, source, source_address: from, length }
}

/// T1: allgather by recursive doubling in place.
fn t1() -> Graph {
    let mut b = Simple(Builder::new(4, Dependencies::Automatic));
    for i in 0..4_u32 {
        let (x, y) = (i ^ 1, i ^ 2);
        b.send(i, x, u64::from(i), 1);
        b.receive(i, x, u64::from(x), 1);
        b.send(i, y, u64::from(i & !1), 2);
        b.receive(i, y, u64::from(y & !1), 2);
    }
    b.0.finish().unwrap()
}

/// T2: alltoall by a butterfly.
fn t2(scratch_is_dead: bool) -> Graph {
    let mut b = Simple(Builder::new(4, Dependencies::Automatic));
    for i in 0..4 {
        b.send(i, i ^ 1, 0, 2);
        b.receive(i, i ^ 1, 3, 2);
        b.send(i, i ^ 2, 2, 2);
        b.receive(i, i ^ 2, 5, 2);
        if scratch_is_dead {
            b.0.dead(Process(i), Address(3), Bytes(1)).unwrap();
        }
    }
    b.0.finish().unwrap()
}

#[test]
fn t1_is_twelve_transfers() {
    let graph = t1();
    assert_eq!(Matching::of(&graph).unwrap().messages(), 8);
    let expected: Vec<Transfer> = (0..4)
        .flat_map(|i| (0..4).filter(move |j| i != *j).map(move |j| (i, j)))
        .map(|(i, j)| transfer(j, u64::from(j), 1, i, u64::from(j)))
        .collect();
    let flow = dataflow(&graph).unwrap();
    assert_eq!(flow.transfers(), expected);
    assert_eq!(flow.count(), 12);
}

#[test]
fn t2_is_three_transfers_a_process() {
    for dead in [false, true] {
        let expected: Vec<Transfer> = (0..4)
            .flat_map(|i| {
                let first = match dead {
                    false => transfer(i ^ 1, 0, 2, i, 3),
                    true => transfer(i ^ 1, 1, 1, i, 4),
                };
                [first, transfer(i ^ 2, 2, 1, i, 5), transfer(i ^ 3, 0, 1, i, 6)]
            })
            .collect();
        assert_eq!(dataflow(&t2(dead)).unwrap().transfers(), expected);
    }
}

#[test]
fn operations_without_meaning_are_named() {
    let mut b = Simple(Builder::new(3, Dependencies::Automatic));
    b.send(0, 1, 0, 8);
    b.send(0, 1, 8, 8);
    b.receive(1, 0, 0, 8);
    let error = Matching::of(&b.0.finish().unwrap()).unwrap_err().to_string();
    assert_eq!(
        error,
        "operation 1 of process 0 (send 8 bytes at 8 to 1, tag 0) has no partner: of its kind \
         there are 2 sends and 1 receives"
    );

    let mut b = Simple(Builder::new(3, Dependencies::Automatic));
    b.send(0, 1, 0, 8);
    b.receive(1, 0, 0, 7);
    let error = Matching::of(&b.0.finish().unwrap()).unwrap_err().to_string();
    assert!(error.starts_with("message truncated: operation 0 of process 1 (receive 7"), "{error}");

    let mut b = Simple(Builder::new(2, Dependencies::Automatic));
    for i in 0..2 {
        b.receive(i, 1 - i, 0, 8);
        b.send(i, 1 - i, 0, 8);
    }
    let graph = b.0.finish().unwrap();
    let matching = Matching::of(&graph).unwrap();
    let Err(GraphError::Cycle { operations }) = Order::of(&graph, &matching) else {
        panic!("a deadlock was missed")
    };
    assert_eq!(operations.len(), 4);
}

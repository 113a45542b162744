//! The messages that an operation takes the place of.

use commloom_commgraph::cost::LogGp;
use commloom_commgraph::schedule::{ScheduleOptions, compile};
use commloom_commgraph::{
    Address, Buffer, Builder, Bytes, Combine, Communicator, Dependencies, Graph, Kind, Options,
    Process, Reduction, Tag, analyse, replays, shares, together,
};
use commloom_layout::{Basic, Type, mpi};

const WORLD: Communicator = Communicator(0);

/// Sends from the same place to the same place of another process.
fn message(b: &mut Builder, from: u32, to: u32, at: u64, length: u64) {
    let tag = Tag(0);
    b.send(Process(from), (Address(at), Bytes(length)), Process(to), tag, WORLD).expect("a send");
    b.receive(Process(to), (Address(at), Bytes(length)), Process(from), tag, WORLD)
        .expect("a receive");
}

/// An operation, the pairs of processes of its messages, and their bytes.
type Found = (Kind, Vec<(u32, u32)>, u64);

fn messages(graph: &Graph) -> Vec<Found> {
    let found = analyse(graph, Options::default()).expect("a meaning").detection.collectives;
    let shares = shares(graph, &found, &LogGp::default()).expect("it was analysed");
    found
        .iter()
        .zip(shares)
        .map(|(c, share)| {
            let pairs =
                share.messages.iter().map(|(send, receive)| (send.process.0, receive.process.0));
            let mut pairs: Vec<_> = pairs.collect();
            pairs.sort_unstable();
            (c.kind, pairs, share.bytes)
        })
        .collect()
}

#[test]
fn each_operation_has_the_messages_on_its_way_and_no_others() {
    // A broadcast through process 2, a gather beside it, and a message that is part of nothing.
    let mut b = Builder::new(4, Dependencies::Automatic);
    message(&mut b, 0, 2, 0x1000, 64);
    message(&mut b, 2, 3, 0x1000, 64);
    message(&mut b, 0, 1, 0x1000, 64);
    for from in [0, 2, 3] {
        message(&mut b, from, 1, 0x4000 + 8 * u64::from(from), 8);
    }
    message(&mut b, 3, 2, 0x9000, 5);
    let mut found = messages(&b.finish().expect("a graph"));
    found.sort_unstable_by_key(|(kind, ..)| *kind);
    let expected = [
        (Kind::Bcast, vec![(0, 1), (0, 2), (2, 3)], 192),
        (Kind::Gather, vec![(0, 1), (2, 1), (3, 1)], 24),
    ];
    assert_eq!(found, expected);
}

/// HPL's panels are two pieces of memory in one message, and so two broadcasts.
#[test]
fn a_message_that_serves_two_operations_counts_once() {
    let pieces = |second: i64| {
        let ty = mpi::hindexed(&[64, 8], &[0, second], &Type::leaf(Basic::BYTE)).expect("a type");
        Buffer::Typed { at: Address(0x1000), count: 1, ty }
    };
    let mut b = Builder::new(3, Dependencies::Automatic);
    for to in [1, 2] {
        b.send(Process(0), pieces(0x900), Process(to), Tag(0), WORLD).expect("a send");
        let from = Process(0);
        b.receive(Process(to), pieces(0x100), from, Tag(0), WORLD).expect("a receive");
    }
    let graph = b.finish().expect("a graph");
    let found = analyse(&graph, Options::default()).expect("a meaning").detection.collectives;
    assert_eq!(found.iter().map(|c| c.kind).collect::<Vec<_>>(), [Kind::Bcast; 2]);
    let machine = LogGp::default();
    let shares = shares(&graph, &found, &machine).expect("it was analysed");
    assert_eq!(shares.iter().map(|share| share.messages.len()).collect::<Vec<_>>(), [2, 2]);
    let one = together(&graph, &[&shares[0]], &machine).expect("it was analysed");
    let both = together(&graph, &[&shares[0], &shares[1]], &machine).expect("it was analysed");
    assert_eq!((both.messages, both.bytes), (2, 144));
    assert_eq!(both, one, "each of them needs both messages");
}

#[test]
fn through_additions_both_values_are_followed() {
    // Down a chain, each adds its own.
    let mut b = Builder::new(3, Dependencies::Automatic);
    let reduction = Reduction { combine: Combine::Sum, element: Basic::DOUBLE };
    for to in [1, 0] {
        let at = |address| (Address(address), Bytes(80));
        b.send(Process(to + 1), at(0x100), Process(to), Tag(0), WORLD).expect("a send");
        b.receive(Process(to), at(0x800), Process(to + 1), Tag(0), WORLD).expect("a receive");
        b.reduce(Process(to), Address(0x800), Address(0x100), Bytes(80), reduction)
            .expect("a reduction");
    }
    // What was received is overwritten by nobody, and nobody reads it again.
    for to in [0, 1] {
        b.dead(Process(to), Address(0x800), Bytes(80)).expect("a range");
    }
    let found = messages(&b.finish().expect("a graph"));
    assert_eq!(found, [(Kind::Reduce, vec![(1, 0), (2, 1)], 160)]);
}

#[test]
fn the_only_operation_of_a_graph_costs_what_the_graph_does() {
    let mut b = Builder::new(4, Dependencies::Automatic);
    message(&mut b, 0, 2, 0x1000, 6400);
    message(&mut b, 2, 3, 0x1000, 6400);
    message(&mut b, 0, 1, 0x1000, 6400);
    let graph = b.finish().expect("a graph");
    let compiled = compile(&graph, ScheduleOptions::default()).expect("a graph");
    let found = &compiled.analysis.detection.collectives;
    let all = shares(&graph, found, &LogGp::default()).expect("it was analysed");
    assert_eq!(all[0].plain, compiled.plain);
    assert_eq!(all[0].call, compiled.predicted);
}

#[test]
fn blocks_that_are_far_apart_are_called_from_nearby() {
    const FAR: u64 = 1 << 48;
    let mut b = Builder::new(4, Dependencies::Automatic);
    for to in 1..4 {
        let (send, receive) = (0x1000 + FAR * u64::from(to), 0x5000);
        b.send(Process(0), (Address(send), Bytes(256)), Process(to), Tag(0), WORLD)
            .expect("a send");
        b.receive(Process(to), (Address(receive), Bytes(256)), Process(0), Tag(0), WORLD)
            .expect("a receive");
    }
    let graph = b.finish().expect("a graph");
    let found = analyse(&graph, Options::default()).expect("a meaning").detection.collectives;
    assert_eq!(found[0].kind, Kind::Scatter);
    let call = replays(&graph, &found[0]).expect("it was analysed").call.expect("a call");
    let root = &call.contained().programs[0];
    assert!(root.scratch < 4096, "{root:?}");
}

//! Buffers with layouts: what is turned away, and what messages and errors say. What they do to
//! memory is tested in `dataflow.rs`, on random graphs.

use commloom_commgraph::{
    Address, Buffer, BuildError, Builder, Bytes, Communicator, Dataflow, Dependencies, Graph,
    Matching, Order, Process, Tag, Transfer,
};
use commloom_layout::{Basic, Type};

fn rows(at: u64, count: u64, stride: i64, length: u64) -> Buffer {
    let row = Type::vec(length, 1, Type::leaf(Basic::BYTE)).unwrap();
    Buffer::Typed { at: Address(at), count: 1, ty: Type::vec(count, stride, row).unwrap() }
}

fn send(b: &mut Builder, from: u32, to: u32, buffer: Buffer) -> Result<(), BuildError> {
    b.send(Process(from), buffer, Process(to), Tag(0), Communicator(0)).map(drop)
}

fn receive(b: &mut Builder, at: u32, from: u32, buffer: Buffer) -> Result<(), BuildError> {
    b.receive(Process(at), buffer, Process(from), Tag(0), Communicator(0)).map(drop)
}

fn copy(from: Buffer, into: Buffer) -> Result<(), BuildError> {
    let mut builder = Builder::new(1, Dependencies::Automatic);
    builder.copy_buffer(Process(0), from, into).map(drop)
}

fn flow(graph: &Graph) -> Dataflow {
    let matching = Matching::of(graph).unwrap();
    let order = Order::of(graph, &matching).unwrap();
    Dataflow::of(graph, &matching, &order).unwrap()
}

#[test]
fn what_nobody_can_follow_is_refused() {
    let mut b = Builder::new(2, Dependencies::Automatic);
    let pieces = send(&mut b, 0, 1, rows(0, 1 << 40, 16, 8)).unwrap_err();
    assert_eq!(
        pieces.to_string(),
        "1099511627776 pieces of a layout: at most 1048576 can be numbered"
    );
    let mut deep = Type::vec(2, 100, Type::leaf(Basic::INT)).unwrap();
    for _ in 0..30 {
        deep = Type::vec(2, 1_000_000, deep).unwrap();
    }
    let deep = Buffer::Typed { at: Address(0), count: 1, ty: deep };
    assert!(matches!(send(&mut b, 0, 1, deep), Err(BuildError::TooMany { limit: 1_048_576, .. })));
    let many = Buffer::Typed { at: Address(0), count: u64::MAX, ty: Type::leaf(Basic::DOUBLE) };
    assert!(matches!(send(&mut b, 0, 1, many), Err(BuildError::Layout(_))));
    let wraps = rows(u64::MAX - 20, 2, 16, 8);
    assert!(matches!(send(&mut b, 0, 1, wraps), Err(BuildError::Wraps { .. })));
    let below = rows(8, 2, -16, 8);
    assert!(matches!(send(&mut b, 0, 1, below), Err(BuildError::Wraps { .. })));
}

#[test]
fn a_byte_may_be_sent_twice_but_not_written() {
    let mut b = Builder::new(2, Dependencies::Automatic);
    send(&mut b, 0, 1, rows(0, 4, 0, 8)).unwrap();
    assert!(matches!(receive(&mut b, 1, 0, rows(0, 4, 7, 8)), Err(BuildError::Twice { .. })));
    assert!(matches!(copy(rows(0, 4, 8, 2), rows(100, 2, 0, 4)), Err(BuildError::Twice { .. })));
    receive(&mut b, 1, 0, rows(0, 4, 9, 8)).unwrap();
    let expected: Vec<Transfer> = (0..4)
        .map(|k| Transfer {
            destination: 1,
            destination_address: 9 * k,
            source: 0,
            source_address: 0,
            length: 8,
        })
        .collect();
    assert_eq!(flow(&b.finish().unwrap()).transfers(), expected);
}

#[test]
fn buffers_of_a_copy_overlap_where_a_byte_is_in_both() {
    // Two columns of one matrix, side by side.
    copy(rows(0, 8, 16, 8), rows(8, 8, 16, 8)).unwrap();
    copy(rows(0, 8, 16, 8), rows(120, 8, -16, 8)).unwrap();
    assert!(matches!(copy(rows(0, 8, 16, 8), rows(7, 8, 16, 8)), Err(BuildError::Overlap { .. })));
    let lengths = copy(rows(0, 8, 16, 8), rows(1000, 8, 16, 4)).unwrap_err();
    assert_eq!(lengths.to_string(), "a source of 64 bytes and a destination of 32");
}

/// A column of a matrix that goes from process to process: one run each, whatever its length.
#[test]
fn what_is_forwarded_in_a_layout_stays_small() {
    let n = 10_000;
    let mut b = Builder::new(50, Dependencies::Automatic);
    for p in 1..50 {
        send(&mut b, p - 1, p, rows(64, n, 4096, 8)).unwrap();
        receive(&mut b, p, p - 1, rows(64, n, 4096, 8)).unwrap();
    }
    let graph = b.finish().unwrap();
    assert!(graph.memory() < Bytes(10_000), "{}", graph.memory());
    let flow = flow(&graph);
    assert_eq!(flow.count(), 49 * n);
    let transfers = flow.transfers();
    assert!(transfers.iter().all(|t| (t.source, t.source_address) == (0, t.destination_address)));
}

#[test]
fn errors_say_that_a_buffer_is_in_pieces() {
    let mut b = Builder::new(2, Dependencies::Automatic);
    send(&mut b, 0, 1, rows(0, 4, 16, 8)).unwrap();
    receive(&mut b, 1, 0, rows(0, 3, 16, 8)).unwrap();
    let error = Matching::of(&b.finish().unwrap()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "message truncated: operation 0 of process 1 (receive 24 bytes at 0 (in pieces) from 0, \
         tag 0) has no room for operation 0 of process 0 (send 32 bytes at 0 (in pieces) to 1, \
         tag 0)"
    );
}

//! Columns that are sent block by block: one operation with a vector type.

use commloom_commgraph::{
    Address, Addresses, Builder, Bytes, Communicator, Dataflow, Dependencies, Kind, Matching,
    Options, Order, Process, Tag, Transfer, analyse,
};
use commloom_testkit::check;

/// A message block by block: from `blocks` places `apart` bytes apart to others.
fn column(b: &mut Builder, from: (u32, u64, u64), to: (u32, u64, u64), blocks: u64, n: u64) {
    let (tag, comm) = (Tag(0), Communicator(0));
    for k in 0..blocks {
        let (read, written) = (Address(from.1 + k * from.2), Address(to.1 + k * to.2));
        b.send(Process(from.0), (read, Bytes(n)), Process(to.0), tag, comm).unwrap();
        b.receive(Process(to.0), (written, Bytes(n)), Process(from.0), tag, comm).unwrap();
    }
}

#[test]
fn columns_are_sent_by_one_operation() {
    check(200, |rng| {
        let (p, blocks, n) = (rng.u32(3..10), rng.u64(3..9), rng.u64(1..9));
        let root = rng.u32(0..p);
        // Blocks of all processes side by side in each row, with some space after.
        let row = u64::from(p) * n + rng.u64(1..5);
        let (wide, far) = (n + rng.u64(1..7), 1 << 20);
        let cell = |area: u64, k: u32| area + u64::from(k) * n;
        let kinds = [Kind::Bcast, Kind::Scatter, Kind::Gather, Kind::Allgather, Kind::Alltoall];
        let kind = kinds[rng.usize(0..kinds.len())];
        let mut b = Builder::new(p, Dependencies::Automatic);
        for i in 0..p {
            for j in (0..p).filter(|j| *j != i) {
                let (from, to) = match kind {
                    Kind::Bcast if i == root => ((i, 64, wide), (j, far, row)),
                    Kind::Scatter if i == root => ((i, cell(64, j), row), (j, far, wide)),
                    Kind::Gather if j == root => ((i, 64, wide), (j, cell(far, i), row)),
                    Kind::Allgather => ((i, cell(64, i), row), (j, cell(64, i), row)),
                    Kind::Alltoall => ((i, cell(64, j), row), (j, cell(far, i), row)),
                    _ => continue,
                };
                column(&mut b, from, to, blocks, n);
            }
        }
        let graph = b.finish().unwrap();
        let found = analyse(&graph, Options::default()).unwrap().detection;
        let what = format!("{kind:?} of {p}, {blocks} blocks of {n} bytes: {found:?}");
        let [only] = &found.collectives[..] else { panic!("{what}") };
        assert_eq!((only.kind, only.length, found.left.len()), (kind, Bytes(n), 0), "{what}");
        assert_eq!(u64::from(only.pieces.count), blocks, "{what}");
        assert!(matches!(only.pieces.from, Addresses::Affine { start: 0, .. }), "{what}");
        let matching = Matching::of(&graph).unwrap();
        let order = Order::of(&graph, &matching).unwrap();
        let flow = Dataflow::of(&graph, &matching, &order).unwrap();
        let mut all = Vec::new();
        only.replay(|t| all.push(t));
        assert_eq!(only.transfers, u64::try_from(all.len()).unwrap(), "{what}");
        assert_eq!(bytes(all), bytes(flow.transfers()), "{what}");
    });
}

fn bytes(transfers: Vec<Transfer>) -> Vec<Transfer> {
    let each = |t: Transfer| (0..t.length).map(move |i| t.part(i, i + 1));
    let mut all: Vec<Transfer> = transfers.into_iter().flat_map(each).collect();
    all.sort_unstable();
    all
}

//! Operations on some of the processes.

use commloom_commgraph::{
    Address, Analysis, Builder, Bytes, Combine, Communicator, Dataflow, Dependencies, Graph, Kind,
    Matching, Options, Order, Process, Reduction, Tag, Transfer, analyse,
};
use commloom_layout::Basic;
use commloom_testkit::graphs::random::{GraphShape, graph};
use commloom_testkit::{Rng, check};

const COMM: Communicator = Communicator(0);

fn message(b: &mut Builder, from: (u32, u64), to: (u32, u64), n: u64, tag: i32) {
    let tag = Tag(tag);
    b.send(Process(from.0), (Address(from.1), Bytes(n)), Process(to.0), tag, COMM).unwrap();
    b.receive(Process(to.0), (Address(to.1), Bytes(n)), Process(from.0), tag, COMM).unwrap();
}

/// Every byte that moves.
fn bytes(transfers: impl IntoIterator<Item = Transfer>) -> Vec<Transfer> {
    let each = |t: Transfer| (0..t.length).map(move |i| t.part(i, i + 1));
    let mut all: Vec<Transfer> = transfers.into_iter().flat_map(each).collect();
    all.sort_unstable();
    all
}

/// The operations found, certified against the dataflow.
fn found(graph: &Graph) -> Analysis {
    let analysis = analyse(graph, Options { subsets: true, ..Options::default() }).unwrap();
    let matching = Matching::of(graph).unwrap();
    let order = Order::of(graph, &matching).unwrap();
    let flow = Dataflow::of(graph, &matching, &order).unwrap();
    let mut all = analysis.detection.left.clone();
    analysis.detection.collectives.iter().for_each(|c| c.replay(|t| all.push(t)));
    assert!(bytes(all) == bytes(flow.transfers()), "{:?}", analysis.detection);
    analysis
}

type Found = (Kind, Option<u32>, Vec<u32>);

fn operations(analysis: &Analysis) -> Vec<Found> {
    let members = |c: &commloom_commgraph::Collective| c.group.iter().map(|p| p.0).collect();
    let all = analysis.detection.collectives.iter();
    let mut all: Vec<Found> = all.map(|c| (c.kind, c.root.map(|r| r.0), members(c))).collect();
    all.sort();
    all
}

/// Messages of lengths of their own.
fn add_noise(b: &mut Builder, p: u32, rng: &mut Rng) {
    for i in 0..p {
        let peer = (i + rng.u32(1..p)) % p;
        message(b, (i, 1 << 30), (peer, (1 << 31) + 4096 * u64::from(i)), 1000 + u64::from(i), 99);
    }
}

/// A linear allgather or alltoall, or a ring allgather, of a group.
fn add_all(
    b: &mut Builder,
    kind: Kind,
    ring: bool,
    members: &[u32],
    (at, tag): (u64, i32),
    n: u64,
) {
    let block = |k: usize| at + n * k as u64;
    let m = members.len();
    if ring {
        for step in 0..m - 1 {
            for i in 0..m {
                let here = block((i + m - step) % m);
                message(b, (members[i], here), (members[(i + 1) % m], here), n, tag);
            }
        }
        return;
    }
    for i in 0..m {
        for j in (0..m).filter(|j| *j != i) {
            let from = if kind == Kind::Allgather { at - n } else { block(j) };
            let to = block(i) + n * (m as u64 + 1);
            message(b, (members[i], from), (members[j], to), n, tag);
        }
    }
}

fn shuffled(rng: &mut Rng, p: u32) -> Vec<u32> {
    let mut all: Vec<u32> = (0..p).collect();
    rng.shuffle(&mut all);
    all
}

#[test]
fn rows_and_columns_of_a_grid_each_exchange_all_with_all() {
    check(40, |rng| {
        let (rows, columns) = (rng.u32(4..7), rng.u32(4..7));
        let mut b = Builder::new(rows * columns, Dependencies::Automatic);
        let mut expected: Vec<Found> = Vec::new();
        let kinds = [Kind::Allgather, Kind::Alltoall];
        let (along, across) = (kinds[rng.usize(0..2)], kinds[rng.usize(0..2)]);
        for r in 0..rows {
            let members: Vec<u32> = (0..columns).map(|c| r * columns + c).collect();
            let ring = along == Kind::Allgather && rng.bool();
            add_all(&mut b, along, ring, &members, (64, 1), 8);
            expected.push((along, None, members));
        }
        for c in 0..columns {
            let members: Vec<u32> = (0..rows).map(|r| r * columns + c).collect();
            let ring = across == Kind::Allgather && rng.bool();
            add_all(&mut b, across, ring, &members, (4096, 2), 8);
            expected.push((across, None, members));
        }
        let noisy = rng.bool();
        if noisy {
            add_noise(&mut b, rows * columns, rng);
        }
        expected.sort();
        let analysis = found(&b.finish().unwrap());
        assert_eq!(operations(&analysis), expected, "{rows} x {columns}");
        let left = if noisy { rows * columns } else { 0 };
        assert_eq!(analysis.detection.left.len(), left as usize, "{rows} x {columns}");
    });
}

/// Both ways along each row, and nothing across.
#[test]
fn neighbours_along_the_rows_of_a_grid() {
    for columns in 4..8 {
        let mut b = Builder::new(3 * columns, Dependencies::Automatic);
        for rank in 0..3 * columns {
            let row = rank / columns * columns;
            let [right, left] = [1, columns - 1].map(|by| row + (rank + by) % columns);
            message(&mut b, (rank, 0), (right, 100), 8, 0);
            message(&mut b, (rank, 8), (left, 108), 8, 1);
        }
        let analysis = found(&b.finish().unwrap());
        let rows: Vec<Found> = (0..3)
            .map(|row| (row * columns..(row + 1) * columns).collect())
            .map(|members| (Kind::NeighborAlltoall, None, members))
            .collect();
        assert_eq!(operations(&analysis), rows);
        assert!(analysis.detection.left.is_empty());
    }
}

#[test]
fn groups_that_are_apart_are_found() {
    check(60, |rng| {
        let p = rng.u32(7..34);
        let mut rest = shuffled(rng, p);
        let mut b = Builder::new(p, Dependencies::Automatic);
        let mut expected: Vec<Found> = Vec::new();
        let n = rng.u64(1..9);
        while rest.len() >= 3 {
            let size = rng.usize(3..=rest.len().min(p as usize - 1));
            let mut members = rest.split_off(rest.len() - size);
            let kind = if rng.bool() { Kind::Allgather } else { Kind::Alltoall };
            let ring = kind == Kind::Allgather && rng.bool();
            add_all(&mut b, kind, ring, &members, (64, 1), n);
            members.sort_unstable();
            expected.push((kind, None, members));
        }
        add_noise(&mut b, p, rng);
        expected.sort();
        let analysis = found(&b.finish().unwrap());
        assert_eq!(operations(&analysis), expected);
        assert_eq!(analysis.detection.left.len(), p as usize);
    });
}

#[test]
fn rooted_operations_of_some_are_found_amid_noise() {
    check(100, |rng| {
        let p = rng.u32(7..34);
        // With noise from the only other process, a gather could be a gatherv of all.
        let members = shuffled(rng, p)[..rng.usize(5..p as usize - 1)].to_vec();
        let kind = [Kind::Bcast, Kind::Scatter, Kind::Gather][rng.usize(0..3)];
        let mut b = Builder::new(p, Dependencies::Automatic);
        let binomial = rng.bool();
        for v in 1..members.len() {
            let block = 64 + 16 * v as u64;
            let (root, other) = (members[0], members[v]);
            let parent = if binomial { members[v & (v - 1)] } else { root };
            match kind {
                Kind::Bcast => message(&mut b, (parent, 64), (other, 64), 16, 0),
                Kind::Scatter => message(&mut b, (root, block), (other, 64), 16, 0),
                _ => message(&mut b, (other, 64), (root, block), 16, 0),
            }
        }
        add_noise(&mut b, p, rng);
        let mut sorted = members.clone();
        sorted.sort_unstable();
        let graph = b.finish().unwrap();
        let analysis = found(&graph);
        assert_eq!(operations(&analysis), [(kind, Some(members[0]), sorted)]);
        assert_eq!(analysis.detection.left.len(), p as usize);
        // Only who asks gets them.
        let all = analyse(&graph, Options::default()).unwrap();
        assert_eq!(operations(&all), []);
    });
}

#[test]
fn reductions_of_some_are_found() {
    check(60, |rng| {
        let p = rng.u32(7..20);
        let mut rest = shuffled(rng, p);
        let mut b = Builder::new(p, Dependencies::Automatic);
        let reduction = Reduction { combine: Combine::Sum, element: Basic::INT };
        let n = Bytes(8);
        let mut expected: Vec<Found> = Vec::new();
        while rest.len() >= 3 {
            let size = rng.usize(3..=rest.len().min(p as usize - 1));
            let mut members = rest.split_off(rest.len() - size);
            let all = rng.bool();
            let root = members[0];
            for other in &members[1..] {
                message(&mut b, (*other, 0), (root, 64), n.0, 0);
                b.reduce(Process(root), Address(64), Address(0), n, reduction).unwrap();
            }
            b.dead(Process(root), Address(64), n).unwrap();
            for other in members[1..].iter().filter(|_| all) {
                message(&mut b, (root, 0), (*other, 0), n.0, 0);
            }
            members.sort_unstable();
            expected.push(match all {
                true => (Kind::Allreduce, None, members),
                false => (Kind::Reduce, Some(root), members),
            });
        }
        expected.sort();
        let analysis = found(&b.finish().unwrap());
        assert_eq!(operations(&analysis), expected);
        assert_eq!(analysis.detection.left_reduced, []);
    });
}

/// Whatever is found in random graphs is what they do.
#[test]
fn random_graphs_keep_their_meaning() {
    check(3000, |rng| {
        let shape = GraphShape {
            processes: rng.u32(3..7),
            steps: rng.u32(0..40),
            memory: rng.u64(2..14),
            reductions: false,
            typed: rng.bool(),
            dependencies: Dependencies::Automatic,
        };
        found(&graph(rng, shape));
    });
}

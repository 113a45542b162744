//! Every textbook algorithm is found, alone and among others, and nothing else.

use commloom_commgraph::{
    Address, Analysis, Builder, Bytes, Communicator, Dataflow, Dependencies, Graph, Kind, Matching,
    Options, Order, Process, Tag, Transfer, analyse, detect,
};
use commloom_testkit::graphs::campaign::before_and_after;
use commloom_testkit::graphs::interleave;
use commloom_testkit::graphs::site::{Change, Site};
use commloom_testkit::graphs::textbook::{ALGORITHMS, Algorithm};
use commloom_testkit::{Rng, check};

/// Adds an algorithm with messages of its own to a graph: where its memory ends, and how many it
/// sends.
fn add(
    builder: &mut Builder,
    processes: u32,
    (at, tag): (u64, u32),
    algorithm: &Algorithm,
    root: u32,
) -> (u64, u32) {
    let mut site = Site::new(builder, processes, 8 + 4 * u64::from(tag));
    (site.at, site.tag, site.root) = (at, tag.try_into().unwrap(), root);
    (algorithm.build)(&mut site);
    (at + site.room() + 5, site.sends)
}

fn run(builder: Builder) -> Analysis {
    analyse(&builder.finish().unwrap(), Options::default()).unwrap()
}

fn left(analysis: &Analysis) -> usize {
    analysis.detection.left.len() + analysis.detection.left_reduced.len()
}

fn start(processes: u32) -> Builder {
    Builder::new(processes, Dependencies::Automatic)
}

fn kinds(analysis: &Analysis) -> Vec<(Kind, Option<u32>)> {
    let collectives = analysis.detection.collectives.iter();
    let mut kinds: Vec<_> = collectives.map(|c| (c.kind, c.root.map(|r| r.0))).collect();
    kinds.sort_unstable();
    kinds
}

fn expected(algorithm: &Algorithm, root: u32) -> (Kind, Option<u32>) {
    let rooted =
        matches!(algorithm.kind, Kind::Bcast | Kind::Scatter | Kind::Gather | Kind::Reduce);
    (algorithm.kind, rooted.then_some(root))
}

/// The operations that several algorithms make together: one barrier does for many.
fn all_expected(algorithms: &[(&Algorithm, u32)]) -> Vec<(Kind, Option<u32>)> {
    let mut all: Vec<_> = algorithms.iter().map(|(a, root)| expected(a, *root)).collect();
    all.sort_unstable();
    all.dedup_by(|a, b| a == b && a.0 == Kind::Barrier);
    all
}

/// Adds a message from each process to another, of lengths of their own, so that they are no
/// collective.
fn add_random_messages(builder: &mut Builder, p: u32, at: u64, rng: &mut Rng) {
    let targets = loop {
        let targets: Vec<u32> = (0..p).map(|i| (i + rng.u32(1..p)) % p).collect();
        if (0..p).all(|i| targets.iter().filter(|t| **t == i).count() < (p - 1) as usize) {
            break targets;
        }
    };
    for (i, target) in (0..p).zip(targets) {
        let length = Bytes(1000 + 7 * u64::from(i));
        let (tag, comm) = (Tag(99), Communicator(1));
        let from = (Address(at), length);
        let to = (Address(at + 2000 * u64::from(i + 1)), length);
        builder.send(Process(i), from, Process(target), tag, comm).unwrap();
        builder.receive(Process(target), to, Process(i), tag, comm).unwrap();
    }
}

/// The cases of an algorithm: numbers of processes, and a root for each.
fn cases(algorithm: &Algorithm) -> impl Iterator<Item = (u32, u32)> {
    (2..34).filter(|p| (algorithm.works_for)(*p)).map(|p| (p, p / 3))
}

#[test]
fn every_textbook_algorithm_is_found_alone() {
    let mut wrong = Vec::new();
    for algorithm in ALGORITHMS {
        for (p, root) in cases(algorithm) {
            let mut builder = start(p);
            add(&mut builder, p, (64, 0), algorithm, root);
            let analysis = run(builder);
            // Of two processes, an exscan is one message.
            let same = kinds(&analysis) == [expected(algorithm, root)]
                || (algorithm.kind, p) == (Kind::Exscan, 2);
            if !same || left(&analysis) > 0 {
                wrong.push((algorithm.name, p, analysis.detection));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong: {:#?}", wrong.len(), wrong.first());
}

#[test]
fn every_textbook_algorithm_is_found_among_random_messages() {
    check(1, |rng| {
        for algorithm in ALGORITHMS {
            // Of three processes, two messages from one are a scatterv.
            for (p, root) in cases(algorithm).filter(|(p, _)| *p > 3) {
                let mut builder = start(p);
                let (at, _) = add(&mut builder, p, (64, 0), algorithm, root);
                add_random_messages(&mut builder, p, at, rng);
                let analysis = run(builder);
                let what = || format!("{} of {p}: {:?}", algorithm.name, analysis.detection);
                assert_eq!(kinds(&analysis), [expected(algorithm, root)], "{}", what());
                assert_eq!(analysis.detection.left.len(), p as usize, "{}", what());
            }
        }
    });
}

/// The graph of one algorithm alone, in memory and with a tag of its own.
fn alone(p: u32, place: (u64, u32), algorithm: &Algorithm, root: u32) -> (Graph, u64) {
    let mut builder = start(p);
    let (end, _) = add(&mut builder, p, place, algorithm, root);
    (builder.finish().unwrap(), end)
}

/// Every algorithm with another one, one after the other and their operations mixed.
#[test]
fn two_algorithms_in_one_graph_are_both_found() {
    check(2, |rng| {
        for (k, first) in ALGORITHMS.iter().enumerate() {
            for p in (3..34).filter(|p| (first.works_for)(*p)) {
                let fitting: Vec<_> = ALGORITHMS.iter().filter(|a| (a.works_for)(p)).collect();
                let second = fitting[(k + rng.usize(0..fitting.len())) % fitting.len()];
                let both = [(first, rng.u32(0..p)), (second, rng.u32(0..p))];
                let (a, end) = alone(p, (64, 0), both[0].0, both[0].1);
                let (b, _) = alone(p, (end, 1), both[1].0, both[1].1);
                let mut builder = start(p);
                interleave::add(&mut builder, &[a, b], rng);
                let analysis = run(builder);
                assert_eq!(kinds(&analysis), all_expected(&both), "{both:?} of {p}");
                assert_eq!(left(&analysis), 0, "{both:?} of {p}");
            }
        }
    });
}

/// Replayed, with what is left, the operations are the transfers of the dataflow, byte by byte. So
/// also where they were found in runs, and single transfers never looked at.
#[test]
fn what_is_found_is_what_the_messages_do() {
    check(1, |rng| {
        for algorithm in ALGORITHMS.iter().filter(|a| a.kind != Kind::Barrier) {
            for p in [4, 5, 8, 13, 16, 33].into_iter().filter(|p| (algorithm.works_for)(*p)) {
                let mut builder = start(p);
                let wrong = rng.bool().then(|| rng.u32(0..p));
                let mut site = Site::new(&mut builder, p, 8);
                (site.root, site.change) = (p / 3, wrong.map(|send| (send, Change::Shorter)));
                (algorithm.build)(&mut site);
                let graph = builder.finish().unwrap();
                let matching = Matching::of(&graph).unwrap();
                let order = Order::of(&graph, &matching).unwrap();
                let flow = Dataflow::of(&graph, &matching, &order).unwrap();
                let expected = bytes(flow.transfers().into_iter());
                let found = detect(p, flow, Options::default());
                let mut replayed = found.left.clone();
                for c in &found.collectives {
                    c.replay(|t| replayed.push(t));
                }
                let same = bytes(replayed.into_iter()) == expected;
                assert!(same, "{} of {p}, {wrong:?}: {:?}", algorithm.name, found.collectives);
            }
        }
    });
}

/// Where every byte comes to, and from.
fn bytes(transfers: impl Iterator<Item = Transfer>) -> Vec<Transfer> {
    let mut all: Vec<Transfer> =
        transfers.flat_map(|t| (0..t.length).map(move |i| t.part(i, i + 1))).collect();
    all.sort_unstable();
    all
}

/// Replayed, with what is left, the operations do to memory what the messages do.
/// `make check-graphs` does the same for 10^5 graphs.
#[test]
fn random_graphs_keep_their_meaning() {
    check(3000, |rng| drop(before_and_after(rng)));
}

/// T1 and T2 of book/src/explanation/detection.md.
#[test]
fn the_papers_examples_are_an_allgather_and_an_alltoall() {
    let mut b = start(4);
    let message = |b: &mut Builder, i: u32, peer: u32, sent: u64, received: u64, n: u64| {
        let (peer, tag, comm) = (Process(peer), Tag(0), Communicator(0));
        b.send(Process(i), (Address(sent), Bytes(n)), peer, tag, comm).unwrap();
        b.receive(Process(i), (Address(received), Bytes(n)), peer, tag, comm).unwrap();
    };
    for i in 0..4_u32 {
        let (x, y) = (i ^ 1, i ^ 2);
        message(&mut b, i, x, i.into(), x.into(), 1);
        message(&mut b, i, y, (i & !1).into(), (y & !1).into(), 2);
    }
    let t1 = run(b);
    assert_eq!((t1.matches, t1.transfers, t1.wait_sets_complete), (8, 12, true));
    let only = &t1.detection.collectives[..];
    assert_eq!((only.len(), only[0].kind, only[0].length), (1, Kind::Allgather, Bytes(1)));
    assert_eq!((only[0].own, left(&t1)), (false, 0), "in place");

    for scratch_is_dead in [true, false] {
        let mut b = start(4);
        for i in 0..4 {
            message(&mut b, i, i ^ 1, 0, 3, 2);
            message(&mut b, i, i ^ 2, 2, 5, 2);
            if scratch_is_dead {
                b.dead(Process(i), Address(3), Bytes(1)).unwrap();
            }
        }
        let t2 = run(b);
        let only = &t2.detection.collectives[..];
        assert_eq!((only.len(), only[0].kind, only[0].length), (1, Kind::Alltoall, Bytes(1)));
        assert_eq!(left(&t2), if scratch_is_dead { 0 } else { 4 });
    }
}

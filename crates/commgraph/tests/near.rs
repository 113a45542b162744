//! Graphs with one message changed: what is found is right, and the message is named.

use std::cell::RefCell;
use std::collections::BTreeMap;

use commloom_commgraph::{
    Address, Analysis, Builder, Bytes, Combine, Communicator, Contributions, Dataflow,
    Dependencies, Graph, GraphError, Kind, Matching, Named, Note, Options, Order, Process,
    Reduction, Tag, analyse,
};
use commloom_layout::Basic;
use commloom_testkit::check;
use commloom_testkit::graphs::site::{Change, Site};
use commloom_testkit::graphs::textbook::{ALGORITHMS, Algorithm};

/// A graph, and the operations of the changed message: process and place.
struct Case {
    graph: Graph,
    changed: Vec<(u32, u32)>,
    sends: u32,
}

fn build(algorithm: &Algorithm, p: u32, change: Option<(u32, Change)>) -> Case {
    let mut builder = Builder::new(p, Dependencies::Automatic);
    let mut site = Site::new(&mut builder, p, 8);
    (site.root, site.change) = (p / 3, change);
    (algorithm.build)(&mut site);
    let (changed, sends) = (std::mem::take(&mut site.changed), site.sends);
    Case { graph: builder.finish().unwrap(), changed, sends }
}

/// The content of a byte in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Byte {
    Moved(u32, u64),
    Reduced(Option<Contributions>, u64),
}

/// The memory that the graph leaves, byte by byte.
fn memory(graph: &Graph) -> BTreeMap<(u32, u64), Byte> {
    let matching = Matching::of(graph).unwrap();
    let order = Order::of(graph, &matching).unwrap();
    let flow = Dataflow::of(graph, &matching, &order).unwrap();
    let mut all = BTreeMap::new();
    for t in flow.transfers() {
        all.extend((0..t.length).map(|i| {
            let byte = Byte::Moved(t.source, t.source_address + i);
            ((t.destination, t.destination_address + i), byte)
        }));
    }
    for r in flow.reduced() {
        all.extend(
            (0..r.length).map(|i| {
                ((r.destination, r.address + i), Byte::Reduced(r.contributions.clone(), i))
            }),
        );
    }
    all
}

/// The operations found and the transfers left move the bytes that the graph moves.
fn assert_right(memory: &BTreeMap<(u32, u64), Byte>, analysis: &Analysis, what: &str) {
    let mut all = BTreeMap::new();
    let mut write = |t: commloom_commgraph::Transfer| {
        for i in 0..t.length {
            let place = (t.destination, t.destination_address + i);
            let byte = Byte::Moved(t.source, t.source_address + i);
            assert!(all.insert(place, byte).is_none(), "{what}: written twice");
        }
    };
    analysis.detection.collectives.iter().for_each(|c| c.replay(&mut write));
    analysis.detection.left.iter().for_each(|t| write(*t));
    let moved = memory.iter().filter(|(_, byte)| matches!(byte, Byte::Moved(..)));
    assert!(all.iter().eq(moved), "{what}: {:?}", analysis.detection);
}

/// How well the notes name what is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Naming {
    Nothing,
    /// Bytes that are not what they should be.
    Effect,
    /// The message.
    Message,
}

fn naming(analysis: &Analysis, changed: &[(u32, u32)], wrong: &[(u32, u64)]) -> Naming {
    let is_changed = |o: &Named| changed.contains(&(o.process.0, o.index));
    let is_wrong = |process: u32, from: u64, length: u64| {
        let first = wrong.partition_point(|w| *w < (process, from));
        wrong.get(first).is_some_and(|w| *w < (process, from + length))
    };
    let mut best = Naming::Nothing;
    for note in &analysis.notes {
        let named = match note {
            Note::NearMiss { miss, suspect } => {
                let mut missing = miss.missing.iter();
                let mut instead = miss.instead.iter();
                if suspect.iter().any(|(s, r)| is_changed(s) || is_changed(r)) {
                    Naming::Message
                } else if instead.any(|t| is_wrong(t.destination, t.destination_address, t.length))
                    || missing.any(|e| {
                        let at = e.destination_address.map(|a| (a.0, e.length.0));
                        let (at, length) = at.unwrap_or((0, u64::MAX));
                        is_wrong(e.destination.0, at, length)
                    })
                {
                    Naming::Effect
                } else {
                    Naming::Nothing
                }
            }
            Note::OddBlock { odd, message, .. } => {
                let by = message.iter().any(|(s, r)| is_changed(s) || is_changed(r));
                // A contribution is named by its process.
                let of = odd.destination.is_none()
                    && changed.iter().any(|(process, _)| *process == odd.source.0);
                let lands = |(process, at): (Process, u64)| is_wrong(process.0, at, 9);
                match odd.destination.is_some_and(lands) || of {
                    _ if by => Naming::Message,
                    true => Naming::Effect,
                    false => Naming::Nothing,
                }
            }
            Note::PartialReduction(partial) => {
                let hit = partial.wrong.iter().any(|w| is_wrong(w.process.0, 0, u64::MAX));
                if hit { Naming::Effect } else { Naming::Nothing }
            }
            Note::CountedTwice { result, .. } => {
                let hit = is_wrong(result.destination, result.address, result.length);
                if hit { Naming::Effect } else { Naming::Nothing }
            }
            Note::OrderOfAdditions { .. } => Naming::Nothing,
        };
        best = best.max(named);
    }
    best
}

fn named_by(error: &GraphError, changed: &[(u32, u32)]) -> Naming {
    let operations: Vec<Named> = match error {
        GraphError::Unmatched { operation, .. } => vec![*operation],
        GraphError::Truncated { send, receive } => vec![**send, **receive],
        GraphError::Cycle { operations } => operations.clone(),
        GraphError::Race { first, second, .. } => vec![**first, **second],
        _ => vec![],
    };
    match operations.iter().any(|o| changed.contains(&(o.process.0, o.index))) {
        true => Naming::Message,
        // An error names at least what the change leads to.
        false => Naming::Effect,
    }
}

/// Of five processes and more, that share of the changed messages of each kind is named, by an
/// operation or by the bytes that are wrong because of it. The others leave something that is as
/// good as what was meant: a whole result may lie one byte further on at one process, of two
/// processes' blocks the shorter one may be right, and where a chain of additions breaks, the sum
/// of its last part is a sum.
const NAMED: f64 = 0.94;

/// Powers, their neighbours, primes, and numbers that have many divisors.
const SIZES: [u32; 15] = [2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 25, 32, 33];

#[test]
fn one_changed_message_is_named_and_nothing_wrong_is_found() {
    let tally: RefCell<BTreeMap<Change, [u32; 3]>> = RefCell::default();
    check(1, |rng| {
        for algorithm in ALGORITHMS.iter().filter(|a| a.kind != Kind::Barrier) {
            for p in SIZES.into_iter().filter(|p| (algorithm.works_for)(*p)) {
                let right = build(algorithm, p, None);
                let memory_right = memory(&right.graph);
                let found_right = analyse(&right.graph, Options::default()).unwrap();
                assert_eq!(found_right.notes, [], "{} of {p}", algorithm.name);
                for change in Change::ALL {
                    if change == Change::Peer && p == 2 {
                        continue;
                    }
                    let number = rng.u32(0..right.sends);
                    let case = build(algorithm, p, Some((number, change)));
                    let what = format!("{} of {p}, message {number}: {change:?}", algorithm.name);
                    let naming = match analyse(&case.graph, Options::default()) {
                        Err(error) => named_by(&error, &case.changed),
                        Ok(analysis) => {
                            let memory = memory(&case.graph);
                            assert_right(&memory, &analysis, &what);
                            let wrong = differences(&memory_right, &memory);
                            let same = found_right.detection == analysis.detection;
                            assert_eq!(wrong.is_empty(), same, "{what}");
                            // Some messages bring what is there already.
                            if same {
                                continue;
                            }
                            naming(&analysis, &case.changed, &wrong)
                        }
                    };
                    if p >= 5 {
                        let mut tally = tally.borrow_mut();
                        tally.entry(change).or_default()[naming as usize] += 1;
                    }
                }
            }
        }
    });
    for (change, [nothing, effect, message]) in tally.into_inner() {
        let all = f64::from(nothing + effect + message);
        let share = |n: u32| f64::from(n) / all;
        println!("{change:?}: {:.2} by bytes, {:.2} by operation", share(effect), share(message));
        assert!(share(nothing) <= 1.0 - NAMED, "{change:?}: {:.2} unnamed", share(nothing));
    }
}

/// A ring whose last process adds what it got once more.
fn ring(combine: Combine, element: Basic, twice: bool) -> Analysis {
    let (p, n) = (5, Bytes(16));
    let reduction = Reduction { combine, element };
    let mut b = Builder::new(p, Dependencies::Automatic);
    let (own, other, tag, comm) = (Address(0), Address(64), Tag(0), Communicator(0));
    for i in 0..p - 1 {
        b.send(Process(i), (own, n), Process(i + 1), tag, comm).unwrap();
        b.receive(Process(i + 1), (other, n), Process(i), tag, comm).unwrap();
        b.reduce(Process(i + 1), other, own, n, reduction).unwrap();
        if twice && i == 2 {
            b.reduce(Process(i + 1), other, own, n, reduction).unwrap();
        }
        b.dead(Process(i + 1), other, n).unwrap();
        b.dead(Process(i), own, n).unwrap();
    }
    analyse(&b.finish().unwrap(), Options::default()).unwrap()
}

#[test]
fn contributions_that_count_twice_are_probably_a_mistake() {
    let kinds = |a: &Analysis| a.detection.collectives.iter().map(|c| c.kind).collect::<Vec<_>>();
    let once = ring(Combine::Sum, Basic::INT, false);
    assert_eq!((kinds(&once), once.notes), (vec![Kind::Reduce], vec![]));
    let twice = ring(Combine::Sum, Basic::INT, true);
    assert_eq!(kinds(&twice), []);
    let note = twice.notes.iter().find_map(|note| match note {
        Note::CountedTwice { result, twice, .. } => Some((result.destination, twice.clone())),
        _ => None,
    });
    assert_eq!(note, Some((4, vec![(0, 0), (1, 0), (2, 0)])));
    // The largest of a number and itself is that number.
    let largest = ring(Combine::Max, Basic::INT, true);
    assert_eq!((kinds(&largest), largest.notes), (vec![Kind::Reduce], vec![]));
}

#[test]
fn sums_of_floating_point_numbers_may_be_rounded_otherwise() {
    for (combine, element, rounds) in [
        (Combine::Sum, Basic::DOUBLE, true),
        (Combine::Product, Basic::FLOAT, true),
        (Combine::Max, Basic::DOUBLE, false),
        (Combine::Sum, Basic::LONG, false),
    ] {
        let analysis = ring(combine, element, false);
        let said = |n: &Note| matches!(n, Note::OrderOfAdditions { collective: 0, .. });
        assert_eq!(analysis.notes.iter().any(said), rounds, "{combine:?} of {element}");
    }
}

/// Where two memories differ, sorted.
fn differences(a: &BTreeMap<(u32, u64), Byte>, b: &BTreeMap<(u32, u64), Byte>) -> Vec<(u32, u64)> {
    let mut places: Vec<_> =
        a.keys().chain(b.keys()).filter(|k| a.get(k) != b.get(k)).copied().collect();
    places.sort_unstable();
    places.dedup();
    places
}

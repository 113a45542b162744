//! Written files are read again; what is cut or damaged is read as far as it is whole.

use std::sync::Arc;

use commloom_trace::{
    Action, BLOCK, Buffer, Collective, Communicator, Event, Events, Header, Kind, Mode, Operator,
    Origin, Problem, Received, Site, Stay, Sum, Summed, Trace, Unreadable, VERSION, Writer, read,
};
use fastrand::Rng;

/// Values that events share, as in a recorder.
struct Shared {
    sites: Vec<Arc<Site>>,
    names: Vec<Arc<str>>,
    communicators: Vec<Arc<Communicator>>,
}

fn shared(rng: &mut Rng) -> Shared {
    let site = |i: u64| Arc::new(Site { module: format!("/opt/ä/app{i}"), offset: 1 << (5 * i) });
    let communicator = |number: u64, rng: &mut Rng| {
        let members = (0..rng.u32(1..40)).map(|_| rng.u32(..)).collect();
        let remote = (0..rng.u32(0..3)).map(|_| rng.u32(..)).collect();
        Arc::new(Communicator { number, members, remote })
    };
    Shared {
        sites: (0..8).map(site).collect(),
        names: ["", "MPI_INT", "vec(4, 16, MPI_DOUBLE)", "MPI_Bcast"].map(Into::into).to_vec(),
        communicators: (0..4).map(|number| communicator(number, rng)).collect(),
    }
}

fn any_number(rng: &mut Rng) -> u64 {
    rng.u64(..) >> rng.u32(0..64)
}

fn buffer(rng: &mut Rng, shared: &Shared) -> Buffer {
    let layout = rng.choice(&shared.names).expect("some").clone();
    let [address, count, bytes] = [(); 3].map(|()| any_number(rng));
    Buffer { address, count, layout, bytes }
}

fn origins(rng: &mut Rng) -> Vec<Origin> {
    let origin = |rng: &mut Rng| {
        let [at, length, receive, from] = [(); 4].map(|()| any_number(rng));
        Origin { at, length, receive, from }
    };
    (0..rng.usize(0..3)).map(|_| origin(rng)).collect()
}

fn action(rng: &mut Rng, shared: &Shared) -> Action {
    let communicator = rng.choice(&shared.communicators).expect("some").clone();
    let name = rng.choice(&shared.names).expect("some").clone();
    match rng.u32(0..14) {
        0 => Action::Send {
            mode: *rng
                .choice(&[Mode::Standard, Mode::Buffered, Mode::Synchronous, Mode::Ready])
                .expect("some"),
            to: rng.u32(..),
            tag: rng.i32(..),
            communicator,
            buffer: buffer(rng, shared),
            hash: rng.u64(..),
            origins: origins(rng),
            sum: rng.bool().then(|| Sum {
                element: name,
                receive: any_number(rng),
                before: any_number(rng),
            }),
        },
        1 => Action::Receive {
            from: rng.bool().then(|| rng.u32(..)),
            tag: rng.bool().then(|| rng.i32(..)),
            communicator,
            buffer: buffer(rng, shared),
        },
        2 => Action::Sent { send: any_number(rng) },
        3 => Action::Received {
            receive: any_number(rng),
            what: Received {
                from: rng.u32(..),
                tag: rng.i32(..),
                bytes: any_number(rng),
                hash: rng.u64(..),
            },
        },
        4 => Action::Dropped { receive: any_number(rng) },
        5 => Action::Collective(Collective {
            name,
            communicator,
            root: rng.bool().then(|| rng.u32(..)),
            gives: any_number(rng),
            gets: any_number(rng),
        }),
        6 => Action::Communicator(communicator),
        7 => Action::Mark(rng.i32(..)),
        8 => Action::Summed(Summed {
            operator: *rng.choice(&Operator::ALL).expect("some"),
            element: name,
            receive: any_number(rng),
            other: rng.bool().then(|| any_number(rng) >> 1),
            buffer: buffer(rng, shared),
            before: rng.u64(..),
            origins: origins(rng),
            hash: rng.u64(..),
        }),
        9 => Action::Probed {
            from: rng.bool().then(|| rng.u32(..)),
            tag: rng.bool().then(|| rng.i32(..)),
            communicator,
            waits: rng.bool(),
            takes: rng.bool(),
            found: (rng.u32(..), rng.i32(..), any_number(rng)),
        },
        10 => Action::Counted { source: rng.u32(..), tag: rng.i32(..), bytes: any_number(rng) },
        11 => Action::Held(Stay {
            send: any_number(rng),
            since: any_number(rng),
            before: rng.bool().then(|| any_number(rng) >> 1),
            until: any_number(rng),
            after: rng.bool().then(|| any_number(rng) >> 1),
        }),
        12 => Action::Threads,
        _ => Action::Limit,
    }
}

fn events(rng: &mut Rng, count: usize) -> Vec<Event> {
    let shared = shared(rng);
    let mut time = 0;
    (0..count)
        .map(|_| {
            time += any_number(rng) >> 20;
            let site = rng.choice(&shared.sites).cloned().filter(|_| rng.u32(0..4) > 0);
            Event { time, site, action: action(rng, &shared) }
        })
        .collect()
}

fn header() -> Header {
    Header {
        rank: 3,
        ranks: 8,
        program: "/home/me/halo".into(),
        library: "MPICH Version: 4.0.2".into(),
        started: 1_795_300_000_000_000_000,
    }
}

/// A file of several blocks.
fn file(events: &[Event], flush_after: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, &header()).expect("memory takes all");
    for (i, event) in (0u64..).zip(events) {
        assert_eq!(writer.push(event).expect("memory takes all"), i);
        if i % flush_after == flush_after - 1 {
            writer.flush().expect("memory takes all");
        }
    }
    writer.flush().expect("memory takes all");
    bytes
}

/// Every event that was read is the one that was written under its number, however it is asked
/// for.
#[track_caller]
fn assert_true(trace: &Trace, events: &[Event], what: &str) {
    let mut next = 0;
    for (number, event) in &trace.events {
        let what = format!("{what}, event {number}");
        assert_eq!(event, events[usize::try_from(number).expect("few")], "{what}");
        assert_eq!(trace.events.get(number).as_ref(), Some(&event), "{what}");
        assert_eq!(trace.events.action(number).as_ref(), Some(&event.action), "{what}");
        assert_eq!(trace.events.site(number), event.site.as_ref(), "{what}");
        assert!((next..number).all(|lost| trace.events.get(lost).is_none()), "{what}");
        assert_eq!(trace.events.since(next).next(), Some((number, event)), "{what}");
        next = number + 1;
    }
    let is_wanted = |action: &Action| matches!(action, Action::Mark(_) | Action::Summed(_));
    let wanted = trace.events.iter().filter(|(_, event)| is_wanted(&event.action));
    assert!(trace.events.only(&[Kind::MARK, Kind::SUMMED]).eq(wanted), "{what}");
    let sends = trace.events.only(&[Kind::SEND]).map(|(_, event)| event.site);
    assert!(sends.eq(trace.events.sites(Kind::SEND).map(Option::<&Arc<Site>>::cloned)), "{what}");
    assert_eq!(trace.events.get(next), None, "{what}");
    assert_eq!(trace.events.since(next).next(), None, "{what}");
    assert_eq!(trace.events.last().map(|(number, _)| number + 1).unwrap_or(0), next, "{what}");
    let count = trace.events.iter().count();
    assert_eq!((trace.events.len(), trace.events.is_empty()), (count, count == 0), "{what}");
}

#[test]
fn what_is_written_is_read() {
    for seed in 0..50 {
        let mut rng = Rng::with_seed(seed);
        let count = rng.usize(0..400);
        let events = events(&mut rng, count);
        let bytes = file(&events, rng.u64(1..200));
        let trace = read(&bytes).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
        assert_eq!(trace.header, header(), "seed {seed}");
        assert_eq!(trace.problems, [], "seed {seed}");
        assert_eq!(trace.events.len(), events.len(), "seed {seed}");
        assert_true(&trace, &events, &format!("seed {seed}"));
        // The same from memory, some of them lost.
        let kept = (0..).zip(events.clone()).filter(|_| rng.u32(0..10) > 0);
        let kept: Vec<(u64, Event)> = kept.collect();
        let made = Trace { events: kept.iter().cloned().collect(), ..trace };
        assert_true(&made, &events, &format!("seed {seed}, some lost"));
        assert_eq!(made.events.iter().collect::<Vec<_>>(), kept, "seed {seed}");
    }
}

#[test]
fn blocks_end_by_themselves() {
    let events = events(&mut Rng::with_seed(1), 20_000);
    let bytes = file(&events, u64::MAX);
    let trace = read(&bytes).expect("a trace");
    assert_eq!(trace.events.len(), events.len());
    assert_true(&trace, &events, "many blocks");
    let made: Events = (0..).zip(events.clone()).collect();
    assert_eq!(made, trace.events);
    // Two thirds are lost with the last third of the file at most: there are many blocks.
    let half = read(&bytes[..bytes.len() / 2]).expect("a trace");
    assert!(half.events.len() * 2 + 2 * BLOCK / 10 > events.len(), "{}", half.events.len());
}

#[test]
fn a_file_cut_anywhere_is_read_up_to_its_last_whole_block() {
    let events = events(&mut Rng::with_seed(2), 60);
    let bytes = file(&events, 10);
    let mut last = 0;
    for length in 0..bytes.len() {
        match read(&bytes[..length]) {
            Ok(trace) => {
                assert_true(&trace, &events, &format!("cut at {length}"));
                assert!(trace.events.len() >= last, "cut at {length}");
                assert_eq!(trace.events.len() % 10, 0, "cut at {length}");
                last = trace.events.len();
            }
            Err(error) => assert!(
                matches!(error, Unreadable::Cut | Unreadable::NoTrace) && length < 80,
                "cut at {length}: {error}"
            ),
        }
    }
    assert_eq!(last, 50);
    let problems = read(&bytes[..bytes.len() - 1]).expect("a trace").problems;
    assert!(matches!(problems[..], [Problem::Cut { missing: 1, .. }]), "{problems:?}");
}

#[test]
fn a_flipped_bit_costs_at_most_its_block() {
    let events = events(&mut Rng::with_seed(3), 60);
    let bytes = file(&events, 10);
    for place in file(&[], 1).len()..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        let trace = read(&damaged).expect("the header is whole");
        assert_true(&trace, &events, &format!("bit in byte {place}"));
        assert!(trace.events.len() >= 50, "byte {place}: {}", trace.events.len());
        let lost = trace.events.len() < 60;
        assert_eq!(lost, !trace.problems.is_empty(), "byte {place}: {:?}", trace.problems);
    }
}

#[test]
fn random_bytes_are_no_trace_and_no_panic() {
    let events = events(&mut Rng::with_seed(4), 60);
    let whole = file(&events, 10);
    for seed in 0..3000 {
        let mut rng = Rng::with_seed(seed);
        let mut bytes = whole.clone();
        for _ in 0..rng.usize(1..20) {
            let place = rng.usize(0..bytes.len());
            match rng.u32(0..4) {
                0 => bytes[place] = rng.u8(..),
                1 => bytes.truncate(place.max(1)),
                2 => drop(bytes.drain(place..bytes.len().min(place + rng.usize(1..40)))),
                _ => bytes.insert(place, rng.u8(..)),
            }
            if bytes.is_empty() {
                break;
            }
        }
        if let Ok(trace) = read(&bytes) {
            assert_true(&trace, &events, &format!("seed {seed}"));
        }
    }
}

#[test]
fn numbers_of_communicators_in_version_1_mean_nothing_to_others() {
    let numbers = [0, 7].map(|number| {
        let communicator = Communicator { number, members: vec![0], remote: Vec::new() };
        let action = Action::Communicator(Arc::new(communicator));
        let mut bytes = file(&[Event { time: 0, site: None, action }], 1);
        bytes[8] = 1;
        match read(&bytes).expect("a trace").events.first().map(|(_, event)| event.action) {
            Some(Action::Communicator(communicator)) => communicator.number,
            other => panic!("{other:?}"),
        }
    });
    assert_eq!(numbers, [0, 7 | Communicator::PRIVATE]);
}

#[test]
fn later_versions_are_refused_with_the_number() {
    let mut bytes = file(&[], 1);
    bytes[8] = 9;
    assert_eq!(read(&bytes), Err(Unreadable::Version { given: 9, known: VERSION }));
    assert_eq!(read(b"something else"), Err(Unreadable::NoTrace));
    assert_eq!(read(b""), Err(Unreadable::NoTrace));
}

//! Traces of programs, read back. The programs do the same with and without.

mod harness;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use commloom_testkit::ranks::in_front;
use commloom_trace::{
    Action, Collective, Communicator, Event, Kind, Mode, NOT_LOOKED_AT, Origin, Received, Stay,
    Trace, read,
};
use harness::{Library, libraries, lines};

/// An empty folder for the traces of one run.
fn folder(library: &Library, test: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("trace-{test}-{}", library.name));
    // It is not there the first time.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn traces(folder: &Path, ranks: usize) -> Vec<Trace> {
    (0..ranks)
        .map(|rank| {
            let path = folder.join(format!("rank-{rank:06}.trace"));
            let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let trace = read(&bytes).expect("a trace");
            assert_eq!(usize::try_from(trace.header.rank), Ok(rank));
            assert_eq!(usize::try_from(trace.header.ranks), Ok(ranks));
            trace
        })
        .collect()
}

/// Runs a program of four ranks and reads what it left.
fn recorded(
    library: &Library,
    test: &str,
    program: &Path,
    environment: &[(&str, &str)],
) -> (Output, Vec<Trace>, PathBuf) {
    let folder = folder(library, test);
    let place = folder.to_string_lossy().into_owned();
    let mut all = vec![("COMMLOOM_TRACE", place.as_str())];
    all.extend(environment);
    let output = library.run_on(4, program, &all);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let traces = traces(&folder, 4);
    for trace in &traces {
        assert_eq!(trace.problems, []);
    }
    (output, traces, folder)
}

/// The events of a step of `recorded.c`, with their numbers.
fn step(trace: &Trace, step: i32) -> Vec<(u64, Action)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (number, Event { action, .. }) in &trace.events {
        match action {
            Action::Mark(level) if level >= 100 => inside = level == 100 + step,
            action if inside => found.push((number, action)),
            _ => {}
        }
    }
    found
}

/// A message that was sent.
struct Sent<'t> {
    mode: Mode,
    to: u32,
    tag: i32,
    bytes: u64,
    hash: u64,
    origins: &'t [Origin],
}

/// All events of a trace.
fn actions(trace: &Trace) -> Vec<(u64, Action)> {
    trace.events.iter().map(|(number, event)| (number, event.action)).collect()
}

fn sends(events: &[(u64, Action)]) -> Vec<Sent<'_>> {
    let send = |(_, action)| match action {
        &Action::Send { mode, to, tag, ref buffer, hash, ref origins, .. } => {
            Some(Sent { mode, to, tag, bytes: buffer.bytes, hash, origins })
        }
        _ => None,
    };
    events.iter().map(|(number, action)| (number, action)).filter_map(send).collect()
}

fn received(events: &[(u64, Action)]) -> Vec<(u64, Received)> {
    let received = |(number, action): &(u64, Action)| match action {
        Action::Received { what, .. } => Some((*number, *what)),
        _ => None,
    };
    events.iter().filter_map(received).collect()
}

/// Everything that was sent has come, as it was sent, and all operations are complete.
fn check_messages(traces: &[Trace], what: &str) {
    let mut balance: BTreeMap<(u32, u32, i32, u64, u64), i64> = BTreeMap::new();
    for trace in traces {
        let me = trace.header.rank;
        let mut open: BTreeMap<u64, &str> = BTreeMap::new();
        let mut last = 0;
        for (number, event) in &trace.events {
            assert!(event.time >= last, "{what}: event {number}");
            last = event.time;
            match &event.action {
                Action::Send { to, tag, buffer, hash, .. } => {
                    *balance.entry((me, *to, *tag, buffer.bytes, *hash)).or_default() += 1;
                    open.insert(number, "send");
                }
                Action::Receive { .. } => drop(open.insert(number, "receive")),
                Action::Sent { send } => assert_eq!(open.remove(send), Some("send"), "{what}"),
                Action::Received { receive, what: came } => {
                    let Received { from, tag, bytes, hash } = *came;
                    *balance.entry((from, me, tag, bytes, hash)).or_default() -= 1;
                    assert_eq!(open.remove(receive), Some("receive"), "{what}");
                }
                Action::Dropped { receive } => {
                    assert_eq!(open.remove(receive), Some("receive"), "{what}");
                }
                _ => {}
            }
        }
        assert!(open.is_empty(), "{what}, rank {me}: not complete: {open:?}");
    }
    balance.retain(|_, n| *n != 0);
    assert!(balance.is_empty(), "{what}: from, to, tag, bytes, hash: {balance:?}");
}

#[test]
fn every_kind_of_call_is_recorded_and_the_program_does_the_same() {
    for library in libraries() {
        let program = library.compile("recorded");
        let native = lines_of_all(&library.run_on(4, &program, &[("COMMLOOM", "off")]));
        let (output, traces, _) = recorded(&library, "every", &program, &[]);
        assert_eq!(native, lines_of_all(&output), "{}", library.name);
        check_messages(&traces, &library.name);
        check_blocking(&traces);
        check_non_blocking(&traces);
        check_persistent(&traces);
        check_others(&traces);
        check_collectives(&traces);
        check_forwarding(&traces);
        check_sums(&traces);
        check_sites(&traces, &program);
    }
}

fn lines_of_all(output: &Output) -> Vec<String> {
    let mut lines = lines(output);
    lines.sort();
    lines
}

fn check_blocking(traces: &[Trace]) {
    let (sender, receiver) = (step(&traces[0], 0), step(&traces[1], 0));
    let sent = sends(&sender);
    let said: Vec<_> = sent.iter().map(|s| (s.mode, s.to, s.tag, s.bytes)).collect();
    let expected =
        [(Mode::Standard, 1, 10, 512), (Mode::Synchronous, 1, 11, 64), (Mode::Buffered, 1, 12, 64)];
    assert_eq!(said, expected, "what goes to MPI_PROC_NULL is left out");
    assert_eq!(sent[1].hash, sent[2].hash, "the same bytes");
    assert_ne!(sent[0].hash, sent[1].hash);
    let asked: Vec<_> = receiver
        .iter()
        .filter_map(|(_, action)| match action {
            Action::Receive { from, tag, buffer, .. } => Some((*from, *tag, &*buffer.layout)),
            _ => None,
        })
        .collect();
    let layout = asked[0].2;
    assert!(layout.contains("MPI_DOUBLE"), "{layout}");
    let known = |tag| (Some(0), Some(tag), layout);
    assert_eq!(asked, [known(10), (None, None, layout), known(12)]);
    let came: Vec<_> = received(&receiver).iter().map(|(_, w)| (w.from, w.tag, w.bytes)).collect();
    assert_eq!(came, [(0, 10, 512), (0, 11, 64), (0, 12, 64)]);
    assert!(step(&traces[2], 0).is_empty() && step(&traces[3], 0).is_empty());
}

fn check_non_blocking(traces: &[Trace]) {
    for (rank, trace) in (0u32..).zip(traces) {
        let events = step(trace, 1);
        let tags: Vec<i32> = sends(&events).iter().map(|s| s.tag).collect();
        assert_eq!(tags, (20..28).collect::<Vec<i32>>());
        let came: Vec<_> =
            received(&events).iter().map(|(_, w)| (w.from, w.tag, w.bytes)).collect();
        let expected: Vec<_> = (20..28).map(|tag| ((rank + 3) % 4, tag, 512)).collect();
        assert_eq!(came, expected);
    }
}

fn check_persistent(traces: &[Trace]) {
    for (rank, trace) in (0u32..).zip(traces) {
        let events = step(trace, 2);
        let sent = sends(&events);
        let said: Vec<_> = sent.iter().map(|s| (s.to, s.tag, s.bytes)).collect();
        assert_eq!(said, [((rank + 1) % 4, 30, 32); 2], "each start is an operation");
        assert_ne!(sent[0].hash, sent[1].hash);
        let is_column = |action: &Action| match action {
            Action::Send { buffer, .. } | Action::Receive { buffer, .. } => {
                buffer.layout.contains("32") && buffer.layout.contains("4") && buffer.count == 1
            }
            _ => true,
        };
        assert!(events.iter().all(|(_, action)| is_column(action)), "{events:?}");
        assert_eq!(received(&events).len(), 2);
    }
}

fn check_others(traces: &[Trace]) {
    for (rank, trace) in (0u32..).zip(traces) {
        let events = step(trace, 3);
        let left = (rank + 3) % 4;
        let said: Vec<_> = sends(&events).iter().map(|s| (s.mode, s.tag, s.bytes)).collect();
        let standard = |tag, bytes| (Mode::Standard, tag, bytes);
        let expected = [standard(40, 256), standard(41, 512), standard(42, 40), standard(43, 48)];
        assert_eq!(said, expected);
        let came: Vec<_> =
            received(&events).iter().map(|(_, w)| (w.from, w.tag, w.bytes)).collect();
        assert_eq!(came, [(left, 40, 256), (left, 41, 512), (left, 42, 40), (left, 43, 48)]);
        let asked: Vec<_> = events
            .iter()
            .filter_map(|(_, action)| match action {
                Action::Receive { from, tag, .. } => Some((*from, *tag)),
                _ => None,
            })
            .collect();
        let left = Some(left);
        assert_eq!(
            asked,
            [(left, Some(40)), (left, Some(41)), (None, Some(42)), (left, None), (left, Some(44))]
        );
        let dropped = events.iter().filter(|(_, a)| matches!(a, Action::Dropped { .. })).count();
        assert_eq!(dropped, 1, "the cancelled one");
    }
}

fn check_collectives(traces: &[Trace]) {
    let events = step(&traces[1], 4);
    let said: Vec<_> = events
        .iter()
        .filter_map(|(_, action)| match action {
            Action::Collective(Collective { name, communicator, root, gives, gets }) => {
                Some((&**name, communicator.members.as_slice(), *root, *gives, *gets))
            }
            _ => None,
        })
        .collect();
    let world = [0, 1, 2, 3].as_slice();
    let expected = [
        ("MPI_Barrier", world, None, 0, 0),
        ("MPI_Bcast", world, Some(2), 0, 512),
        ("MPI_Gather", world, Some(1), 32, 128),
        ("MPI_Allreduce", world, None, 512, 512),
        ("MPI_Ireduce", world, Some(3), 512, 0),
        ("MPI_Alltoall", world, None, 512, 512),
        ("MPI_Bcast", &[3, 1], Some(3), 0, 16),
        ("MPI_Allgather", world, None, 8, 32),
    ];
    assert_eq!(said, expected);
    let made: Vec<&Communicator> = events
        .iter()
        .filter_map(|(_, action)| match action {
            Action::Communicator(communicator) => Some(&**communicator),
            _ => None,
        })
        .collect();
    assert_eq!(made.len(), 2);
    assert_eq!((made[0].members.as_slice(), made[1].members.as_slice()), (&[3, 1][..], world));
    assert!(made[0].number != made[1].number && made.iter().all(|c| c.number != 0));
    let came = received(&events);
    assert_eq!(came.iter().map(|(_, w)| (w.from, w.tag)).collect::<Vec<_>>(), [(3, 51)]);
    let sent = step(&traces[3], 4);
    assert_eq!(sends(&sent).iter().map(|s| (s.to, s.tag)).collect::<Vec<_>>(), [(1, 51)]);
}

fn check_forwarding(traces: &[Trace]) {
    let events = step(&traces[1], 5);
    let (sent, came) = (sends(&events), received(&events));
    let origin = Origin { at: 0, length: 512, receive: came[0].0, from: 256 };
    assert_eq!(sent[0].origins, [origin]);
    assert_eq!(sent[1].origins, [], "the bytes were changed");
}

fn check_sums(traces: &[Trace]) {
    for trace in traces {
        let events = step(trace, 6);
        let came = received(&events);
        let sums: Vec<_> = events
            .iter()
            .filter_map(|(number, action)| match action {
                Action::Summed(s) => Some((*number, &*s.element, s.receive, s.other)),
                _ => None,
            })
            .collect();
        // Those of the last round are not looked for any more: the function has returned.
        let [(x, "MPI_DOUBLE", of_x, None), (n, "MPI_INT", of_n, None), ..] = sums[..] else {
            panic!("{sums:?}");
        };
        assert_eq!((of_x, of_n), (came[0].0, came[1].0));
        let sent = sends(&events);
        let origins: Vec<(i32, &[Origin])> = sent.iter().map(|s| (s.tag, s.origins)).collect();
        let of_x = [Origin { at: 0, length: 128, receive: x, from: 0 }];
        let of_n = [Origin { at: 0, length: 64, receive: n, from: 0 }];
        let expected: [(i32, &[Origin]); 4] = [(70, &[]), (71, &[]), (70, &of_x), (71, &of_n)];
        assert_eq!(origins, expected);
        let later = step(trace, 7);
        assert!(later.iter().all(|(_, action)| !matches!(action, Action::Summed(_))), "{later:?}");
    }
}

/// All calls are made in the program, and different ones at different places.
fn check_sites(traces: &[Trace], program: &Path) {
    for trace in traces {
        let sites: Vec<_> = trace.events.iter().filter_map(|(_, e)| e.site).collect();
        assert_eq!(sites.len(), trace.events.len());
        for site in &sites {
            assert_eq!(Path::new(&site.module), program);
        }
        let different: std::collections::BTreeSet<_> = sites.iter().map(|s| s.offset).collect();
        assert!(different.len() > 30, "{different:?}");
    }
}

#[test]
fn only_regions_are_recorded_where_that_is_wanted() {
    for library in libraries() {
        let program = library.compile("recorded");
        let (_, traces, _) =
            recorded(&library, "regions", &program, &[("COMMLOOM_TRACE_REGIONS", "1")]);
        for trace in &traces {
            let ends = [trace.events.first(), trace.events.last()];
            let actions = ends.map(|end| end.map(|(_, event)| event.action));
            assert_eq!(actions, [Some(Action::Mark(1)), Some(Action::Mark(0))]);
        }
        let sent = |rank: usize| {
            sends(&actions(&traces[rank])).iter().map(|s| s.tag).collect::<Vec<i32>>()
        };
        assert_eq!((sent(0), sent(1), sent(3)), (vec![60, 61], vec![60, 61], vec![]));
    }
}

#[test]
fn a_limit_ends_the_trace_and_not_the_program() {
    for library in libraries() {
        let program = library.compile("recorded");
        let (_, traces, folder) =
            recorded(&library, "limit", &program, &[("COMMLOOM_TRACE_LIMIT", "3000")]);
        for (rank, trace) in traces.iter().enumerate() {
            assert_eq!(trace.events.last().map(|(_, e)| e.action), Some(Action::Limit));
            assert!(trace.events.len() > 20, "{}", trace.events.len());
            let file = folder.join(format!("rank-{rank:06}.trace"));
            assert!(file.metadata().expect("it is there").len() <= 3000);
        }
    }
}

/// Hashes of what is sent, whether all of it is from earlier events, and whether it is a sum, by
/// step of `attention.c`.
fn attended(trace: &Trace, number: i32) -> Vec<(u64, bool, bool)> {
    let send = |(_, action): (u64, Action)| match action {
        Action::Send { hash, origins, sum, buffer, .. } => {
            let known: u64 = origins.iter().map(|origin| origin.length).sum();
            Some((hash, known == buffer.bytes, sum.is_some()))
        }
        _ => None,
    };
    step(trace, number).into_iter().filter_map(send).collect()
}

#[test]
fn messages_that_are_all_new_are_not_looked_at_until_they_are_something_known() {
    for library in libraries() {
        let program = library.compile("attention");
        let native = lines_of_all(&library.run_on(4, &program, &[("COMMLOOM", "off")]));
        let (output, traces, _) = recorded(&library, "attention", &program, &[]);
        assert_eq!(native, lines_of_all(&output), "{}", library.name);
        for trace in &traces {
            let looked_at =
                |sent: &[(u64, bool, bool)]| sent.iter().filter(|s| s.0 != NOT_LOOKED_AT).count();
            let new = attended(trace, 0);
            assert_eq!((new.len(), looked_at(&new)), (80, 48), "{}", library.name);
            // The first one is found to be what has come, and was not looked at then.
            let passed = attended(trace, 1);
            assert_eq!((passed.len(), looked_at(&passed)), (10, 10), "{}", library.name);
            assert!(passed[2..].iter().all(|sent| sent.1), "{}: {passed:?}", library.name);
            let new = attended(trace, 2);
            assert!(looked_at(&new) < 60 && new[79].0 == NOT_LOOKED_AT, "{}", library.name);
            let sums = attended(trace, 3);
            assert_eq!((sums.len(), sums[0].0), (10, NOT_LOOKED_AT), "{}", library.name);
            let known = |sent: &(u64, bool, bool)| sent.1 || sent.2;
            assert!(sums[5..].iter().all(known), "{}: {sums:?}", library.name);
        }
        let all = [("COMMLOOM_TRACE_CONTENT", "all")];
        let (_, traces, _) = recorded(&library, "attention-all", &program, &all);
        check_messages(&traces, &library.name);
        for trace in &traces {
            let all = (0..4).flat_map(|number| attended(trace, number));
            assert!(all.into_iter().all(|(hash, ..)| hash != NOT_LOOKED_AT));
        }
    }
}

/// Of each turn of a step of `held.c`: which of the three blocks were there at the first send, and
/// which at the last one; `None` where nothing is said.
fn stays(trace: &Trace, number: i32) -> Vec<[[Option<bool>; 2]; 3]> {
    let all: Vec<Stay> = step(trace, number)
        .into_iter()
        .filter_map(|(_, action)| match action {
            Action::Held(held) => Some(held),
            _ => None,
        })
        .collect();
    let of_turn = |turn: &[Stay]| {
        let (first, last) = (turn[0].send, turn[2].send);
        [0, 1, 2].map(|block: usize| {
            let Stay { since, before, until, after, .. } = turn[block];
            let is = |yes: bool, no: bool| (yes || no).then_some(yes);
            [
                is(since <= first, before.is_some_and(|before| before >= first)),
                is(until >= last, after.is_some_and(|after| after <= last)),
            ]
        })
    };
    all.chunks_exact(3).map(of_turn).collect()
}

#[test]
fn it_is_recorded_how_long_messages_are_in_their_buffers() {
    let (yes, no) = (Some(true), Some(false));
    for library in libraries() {
        let program = library.compile("held");
        let (_, traces, _) = recorded(&library, "held", &program, &[]);
        let there = stays(&traces[0], 1);
        // The first time nobody knows what will be sent.
        assert_eq!(there[0], [[yes, yes], [None, yes], [None, yes]], "{}", library.name);
        assert_eq!(there[1..], [[[yes, yes]; 3]; 3], "{}", library.name);
        let made = stays(&traces[0], 2);
        assert_eq!(made[1..], [[[yes, yes], [no, yes], [no, yes]]; 3], "{}", library.name);
        let cleared = stays(&traces[0], 3);
        assert_eq!(cleared[1..], [[[yes, no], [yes, no], [yes, yes]]; 3], "{}", library.name);
        assert!(!stays(&traces[0], 4).is_empty(), "{}", library.name);
        let others = (1..4).flat_map(|rank| traces[rank].events.only(&[Kind::HELD]));
        assert_eq!(others.count(), 0, "{}: a single message stays by itself", library.name);
        let none = [("COMMLOOM_TRACE_MEMORY", "0")];
        let (_, traces, _) = recorded(&library, "held-none", &program, &none);
        assert_eq!(traces[0].events.only(&[Kind::HELD]).count(), 0, "{}", library.name);
    }
}

/// Of 96 MB in messages no more is kept than is asked for.
#[test]
fn what_is_kept_of_messages_is_bounded() {
    for library in libraries() {
        let program = library.compile("memory");
        let kilobytes = |memory: &str| -> u64 {
            let folder = folder(&library, &format!("memory-{memory}"));
            let place = folder.to_string_lossy().into_owned();
            let environment = [
                ("COMMLOOM_TRACE", &*place),
                ("COMMLOOM_TRACE_MEMORY", memory),
                ("COMMLOOM_TRACE_CONTENT", "all"),
            ];
            let output = library.run_on(2, &program, &environment);
            check_messages(&traces(&folder, 2), &library.name);
            let number = |line: &String| line.rsplit(' ').next().and_then(|n| n.parse().ok());
            lines(&output).iter().filter_map(number).max().expect("it was printed")
        };
        let [little, much] = ["4000000", "128000000"].map(kilobytes);
        assert!(little + 64_000 < much, "{}: {little} kB, {much} kB", library.name);
    }
}

#[test]
fn a_killed_program_leaves_what_it_did() {
    for library in libraries() {
        let program = library.compile("killed");
        let folder = folder(&library, "killed");
        let place = folder.to_string_lossy().into_owned();
        let output = library.run_on(2, &program, &[("COMMLOOM_TRACE", &place)]);
        assert!(!output.status.success());
        for trace in traces(&folder, 2) {
            // 80,000 events; at most one block is lost.
            assert!(trace.events.len() > 70_000, "{}: {}", library.name, trace.events.len());
            assert!(trace.problems.len() <= 1, "{:?}", trace.problems);
        }
    }
}

#[test]
fn a_folder_that_is_not_there_is_said_once_and_the_program_goes_on() {
    for library in libraries() {
        let program = library.compile("recorded");
        let output = library.run_on(4, &program, &[("COMMLOOM_TRACE", "/no/such/folder")]);
        assert_eq!(lines(&output).len(), 4);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            said.matches("cannot make the trace /no/such/folder/rank-").count(),
            1,
            "{said}"
        );
    }
}

#[test]
fn programs_do_the_same_while_they_are_recorded() {
    for library in libraries() {
        for name in ["semantics", "persistent", "threads"] {
            let program = library.compile(name);
            let native = lines(&library.run(&program, [false, false], &[]));
            let folder = folder(&library, name);
            let place = folder.to_string_lossy().into_owned();
            let output = library.run(&program, [true, true], &[("COMMLOOM_TRACE", &place)]);
            assert_eq!(native, lines(&output), "{name}, {}", library.name);
            for trace in traces(&folder, 2) {
                assert_eq!(trace.problems, [], "{name}, {}", library.name);
                assert!(!trace.events.is_empty());
                let mut says = trace.events.only(&[Kind::THREADS]);
                assert_eq!(says.next().is_some(), name == "threads", "{name}, {}", library.name);
            }
        }
    }
}

#[test]
fn a_tool_behind_us_does_not_double_the_messages() {
    for library in libraries() {
        let program = library.compile("recorded");
        let tool = library.compile_shared("count_sends");
        let preloads = format!("{}:{}", library.preload().display(), tool.display());
        let preloads = in_front(preloads).display().to_string();
        let folder = folder(&library, "tool");
        let place = folder.to_string_lossy().into_owned();
        let all = [("LD_PRELOAD", preloads.as_str()), ("COMMLOOM_TRACE", place.as_str())];
        let output = library.run_on(4, &program, &all);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        check_messages(&traces(&folder, 4), &library.name);
    }
}

/// Open MPI's Fortran library calls `PMPI_*`.
#[test]
fn fortran_is_recorded() {
    for library in libraries() {
        if !library.has_fortran() {
            continue;
        }
        for binding in ["MPIF_H", "USE_MPI_F08"] {
            let program = library.compile_fortran("semantics", &[binding]);
            let folder = folder(&library, &format!("fortran-{binding}"));
            let place = folder.to_string_lossy().into_owned();
            let output = library.run(&program, [true, true], &[("COMMLOOM_TRACE", &place)]);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let traces = traces(&folder, 2);
            for trace in &traces {
                let all = actions(trace);
                assert!(!sends(&all).is_empty() && !received(&all).is_empty());
                let sites = trace.events.iter().filter_map(|(_, e)| e.site);
                assert!(sites.clone().count() > 0);
                for site in sites {
                    assert_eq!(Path::new(&site.module), program, "{binding}, {}", library.name);
                }
            }
        }
    }
}

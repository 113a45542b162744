//! The reader of liballprof's traces.

use commloom_commgraph::read::allprof::{Trace, process_of, read};
use commloom_commgraph::{Kind, Options, analyse};
use commloom_testkit::check;

/// Calls with the fields that do not matter filled in: `send 1 100 8` is a send to 1 of 8 bytes at
/// 100.
fn trace(processes: u32, calls: &[&[&str]]) -> Vec<String> {
    let of = |(rank, calls): (usize, &&[&str])| {
        let comm = format!("1140850688,{rank},{processes}");
        let mut text =
            "# htor's PMPI Tracer 1 Output File\n# time: now\n\nMPI_Init:-:1:2:3\n".to_owned();
        for (time, call) in calls.iter().enumerate() {
            let words: Vec<&str> = call.split(' ').collect();
            let line = match words[..] {
                ["send", to, at, n] => {
                    format!("MPI_Send:{time}:{at}:{n}:13,1,1:{to}:0:{comm}:{time}")
                }
                ["recv", from, at, n] => {
                    format!("MPI_Recv:{time}:{at}:{n}:13,1,1:{from}:0:{comm}:9:{time}")
                }
                ["isend", to, at, n, r] => {
                    format!("MPI_Isend:{time}:{at}:{n}:13,1,1:{to}:0:{comm}:{r}:{time}")
                }
                ["irecv", from, at, n, r] => {
                    format!("MPI_Irecv:{time}:{at}:{n}:13,1,1:{from}:0:{comm}:{r}:{time}")
                }
                ["wait", r] => format!("MPI_Wait:{time}:{r}:77:{time}"),
                ["waitall", n, r] => format!("MPI_Waitall:{time}:{n}:{r}:77:{time}"),
                ["barrier"] => format!("MPI_Barrier:{time}:{comm}:{time}"),
                _ => panic!("{call}"),
            };
            text.push_str(&line);
            text.push('\n');
        }
        text.push_str("MPI_Finalize:5:-\n");
        text
    };
    calls.iter().enumerate().map(of).collect()
}

fn parsed(texts: &[String]) -> Trace {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    read(&texts).unwrap_or_else(|(k, e)| panic!("{}", e.render(&format!("trace {k}"))))
}

fn kinds(trace: &Trace) -> Vec<Vec<Kind>> {
    let of = |phase: &commloom_commgraph::read::allprof::Phase| {
        let analysis = analyse(&phase.program.graph, Options::default()).unwrap();
        assert!(analysis.detection.left.is_empty(), "{:?}", analysis.detection.left);
        analysis.detection.collectives.iter().map(|c| c.kind).collect()
    };
    trace.phases.iter().map(of).collect()
}

#[test]
fn a_broadcast_then_an_exchange() {
    let texts = trace(
        3,
        &[
            &[
                "send 1 64 8",
                "send 2 64 8",
                "barrier",
                "isend 1 100 4 1000",
                "isend 2 104 4 1004",
                "irecv 1 204 4 1008",
                "irecv 2 208 4 1012",
                "waitall 4 1000",
            ],
            &[
                "recv 0 64 8",
                "barrier",
                "isend 0 100 4 1000",
                "isend 2 108 4 1008",
                "irecv 0 200 4 1016",
                "irecv 2 208 4 1024",
                "waitall 4 1000",
            ],
            &[
                "recv 0 64 8",
                "barrier",
                "isend 0 100 4 8",
                "isend 1 104 4 16",
                "irecv 0 200 4 24",
                "irecv 1 204 4 32",
                "wait 8",
                "wait 16",
                "wait 24",
                "wait 32",
            ],
        ],
    );
    let trace = parsed(&texts);
    assert_eq!(kinds(&trace), [[Kind::Bcast], [Kind::Alltoall]]);
    assert_eq!((trace.phases[1].after.as_deref(), trace.phases[1].line), (Some("MPI_Barrier"), 7));
    let place = trace.phases[1].program.places.get(commloom_commgraph::Process(1), 0).unwrap();
    assert_eq!((place.text, &texts[1][place.span]), (1, "MPI_Isend"));
}

#[test]
fn a_message_under_way_keeps_phases_together() {
    let texts = trace(2, &[&["isend 1 0 8 50", "barrier", "wait 50"], &["barrier", "recv 0 0 8"]]);
    assert_eq!(parsed(&texts).phases.len(), 1);
}

#[test]
fn a_receive_from_anybody_is_clear_where_only_one_sends() {
    let mut texts = trace(3, &[&["recv -2 0 8", "recv 2 8 8"], &["send 0 0 8"], &["send 0 0 8"]]);
    assert_eq!(parsed(&texts).wildcards, 1);
    texts[0] = texts[0].replace(":2:0:114", ":-2:0:114");
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (process, error) = read(&texts).unwrap_err();
    assert_eq!(process, 0);
    assert!(error.to_string().contains("process 1 with tag 0, or one of process 2"), "{error}");
}

#[test]
fn names_of_files_tell_the_process() {
    for (name, process) in [
        ("pmpi-trace-rank-0007.txt", Some(7)),
        ("/tmp/16/rank.3", Some(3)),
        ("trace", None),
        ("99999999999", None),
    ] {
        assert_eq!(process_of(name), process, "{name}");
    }
}

#[test]
fn messages_point_at_the_place() {
    let good = trace(2, &[&["send 1 0 8", "waitall 3 1000"], &["recv 0 0 8"]]);
    let mut shown = String::new();
    for (old, new) in [
        ("MPI_Send:", "what is this:"),
        (":13,1,1:1:", ":13,1:1:"),
        (":13,1,1:1:", ":13,1,1:2:"),
        (":13,1,1:1:", ":13,1,1:x:"),
        (",0,2:0\nMPI_Waitall", ",1,2:0\nMPI_Waitall"),
        (",0,2:0\nMPI_Waitall", ",0,4:0\nMPI_Waitall"),
        (":0:8:13,1,1:", ":18446744073709551616:8:13,1,1:"),
        (":0:8:13,1,1:", ":0:9223372036854775808:13,8,8:"),
        (":0:8:13,1,1:", ":18446744073709551615:8:13,1,1:"),
        (":3:1000:77:1", ":3:10"),
        (":3:1000:77:1", ":-3:1000:77:1"),
    ] {
        let first = good[0].replacen(old, new, 1);
        assert_ne!(first, good[0], "{old}");
        let (process, error) = read(&[&first, &good[1]]).unwrap_err();
        assert_eq!(process, 0);
        shown.push_str(&format!(
            "# {} -> {}\n{}\n\n",
            old.escape_debug(),
            new.escape_debug(),
            error.render("rank-0.txt")
        ));
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn spoiled_traces_do_not_panic() {
    let good = trace(
        2,
        &[
            &["isend 1 0 8 8", "irecv 1 8 8 16", "waitall 2 8", "barrier"],
            &["recv 0 0 8", "send 0 0 8", "barrier"],
        ],
    );
    for end in (0..good[0].len()).filter(|end| good[0].is_char_boundary(*end)) {
        let _ = read(&[&good[0][..end], &good[1]]);
    }
    check(3000, |rng| {
        let mut texts = good.clone();
        for text in &mut texts {
            let mut bytes = std::mem::take(text).into_bytes();
            for _ in 0..rng.usize(0..3) {
                let at = rng.usize(0..bytes.len());
                match rng.u8(0..3) {
                    0 => bytes[at] = *rng.choice(b":,-#M019\n \xc3").unwrap(),
                    1 => drop(bytes.drain(at..(at + rng.usize(0..40)).min(bytes.len()))),
                    _ => drop(
                        bytes.splice(at..at, vec![*rng.choice(b"9:,-").unwrap(); rng.usize(0..30)]),
                    ),
                }
            }
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
        match read(&[&texts[0], &texts[1]]) {
            Err((process, error)) => assert!(process < 2 && !error.render("f").is_empty()),
            Ok(trace) => {
                for phase in &trace.phases {
                    drop(analyse(&phase.program.graph, Options::default()));
                }
            }
        }
    });
}

/// Of `traces/program.c`, on four processes, by liballprof under MPICH 4.0.2 and Open MPI 4.1.4:
/// requests of 4 and of 8 bytes, communicators as numbers and as addresses.
#[test]
fn traces_of_a_program_that_ran() {
    for library in ["mpich", "openmpi"] {
        let file =
            |rank| format!("{}/tests/traces/{library}/rank-{rank}.txt", env!("CARGO_MANIFEST_DIR"));
        let texts: Vec<String> =
            (0..4).map(|rank| std::fs::read_to_string(file(rank)).unwrap()).collect();
        let trace = parsed(&texts);
        let bcast = vec![Kind::Bcast];
        let expected =
            [bcast.clone(), bcast.clone(), bcast, vec![Kind::Alltoall], vec![Kind::Allgather]];
        assert_eq!(kinds(&trace), expected, "{library}");
        assert_eq!((trace.gaps, trace.wildcards, trace.unclear), (0, 0, 0), "{library}");
    }
}

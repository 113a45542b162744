//! Folders of traces that are not what they should be: an error that names the file, and status 2;
//! or what is there is read, and the rest is a note.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use commloom_trace::{Action, Buffer, Communicator, Event, Header, Mode, Received, Writer};
use common::{Done, run};

/// The trace of a process that sends a message to the next one, and receives one, so often.
fn trace(rank: u32, ranks: u32, started: u64, edit: impl Fn(&mut Buffer)) -> Vec<u8> {
    trace_up_to(rank, ranks, started, edit, None)
}

/// The same with an event at its end.
fn trace_up_to(
    rank: u32,
    ranks: u32,
    started: u64,
    edit: impl Fn(&mut Buffer),
    end: Option<Action>,
) -> Vec<u8> {
    let header = Header { rank, ranks, program: "ring".into(), library: "none".into(), started };
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &header).expect("memory takes all");
    let communicator =
        Arc::new(Communicator { number: 0, members: (0..ranks).collect(), remote: vec![] });
    let (next, last) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
    for time in 0..3 {
        let buffer = |address| {
            let mut buffer = Buffer { address, count: 8, layout: "MPI_BYTE".into(), bytes: 8 };
            edit(&mut buffer);
            buffer
        };
        let send = Action::Send {
            mode: Mode::Standard,
            to: next,
            tag: 0,
            communicator: communicator.clone(),
            buffer: buffer(0x1000),
            hash: u64::from(rank) + 1,
            origins: vec![],
            sum: None,
        };
        let receive = Action::Receive {
            from: Some(last),
            tag: Some(0),
            communicator: communicator.clone(),
            buffer: buffer(0x2000),
        };
        let mut push = |action| {
            writer.push(&Event { time: 100 * time, site: None, action }).expect("memory takes all")
        };
        push(send);
        let receive = push(receive);
        let what = Received { from: last, tag: 0, bytes: 8, hash: u64::from(last) + 1 };
        push(Action::Received { receive, what });
        writer.flush().expect("memory takes all");
    }
    if let Some(action) = end {
        writer.push(&Event { time: 900, site: None, action }).expect("memory takes all");
        writer.flush().expect("memory takes all");
    }
    file
}

/// A folder with these files.
fn folder(name: &str, files: &[(&str, Vec<u8>)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("folders-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    folder
}

fn whole(rank: u32, ranks: u32) -> Vec<u8> {
    trace(rank, ranks, 0, |_| {})
}

fn detect(name: &str, files: &[(&str, Vec<u8>)]) -> Done {
    let folder = folder(name, files);
    run(&["detect", folder.to_str().expect("UTF-8")], "")
}

#[track_caller]
fn assert_refused(done: &Done, words: &[&str]) {
    assert_eq!(done.status, Some(2), "{done:?}");
    assert_eq!(done.out, "", "{done:?}");
    for word in words {
        assert!(done.err.contains(word), "{word} is missing in {done:?}");
    }
}

#[test]
fn files_of_two_runs_are_named() {
    let mixed = [("a.trace", whole(0, 2)), ("b.trace", whole(1, 3))];
    assert_refused(
        &detect("mixed", &mixed),
        &["a.trace is of a run with 2 processes", "b.trace of one with 3"],
    );
    let twice = [("a.trace", whole(0, 2)), ("b.trace", whole(1, 2)), ("c.trace", whole(1, 2))];
    assert_refused(&detect("twice", &twice), &["b.trace and", "c.trace are both of process 1"]);
    let outside = [("a.trace", whole(0, 2)), ("b.trace", whole(1, 2))];
    let late = trace(1, 2, 3_600_000_000_000, |_| {});
    let done = detect("late", &[outside[0].clone(), ("b.trace", late)]);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(done.out.contains("processes began up to 3600 s apart"), "{done:?}");
    assert_eq!(detect("one", &outside).status, Some(0));
}

#[test]
fn files_that_are_no_traces_are_named() {
    let with = |bytes: &[u8]| [("a.trace", whole(0, 2)), ("b.trace", bytes.to_vec())];
    assert_refused(&detect("empty", &with(b"")), &["b.trace is empty"]);
    assert_refused(&detect("text", &with(b"rank 1 {")), &["b.trace: this is no trace"]);
    let mut later = whole(1, 2);
    later[8] = 99;
    assert_refused(&detect("later", &with(&later)), &["b.trace", "version 99"]);
    assert_refused(&detect("header", &with(&whole(1, 2)[..12])), &["b.trace", "ends before"]);
    let folder = folder("none", &[("notes.txt", b"nothing".to_vec())]);
    assert_refused(
        &run(&["detect", folder.to_str().expect("UTF-8")], ""),
        &["there is no trace in this folder"],
    );
}

#[test]
fn a_process_that_is_missing_or_was_cut_is_said() {
    assert_refused(&detect("missing", &[("b.trace", whole(1, 2))]), &["no trace of process 0"]);
    let mut cut = whole(1, 2);
    cut.truncate(cut.len() - 20);
    let done = detect("cut", &[("a.trace", whole(0, 2)), ("b.trace", cut)]);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(done.out.contains("the file ends within a block"), "{done:?}");
    assert!(done.out.contains("have no receive in the traces"), "{done:?}");
}

#[test]
fn a_trace_that_ends_at_its_limit_is_said() {
    let full = trace_up_to(1, 2, 0, |_| {}, Some(Action::Limit));
    let done = detect("limit", &[("a.trace", whole(0, 2)), ("b.trace", full)]);
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(done.out.contains("b.trace ends at the limit that was set (`--limit`)"), "{done:?}");
    assert!(!done.out.contains("a.trace ends"), "{done:?}");
}

#[test]
fn numbers_beyond_all_memory_are_an_error_or_counted() {
    let with = |edit: fn(&mut Buffer)| {
        [("a.trace", trace(0, 2, 0, edit)), ("b.trace", trace(1, 2, 0, edit))]
    };
    let far = detect("far", &with(|buffer| buffer.address = u64::MAX - 4));
    assert_refused(&far, &["only those below 2^48"]);
    let many = detect("many", &with(|buffer| buffer.count = u64::MAX));
    assert!(matches!(many.status, Some(0 | 2)), "{many:?}");
    let long = detect("long", &with(|buffer| buffer.bytes = u64::MAX));
    assert!(long.out.contains("their bytes differ") || long.status == Some(2), "{long:?}");
}

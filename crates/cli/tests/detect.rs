//! `commloom detect`.

mod common;

use std::fmt::Write as _;
use std::path::PathBuf;

use common::{Done, run};

/// A file with this text, in a folder that the build cleans.
fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn found(name: &str, text: &str, options: &[&str]) -> Done {
    let file = file(name, text);
    run(&[&["detect"], options, &[file.as_str()]].concat(), "")
}

/// T1 of ALGORITHMS.md: allgather by recursive doubling in place.
fn t1(addresses: bool) -> String {
    let mut text = "num_ranks 4\n".to_owned();
    for i in 0..4_u32 {
        let (a, b) = (i ^ 1, i ^ 2);
        let _ = write!(
            text,
            "rank {i} {{\n  s1: send 1b to {a} tag 0\n  r1: recv 1b from {a} tag 0 cpu 0\n  \
             s2: send 2b to {b} tag 0; s2 requires r1\n  r2: recv 2b from {b} tag 0 // the rest\n",
        );
        if addresses {
            let (own, theirs) = (i & !1, b & !1);
            let _ = write!(
                text,
                "  //@ s1 addr={i}\n  //@ r1 addr={a:#x}\n  //@ s2 addr={own}\n  //@ r2 addr={theirs}\n"
            );
        }
        text.push_str("}\n");
    }
    text
}

#[test]
fn an_allgather_by_recursive_doubling() {
    let done = found("t1.goal", &t1(true), &[]);
    assert_eq!(
        done.out,
        "4 processes, 16 operations, 8 messages, 12 transfers; every process waits for every other\n\
         MPI_Allgather, 1 bytes, in place\nleft: nothing\n"
    );
    let done = found("t1j.goal", &t1(true), &["--json"]);
    assert_eq!(
        done.out,
        "{\"processes\": 4, \"operations\": 16, \"matches\": 8, \"transfers\": 12, \"wait_sets_complete\": true, \
         \"collectives\": [{\"kind\": \"allgather\", \"root\": null, \"processes\": 4, \"count\": 1, \
         \"bytes_each\": 1, \"in_place\": true}], \"left\": 0}\n"
    );
}

#[test]
fn without_addresses_only_waiting_is_known() {
    let done = found("t1n.goal", &t1(false), &["--json"]);
    assert_eq!(
        done.out,
        "{\"processes\": 4, \"operations\": 16, \"matches\": 8, \"transfers\": null, \"wait_sets_complete\": true, \
         \"collectives\": [], \"left\": null}\n"
    );
}

#[test]
fn a_dead_lock_is_bad_input_that_names_its_operations() {
    let text = "num_ranks 2\nrank 0 { a: recv 4b from 1 b: send 4b to 1 b requires a }\n\
                rank 1 { a: recv 4b from 0 b: send 4b to 0 b requires a }";
    let done = found("deadlock.goal", text, &[]);
    assert_eq!(done.status, Some(2));
    assert!(
        done.err.contains("deadlock: operation 0 of process 0 (receive 4 bytes"),
        "{}",
        done.err
    );
}

#[test]
fn wrong_files_are_refused_with_the_place() {
    for (number, (text, message, place)) in [
        ("", "expected `num_ranks`, found the end of the file", ":1:1"),
        ("num_ranks 99999999999", "a number of ranks: at most 16777216", ":1:11"),
        ("num_ranks 2\nrank 2 {}", "expected a rank: at most 1, found `2`", ":2:6"),
        ("num_ranks 0\nrank 0 {}", "there are 0 ranks", ":2:6"),
        ("num_ranks 1\nrank 0 {}\nrank 0 {}", "rank 0 has a block already", ":3:6"),
        ("num_ranks 1\nrank 0 { a: send 8 to 0 }", "expected a size such as `8b`", ":2:18"),
        ("num_ranks 1\nrank 0 { a: send 8b to 7 }", "process 7 does not exist", ":2:13"),
        ("num_ranks 1\nrank 0 { a requires b }", "there is no operation `a`", ":2:10"),
        ("num_ranks 1\nrank 0 { a: calc 1", "found the end of the file", ":2:19"),
        ("num_ranks 1 /* rank", "this comment has no end", ":1:13"),
        ("num_ranks 1\nrank 0 { //@ a addr=0x1ffffffffffffffff }", "a number of 64 bits", ":2:21"),
    ]
    .into_iter()
    .enumerate()
    {
        let done = found(&format!("wrong{number}.goal"), text, &[]);
        assert_eq!(done.status, Some(2), "{text}");
        assert!(done.err.contains(message) && done.err.contains(place), "{text}: {}", done.err);
    }
}

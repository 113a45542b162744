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

/// T1 of book/src/explanation/detection.md: allgather by recursive doubling in place.
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
                "  //@ s1 addr={i}\n  //@ r1 addr={a:#x}\n  //@ s2 addr={own}\n  \
                 //@ r2 addr={theirs}\n"
            );
        }
        text.push_str("}\n");
    }
    text
}

#[test]
fn an_allgather_by_recursive_doubling() {
    let done = found("t1.goal", &t1(true), &[]);
    let start = "4 processes, 16 operations, 8 messages, 12 transfers; every process waits for \
                 every other\n\
                 MPI_Allgather(sendbuf=MPI_IN_PLACE, recvbuf=0x0, count=1, datatype=MPI_BYTE)\n\
                 left: nothing\npredicted: ";
    assert!(done.out.starts_with(start), "{}", done.out);
    let done = found("t1j.goal", &t1(true), &["--json"]);
    let mut json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    let predicted = json.as_object_mut().unwrap().remove("predicted").unwrap();
    assert!(
        predicted["messages"].as_f64().unwrap() > 0.0
            && predicted["replaced"].as_f64().unwrap() > 0.0
    );
    assert_eq!(
        json,
        serde_json::json!({
            "processes": 4, "operations": 16, "matches": 8, "transfers": 12,
            "wait_sets_complete": true,
            "collectives": [{
                "kind": "allgather", "root": null, "processes": 4, "count": 1, "bytes_each": 1,
                "in_place": true,
                "call": "MPI_Allgather(sendbuf=MPI_IN_PLACE, recvbuf=0x0, count=1, \
                         datatype=MPI_BYTE)"
            }],
            "left": 0
        })
    );
}

#[test]
fn without_addresses_only_waiting_is_known() {
    let done = found("t1n.goal", &t1(false), &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(
        (&json["transfers"], &json["left"]),
        (&serde_json::Value::Null, &serde_json::Value::Null)
    );
    assert_eq!(
        (json["matches"].as_u64(), json["wait_sets_complete"].as_bool()),
        (Some(8), Some(true))
    );
    assert_eq!(json["collectives"], serde_json::json!([]));
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
    // Where they stand.
    assert!(done.err.contains(".goal:2:13\n") && done.err.contains(".goal:3:13\n"), "{}", done.err);
}

#[test]
fn wrong_files_are_refused_with_the_place() {
    for (number, (text, message, place)) in [
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

fn example(name: &str) -> String {
    format!("{}/../../examples/detect/{name}.xml", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn an_algorithm_is_what_its_coll_says() {
    let file = example("allreduce_ring");
    let done = run(&["detect", &file], "");
    assert_eq!(done.status, Some(0), "{}", done.err);
    assert_eq!(
        done.out,
        "4 processes, 60 operations, 24 messages, 0 transfers; every process waits for every \
         other\nMPI_Allreduce(sendbuf=MPI_IN_PLACE, recvbuf=input[0], count=4, datatype=chunk)\n\
         left: nothing\nyes, what it claims to be: coll=\"allreduce\", chunk by chunk\n"
    );
}

#[test]
fn an_algorithm_that_lies_is_answered_no_with_the_place() {
    let xml = std::fs::read_to_string(example("allreduce_tree")).unwrap();
    let broken = xml.replacen("type=\"rrc\"", "type=\"r\"", 1);
    let done = found("broken.xml", &broken, &[]);
    assert_eq!((done.status, done.err.as_str()), (Some(1), ""));
    assert!(
        done.out.contains(
            "no, not what it claims to be: allreduce: output chunk 0 of GPU 0 must be the sum of \
             input chunk 0 of all GPUs, but is "
        ) && done.out.contains("broken.xml:"),
        "{}",
        done.out
    );
    let lie = xml.replace("coll=\"allreduce\"", "coll=\"broadcast\"");
    let done = found("lie.xml", &lie, &["--json"]);
    assert_eq!(done.status, Some(1));
    let json: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(json["claim"]["holds"], false);
    assert_eq!(json["collectives"][0]["kind"], "allreduce");
    let custom = found("custom.xml", &xml.replace("coll=\"allreduce\"", "coll=\"custom\""), &[]);
    assert_eq!(custom.status, Some(0));
}

/// The trace of one process of two; it sends or receives 8 bytes, twice, with a barrier between.
fn trace(rank: u32) -> String {
    let comm = format!("1140850688,{rank},2");
    let call = match rank {
        0 => format!("MPI_Send:1:64:8:13,1,1:1:0:{comm}:2\n"),
        _ => format!("MPI_Recv:1:128:8:13,1,1:0:0:{comm}:9:2\n"),
    };
    format!(
        "# htor's PMPI Tracer 1 Output File\n{call}MPI_Barrier:3:{comm}:4\n{call}MPI_Finalize:5:-\n"
    )
}

#[test]
fn traces_are_one_program_in_the_order_of_their_names() {
    let files: Vec<String> = [1, 0]
        .iter()
        .map(|rank| file(&format!("pmpi-trace-rank-{rank}.txt"), &trace(*rank)))
        .collect();
    let done = run(&["detect", &files[0], &files[1]], "");
    assert_eq!(done.status, Some(0), "{}", done.err);
    let mut lines = done.out.lines();
    assert_eq!(lines.next(), Some("phase 0, from the start:"), "{}", done.out);
    assert_eq!(lines.next(), Some("2 processes, 2 operations, 1 message, 1 transfer"));
    assert!(done.out.contains("phase 1, after MPI_Barrier in line 3 of "), "{}", done.out);
    assert!(done.out.contains("rank-0.txt: the same\n"), "{}", done.out);
    assert!(done.out.contains("note: a trace of liballprof does not hold"), "{}", done.out);
    let done = run(&["detect", &files[0]], "");
    assert_eq!(done.status, Some(2));
    assert!(done.err.contains("the trace of process 0 is missing"), "{}", done.err);
}

#[test]
fn strict_mode_says_what_it_takes_to_wait_as_the_messages_do() {
    // A gather, then a broadcast of something else: everybody waits for everybody.
    let mut text = "num_ranks 3\n\
                    rank 0 { a: recv 4b from 1 b: recv 4b from 2 c: send 4b to 1 d: send 4b to 2\n\
                    c requires a c requires b d requires a d requires b\n\
                    //@ a addr=104\n//@ b addr=108\n//@ c addr=8\n//@ d addr=8\n}\n"
        .to_owned();
    for rank in [1, 2] {
        let _ = write!(
            text,
            "rank {rank} {{ a: send 4b to 0 b: recv 4b from 0 b requires a\n\
             //@ a addr=0\n//@ b addr=8\n}}\n"
        );
    }
    let data = found("strict.goal", &text, &[]);
    assert!(!data.out.contains("strict"), "{}", data.out);
    let strict = found("strict.goal", &text, &["--mode", "strict"]);
    assert!(strict.out.contains("\n2 empty messages\n  strict mode: "), "{}", strict.out);
}

#[test]
fn pictures_and_graphs_are_written() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (svg, dot) = (folder.join("ring.svg"), folder.join("ring.dot"));
    let (svg, dot) = (svg.to_str().unwrap(), dot.to_str().unwrap());
    let done = run(&["detect", "--svg", svg, "--dot", dot, &example("broadcast_tree")], "");
    assert_eq!(done.status, Some(0), "{}", done.err);
    let picture = std::fs::read_to_string(svg).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for words in [
        "Before: 3 messages",
        "After: 1 collective operation",
        "MPI_Bcast",
        "prefers-color-scheme:dark",
    ] {
        assert!(picture.contains(words), "{words}");
    }
    let graph = std::fs::read_to_string(dot).unwrap();
    assert!(
        graph.starts_with("digraph operations {") && graph.contains("p0_1 -> p1_0 ["),
        "{graph}"
    );
    let done =
        run(&["detect", "--svg", svg, &example("broadcast_tree"), &example("reduce_tree")], "");
    assert_eq!(done.status, Some(2));
    assert!(done.err.contains("can show one graph, but there are 2"), "{}", done.err);
}

#[test]
fn what_is_no_graph_is_refused() {
    for (text, message) in [
        ("hello", "this is no communication graph"),
        ("", "this is no communication graph"),
        ("<html></html>", "expected `<algo` at the start, found `<html`"),
    ] {
        let done = found("nothing.txt", text, &[]);
        assert_eq!(done.status, Some(2), "{text}");
        assert!(
            done.err.contains(message) && done.err.contains("nothing.txt:1:"),
            "{text}: {}",
            done.err
        );
    }
    let bytes = file("bytes.goal", "");
    std::fs::write(&bytes, b"num_ranks \xff").unwrap();
    let done = run(&["detect", &bytes], "");
    assert_eq!(done.status, Some(2));
    assert!(done.err.contains("is not UTF-8 text: byte 10"), "{}", done.err);
}

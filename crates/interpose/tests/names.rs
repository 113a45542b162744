//! Every function has two names, `MPI_X` and `PMPI_X`. Whoever calls whichever of them, the program
//! observes the same: a request of one name completed under the other, a tool linked to the program.

mod harness;

use std::path::Path;

use harness::{Library, libraries, lines};

const WAYS: &[&[(&str, &str)]] = &[
    &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")],
    &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "types")],
    &[],
];

/// Packed messages of a program that observes the same with and without commloom.
fn packed(library: &Library, files: &[&str]) -> u64 {
    let program = library.compile_together(files);
    let native = lines(&library.run(&program, [false, false], &[]));
    for environment in WAYS {
        let with = lines(&library.run(&program, [true, true], environment));
        for (n, w) in native.iter().zip(&with) {
            assert_eq!(n, w, "{} {environment:?}: left native, right under commloom", library.name);
        }
        assert_eq!(native.len(), with.len(), "{} {environment:?}", library.name);
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!(
        "names-{}-{}.json",
        files.join("-"),
        library.name
    ));
    let place = file.to_string_lossy().into_owned();
    let mut environment = WAYS[0].to_vec();
    environment.push(("COMMLOOM_REPORT", &place));
    lines(&library.run(&program, [true, true], &environment));
    let text = std::fs::read_to_string(&file).expect("the report is there");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["failures"], 0);
    let types = report["types"].as_array().expect("a list");
    types.iter().filter_map(|t| t["engine"].as_u64()).sum()
}

#[test]
fn a_request_may_be_completed_under_the_other_name() {
    for library in libraries() {
        assert!(packed(&library, &["crossed"]) >= 96, "{}", library.name);
    }
}

#[test]
fn a_program_with_a_profiling_tool_linked_to_it_is_seen() {
    for library in libraries() {
        // The tool prints what it saw: it stands in front, and sees the program's own calls.
        assert!(packed(&library, &["semantics", "tool"]) > 1000, "{}", library.name);
    }
}

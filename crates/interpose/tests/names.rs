//! Every function has two names, `MPI_X` and `PMPI_X`. Whoever calls whichever of them, the
//! program observes the same: a request of one name completed under the other, a tool linked to
//! the program.

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

/// A tool may be preloaded before commloom or after it: the program observes the same, the tool
/// sees every call once, and messages are packed once.
#[test]
fn a_tool_that_is_preloaded_before_or_after_sees_every_call_once() {
    for library in libraries() {
        let mut programs = vec![library.compile("semantics")];
        if library.has_fortran() {
            programs.push(library.compile_fortran("semantics", &["USE_MPI_F08"]));
        }
        let tool = library.compile_shared("tool");
        let ours = library.preload();
        let [tool, ours] = [&tool, &ours].map(|path| path.display().to_string());
        for (i, program) in programs.into_iter().enumerate() {
            let native = lines(&library.run_beside(&program, &tool, WAYS[0]));
            let seen = native.iter().filter(|line| line.contains(" calls: ")).count();
            // No tool in C sees the calls of Fortran's `mpi_f08`: libraries make `PMPI_X` of them.
            let prints = if i == 0 { 2 } else { 0 };
            assert_eq!(seen, prints, "{}: the tool prints", library.name);
            for (preloads, is_behind) in
                [(format!("{tool}:{ours}"), false), (format!("{ours}:{tool}"), true)]
            {
                let place = Path::new(env!("CARGO_TARGET_TMPDIR"))
                    .join(format!("tool-{}.json", library.name))
                    .to_string_lossy()
                    .into_owned();
                let mut environment = WAYS[0].to_vec();
                environment.push(("COMMLOOM_REPORT", &place));
                let with = lines(&library.run_beside(&program, &preloads, &environment));
                // Behind commloom it sees as many messages, of as many bytes, but of other
                // elements.
                let is_same = |line: &str| !is_behind || !line.contains(" tool: ");
                for (n, w) in native.iter().zip(&with).filter(|(n, _)| is_same(n)) {
                    assert_eq!(n, w, "{} {preloads}: left without commloom", library.name);
                }
                assert_eq!(native.len(), with.len(), "{} {preloads}", library.name);
                let text = std::fs::read_to_string(&place).expect("the report is there");
                let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
                assert_eq!(report["failures"], 0, "{} {preloads}", library.name);
                let types = report["types"].as_array().expect("a list");
                let packed = types.iter().filter_map(|t| t["engine"].as_u64()).sum::<u64>();
                assert!(packed > 1000, "{} {preloads}: {packed} packed", library.name);
            }
        }
    }
}

//! `commloom report`: a JSON report for people.

mod common;

use std::path::Path;

use common::{output, run};

const REPORT: &str = r#"{"library": "MPICH", "ranks": 2, "failures": 0, "types": [{
    "before": "vec(9, 8, MPI_INT)", "after": "vec(9, 8, MPI_INT)", "cost_before": 12,
    "cost_after": 12, "handles": 1, "calls": 4, "bytes": 144, "engine": 3, "substituted": 0,
    "pack_ns": 5000, "unpack_ns": 0, "native": {"no buffer": 1}}]}"#;

#[test]
fn a_report_is_shown_as_text_and_as_a_page() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (json, page) = (dir.join("run.json"), dir.join("run.html"));
    std::fs::write(&json, REPORT).unwrap();
    let json = json.to_str().unwrap();
    let text = output(&["report", json], "");
    assert!(text.starts_with("commloom report: 2 ranks, MPICH\n"), "{text}");
    assert!(text.contains("1 left to the library: no buffer"), "{text}");
    assert_eq!(output(&["report", json, "-o", page.to_str().unwrap()], ""), "");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("vec(9, 8, MPI_INT)"), "{page}");
}

#[test]
fn what_is_no_report_is_refused() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let other = dir.join("other.json");
    std::fs::write(&other, "{\"ranks\": 2}").unwrap();
    let done = run(&["report", other.to_str().unwrap()], "");
    assert_eq!((done.status, done.out.as_str()), (Some(2), ""));
    assert!(done.err.contains("other.json is no report in JSON: missing field"), "{}", done.err);
    let done = run(&["report", "/no/such/file"], "");
    assert!(done.err.starts_with("error: cannot read /no/such/file: "), "{}", done.err);
}

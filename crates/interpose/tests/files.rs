//! Reads and writes of files under the preload do what they do without it: every byte of file and
//! memory, every status, error class and file pointer, for accesses drawn by chance. The program
//! compares bytes with a loop of its own; here runs are compared. `COMMLOOM_SEED` and
//! `COMMLOOM_CASES` draw others.

mod harness;

use std::path::{Path, PathBuf};

use harness::{Library, libraries, lines};

/// Accesses of one run, unless asked otherwise.
const CASES: u64 = 15;

const PACKED: &[(&str, &str)] = &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")];

const WAYS: &[(&str, &[(&str, &str)])] = &[
    ("all that can be packed", PACKED),
    ("all with substituted handles", &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "types")]),
    ("each in a strategy of its own", &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "mixed")]),
    ("defaults", &[]),
];

fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

fn place(name: &str, library: &Library) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", library.name))
}

/// The lines of a run, in which nothing is wrong.
#[track_caller]
fn observed(
    library: &Library,
    (name, ranks, arguments): (&str, usize, &str),
    environment: &[(&str, &str)],
    preloaded: bool,
) -> Vec<String> {
    let program = library.compile("files");
    let path = place(name, library).with_extension("data").display().to_string();
    let mut environment = environment.to_vec();
    environment.push(("FILES_PATH", &path));
    let output = library.run_case(ranks, &program, arguments, &environment, preloaded);
    let printed = lines(&output);
    let wrong: Vec<_> = printed.iter().filter(|line| line.starts_with("WRONG")).collect();
    assert!(wrong.is_empty(), "{}, {environment:?}: {wrong:?}", library.name);
    printed
}

#[track_caller]
fn compare_with_native(ranks: usize) {
    let seed = asked("COMMLOOM_SEED").unwrap_or(ranks.try_into().unwrap_or(0));
    let cases = asked("COMMLOOM_CASES").unwrap_or(CASES);
    for library in libraries() {
        let run = (&*format!("files-{ranks}"), ranks, &*format!("{seed} {cases}"));
        let native = observed(&library, run, &[], false);
        assert!(native.len() > 20 * ranks, "the program makes accesses: {native:?}");
        for (way, environment) in WAYS {
            let with = observed(&library, run, environment, true);
            for (native, with) in native.iter().zip(&with) {
                assert_eq!(
                    native, with,
                    "{}, {ranks} ranks, {way}, seed {seed}: left native, right under commloom",
                    library.name
                );
            }
            assert_eq!(native.len(), with.len(), "{}, {way}", library.name);
        }
    }
}

#[test]
fn accesses_of_one_process_are_the_same() {
    compare_with_native(1);
}

#[test]
fn accesses_of_two_processes_are_the_same() {
    compare_with_native(2);
}

/// The row of the report of what is written and read again and again.
#[track_caller]
fn row(library: &Library, environment: &[(&str, &str)]) -> serde_json::Value {
    let path = place("files-report", library).with_extension("json").display().to_string();
    let mut environment = environment.to_vec();
    environment.push(("COMMLOOM_REPORT", &path));
    observed(library, ("files-report", 1, "1 1"), &environment, true);
    let text = std::fs::read_to_string(&path).expect("the report is there");
    let report: serde_json::Value = serde_json::from_str(&text).expect("the report is JSON");
    assert_eq!(report["failures"], 0);
    let types = report["types"].as_array().expect("a list");
    let row = types.iter().find(|row| row["before"] == "vec(500, 16, MPI_DOUBLE)");
    row.expect("a row").clone()
}

#[test]
fn the_report_counts_accesses_and_they_can_be_switched_off() {
    for library in libraries() {
        let packed = row(&library, PACKED);
        assert!(packed["engine"].as_u64() >= Some(420), "{}: {packed}", library.name);
        let off = row(&library, &[PACKED, &[("COMMLOOM_OFF", "files")]].concat());
        assert_eq!(off["engine"], 0, "{}: {off}", library.name);
        let left = off["native"]["switched off"].as_u64();
        assert!(left >= Some(420), "{}: {off}", library.name);
    }
}

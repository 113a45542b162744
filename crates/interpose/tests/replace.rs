//! `COMMLOOM_REPLACE`: programs whose persistent requests are collective operations receive the
//! same bytes and statuses as without, and the operations do take place; where the processes come
//! apart, the messages go as the program has them.

mod harness;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use harness::{Library, libraries};
use serde_json::Value;

/// The output of a run, and its groups.
fn run(
    library: &Library,
    binary: &Path,
    ranks: usize,
    settings: &[(&str, &str)],
) -> (String, Value) {
    let name = binary.file_name().expect("a program").to_string_lossy().into_owned();
    // Tests run at the same time, some of them the same program on as many ranks.
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    let report = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{number}.json"));
    let place = report.to_string_lossy().into_owned();
    // Ranks that wait for others let them run: there are more of them than cores.
    let mut environment =
        vec![("COMMLOOM_REPORT", place.as_str()), ("OMPI_MCA_mpi_yield_when_idle", "1")];
    environment.extend(settings);
    let output = library.run_on(ranks, binary, &environment);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} on {ranks}: {:?}\n{errors}", output.status);
    let text = std::fs::read_to_string(&report).expect("the report is there");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["failures"], 0, "{name} on {ranks}");
    (String::from_utf8_lossy(&output.stdout).into_owned(), report["replaced"].clone())
}

#[track_caller]
fn assert_same(native: &str, replaced: &str, what: &str) {
    for (n, r) in native.lines().zip(replaced.lines()) {
        assert_eq!(n, r, "{what}: left as it is, right replaced");
    }
    assert_eq!(native.lines().count(), replaced.lines().count(), "{what}");
}

/// Longer than any rank is late: what all do together is then replaced however busy the machine
/// is.
const PATIENT: (&str, &str) = ("COMMLOOM_REPLACE_PATIENCE", "600000000");

#[test]
fn groups_that_all_processes_start_together_are_replaced() {
    for library in libraries() {
        let binary = library.compile("replaced");
        for ranks in [2, 3] {
            let what = format!("{} on {ranks}", library.name);
            let scenario = ("SCENARIO", "together");
            let (native, none) = run(&library, &binary, ranks, &[scenario]);
            assert_eq!(none, Value::Null, "{what}: nothing was asked for");
            assert!(native.lines().count() > 900, "{what}: {}", native.lines().count());
            let (replaced, groups) =
                run(&library, &binary, ranks, &[scenario, PATIENT, ("COMMLOOM_REPLACE", "always")]);
            assert_same(&native, &replaced, &what);
            let groups = groups.as_array().expect("a list");
            assert!(groups.len() >= 19, "{what}: {groups:?}");
            for group in groups {
                // Two starts are only looked at; all others are replaced.
                assert_eq!(
                    (&group["starts"], &group["replaced"]),
                    (&9.into(), &7.into()),
                    "{what}: {group}"
                );
                assert_eq!(group["left"], "", "{what}: {group}");
            }
            for call in ["alltoall", "allgather", "bcast"] {
                let found = groups.iter().any(|group| group["by"][0] == call);
                assert!(found, "{what}: {call} is not among {groups:?}");
            }
        }
    }
}

#[test]
fn processes_that_come_apart_send_their_messages() {
    for library in libraries() {
        let binary = library.compile("replaced");
        let what = &library.name;
        let scenario = ("SCENARIO", "apart");
        let (native, _) = run(&library, &binary, 3, &[scenario]);
        let settings =
            [scenario, ("COMMLOOM_REPLACE", "always"), ("COMMLOOM_REPLACE_PATIENCE", "200000")];
        let (replaced, groups) = run(&library, &binary, 3, &settings);
        assert_same(&native, &replaced, what);
        let groups = groups.as_array().expect("a list");
        assert_eq!(groups.len(), 8, "{what}: {groups:?}");
        for group in groups {
            let number = |name: &str| group[name].as_u64().unwrap_or(0);
            assert!(number("replaced") > 0, "{what}: it began well: {group}");
            assert!(number("replaced") <= number("starts") - 2, "{what}: {group}");
        }
        let spoilt = groups.iter().filter(|group| group["left"] != "").count();
        assert!(spoilt >= 6, "{what}: {groups:?}");
    }
}

#[test]
fn a_trial_decides_where_nothing_else_is_asked_for() {
    for library in libraries() {
        let binary = library.compile("replaced");
        let (native, _) = run(&library, &binary, 2, &[("SCENARIO", "long")]);
        let settings = [("SCENARIO", "long"), ("COMMLOOM_REPLACE", "faster"), PATIENT];
        let (replaced, groups) = run(&library, &binary, 2, &settings);
        assert_same(&native, &replaced, &library.name);
        for group in groups.as_array().expect("a list") {
            let (left, replaced) = (group["left"].as_str().unwrap_or(""), &group["replaced"]);
            // One when it was compiled, twelve in the trial; 60 starts in all, of which two were
            // looked at and twelve are those of the trial as they are.
            let expected = if left.is_empty() { 46 } else { 13 };
            assert!(left.is_empty() || left.starts_with("not faster"), "{group}");
            assert_eq!(replaced, expected, "{}: {group}", library.name);
        }
    }
}

#[test]
fn programs_with_threads_everywhere_are_left_alone() {
    for library in libraries() {
        let binary = library.compile("threads");
        let (_, groups) = run(&library, &binary, 2, &[("COMMLOOM_REPLACE", "always")]);
        assert_eq!(groups, Value::Null, "{}", library.name);
    }
}

#[test]
fn persistent_requests_of_all_kinds_are_the_same() {
    for library in libraries() {
        let binary = library.compile("persistent");
        let native = harness::lines(&library.run(&binary, [false, false], &[]));
        let settings = [("COMMLOOM_REPLACE", "always"), ("COMMLOOM_REPLACE_PATIENCE", "2000")];
        let replaced = harness::lines(&library.run(&binary, [true, true], &settings));
        assert_same(&native.join("\n"), &replaced.join("\n"), &library.name);
    }
}

#[test]
fn fortran_is_replaced_in_old_and_new_bindings() {
    for library in libraries().into_iter().filter(Library::has_fortran) {
        for binding in ["MPIF_H", "USE_MPI_F08"] {
            let binary = library.compile_fortran("replaced", &[binding]);
            let (printed, groups) =
                run(&library, &binary, 2, &[PATIENT, ("COMMLOOM_REPLACE", "always")]);
            let what = format!("{binding}, {}", library.name);
            assert_eq!(groups[0]["replaced"], 7, "{what}: {groups}");
            let lines: Vec<Vec<&str>> =
                printed.lines().map(|line| line.split_whitespace().collect()).collect();
            let expected = (1..=9).map(|round| {
                let of = |rank: u32| (1000 * round + 10 * rank).to_string();
                let [own, other] = [of(0), of(1)];
                format!("round {round} from 1 {own} {own} {other} {other}")
            });
            let expected: Vec<String> = expected.collect();
            let printed: Vec<String> = lines.into_iter().map(|words| words.join(" ")).collect();
            assert_eq!(printed, expected, "{what}");
        }
    }
}

//! Sessions: one after the other, overlapping, and together with the world model. Nothing of one
//! life of the library is used in the next, which is as fast as the first.

mod harness;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use harness::{Library, libraries_and_mpich5, lines};

const WAYS: &[&[(&str, &str)]] = &[
    &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")],
    &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "types")],
    &[],
];

/// On how many ranks a case runs: not always on the same number. A second life of MPICH 5.0.2 gets
/// messages of the first where there are two ranks, or waits for ever, without us too (on two busy
/// cores 2 of 150 runs with two, 3 of 12 with three, 5 of 5 with five; none of 200 with one).
fn ranks(case: &str, turn: usize) -> usize {
    if case.starts_with("in-turn") { 1 } else { [2, 3, 5][turn % 3] }
}

type Cases = Vec<(PathBuf, &'static str)>;

/// The program, and the cases of it that the library can do by itself: found out once.
fn cases(library: &Library) -> Cases {
    static FOUND: Mutex<BTreeMap<String, Cases>> = Mutex::new(BTreeMap::new());
    let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
    found.entry(library.name.clone()).or_insert_with(|| find_cases(library)).clone()
}

fn find_cases(library: &Library) -> Cases {
    let program = library.compile("sessions");
    let all = ["in-turn", "in-turn leave", "overlapping", "both", "after"];
    let mut cases = Vec::new();
    for case in all {
        let native = library.run_case(ranks(case, 0), &program, case, &[], false);
        let printed = String::from_utf8_lossy(&native.stdout);
        // Only MPICH 5 begins a second life of the library; the others crash.
        if !native.status.success() || printed.contains("no sessions") {
            let name = &library.name;
            commloom_testkit::skipped(&format!("{case} with {name}: it cannot do that natively"));
            continue;
        }
        assert!(printed.contains(": 0 wrong"), "{}: {case}: {printed}", library.name);
        cases.push((program.clone(), case));
    }
    cases
}

#[test]
fn every_life_of_the_library_is_right_whatever_the_one_before_has_left() {
    for library in libraries_and_mpich5() {
        for (nth, (program, case)) in cases(&library).into_iter().enumerate() {
            for (way, environment) in WAYS.iter().enumerate() {
                let ranks = ranks(case, nth + way);
                let output = library.run_case(ranks, &program, case, environment, true);
                let what = format!("{}, {case}, {ranks} ranks, {environment:?}", library.name);
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{what}: {:?} {said}", output.status);
                let printed = lines(&output);
                assert!(printed.len() >= ranks, "{what}: {printed:?}");
                assert!(printed.iter().all(|l| l.ends_with(": 0 wrong")), "{what}: {printed:?}");
            }
        }
    }
}

/// Reads the reports beside `place`, and removes them: that of all processes, and those of one
/// each.
fn reports(place: &Path) -> (Option<serde_json::Value>, Vec<serde_json::Value>) {
    let read = |path: &Path| {
        let text = std::fs::read_to_string(path).ok()?;
        std::fs::remove_file(path).expect("it was there");
        Some(serde_json::from_str(&text).expect("JSON"))
    };
    let stem = format!("{}.", place.file_stem().expect("a name").to_string_lossy());
    let all = read(place);
    let files = std::fs::read_dir(place.parent().expect("a folder")).expect("a folder");
    let own = files.filter_map(|file| {
        let file = file.ok()?;
        file.file_name().to_string_lossy().starts_with(&stem).then(|| read(&file.path()))?
    });
    (all, own.collect())
}

fn packed(report: &serde_json::Value) -> u64 {
    let types = report["types"].as_array().expect("a list");
    types.iter().filter_map(|row| row["engine"].as_u64()).sum()
}

#[test]
fn without_mpi_comm_world_every_process_reports_by_itself() {
    for library in libraries_and_mpich5() {
        for (program, case) in cases(&library) {
            let name = format!("sessions-{}-{}.json", library.name, case.replace(' ', "-"));
            let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            reports(&place);
            let text = place.to_string_lossy().into_owned();
            let mut environment = WAYS[0].to_vec();
            environment.push(("COMMLOOM_REPORT", &text));
            lines(&library.run_case(ranks(case, 0), &program, case, &environment, true));
            let (all, own) = reports(&place);
            let what = format!("{}, {case}: {all:?} {own:?}", library.name);
            // 40 types, of which three rounds out of four are sent and received, and one is
            // broadcast.
            let per_life = 40 * 7;
            if case == "both" {
                // Nothing came after MPI_Finalize that it has not counted.
                assert!(own.is_empty(), "{what}");
                assert_eq!(packed(&all.expect("a report")), 2 * 3 * per_life);
                continue;
            }
            let lives = match case {
                "after" => 4,
                "overlapping" => 3,
                // One after the other five times, three overlapping, four around MPI_Init and
                // MPI_Finalize.
                _ => 12,
            };
            assert_eq!(own.len(), ranks(case, 0), "{what}");
            for report in &own {
                assert_eq!((&report["ranks"], &report["failures"]), (&1.into(), &0.into()));
                // The extra type of the overlapping ones is received and sent three times.
                let extra = if case == "after" { 0 } else { 6 };
                assert_eq!(packed(report), lives * per_life + extra, "{what}");
            }
        }
    }
}

#[test]
fn a_trace_of_a_program_with_sessions_does_no_harm() {
    for library in libraries_and_mpich5() {
        for (program, case) in cases(&library) {
            let folder = library.empty_folder("sessions-trace");
            let place = folder.to_string_lossy().into_owned();
            let environment = [("COMMLOOM_TRACE", place.as_str())];
            let output = library.run_case(ranks(case, 0), &program, case, &environment, true);
            let printed = lines(&output);
            assert!(printed.iter().all(|l| l.ends_with(": 0 wrong")), "{case}: {printed:?}");
        }
    }
}

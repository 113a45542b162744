//! Fortran programs under the preload do what they do without it, and are seen: in each of the
//! three bindings, with derived types, absolute addresses, `MPI_IN_PLACE`, ignored statuses,
//! arrays of requests and persistent requests.

mod harness;

use std::path::{Path, PathBuf};

use harness::{Library, libraries, lines};

/// Macros that choose a binding.
const BINDINGS: [&str; 3] = ["MPIF_H", "USE_MPI", "USE_MPI_F08"];

/// Variables of the environment.
type Settings = &'static [(&'static str, &'static str)];

/// Which ranks are under commloom, and settings: the engine on both ends is for the one that
/// reports.
const RUNS: &[([bool; 2], Settings)] = &[
    ([true, false], &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")]),
    ([true, true], &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "types")]),
    ([true, true], &[]),
];

/// The program in one binding. MPICH's `mpi_f08` also has the procedures with large counts.
fn program(library: &Library, binding: &'static str) -> PathBuf {
    let large = binding == "USE_MPI_F08" && library.name == "mpich";
    let macros = if large { &[binding, "LARGE_COUNTS"][..] } else { &[binding][..] };
    library.compile_fortran("semantics", macros)
}

#[test]
fn a_program_observes_the_same_in_every_binding() {
    for library in libraries().into_iter().filter(Library::has_fortran) {
        for binding in BINDINGS {
            let program = program(&library, binding);
            let native = lines(&library.run(&program, [false, false], &[]));
            assert!(native.len() > 2000, "the program makes its observations: {}", native.len());
            let compare = |ranks, environment: &[(&str, &str)]| {
                let with = lines(&library.run(&program, ranks, environment));
                let what = format!("{} {binding} {environment:?} {ranks:?}", library.name);
                for (n, w) in native.iter().zip(&with) {
                    assert_eq!(n, w, "{what}: left native, right under commloom");
                }
                assert_eq!(native.len(), with.len(), "{what}: number of observations");
            };
            for (ranks, environment) in RUNS {
                compare(*ranks, environment);
            }
            let report = Path::new(env!("CARGO_TARGET_TMPDIR"))
                .join(format!("fortran-{binding}-{}.json", library.name));
            let place = report.to_string_lossy();
            let [pack, warmup] = [("COMMLOOM_FORCE", "pack"), ("COMMLOOM_WARMUP", "0")];
            compare([true, true], &[pack, warmup, ("COMMLOOM_REPORT", &place)]);
            assert_packed(&report);
        }
    }
}

/// The messages of the program went through the engine.
#[track_caller]
fn assert_packed(report: &Path) {
    let text = std::fs::read_to_string(report).expect("the report is there");
    let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["failures"], 0, "{text}");
    let is_vector = |t: &&serde_json::Value| t["before"] == "vec(50, 16, vec(2, 4, MPI_INTEGER))";
    let vector = report["types"].as_array().and_then(|types| types.iter().find(is_vector));
    let packed = vector.and_then(|t| t["engine"].as_u64());
    assert!(packed > Some(100), "{text}");
}

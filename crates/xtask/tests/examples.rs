//! The programs under `examples/`, with every MPI library: they run on other numbers of ranks
//! than the demo's two, and their verification notices damage. Without MPI the tests say that
//! they were skipped; with `COMMLOOM_REQUIRE_MPI=1` they fail instead.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use commloom_testkit::ranks::{in_front, on_one_machine};
use xtask::demo::mpi::{EXAMPLES, FORTRAN_EXAMPLES, Library, workspace_root};

const LIBRARIES: [&str; 2] = ["mpich", "openmpi"];

/// The libraries that are there.
fn libraries() -> Vec<Library> {
    let required = std::env::var_os("COMMLOOM_REQUIRE_MPI").is_some_and(|v| v == "1");
    let find = |name| match Library::find(name) {
        Ok(library) => Some(library),
        Err(error) if required => panic!("COMMLOOM_REQUIRE_MPI=1, but {error}"),
        Err(error) => {
            // Not with eprintln!, which the test harness keeps to itself when the test passes.
            let _ = writeln!(std::io::stderr(), "SKIPPED for {name}: {error}");
            None
        }
    };
    LIBRARIES.into_iter().filter_map(find).collect()
}

/// A directory for one test and library.
fn directory(test: &str, library: &Library) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", library.name));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn compile(library: &Library, directory: &Path, example: &str) -> PathBuf {
    let source = workspace_root().join("examples").join(example).with_extension("c");
    let program = directory.join(example);
    library.compile(&source, &program, &[]).unwrap();
    program
}

fn start(mut launcher: Command, words: &[&str]) -> Output {
    on_one_machine(&mut launcher).args(words).output().unwrap()
}

fn run(library: &Library, ranks: u32, words: &[&str]) -> Output {
    start(library.launch(ranks), words)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn halo_stencil_and_transpose_verify_themselves_on_one_to_six_ranks() {
    for library in libraries() {
        let directory = directory("ranks", &library);
        for (example, order) in [("halo3d", "6"), ("stencil", "6"), ("transpose", "37")] {
            let program = compile(&library, &directory, example);
            for ranks in 1..=6 {
                // More ranks than cores: nothing may be bound to one.
                let words = [program.to_str().unwrap(), "--all", "--reps", "3", "--n", order];
                let output = start(library.launch_unbound(ranks), &words);
                let (out, err) = (text(&output.stdout), text(&output.stderr));
                let context = format!("{example}, {}, {ranks} ranks:\n{out}{err}", library.name);
                assert!(output.status.success(), "{context}");
                let cells = out.lines().filter(|l| l.starts_with("CELL ")).count();
                assert!(cells > 0 && out.contains(&format!("VERIFIED {cells} cells")), "{context}");
            }
        }
    }
}

#[test]
fn fortran_examples_verify_themselves_on_one_to_four_ranks() {
    for library in libraries() {
        let directory = directory("fortran", &library);
        for example in FORTRAN_EXAMPLES {
            let Some(program) = library.compile_fortran(example, &directory).unwrap() else {
                let _ =
                    writeln!(std::io::stderr(), "SKIPPED {example}, {}: no Fortran", library.name);
                continue;
            };
            for ranks in 1..=4 {
                let words = [program.to_str().unwrap(), "--all", "--reps", "2", "--only", "n32"];
                let output = start(library.launch_unbound(ranks), &words);
                let (out, err) = (text(&output.stdout), text(&output.stderr));
                let context = format!("{example}, {}, {ranks} ranks:\n{out}{err}", library.name);
                assert!(output.status.success(), "{context}");
                let cells = out.lines().filter(|l| l.starts_with("CELL ")).count();
                assert!(cells > 0 && out.contains(&format!("VERIFIED {cells} cells")), "{context}");
            }
        }
    }
}

#[test]
fn broadcasts_and_packing_verify_themselves() {
    for library in libraries() {
        let directory = directory("benchmarks", &library);
        for (example, ranks) in [("bcast", 2), ("bcast", 3), ("packing", 1)] {
            let program = compile(&library, &directory, example);
            let words = [program.to_str().unwrap(), "--quick"];
            let output = start(library.launch_unbound(ranks), &words);
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            let context = format!("{example}, {}, {ranks} ranks:\n{out}{err}", library.name);
            assert!(output.status.success() && out.contains("VERIFIED"), "{context}");
        }
    }
}

#[test]
fn damaged_data_damaged_gaps_and_stale_data_are_noticed() {
    // The first ghost cell of a 34^3 array that is received along x.
    const GHOST: usize = 35 * 34 * 8;
    // Example, cell, offset in the receive buffer, kind of damage.
    let cases = [
        ("pingpong", "tiled-A2-B4 vector 3200", 0, "count"),
        ("pingpong", "tiled-A2-B4 vector 3200", 8, "count"), // a gap
        ("pingpong", "tiled-A2-B4 vector 3200", 16, "stale"),
        ("pingpong", "rowcol-A2 struct 3200", 4, "count"),
        ("transpose", "matrix-n64 columns", 0, "count"),
        ("transpose", "matrix-n64 columns", 64 * 8, "count"), // the padding of the first row
        ("transpose", "matrix-n64 columns", 8, "stale"),
        ("halo3d", "all-faces-n32 hvector", 0, "count"), // the first cell of each ghost face
        ("halo3d", "all-faces-n32 subarray", 0, "count"), // a corner of the array, a gap
        ("halo3d", "all-faces-n32 struct", 0, "stale"),
        ("stencil", "exchange-n32 isend", GHOST, "stale"),
        ("stencil", "exchange-n32 alltoallw", GHOST, "count"),
        ("stencil", "exchange-n32 alltoallw", 0, "count"), // a corner of the array, a gap
        ("stencil", "exchange-n32 by-hand", 0, "stale"),   // the first cell of each packed face
    ];
    for library in libraries() {
        let directory = directory("damage", &library);
        let shim = directory.join("damage.so");
        let source = workspace_root().join("crates/xtask/tests/damage.c");
        library.compile(&source, &shim, &["-shared", "-fPIC"]).unwrap();
        let programs = EXAMPLES.map(|example| compile(&library, &directory, example));
        for (example, cell, at, damage) in cases {
            let program = &programs[EXAMPLES.iter().position(|&e| e == example).unwrap()];
            let words = |preload: &str| {
                let set = format!("LD_PRELOAD={}", in_front(preload).display());
                let (at, damage) = (format!("DAMAGE_AT={at}"), format!("DAMAGE={damage}"));
                let program = program.to_str().unwrap().to_owned();
                [
                    "env".to_owned(),
                    set,
                    at,
                    damage,
                    program,
                    "--quick".into(),
                    "--only".into(),
                    cell.into(),
                ]
            };
            let outcome = |preload: &str| {
                let words = words(preload);
                run(&library, 2, &words.each_ref().map(String::as_str))
            };
            let context = format!("{example} {cell}, {}, {damage} at {at}", library.name);

            let healthy = outcome("");
            let err = text(&healthy.stderr);
            assert!(healthy.status.success(), "{context}: fails without damage:\n{err}");

            let damaged = outcome(shim.to_str().unwrap());
            let (out, err) = (text(&damaged.stdout), text(&damaged.stderr));
            assert_eq!(damaged.status.code(), Some(1), "{context}:\n{out}{err}");
            assert!(!out.contains("VERIFIED") && !out.contains("CELL"), "{context}:\n{out}{err}");
            assert!(
                err.contains(cell) && err.contains("differs at byte"),
                "{context}:\n{out}{err}"
            );
            if example == "pingpong" {
                assert!(err.contains(&format!("at byte {at}:")), "{context}:\n{out}{err}");
            }
        }
    }
}

#[test]
fn wrong_usage_is_told_apart_from_wrong_results() {
    for library in libraries() {
        let directory = directory("usage", &library);
        let program = compile(&library, &directory, "pingpong");
        let program = program.to_str().unwrap();
        for (ranks, words, message) in [
            (2, [program, "--frobnicate", ""], "unknown option --frobnicate"),
            (2, [program, "--reps", "none"], "--reps wants a number from 1 to 100000, not none"),
            (1, [program, "--reps", "3"], "needs exactly 2 ranks"),
        ] {
            let output = run(&library, ranks, &words);
            let err = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{}: {words:?}:\n{err}", library.name);
            assert!(err.contains(message), "{}: {words:?}:\n{err}", library.name);
        }
    }
}

//! The bodies of the fuzz targets of the readers, on their seeds, on what fuzzing has found, and
//! on changed ones.

use std::fs;
use std::path::{Path, PathBuf};

use commloom_testkit::check;
use commloom_testkit::graphs::msccl::algorithms::ALGORITHMS;

#[path = "../../../fuzz/src/bytes.rs"]
#[allow(dead_code)] // Lists are for other targets.
mod bytes;
#[path = "../../../fuzz/src/graphs.rs"]
mod graphs;
#[path = "../../../fuzz/src/traces.rs"]
mod traces;

fn files(kind: &str, target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz").join(kind).join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    entries
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let bytes = fs::read(&path).expect("a file");
            (path, bytes)
        })
        .collect()
}

/// Runs a target, and names the input if it panics.
fn run(target: fn(&[u8]), input: &[u8]) {
    struct Named<'a>(&'a [u8]);
    impl Drop for Named<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("failed on {}", self.0.escape_ascii());
            }
        }
    }
    let named = Named(input);
    target(input);
    drop(named);
}

/// The seeds, what fuzzing has found, and 500 changed seeds.
fn run_all(target: fn(&[u8]), name: &str) {
    let seeds = files("seeds", name);
    assert!(seeds.len() >= 3, "{name}");
    for (_, bytes) in seeds.iter().chain(&files("regressions", name)) {
        run(target, bytes);
    }
    check(500, |rng| {
        let mut input = seeds[rng.usize(0..seeds.len())].1.clone();
        for _ in 0..rng.usize(1..5) {
            let at = rng.usize(0..input.len());
            match rng.u32(0..4) {
                0 => input[at] = rng.u8(..),
                1 => input[at] = *rng.choice(b"0123456789-:,=\"<>{}/ \n").unwrap(),
                2 => drop(input.drain(at..(at + rng.usize(0..9)).min(input.len()))),
                _ => {
                    let end = rng.usize(at..=input.len());
                    let copy = input[at..end].to_vec();
                    input.splice(at..at, copy);
                }
            }
            if input.is_empty() {
                return;
            }
        }
        run(target, &input);
    });
}

#[test]
fn goal() {
    run_all(graphs::goal, "goal");
}

#[test]
fn msccl() {
    run_all(graphs::msccl, "msccl");
    for algorithm in ALGORITHMS {
        run(graphs::msccl, algorithm.writer(algorithm.gpus[0]).xml().as_bytes());
    }
}

#[test]
fn allprof() {
    run_all(graphs::allprof, "allprof");
}

#[test]
fn trace() {
    run_all(traces::trace, "trace");
    check(3000, |rng| {
        let mut input: Vec<u8> = (0..rng.usize(1..600)).map(|_| rng.u8(..)).collect();
        input[0] = 1; // Choices of events.
        run(traces::trace, &input);
    });
}

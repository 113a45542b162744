//! The bodies of the fuzz targets, on their seeds, on what fuzzing has found, and on some bytes:
//! so that they go on compiling and holding where nobody runs `make fuzz`.

use std::fs;
use std::path::{Path, PathBuf};

use commloom_testkit::{Rng, check, corpus};

#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The lines of a file of seeds; each is one input.
fn seeds(file: &str) -> Vec<String> {
    let text = fs::read_to_string(folder().join("seeds").join(file)).expect("a committed file");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    assert!(lines.len() > 10, "{file} has {} seeds", lines.len());
    lines
}

/// Runs a target, and names the input if it panics.
fn run(target: fn(&[u8]), input: &[u8], name: &str) {
    struct Named<'a>(&'a str, &'a [u8]);
    impl Drop for Named<'_> {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("failed on {}: {}", self.0, self.1.escape_ascii());
            }
        }
    }
    let named = Named(name, input);
    target(input);
    drop(named);
}

fn run_all(target: fn(&[u8]), name: &str, seeds: &[String]) {
    for (number, seed) in seeds.iter().enumerate() {
        run(target, seed.as_bytes(), &format!("line {} of the seeds of {name}", number + 1));
    }
    for entry in fs::read_dir(folder().join("regressions").join(name)).expect("a folder") {
        let path = entry.expect("an entry").path();
        run(target, &fs::read(&path).expect("a file"), &path.to_string_lossy());
    }
    check(200, |rng| {
        let noise: Vec<u8> = (0..rng.usize(0..200)).map(|_| rng.u8(..)).collect();
        run(target, &noise, "noise");
        let mut seed = seeds[rng.usize(0..seeds.len())].clone().into_bytes();
        mutate(&mut seed, rng);
        run(target, &seed, "a changed seed");
    });
}

/// One to four bytes changed, left out or doubled.
fn mutate(input: &mut Vec<u8>, rng: &mut Rng) {
    const LIKELY: &[u8] = b"0123456789-<>(),# \n_aeiMIT{}[]\":";
    for _ in 0..rng.usize(1..5) {
        if input.is_empty() {
            return;
        }
        let at = rng.usize(0..input.len());
        match rng.u32(0..4) {
            0 => input[at] = rng.u8(..),
            1 => input[at] = LIKELY[rng.usize(0..LIKELY.len())],
            2 => drop(input.remove(at)),
            _ => {
                let end = rng.usize(at..=input.len());
                let copy = input[at..end].to_vec();
                input.splice(at..at, copy);
            }
        }
    }
}

#[test]
fn parse_never_panics_and_what_is_read_is_printed_and_read_back() {
    let all = ["notation.txt", "types.txt", "json.txt", "displacements.txt"].map(seeds).concat();
    run_all(fuzz::parse, "parse", &all);
}

#[test]
fn normalize_keeps_the_layout_and_never_raises_the_cost() {
    run_all(fuzz::normalize, "normalize", &["notation.txt", "types.txt"].map(seeds).concat());
}

#[test]
fn reconstruct_describes_its_input_at_the_least_cost() {
    run_all(fuzz::reconstruct, "reconstruct", &seeds("displacements.txt"));
}

/// `COMMLOOM_WRITE_SEEDS=1` writes the files instead.
#[test]
fn the_seeds_hold_the_corpus() {
    let (mut types, mut json, mut lists) = (Vec::new(), Vec::new(), Vec::new());
    for named in corpus::all(24) {
        let ty = named.ty;
        types.push(ty.to_string());
        if ty.nodes() <= 8 {
            json.push(commloom_layout::json::write(&ty));
        }
        let starts: Vec<String> = ty.type_map().map(|e| e.displacement.to_string()).collect();
        if starts.len() <= 160 {
            lists.push(starts.join(" "));
        }
    }
    for (file, mut expected) in
        [("types.txt", types), ("json.txt", json), ("displacements.txt", lists)]
    {
        expected.sort();
        expected.dedup();
        if std::env::var_os("COMMLOOM_WRITE_SEEDS").is_some() {
            let text = expected.join("\n") + "\n";
            fs::write(folder().join("seeds").join(file), text).expect("a folder to write in");
        }
        let seeds = seeds(file);
        let missing = expected.iter().find(|line| !seeds.contains(line));
        assert_eq!(missing, None, "{file}: run this test with COMMLOOM_WRITE_SEEDS=1");
    }
}

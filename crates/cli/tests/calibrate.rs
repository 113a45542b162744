//! `commloom calibrate` with every MPI library that is installed.

mod common;

use std::path::Path;
use std::process::Command;

use commloom_layout::CostModel;
use common::{output, run};

/// Names of the libraries that tests use, where they are installed.
fn installed() -> Vec<&'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&str| {
        let compiler = format!("mpicc.{name}");
        std::env::split_paths(&path).any(|dir| dir.join(&compiler).is_file())
    };
    let found: Vec<&str> = ["mpich", "openmpi"].into_iter().filter(is_there).collect();
    let required = ["CI", "COMMLOOM_REQUIRE_MPI"].iter().any(|v| std::env::var_os(v).is_some());
    assert!(!found.is_empty() || !required, "MPI is required here, but there is no mpicc.*");
    if found.is_empty() {
        commloom_testkit::skipped("calibrate: neither MPICH nor Open MPI is installed");
    }
    found
}

/// `name = value` lines of the table.
fn constants(text: &str) -> Vec<(String, u64)> {
    let (_, table) = text.split_once("[cost]\n").expect("a table");
    let constant = |line: &str| {
        let (name, value) = line.split_once(" = ").expect("a constant");
        (name.to_owned(), value.parse().expect("a whole number"))
    };
    table.lines().map(constant).collect()
}

#[test]
fn the_file_of_every_library_is_a_cost_model_that_the_commands_take() {
    for name in installed() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.toml"));
        let file = file.to_str().expect("UTF-8");
        assert_eq!(output(&["calibrate", "--mpi", name, "--rounds", "5", "-o", file], ""), "");
        let text = std::fs::read_to_string(file).expect("it was written");
        for told in ["library  ", "machine  ", "date     ", "R^2 = ", "+-"] {
            assert!(text.contains(told), "{told} is not in\n{text}");
        }
        let constants = constants(&text);
        assert_eq!(constants.len(), CostModel::default().constants().count(), "{text}");
        let mut model = CostModel::default();
        for (name, value) in constants {
            assert!(value >= 1, "{text}");
            model.set(&name, value).expect("a constant");
        }
        let tile = "vector(100, 1, 1, contiguous(4, MPI_INT))";
        let normal = output(&["normalize", "--cost", file, tile], "");
        // Few rounds on a busy machine can make a list cheaper than a loop; nothing makes it
        // dearer.
        let line = normal.lines().find_map(|line| line.strip_prefix("cost ")).expect("a cost");
        let cost = line.split(' ').next().and_then(|cost| cost.parse::<u64>().ok());
        assert!(cost.is_some_and(|cost| cost <= model.vec + model.leaf), "{normal}");
    }
}

#[test]
fn without_a_file_the_constants_alone_come_on_standard_output() {
    for name in installed() {
        let text = output(&["calibrate", "--mpi", name, "--rounds", "1"], "");
        assert!(text.starts_with("# Cost model"), "{text}");
        assert!(!constants(&text).is_empty(), "{text}");
    }
}

#[test]
fn a_library_that_is_not_there_or_not_mpi_is_named() {
    for (library, message) in [
        ("/nowhere/libmpi.so", "cannot open /nowhere/libmpi.so"),
        ("libc.so.6", "libc.so.6 is no MPI library"),
    ] {
        let done = run(&["calibrate", "--mpi", library], "");
        assert_eq!((done.status, done.out.as_str()), (Some(2), ""), "{done:?}");
        assert!(done.err.starts_with("error: cannot measure MPI_Pack"), "{done:?}");
        assert!(done.err.contains(message), "{done:?}");
    }
}

/// A library that ends the process on its own, as some do where they cannot start.
#[test]
fn a_library_that_ends_the_process_is_reported_with_what_it_said() {
    const SOURCE: &str = r#"
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void start(void) {
    puts("noise on standard output");
    fflush(stdout);
    fputs("no network here\n", stderr);
    _exit(3);
}
"#;
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, library) = (dir.join("ends.c"), dir.join("libends.so"));
    std::fs::write(&source, SOURCE).expect("writable");
    let compiler =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    match compiler {
        Ok(status) => assert!(status.success(), "cc failed"),
        Err(error) => {
            return commloom_testkit::skipped(&format!("calibrate: no C compiler: {error}"));
        }
    }
    let done = run(&["calibrate", "--mpi", library.to_str().expect("UTF-8")], "");
    assert_eq!((done.status, done.out.as_str()), (Some(2), ""), "{done:?}");
    assert_eq!(
        done.err,
        "error: cannot measure MPI_Pack: the library ended the process (exit status: 3)\n\
         it said:\nno network here\n"
    );
}

//! book/src/reference/functions.md is made of the table, and what it says is true of the symbols
//! that the preloads export.

#[path = "../examples/functions.rs"]
mod page;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use commloom_mpi_api::{Form, Version, functions};
use page::Treatment;

#[test]
fn the_page_is_made_of_the_table() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/reference/functions.md");
    let made =
        "cargo run -p commloom-mpi-api --example functions > book/src/reference/functions.md";
    assert!(fs::read_to_string(file).is_ok_and(|text| text == page::page()), "{made}");
}

const MPI_4: Version = Version { major: 4, minor: 0 };

#[test]
fn the_preloads_export_what_the_page_says() {
    // Beside the tests are the libraries, where they were built.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../debug");
    let mut wrong = Vec::new();
    for library in ["mpich", "abi", "openmpi"] {
        let file: PathBuf = built.join(format!("libcommloom_{library}.so"));
        if !file.exists() {
            // Not eprintln: the test harness would hide it.
            let _ = writeln!(std::io::stderr(), "SKIPPED {}: it was not built", file.display());
            continue;
        }
        let mut exported = exported(&file);
        for function in functions() {
            let treatment = page::section(function).treatment;
            for (form, name, since) in function.forms() {
                let is_known = library != "openmpi" || (form == Form::Int && since <= MPI_4);
                let is_wrapped = treatment == Treatment::Wrapped
                    || (treatment == Treatment::WrappedInt && form == Form::Int);
                for name in [name.clone(), format!("P{name}")] {
                    if exported.remove(&name) != (is_wrapped && is_known) {
                        wrong.push(format!("{library}: {name}"));
                    }
                }
            }
        }
        wrong.extend(exported.into_iter().map(|name| format!("{library}: {name}")));
    }
    assert!(wrong.is_empty(), "exported, but not on the page, or the other way: {wrong:?}");
}

/// The functions of MPI that a library exports.
fn exported(library: &Path) -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(library).output();
    let output = output.expect("nm comes with the compiler");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter_map(|line| line.split_whitespace().last());
    names.filter(|n| n.starts_with("MPI_") || n.starts_with("PMPI_")).map(str::to_owned).collect()
}

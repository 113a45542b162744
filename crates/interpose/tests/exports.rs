//! Which symbols the three preloads export, by nm(1). What one of them lacks goes to the library
//! unseen.

mod harness;

use std::collections::BTreeSet;
use std::process::Command;

/// The functions that a preload exports.
fn exports(name: &str) -> BTreeSet<String> {
    let mut nm = Command::new("nm");
    let output = nm.args(["-D", "--defined-only"]).arg(harness::preload(name)).output();
    let output = output.expect("nm is there, as gcc is");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // "000000000010e570 T MPI_Send"
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| Some(line.split_once(" T ")?.1.to_owned())).collect()
}

/// A function that came with MPI 4: Open MPI 4 and 5 do not have them.
fn is_new(name: &str) -> bool {
    let family = ["_all", "_any", "_some"].map(|end| format!("MPI_Request_get_status{end}"));
    name.ends_with("_c") || family.iter().any(|new| name.ends_with(new.as_str()))
}

#[test]
fn the_standard_abi_is_wrapped_as_mpich_is() {
    let (abi, mpich) = (exports("abi"), exports("mpich"));
    assert!(abi.contains("MPI_Send") && abi.contains("MPI_Send_c"), "{abi:?}");
    assert_eq!(abi, mpich);
}

#[test]
fn open_mpi_lacks_only_what_it_has_not() {
    let (openmpi, mpich) = (exports("openmpi"), exports("mpich"));
    let lacking: Vec<&String> = mpich.difference(&openmpi).filter(|name| !is_new(name)).collect();
    assert!(lacking.is_empty(), "{lacking:?}");
    assert!(openmpi.is_subset(&mpich), "{:?}", openmpi.difference(&mpich));
    assert!(!openmpi.iter().any(|name| is_new(name)));
}

#[test]
fn every_function_has_both_names_and_nothing_else_is_exported() {
    for preload in ["abi", "mpich", "openmpi"] {
        let all = exports(preload);
        assert!(all.len() > 150, "{preload}: {}", all.len());
        for name in &all {
            let other = match name.strip_prefix('P') {
                Some(name) => name.to_owned(),
                None => format!("P{name}"),
            };
            assert!(
                name.starts_with("commloom_") || all.contains(&other),
                "{preload}: {name}, no {other}"
            );
        }
    }
}

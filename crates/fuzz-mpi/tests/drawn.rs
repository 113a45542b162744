//! Of all functions of MPI that move data described by datatypes, the fuzzer draws every form, or
//! it is said here why not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use commloom_mpi_api::{Function, Role, functions};

/// Why a function is not drawn.
fn reason(function: &Function) -> Option<&'static str> {
    let has = |role| function.position(role).is_some();
    match function.name {
        _ if has(Role::File) => Some("files are left to the library"),
        _ if has(Role::Window) && function.name != "MPI_Put" => Some("so is what is not put"),
        _ if has(Role::Operation) => Some("and so is what computes with the elements"),
        "MPI_Isendrecv" | "MPI_Isendrecv_replace" => Some("left to the library as well"),
        "MPI_Psend_init" | "MPI_Precv_init" => Some("partitioned messages are not even wrapped"),
        "MPI_Pack_external" | "MPI_Unpack_external" => Some("nor is packing in a portable form"),
        _ => None,
    }
}

#[test]
fn what_takes_datatypes_is_drawn_or_left_out_for_a_reason() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut called = names_in(&crates.join("fuzz-mpi/src"));
    // Nothing else can be called: `get` is a word of Rust, too.
    let pointers = words(&crates.join("mpi/src/functions.rs"));
    called.retain(|name| pointers.contains(name));
    let has_datatype = |f: &&Function| f.buffers().iter().any(|b| b.datatype.is_some());
    let mut drawn = 0;
    for function in functions().iter().filter(has_datatype) {
        for (_, name, _) in function.forms() {
            let field = name.trim_start_matches("MPI_").to_ascii_lowercase();
            match (called.contains(&field), reason(function)) {
                (true, None) => drawn += 1,
                (false, Some(_)) => {}
                (true, Some(reason)) => panic!("{name} is drawn, though: {reason}"),
                (false, None) => panic!("{name} is not drawn: draw it, or say why not"),
            }
        }
    }
    assert_eq!(drawn, 134, "forms of functions");
}

/// All words in the source but for comments: a call names the function as the table of pointers
/// does.
fn names_in(folder: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        names.append(&mut if path.is_dir() { names_in(&path) } else { words(&path) });
    }
    names
}

fn words(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).expect("a file");
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.map(str::to_owned).collect()
}

//! Compares the table with every `mpi.h` that can be found: names, results and types of parameters
//! of all functions, and whether headers declare what the standard of their version has.

// What belongs to messages is of no use here.
#[allow(dead_code)]
#[path = "../../mpi/tests/common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use commloom_mpi_api::{Form, Function, Version, find, functions};

/// A function in one of its forms, as a header may have it.
struct Declaration {
    name: String,
    function: &'static Function,
    form: Form,
    since: Version,
}

#[test]
fn headers_declare_what_the_table_has() {
    let compilers = common::compilers();
    if compilers.is_empty() {
        common::skip("headers", "no mpicc on PATH, in .venv*/bin or in COMMLOOM_MPICC");
        return;
    }
    let mut wrong = String::new();
    for (i, compiler) in compilers.iter().enumerate() {
        let folder = common::scratch(&format!("headers_{i}"));
        let header = preprocessed(compiler, &folder);
        let version = version(&header);
        let declared = declared(&header);
        let (agree, others) = types(compiler, &folder, &declared);
        let is_new = version >= Version { major: 5, minor: 0 };
        let mut problems: Vec<String> = Vec::new();
        for name in others.into_iter().filter(|name| is_new || !WRONG.contains(&name.as_str())) {
            let call = find(&name).expect("it was asked for by this name");
            let pointer = call.function.pointer(call.form);
            problems.push(format!("{name}: declared otherwise than {pointer}"));
        }
        for one in all().filter(|one| !declared.contains(one.name.as_str())) {
            let is_gone = one.function.removed.is_some_and(|removed| removed <= version);
            if one.since <= version && !is_gone && !may_be_missing(&one.name) {
                problems.push(format!("{}: of MPI {}, but not declared", one.name, one.since));
            }
        }
        let unknown = declared.iter().filter(|name| !is_extra(name) && find(name).is_none());
        problems.extend(unknown.map(|name| format!("{name}: declared, but not in the table")));
        println!("{}: MPI {version}, {agree} prototypes agree", compiler.display());
        assert!(agree > 300, "{}: {agree}", compiler.display());
        for problem in problems {
            let _ = writeln!(wrong, "{}: {problem}", compiler.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn all() -> impl Iterator<Item = Declaration> {
    functions().iter().flat_map(|function| {
        let forms = function.forms();
        forms.map(move |(form, name, since)| Declaration { name, function, form, since })
    })
}

/// Functions that may be macros.
fn may_be_missing(name: &str) -> bool {
    name.ends_with("2c") || name.contains("2f") || name.starts_with("MPI_Aint_")
}

/// Names that a header has before parentheses besides functions of MPI that programs call.
fn is_extra(name: &str) -> bool {
    let is_type =
        |f: &Function| f.result.c == name || f.parameters(Form::Int).any(|p| p.kind.c == name);
    // Callbacks, values of keyvals, and what Open MPI 5 has of its own.
    let ends = ["_function", "_FN", "_fn", "MPI_Session_set_info"];
    ends.iter().any(|end| name.ends_with(end)) || functions().iter().any(is_type)
}

/// Functions that headers before MPI 5.0 have wrong in a `const`: MPICH 4.0 and, of MPI 4.1,
/// Intel.
const WRONG: [&str; 7] = [
    "MPI_Pready_list",
    "MPI_Request_get_status_all",
    "MPI_Request_get_status_any",
    "MPI_Request_get_status_some",
    "MPI_Status_get_error",
    "MPI_Status_get_source",
    "MPI_Status_get_tag",
];

/// The header, and its version of MPI, which macros tell.
fn preprocessed(compiler: &Path, folder: &Path) -> String {
    let source = folder.join("header.c");
    let text = "#include <mpi.h>\nint version = MPI_VERSION, subversion = MPI_SUBVERSION;\n";
    fs::write(&source, text).expect("writable");
    let output =
        Command::new(compiler).args(["-E", "-P"]).arg(&source).output().expect("a compiler");
    assert!(output.status.success(), "{}: {output:?}", compiler.display());
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn version(header: &str) -> Version {
    let number = |name: &str| -> Option<u8> {
        let (_, rest) = header.rsplit_once(&format!("{name} = "))?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    };
    let (major, minor) = (number(" version"), number(" subversion"));
    Version { major: major.expect("a number"), minor: minor.expect("a number") }
}

/// The names before parentheses.
fn declared(header: &str) -> BTreeSet<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    header
        .match_indices('(')
        .filter_map(|(at, _)| {
            let before = header[..at].trim_end();
            let start = before.rfind(|c| !is_name(c))? + 1;
            Some(&before[start..])
        })
        .filter(|name| name.starts_with("MPI_"))
        .collect()
}

/// Compares the types of what the header declares: how many agree, and which do not.
fn types(compiler: &Path, folder: &Path, declared: &BTreeSet<&str>) -> (usize, Vec<String>) {
    let (source, program) = (folder.join("types.c"), folder.join("types"));
    let mut text = "#include <mpi.h>\n#include <stdio.h>\n\
        #define SAME(name, ...) printf(\"%d %s\\n\", \
        __builtin_types_compatible_p(__typeof__(&name), __VA_ARGS__), #name)\n\
        int main(void) {\n"
        .to_owned();
    for one in all().filter(|one| declared.contains(one.name.as_str())) {
        let _ = writeln!(text, "SAME({}, {});", one.name, one.function.pointer(one.form));
    }
    text.push_str("return 0;\n}\n");
    fs::write(&source, &text).expect("writable");
    common::compile(compiler, &source, &program, &[])
        .unwrap_or_else(|errors| panic!("{}: {errors}", compiler.display()));
    let printed = common::run(&program);
    let (same, others): (Vec<&str>, Vec<&str>) =
        printed.lines().partition(|line| line.starts_with('1'));
    (same.len(), others.iter().map(|line| line[2..].to_owned()).collect())
}

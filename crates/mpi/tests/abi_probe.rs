//! Compares the ABI tables with every `mpi.h` that can be found: a C program prints each constant,
//! handle, size and offset that this crate uses. (Prototypes: `headers` of `commloom-mpi-api`.)

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use commloom_mpi::abi::predefined::{self, Source};
use commloom_mpi::{Abi, Combiner, Mpich, OpenMpi, Standard, Status, TEXT_CAPACITY};

/// Prints which ABI the header declares.
const KIND: &str = r#"
#include <mpi.h>
#include <stdio.h>
int main(void) {
#if defined(OPEN_MPI)
    puts("Open MPI");
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(MVAPICH2_VERSION)
    puts("MPICH");
#elif defined(MPI_ABI_VERSION)
    puts("MPI-5 standard ABI");
#else
    puts("unknown");
#endif
    return 0;
}
"#;

/// A line that the probe prints: `key value`. The handles of Open MPI are shown by the symbol that
/// the header takes the address of.
const HEAD: &str = r#"
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#ifdef OPEN_MPI
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) #global
#define HANDLE(name) printf("handle %s %s\n", #name, (const char *)(name))
#else
#define HANDLE(name) printf("handle %s %lu\n", #name, (unsigned long)(uint32_t)(uintptr_t)(name))
#endif
#define INTEGER(name) printf("integer %s %ld\n", #name, (long)(name))
#define ADDRESS(name) printf("address %s %ld\n", #name, (long)(intptr_t)(name))
#define SIZE(type) printf("size %s %zu\n", #type, sizeof(type))
#define OFFSET(field) printf("offset %s %zu\n", #field, offsetof(MPI_Status, field))
int main(void) {
"#;

/// One thing to print, and what it must be.
struct Expectation {
    key: String,
    c: String,
    value: Value,
    may_be_absent: bool,
}

enum Value {
    Exactly(String),
    AtMost(usize),
}

#[test]
fn the_tables_agree_with_every_mpi_header_found() {
    let compilers = common::compilers();
    if compilers.is_empty() {
        common::skip("abi_probe", "no mpicc on PATH, in .venv*/bin or in COMMLOOM_MPICC");
        return;
    }
    for (i, compiler) in compilers.iter().enumerate() {
        let folder = common::scratch(&format!("abi_probe_{i}"));
        let kind = header_kind(compiler, &folder);
        let (checked, problems) = match kind.as_str() {
            "MPICH" => probe::<Mpich>(compiler, &folder),
            "Open MPI" => probe::<OpenMpi>(compiler, &folder),
            "MPI-5 standard ABI" => probe::<Standard>(compiler, &folder),
            other => panic!("{}: the ABI is {other}", compiler.display()),
        };
        println!("{}: {kind}, {checked} facts agree", compiler.display());
        assert!(problems.is_empty(), "{} ({kind}):\n{}", compiler.display(), problems.join("\n"));
    }
}

fn header_kind(compiler: &Path, folder: &Path) -> String {
    let (source, program) = (folder.join("kind.c"), folder.join("kind"));
    fs::write(&source, KIND).expect("writable");
    common::compile(compiler, &source, &program, &[])
        .unwrap_or_else(|e| panic!("{} cannot compile: {e}", compiler.display()));
    common::run(&program).trim().to_owned()
}

/// Compiles and runs the probe: how many facts were compared, and which disagree.
fn probe<A: Abi>(compiler: &Path, folder: &Path) -> (usize, Vec<String>) {
    let all = expectations::<A>();
    let printed = print_all(compiler, folder, &all);
    let mut problems = Vec::new();
    let mut checked = 0;
    for Expectation { key, value, may_be_absent, .. } in &all {
        let Some(found) = printed.get(key) else {
            if !may_be_absent {
                problems.push(format!("{key}: the header does not have it"));
            }
            continue;
        };
        let agrees = match value {
            Value::Exactly(value) => found == value,
            Value::AtMost(limit) => found.parse().is_ok_and(|n: usize| n <= *limit),
        };
        // MPICH names types that it was built without, as the null handle.
        let null = key.starts_with("handle") && *found == null_datatype::<A>();
        if agrees {
            checked += 1;
        } else if !(null && *may_be_absent) {
            let value = match value {
                Value::Exactly(value) => value.clone(),
                Value::AtMost(limit) => format!("at most {limit}"),
            };
            problems.push(format!("{key}: the table says {value}, the header {found}"));
        }
    }
    (checked, problems)
}

fn expectations<A: Abi>() -> Vec<Expectation> {
    let mut all = Vec::new();
    let mut push = |kind: &str, name: &str, c: String, value: String, may_be_absent| {
        let key = format!("{kind} {name}");
        all.push(Expectation { key, c, value: Value::Exactly(value), may_be_absent });
    };
    for (name, value) in A::CONSTANTS.integers() {
        push("integer", name, format!("INTEGER({name})"), value.to_string(), false);
    }
    for (name, value) in A::CONSTANTS.addresses() {
        push("address", name, format!("ADDRESS({name})"), value.to_string(), false);
    }
    for (combiner, name, value) in Combiner::values(A::KIND) {
        use Combiner::{HindexedInteger, HvectorInteger, StructInteger, ValueIndex};
        let optional =
            matches!(combiner, HindexedInteger | HvectorInteger | StructInteger | ValueIndex);
        push("integer", name, format!("INTEGER({name})"), value.to_string(), optional);
    }
    for (name, source) in predefined::objects(A::KIND) {
        push("handle", name, format!("HANDLE({name})"), shown(source), false);
    }
    for (name, source) in predefined::datatypes(A::KIND) {
        push("handle", name, format!("HANDLE({name})"), shown(source), is_optional(name));
    }
    for (name, size) in [
        ("MPI_Datatype", size_of::<A::Datatype>()),
        ("MPI_Comm", size_of::<A::Comm>()),
        ("MPI_Request", size_of::<A::Request>()),
        ("MPI_Message", size_of::<A::Message>()),
        ("MPI_Errhandler", size_of::<A::Errhandler>()),
        ("MPI_Info", size_of::<A::Info>()),
        ("MPI_Win", size_of::<A::Win>()),
        ("MPI_File", size_of::<A::File>()),
        ("MPI_Group", size_of::<A::Group>()),
        ("MPI_Op", size_of::<A::Op>()),
        ("MPI_Session", size_of::<A::Session>()),
        ("MPI_Status", size_of::<A::Status>()),
        ("MPI_Aint", size_of::<isize>()),
        ("MPI_Count", size_of::<i64>()),
        ("MPI_Offset", size_of::<i64>()),
    ] {
        // Sessions came with MPI 4.0.
        let may_be_absent = name == "MPI_Session";
        push("size", name, format!("SIZE({name})"), size.to_string(), may_be_absent);
    }
    for (name, offset) in A::Status::FIELDS {
        push("offset", name, format!("OFFSET({name})"), offset.to_string(), false);
    }
    for name in ["MPI_MAX_LIBRARY_VERSION_STRING", "MPI_MAX_PROCESSOR_NAME", "MPI_MAX_ERROR_STRING"]
    {
        all.push(Expectation {
            key: format!("integer {name}"),
            c: format!("INTEGER({name})"),
            value: Value::AtMost(TEXT_CAPACITY),
            may_be_absent: false,
        });
    }
    all
}

/// Types that depend on the version of the library or on the Fortran compiler behind it, and the
/// two markers that MPI 3.0 removed.
fn is_optional(name: &str) -> bool {
    const NAMES: [&str; 13] = [
        "MPI_INTEGER16",
        "MPI_REAL2",
        "MPI_REAL16",
        "MPI_COMPLEX4",
        "MPI_COMPLEX32",
        "MPI_LOGICAL1",
        "MPI_LOGICAL2",
        "MPI_LOGICAL4",
        "MPI_LOGICAL8",
        "MPI_LOGICAL16",
        "MPI_LB",
        "MPI_UB",
        "MPI_CXX_LONG_DOUBLE_COMPLEX",
    ];
    NAMES.contains(&name)
}

fn shown(source: Source) -> String {
    match source {
        Source::Bits(bits) => bits.to_string(),
        Source::Symbol(name) => name.to_owned(),
    }
}

fn null_datatype<A: Abi>() -> String {
    predefined::objects(A::KIND)
        .find(|(name, _)| *name == "MPI_DATATYPE_NULL")
        .map(|(_, source)| shown(source))
        .expect("every ABI has it")
}

/// The output of the probe, by key. Lines that do not compile (names that this header lacks) are
/// left out and the rest is compiled again.
fn print_all(compiler: &Path, folder: &Path, all: &[Expectation]) -> BTreeMap<String, String> {
    let (source, program) = (folder.join("probe.c"), folder.join("probe"));
    let first_line = HEAD.lines().count() + 1;
    let mut absent: BTreeSet<usize> = BTreeSet::new();
    loop {
        let mut text = HEAD.to_owned();
        for (i, e) in all.iter().enumerate() {
            let line = if absent.contains(&i) { "" } else { &e.c };
            writeln!(text, "{line};").expect("a string grows");
        }
        text.push_str("return 0;\n}\n");
        fs::write(&source, &text).expect("writable");
        let errors = match common::compile(compiler, &source, &program, &[]) {
            Ok(()) => break,
            Err(errors) => errors,
        };
        let before = absent.len();
        absent.extend(
            lines_with_errors(&errors)
                .filter_map(|line| line.checked_sub(first_line))
                .filter(|&i| i < all.len()),
        );
        assert!(absent.len() > before, "{}: {errors}", compiler.display());
    }
    common::run(&program)
        .lines()
        .filter_map(|line| line.rsplit_once(' '))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Line numbers in messages such as `probe.c:17:9: error: ...`. Errors inside macros of the header
/// point at the line of the probe by a note.
fn lines_with_errors(messages: &str) -> impl Iterator<Item = usize> {
    messages.lines().filter_map(|message| {
        let rest = message.split_once("probe.c:")?.1;
        let (line, rest) = rest.split_once(':')?;
        let is_error = rest.contains("error:") || rest.contains("in expansion of macro");
        if is_error { line.parse().ok() } else { None }
    })
}

//! `crates/mpi/src/prototypes.rs` is made of the table, for the functions that `functions.rs`
//! beside it names.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use commloom_mpi_api::{Form, Function, find};

fn source_of_mpi(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../mpi/src").join(file)
}

#[test]
fn the_prototypes_are_those_of_the_table() {
    let file = source_of_mpi("prototypes.rs");
    let wanted = prototypes();
    if fs::read_to_string(&file).is_ok_and(|text| text == wanted) {
        return;
    }
    let right = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prototypes.rs");
    fs::write(&right, wanted).expect("the target folder is writable");
    panic!("the table has other prototypes: cp {} {}", right.display(), file.display());
}

/// The names in the call of `functions!`, which ends the file.
fn fields() -> Vec<String> {
    let text = fs::read_to_string(source_of_mpi("functions.rs")).expect("the file");
    let (_, list) = text.rsplit_once("functions! {").expect("a list");
    list.lines()
        .filter(|line| !line.contains(['{', '}']) && !line.trim_start().starts_with("//"))
        .flat_map(str::split_whitespace)
        .map(str::to_owned)
        .collect()
}

fn prototypes() -> String {
    let mut arms = String::new();
    for field in fields() {
        let call = find(&format!("MPI_{field}")).unwrap_or_else(|| panic!("{field}"));
        let (_, name, _) = call.function.forms().find(|form| form.0 == call.form).expect("of C");
        let pointer = pointer(call.function, call.form);
        let _ = writeln!(
            arms,
            "    (name {field}) => {{ \"{name}\" }}; (type {field}) => {{ {pointer} }};"
        );
    }
    format!(
        "//! The names and prototypes of the functions that [`functions`](crate::functions) \
         lists.\n\
         //!\n\
         //! Made of the table in `commloom-mpi-api` by its `tests/prototypes.rs`: do not edit.\n\
         \n\
         /// `prototype!(name send)` is `\"MPI_Send\"`, and `prototype!(type send)` the type \
         of a pointer\n\
         /// to it, where `A` is an ABI.\n\
         #[rustfmt::skip]\n\
         macro_rules! prototype {{\n{arms}}}\n\
         \n\
         pub(crate) use prototype;\n"
    )
}

fn pointer(function: &Function, form: Form) -> String {
    let arguments: Vec<String> = function
        .parameters(form)
        .map(|parameter| parameter.c_type(form))
        // What else `MPI_Pcontrol` may be given depends on the library.
        .filter(|c| c != "...")
        .map(|c| rust_type(&c))
        .collect();
    let result = rust_type(function.result.c);
    format!("unsafe extern \"C-unwind\" fn({}) -> {result}", arguments.join(", "))
}

fn rust_type(c: &str) -> String {
    if let Some(target) = c.strip_suffix('*') {
        let target = target.trim_end();
        if let Some(callback) =
            target.strip_prefix("MPI_").and_then(|t| t.strip_suffix("_attr_function"))
        {
            // MPI_Comm_copy_attr_function is CommCopyFunction here.
            let words = callback
                .split('_')
                .map(|word| format!("{}{}", word[..1].to_uppercase(), &word[1..]));
            return format!("{}Function<A>", words.collect::<String>());
        }
        return match target.strip_prefix("const ") {
            Some(constant) => format!("*const {}", rust_type(constant)),
            None => format!("*mut {}", rust_type(target)),
        };
    }
    match (c, c.strip_prefix("MPI_")) {
        ("int" | "char" | "double" | "void", _) => format!("c_{c}"),
        (_, Some(number @ ("Aint" | "Count" | "Offset"))) => number.to_owned(),
        (_, Some(handle)) => format!("A::{handle}"),
        _ => panic!("no type for {c}"),
    }
}

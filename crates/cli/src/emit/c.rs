//! The calls as a C99 function.

use std::fmt::Write;

use commloom_layout::{Type, text};

use super::calls::{Call, Calls, Handle};
use crate::failure::Failure;

/// A file with one function `int NAME(MPI_Datatype *newtype)`.
pub fn c(name: &str, ty: &Type, calls: &Calls) -> Result<String, Failure> {
    let n = calls.0.len();
    let mut body = String::new();
    for (k, call) in calls.0.iter().enumerate() {
        write_call(k, call, &mut body);
    }
    let description: String =
        text::pretty(ty).lines().map(|line| format!(" *     {line}\n")).collect();
    Ok(format!(
        "#include <mpi.h>\n\n\
         /* Builds and commits the type\n\
         {description} * The caller frees it. Returns MPI_SUCCESS, or the code of the call that failed. */\n\
         int {name}(MPI_Datatype *newtype)\n\
         {{\n    \
             MPI_Datatype t[{n}];\n    \
             int rc = MPI_SUCCESS;\n    \
             for (int i = 0; i < {n}; i++)\n        \
                 t[i] = MPI_DATATYPE_NULL;\n\
         {body}    \
             if (rc == MPI_SUCCESS)\n        \
                 rc = MPI_Type_commit(&t[{last}]);\n    \
             if (rc == MPI_SUCCESS) {{\n        \
                 *newtype = t[{last}];\n        \
                 t[{last}] = MPI_DATATYPE_NULL;\n    \
             }}\n    \
             for (int i = 0; i < {n}; i++)\n        \
                 if (t[i] != MPI_DATATYPE_NULL)\n            \
                     MPI_Type_free(&t[i]);\n    \
             return rc;\n\
         }}\n",
        last = n - 1
    ))
}

fn write_call(k: usize, call: &Call, out: &mut String) {
    let mut arrays = String::new();
    let call = match call {
        Call::Dup(old) => format!("dup({}", handle(old)),
        Call::Contiguous { count, old } => format!("contiguous({count}, {}", handle(old)),
        Call::Vector { count, block, stride, old } => {
            format!("vector({count}, {block}, {stride}, {}", handle(old))
        }
        Call::Hvector { count, block, stride, old } => {
            format!("create_hvector({count}, {block}, {}, {}", wide(*stride), handle(old))
        }
        Call::Indexed { blocks, displacements, old } => {
            array("int", "blocks", blocks.iter().map(ToString::to_string), &mut arrays);
            array("int", "at", displacements.iter().map(ToString::to_string), &mut arrays);
            format!("indexed({}, blocks, at, {}", blocks.len(), handle(old))
        }
        Call::Hindexed { blocks, displacements, old } => {
            array("int", "blocks", blocks.iter().map(ToString::to_string), &mut arrays);
            array("MPI_Aint", "at", displacements.iter().map(|&d| wide(d)), &mut arrays);
            format!("create_hindexed({}, blocks, at, {}", blocks.len(), handle(old))
        }
        Call::IndexedBlock { block, displacements, old } => {
            array("int", "at", displacements.iter().map(ToString::to_string), &mut arrays);
            format!("create_indexed_block({}, {block}, at, {}", displacements.len(), handle(old))
        }
        Call::HindexedBlock { block, displacements, old } => {
            array("MPI_Aint", "at", displacements.iter().map(|&d| wide(d)), &mut arrays);
            format!("create_hindexed_block({}, {block}, at, {}", displacements.len(), handle(old))
        }
        Call::Struct { displacements, olds } => {
            array("int", "blocks", olds.iter().map(|_| "1".to_owned()), &mut arrays);
            array("MPI_Aint", "at", displacements.iter().map(|&d| wide(d)), &mut arrays);
            array("MPI_Datatype", "types", olds.iter().map(handle), &mut arrays);
            format!("create_struct({}, blocks, at, types", olds.len())
        }
        Call::Resized { lb, extent, old } => {
            format!("create_resized({}, {}, {}", handle(old), wide(*lb), wide(*extent))
        }
    };
    let guard = "    if (rc == MPI_SUCCESS)";
    let _ = if arrays.is_empty() {
        writeln!(out, "{guard}\n        rc = MPI_Type_{call}, &t[{k}]);")
    } else {
        writeln!(out, "{guard} {{\n{arrays}        rc = MPI_Type_{call}, &t[{k}]);\n    }}")
    };
}

/// A local array; handles are not compile-time constants in every MPI library.
fn array(ty: &str, name: &str, items: impl Iterator<Item = String>, out: &mut String) {
    let keyword = if ty == "MPI_Datatype" { "const" } else { "static const" };
    let _ = write!(out, "        {keyword} {ty} {name}[] = {{");
    out.push_str(&wrapped(items, 84, "\n            "));
    out.push_str("};\n");
}

/// Items with commas between; if they do not fit on one line of `width` characters, on lines of
/// their own that each start with `newline`.
pub fn wrapped(items: impl Iterator<Item = String>, width: usize, newline: &str) -> String {
    let mut lines = vec![String::new()];
    for item in items {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(&item);
        } else if line.len() + item.len() + 3 <= width {
            line.push_str(", ");
            line.push_str(&item);
        } else {
            line.push(',');
            lines.push(item);
        }
    }
    match lines.as_slice() {
        [line] => line.clone(),
        lines => lines.iter().map(|line| format!("{newline}{line}")).collect(),
    }
}

fn handle(handle: &Handle) -> String {
    match handle {
        Handle::Basic(basic) => basic.name().to_owned(),
        Handle::Made(k) => format!("t[{k}]"),
    }
}

/// An `MPI_Aint` constant.
fn wide(n: i64) -> String {
    match n {
        i64::MIN => "(-9223372036854775807 - 1)".to_owned(),
        n => n.to_string(),
    }
}

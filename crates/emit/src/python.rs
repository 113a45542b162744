//! The calls as a Python function with mpi4py.

use std::fmt::Write;

use commloom_layout::{Basic, Type, text};

use crate::c::wrapped;
use crate::calls::{Call, Calls, Handle};

/// A module with one function `NAME()` that returns the committed type.
#[must_use]
pub fn python(name: &str, ty: &Type, calls: &Calls) -> String {
    let mut body = String::new();
    for (k, call) in calls.0.iter().enumerate() {
        let _ = writeln!(body, "        t.append({})  # t[{k}]", expression(call));
    }
    let description: String =
        text::pretty(ty).lines().map(|line| format!("        {line}\n")).collect();
    format!(
        "from mpi4py import MPI\n\n\n\
         def {name}():\n    \
             \"\"\"Builds and commits the type\n\n\
         {description}\n    \
             The caller frees it.\n    \
             \"\"\"\n    \
             t = []\n    \
             try:\n\
         {body}        \
                 return t.pop().Commit()\n    \
             finally:\n        \
                 for old in t:\n            \
                     old.Free()\n"
    )
}

fn expression(call: &Call) -> String {
    match call {
        Call::Dup(old) => format!("{}.Dup()", handle(old)),
        Call::Contiguous { count, old } => format!("{}.Create_contiguous({count})", handle(old)),
        Call::Vector { count, block, stride, old } => {
            format!("{}.Create_vector({count}, {block}, {stride})", handle(old))
        }
        Call::Hvector { count, block, stride, old } => {
            format!("{}.Create_hvector({count}, {block}, {stride})", handle(old))
        }
        Call::Indexed { blocks, displacements, old } => {
            format!("{}.Create_indexed({}, {})", handle(old), list(blocks), list(displacements))
        }
        Call::Hindexed { blocks, displacements, old } => {
            format!("{}.Create_hindexed({}, {})", handle(old), list(blocks), list(displacements))
        }
        Call::IndexedBlock { block, displacements, old } => {
            format!("{}.Create_indexed_block({block}, {})", handle(old), list(displacements))
        }
        Call::HindexedBlock { block, displacements, old } => {
            format!("{}.Create_hindexed_block({block}, {})", handle(old), list(displacements))
        }
        Call::Struct { displacements, olds } => {
            let types = bracketed(olds.iter().map(handle));
            let ones = format!("[1] * {}", olds.len());
            format!("MPI.Datatype.Create_struct({ones}, {}, {types})", list(displacements))
        }
        Call::Resized { lb, extent, old } => {
            format!("{}.Create_resized({lb}, {extent})", handle(old))
        }
    }
}

fn list<T: ToString>(items: &[T]) -> String {
    bracketed(items.iter().map(T::to_string))
}

fn bracketed(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", wrapped(items, 84, "\n            "))
}

/// The name of a basic type in mpi4py's module `MPI`: MPI's without `MPI_`, with one exception.
#[must_use]
pub fn mpi4py_name(basic: Basic) -> &'static str {
    match basic {
        Basic::LONG_LONG_INT => "LONG_LONG",
        basic => basic.name().trim_start_matches("MPI_"),
    }
}

fn handle(handle: &Handle) -> String {
    match handle {
        Handle::Basic(basic) => format!("MPI.{}", mpi4py_name(*basic)),
        Handle::Made(k) => format!("t[{k}]"),
    }
}

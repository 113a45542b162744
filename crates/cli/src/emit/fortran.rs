//! The calls as a Fortran 2003 subroutine with the `mpi` module.

use std::fmt::Write;

use commloom_layout::{Basic, Type, text};

use super::calls::{Call, Calls, Handle};
use crate::failure::Failure;

/// A file with one `subroutine NAME(newtype, ierror)`.
///
/// # Errors
/// A basic type that has no handle in Fortran.
pub fn fortran(name: &str, ty: &Type, calls: &Calls) -> Result<String, Failure> {
    let lists = calls.0.iter().map(list_length).max().unwrap_or(0);
    let n = calls.0.len();
    let mut body = String::new();
    for (k, call) in calls.0.iter().enumerate() {
        body.push_str("  if (ierror == MPI_SUCCESS) then\n");
        write_call(k + 1, call, &mut body)?;
        body.push_str("  end if\n");
    }
    let description: String =
        text::pretty(ty).lines().map(|line| format!("!     {line}\n")).collect();
    let (mut declared, mut allocated) = (String::new(), String::new());
    for (array, ty) in [
        ("blocks", "integer"),
        ("at", "integer"),
        ("offsets", "integer(kind=MPI_ADDRESS_KIND)"),
        ("types", "integer"),
    ] {
        if body.contains(&format!(" {array}(")) {
            let _ = writeln!(declared, "  {ty}, allocatable :: {array}(:)");
            let _ = writeln!(allocated, "  allocate ({array}({lists}))");
        }
    }
    Ok(format!(
        "! Builds and commits the type\n\
         {description}\
         ! The caller frees it. ierror is MPI_SUCCESS, or the code of the call that failed.\n\
         subroutine {name}(newtype, ierror)\n  \
           use mpi\n  \
           implicit none\n  \
           integer, intent(out) :: newtype, ierror\n  \
           integer :: t({n}), i, ignored\n\
         {declared}\n\
         {allocated}  \
           t = MPI_DATATYPE_NULL\n  \
           newtype = MPI_DATATYPE_NULL\n  \
           ierror = MPI_SUCCESS\n\
         {body}  \
           if (ierror == MPI_SUCCESS) call MPI_Type_commit(t({n}), ierror)\n  \
           if (ierror == MPI_SUCCESS) then\n    \
             newtype = t({n})\n    \
             t({n}) = MPI_DATATYPE_NULL\n  \
           end if\n  \
           do i = 1, {n}\n    \
             if (t(i) /= MPI_DATATYPE_NULL) call MPI_Type_free(t(i), ignored)\n  \
           end do\n\
         end subroutine {name}\n"
    ))
}

fn list_length(call: &Call) -> usize {
    match call {
        Call::Indexed { blocks, .. } | Call::Hindexed { blocks, .. } => blocks.len(),
        Call::IndexedBlock { displacements, .. } => displacements.len(),
        Call::HindexedBlock { displacements, .. } | Call::Struct { displacements, .. } => {
            displacements.len()
        }
        _ => 0,
    }
}

fn write_call(k: usize, call: &Call, out: &mut String) -> Result<(), Failure> {
    let call = match call {
        Call::Dup(old) => format!("dup({}", handle(old)?),
        Call::Contiguous { count, old } => format!("contiguous({count}, {}", handle(old)?),
        Call::Vector { count, block, stride, old } => {
            format!("vector({count}, {block}, {stride}, {}", handle(old)?)
        }
        Call::Hvector { count, block, stride, old } => {
            format!("create_hvector({count}, {block}, {}, {}", wide(*stride), handle(old)?)
        }
        Call::Indexed { blocks, displacements, old } => {
            assign("blocks", blocks.iter().map(ToString::to_string), out);
            assign("at", displacements.iter().map(ToString::to_string), out);
            format!("indexed({}, blocks, at, {}", blocks.len(), handle(old)?)
        }
        Call::Hindexed { blocks, displacements, old } => {
            assign("blocks", blocks.iter().map(ToString::to_string), out);
            assign("offsets", displacements.iter().map(|&d| wide(d)), out);
            format!("create_hindexed({}, blocks, offsets, {}", blocks.len(), handle(old)?)
        }
        Call::IndexedBlock { block, displacements, old } => {
            assign("at", displacements.iter().map(ToString::to_string), out);
            let n = displacements.len();
            format!("create_indexed_block({n}, {block}, at, {}", handle(old)?)
        }
        Call::HindexedBlock { block, displacements, old } => {
            assign("offsets", displacements.iter().map(|&d| wide(d)), out);
            let n = displacements.len();
            format!("create_hindexed_block({n}, {block}, offsets, {}", handle(old)?)
        }
        Call::Struct { displacements, olds } => {
            let types = olds.iter().map(handle).collect::<Result<Vec<String>, _>>()?;
            assign("blocks", olds.iter().map(|_| "1".to_owned()), out);
            assign("offsets", displacements.iter().map(|&d| wide(d)), out);
            assign("types", types.into_iter(), out);
            format!("create_struct({}, blocks, offsets, types", olds.len())
        }
        Call::Resized { lb, extent, old } => {
            let (lb, extent) = (wide(*lb), wide(*extent));
            format!("create_resized({}, {lb}, {extent}", handle(old)?)
        }
    };
    let line = format!("    call MPI_Type_{call}, t({k}), ierror)");
    out.push_str(&continued(&line));
    Ok(())
}

/// A statement, broken behind a comma if it is too long for a line of 132 characters.
fn continued(line: &str) -> String {
    const WIDTH: usize = 120;
    match line.get(..WIDTH).and_then(|start| start.rfind(", ")) {
        Some(comma) => format!("{} &\n      {}\n", &line[..=comma], &line[comma + 2..]),
        None => format!("{line}\n"),
    }
}

/// Assigns a list in slices that respect the limits on lines and on continuation lines.
fn assign(array: &str, items: impl Iterator<Item = String>, out: &mut String) {
    const SLICE: usize = 3;
    let items: Vec<String> = items.collect();
    let per_line = if items.iter().all(|i| i.len() <= 12) { 8 } else { SLICE };
    for (k, slice) in items.chunks(per_line).enumerate() {
        let (first, last) = (k * per_line + 1, k * per_line + slice.len());
        let _ = writeln!(out, "    {array}({first}:{last}) = [{}]", slice.join(", "));
    }
}

fn handle(handle: &Handle) -> Result<String, Failure> {
    match handle {
        Handle::Basic(basic) if in_fortran(*basic) => Ok(basic.name().to_owned()),
        Handle::Basic(basic) => Err(Failure::message(format!(
            "cannot emit Fortran: {basic} has no handle in the Fortran bindings of common MPI \
             libraries"
        ))),
        Handle::Made(k) => Ok(format!("t({})", k + 1)),
    }
}

/// Types that the `mpi` modules of MPICH and Open MPI both leave out, or name nowhere.
fn in_fortran(basic: Basic) -> bool {
    ![Basic::COMPLEX4, Basic::LOGICAL16].contains(&basic)
}

/// An address-sized constant.
fn wide(n: i64) -> String {
    match n {
        i64::MIN => "(-9223372036854775807_MPI_ADDRESS_KIND - 1)".to_owned(),
        n => format!("{n}_MPI_ADDRESS_KIND"),
    }
}

//! The calls as a Fortran 2003 subroutine with the `mpi` module.

use std::fmt::Write;

use commloom_layout::{Basic, Type, text};

use crate::calls::{Call, Calls, Handle, Items, Spelling};

/// A basic type that the Fortran bindings do not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("cannot emit Fortran: {0} has no handle in the Fortran bindings of common MPI libraries")]
pub struct NoFortranHandle(Basic);

/// A file with one `subroutine NAME(newtype, ierror)`.
///
/// # Errors
/// A basic type that has no handle in Fortran.
pub fn fortran(name: &str, ty: &Type, calls: &Calls) -> Result<String, NoFortranHandle> {
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

fn write_call(k: usize, call: &Call, out: &mut String) -> Result<(), NoFortranHandle> {
    let (function, arguments) = call.spelled(&mut Fortran { out })?;
    let line = format!("    call {function}({}, t({k}), ierror)", arguments.join(", "));
    out.push_str(&continued(&line));
    Ok(())
}

/// The statements of the subroutine so far.
struct Fortran<'o> {
    out: &'o mut String,
}

impl Spelling for Fortran<'_> {
    type Error = NoFortranHandle;

    fn handle(&self, handle: Handle) -> Result<String, NoFortranHandle> {
        match handle {
            Handle::Basic(basic) if in_fortran(basic) => Ok(basic.name().to_owned()),
            Handle::Basic(basic) => Err(NoFortranHandle(basic)),
            Handle::Made(k) => Ok(format!("t({})", k + 1)),
        }
    }

    fn address(&self, number: i64) -> String {
        address(number)
    }

    fn list(&mut self, name: &'static str, items: Items) -> String {
        let (name, items) = match items {
            Items::Ints(all) => (name, all.iter().map(i32::to_string).collect()),
            Items::Addresses(all) => ("offsets", all.into_iter().map(address).collect()),
            Items::Types(all) => (name, all),
        };
        assign(name, &items, self.out);
        name.to_owned()
    }
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
fn assign(array: &str, items: &[String], out: &mut String) {
    const SLICE: usize = 3;
    let per_line = if items.iter().all(|i| i.len() <= 12) { 8 } else { SLICE };
    for (k, slice) in items.chunks(per_line).enumerate() {
        let (first, last) = (k * per_line + 1, k * per_line + slice.len());
        let _ = writeln!(out, "    {array}({first}:{last}) = [{}]", slice.join(", "));
    }
}

/// Types that the `mpi` modules of MPICH and Open MPI both leave out, or name nowhere.
fn in_fortran(basic: Basic) -> bool {
    ![Basic::COMPLEX4, Basic::LOGICAL16].contains(&basic)
}

/// An address-sized constant.
pub fn address(n: i64) -> String {
    match n {
        i64::MIN => "(-9223372036854775807_MPI_ADDRESS_KIND - 1)".to_owned(),
        n => format!("{n}_MPI_ADDRESS_KIND"),
    }
}

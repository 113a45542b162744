//! Things that new text of Fortran needs besides the datatype: names of MPI, `ierr`, and what
//! tells the compiler that variables have changed.

use commloom_copies::Direction;
use commloom_program::{Project, View};
use commloom_proof::{Part, Site};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, ExpressionKind as Kind, StatementKind, Storage};

use crate::anew::call_of;
use crate::emit::{self, Manner};

/// Whether a call of Fortran ends with `ierr`, which `mpi_f08` leaves to the program.
pub(crate) fn has_error_argument(project: &Project, site: &Site, part: &Part) -> bool {
    if !project.view(site.procedure).language().is_fortran() {
        return false;
    }
    let Some(call) = call_of(project, site, part) else { return true };
    let Some(function) = call.function() else { return true };
    commloom_program::arguments(function).is_none_or(|needed| call.arguments() > needed)
}

/// Statements after which Fortran's compilers know that variables have changed which the call does
/// not name: they may keep the values of locals and dummy arguments in registers (MPI 4.1, section
/// 19.1.17). Nothing is received from nobody: `MPI_F_sync_reg` would say it, but has other
/// arguments in each library.
pub(crate) fn read_anew(
    view: &View<'_>,
    part: &Part,
    manner: &Manner,
    made: Option<&String>,
) -> Vec<String> {
    let receives = part.unpacking.iter().chain(Some(&part.packing));
    let is_pending = part.at != part.call;
    let Some(targets) = receives.into_iter().find(|p| p.direction == Direction::Unpack) else {
        return Vec::new();
    };
    let error = made.and_then(|call| last_argument(call)).unwrap_or_else(|| "ierr".to_owned());
    let mut lines: Vec<String> = targets
        .touched
        .iter()
        .filter(|_| !is_pending)
        .filter(|name| {
            let storage = view.variable(name).map(|d| d.storage);
            matches!(storage, Some(Storage::Local | Storage::Argument))
        })
        .map(|name| {
            let receive = manner.case.write("MPI_Recv");
            format!(
                "call {receive}({name}, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, \
                 MPI_STATUS_IGNORE, {error})"
            )
        })
        .collect();
    if !lines.is_empty() {
        lines.insert(0, "! tells the compiler that these have new values".to_owned());
    }
    lines
}

/// Whether anybody looks at the variable that tells about errors: it is not the procedure's own,
/// or stands elsewhere than at the end of calls of MPI.
pub(crate) fn is_error_read(view: &View<'_>, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_own = view.variable(&name).is_none_or(|d| d.storage == Storage::Local);
    let is_it = |e: &Expression| match &e.kind {
        Kind::Name(other) => *other == name,
        Kind::Keyword(_, value) => matches!(&value.kind, Kind::Name(other) if *other == name),
        _ => false,
    };
    let (mut mentions, mut set) = (0, 0);
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            for expression in s.expressions() {
                expression.each(&mut |e| match &e.kind {
                    Kind::Name(other) => mentions += usize::from(*other == name),
                    Kind::Unknown(names) => mentions += usize::from(names.contains(&name)),
                    Kind::Call { function, arguments } => {
                        let is_mpi = function.root().is_some_and(|f| f.starts_with("mpi_"));
                        set += usize::from(is_mpi && arguments.last().is_some_and(is_it));
                    }
                    _ => {}
                });
            }
            if let StatementKind::Unknown(names) = &s.kind {
                mentions += usize::from(names.contains(&name));
            }
        });
    }
    !is_own || mentions > set
}

/// A name of MPI in new text of Fortran that `use mpi, only:` does not let in. (Procedures of
/// `mpi` need no interface; those of `mpi_f08` do.)
pub(crate) fn unseen_name(
    view: &View<'_>,
    text: &emit::Text,
    needs_procedures: bool,
    whole: &str,
) -> Option<String> {
    let lower = whole.to_ascii_lowercase();
    let known = view.names_of_mpi().filter(|_| !lower.contains("mpif.h"));
    let renamed = view.renamed_names_of_mpi();
    // `implicit none (type, external)`: each procedure is declared.
    let is_strict = lower.contains("mpif.h")
        && lower.split("implicit none").skip(1).any(|rest| {
            let list = rest.trim_start().strip_prefix('(').and_then(|list| list.split_once(')'));
            list.is_some_and(|(list, _)| list.contains("external"))
        });
    if known.is_none() && renamed.is_empty() && !is_strict {
        return None;
    }
    let needs_procedures = needs_procedures || is_strict || !renamed.is_empty();
    let is_unseen = |word: &str| {
        let is_procedure = is_strict && !word.starts_with("mpi_bottom");
        is_procedure || renamed.contains(word) || known.as_ref().is_some_and(|k| !k.contains(word))
    };
    let lines = text.declarations.iter().chain(&text.before).chain(&text.after);
    lines.chain([&text.buffer, &text.datatype]).find_map(|line| {
        let lower = line.to_ascii_lowercase();
        let rest = match lower.trim_start().strip_prefix("call ") {
            Some(call) if !needs_procedures => call.split_once('(').map_or("", |(_, rest)| rest),
            Some(call) => call,
            None => &lower,
        };
        let mut words = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        words.find(|w| w.starts_with("mpi_") && is_unseen(w)).map(str::to_owned)
    })
}

/// Whether a call has a variable in more than its last argument: calls before it must not change
/// it.
pub(crate) fn is_named_twice(call: &str, name: &str) -> bool {
    let words = call.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| word.eq_ignore_ascii_case(name)).count() > 1
}

/// The last argument of a call's text: Fortran's `ierr`, if it is a name.
pub(crate) fn last_argument(call: &str) -> Option<String> {
    let inside = call.trim_end().strip_suffix(')')?;
    let last = inside.rsplit([',', '(']).next()?.rsplit('=').next()?;
    // Continuation marks of fixed form stand before it.
    let name = last.split_whitespace().last()?.trim_start_matches(['&', '>', '+', '$', '*', '.']);
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Open MPI's own binding does not read such a destination before it writes the error: no
    /// program can be run for this.
    #[test]
    fn the_variable_for_errors_may_be_an_argument_too() {
        assert!(is_named_twice("call MPI_Send(b, n, MPI_INTEGER, ie, 7, comm, IE)", "ie"));
        assert!(!is_named_twice("call MPI_Send(b, n, MPI_INTEGER, to, 7, comm, ie)", "ie"));
    }
}

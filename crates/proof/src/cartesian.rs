//! Grids of processes that are closed in all directions: whoever asks for a neighbour there gets
//! one, and never nobody (MPI 4.1, section 8.5.6).
//!
//! A communicator is such a grid where all that ever sets it is `MPI_Cart_create` with periods
//! that are all true: a list of constants, or a local array to which nothing else is given.

use commloom_program::View;
use commloom_source::Language;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Storage, Unary,
};

use super::requests::number;
use super::touch::{Touches, roots};

/// Whether a statement sets a variable to the rank of a neighbour in such a grid.
pub(super) fn is_shift(view: &View<'_>, statement: &Statement, name: &str) -> bool {
    let Some(arguments) = call(statement, "mpi_cart_shift") else { return false };
    let is_it =
        |at: usize| arguments.get(at).is_some_and(|e| roots(e).iter().any(|root| root == name));
    (is_it(3) || is_it(4)) && arguments.first().is_some_and(|comm| is_closed(view, comm))
}

/// The arguments of the call that a statement is.
fn call<'s>(statement: &'s Statement, wanted: &str) -> Option<&'s [Expression]> {
    let (StatementKind::Evaluate(value) | StatementKind::Assign { value, .. }) = &statement.kind
    else {
        return None;
    };
    let Kind::Call { function, arguments } = &value.kind else { return None };
    function.root().is_some_and(|n| n.eq_ignore_ascii_case(wanted)).then_some(arguments.as_slice())
}

/// Whether a communicator is a grid without borders, wherever it is set.
fn is_closed(view: &View<'_>, comm: &Expression) -> bool {
    let Kind::Name(name) = &comm.kind else { return false };
    let Some(declared) = view.variable(name) else { return false };
    match (declared.storage, view.global(name)) {
        (Storage::Local, _) => sets(view, name) == Some(true),
        (Storage::Shared | Storage::Kept, Some(global)) => {
            let project = view.project();
            let mut is_set = false;
            for other in project.procedures().map(|id| project.view(id)) {
                let mut own: Vec<&Name> =
                    other.procedure().scope.variables.iter().map(|d| &d.name).collect();
                own.push(name);
                let seen = own.into_iter().find(|n| other.global(n).as_ref() == Some(&global));
                match seen.map(|seen| sets(&other, seen)) {
                    None => {}
                    Some(Some(set)) => is_set |= set,
                    Some(None) => return false,
                }
            }
            is_set
        }
        _ => false,
    }
}

/// Whether a procedure makes such a grid of a communicator; none if it does anything else to it.
fn sets(view: &View<'_>, comm: &str) -> Option<bool> {
    let mut is_set = false;
    let mut is_other = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            // What a procedure that is called does is seen in that one.
            let is_named = s.expressions().iter().any(|e| e.mentions(comm));
            let is_set_here = is_named && writes(view, s, comm);
            if !is_set_here && !leaks(view, s, comm) {
                return;
            }
            let made = call(s, "mpi_cart_create")
                .filter(|all| all.get(5).is_some_and(|e| roots(e).iter().any(|root| root == comm)));
            match made.and_then(|all| Some((all.get(1)?, all.get(3)?))) {
                Some((count, periods)) => {
                    let is_closed =
                        number(view, count).is_some_and(|count| are_true(view, periods, count));
                    is_set |= is_closed;
                    is_other |= !is_closed;
                }
                None => {
                    let is_end = call(s, "mpi_comm_free").is_some();
                    let is_new = matches!(&s.kind, StatementKind::Declare(all)
                        if all.iter().all(|declared| declared.value.is_none()));
                    is_other |= !is_end && !is_new;
                }
            }
        });
    }
    (!is_other).then_some(is_set)
}

fn writes(view: &View<'_>, statement: &Statement, name: &str) -> bool {
    Touches::of(view, statement).writes.iter().any(|(written, _)| written == name)
}

/// Whether a statement lets somebody else than MPI set a variable, now or later.
fn leaks(view: &View<'_>, statement: &Statement, name: &str) -> bool {
    let mut leaks = false;
    let mut inside = |e: &Expression| match &e.kind {
        Kind::Unary(Unary::Address, inner) => leaks |= inner.root().is_some_and(|n| n == name),
        // By reference.
        Kind::Call { arguments, .. } if view.language() != Language::C => {
            leaks |= arguments.iter().any(|a| a.root().is_some_and(|n| n == name));
        }
        Kind::Unknown(names) => leaks |= names.iter().any(|n| n == name),
        _ => {}
    };
    for expression in statement.expressions() {
        match &expression.kind {
            Kind::Call { function, arguments }
                if function.root().is_some_and(|n| commloom_program::is_mpi(n)) =>
            {
                let given = |e: &Expression| matches!(&e.kind, Kind::Unary(Unary::Address, _));
                let others = arguments.iter().filter(|e| !given(e));
                others.for_each(|e| e.each(&mut inside));
            }
            _ => expression.each(&mut inside),
        }
    }
    if let StatementKind::Declare(all) = &statement.kind {
        let values = all.iter().filter_map(|declared| declared.value.as_ref());
        leaks |= values.into_iter().any(|value| value.mentions(name));
    }
    leaks
}

/// Whether as many periods as a grid has dimensions are all true.
fn are_true(view: &View<'_>, periods: &Expression, count: i64) -> bool {
    if is_full(view, periods, count) {
        return true;
    }
    let Kind::Name(name) = &periods.kind else { return false };
    let Some(declared) = view.variable(name) else { return false };
    let is_given = |value: &Expression| is_full(view, value, count);
    let is_first_true = declared.value.as_ref().is_some_and(is_given);
    let is_own = match declared.storage {
        // What is set nowhere is nobody's guess; what is kept begins as zeros.
        Storage::Local => declared.value.is_none() || is_first_true,
        Storage::Kept => is_first_true,
        _ => false,
    };
    if !is_own || !view.is_private(name) {
        return false;
    }
    let mut is_set = is_first_true;
    let mut is_other = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| match &s.kind {
            StatementKind::Assign { target, operation: None, value }
                if roots(target).first() == Some(name) =>
            {
                let is_all = matches!(target.kind, Kind::Name(_));
                let is_one = !matches!(value.kind, Kind::List(_)) && is_true(view, value);
                is_set = true;
                is_other |= if is_all && !view.language().is_fortran() {
                    !is_given(value)
                } else {
                    !(is_one || is_given(value))
                };
            }
            _ => is_other |= writes(view, s, name),
        });
    }
    is_set && !is_other
}

/// Whether a list has as many values, all of them true.
fn is_full(view: &View<'_>, value: &Expression, count: i64) -> bool {
    match &value.kind {
        Kind::List(all) => {
            i64::try_from(all.len()).is_ok_and(|n| n >= count)
                && all.iter().all(|e| is_true(view, e))
        }
        _ => view.language().is_fortran() && is_true(view, value),
    }
}

fn is_true(view: &View<'_>, value: &Expression) -> bool {
    match &value.kind {
        Kind::Literal(text) | Kind::Name(text)
            if [".true.", "true"].iter().any(|known| text.eq_ignore_ascii_case(known)) =>
        {
            true
        }
        _ => number(view, value).is_some_and(|number| number != 0),
    }
}

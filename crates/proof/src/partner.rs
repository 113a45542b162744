//! The process at the other end of a message, and conditions that say whether there is one.
//!
//! A message to or from `MPI_PROC_NULL` moves nothing (MPI 5.0, section 3.10). Copies that are
//! made only where there is somebody are made whenever the message moves something.

use commloom_copies::Direction;
use commloom_program::View;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Statement, StatementKind,
};

use super::flow::{alike, jumps};
use super::found::Found;
use super::touch::{Touches, roots};

/// The argument of a call that says who sends, or who gets the message.
pub(super) fn partner<'f>(
    view: &View<'_>,
    found: &Found<'f>,
    role: &str,
) -> Option<&'f Expression> {
    let position = view.wrapper(&found.function).map_or_else(
        || {
            let function = commloom_mpi_api::find(&found.function)?.function;
            let mut names = function.parameters(commloom_mpi_api::Form::Int);
            names.position(|parameter| parameter.name == role)
        },
        |wrapper| wrapper.at(wrapper.stands_for().position(role)?),
    );
    position.and_then(|at| found.arguments.get(at))
}

/// Conditions that ask whether there is somebody at the other end of a call, each with what they
/// say where there is: of a partner that stays who it is from the call, or from the first mention
/// of the buffer if that is earlier, to the end of the procedure.
pub(super) fn conditions(view: &View<'_>, found: &Found<'_>) -> Vec<(Expression, bool)> {
    let role = match found.side.direction {
        Direction::Pack => "dest",
        Direction::Unpack => "source",
    };
    let Some(partner) = partner(view, found, role).filter(|_| stays(view, found, role)) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if let StatementKind::If { condition, .. } = &s.kind
                && let Some(holds) = asks(condition, partner)
            {
                all.push((condition.clone(), holds));
            }
        });
    }
    all
}

/// Whether a condition compares somebody with nobody, and is true if they differ.
fn asks(condition: &Expression, somebody: &Expression) -> Option<bool> {
    let Kind::Binary(sign, left, right) = &condition.kind else { return None };
    let holds = match sign {
        Binary::NotEqual => true,
        Binary::Equal => false,
        _ => return None,
    };
    let nobody = "mpi_proc_null";
    let is_nobody =
        |e: &Expression| matches!(&e.kind, Kind::Name(name) if name.eq_ignore_ascii_case(nobody));
    let is_that =
        (alike(left, somebody) && is_nobody(right)) || (alike(right, somebody) && is_nobody(left));
    is_that.then_some(holds)
}

/// Whether nothing that a partner is made of changes behind where its message begins.
fn stays(view: &View<'_>, found: &Found<'_>, role: &str) -> bool {
    let procedure = view.procedure();
    let Some(partner) = partner(view, found, role).filter(|_| !jumps(procedure)) else {
        return false;
    };
    let mut names: Vec<Name> = Vec::new();
    partner.each(&mut |e| match &e.kind {
        Kind::Name(name) if view.constant(name).is_none() => names.push(name.clone()),
        _ => {}
    });
    let is_plain = |e: &Expression| matches!(e.kind, Kind::Name(_) | Kind::Integer(_));
    let is_part = match &partner.kind {
        Kind::Element { .. } | Kind::Member { .. } => true,
        _ => is_plain(partner),
    };
    let start = begin(view, found);
    let is_private = names.iter().all(|name| view.is_private(name));
    let mut changes = false;
    for statement in &procedure.body {
        statement.each(&mut |s| {
            let touches = Touches::of(view, s);
            let is_behind = |end: usize| end > start;
            let writes = touches.writes.iter().filter(|(_, at)| is_behind(at.end));
            changes |= writes.into_iter().any(|(written, _)| {
                names.iter().any(|name| name == written || view.may_alias(name, written))
            });
            changes |= !is_private && touches.anything.iter().any(|at| is_behind(at.end));
        });
    }
    is_part && !changes
}

/// Where the buffer of a call is mentioned first, but for its declaration; the call at the latest.
fn begin(view: &View<'_>, found: &Found<'_>) -> usize {
    let call = found.statement.start;
    if found.side.direction == Direction::Unpack {
        return call;
    }
    let buffer = roots(found.buffer);
    let is_it = |name: &Name| {
        buffer.contains(name) || view.targets(name).iter().any(|target| buffer.contains(target))
    };
    let mut first = call;
    let mut look = |s: &Statement| {
        if matches!(s.kind, StatementKind::Declare(_)) {
            return;
        }
        for expression in s.expressions() {
            expression.each(&mut |e| {
                if matches!(&e.kind, Kind::Name(name) if is_it(name)) {
                    first = first.min(s.span.start);
                }
            });
        }
    };
    view.procedure().body.iter().for_each(|statement| statement.each(&mut look));
    first
}

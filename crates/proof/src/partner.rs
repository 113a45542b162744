//! The process at the other end of a message, and conditions that say whether there is one.
//!
//! A message to or from `MPI_PROC_NULL` moves nothing (MPI 5.0, section 3.10). Copies that are
//! made only where there is somebody are made whenever the message moves something.

use commloom_copies::{Direction, Packing};
use commloom_program::View;
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Binary, Expression, ExpressionKind as Kind, Name, StatementKind};

use super::flow::{alike, jumps};
use super::found::Found;
use super::touch::Touches;

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
/// say where there is. From the first of them on, or from the call, the partner stays who it is.
pub(super) fn conditions(view: &View<'_>, found: &Found<'_>) -> Vec<(Expression, bool)> {
    let role = match found.side.direction {
        Direction::Pack => "dest",
        Direction::Unpack => "source",
    };
    let Some(partner) = partner(view, found, role) else { return Vec::new() };
    let call = found.statement.start;
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
    if all.is_empty() {
        return all;
    }
    let begin = all.iter().map(|(condition, _)| condition.span.start).chain([call]).min();
    if stays(view, partner, begin.unwrap_or(call)) { all } else { Vec::new() }
}

/// Whether all copies are made under such conditions.
pub(super) fn guards(view: &View<'_>, packing: &Packing) -> bool {
    let given = &packing.setting.given;
    let is_under = |copy: &Span| {
        let mut found = false;
        for statement in &view.procedure().body {
            statement.each(&mut |s| {
                let StatementKind::If { condition, then, otherwise } = &s.kind else { return };
                let Some((_, holds)) = given.iter().find(|(one, _)| one == condition) else {
                    return;
                };
                let branch = if *holds { then } else { otherwise };
                found |= s.span == *copy || branch.iter().any(|inner| inner.span.contains(*copy));
            });
        }
        found
    };
    !given.is_empty() && packing.statements.iter().all(is_under)
}

/// Whether a value is MPI's name of nobody.
pub(super) fn is_nobody(value: &Expression) -> bool {
    matches!(&value.kind, Kind::Name(name) if name.eq_ignore_ascii_case("mpi_proc_null"))
}

/// Whether a condition compares somebody with nobody, and is true if they differ.
fn asks(condition: &Expression, somebody: &Expression) -> Option<bool> {
    let Kind::Binary(sign, left, right) = &condition.kind else { return None };
    let holds = match sign {
        Binary::NotEqual => true,
        Binary::Equal => false,
        _ => return None,
    };
    let is_that =
        (alike(left, somebody) && is_nobody(right)) || (alike(right, somebody) && is_nobody(left));
    is_that.then_some(holds)
}

/// Whether nothing that a partner is made of changes behind a place of the text.
fn stays(view: &View<'_>, partner: &Expression, begin: usize) -> bool {
    let procedure = view.procedure();
    let mut names: Vec<Name> = Vec::new();
    partner.each(&mut |e| match &e.kind {
        Kind::Name(name) if view.constant(name).is_none() => names.push(name.clone()),
        _ => {}
    });
    let is_place = matches!(
        partner.kind,
        Kind::Name(_) | Kind::Integer(_) | Kind::Element { .. } | Kind::Member { .. }
    );
    let is_private = names.iter().all(|name| view.is_private(name));
    let mut changes = false;
    for statement in &procedure.body {
        statement.each(&mut |s| {
            let touches = Touches::of(view, s);
            // A loop around the message sets its variable before the turn that it is sent in.
            let is_turned = |at: &Span| *at == s.span && matches!(s.kind, StatementKind::Loop(_));
            let is_behind =
                |at: &Span| if is_turned(at) { at.start >= begin } else { at.end > begin };
            let mut writes = touches.writes.iter().filter(|(_, at)| is_behind(at));
            changes |= writes.any(|(written, _)| {
                names.iter().any(|name| name == written || view.may_alias(name, written))
            });
            changes |= !is_private && touches.anything.iter().any(is_behind);
        });
    }
    is_place && !changes && !jumps(procedure)
}

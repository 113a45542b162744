//! Whether statements change what a loop counts by, as far as one sees it in the loop alone. What
//! calls and other names of the same memory may do is asked later, of the whole project.

use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Unary,
};

/// Whether a statement changes a variable, or memory of the name that [`reads`] gives it. Taking
/// its address counts: who has it may change it.
pub(super) fn changes(statements: &[Statement], name: &str) -> bool {
    statements.iter().any(|s| match &s.kind {
        StatementKind::Loop(inner) => {
            inner.variable == name
                || [&inner.first, &inner.last, &inner.step].iter().any(|e| changed_in(e, name))
                || changes(&inner.body, name)
        }
        StatementKind::While { condition, body } => {
            condition.iter().any(|e| changed_in(e, name)) || changes(body, name)
        }
        StatementKind::If { condition, then, otherwise } => {
            changed_in(condition, name) || changes(then, name) || changes(otherwise, name)
        }
        StatementKind::Assign { target, value, .. } => {
            is_place(target, name) || changed_in(target, name) || changed_in(value, name)
        }
        StatementKind::Evaluate(value) => changed_in(value, name),
        StatementKind::Declare(all) => {
            all.iter().any(|d| d.value.iter().any(|e| changed_in(e, name)))
        }
        StatementKind::Block(body) => changes(body, name),
        StatementKind::Return(value) => value.iter().any(|e| changed_in(e, name)),
        StatementKind::Unknown(names) => names.iter().any(|n| n == name),
        StatementKind::Break(_)
        | StatementKind::Continue(_)
        | StatementKind::Goto(_)
        | StatementKind::Label(_)
        | StatementKind::Nothing => false,
    })
}

fn changed_in(value: &Expression, name: &str) -> bool {
    match &value.kind {
        Kind::Step { target, .. } | Kind::Unary(Unary::Address, target)
            if is_place(target, name) =>
        {
            return true;
        }
        Kind::Assign { target, .. } if is_place(target, name) => return true,
        Kind::Unknown(names) => return names.iter().any(|n| n == name),
        _ => {}
    }
    value.parts().into_iter().any(|part| changed_in(part, name))
}

/// Whether an expression is the same however often it is looked at, if nobody writes to what it
/// reads.
pub(super) fn settles(value: &Expression) -> bool {
    match &value.kind {
        Kind::Call { .. } | Kind::Step { .. } | Kind::Assign { .. } | Kind::Unknown(_) => false,
        _ => value.parts().into_iter().all(settles),
    }
}

/// Names of all that an expression reads: variables, and memory by the last field or the variable
/// on the way to it.
pub(super) fn reads(value: &Expression, names: &mut Vec<Name>) {
    if let Some(name) = place(value) {
        names.push(name.to_owned());
    }
    for part in value.parts() {
        reads(part, names);
    }
}

fn is_place(target: &Expression, name: &str) -> bool {
    place(target) == Some(name)
}

/// `n` of `s->n`, `list` of `list[i]`, `p` of `*p`: two places of different names are taken for
/// different here.
fn place(target: &Expression) -> Option<&str> {
    match &target.kind {
        Kind::Name(name) => Some(name),
        Kind::Member { field, .. } => Some(field),
        Kind::Element { base, .. } => place(base),
        Kind::Unary(Unary::Dereference, base) | Kind::Cast(_, base) => place(base),
        Kind::Binary(_, left, _) => place(left),
        _ => None,
    }
}

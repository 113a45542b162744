//! Calls of MPI that are a part of a larger expression: `if ((err = MPI_Send(...)) != 0)`.
//!
//! Where a statement evaluates the call exactly once, whatever the values in it are, the call is a
//! statement of its own before it: nothing else in the expression acts, so nothing comes between.

use commloom_source::Span;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Statement, StatementKind, Unary,
};

/// Takes the call out of a value, if it is in there once and evaluated whenever the value is.
/// Nothing is known of what stands in its place.
pub(super) fn taken(value: &mut Expression, span: Span) -> Option<Statement> {
    let mut calls = 0_usize;
    value.each(&mut |e| calls += usize::from(is_call(e)));
    if calls != 1 {
        return None;
    }
    let call = take(value)?;
    Some(Statement { span, kind: StatementKind::Evaluate(call) })
}

fn take(value: &mut Expression) -> Option<Expression> {
    if is_call(value) {
        let kind = std::mem::replace(&mut value.kind, Kind::Unknown(Vec::new()));
        return Some(Expression { span: value.span, kind });
    }
    match &mut value.kind {
        Kind::Cast(_, inner)
        | Kind::Unary(Unary::Not | Unary::Minus | Unary::Complement, inner) => take(inner),
        // What stands on the right is evaluated after it, or never.
        Kind::Binary(Binary::And | Binary::Or, left, _) => take(left),
        Kind::Binary(_, left, right) if is_still(left) => take(right),
        Kind::Binary(_, left, right) if is_still(right) => take(left),
        Kind::Choice { condition, .. } => take(condition),
        // `check(MPI_Send(...), __LINE__)`: arguments are evaluated before the procedure begins.
        Kind::Call { function, arguments } if matches!(function.kind, Kind::Name(_)) => {
            let mut acting = arguments.iter_mut().filter(|a| !is_still(a));
            let only = acting.next()?;
            acting.next().is_none().then(|| take(only)).flatten()
        }
        Kind::Assign { target, value, .. } if is_still(target) => take(value),
        _ => None,
    }
}

/// Whether a value is a call of MPI, and nothing more.
pub(super) fn is_call(e: &Expression) -> bool {
    matches!(&e.kind, Kind::Call { function, .. }
        if matches!(&function.kind, Kind::Name(name) if name.starts_with("MPI_")))
}

/// Whether an expression does nothing but to have a value.
fn is_still(e: &Expression) -> bool {
    let mut acts = false;
    e.each(&mut |part| {
        acts |= matches!(
            part.kind,
            Kind::Call { .. } | Kind::Step { .. } | Kind::Assign { .. } | Kind::Unknown(_)
        );
    });
    !acts
}

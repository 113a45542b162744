//! Which `for` counts.

use commloom_source::Span;
use commloom_source::tree::{
    Binary, Bound, Expression, ExpressionKind as Kind, Loop, Name, Statement, StatementKind, Unary,
};
use tree_sitter::Node;

use super::changes::{changes, reads, settles};
use super::expression::comma;
use super::reader::{Jumps, Reader, field};
use super::variables::declare_locals;

/// The head of a `for`: its condition and one of the steps together.
struct Head {
    /// Which of the steps it is.
    step_index: usize,
    variable: Name,
    last: Expression,
    bound: Bound,
    step: Expression,
}

/// Translates a `for`.
///
/// It is counted if one of its steps changes a variable in the direction of the comparison, and
/// the body changes neither the variable nor the bound nor the step. Then other initializers stand
/// before it, and other steps at the end of its body; a `continue` that has other steps to do is a
/// jump there.
pub(super) fn for_loop(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) {
    let span = reader.span(node);
    reader.locals.enter();
    let mut before = Vec::new();
    let mut declared = Vec::new();
    match field(node, "initializer") {
        Some(initializer) if initializer.kind() == "declaration" => {
            declared = declare_locals(reader, initializer, &mut before);
        }
        Some(initializer) => {
            for part in comma(initializer) {
                reader.simple(part, &mut before);
            }
        }
        None => {}
    }
    let condition = field(node, "condition").map(|c| reader.expression(c));
    let mut steps = Vec::new();
    for part in field(node, "update").map(comma).unwrap_or_default() {
        reader.simple(part, &mut steps);
    }
    let next = reader.shared.fresh("next");
    reader.jumps.push(Jumps { next: Some(next.clone()), ..Jumps::default() });
    let mut body = reader.body_of(node, "body");
    let continues = reader.jumps.pop().unwrap_or_default().used_next;
    reader.locals.leave();

    let counted = condition.as_ref().and_then(|c| head(c, &steps)).and_then(|head| {
        let mut others = steps.clone();
        others.remove(head.step_index);
        if is_disturbed(&head, &body) || is_disturbed(&head, &others) {
            return None;
        }
        Some((take_first(&mut before, &head.variable, span)?, head, others))
    });
    let Some((first, head, others)) = counted else {
        if continues {
            body.push(Statement { span, kind: StatementKind::Label(next) });
        }
        body.extend(steps);
        out.extend(before);
        out.push(Statement { span, kind: StatementKind::While { condition, body } });
        return;
    };
    if continues && others.is_empty() {
        jumps_to_continue(&mut body, &next);
    } else if continues {
        body.push(Statement { span, kind: StatementKind::Label(next) });
    }
    body.extend(others);
    out.extend(before);
    let counted = Loop {
        declares: declared.contains(&head.variable),
        variable: head.variable,
        first,
        last: head.last,
        bound: head.bound,
        step: head.step,
        body,
        name: None,
    };
    out.push(Statement { span, kind: StatementKind::Loop(counted) });
}

fn head(condition: &Expression, steps: &[Statement]) -> Option<Head> {
    let Kind::Binary(comparison, left, right) = &condition.kind else { return None };
    let sides = [(comparison, left, right), (&mirrored(*comparison), right, left)];
    for (comparison, side, last) in sides {
        let Kind::Name(variable) = &side.kind else { continue };
        let mut changing =
            steps.iter().enumerate().filter(|(_, s)| changes(std::slice::from_ref(s), variable));
        let Some((step_index, step)) = changing.next() else { continue };
        if changing.next().is_some() || last.mentions(variable) || !settles(last) {
            continue;
        }
        let Some((step, falls)) = step_of(step, variable) else { continue };
        if step.mentions(variable) || !settles(&step) {
            continue;
        }
        let one = matches!(literal(&step), Some(1 | -1));
        let bound = match (comparison, falls) {
            (Binary::Less, false) | (Binary::Greater, true) => Bound::Exclusive,
            (Binary::LessEqual, false) | (Binary::GreaterEqual, true) => Bound::Inclusive,
            (Binary::NotEqual, _) if one => Bound::Exclusive,
            _ => continue,
        };
        let variable = variable.clone();
        return Some(Head { step_index, variable, last: (**last).clone(), bound, step });
    }
    None
}

/// The same comparison with its sides exchanged.
fn mirrored(comparison: Binary) -> Binary {
    match comparison {
        Binary::Less => Binary::Greater,
        Binary::LessEqual => Binary::GreaterEqual,
        Binary::Greater => Binary::Less,
        Binary::GreaterEqual => Binary::LessEqual,
        other => other,
    }
}

/// The number that a step adds, and whether it is less than zero. Where it is no number, its sign
/// is that of the operation: with the other sign the loop would not end.
fn step_of(statement: &Statement, variable: &str) -> Option<(Expression, bool)> {
    let span = statement.span;
    let (value, operation) = match &statement.kind {
        StatementKind::Evaluate(Expression { kind: Kind::Step { by, .. }, .. }) => {
            return Some((Expression { span, kind: Kind::Integer(*by) }, *by < 0));
        }
        StatementKind::Assign { operation: Some(operation), value, .. } => (value, *operation),
        StatementKind::Assign { operation: None, value, .. } => {
            let Kind::Binary(operation, left, right) = &value.kind else { return None };
            let is_variable = |e: &Expression| matches!(&e.kind, Kind::Name(n) if n == variable);
            match operation {
                _ if is_variable(left) => (&**right, *operation),
                Binary::Add if is_variable(right) => (&**left, *operation),
                _ => return None,
            }
        }
        _ => return None,
    };
    let falls = match operation {
        Binary::Add => false,
        Binary::Subtract => true,
        _ => return None,
    };
    match literal(value) {
        Some(0) => None,
        Some(number) => {
            let number = if falls { number.checked_neg()? } else { number };
            Some((Expression { span, kind: Kind::Integer(number) }, number < 0))
        }
        None if falls => {
            let negative = Kind::Unary(Unary::Minus, Box::new(value.clone()));
            Some((Expression { span, kind: negative }, true))
        }
        // A minus in front means that it falls.
        None if matches!(value.kind, Kind::Unary(Unary::Minus, _)) => None,
        None => Some((value.clone(), false)),
    }
}

fn literal(value: &Expression) -> Option<i64> {
    match &value.kind {
        Kind::Integer(number) => Some(*number),
        Kind::Unary(Unary::Minus, inner) => literal(inner)?.checked_neg(),
        _ => None,
    }
}

/// Whether statements of the loop change what it counts by.
fn is_disturbed(head: &Head, statements: &[Statement]) -> bool {
    let mut names = vec![head.variable.clone()];
    reads(&head.last, &mut names);
    reads(&head.step, &mut names);
    names.iter().any(|name| changes(statements, name))
}

/// Takes the variable's first value out of the initializers; without one it goes on from where it
/// is.
fn take_first(before: &mut Vec<Statement>, variable: &str, span: Span) -> Option<Expression> {
    let index = before.iter().rposition(|s| {
        matches!(&s.kind, StatementKind::Assign { target, operation: None, .. }
            if matches!(&target.kind, Kind::Name(n) if n == variable))
    });
    let Some(index) = index else {
        return Some(Expression { span, kind: Kind::Name(variable.to_owned()) });
    };
    let later_reads = before[index + 1..].iter().any(|s| match &s.kind {
        StatementKind::Assign { value, target, .. } => {
            value.mentions(variable) || target.mentions(variable)
        }
        StatementKind::Declare(_) => false,
        _ => true,
    });
    if later_reads {
        return None;
    }
    match before.remove(index).kind {
        StatementKind::Assign { value, .. } => Some(value),
        _ => None,
    }
}

/// A jump to the end of the body is a `continue`.
fn jumps_to_continue(statements: &mut [Statement], label: &str) {
    for statement in statements {
        match &mut statement.kind {
            StatementKind::Goto(labels) if labels.iter().any(|l| l == label) => {
                statement.kind = StatementKind::Continue(None);
            }
            StatementKind::If { then, otherwise, .. } => {
                jumps_to_continue(then, label);
                jumps_to_continue(otherwise, label);
            }
            StatementKind::Block(body) => jumps_to_continue(body, label),
            _ => {}
        }
    }
}

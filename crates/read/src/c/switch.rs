//! `switch`: a chain of `if` where no case falls through into the next, otherwise jumps.

use commloom_source::Span;
use commloom_source::tree::{
    Binary, Declaration, Expression, ExpressionKind, Name, Statement, StatementKind as Kind,
    Storage, Type,
};
use tree_sitter::Node;

use super::changes::settles;
use super::reader::{Jumps, Reader, children, field};

/// Cases that may become a chain; each is a level of the tree.
const CHAIN_LIMIT: usize = 16;

/// Values (none: `default`) and what is done then.
struct Arm {
    values: Vec<Option<Expression>>,
    body: Vec<Statement>,
}

/// Translates a `switch`. None: there is something else than cases in it.
pub(super) fn switch(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    out: &mut Vec<Statement>,
) -> Option<()> {
    let span = reader.span(node);
    let end = reader.shared.fresh("end");
    let subject = subject(reader, field(node, "condition")?, out);
    let next = reader.jumps.last().and_then(|j| j.next.clone());
    reader.jumps.push(Jumps { leave: Some(end.clone()), next, used_next: false });
    reader.locals.enter();
    let arms = reader.deeper(2 * CHAIN_LIMIT, |r| arms(r, node)).flatten();
    reader.locals.leave();
    let used_next = reader.jumps.pop().is_some_and(|j| j.used_next);
    if let Some(outer) = reader.jumps.last_mut() {
        outer.used_next |= used_next;
    }
    let mut arms = arms?;
    let chained = arms.len() <= CHAIN_LIMIT && is_chain(&mut arms, &end);
    if chained {
        out.extend(chain(arms, &subject, span));
    } else {
        jumps(reader, arms, &subject, end, span, out);
    }
    Some(())
}

/// The value that is compared; a new variable, if it can only be looked at once.
fn subject(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) -> Expression {
    let value = reader.expression(node);
    if settles(&value) {
        return value;
    }
    let span = value.span;
    let name = reader.shared.fresh("switch");
    let declaration = Declaration {
        name: name.clone(),
        span,
        of: Type::Basic("int".into(), 4),
        storage: Storage::Local,
        intent: None,
        unaliased: false,
        allocatable: false,
        is_volatile: false,
        is_constant: false,
        value: None,
    };
    out.push(Statement { span, kind: Kind::Declare(vec![declaration]) });
    let target = Expression { span, kind: ExpressionKind::Name(name) };
    let kind = Kind::Assign { target: target.clone(), operation: None, value };
    out.push(Statement { span, kind });
    target
}

fn arms(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Vec<Arm>> {
    let mut found: Vec<Arm> = Vec::new();
    let mut values = Vec::new();
    for case in children(field(node, "body")?) {
        if case.kind() != "case_statement" {
            return None;
        }
        let value = field(case, "value");
        values.push(value.map(|v| reader.expression(v)));
        let inside: Vec<_> = children(case).into_iter().filter(|c| Some(*c) != value).collect();
        if inside.is_empty() {
            continue;
        }
        let mut body = Vec::new();
        reader.statements(inside, &mut body);
        found.push(Arm { values: std::mem::take(&mut values), body });
    }
    if !values.is_empty() {
        found.push(Arm { values, body: Vec::new() });
    }
    Some(found)
}

/// Whether each case ends with its `break`, which is removed then; the last may do without.
fn is_chain(arms: &mut [Arm], end: &str) -> bool {
    let count = arms.len();
    let all_end = arms.iter().enumerate().all(|(i, a)| i + 1 == count || ends(&a.body));
    if !all_end
        || arms.iter().any(|a| leaves(&a.body, end) > usize::from(last_leaves(&a.body, end)))
    {
        return false;
    }
    for arm in arms {
        remove_last(&mut arm.body, end);
    }
    true
}

fn is_leave(statement: &Statement, end: &str) -> bool {
    matches!(&statement.kind, Kind::Goto(labels) if labels.iter().any(|l| l == end))
}

fn ends(body: &[Statement]) -> bool {
    match body.last().map(|s| &s.kind) {
        Some(Kind::Goto(_) | Kind::Return(_) | Kind::Continue(_) | Kind::Break(_)) => true,
        Some(Kind::Block(inner)) => ends(inner),
        _ => false,
    }
}

fn last_leaves(body: &[Statement], end: &str) -> bool {
    match body.last() {
        Some(Statement { kind: Kind::Block(inner), .. }) => last_leaves(inner, end),
        Some(last) => is_leave(last, end),
        None => false,
    }
}

fn remove_last(body: &mut Vec<Statement>, end: &str) {
    match body.last_mut() {
        Some(Statement { kind: Kind::Block(inner), .. }) => remove_last(inner, end),
        Some(last) if is_leave(last, end) => drop(body.pop()),
        _ => {}
    }
}

/// How many jumps to the end there are.
fn leaves(body: &[Statement], end: &str) -> usize {
    body.iter()
        .map(|s| match &s.kind {
            Kind::If { then, otherwise, .. } => leaves(then, end) + leaves(otherwise, end),
            Kind::Block(inner) | Kind::While { body: inner, .. } => leaves(inner, end),
            Kind::Loop(inner) => leaves(&inner.body, end),
            _ => usize::from(is_leave(s, end)),
        })
        .sum()
}

/// `if (x == 1 || x == 2) ... else if ... else ...`. Each has the place of the whole `switch`, as
/// statements contain what is in them.
fn chain(arms: Vec<Arm>, subject: &Expression, span: Span) -> Vec<Statement> {
    let (default, cases): (Vec<Arm>, Vec<Arm>) =
        arms.into_iter().partition(|a| a.values.iter().any(Option::is_none));
    let mut otherwise: Vec<Statement> = default.into_iter().flat_map(|a| a.body).collect();
    for arm in cases.into_iter().rev() {
        let Some(condition) = is_one_of(subject, &arm.values) else { continue };
        let kind = Kind::If { condition, then: arm.body, otherwise };
        otherwise = vec![Statement { span, kind }];
    }
    otherwise
}

fn is_one_of(subject: &Expression, values: &[Option<Expression>]) -> Option<Expression> {
    let binary = |operator, left: Expression, right: Expression| Expression {
        span: right.span,
        kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)),
    };
    values
        .iter()
        .flatten()
        .map(|value| binary(Binary::Equal, subject.clone(), value.clone()))
        .reduce(|all, one| binary(Binary::Or, all, one))
}

fn jumps(
    reader: &Reader<'_>,
    arms: Vec<Arm>,
    subject: &Expression,
    end: Name,
    span: Span,
    out: &mut Vec<Statement>,
) {
    let labels: Vec<Name> = arms.iter().map(|_| reader.shared.fresh("case")).collect();
    let go = |label: &Name| Statement { span, kind: Kind::Goto(vec![label.clone()]) };
    let mut default = &end;
    for (arm, label) in arms.iter().zip(&labels) {
        for value in &arm.values {
            let one = std::slice::from_ref(value);
            let Some(condition) = is_one_of(subject, one) else {
                default = label;
                continue;
            };
            let kind = Kind::If { condition, then: vec![go(label)], otherwise: Vec::new() };
            out.push(Statement { span, kind });
        }
    }
    out.push(go(default));
    for (arm, label) in arms.into_iter().zip(labels) {
        out.push(Statement { span, kind: Kind::Label(label) });
        out.extend(arm.body);
    }
    out.push(Statement { span, kind: Kind::Label(end) });
}

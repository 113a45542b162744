//! Calls of MPI that a macro checks: `CHECK(MPI_Send(...));`, `CHECK(error = MPI_Send(...));`.
//!
//! The call stands in the text as it is, and the macro evaluates it once, whatever else it does
//! with the result: so it is a statement of its own, at its own place, among the statements that
//! the macro becomes.

use commloom_source::Span;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Statement, StatementKind,
};
use tree_sitter::Node;

use super::macros::Meaning;
use super::reader::{Reader, children, field, is_broken};
use super::token::tokens;

/// Takes the place of the call in what the macro becomes.
const PLACE: &str = "commloom_the_call";

/// None: the statement is no such use of a macro.
pub(super) fn checked(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    out: &mut Vec<Statement>,
) -> Option<()> {
    let callee = field(node, "function").filter(|f| f.kind() == "identifier")?;
    let meaning = reader.shared.macros.get(reader.text_of(callee))?;
    let is_macro = matches!(meaning, Meaning::Tokens { parameters: Some(_), .. });
    if node.kind() != "call_expression" || reader.used_at.is_some() || !is_macro {
        return None;
    }
    let arguments = children(field(node, "arguments")?);
    let calls =
        arguments.into_iter().filter_map(|argument| Some((argument, call(reader, argument)?)));
    let [(argument, call)] = calls.collect::<Vec<_>>()[..] else { return None };
    let mut body = become_of(reader, node, argument)?;
    let name = reader.text_of(field(call, "function")?).to_ascii_lowercase();
    let receives = ["recv", "cast", "scatter", "gather", "alltoall"];
    if leaves(&body) && receives.iter().any(|word| name.contains(word)) {
        return None;
    }
    let whole = node.parent().filter(|parent| parent.kind() == "expression_statement");
    let at = reader.span(whole.unwrap_or(node));
    let word = reader.span(callee);
    for statement in &mut body {
        move_to(statement, word);
    }
    let kind = match reader.expression(argument) {
        Expression { kind: Kind::Assign { target, operation, value }, .. } => {
            StatementKind::Assign { target: *target, operation, value: *value }
        }
        value => StatementKind::Evaluate(value),
    };
    let own = Statement { span: at, kind };
    place(&mut body, own, at)?;
    out.push(Statement { span: at, kind: StatementKind::Block(body) });
    Some(())
}

/// The call of MPI that an argument is as a whole, or that it gives to a variable.
fn call<'n>(reader: &Reader<'_>, argument: Node<'n>) -> Option<Node<'n>> {
    let node = match argument.kind() {
        "assignment_expression" if is_named(argument, "left") => field(argument, "right")?,
        _ => argument,
    };
    let callee = field(node, "function").filter(|f| f.kind() == "identifier")?;
    let name = reader.text_of(callee);
    let is_call = node.kind() == "call_expression"
        && !is_broken(argument)
        && name.starts_with("MPI_")
        && reader.shared.macros.get(name).is_none();
    is_call.then_some(node)
}

fn is_named(node: Node<'_>, part: &str) -> bool {
    field(node, part).is_some_and(|part| part.kind() == "identifier")
}

/// The statements that a use of a macro becomes, with a name in the place of the argument.
fn become_of(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    argument: Node<'_>,
) -> Option<Vec<Statement>> {
    let before = reader.text.get(node.start_byte()..argument.start_byte())?;
    let after = reader.text.get(argument.end_byte()..node.end_byte())?;
    let text = reader.shared.macros.expand(&format!("{before}{PLACE}{after}"))?;
    if tokens(&text).filter(|token| token.text == PLACE).count() != 1 {
        return None;
    }
    let whole = format!("void _(void) {{ {text} ; }}");
    let tree = reader.shared.parse(&whole)?;
    let root = tree.root_node();
    let all = children(root);
    let [only] = all.as_slice() else { return None };
    let body = field(*only, "body").filter(|_| !root.has_error())?;
    let at = reader.span(node);
    Some(reader.inside(&whole, at, |inner| {
        let mut out = Vec::new();
        inner.statements(children(body), &mut out);
        out.retain(|statement| statement.kind != StatementKind::Nothing);
        out
    }))
}

/// Whether control may go elsewhere than behind the macro.
fn leaves(body: &[Statement]) -> bool {
    let mut leaves = false;
    for statement in body {
        statement.each(&mut |s| {
            leaves |= matches!(
                s.kind,
                StatementKind::Return(_)
                    | StatementKind::Goto(_)
                    | StatementKind::Break(_)
                    | StatementKind::Continue(_)
            );
        });
    }
    leaves
}

/// Says where a statement and those in it stand.
fn move_to(statement: &mut Statement, span: Span) {
    statement.span = span;
    for body in statement.bodies_mut() {
        body.iter_mut().for_each(|inner| move_to(inner, span));
    }
}

/// Puts the call before the statement that uses its result. None: it may be evaluated never, or
/// several times.
fn place(body: &mut Vec<Statement>, call: Statement, whole: Span) -> Option<()> {
    let mentions = |s: &Statement| {
        let mut found = false;
        s.each(&mut |inner| {
            found |= inner.expressions().iter().any(|e| e.mentions(PLACE));
            found |= matches!(&inner.kind, StatementKind::Unknown(names) if has_place(names));
        });
        found
    };
    let at = body.iter().position(mentions)?;
    let used = body.get_mut(at)?;
    let value = match &mut used.kind {
        StatementKind::Block(inner) => {
            used.span = whole;
            return place(inner, call, whole);
        }
        StatementKind::Assign { value, target, .. } if !target.mentions(PLACE) => value,
        StatementKind::Evaluate(value) => value,
        StatementKind::If { condition, .. } => condition,
        _ => return None,
    };
    if !replaced(value) {
        return None;
    }
    if matches!(&used.kind, StatementKind::Evaluate(value) if is_nothing(value)) {
        body.remove(at);
    }
    body.insert(at, call);
    Some(())
}

fn has_place(names: &[Name]) -> bool {
    names.iter().any(|name| name == PLACE)
}

fn is_nothing(value: &Expression) -> bool {
    match &value.kind {
        Kind::Unknown(names) => names.is_empty(),
        Kind::Cast(_, inner) => is_nothing(inner),
        _ => false,
    }
}

/// Makes a value of which nothing is known of the name, if it is evaluated whenever the whole is.
fn replaced(value: &mut Expression) -> bool {
    match &mut value.kind {
        Kind::Name(name) if name == PLACE => {
            value.kind = Kind::Unknown(Vec::new());
            true
        }
        Kind::SizeOfValue(_) | Kind::Unknown(_) => false,
        Kind::Binary(Binary::And | Binary::Or, left, _) => replaced(left),
        Kind::Choice { condition, .. } => replaced(condition),
        _ => value.parts_mut().into_iter().any(replaced),
    }
}

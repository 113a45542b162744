//! Statements that throw and catch.

use commloom_source::tree::{Statement, StatementKind as Kind};
use tree_sitter::Node;

use super::reader::{Reader, children, first};

/// `throw`, which leaves the procedure. None: a handler in it may be next.
pub(super) fn thrown(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    out: &mut Vec<Statement>,
) -> Option<Kind> {
    if reader.used_at.is_some() || is_caught(node) {
        return None;
    }
    let span = reader.span(node);
    let value = first(node).map(|value| reader.expression(value));
    out.extend(value.map(|value| Statement { span, kind: Kind::Evaluate(value) }));
    Some(Kind::Return(None))
}

/// Whether what is thrown here may be caught in the procedure itself.
fn is_caught(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent)
        .take_while(|around| around.kind() != "function_definition")
        .any(|around| around.kind() == "try_statement")
}

/// `try`, whose handlers run or do not.
pub(super) fn guarded(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) {
    let span = reader.span(node);
    out.push(Statement { span, kind: Kind::Block(reader.body_of(node, "body")) });
    for clause in children(node).into_iter().filter(|c| c.kind() == "catch_clause") {
        let condition = reader.nobody_knows(clause);
        let then = reader.body_of(clause, "body");
        let kind = Kind::If { condition, then, otherwise: Vec::new() };
        out.push(Statement { span: reader.span(clause), kind });
    }
}

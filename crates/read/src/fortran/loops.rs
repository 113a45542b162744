//! Loops: `do`, `do concurrent` and `forall`.

use commloom_source::Span;
use commloom_source::tree::{
    Bound, Expression, ExpressionKind, Loop, Name, Statement, StatementKind,
};
use tree_sitter::Node;

use super::reader::{Reader, body_of};

impl<'t> Reader<'t> {
    pub(super) fn do_loop(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Statement>) {
        let children = self.children(node);
        let name = children
            .iter()
            .find(|c| c.kind() == "block_label_start_expression")
            .and_then(|c| c.child(0))
            .map(|c| self.name(c));
        let Some(header) = children.iter().find(|c| c.kind() == "do_statement") else {
            let kind = StatementKind::Unknown(self.names_in(node));
            out.push(Statement { span, kind });
            return;
        };
        let mut inside = body_of(&children);
        let end = children.iter().find(|c| c.kind() == "end_do_label_loop_statement");
        let mut last_action = None;
        for part in end.map(|e| self.children(*e)).unwrap_or_default() {
            let is_end =
                matches!(part.kind(), "statement_label" | "do_label_virtual") || !part.is_named();
            if !is_end {
                last_action = Some(part);
            }
        }
        // An action statement that ends several loops belongs to the innermost.
        if let Some(action) = last_action {
            let shares = inside.iter().rev().find(|n| n.is_named()).is_some_and(|n| {
                n.kind() == "do_loop"
                    && self.children(*n).iter().any(|c| {
                        c.kind() == "end_do_label_loop_statement"
                            && c.child(0).is_some_and(|d| d.kind() == "do_label_virtual")
                    })
            });
            let is_continue = self.text(action).eq_ignore_ascii_case("continue");
            if shares && !is_continue {
                let kind = StatementKind::Unknown(self.names_in(node));
                out.push(Statement { span, kind });
                return;
            }
            inside.push(action);
        }
        let control = self.children(*header).into_iter().find(|c| {
            matches!(
                c.kind(),
                "loop_control_expression" | "while_statement" | "concurrent_statement"
            )
        });
        let body = self.statements(&inside);
        let kind = match control {
            None => StatementKind::While { condition: None, body },
            Some(control) if control.kind() == "while_statement" => {
                StatementKind::While { condition: Some(self.condition(control)), body }
            }
            Some(control) if control.kind() == "concurrent_statement" => {
                self.concurrent(control, body, span)
            }
            Some(control) => self.counted(control, body, name, node),
        };
        out.push(Statement { span, kind });
    }

    fn counted(
        &mut self,
        control: Node<'t>,
        body: Vec<Statement>,
        name: Option<Name>,
        node: Node<'t>,
    ) -> StatementKind {
        let parts: Vec<Node<'t>> =
            self.children(control).into_iter().filter(Node::is_named).collect();
        let [variable, first, last, step @ ..] = parts.as_slice() else {
            return StatementKind::Unknown(self.names_in(node));
        };
        let one = Expression { span: self.span(control), kind: ExpressionKind::Integer(1) };
        StatementKind::Loop(Loop {
            variable: self.name(*variable),
            declares: false,
            first: self.expression(*first),
            last: self.expression(*last),
            bound: Bound::Inclusive,
            step: step.first().map_or(one, |s| self.expression(*s)),
            body,
            name,
        })
    }

    /// `do concurrent (i = 1:n, j = 1:m, mask)`: any order is right, so the written one too.
    fn concurrent(&mut self, node: Node<'t>, body: Vec<Statement>, span: Span) -> StatementKind {
        let header = self.children(node).into_iter().find(|c| c.kind() == "concurrent_header");
        let parts = header.map(|h| self.children(h)).unwrap_or_default();
        let mut body = body;
        if let Some(mask) = parts.iter().find(|p| p.kind() == "concurrent_mask") {
            let inner = self.children(*mask).into_iter().find(Node::is_named);
            let condition = self.expression(inner.unwrap_or(*mask));
            let kind = StatementKind::If { condition, then: body, otherwise: Vec::new() };
            body = vec![Statement { span, kind }];
        }
        let controls: Vec<Node<'t>> =
            parts.into_iter().filter(|p| p.kind() == "concurrent_control").collect();
        self.nest(&controls, body, span)
    }

    /// `forall` of one assignment: the loops, which is the same where the assignment reads nothing
    /// that it writes, as in copies.
    pub(super) fn forall(&mut self, node: Node<'t>) -> StatementKind {
        let children = self.children(node);
        let controls: Vec<Node<'t>> =
            children.iter().copied().filter(|c| c.kind() == "triplet_spec").collect();
        let masked = children
            .iter()
            .any(|c| matches!(c.kind(), "logical_expression" | "relational_expression"));
        let inside: Vec<Node<'t>> =
            children.iter().copied().filter(|c| c.kind() == "assignment_statement").collect();
        let others = children.iter().any(|c| {
            c.is_named()
                && !matches!(
                    c.kind(),
                    "triplet_spec" | "assignment_statement" | "end_forall_statement"
                )
        });
        if masked || others || inside.len() != 1 {
            return StatementKind::Unknown(self.names_in(node));
        }
        let body = self.statements(&inside);
        self.nest(&controls, body, self.span(node))
    }

    /// Loops `variable = first : last : step`, the last control innermost.
    fn nest(&mut self, controls: &[Node<'t>], body: Vec<Statement>, span: Span) -> StatementKind {
        let mut body = body;
        for control in controls.iter().rev() {
            let parts: Vec<Node<'t>> =
                self.children(*control).into_iter().filter(Node::is_named).collect();
            let [variable, first, last, step @ ..] = parts.as_slice() else {
                return StatementKind::Unknown(self.names_in(*control));
            };
            let one = Expression { span: self.span(*control), kind: ExpressionKind::Integer(1) };
            let kind = StatementKind::Loop(Loop {
                variable: self.name(*variable),
                declares: true,
                first: self.expression(*first),
                last: self.expression(*last),
                bound: Bound::Inclusive,
                step: step.first().map_or(one, |s| self.expression(*s)),
                body,
                name: None,
            });
            body = vec![Statement { span, kind }];
        }
        match body.len() {
            1 => body.remove(0).kind,
            _ => StatementKind::Block(body),
        }
    }
}

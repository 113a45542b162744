//! Conditions: `if`, `select`, and what they choose between.

use commloom_source::tree::MAX_DEPTH;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind, Statement, StatementKind, Subscript,
};
use tree_sitter::Node;

use super::reader::{Reader, body_of};

impl<'t> Reader<'t> {
    pub(super) fn evaluate_condition(&mut self, node: Node<'t>, out: &mut Vec<Statement>) {
        let condition = self.condition(node);
        out.push(Statement { span: condition.span, kind: StatementKind::Evaluate(condition) });
    }

    /// The first expression in parentheses.
    pub(super) fn condition(&mut self, node: Node<'t>) -> Expression {
        match self.children(node).into_iter().find(|c| c.kind() == "parenthesized_expression") {
            Some(inner) => self.expression(inner),
            None => self.unknown_expression(node),
        }
    }

    pub(super) fn if_statement(&mut self, node: Node<'t>) -> StatementKind {
        let children = self.children(node);
        let condition = self.condition(node);
        let header = children
            .iter()
            .position(|c| c.kind() == "parenthesized_expression")
            .map_or(children.len(), |at| at + 1);
        let rest = children.get(header..).unwrap_or(&[]);
        let end = rest
            .iter()
            .position(|c| matches!(c.kind(), "elseif_clause" | "else_clause" | "end_if_statement"))
            .unwrap_or(rest.len());
        let (body, clauses) = rest.split_at(end);
        let then = self.statements(&body_of(body));
        StatementKind::If { condition, then, otherwise: self.clauses(clauses) }
    }

    /// `else if` and `else`, nested.
    fn clauses(&mut self, clauses: &[Node<'t>]) -> Vec<Statement> {
        let mut otherwise = Vec::new();
        let depth = self.depth;
        self.depth += clauses.len();
        for (at, clause) in clauses.iter().enumerate().rev() {
            let parts = self.children(*clause);
            match clause.kind() {
                // The branches are read as deep as they will stand.
                _ if depth + at >= MAX_DEPTH => {
                    let kind = StatementKind::Unknown(self.names_in(*clause));
                    otherwise = vec![Statement { span: self.span(*clause), kind }];
                }
                "else_clause" => otherwise = self.statements(&body_of(&parts)),
                "elseif_clause" => {
                    let condition = self.condition(*clause);
                    let header = parts
                        .iter()
                        .position(|c| c.kind() == "parenthesized_expression")
                        .map_or(0, |at| at + 1);
                    let then = self.statements(&body_of(parts.get(header..).unwrap_or(&[])));
                    let kind = StatementKind::If { condition, then, otherwise };
                    otherwise = vec![Statement { span: self.span(*clause), kind }];
                }
                _ => {}
            }
        }
        self.depth = depth;
        otherwise
    }

    /// `select case` becomes nested `if`s, the default last.
    pub(super) fn select_case(&mut self, node: Node<'t>) -> StatementKind {
        let children = self.children(node);
        let Some(selector) = children
            .iter()
            .find(|c| c.kind() == "selector")
            .and_then(|s| self.children(*s).into_iter().find(Node::is_named))
        else {
            return StatementKind::Unknown(self.names_in(node));
        };
        let cases: Vec<Node<'t>> =
            children.iter().copied().filter(|c| c.kind() == "case_statement").collect();
        if self.depth + cases.len() >= MAX_DEPTH {
            return StatementKind::Unknown(self.names_in(node));
        }
        let value = self.expression(selector);
        let mut otherwise = Vec::new();
        let mut branches = Vec::new();
        self.depth += cases.len();
        for case in &cases {
            let parts = self.children(*case);
            let body = self.statements(&body_of(&parts));
            match parts.iter().find(|p| p.kind() == "case_value_range_list") {
                Some(list) => {
                    branches.push((self.is_one_of(&value, *list), self.span(*case), body))
                }
                None => otherwise = body,
            }
        }
        self.depth -= cases.len();
        for (condition, span, then) in branches.into_iter().rev() {
            otherwise =
                vec![Statement { span, kind: StatementKind::If { condition, then, otherwise } }];
        }
        match otherwise.len() {
            1 => otherwise.remove(0).kind,
            _ => StatementKind::Block(otherwise),
        }
    }

    /// `value == a .or. value >= b .and. value <= c`
    fn is_one_of(&mut self, value: &Expression, list: Node<'t>) -> Expression {
        let span = self.span(list);
        let compare = |operation, with| Expression {
            span,
            kind: ExpressionKind::Binary(operation, Box::new(value.clone()), Box::new(with)),
        };
        let join = |operation, a, b| Expression {
            span,
            kind: ExpressionKind::Binary(operation, Box::new(a), Box::new(b)),
        };
        let mut all: Option<Expression> = None;
        for (at, item) in self.arguments(list).into_iter().enumerate() {
            let one = match item {
                Subscript::At(x) => compare(Binary::Equal, x),
                Subscript::Section { first: Some(a), last: Some(b), .. } => join(
                    Binary::And,
                    compare(Binary::GreaterEqual, a),
                    compare(Binary::LessEqual, b),
                ),
                Subscript::Section { first: Some(a), .. } => compare(Binary::GreaterEqual, a),
                Subscript::Section { last: Some(b), .. } => compare(Binary::LessEqual, b),
                Subscript::Section { .. } => self.unknown_expression(list),
            };
            if self.depth + at >= MAX_DEPTH {
                return self.unknown_expression(list);
            }
            all = Some(match all {
                Some(before) => join(Binary::Or, before, one),
                None => one,
            });
        }
        all.unwrap_or_else(|| self.unknown_expression(list))
    }

    /// `select type`, `select rank`: one branch of them, by something not known.
    pub(super) fn select_other(&mut self, node: Node<'t>) -> StatementKind {
        let children = self.children(node);
        let mut otherwise = Vec::new();
        let branches: Vec<Node<'t>> = children
            .into_iter()
            .filter(|c| matches!(c.kind(), "type_statement" | "rank_statement"))
            .collect();
        if self.depth + branches.len() >= MAX_DEPTH {
            return StatementKind::Unknown(self.names_in(node));
        }
        self.depth += branches.len();
        for branch in branches.into_iter().rev() {
            let then = self.statements(&body_of(&self.children(branch)));
            let condition =
                Expression { span: self.span(branch), kind: ExpressionKind::Unknown(Vec::new()) };
            let kind = StatementKind::If { condition, then, otherwise };
            otherwise = vec![Statement { span: self.span(branch), kind }];
            self.depth -= 1;
        }
        StatementKind::Block(otherwise)
    }
}

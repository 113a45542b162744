//! Executable statements.
//!
//! Statements of input, output and memory become calls of functions whose names begin with `$`, which no program can have: `$read`,
//! `$allocate`, `$deallocate` and `$nullify` write to their arguments, `$write` and `$stop` only read them, `$file` (open, close, inquire, ...)
//! writes to those with keywords. None of them touches anything else.

use tree_sitter::Node;

use crate::source::Span;
use crate::tree::{
    Binary, Bound, Expression, ExpressionKind, Loop, Name, Scope, Statement, StatementKind,
    Subscript,
};

use super::{Reader, declarations::Declarations};
use crate::tree::MAX_DEPTH;

impl<'t> Reader<'t> {
    /// The statements among the nodes; others are passed over.
    pub(super) fn statements(&mut self, nodes: &[Node<'t>]) -> Vec<Statement> {
        let mut out = Vec::new();
        let mut label = None;
        for &node in nodes {
            match node.kind() {
                "statement_label" => label = Some(node),
                ";" => {}
                _ => self.statement(node, label.take(), &mut out),
            }
        }
        out
    }

    fn statement(&mut self, node: Node<'t>, label: Option<Node<'t>>, out: &mut Vec<Statement>) {
        let mut span = self.span(node);
        if let Some(label) = label {
            let at = self.span(label);
            span = span.to(at);
            let name = self.text(label).trim().to_owned();
            if self.targets.contains(&name) {
                out.push(Statement { span: at, kind: StatementKind::Label(name) });
                // Without its label the statement must stay where it is: what deletes it deletes no label.
                span = self.span(node);
            }
        }
        if self.depth >= MAX_DEPTH {
            let kind = StatementKind::Unknown(self.names_in(node));
            out.push(Statement { span, kind });
            return;
        }
        self.depth += 1;
        self.statement_of(node, span, out);
        self.depth -= 1;
    }

    fn statement_of(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Statement>) {
        let kind = match node.kind() {
            "assignment_statement" => self.assignment(node),
            "subroutine_call" => self.subroutine_call(node),
            "call_expression" => StatementKind::Unknown(self.names_in(node)),
            "keyword_statement" => return self.keyword_statement(node, span, out),
            "if_statement" => self.if_statement(node),
            "arithmetic_if_statement" => {
                self.evaluate_condition(node, out);
                StatementKind::Goto(self.label_references(node))
            }
            "select_case_statement" => self.select_case(node),
            "select_type_statement" | "select_rank_statement" => self.select_other(node),
            "do_loop" => return self.do_loop(node, span, out),
            "forall_statement" => self.forall(node),
            "read_statement" => return self.transfer(node, "$read", span, out),
            "write_statement" | "print_statement" => {
                return self.transfer(node, "$write", span, out);
            }
            "open_statement"
            | "close_statement"
            | "inquire_statement"
            | "file_position_statement" => {
                return self.transfer(node, "$file", span, out);
            }
            "allocate_statement" => self.memory(node, "$allocate"),
            "deallocate_statement" => self.memory(node, "$deallocate"),
            "nullify_statement" => self.memory(node, "$nullify"),
            "stop_statement" => StatementKind::Return(None),
            "block_construct" => self.block(node),
            "format_statement" => return,
            "preproc_if" | "preproc_ifdef" => self.conditional(node),
            "preproc_def" | "preproc_function_def" => return,
            "comment" | "custom_directive" => return,
            _ => StatementKind::Unknown(self.names_in(node)),
        };
        out.push(Statement { span, kind });
    }

    fn assignment(&mut self, node: Node<'t>) -> StatementKind {
        match (node.child_by_field_name("left"), node.child_by_field_name("right")) {
            (Some(target), Some(value)) => StatementKind::Assign {
                target: self.expression(target),
                operation: None,
                value: self.expression(value),
            },
            _ => StatementKind::Unknown(self.names_in(node)),
        }
    }

    fn subroutine_call(&mut self, node: Node<'t>) -> StatementKind {
        let Some(subroutine) = node.child_by_field_name("subroutine") else {
            return StatementKind::Unknown(self.names_in(node));
        };
        let lists: Vec<Node<'t>> =
            self.children(node).into_iter().filter(|c| c.kind() == "argument_list").collect();
        // `call f(x)` is read as an expression `f(x)` at times.
        let called = self.expression(subroutine);
        let (function, mut arguments) = match called.kind {
            ExpressionKind::Call { function, arguments } if lists.is_empty() => {
                (function, arguments)
            }
            _ => (Box::new(called), Vec::new()),
        };
        for list in lists {
            for argument in self.arguments(list) {
                match argument {
                    Subscript::At(value) => arguments.push(value),
                    Subscript::Section { .. } => {
                        return StatementKind::Unknown(self.names_in(node));
                    }
                }
            }
        }
        StatementKind::Evaluate(Expression {
            span: self.span(node),
            kind: ExpressionKind::Call { function, arguments },
        })
    }

    fn keyword_statement(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Statement>) {
        let children = self.children(node);
        let word = children.first().map(|c| self.text(*c).to_ascii_lowercase()).unwrap_or_default();
        let construct = children.iter().find(|c| c.kind() == "identifier").map(|c| self.name(*c));
        let kind = match word.as_str() {
            "continue" => StatementKind::Nothing,
            "cycle" => StatementKind::Continue(construct),
            "exit" => StatementKind::Break(construct),
            "return" => StatementKind::Return(None),
            _ => {
                let labels = self.label_references(node);
                // A computed `goto` goes on behind it where no label is meant.
                if children.iter().any(|c| c.kind() == "(") {
                    let goto = Statement { span, kind: StatementKind::Goto(labels) };
                    StatementKind::If {
                        condition: self.unknown_expression(node),
                        then: vec![goto],
                        otherwise: Vec::new(),
                    }
                } else {
                    StatementKind::Goto(labels)
                }
            }
        };
        out.push(Statement { span, kind });
    }

    fn label_references(&self, node: Node<'t>) -> Vec<Name> {
        self.children(node)
            .into_iter()
            .filter(|c| c.kind() == "statement_label_reference")
            .map(|c| self.text(c).trim().to_owned())
            .collect()
    }

    fn evaluate_condition(&mut self, node: Node<'t>, out: &mut Vec<Statement>) {
        let condition = self.condition(node);
        out.push(Statement { span: condition.span, kind: StatementKind::Evaluate(condition) });
    }

    /// The first expression in parentheses.
    fn condition(&mut self, node: Node<'t>) -> Expression {
        match self.children(node).into_iter().find(|c| c.kind() == "parenthesized_expression") {
            Some(inner) => self.expression(inner),
            None => self.unknown_expression(node),
        }
    }

    fn if_statement(&mut self, node: Node<'t>) -> StatementKind {
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
    fn select_case(&mut self, node: Node<'t>) -> StatementKind {
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
    fn select_other(&mut self, node: Node<'t>) -> StatementKind {
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

    fn do_loop(&mut self, node: Node<'t>, span: Span, out: &mut Vec<Statement>) {
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

    /// `forall` of one assignment: the loops, which is the same where the assignment reads nothing that it writes, as in copies.
    fn forall(&mut self, node: Node<'t>) -> StatementKind {
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

    /// Input, output and files.
    fn transfer(&mut self, node: Node<'t>, function: &str, span: Span, out: &mut Vec<Statement>) {
        let mut arguments = Vec::new();
        let mut labels = Vec::new();
        for child in self.children(node) {
            match child.kind() {
                "input_item_list" | "output_item_list" => {
                    for item in self.children(child).into_iter().filter(Node::is_named) {
                        arguments.push(self.expression(item));
                    }
                }
                "keyword_argument" => {
                    let argument = self.expression(child);
                    if let ExpressionKind::Keyword(name, value) = &argument.kind
                        && let ("err" | "end" | "eor", ExpressionKind::Integer(label)) =
                            (name.as_str(), &value.kind)
                    {
                        labels.push(label.to_string());
                    }
                    // Group names stand for variables that are not named here.
                    if matches!(&argument.kind, ExpressionKind::Keyword(name, _) if name == "nml") {
                        arguments.push(self.unknown_expression(child));
                    }
                    arguments.push(argument);
                }
                "unit_identifier" | "format_identifier" => {
                    for part in self.children(child).into_iter().filter(Node::is_named) {
                        // The unit may be a variable that is written to.
                        if part.kind() != "statement_label_reference" {
                            let value = self.expression(part);
                            let name = child.kind().to_owned();
                            arguments.push(Expression {
                                span: value.span,
                                kind: ExpressionKind::Keyword(name, Box::new(value)),
                            });
                        }
                    }
                }
                _ => {}
            }
        }
        out.push(Statement { span, kind: builtin(function, arguments, span) });
        if !labels.is_empty() {
            let goto = Statement { span, kind: StatementKind::Goto(labels) };
            let condition = Expression { span, kind: ExpressionKind::Unknown(Vec::new()) };
            let kind = StatementKind::If { condition, then: vec![goto], otherwise: Vec::new() };
            out.push(Statement { span, kind });
        }
    }

    fn memory(&mut self, node: Node<'t>, function: &str) -> StatementKind {
        let mut arguments = Vec::new();
        for child in self.children(node).into_iter().filter(Node::is_named) {
            match child.kind() {
                "sized_allocation" => {
                    let parts = self.children(child);
                    if let [base, size, ..] = parts.as_slice() {
                        let base = self.expression(*base);
                        let subscripts = self.arguments(*size);
                        let kind = ExpressionKind::Element { base: Box::new(base), subscripts };
                        arguments.push(Expression { span: self.span(child), kind });
                    }
                }
                "intrinsic_type" => {}
                _ => arguments.push(self.expression(child)),
            }
        }
        builtin(function, arguments, self.span(node))
    }

    fn block(&mut self, node: Node<'t>) -> StatementKind {
        let children = self.children(node);
        let mut declarations = Declarations::default();
        let mut rest = Vec::new();
        for child in children {
            if !self.declaration(child, &mut declarations) {
                rest.push(child);
            }
        }
        let scope: Scope = declarations.finish(&[], false);
        // Other things than variables in a block are left to those who understand them.
        if !scope.constants.is_empty() || !scope.includes.is_empty() || !scope.uses.is_empty() {
            return StatementKind::Unknown(self.names_in(node));
        }
        // Nothing else stands where the declarations do.
        let span = self.span(node);
        let span = Span { end: span.start, ..span };
        let mut body = vec![Statement { span, kind: StatementKind::Declare(scope.variables) }];
        body.extend(self.statements(&body_of(&rest)));
        StatementKind::Block(body)
    }

    /// `#if`: both branches, by a condition that is not known.
    pub(super) fn conditional(&mut self, node: Node<'t>) -> StatementKind {
        let children = self.children(node);
        let header = ["condition", "name"].map(|f| node.child_by_field_name(f).map(|n| n.id()));
        let alternative = node.child_by_field_name("alternative");
        let inside: Vec<Node<'t>> = children
            .into_iter()
            .filter(|c| {
                !header.contains(&Some(c.id())) && Some(c.id()) != alternative.map(|a| a.id())
            })
            .collect();
        let then = self.statements(&body_of(&inside));
        let otherwise = match alternative {
            Some(other) if self.depth < MAX_DEPTH => {
                let span = self.span(other);
                self.depth += 1;
                let kind = self.conditional(other);
                self.depth -= 1;
                match (other.kind(), kind) {
                    ("preproc_else", StatementKind::If { then, .. }) => then,
                    (_, kind) => vec![Statement { span, kind }],
                }
            }
            Some(other) => {
                let kind = StatementKind::Unknown(self.names_in(other));
                vec![Statement { span: self.span(other), kind }]
            }
            None => Vec::new(),
        };
        let condition =
            Expression { span: self.span(node), kind: ExpressionKind::Unknown(Vec::new()) };
        StatementKind::If { condition, then, otherwise }
    }
}

fn builtin(function: &str, arguments: Vec<Expression>, span: Span) -> StatementKind {
    let function = Box::new(Expression { span, kind: ExpressionKind::Name(function.to_owned()) });
    StatementKind::Evaluate(Expression { span, kind: ExpressionKind::Call { function, arguments } })
}

/// Without the words and headers of the construct that the nodes are the children of.
fn body_of<'t>(nodes: &[Node<'t>]) -> Vec<Node<'t>> {
    nodes
        .iter()
        .copied()
        .filter(|n| {
            n.is_named()
                && !matches!(
                    n.kind(),
                    "block_label_start_expression"
                        | "block_label"
                        | "do_statement"
                        | "end_do_label_loop_statement"
                        | "end_do_loop_statement"
                        | "end_if_statement"
                        | "end_select_statement"
                        | "end_block_construct_statement"
                        | "parenthesized_expression"
                        | "case_value_range_list"
                        | "default"
                        | "inline_preproc_comment"
                        | "multiline_preproc_comment"
                )
        })
        .collect()
}

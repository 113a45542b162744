//! Executable statements.
//!
//! Statements of input, output and memory become calls of functions whose names begin with `$`,
//! which no program can have: `$read`, `$allocate`, `$deallocate` and `$nullify` write to their
//! arguments, `$write` and `$stop` only read them, `$file` (open, close, inquire, ...) writes to
//! those with keywords. None of them touches anything else.

use commloom_source::Span;
use commloom_source::tree::MAX_DEPTH;
use commloom_source::tree::{
    Expression, ExpressionKind, Name, Scope, Statement, StatementKind, Subscript,
};
use tree_sitter::Node;

use super::declarations::Declarations;
use super::reader::{Reader, body_of};

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

    pub(super) fn statement(
        &mut self,
        node: Node<'t>,
        label: Option<Node<'t>>,
        out: &mut Vec<Statement>,
    ) {
        let mut span = self.span(node);
        if let Some(label) = label {
            let at = self.span(label);
            span = span.to(at);
            let name = self.text(label).trim().to_owned();
            if self.targets.contains(&name) {
                out.push(Statement { span: at, kind: StatementKind::Label(name) });
                // Without its label the statement must stay where it is: what deletes it deletes
                // no label.
                span = self.span(node);
            }
        }
        if self.depth >= MAX_DEPTH {
            let kind = StatementKind::Unknown(self.names_in(node));
            out.push(Statement { span, kind });
            return;
        }
        self.depth += 1;
        match self.conditional_line(node) {
            Some(line) => {
                let mut then = Vec::new();
                self.statement_of(node, span, &mut then);
                out.push(self.perhaps(line, then));
            }
            None => self.statement_of(node, span, out),
        }
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

    /// Input, output and files.
    fn transfer(&mut self, node: Node<'t>, function: &str, span: Span, out: &mut Vec<Statement>) {
        let mut arguments = Vec::new();
        // The unit may be a variable that is written to; `iostat=` is.
        let mut written = Vec::new();
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
                    written.push(argument);
                }
                "unit_identifier" | "format_identifier" => {
                    for part in self.children(child).into_iter().filter(Node::is_named) {
                        if part.kind() != "statement_label_reference" {
                            let value = self.expression(part);
                            let name = child.kind().to_owned();
                            written.push(Expression {
                                span: value.span,
                                kind: ExpressionKind::Keyword(name, Box::new(value)),
                            });
                        }
                    }
                }
                _ => {}
            }
        }
        if function == "$write" && !written.is_empty() {
            out.push(Statement { span, kind: builtin("$unit", written, span) });
        } else {
            arguments.splice(..0, written);
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
    fn conditional(&mut self, node: Node<'t>) -> StatementKind {
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

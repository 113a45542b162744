//! Expressions. `name(...)` is a call until the names are known: see [`settle`](super::settle).

use commloom_source::tree::{
    Binary, Expression, ExpressionKind, MAX_DEPTH, Name, Subscript, Unary,
};
use tree_sitter::Node;

use super::reader::Reader;

impl<'t> Reader<'t> {
    /// A value or a place.
    pub(super) fn expression(&mut self, node: Node<'t>) -> Expression {
        if self.depth >= MAX_DEPTH || node.is_error() || node.is_missing() {
            return self.unknown_expression(node);
        }
        self.depth += 1;
        let kind = self.expression_kind(node);
        self.depth -= 1;
        Expression { span: self.span(node), kind }
    }

    pub(super) fn unknown_expression(&self, node: Node<'t>) -> Expression {
        Expression { span: self.span(node), kind: ExpressionKind::Unknown(self.names_in(node)) }
    }

    fn expression_kind(&mut self, node: Node<'t>) -> ExpressionKind {
        let children = self.children(node);
        match node.kind() {
            "number_literal" => number(self.text(node)),
            "string_literal" | "boolean_literal" | "complex_literal" | "null_literal" => {
                ExpressionKind::Literal(self.text(node).to_owned())
            }
            "identifier" | "name" | "method_name" => ExpressionKind::Name(self.name(node)),
            "parenthesized_expression" => match children.as_slice() {
                [_, inner, _] => self.expression(*inner).kind,
                _ => self.unknown_expression(node).kind,
            },
            "array_literal" => self.array_literal(node, &children),
            "derived_type_member_expression" => match children.as_slice() {
                [base, _, field] => ExpressionKind::Member {
                    base: Box::new(self.expression(*base)),
                    field: self.name(*field),
                },
                _ => self.unknown_expression(node).kind,
            },
            "unary_expression" => self.unary(node),
            "logical_expression"
            | "relational_expression"
            | "math_expression"
            | "concatenation_expression" => self.binary(node),
            "call_expression" => self.call(node, &children),
            "implied_do_loop_expression" => self.implied_do(node, &children),
            "keyword_argument" => self.keyword_argument(node),
            "conditional_expression" => self.choice(node),
            _ => self.unknown_expression(node).kind,
        }
    }

    fn array_literal(&mut self, node: Node<'t>, children: &[Node<'t>]) -> ExpressionKind {
        let values: Vec<Node<'t>> = children.iter().copied().filter(Node::is_named).collect();
        // A loop in it, or a type in front of it: values that are not what is written.
        if values.iter().any(|v| v.kind() == "implied_do_loop_expression")
            || node.child_by_field_name("type").is_some()
        {
            return self.unknown_expression(node).kind;
        }
        ExpressionKind::List(values.into_iter().map(|v| self.expression(v)).collect())
    }

    fn unary(&mut self, node: Node<'t>) -> ExpressionKind {
        let (Some(operator), Some(argument)) =
            (node.child_by_field_name("operator"), node.child_by_field_name("argument"))
        else {
            return self.unknown_expression(node).kind;
        };
        match self.text(operator) {
            "-" => ExpressionKind::Unary(Unary::Minus, Box::new(self.expression(argument))),
            "+" => self.expression(argument).kind,
            _ => self.unknown_expression(node).kind,
        }
    }

    fn binary(&mut self, node: Node<'t>) -> ExpressionKind {
        let operator = node.child_by_field_name("operator");
        if let (Some(_), Some(argument), None) =
            (operator, node.child_by_field_name("argument"), node.child_by_field_name("left"))
        {
            return ExpressionKind::Unary(Unary::Not, Box::new(self.expression(argument)));
        }
        let (Some(operator), Some(left), Some(right)) =
            (operator, node.child_by_field_name("left"), node.child_by_field_name("right"))
        else {
            return self.unknown_expression(node).kind;
        };
        let Some(operation) = binary_of(&self.text(operator).to_ascii_lowercase()) else {
            return self.unknown_expression(node).kind;
        };
        // The grammar takes `a**b**c` for `(a**b)**c`; Fortran means `a**(b**c)`.
        if operation == Binary::Power && left.kind() == "math_expression" {
            return self.unknown_expression(node).kind;
        }
        ExpressionKind::Binary(
            operation,
            Box::new(self.expression(left)),
            Box::new(self.expression(right)),
        )
    }

    fn choice(&mut self, node: Node<'t>) -> ExpressionKind {
        let part = |name| node.child_by_field_name(name);
        match (part("condition"), part("consequence"), part("alternative")) {
            (Some(condition), Some(yes), Some(no)) => ExpressionKind::Choice {
                condition: Box::new(self.expression(condition)),
                yes: Box::new(self.expression(yes)),
                no: Box::new(self.expression(no)),
            },
            _ => self.unknown_expression(node).kind,
        }
    }

    /// `name = value` of a call.
    fn keyword_argument(&mut self, node: Node<'t>) -> ExpressionKind {
        match (node.child_by_field_name("name"), node.child_by_field_name("value")) {
            (Some(name), Some(value)) => {
                ExpressionKind::Keyword(self.name(name), Box::new(self.expression(value)))
            }
            _ => self.unknown_expression(node).kind,
        }
    }

    /// `(a(i), i = 1, n)` in an input or output list: its parts, and the variable that it changes.
    fn implied_do(&mut self, node: Node<'t>, children: &[Node<'t>]) -> ExpressionKind {
        let mut parts = Vec::new();
        for child in children.iter().copied().filter(Node::is_named) {
            if child.kind() != "loop_control_expression" {
                parts.push(self.expression(child));
                continue;
            }
            let control: Vec<Node<'t>> =
                self.children(child).into_iter().filter(Node::is_named).collect();
            let [variable, first, bounds @ ..] = control.as_slice() else {
                return self.unknown_expression(node).kind;
            };
            let target = Box::new(self.expression(*variable));
            let value = Box::new(self.expression(*first));
            parts.push(Expression {
                span: self.span(child),
                kind: ExpressionKind::Assign { target, operation: None, value },
            });
            parts.extend(bounds.iter().map(|b| self.expression(*b)));
        }
        ExpressionKind::List(parts)
    }

    /// `base(...)`, also `base(...)(...)`: elements where a section is among the subscripts,
    /// otherwise calls, for now.
    fn call(&mut self, node: Node<'t>, children: &[Node<'t>]) -> ExpressionKind {
        let Some((base, lists)) = children.split_first() else {
            return self.unknown_expression(node).kind;
        };
        let mut value = self.expression(*base);
        for list in lists {
            if list.kind() != "argument_list" {
                return self.unknown_expression(node).kind;
            }
            let span = value.span.to(self.span(*list));
            let base = Box::new(value);
            let kind = match plain(self.arguments(*list)) {
                Ok(arguments) => ExpressionKind::Call { function: base, arguments },
                Err(subscripts) => ExpressionKind::Element { base, subscripts },
            };
            value = Expression { span, kind };
        }
        value.kind
    }

    /// The list in parentheses.
    pub(super) fn arguments(&mut self, list: Node<'t>) -> Vec<Subscript> {
        let mut found = Vec::new();
        for child in self.children(list) {
            match child.kind() {
                "extent_specifier" => found.push(self.section(child)),
                _ if child.is_named() => found.push(Subscript::At(self.expression(child))),
                _ => {}
            }
        }
        found
    }

    /// `first:last:step`
    fn section(&mut self, node: Node<'t>) -> Subscript {
        let mut parts = [None, None, None];
        let mut at = 0;
        for child in self.children(node) {
            if child.kind() == ":" {
                at += 1;
            } else if let Some(part) = parts.get_mut(at) {
                *part = Some(self.expression(child));
            }
        }
        let [first, last, step] = parts;
        Subscript::Section { first, last, step }
    }

    /// The identifiers of all that is in a node, each once, in their order.
    pub(super) fn names_in(&self, node: Node<'t>) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        self.walk(node, |here| {
            if matches!(here.kind(), "identifier" | "name") && here.is_named() {
                let name = self.name(here);
                if seen.insert(name.clone()) {
                    names.push(name);
                }
            }
        });
        names
    }
}

/// The arguments, if none is a section; otherwise what was given.
fn plain(arguments: Vec<Subscript>) -> Result<Vec<Expression>, Vec<Subscript>> {
    if arguments.iter().any(|a| matches!(a, Subscript::Section { .. })) {
        return Err(arguments);
    }
    Ok(arguments
        .into_iter()
        .filter_map(|a| match a {
            Subscript::At(value) => Some(value),
            Subscript::Section { .. } => None,
        })
        .collect())
}

/// `12`, `12_8`; all else is a literal.
fn number(text: &str) -> ExpressionKind {
    let digits = text.split('_').next().unwrap_or("");
    match digits.parse() {
        Ok(value) => ExpressionKind::Integer(value),
        Err(_) => ExpressionKind::Literal(text.to_owned()),
    }
}

fn binary_of(operator: &str) -> Option<Binary> {
    Some(match operator {
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        "*" => Binary::Multiply,
        "/" => Binary::Divide,
        "**" => Binary::Power,
        "//" => Binary::Concatenate,
        ".and." => Binary::And,
        ".or." => Binary::Or,
        "==" | ".eq." | ".eqv." => Binary::Equal,
        "/=" | ".ne." | ".neqv." => Binary::NotEqual,
        "<" | ".lt." => Binary::Less,
        "<=" | ".le." => Binary::LessEqual,
        ">" | ".gt." => Binary::Greater,
        ">=" | ".ge." => Binary::GreaterEqual,
        _ => return None,
    })
}

//! Statements.

use commloom_source::Span;
use commloom_source::tree::{
    Expression, ExpressionKind, Name, Statement, StatementKind as Kind, Type,
};
use tree_sitter::Node;

use super::checked::checked;
use super::copies::{copied, running};
use super::evaluated::{is_call, taken};
use super::exceptions::{guarded, thrown};
use super::expression::{assignment, comma};
use super::loops::for_loop;
use super::macros::Meaning;
use super::odd::{is_odd, used};
use super::reader::{Jumps, Reader, children, field, first, is_broken};
use super::switch::switch;
use super::variables::{declare_locals, hidden_pointer};

impl Reader<'_> {
    /// The statement in a field, as the body of something.
    pub(super) fn body_of(&mut self, node: Node<'_>, name: &str) -> Vec<Statement> {
        let mut out = Vec::new();
        if let Some(body) = field(node, name) {
            block(self, body, &mut out);
        }
        out
    }

    /// Statements in a row.
    pub(super) fn statements<'t>(
        &mut self,
        nodes: impl IntoIterator<Item = Node<'t>>,
        out: &mut Vec<Statement>,
    ) {
        for node in nodes {
            statement(self, node, out);
        }
    }

    /// The call of MPI that a statement makes before anything else, out of the value that it is
    /// in. In what a macro becomes, all stands at one place.
    fn called_first(&self, value: &mut Expression, span: Span) -> Option<Statement> {
        if self.used_at.is_some() {
            return None;
        }
        taken(value, span)
    }

    /// An expression that stands alone.
    pub(super) fn simple(&mut self, node: Node<'_>, out: &mut Vec<Statement>) {
        let mut node = node;
        while node.kind() == "parenthesized_expression" {
            match children(node).as_slice() {
                [inner] => node = *inner,
                _ => break,
            }
        }
        if checked(self, node, out).is_some() {
            return;
        }
        if let Some(is_known) = macro_in(self, node) {
            if !is_known || expanded(self, node, out).is_none() {
                let unknown = self.unknown_statement(node);
                out.push(unknown);
            }
            return;
        }
        let span = self.span(node);
        let before = out.len();
        if node.kind() == "comma_expression" {
            for part in comma(node) {
                self.simple(part, out);
            }
            return;
        }
        let parts = match node.kind() {
            "assignment_expression" if !is_broken(node) => {
                let parts = self.deeper(1, |r| assignment(r, node)).flatten();
                parts.filter(|(target, ..)| !is_odd(target))
            }
            _ => None,
        };
        let kind = match parts {
            Some((target, operation, mut value)) => {
                let copies = self.deeper(3, |r| running(r, &target, operation, &value)).flatten();
                match copies {
                    Some(copies) => Kind::Block(copies),
                    None => {
                        self.apart(node, &mut value, out);
                        Kind::Assign { target, operation, value }
                    }
                }
            }
            None => {
                let mut value = self.expression(node);
                if let Some(copies) = self.deeper(3, |r| copied(r, &value)).flatten() {
                    out.push(Statement { span, kind: Kind::Block(copies) });
                    return;
                }
                match value.kind {
                    ExpressionKind::Unknown(names) => Kind::Unknown(names),
                    // `(void)f()`
                    ExpressionKind::Cast(Type::Void, inner) => Kind::Evaluate(*inner),
                    _ => {
                        self.apart(node, &mut value, out);
                        Kind::Evaluate(value)
                    }
                }
            }
        };
        let start = out.get(before).map_or(span.start, |_| span.end);
        out.push(Statement { span: Span { start, ..span }, kind });
    }

    /// Gives the call of MPI in a statement's value the place of the whole statement.
    fn apart(&self, node: Node<'_>, value: &mut Expression, out: &mut Vec<Statement>) {
        if is_call(value) {
            return;
        }
        let whole = node.parent().filter(|parent| parent.kind() == "expression_statement");
        out.extend(self.called_first(value, self.span(whole.unwrap_or(node))));
    }
}

/// The statements of a body: the inside of braces, or one statement.
pub(super) fn block(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) {
    if node.kind() == "compound_statement" {
        reader.locals.enter();
        reader.statements(children(node), out);
        reader.locals.leave();
        return;
    }
    let before = out.len();
    statement(reader, node, out);
    // Without braces, only the first statement of what a macro becomes would belong to the body.
    if out.len() > before + 1 && macro_in(reader, node).is_some() {
        out.truncate(before);
        let unknown = reader.unknown_statement(node);
        out.push(unknown);
    }
}

/// Translates a statement; some are several in the tree.
pub(super) fn statement(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) {
    // What is in braces is translated statement by statement. And `EACH(i) b[i] = a[i];` is no
    // variable whose type the macro is.
    let is_hidden = || field(node, "type").is_some_and(|of| is_statement(reader, of));
    if is_broken(node) && node.kind() != "compound_statement" || is_hidden() {
        let unknown = reader.unknown_statement(node);
        out.push(unknown);
        return;
    }
    let before = out.len();
    // A loop in a block with a label: four levels at most come from one node.
    if reader.deeper(4, |r| one(r, node, out)).flatten().is_none() {
        out.truncate(before);
        let unknown = reader.unknown_statement(node);
        out.push(unknown);
    }
}

/// None: not understood.
fn one(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) -> Option<()> {
    let span = reader.span(node);
    let kind = match node.kind() {
        "expression_statement" => match first(node) {
            Some(inner) => {
                hidden_pointer(reader, node, out);
                simple(reader, inner, span, out);
                return Some(());
            }
            None => Kind::Nothing,
        },
        "compound_statement" => {
            let mut body = Vec::new();
            block(reader, node, &mut body);
            Kind::Block(body)
        }
        "declaration" => {
            declare_locals(reader, node, out);
            return Some(());
        }
        "if_statement" => conditioned(reader, node, out)?,
        "for_statement" => {
            for_loop(reader, node, out);
            return Some(());
        }
        "while_statement" => {
            let condition = reader.expression(field(node, "condition")?);
            reader.jumps.push(Jumps::default());
            let body = reader.body_of(node, "body");
            reader.jumps.pop();
            Kind::While { condition: Some(condition), body }
        }
        "do_statement" => do_while(reader, node)?,
        "for_range_loop" => range_loop(reader, node, out)?,
        "switch_statement" => return switch(reader, node, out),
        "return_statement" => returned(reader, node, out),
        "break_statement" => match reader.jumps.last().and_then(|j| j.leave.clone()) {
            Some(label) => Kind::Goto(vec![label]),
            None => Kind::Break(None),
        },
        "continue_statement" => match reader.jumps.last_mut() {
            Some(Jumps { next: Some(label), used_next, .. }) => {
                *used_next = true;
                Kind::Goto(vec![label.clone()])
            }
            _ => Kind::Continue(None),
        },
        "goto_statement" => Kind::Goto(vec![reader.text_of(field(node, "label")?).to_owned()]),
        "labeled_statement" => return labeled(reader, node, out),
        "attributed_statement" => {
            let inner = children(node).into_iter().rfind(|c| !c.kind().starts_with("attribute"))?;
            statement(reader, inner, out);
            return Some(());
        }
        "preproc_if" | "preproc_ifdef" => {
            reader.directives.push(span);
            conditional(reader, node)
        }
        "preproc_def" | "preproc_function_def" | "preproc_call" | "preproc_include" => {
            reader.directives.push(span);
            Kind::Nothing
        }
        "type_definition" | "alias_declaration" | "struct_specifier" | "enum_specifier"
        | "union_specifier" | "class_specifier" => {
            super::declaration::types(reader, node);
            Kind::Nothing
        }
        "using_declaration" => used(reader, node),
        "static_assert_declaration" | "namespace_alias_definition" => Kind::Nothing,
        "throw_statement" => thrown(reader, node, out)?,
        "try_statement" => {
            guarded(reader, node, out);
            return Some(());
        }
        _ => return None,
    };
    out.push(Statement { span, kind });
    Some(())
}

/// Expressions with commas between them, as statements.
fn simple(reader: &mut Reader<'_>, inner: Node<'_>, span: Span, out: &mut Vec<Statement>) {
    let before = out.len();
    for part in comma(inner) {
        reader.simple(part, out);
    }
    if let ([only], None) = (&mut out[before..], reader.used_at) {
        only.span = span; // with its semicolon
    }
}

/// `return`, after the call of MPI that its value has in it.
fn returned(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) -> Kind {
    let span = reader.span(node);
    let mut value = first(node).map(|value| reader.expression(value));
    out.extend(value.as_mut().and_then(|value| reader.called_first(value, span)));
    Kind::Return(value)
}

/// `if`, with its `else`.
fn conditioned(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) -> Option<Kind> {
    let asked = field(node, "condition")?;
    // The head alone: what is in the branches comes after the call.
    let head = Span { end: reader.span(asked).end, ..reader.span(node) };
    if let Some(value) = field(asked, "value") {
        let first_part = field(asked, "initializer");
        if first_part.is_some() || value.kind() == "declaration" {
            reader.locals.enter();
            let block = declaring(reader, node, (first_part, value), head);
            reader.locals.leave();
            return block;
        }
    }
    let mut condition = reader.expression(asked);
    out.extend(reader.called_first(&mut condition, head));
    branches(reader, node, condition)
}

/// `if (int error = f())`, `if (int error = f(); error != 0)`: what they declare is seen in the
/// branches.
fn declaring(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    (first_part, value): (Option<Node<'_>>, Node<'_>),
    head: Span,
) -> Option<Kind> {
    let mut body = Vec::new();
    if let Some(inner) = first_part.and_then(first) {
        statement(reader, inner, &mut body);
    }
    let condition = if value.kind() == "declaration" {
        let names = declare_locals(reader, value, &mut body);
        let [name] = <[Name; 1]>::try_from(names).ok()?;
        let named = Expression { span: reader.span(value), kind: ExpressionKind::Name(name) };
        let value = reader.expression(field(value, "value")?);
        let (target, operation) = (named.clone(), None);
        body.push(Statement { span: head, kind: Kind::Assign { target, operation, value } });
        named
    } else {
        let mut condition = reader.expression(value);
        body.extend(reader.called_first(&mut condition, head));
        condition
    };
    for statement in &mut body {
        statement.span = head;
    }
    let kind = branches(reader, node, condition)?;
    body.push(Statement { span: reader.span(node), kind });
    Some(Kind::Block(body))
}

/// `if` with what is known to be its condition.
fn branches(reader: &mut Reader<'_>, node: Node<'_>, condition: Expression) -> Option<Kind> {
    let then = reader.body_of(node, "consequence");
    let mut otherwise = Vec::new();
    if let Some(other) = field(node, "alternative").and_then(first) {
        block(reader, other, &mut otherwise);
    }
    Some(Kind::If { condition, then, otherwise })
}

/// A label, and what it stands before.
fn labeled(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) -> Option<()> {
    let label = field(node, "label")?;
    let name = reader.text_of(label).to_owned();
    out.push(Statement { span: reader.span(label), kind: Kind::Label(name) });
    reader.statements(children(node).into_iter().filter(|c| *c != label), out);
    Some(())
}

/// `#if`, `#ifdef`, `#elif`, `#else`: each branch may be the one that is compiled.
fn conditional(reader: &mut Reader<'_>, node: Node<'_>) -> Kind {
    let condition = reader.nobody_knows(node);
    let given = [field(node, "condition"), field(node, "name"), field(node, "alternative")];
    let mut then = Vec::new();
    let inside = children(node).into_iter().filter(|c| !given.contains(&Some(*c)));
    reader.statements(inside.collect::<Vec<_>>(), &mut then);
    let mut otherwise = Vec::new();
    if let Some(other) = field(node, "alternative") {
        let span = reader.span(other);
        if other.kind() == "preproc_else" {
            reader.statements(children(other), &mut otherwise);
        } else {
            let kind = reader
                .deeper(1, |r| conditional(r, other))
                .unwrap_or_else(|| Kind::Unknown(reader.names(other)));
            otherwise.push(Statement { span, kind });
        }
    }
    Kind::If { condition, then, otherwise }
}

fn do_while(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Kind> {
    let span = reader.span(node);
    let next = reader.shared.fresh("next");
    reader.jumps.push(Jumps { next: Some(next.clone()), ..Jumps::default() });
    let mut body = reader.body_of(node, "body");
    let jumps = reader.jumps.pop().unwrap_or_default();
    let condition = reader.expression(field(node, "condition")?);
    if jumps.used_next {
        body.push(Statement { span, kind: Kind::Label(next) });
    }
    if condition.kind == ExpressionKind::Integer(0) && !jumps.used_next && !breaks(&body) {
        return Some(Kind::Block(body)); // the usual dress of a macro
    }
    let leave = Statement { span: condition.span, kind: Kind::Break(None) };
    let kind = Kind::If { condition, then: Vec::new(), otherwise: vec![leave] };
    body.push(Statement { span, kind });
    Some(Kind::While { condition: None, body })
}

/// Whether a `break` leaves the loop that the statements are the body of.
fn breaks(statements: &[Statement]) -> bool {
    statements.iter().any(|s| match &s.kind {
        Kind::Break(_) => true,
        Kind::If { then, otherwise, .. } => breaks(then) || breaks(otherwise),
        Kind::Block(body) => breaks(body),
        _ => false,
    })
}

/// `for (x : all)`: a loop of which nobody knows the turns.
fn range_loop(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) -> Option<Kind> {
    let all = field(node, "right")?;
    let condition = reader.unknown(all);
    reader.locals.enter();
    let declared = declare_locals(reader, node, out);
    reader.jumps.push(Jumps::default());
    let mut body: Vec<Statement> = declared
        .into_iter()
        .map(|name| {
            let span = reader.span(node);
            let target = Expression { span, kind: ExpressionKind::Name(name) };
            let value = Expression { span, kind: ExpressionKind::Unknown(Vec::new()) };
            Statement { span, kind: Kind::Assign { target, operation: None, value } }
        })
        .collect();
    if let Some(inner) = field(node, "body") {
        block(reader, inner, &mut body);
    }
    reader.jumps.pop();
    reader.locals.leave();
    Some(Kind::While { condition: Some(condition), body })
}

/// Whether what looks like a type is a macro with arguments whose text is known, and begins a
/// loop or another statement.
fn is_statement(reader: &Reader<'_>, node: Node<'_>) -> bool {
    let name = field(node, "name").filter(|_| node.kind() == "macro_type_specifier");
    name.is_some_and(|name| {
        let meaning = reader.shared.macros.get(reader.text_of(name));
        matches!(meaning, Some(Meaning::Tokens { body, .. })
        if body.split(|c: char| !c.is_alphanumeric()).next().is_some_and(|word| {
            ["for", "while", "if", "do"].contains(&word)
        }))
    })
}

/// Whether what stands alone is a use of a macro, and if so, whether one knows what it becomes.
fn macro_in(reader: &Reader<'_>, node: Node<'_>) -> Option<bool> {
    let node = match node.kind() {
        "expression_statement" => first(node)?,
        _ => node,
    };
    let (name, has_arguments): (Name, bool) = match node.kind() {
        "identifier" => (reader.text_of(node).to_owned(), false),
        "call_expression" => {
            let callee = field(node, "function").filter(|f| f.kind() == "identifier")?;
            (reader.text_of(callee).to_owned(), true)
        }
        _ => return None,
    };
    match reader.shared.macros.get(&name)? {
        Meaning::Tokens { parameters, .. } => {
            (parameters.is_none() || has_arguments).then_some(true)
        }
        Meaning::Uncertain(_) => Some(false),
        Meaning::Constant | Meaning::Empty => None,
    }
}

/// Statements that a macro becomes.
fn expanded(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) -> Option<()> {
    let text = reader.shared.macros.expand(reader.text_of(node))?;
    let whole = format!("void _(void) {{ {text} ; }}");
    let tree = reader.shared.parse(&whole)?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    let body = match children(root).as_slice() {
        [only] => field(*only, "body")?,
        _ => return None,
    };
    let at = reader.span(node);
    reader.inside(&whole, at, |inner| {
        let before = out.len();
        inner.statements(children(body), out);
        // The semicolon that is one too many.
        if out.len() > before + 1 && out.last().is_some_and(|s| s.kind == Kind::Nothing) {
            out.pop();
        }
    });
    Some(())
}

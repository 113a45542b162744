//! Variables that a procedure declares, and their first values.

use commloom_source::tree::{
    Declaration, Dimension, Expression, ExpressionKind, Name, Statement, StatementKind, Storage,
    Type,
};
use tree_sitter::Node;

use super::declaration::variable;
use super::declarator::{Declared, declarator};
use super::odd::{bind, is_another_name};
use super::reader::{Reader, children, field, fields, first};
use super::specifier::{Words, specifier, words};

/// Variables in a procedure: their declaration, then their values as assignments. What they are
/// called in the tree.
pub(super) fn declare_locals(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    out: &mut Vec<Statement>,
) -> Vec<Name> {
    let span = reader.span(node);
    let words = words(reader, node);
    let of = field(node, "type");
    let base = specifier(reader, of);
    let storage = match words {
        Words { is_extern: true, .. } => Storage::Shared,
        Words { is_static: true, .. } | Words { is_thread_local: true, .. } => Storage::Kept,
        _ => Storage::Local,
    };
    let mut names = Vec::new();
    for outer in fields(node, "declarator") {
        let declared = declarator(reader, outer, base.clone());
        let constructor =
            declared.parameters.filter(|_| reader.is_cpp() && storage != Storage::Shared);
        if !is_one(&declared.name) || outer.kind() == "structured_binding_declarator" {
            out.push(reader.unknown_statement(outer));
            bind(reader, outer);
            continue;
        }
        if is_another_name(reader, of, &declared, outer) {
            out.push(reader.unknown_statement(outer));
        }
        if declared.parameters.is_some() && (constructor.is_none() || declared.of == Type::Void) {
            continue; // a prototype
        }
        let value = declared.value;
        let mut declaration =
            variable(reader, Declared { value: None, ..declared }, words, storage);
        let is_auto = of.is_some_and(|of| reader.text_of(of) == "auto");
        let is_int = |value| is_error(reader, value) || (is_auto && is_int(reader, value));
        if declaration.of == Type::Unknown && value.is_some_and(is_int) {
            declaration.of = Type::Basic("int".into(), 4);
        }
        // The name is seen from here on, in its own value too.
        declaration.name = reader.locals.declare(&declaration.name, &declaration.of);
        let first_value = first_value(reader, of, constructor, value);
        let target = Expression {
            span: declaration.span,
            kind: ExpressionKind::Name(declaration.name.clone()),
        };
        names.push(declaration.name.clone());
        let kept = storage != Storage::Local || matches!(declaration.of, Type::Reference(_));
        let assigned = match first_value {
            Some(value) if kept => {
                declaration.value = Some(value);
                None
            }
            other => other,
        };
        let is_container = matches!(&declaration.of,
            Type::Array(_, d) if matches!(d.as_slice(), [Dimension::AssumedShape { .. }]));
        out.push(Statement { span, kind: StatementKind::Declare(vec![declaration]) });
        if let Some(value) = assigned {
            if is_container && matches!(value.kind, ExpressionKind::Call { .. }) {
                // What a container is made with is nothing that a buffer needs: copies that fill
                // it come later.
                out.push(Statement { span, kind: StatementKind::Evaluate(value) });
                continue;
            }
            // `int w{5}`
            let value = match value.kind {
                ExpressionKind::List(mut all)
                    if all.len() == 1 && matches!(base, Type::Basic(..)) && is_scalar(outer) =>
                {
                    all.remove(0)
                }
                _ => value,
            };
            let kind = StatementKind::Assign { target, operation: None, value };
            out.push(Statement { span, kind });
        }
    }
    names
}

/// The value that a variable begins with.
fn first_value(
    reader: &mut Reader<'_>,
    of: Option<Node<'_>>,
    constructor: Option<Node<'_>>,
    value: Option<Node<'_>>,
) -> Option<Expression> {
    match (constructor, value) {
        // `std::vector<double> b(n);` reads like a prototype whose argument has the type `n`.
        (Some(list), _) => Some(constructed(reader, of, list)),
        (None, Some(value)) if value.kind() == "argument_list" => {
            Some(constructed(reader, of, value))
        }
        (None, Some(value)) => Some(reader.expression(value)),
        (None, None) => None,
    }
}

/// Whether what `auto` stands for is the error code that a function of MPI returns.
fn is_error(reader: &Reader<'_>, value: Node<'_>) -> bool {
    let callee = field(value, "function").filter(|_| value.kind() == "call_expression");
    let name = callee.map_or("", |callee| reader.text_of(callee));
    let others = ["MPI_Wti", "MPI_Aint_", "MPI_Status_"];
    let converts = ["_f2c", "_c2f", "_fromint", "_toint"];
    name.starts_with("MPI_")
        && !others.iter().any(|start| name.starts_with(start))
        && !converts.iter().any(|end| name.ends_with(end))
}

/// Whether what `auto` stands for is a decimal number without a suffix, which fits an `int`.
fn is_int(reader: &Reader<'_>, value: Node<'_>) -> bool {
    let text = reader.text_of(value);
    value.kind() == "number_literal"
        && text.bytes().all(|digit| digit.is_ascii_digit())
        && text.parse::<i32>().is_ok()
}

/// Whether it is one name: `auto &[x, y] = w` declares several, for parts of a whole.
fn is_one(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('[')
}

fn is_scalar(outer: Node<'_>) -> bool {
    let inner = field(outer, "declarator").unwrap_or(outer);
    inner.kind() == "identifier"
}

/// An object made by its constructor: a call of its type.
fn constructed(reader: &mut Reader<'_>, of: Option<Node<'_>>, list: Node<'_>) -> Expression {
    let span = reader.span(list);
    let name = of.map_or_else(Name::new, |of| {
        let text = reader.text_of(of);
        text.split('<').next().unwrap_or(text).trim().to_owned()
    });
    let arguments = children(list)
        .into_iter()
        .map(|argument| match argument.kind() {
            "parameter_declaration" => {
                let inner = field(argument, "type").or_else(|| first(argument)).unwrap_or(argument);
                let kind = match reader.locals.used(reader.text_of(inner)) {
                    Some(name) if inner.kind() == "type_identifier" => ExpressionKind::Name(name),
                    _ => ExpressionKind::Unknown(reader.names(argument)),
                };
                Expression { span: reader.span(argument), kind }
            }
            _ => reader.expression(argument),
        })
        .collect();
    let function = Box::new(Expression { span, kind: ExpressionKind::Name(name) });
    Expression { span, kind: ExpressionKind::Call { function, arguments } }
}

/// `void (*f)() = g;` reads like a call in C++: what it declares hides what else has the name.
pub(super) fn hidden_pointer(reader: &mut Reader<'_>, node: Node<'_>, out: &mut Vec<Statement>) {
    let text = reader.text_of(node);
    let Some((before, rest)) = text.split_once('(') else { return };
    let Some((inside, behind)) = rest.split_once(')') else { return };
    let is_word =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let name = inside.trim().strip_prefix('*').map(str::trim);
    let words = ["void", "bool", "char", "short", "int", "long", "float", "double", "unsigned"];
    let is_type = before.split_whitespace().all(|word| words.contains(&word));
    if let Some(name) = name.filter(|name| is_word(name))
        && is_type
        && !before.trim().is_empty()
        && behind.trim_start().starts_with('(')
        && reader.is_cpp()
    {
        let name = reader.locals.declare(name, &Type::Unknown);
        let span = reader.span(node);
        let declaration = Declaration {
            name,
            span,
            of: Type::Unknown,
            storage: Storage::Local,
            intent: None,
            unaliased: false,
            allocatable: false,
            is_volatile: false,
            is_constant: false,
            value: None,
        };
        out.push(Statement { span, kind: StatementKind::Declare(vec![declaration]) });
    }
}

//! Places that are assigned to by no name of their own, and names that are declared for places in
//! ways that are not followed: all that is named there may be meant.

use commloom_source::tree::{Expression, ExpressionKind as Kind, StatementKind, Type, Unary};
use tree_sitter::Node;

use super::declarator::Declared;
use super::reader::{Reader, children, field};

/// Whether what is assigned to is no variable, element or component by its own name, but what a
/// choice, a list, another assignment, a cast or a function gives: any name in it may be meant.
pub(super) fn is_odd(target: &Expression) -> bool {
    let chooses = |e: &Expression| {
        let mut found = false;
        e.each(&mut |e| {
            let is_one =
                matches!(e.kind, Kind::Choice { .. } | Kind::List(_) | Kind::Assign { .. });
            found |= is_one;
        });
        found
    };
    match &target.kind {
        Kind::Element { base, .. } | Kind::Member { base, .. } => match &base.kind {
            // `((double *)p)[i]`
            Kind::Cast(_, inner) => chooses(inner),
            Kind::Call { function, arguments } => {
                matches!(function.kind, Kind::Name(_)) && !arguments.is_empty()
            }
            _ => is_odd(base),
        },
        Kind::Unary(Unary::Dereference, inner) => chooses(inner),
        Kind::Cast(..) | Kind::Choice { .. } | Kind::List(_) => true,
        Kind::Assign { .. } | Kind::Step { .. } => true,
        Kind::Call { function, arguments } => {
            let is_of_library = matches!(&function.kind, Kind::Name(name)
                if name.starts_with("std::") || name.contains('<'));
            is_of_library || arguments.iter().any(chooses)
        }
        _ => false,
    }
}

/// Declares the names of a structured binding, which hide others.
pub(super) fn bind(reader: &mut Reader<'_>, outer: Node<'_>) {
    let parts = children(outer);
    let mut all = parts.iter().chain([&outer]);
    let Some(binding) = all.find(|n| n.kind() == "structured_binding_declarator") else { return };
    for name in children(*binding).into_iter().filter(|c| c.kind() == "identifier") {
        let name = reader.text_of(name).to_owned();
        reader.locals.declare(&name, &Type::Unknown);
    }
}

/// `using a::n;`: from here on `n` is another one.
pub(super) fn used(reader: &mut Reader<'_>, node: Node<'_>) -> StatementKind {
    let text = reader.text_of(node).trim_end_matches(';').trim();
    let name = text.rsplit([':', ' ']).next().unwrap_or("").to_owned();
    if text.contains("::") && !name.is_empty() && !text.contains("namespace ") {
        reader.locals.declare(&name, &Type::Unknown);
    }
    StatementKind::Nothing
}

/// Whether a declaration makes another name for a place in a way that is not followed, as
/// `int &r(n)`, `int &&r = std::move(n)` or `decltype(auto) r = (n)` do, or assigns in a list of
/// first values.
pub(super) fn is_another_name(
    reader: &Reader<'_>,
    of: Option<Node<'_>>,
    declared: &Declared<'_>,
    outer: Node<'_>,
) -> bool {
    let text = reader.text_of(outer);
    let is_deduced = of.is_some_and(|of| reader.text_of(of).starts_with("decltype(auto)"));
    let is_reference = matches!(declared.of, Type::Reference(_));
    let is_made = |value: Node<'_>| match value.kind() {
        // What a method gives belongs to its object.
        "call_expression" => {
            field(value, "function").is_some_and(|f| f.kind() != "field_expression")
        }
        kind => matches!(kind, "conditional_expression" | "cast_expression"),
    };
    let is_hidden = declared.parameters.is_some() || declared.value.is_some_and(is_made);
    let assigns = declared.value.is_some_and(|value| {
        value.kind() == "initializer_list" && {
            let list = reader.text_of(value);
            list.contains("++") || list.contains("--") || has_assignment(value)
        }
    });
    let is_moved = text.trim_start().starts_with("&&");
    (reader.is_cpp() && (is_deduced || is_moved || (is_reference && is_hidden))) || assigns
}

fn has_assignment(node: Node<'_>) -> bool {
    node.kind() == "assignment_expression" || children(node).into_iter().any(has_assignment)
}

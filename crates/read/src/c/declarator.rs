//! The signs around a name in a declaration: `*`, `[n]`, `(...)`.

use commloom_source::tree::{Dimension, MAX_DEPTH, Name, Type};
use tree_sitter::Node;

use super::reader::{Reader, children, field};

/// A name and what it is.
pub(super) struct Declared<'t> {
    /// Empty where there is none.
    pub name: Name,
    /// Where the name stands.
    pub node: Option<Node<'t>>,
    /// Its type; of a function, that of its result.
    pub of: Type,
    /// Of a function.
    pub parameters: Option<Node<'t>>,
    /// Its initializer.
    pub value: Option<Node<'t>>,
    /// `restrict`
    pub unaliased: bool,
}

impl Declared<'_> {
    /// Without a declarator.
    pub fn nameless(of: Type) -> Self {
        Declared {
            name: Name::new(),
            node: None,
            of,
            parameters: None,
            value: None,
            unaliased: false,
        }
    }
}

/// Reads a declarator, from its outside to the name. `base` is what stands before all of them.
pub(super) fn declarator<'t>(reader: &mut Reader<'_>, outer: Node<'t>, base: Type) -> Declared<'t> {
    let mut found = Declared::nameless(base);
    let mut next = Some(outer);
    let mut after_array = false; // `[n]` beside `[m]`: one array of two dimensions
    let mut levels = 0;
    while let Some(node) = next {
        levels += 1;
        if levels > MAX_DEPTH / 2 {
            found.of = Type::Unknown;
            return found;
        }
        let of = std::mem::replace(&mut found.of, Type::Unknown);
        let was_array = std::mem::take(&mut after_array);
        next = inner(node);
        match node.kind() {
            "pointer_declarator" | "abstract_pointer_declarator" | "pointer_type_declarator" => {
                found.of = Type::Pointer(Box::new(of));
                found.unaliased = children(node).iter().any(|c| {
                    c.kind() == "type_qualifier" && reader.text_of(*c).contains("restrict")
                });
            }
            "reference_declarator" | "abstract_reference_declarator" => {
                found.of = Type::Reference(Box::new(of));
            }
            "array_declarator" | "abstract_array_declarator" => {
                let dimension = match field(node, "size").filter(|s| s.kind() != "*") {
                    Some(size) => Dimension::Extent(reader.expression(size)),
                    None => Dimension::AssumedSize { lower: None },
                };
                found.of = match of {
                    Type::Array(element, mut dimensions) if was_array => {
                        dimensions.insert(0, dimension);
                        Type::Array(element, dimensions)
                    }
                    of => Type::Array(Box::new(of), vec![dimension]),
                };
                after_array = true;
            }
            "function_declarator" | "abstract_function_declarator" => {
                let pointed = next.is_none_or(|n| n.kind().ends_with("parenthesized_declarator"));
                if pointed {
                    found.of = Type::Unknown; // a pointer to a function
                } else {
                    found.parameters = field(node, "parameters");
                    found.of = of;
                }
            }
            "init_declarator" => {
                found.value = field(node, "value");
                found.of = of;
            }
            "parenthesized_declarator"
            | "abstract_parenthesized_declarator"
            | "attributed_declarator" => {
                found.of = of;
                after_array = was_array && node.kind() == "attributed_declarator";
            }
            _ => {
                found.name = reader.text_of(node).chars().filter(|c| !c.is_whitespace()).collect();
                found.node = Some(node);
                found.of = of;
                next = None;
            }
        }
    }
    found
}

/// The declarator inside of one.
fn inner(node: Node<'_>) -> Option<Node<'_>> {
    field(node, "declarator").or_else(|| {
        children(node).into_iter().find(|c| {
            let kind = c.kind();
            kind.ends_with("declarator")
                || matches!(kind, "identifier" | "field_identifier" | "type_identifier")
                || matches!(kind, "qualified_identifier" | "operator_name")
        })
    })
}

/// Whether the bound of an array changes a variable, as in `double u[n][m++]`, somewhere in a
/// node: a bound is evaluated where it is declared, also that of a parameter, and the tree has no
/// place for what it does there.
pub(super) fn has_acting_bound(node: Node<'_>) -> bool {
    let mut open = vec![(node, false)];
    while let Some((node, in_bound)) = open.pop() {
        if in_bound && matches!(node.kind(), "update_expression" | "assignment_expression") {
            return true;
        }
        let is_array = matches!(node.kind(), "array_declarator" | "abstract_array_declarator");
        let size = field(node, "size").filter(|_| is_array).map(|size| size.id());
        open.extend(children(node).into_iter().map(|c| (c, in_bound || size == Some(c.id()))));
    }
    false
}

/// An argument that is declared as an array is a pointer to what is in its first dimension, C11
/// 6.7.6.3.
pub(super) fn as_argument(of: Type) -> Type {
    match of {
        Type::Array(element, mut dimensions) => {
            if dimensions.is_empty() || matches!(dimensions[0], Dimension::AssumedShape { .. }) {
                return Type::Array(element, dimensions); // a container of C++
            }
            dimensions.remove(0);
            if dimensions.is_empty() {
                Type::Pointer(element)
            } else {
                Type::Pointer(Box::new(Type::Array(element, dimensions)))
            }
        }
        of => of,
    }
}

//! The words before the names in a declaration: types, structures, enumerations.

use commloom_source::Span;
use commloom_source::tree::{
    Binary, Constant, Declaration, Dimension, Expression, ExpressionKind, Field, Record, Storage,
    Type,
};
use tree_sitter::Node;

use super::declarator::declarator;
use super::macros::Meaning;
use super::reader::{Reader, children, field, fields, first};

/// Words of a declaration that are no type.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Words {
    pub is_static: bool,
    /// One for each thread, which keeps its value.
    pub is_thread_local: bool,
    pub is_extern: bool,
    pub is_const: bool,
    pub is_volatile: bool,
}

/// The words before the type.
pub(super) fn words(reader: &Reader<'_>, node: Node<'_>) -> Words {
    let mut found = Words::default();
    for child in children(node) {
        match (child.kind(), reader.text_of(child)) {
            ("storage_class_specifier", "static") => found.is_static = true,
            ("storage_class_specifier", "thread_local" | "_Thread_local" | "__thread") => {
                found.is_thread_local = true;
            }
            ("storage_class_specifier", "extern") => found.is_extern = true,
            ("type_qualifier", "const" | "constexpr") => found.is_const = true,
            ("type_qualifier", "volatile" | "_Atomic") => found.is_volatile = true,
            _ => {}
        }
    }
    found
}

/// The type before the names of a declaration, of which each read counts where it is `volatile`:
/// nothing else is known then. (Variables that are declared so are marked themselves.)
pub(super) fn qualified(reader: &mut Reader<'_>, node: Node<'_>) -> Type {
    let of = field(node, "type");
    let base = specifier(reader, of);
    if !words(reader, node).is_volatile {
        return base;
    }
    let name = of.map_or("", |of| reader.text_of(of));
    Type::Named(format!("volatile {name}"))
}

/// The type of a declaration, a cast, a parameter; structures in it are met.
pub(super) fn specifier(reader: &mut Reader<'_>, node: Option<Node<'_>>) -> Type {
    let Some(node) = node else { return Type::Unknown };
    let text = reader.text_of(node);
    match node.kind() {
        "primitive_type" | "sized_type_specifier" => {
            basic(text).unwrap_or_else(|| Type::Named(text.to_owned()))
        }
        "type_identifier" => named(reader, node),
        "struct_specifier" | "class_specifier" | "union_specifier" => {
            reader.deeper(2, |r| record(r, node)).unwrap_or(Type::Unknown)
        }
        "enum_specifier" => {
            enumeration(reader, node);
            match field(node, "underlying_type").or(field(node, "base")) {
                Some(base) => specifier(reader, Some(base)),
                None => Type::Basic("int".into(), 4),
            }
        }
        "qualified_identifier" | "template_type" | "dependent_type" => container(reader, node)
            .unwrap_or_else(|| {
                let short = text.strip_prefix("std::").unwrap_or(text);
                basic(short).unwrap_or_else(|| {
                    Type::Named(text.chars().filter(|c| !c.is_whitespace()).collect())
                })
            }),
        _ => Type::Unknown, // `auto`, `decltype`
    }
}

/// A name: of a `typedef` somewhere, or of a macro that stands for a type.
fn named(reader: &mut Reader<'_>, node: Node<'_>) -> Type {
    let name = reader.text_of(node);
    match reader.shared.macros.get(name) {
        None => basic(name).unwrap_or_else(|| Type::Named(name.to_owned())),
        Some(Meaning::Tokens { parameters: None, .. }) => {
            let at = reader.span(node);
            expanded(reader, name, at).unwrap_or(Type::Unknown)
        }
        _ => Type::Unknown,
    }
}

fn expanded(reader: &mut Reader<'_>, name: &str, at: Span) -> Option<Type> {
    let text = format!("{} _;", reader.shared.macros.expand(name)?);
    let tree = reader.shared.parse(&text)?;
    let declaration = first(tree.root_node()).filter(|n| n.kind() == "declaration")?;
    field(declaration, "type").filter(|t| !t.has_error())?;
    reader.inside(&text, at, |inner| {
        let base = qualified(inner, declaration);
        let outer = field(declaration, "declarator")?;
        Some(declarator(inner, outer, base).of)
    })
}

/// Types that are part of the language or of its library, by the words that name them.
fn basic(text: &str) -> Option<Type> {
    let mut long = 0;
    let mut unsigned = false;
    let mut signed = false;
    let mut core = None;
    for word in text.split_whitespace() {
        match word {
            "long" => long += 1,
            "unsigned" => unsigned = true,
            "signed" => signed = true,
            "const" | "volatile" => {}
            _ if core.is_none() || core == Some("int") => core = Some(word),
            "int" => {}
            _ => return None,
        }
    }
    let integer = |name: &str, size| {
        let name = if unsigned { format!("unsigned {name}") } else { name.to_owned() };
        Some(Type::Basic(name, size))
    };
    match core {
        Some("void") => Some(Type::Void),
        Some("bool" | "_Bool") => Some(Type::Basic("bool".into(), 1)),
        Some("char") if signed => Some(Type::Basic("signed char".into(), 1)),
        Some("char") => integer("char", 1),
        Some("short") => integer("short", 2),
        Some("float") => Some(Type::Basic("float".into(), 4)),
        Some("double") if long > 0 => Some(Type::Basic("long double".into(), 16)),
        Some("double") => Some(Type::Basic("double".into(), 8)),
        Some("int") | None if long >= 2 => integer("long long", 8),
        Some("int") | None if long == 1 => integer("long", 8),
        Some("int") => integer("int", 4),
        None if unsigned || signed => integer("int", 4),
        Some(word) if long == 0 && !unsigned && !signed => {
            // They keep their names: where `long` has 4 bytes, these differ from it.
            let (name, size) = match word {
                "int8_t" => ("signed char", 1),
                "uint8_t" => ("unsigned char", 1),
                "int16_t" | "uint16_t" => (word, 2),
                "int32_t" | "uint32_t" => (word, 4),
                "int64_t" | "uint64_t" | "size_t" | "ssize_t" | "ptrdiff_t" | "intptr_t"
                | "uintptr_t" | "MPI_Aint" | "MPI_Offset" | "MPI_Count" => (word, 8),
                _ => return None,
            };
            Some(Type::Basic(name.into(), size))
        }
        _ => None,
    }
}

/// `std::vector<T>` and `std::array<T, n>`: arrays, as far as elements go. Templates of the
/// program may have these names, too.
fn container(reader: &mut Reader<'_>, node: Node<'_>) -> Option<Type> {
    let template = match node.kind() {
        "qualified_identifier" => {
            let scope = field(node, "scope").map_or("", |scope| reader.text_of(scope));
            field(node, "name").filter(|_| scope == "std")?
        }
        _ => node,
    };
    if template.kind() != "template_type" {
        return None;
    }
    let name = reader.text_of(field(template, "name")?);
    let is_defined =
        |kind: &str| reader.text.split(kind).skip(1).any(|rest| starts_with_word(rest, name));
    if node.kind() == "template_type" && (is_defined("struct ") || is_defined("class ")) {
        return None;
    }
    let arguments = children(field(template, "arguments")?);
    let element = |reader: &mut Reader<'_>| {
        let of = arguments.first().copied()?;
        reader.deeper(2, |r| descriptor(r, of))
    };
    if name == "complex" && arguments.len() == 1 {
        return match element(reader)? {
            Type::Basic(_, size) => Some(Type::Basic(format!("complex({})", 2 * size), 2 * size)),
            _ => None,
        };
    }
    let dimension = match (name, arguments.len()) {
        ("vector", 1 | 2) => Dimension::AssumedShape { lower: None },
        ("array", 2) => Dimension::Extent(reader.expression(arguments[1])),
        _ => return None,
    };
    let of = element(reader)?;
    // Several of its elements share a byte.
    let is_packed = name == "vector" && matches!(&of, Type::Basic(name, _) if name == "bool");
    (!is_packed).then(|| Type::Array(Box::new(of), vec![dimension]))
}

/// Whether a text begins with a word, and not with a longer one.
fn starts_with_word(text: &str, word: &str) -> bool {
    let rest = text.trim_start().strip_prefix(word);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// A type without a name: in casts, `sizeof`, templates.
pub(super) fn descriptor(reader: &mut Reader<'_>, node: Node<'_>) -> Type {
    if node.kind() != "type_descriptor" {
        return specifier(reader, Some(node));
    }
    let base = qualified(reader, node);
    match field(node, "declarator") {
        Some(outer) => declarator(reader, outer, base).of,
        None => base,
    }
}

fn record(reader: &mut Reader<'_>, node: Node<'_>) -> Type {
    let name = match field(node, "name") {
        Some(name) => reader.text_of(name).to_owned(),
        None => format!("struct@{}", node.start_byte()),
    };
    let Some(body) = field(node, "body") else { return Type::Record(name) };
    let plain = node.kind() != "union_specifier"
        && !reader.shared.packs
        && !children(node).iter().any(|c| {
            let odd = ["base_class_clause", "attribute_specifier", "alignas_qualifier"];
            odd.contains(&c.kind()) || c.kind().starts_with("attribute")
        });
    let bases = children(node)
        .into_iter()
        .filter(|c| c.kind() == "base_class_clause")
        .flat_map(children)
        .map(|base| reader.text_of(base).to_owned())
        .collect();
    let mut found = Record {
        name: name.clone(),
        fields: Vec::new(),
        bases,
        mentioned: Vec::new(),
        is_union: node.kind() == "union_specifier",
        is_opaque: !plain,
        has_actions: !plain,
    };
    for member in children(body) {
        found.has_actions |= acts(reader, member, &name);
        match member.kind() {
            "field_declaration" => member_fields(reader, member, &mut found),
            "access_specifier"
            | "using_declaration"
            | "alias_declaration"
            | "type_definition"
            | "friend_declaration"
            | "static_assert_declaration" => {}
            "function_definition" | "declaration" | "template_declaration" => {
                found.is_opaque |= reader.text_of(member).contains("virtual");
            }
            _ => found.is_opaque = true,
        }
    }
    reader.meet(found);
    Type::Record(name)
}

/// Whether a member is run where an object is made or goes: a constructor, a destructor, or an
/// operator that takes their place in assignments.
fn acts(reader: &Reader<'_>, member: Node<'_>, name: &str) -> bool {
    let is_function = matches!(
        member.kind(),
        "function_definition" | "declaration" | "template_declaration" | "field_declaration"
    );
    let text = reader.text_of(member);
    let head = text.split(['{', ';']).next().unwrap_or(text);
    let own = |word: &str| word == name && head.contains('(');
    is_function
        && (head.contains('~')
            || head.contains("operator")
            || head.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(own))
}

fn member_fields(reader: &mut Reader<'_>, member: Node<'_>, found: &mut Record) {
    let words = words(reader, member);
    let base = qualified(reader, member);
    if children(member).iter().any(|c| c.kind() == "bitfield_clause") {
        found.is_opaque = true;
    }
    for value in fields(member, "default_value") {
        found.mentioned.extend(reader.names(value));
    }
    let virtual_method = reader.text_of(member).split_whitespace().any(|w| w == "virtual");
    found.is_opaque |= virtual_method;
    let names = fields(member, "declarator");
    if names.is_empty() && !words.is_static {
        // `struct { ... };` without a name: its fields are ours.
        found.is_opaque |= matches!(base, Type::Record(_));
    }
    for name in names {
        let declared = declarator(reader, name, base.clone());
        if !words.is_static && declared.parameters.is_none() {
            let container = matches!(&declared.of,
                Type::Array(_, d) if matches!(d.first(), Some(Dimension::AssumedShape { .. })));
            // How large a container of C++ is in itself is nobody's business.
            found.is_opaque |= container;
            let field = Field {
                name: declared.name,
                of: declared.of,
                is_elsewhere: container,
                has_value: !fields(member, "default_value").is_empty(),
            };
            found.fields.push(field);
        }
    }
}

fn enumeration(reader: &mut Reader<'_>, node: Node<'_>) {
    let Some(body) = field(node, "body") else { return };
    // The last value that was given, and how many names ago.
    let mut last: Option<Expression> = None;
    let mut since = 0;
    for one in children(body).into_iter().filter(|c| c.kind() == "enumerator") {
        let Some(name) = field(one, "name") else { continue };
        let span = reader.span(one);
        if let Some(value) = field(one, "value") {
            last = Some(reader.expression(value));
            since = 0;
        }
        let by = Expression { span, kind: ExpressionKind::Integer(since) };
        let value = match &last {
            None => by,
            Some(value) if since == 0 => value.clone(),
            Some(Expression { kind: ExpressionKind::Integer(value), .. }) => {
                Expression { span, kind: ExpressionKind::Integer(value.saturating_add(since)) }
            }
            Some(value) => Expression {
                span,
                kind: ExpressionKind::Binary(Binary::Add, Box::new(value.clone()), Box::new(by)),
            },
        };
        since += 1;
        let name = reader.text_of(name).to_owned();
        reader.met.constants.push(Constant { name, value });
    }
}

/// `const int n = 5;`: a name for a number, if its value is one at compile time.
pub(super) fn constant(declaration: &Declaration, words: Words) -> Option<Constant> {
    let is_scalar = matches!(declaration.of, Type::Basic(..));
    let value = declaration.value.as_ref().filter(|_| words.is_const && is_scalar)?;
    let kept = declaration.storage != Storage::Argument;
    (kept && is_constant(value))
        .then(|| Constant { name: declaration.name.clone(), value: value.clone() })
}

fn is_constant(value: &Expression) -> bool {
    match &value.kind {
        ExpressionKind::Integer(_) | ExpressionKind::SizeOfType(_) => true,
        ExpressionKind::Unary(_, inner) | ExpressionKind::Cast(_, inner) => is_constant(inner),
        ExpressionKind::Binary(_, left, right) => is_constant(left) && is_constant(right),
        _ => false,
    }
}

//! Specification parts.

use std::collections::{HashMap, HashSet};

use commloom_source::Span;
use commloom_source::tree::{
    Common, Constant, Declaration, Dimension, Expression, ExpressionKind, Intent, Name, Scope,
    Storage, Type,
};
use tree_sitter::Node;

use super::reader::Reader;
use super::types::{Kinds, kind_value};

/// The names of one scope, as statements in any order declare them.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    pub(super) entities: Vec<Entity>,
    pub(super) index: HashMap<Name, usize>,
    /// Of the constants here and in the scopes around.
    pub kinds: Kinds,
    pub(super) scope: Scope,
    /// `implicit none` was said.
    pub implicit_none: bool,
    /// Types by first letters, where `implicit` says others than usual.
    pub(super) letters: HashMap<char, Type>,
    pub(super) saves_all: bool,
    /// Variables that other names write: those in `equivalence` and `namelist`.
    pub(super) named_twice: HashSet<Name>,
}

/// One name.
#[derive(Debug)]
pub(super) struct Entity {
    pub(super) name: Name,
    pub(super) span: Span,
    pub(super) of: Option<Type>,
    pub(super) dimensions: Option<Vec<Dimension>>,
    pub(super) attributes: Attributes,
    pub(super) value: Option<Expression>,
}

/// The attributes that declarations add to a type.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes {
    pub(super) dimensions: Option<Vec<Dimension>>,
    pub(super) intent: Option<Intent>,
    pub(super) allocatable: bool,
    pub(super) volatile: bool,
    pub(super) pointer: bool,
    pub(super) target: bool,
    pub(super) save: bool,
    pub(super) shared: bool,
    pub(super) procedure: bool,
    pub(super) parameter: bool,
    /// `class(t)`: elements may be of a larger type.
    pub(super) polymorphic: bool,
    /// `public` or `private`.
    pub(super) is_public: Option<bool>,
}

impl Attributes {
    fn add(&mut self, other: &Attributes) {
        if other.dimensions.is_some() {
            self.dimensions.clone_from(&other.dimensions);
        }
        self.intent = self.intent.or(other.intent);
        self.allocatable |= other.allocatable;
        self.volatile |= other.volatile;
        self.pointer |= other.pointer;
        self.target |= other.target;
        self.save |= other.save;
        self.shared |= other.shared;
        self.procedure |= other.procedure;
        self.parameter |= other.parameter;
        self.polymorphic |= other.polymorphic;
        self.is_public = self.is_public.or(other.is_public);
    }
}

impl Declarations {
    /// Inside of a scope with these constants.
    pub(super) fn within(kinds: &Kinds) -> Declarations {
        Declarations { kinds: kinds.clone(), ..Declarations::default() }
    }

    pub(super) fn entity(&mut self, name: &str, span: Span) -> Option<&mut Entity> {
        let at = match self.index.get(name) {
            Some(&at) => at,
            None => {
                let at = self.entities.len();
                self.entities.push(Entity {
                    name: name.to_owned(),
                    span,
                    of: None,
                    dimensions: None,
                    attributes: Attributes::default(),
                    value: None,
                });
                self.index.insert(name.to_owned(), at);
                at
            }
        };
        self.entities.get_mut(at)
    }

    /// A file that is included here.
    pub(super) fn include(&mut self, path: String, span: Span) {
        self.scope.includes.push((path, span));
    }

    /// The type that a first letter implies.
    pub(super) fn implied(&self, name: &str) -> Type {
        let first = name.chars().next().unwrap_or('x');
        match self.letters.get(&first) {
            Some(of) => of.clone(),
            None if self.implicit_none => Type::Unknown,
            None if ('i'..='n').contains(&first) => Type::Basic("integer".into(), 4),
            None => Type::Basic("real".into(), 4),
        }
    }

    /// All of it, for a procedure with these dummy arguments, or for a module.
    /// Notes a constant that may be a kind. Its value is a number then: what it is made of
    /// (`kind(1d0)`, `real64`) need not be seen where it is used. In branches of the preprocessor
    /// it may be several: the last counts here, and others do not know which.
    fn kind(&mut self, name: &str, value: &mut Expression) {
        let kind = kind_value(value, &self.kinds);
        if let Some(kind) = kind {
            value.kind = ExpressionKind::Integer(i64::from(kind));
        }
        let before = self.index.get(name).and_then(|at| self.entities.get(*at));
        let before = before.and_then(|entity| entity.value.as_ref());
        let is_other = before.is_some_and(|before| before.kind != value.kind);
        if let Some(kind) = kind {
            self.kinds.insert(name.to_owned(), kind);
        }
        if kind.is_some() && is_other {
            value.kind = ExpressionKind::Unknown(Vec::new());
        }
    }

    pub(super) fn finish(mut self, parameters: &[Name], is_module: bool) -> Scope {
        for entity in std::mem::take(&mut self.entities) {
            if entity.attributes.procedure {
                continue;
            }
            // Only saved, given a value or put in a block here, and declared in what is included.
            let elsewhere = !self.scope.includes.is_empty() || !self.scope.uses.is_empty();
            if elsewhere
                && entity.of.is_none()
                && entity.dimensions.is_none()
                && !entity.attributes.parameter
            {
                continue;
            }
            let attributes = entity.attributes;
            let dimensions = entity.dimensions.or(attributes.dimensions);
            if attributes.parameter && dimensions.is_none() {
                if let Some(value) = entity.value {
                    self.scope.constants.push(Constant { name: entity.name, value });
                }
                continue;
            }
            let argument = parameters.contains(&entity.name);
            let base = entity.of.unwrap_or_else(|| self.implied(&entity.name));
            let of = match dimensions {
                Some(_) if attributes.polymorphic => Type::Unknown,
                Some(dimensions) => Type::Array(Box::new(base), dimensions),
                None => base,
            };
            let of = if attributes.pointer { Type::Pointer(Box::new(of)) } else { of };
            let storage = if argument {
                Storage::Argument
            } else if is_module || attributes.shared {
                Storage::Shared
            } else if attributes.save || self.saves_all || entity.value.is_some() {
                Storage::Kept
            } else {
                Storage::Local
            };
            let is_named_twice = self.named_twice.contains(&entity.name);
            self.scope.variables.push(Declaration {
                name: entity.name,
                span: entity.span,
                of,
                storage,
                intent: attributes.intent,
                unaliased: !attributes.target && !attributes.pointer && !is_named_twice,
                allocatable: attributes.allocatable,
                is_volatile: attributes.volatile,
                is_constant: attributes.parameter,
                value: entity.value,
            });
        }
        self.scope.implicit = !self.implicit_none;
        self.scope
    }
}

impl<'t> Reader<'t> {
    /// Takes a node of a specification part; false where it is none.
    pub(super) fn declaration(&mut self, node: Node<'t>, into: &mut Declarations) -> bool {
        if self.odd_pointer(node, into) {
            return true;
        }
        match node.kind() {
            "variable_declaration" => self.variables(node, into),
            "variable_modification" => self.modification(node, into),
            "parameter_statement" => self.parameters(node, into),
            "common_statement" => self.common(node, into),
            "equivalence_statement" => self.equivalence(node, into),
            "data_statement" => self.data(node, into),
            "save_statement" => self.save(node, into),
            "implicit_statement" => self.implicit(node, into),
            "use_statement" => self.use_statement(node, into),
            "include_statement" | "preproc_include" => self.include(node, into),
            "derived_type_definition" => self.record(node, into),
            "preproc_def" => self.macro_constant(node, into),
            "enum" | "enumeration_type" => self.enumeration(node, into),
            "interface" => {
                self.interface(node);
                self.defined(node, &mut into.scope);
            }
            "cray_pointer_declaration" => into.scope.has_loose_pointers = true,
            "namelist_statement" => into.named_twice.extend(self.names_in(node)),
            "public_statement" => into.scope.access.public.extend(self.names_in(node)),
            "private_statement" => {
                let names = self.names_in(node);
                into.scope.access.is_private |= names.is_empty();
                into.scope.access.private.extend(names);
            }
            "import_statement" | "bind_statement" | "preproc_function_def" => {}
            _ => return false,
        }
        true
    }

    pub(super) fn variables(&mut self, node: Node<'t>, into: &mut Declarations) {
        let Some(written) = node.child_by_field_name("type") else { return };
        let is_procedure = written.kind() == "procedure";
        let of = self.type_of(written, &into.kinds);
        let word = self.text(written).get(..5).unwrap_or("").to_ascii_lowercase();
        let polymorphic = word == "class";
        let mut attributes =
            Attributes { procedure: is_procedure, polymorphic, ..Attributes::default() };
        let mut cursor = node.walk();
        let qualifiers: Vec<Node<'t>> =
            node.children_by_field_name("attribute", &mut cursor).collect();
        for qualifier in qualifiers {
            let one = self.attribute(qualifier);
            attributes.add(&one);
        }
        let first = into.entities.len();
        for declarator in self.declarators(node) {
            self.declare(declarator, Some(&of), &attributes, into);
        }
        if let Some(is_public) = attributes.is_public {
            let names = into.entities.iter().skip(first).map(|entity| entity.name.clone());
            let access = &mut into.scope.access;
            if is_public { &mut access.public } else { &mut access.private }.extend(names);
        }
    }

    fn declarators(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.children_by_field_name("declarator", &mut cursor).filter(Node::is_named).collect()
    }

    fn attribute(&mut self, node: Node<'t>) -> Attributes {
        let text = self.text(node).to_ascii_lowercase();
        let word: String = text.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
        let mut found = Attributes::default();
        match word.as_str() {
            "dimension" => {
                let size = self.children(node).into_iter().find(|c| c.kind() == "argument_list");
                found.dimensions = size.map(|s| self.dimensions(s));
            }
            "intent" => {
                found.intent = match (text.contains("in"), text.contains("out")) {
                    // The word `intent` has an `in` of its own.
                    (_, true) if text.matches("in").count() > 1 => Some(Intent::InOut),
                    (_, true) => Some(Intent::Out),
                    _ => Some(Intent::In),
                };
            }
            "allocatable" => found.allocatable = true,
            "volatile" | "asynchronous" => found.volatile = true,
            "pointer" => found.pointer = true,
            "target" => found.target = true,
            "save" | "static" => found.save = true,
            "external" | "intrinsic" => found.procedure = true,
            "parameter" => found.parameter = true,
            "public" => found.is_public = Some(true),
            "private" => found.is_public = Some(false),
            _ => {}
        }
        found
    }

    /// One name of a declaration, with all that stands at it.
    pub(super) fn declare(
        &mut self,
        node: Node<'t>,
        of: Option<&Type>,
        attributes: &Attributes,
        into: &mut Declarations,
    ) {
        let children = self.children(node);
        let (name, size, value) = match node.kind() {
            "identifier" => (Some(node), None, None),
            "sized_declarator" => (
                children.first().copied(),
                children.iter().copied().find(|c| c.kind() == "size"),
                None,
            ),
            "init_declarator" | "pointer_init_declarator" | "data_declarator" => {
                let left = node.child_by_field_name("left");
                let parts = left.map(|l| self.children(l)).unwrap_or_default();
                let size = parts.iter().copied().find(|c| c.kind() == "size");
                let name = match left {
                    Some(l) if l.kind() == "identifier" => Some(l),
                    _ => parts.first().copied(),
                };
                (name, size, node.child_by_field_name("right"))
            }
            // Coarrays: other images see them.
            _ => (children.first().copied(), None, None),
        };
        let Some(name_node) = name else { return };
        let name = self.name(name_node);
        let span = self.span(name_node);
        let dimensions = size.map(|s| self.dimensions(s));
        let longer = children.iter().any(|c| c.kind() == "character_length");
        let mut value = value.map(|v| self.expression(v));
        if attributes.parameter {
            value.iter_mut().for_each(|value| into.kind(&name, value));
        }
        let Some(entity) = into.entity(&name, span) else { return };
        if let Some(of) = of {
            entity.of = Some(if longer { Type::Unknown } else { of.clone() });
            entity.span = span;
        }
        if dimensions.is_some() {
            entity.dimensions = dimensions;
        }
        if value.is_some() {
            entity.value = value;
        }
        entity.attributes.add(attributes);
    }

    /// `(n, 0:m, *)`
    fn dimensions(&mut self, size: Node<'t>) -> Vec<Dimension> {
        let mut found = Vec::new();
        for child in self.children(size) {
            match child.kind() {
                "extent_specifier" => found.push(self.dimension(child)),
                "assumed_size" => found.push(Dimension::AssumedSize { lower: None }),
                "assumed_rank" => found.push(Dimension::AssumedShape { lower: None }),
                _ if child.is_named() => {
                    found.push(Dimension::Bounds { lower: None, upper: self.expression(child) });
                }
                _ => {}
            }
        }
        found
    }

    fn dimension(&mut self, node: Node<'t>) -> Dimension {
        let parts = self.children(node);
        let colon = parts.iter().position(|p| p.kind() == ":").unwrap_or(0);
        let (before, after) = parts.split_at(colon);
        let lower = before.first().map(|l| self.expression(*l));
        match after.get(1) {
            None => Dimension::AssumedShape { lower },
            Some(upper) if upper.kind() == "assumed_size" => Dimension::AssumedSize { lower },
            Some(upper) => Dimension::Bounds { lower, upper: self.expression(*upper) },
        }
    }

    /// `dimension a(5)`, `allocatable b`, `external f`, ...
    fn modification(&mut self, node: Node<'t>, into: &mut Declarations) {
        let Some(first) = node.child(0) else { return };
        let attributes = self.attribute(first);
        for declarator in self.declarators(node) {
            self.declare(declarator, None, &attributes, into);
        }
    }

    fn parameters(&mut self, node: Node<'t>, into: &mut Declarations) {
        for assignment in self.children(node) {
            if assignment.kind() != "parameter_assignment" {
                continue;
            }
            let parts: Vec<Node<'t>> =
                self.children(assignment).into_iter().filter(Node::is_named).collect();
            let [name, value] = parts.as_slice() else { continue };
            let mut value = self.expression(*value);
            let key = self.name(*name);
            into.kind(&key, &mut value);
            let span = self.span(*name);
            if let Some(entity) = into.entity(&key, span) {
                entity.value = Some(value);
                entity.attributes.parameter = true;
            }
        }
    }

    fn include(&mut self, node: Node<'t>, into: &mut Declarations) {
        if let Some(path) = node.child_by_field_name("path") {
            let text = self.text(path).trim_matches(['\'', '"', '<', '>']).to_owned();
            let span = self.span(node);
            self.includes.push((text.clone(), span));
            into.include(text, span);
        }
    }

    /// `#define N 5`
    fn macro_constant(&mut self, node: Node<'t>, into: &mut Declarations) {
        let Some(name) = node.child_by_field_name("name") else { return };
        let text = node.child_by_field_name("value").map(|v| self.text(v).trim());
        let kind = match text.map(str::parse) {
            Some(Ok(value)) => ExpressionKind::Integer(value),
            _ => ExpressionKind::Unknown(Vec::new()),
        };
        let value = Expression { span: self.span(node), kind };
        into.scope.constants.push(Constant { name: self.name(name), value });
    }

    /// Enumerators count on from the one before.
    fn enumeration(&mut self, node: Node<'t>, into: &mut Declarations) {
        let mut next = Some(0_i64);
        for statement in self.children(node) {
            if statement.kind() != "enumerator_statement" {
                continue;
            }
            for declarator in self.declarators(statement) {
                let (name, value) = match declarator.kind() {
                    "identifier" => (Some(declarator), None),
                    _ => (
                        declarator.child_by_field_name("left"),
                        declarator.child_by_field_name("right"),
                    ),
                };
                let Some(name) = name else { continue };
                let span = self.span(declarator);
                let kind = match (value, next) {
                    (Some(value), _) => self.expression(value).kind,
                    (None, Some(n)) => ExpressionKind::Integer(n),
                    (None, None) => ExpressionKind::Unknown(Vec::new()),
                };
                next = match kind {
                    ExpressionKind::Integer(n) => n.checked_add(1),
                    _ => None,
                };
                let value = Expression { span, kind };
                into.scope.constants.push(Constant { name: self.name(name), value });
            }
        }
    }
}

impl Declarations {
    pub(super) fn add_common(&mut self, name: Name, variables: Vec<Name>) {
        match self.scope.commons.iter_mut().find(|c| c.name == name) {
            // A block may be continued by a second statement.
            Some(common) => common.variables.extend(variables),
            None => self.scope.commons.push(Common { name, variables }),
        }
    }
}

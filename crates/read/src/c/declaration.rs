//! Declarations outside of procedures, procedures themselves, and declarations in them.

use std::ops::Range;

use commloom_source::tree::{
    Declaration, Dimension, Intent, Name, Procedure, Prototype, Scope, Statement, StatementKind,
    Storage, SyntaxError, Type, Unit,
};
use commloom_source::{Lines, Span};
use tree_sitter::Node;

use super::declarator::{Declared, as_argument, declarator, has_acting_bound};
use super::locals::Locals;
use super::reader::{Reader, children, field, fields};
use super::restart::{Head, heads};
use super::specifier::{Words, constant, descriptor, qualified, specifier, words};

/// Translates a file. Procedures that are not whole are read again, each for itself.
pub(super) fn file(reader: &mut Reader<'_>, root: Node<'_>, unit: &mut Unit) {
    errors(reader, root, unit);
    if !root.has_error() {
        return all(reader, root, None, &Lost::default(), unit);
    }
    let lost = lost(reader, root);
    all(reader, root, None, &lost, unit);
    unit.errors.retain(|error| lost.around(error.span.start).is_none());
    let lines = Lines::of(reader.text);
    for head in &lost.heads {
        again(reader, head, &lines, unit);
    }
    unit.procedures.sort_by_key(|p| p.span.start);
    unit.errors.sort_by_key(|e| e.span.start);
}

/// Translates what a macro became, in a namespace or class. It is whole.
pub(super) fn within(reader: &mut Reader<'_>, root: Node<'_>, path: Option<&str>, unit: &mut Unit) {
    all(reader, root, path, &Lost::default(), unit);
}

/// Procedures of the text of which the tree knows nothing, or nothing good; in the order of the
/// text.
#[derive(Default)]
struct Lost {
    heads: Vec<Head>,
}

impl Lost {
    /// The one that a byte belongs to.
    fn around(&self, at: usize) -> Option<&Head> {
        let before = self.heads.partition_point(|head| head.range.start <= at);
        let head = before.checked_sub(1).and_then(|last| self.heads.get(last));
        head.filter(|head| at < head.range.end)
    }

    /// The first one that begins behind a byte.
    fn after(&self, at: usize) -> Option<&Head> {
        self.heads.get(self.heads.partition_point(|head| head.range.start <= at))
    }
}

fn lost(reader: &Reader<'_>, root: Node<'_>) -> Lost {
    let mut good: Vec<(usize, usize)> = Vec::new();
    let mut cursor = root.walk();
    'all: loop {
        let node = cursor.node();
        let is_procedure = node.kind() == "function_definition";
        if is_procedure && !node.has_error() {
            good.push((node.start_byte(), node.end_byte()));
        }
        // What is in a procedure is a part of it.
        if !is_procedure && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'all;
            }
        }
    }
    let is_good = |head: &Head| {
        let before = good.partition_point(|(start, _)| *start <= head.range.start);
        before.checked_sub(1).is_some_and(|at| head.range.start < good[at].1)
    };
    Lost { heads: heads(reader.text).into_iter().filter(|head| !is_good(head)).collect() }
}

/// Reads a procedure without what stands around it.
fn again(reader: &mut Reader<'_>, head: &Head, lines: &Lines, unit: &mut Unit) {
    let before = unit.procedures.len();
    if let Some(tree) = reader.shared.parse_part(reader.text, head.range.clone(), lines) {
        errors(reader, tree.root_node(), unit);
        all(reader, tree.root_node(), head.path.as_deref(), &Lost::default(), unit);
    }
    if unit.procedures.len() == before {
        let name = joined(head.path.as_deref(), &head.name);
        unit.procedures.push(unread(reader, name, head.range.clone()));
    }
}

/// Adds a part of the text that may be a procedure, or several.
pub(super) fn unknown(reader: &mut Reader<'_>, range: Range<usize>, unit: &mut Unit) {
    let procedure = unread(reader, Name::new(), range);
    unit.procedures.push(procedure);
}

/// A procedure of which nothing is known but its names.
fn unread(reader: &mut Reader<'_>, name: Name, range: Range<usize>) -> Procedure {
    let span = Span { file: reader.file, start: range.start, end: range.end };
    let body = Statement { span, kind: StatementKind::Unknown(reader.names_in(range)) };
    Procedure {
        module: name.rsplit_once("::").map(|(module, _)| module.to_owned()),
        name,
        span,
        host: None,
        parameters: Vec::new(),
        result: None,
        is_local: false,
        scope: Scope::default(),
        body_start: span.end,
        body: vec![body],
        has_errors: true,
        directives: Vec::new(),
    }
}

/// Translates a node and what is in it, but for what is read again. No recursion: what is inside
/// of something else waits its turn.
fn all(reader: &mut Reader<'_>, root: Node<'_>, path: Option<&str>, lost: &Lost, unit: &mut Unit) {
    let mut waiting: Vec<(Node<'_>, Option<Name>)> = vec![(root, path.map(str::to_owned))];
    while let Some((node, path)) = waiting.pop() {
        let has_parts = matches!(node.kind(), "ERROR" | "translation_unit" | "declaration_list")
            || node.kind().starts_with("preproc_");
        if !has_parts && lost.around(node.start_byte()).is_some() {
            continue;
        }
        // One that has swallowed others.
        if node.kind() == "function_definition"
            && let Some(next) = lost.after(node.start_byte()).map(|head| head.range.start)
            && next < node.end_byte()
        {
            unit.procedures.push(unread(reader, Name::new(), node.start_byte()..next));
            continue;
        }
        let inside = item(reader, node, path.as_deref(), unit);
        let met = std::mem::take(&mut reader.met);
        extend(scope_of(unit, path.as_deref()), met);
        waiting.extend(inside.into_iter().rev());
    }
}

/// Items that wait to be translated, each with the namespace or class that it is in.
type Inside<'t> = Vec<(Node<'t>, Option<Name>)>;

/// Translates what is not made of other items, and gives back what is in it.
fn item<'t>(
    reader: &mut Reader<'_>,
    node: Node<'t>,
    path: Option<&str>,
    unit: &mut Unit,
) -> Inside<'t> {
    let here = path.map(str::to_owned);
    match node.kind() {
        "function_definition" => {
            if let Some(procedure) = procedure(reader, node, path) {
                unit.procedures.push(procedure);
            }
            Vec::new()
        }
        "declaration" => {
            let (declared, prototypes) = global(reader, node);
            let words = words(reader, node);
            let scope = scope_of(unit, path);
            for declaration in declared {
                match constant(&declaration, words) {
                    Some(constant) => scope.constants.push(constant),
                    None => scope.variables.push(declaration),
                }
            }
            unit.prototypes.extend(prototypes);
            methods(reader, field(node, "type"), path)
        }
        "type_definition" => {
            types(reader, node);
            methods(reader, field(node, "type"), path)
        }
        "struct_specifier" | "class_specifier" | "union_specifier" => {
            types(reader, node);
            methods(reader, Some(node), path)
        }
        "enum_specifier" | "alias_declaration" => {
            types(reader, node);
            Vec::new()
        }
        "namespace_definition" => {
            let name = field(node, "name").map_or("", |n| reader.text_of(n));
            let inner = if name.is_empty() { here } else { Some(joined(path, name)) };
            field(node, "body").map(|body| (body, inner)).into_iter().collect()
        }
        "translation_unit"
        | "declaration_list"
        | "field_declaration_list"
        | "linkage_specification"
        | "template_declaration"
        | "preproc_if"
        | "preproc_ifdef"
        | "preproc_else"
        | "preproc_elif"
        | "preproc_elifdef"
        | "ERROR" => children(node).into_iter().map(|c| (c, here.clone())).collect(),
        _ => Vec::new(),
    }
}

/// The inside of a class, for the methods in it.
fn methods<'t>(reader: &Reader<'_>, class: Option<Node<'t>>, path: Option<&str>) -> Inside<'t> {
    let Some(class) = class.filter(|_| reader.is_cpp()) else { return Vec::new() };
    match (field(class, "name"), field(class, "body")) {
        (Some(name), Some(body)) if class.kind() != "enum_specifier" => {
            vec![(body, Some(joined(path, reader.text_of(name))))]
        }
        _ => Vec::new(),
    }
}

fn joined(path: Option<&str>, name: &str) -> Name {
    match path {
        Some(path) => format!("{path}::{name}"),
        None => name.to_owned(),
    }
}

fn scope_of<'u>(unit: &'u mut Unit, path: Option<&str>) -> &'u mut Scope {
    let Some(path) = path else { return &mut unit.scope };
    let index = match unit.modules.iter().rposition(|(name, _)| name == path) {
        Some(index) => index,
        None => {
            unit.modules.push((path.to_owned(), Scope::default()));
            unit.modules.len() - 1
        }
    };
    &mut unit.modules[index].1
}

fn extend(scope: &mut Scope, met: Scope) {
    scope.records.extend(met.records);
    scope.aliases.extend(met.aliases);
    scope.constants.extend(met.constants);
}

/// Where the grammar was left; looks only into what has such places.
fn errors(reader: &Reader<'_>, root: Node<'_>, unit: &mut Unit) {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if node.is_error() || node.is_missing() {
            unit.errors.push(SyntaxError { span: reader.span(node) });
        } else if node.has_error() {
            let mut cursor = node.walk();
            let first = waiting.len();
            waiting.extend(node.children(&mut cursor));
            waiting[first..].reverse();
        }
    }
}

/// Records, names of types and constants of enumerations that a node declares.
pub(super) fn types(reader: &mut Reader<'_>, node: Node<'_>) {
    match node.kind() {
        "type_definition" => {
            let base = qualified(reader, node);
            for outer in fields(node, "declarator") {
                let declared = declarator(reader, outer, base.clone());
                let of = if declared.parameters.is_some() { Type::Unknown } else { declared.of };
                reader.met.aliases.push((declared.name, of));
            }
        }
        "alias_declaration" => {
            if let (Some(name), Some(of)) = (field(node, "name"), field(node, "type")) {
                let name = reader.text_of(name).to_owned();
                let of = descriptor(reader, of);
                reader.met.aliases.push((name, of));
            }
        }
        _ => drop(specifier(reader, Some(node))),
    }
}

/// Variables and prototypes outside of procedures.
fn global(reader: &mut Reader<'_>, node: Node<'_>) -> (Vec<Declaration>, Vec<Prototype>) {
    let words = words(reader, node);
    let base = specifier(reader, field(node, "type"));
    let mut variables = Vec::new();
    let mut prototypes = Vec::new();
    for outer in fields(node, "declarator") {
        let declared = declarator(reader, outer, base.clone());
        if declared.name.is_empty() {
            continue;
        }
        match declared.parameters {
            Some(list) => {
                let (parameters, variadic) = parameters(reader, list);
                let result = Some(declared.of);
                prototypes.push(Prototype { name: declared.name, parameters, variadic, result });
            }
            None => variables.push(variable(reader, declared, words, Storage::Shared)),
        }
    }
    (variables, prototypes)
}

pub(super) fn variable(
    reader: &mut Reader<'_>,
    declared: Declared<'_>,
    words: Words,
    storage: Storage,
) -> Declaration {
    let node = declared.node;
    let container = matches!(&declared.of,
        Type::Array(_, d) if matches!(d.first(), Some(Dimension::AssumedShape { .. })));
    let is_pointer = matches!(declared.of, Type::Pointer(_));
    let points_to_const = match &declared.of {
        Type::Pointer(inner) | Type::Reference(inner) => !matches!(**inner, Type::Pointer(_)),
        _ => false,
    };
    Declaration {
        name: declared.name,
        span: node.map_or(Span { file: reader.file, start: 0, end: 0 }, |n| reader.span(n)),
        of: declared.of,
        storage,
        intent: (words.is_const && points_to_const).then_some(Intent::In),
        unaliased: declared.unaliased,
        allocatable: container || (is_pointer && storage == Storage::Local),
        is_volatile: words.is_volatile,
        is_constant: false,
        value: declared.value.map(|v| reader.expression(v)),
    }
}

/// Dummy arguments, and whether any number may follow.
fn parameters(reader: &mut Reader<'_>, list: Node<'_>) -> (Vec<Declaration>, bool) {
    let mut all = Vec::new();
    let nodes = children(list);
    let mut variadic = nodes.is_empty() && !reader.is_cpp();
    for node in nodes {
        match node.kind() {
            "parameter_declaration" | "optional_parameter_declaration" => {
                let words = words(reader, node);
                let base = specifier(reader, field(node, "type"));
                let mut declared = match field(node, "declarator") {
                    Some(outer) => declarator(reader, outer, base),
                    None if base == Type::Void => continue, // `f(void)`
                    None => Declared::nameless(base),
                };
                if declared.parameters.is_some() {
                    declared.of = Type::Unknown; // a procedure
                }
                declared.of = as_argument(declared.of);
                declared.value = None; // C++'s default, the caller's matter
                let argument = variable(reader, declared, words, Storage::Argument);
                // Seen from here on: in the lengths of the arrays that follow.
                if !argument.name.is_empty() {
                    reader.locals.declare(&argument.name, &argument.of);
                }
                all.push(argument);
            }
            "identifier" => {
                // `f(a, b) int a; double b; { ... }`: types follow.
                let mut declared = Declared::nameless(Type::Basic("int".into(), 4));
                declared.name = reader.text_of(node).to_owned();
                declared.node = Some(node);
                let argument = variable(reader, declared, Words::default(), Storage::Argument);
                reader.locals.declare(&argument.name, &argument.of);
                all.push(argument);
            }
            _ => variadic = true,
        }
    }
    (all, variadic)
}

/// The numbers that templates around a function take: `template <int N>`.
fn values_of_templates(reader: &mut Reader<'_>, node: Node<'_>) -> Vec<Declaration> {
    let around = std::iter::successors(node.parent(), Node::parent);
    let mut lists: Vec<Node<'_>> = around
        .filter(|outer| outer.kind() == "template_declaration")
        .filter_map(|outer| field(outer, "parameters"))
        .collect();
    lists.reverse();
    let mut all = Vec::new();
    for list in lists {
        all.extend(parameters(reader, list).0);
    }
    all.retain(|value| !value.name.is_empty());
    all
}

/// Declarations of C before C99, between parentheses and braces.
fn old_style(reader: &mut Reader<'_>, node: Node<'_>, parameters: &mut [Declaration]) {
    for declaration in children(node).into_iter().filter(|c| c.kind() == "declaration") {
        let words = words(reader, declaration);
        let base = specifier(reader, field(declaration, "type"));
        for outer in fields(declaration, "declarator") {
            let mut declared = declarator(reader, outer, base.clone());
            declared.of = as_argument(declared.of);
            if let Some(slot) = parameters.iter_mut().find(|p| p.name == declared.name) {
                *slot = variable(reader, declared, words, Storage::Argument);
            }
        }
    }
}

fn procedure(reader: &mut Reader<'_>, node: Node<'_>, path: Option<&str>) -> Option<Procedure> {
    let mut body = field(node, "body")?;
    if body.kind() == "try_statement" {
        body = field(body, "body")?;
    }
    reader.locals = Locals::of_procedure();
    reader.locals.enter();
    let specified = words(reader, node);
    let values = values_of_templates(reader, node);
    let base = specifier(reader, field(node, "type"));
    let declared = declarator(reader, field(node, "declarator")?, base);
    let (mut dummies, _) = parameters(reader, declared.parameters?);
    old_style(reader, node, &mut dummies);
    // What the procedure's own types are called is its own matter.
    let outside = std::mem::take(&mut reader.met);
    let mut statements_of = Vec::new();
    for list in children(node).into_iter().filter(|c| c.kind() == "field_initializer_list") {
        statements_of.push(reader.unknown_statement(list));
    }
    let inside = children(body);
    let body_start = inside
        .iter()
        .find(|c| !is_declaration(c.kind()))
        .map_or(body.end_byte().saturating_sub(1), Node::start_byte);
    reader.statements(inside, &mut statements_of);
    let met = std::mem::replace(&mut reader.met, outside);
    reader.locals = Locals::default();
    reader.jumps.clear();

    let name = joined(path, &declared.name);
    let module = name.rsplit_once("::").map(|(module, _)| module.to_owned());
    let mut scope = Scope::default();
    let parameters = dummies.iter().map(|d| d.name.clone()).collect();
    scope.variables = dummies;
    scope.variables.extend(values);
    extend(&mut scope, met);
    Some(Procedure {
        name,
        span: reader.span(node),
        module,
        host: None,
        parameters,
        result: (declared.of != Type::Void).then_some(declared.of),
        is_local: specified.is_static,
        scope,
        body_start,
        body: statements_of,
        has_errors: node.has_error() || has_acting_bound(node),
        directives: std::mem::take(&mut reader.directives),
    })
}

fn is_declaration(kind: &str) -> bool {
    matches!(
        kind,
        "declaration"
            | "type_definition"
            | "alias_declaration"
            | "using_declaration"
            | "struct_specifier"
            | "enum_specifier"
            | "union_specifier"
    )
}

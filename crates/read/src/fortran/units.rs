//! Program units: modules, procedures, main programs.

use std::collections::BTreeSet;

use commloom_source::tree::MAX_DEPTH;
use commloom_source::tree::{
    Name, Procedure, Prototype, Scope, Statement, StatementKind, Storage, SyntaxError, Type, Use,
};
use tree_sitter::Node;

use super::blocks::without_hiding;
use super::declarations::Declarations;
use super::reader::Reader;
use super::types::Kinds;

/// Where a unit stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    /// The module that it is in.
    pub module: Option<Name>,
    /// The procedure that it is in.
    pub host: Option<Name>,
    /// Kinds that are known there.
    pub kinds: Kinds,
}

/// The name of the procedure that has none: the main program without a statement that says so.
pub(super) const MAIN: &str = "main program";

impl<'t> Reader<'t> {
    /// Everything in a node of the file's level, or a level of `contains`.
    pub(super) fn unit(&mut self, node: Node<'t>, around: &Surroundings) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match node.kind() {
            "program" | "subroutine" | "function" | "module_procedure" => {
                self.procedure(node, around)
            }
            "module" | "submodule" | "block_data" => self.module(node, around),
            "interface" => self.interface(node),
            "include_statement" | "preproc_include" | "preproc_def" => {
                let mut declarations = Declarations::within(&around.kinds);
                self.declaration(node, &mut declarations);
                merge(&mut self.unit.scope, declarations.finish(&[], true));
            }
            "internal_procedures"
            | "translation_unit"
            | "preproc_if"
            | "preproc_ifdef"
            | "preproc_else"
            | "preproc_elif"
            | "preproc_elifdef" => {
                for child in self.children(node) {
                    self.unit(child, around);
                }
            }
            _ => {}
        }
        self.depth -= 1;
    }

    fn module(&mut self, node: Node<'t>, around: &Surroundings) {
        let mut declarations = Declarations::within(&around.kinds);
        let mut name = Name::new();
        let mut inside = Vec::new();
        let mut above = Vec::new();
        for child in self.children(node) {
            match child.kind() {
                "submodule_statement" => {
                    let text = self.text(child).to_ascii_lowercase();
                    let (parents, own) = ancestors(&text);
                    name = own;
                    above = parents;
                }
                "module_statement" | "block_data_statement" => {
                    if let Some(found) =
                        self.children(child).into_iter().find(|c| c.kind() == "name")
                    {
                        name = self.name(found);
                    }
                }
                "internal_procedures" => inside.push(child),
                _ => self.specification(child, &mut declarations, &mut Vec::new()),
            }
        }
        let kinds = declarations.kinds.clone();
        let mut scope = declarations.finish(&[], true);
        // A submodule sees all of its ancestors.
        let all = |module| Use { module, names: Vec::new(), only: false };
        scope.uses.extend(above.into_iter().map(all));
        self.unit.modules.push((name.clone(), scope));
        let around = Surroundings { module: Some(name), host: None, kinds };
        for child in inside {
            self.unit(child, &around);
        }
    }

    /// A declaration, or an executable node that is put aside; of `#if` in a specification part
    /// the declarations of all branches.
    fn specification(
        &mut self,
        node: Node<'t>,
        declarations: &mut Declarations,
        executable: &mut Vec<Node<'t>>,
    ) {
        if self.declaration(node, declarations) {
            return;
        }
        if node.kind().starts_with("preproc_") {
            self.directives.push(self.span(node));
            let mut has_statements = false;
            let mut open = vec![node];
            while let Some(branch) = open.pop() {
                for child in self.children(branch) {
                    if child.kind().starts_with("preproc_e") {
                        open.push(child);
                    } else if is_branch(child) {
                        has_statements = true;
                    } else if child.is_named() && !self.declaration(child, declarations) {
                        let harmless =
                            matches!(child.kind(), "identifier" | "comment" | "preproc_call")
                                || branch
                                    .child_by_field_name("condition")
                                    .is_some_and(|c| c.id() == child.id());
                        has_statements |= !harmless;
                    }
                }
            }
            if !has_statements {
                return;
            }
        }
        executable.push(node);
    }

    fn procedure(&mut self, node: Node<'t>, around: &Surroundings) {
        let children = self.children(node);
        let mut declarations = Declarations::within(&around.kinds);
        let mut header = Header::default();
        let mut executable = Vec::new();
        let mut inside = Vec::new();
        let mut end = None;
        let mut has_errors = false;
        self.targets = self.goto_targets(node);
        self.directives.clear();
        for child in children {
            let kind = child.kind();
            has_errors |=
                kind != "internal_procedures" && (child.has_error() || child.is_missing());
            if kind.starts_with("end_") {
                end = Some(child);
            } else if kind == "internal_procedures" {
                inside.push(child);
            } else if kind.ends_with("_statement") && is_header(kind) {
                header = self.header(child, &declarations.kinds);
            } else {
                self.specification(child, &mut declarations, &mut executable);
            }
        }
        // A file of declarations to be included is read as a main program whose end was added.
        let added = end.is_some_and(|e| e.start_byte() >= self.length);
        if added && executable.is_empty() && header.name.is_none() && inside.is_empty() {
            merge(&mut self.unit.scope, declarations.finish(&[], false));
            return;
        }
        let span = self.span(node);
        let body_start = match executable.first().or(end.as_ref()) {
            Some(first) => match self.conditional_line(*first) {
                Some(line) => line.original.start,
                None => self.span(*first).start,
            },
            None => span.end,
        };
        let mut body = self.statements(&executable);
        without_hiding(&mut body);
        has_errors |= self.is_spoilt(node, &inside);
        let kinds = declarations.kinds.clone();
        let result_name = header.result_name.or_else(|| header.name.clone());
        let mut scope = declarations.finish(&header.parameters, false);
        // The caller gets what a function's result holds in the end.
        for variable in &mut scope.variables {
            if header.is_function && Some(&variable.name) == result_name.as_ref() {
                variable.storage = Storage::Argument;
            }
        }
        let result = header.is_function.then(|| {
            header.result.unwrap_or_else(|| {
                let declared =
                    scope.variables.iter().find(|v| Some(&v.name) == result_name.as_ref());
                declared.map_or(Type::Unknown, |v| v.of.clone())
            })
        });
        let name = header.name.unwrap_or_else(|| MAIN.to_owned());
        self.unit.procedures.push(Procedure {
            name: name.clone(),
            span,
            module: around.module.clone(),
            host: around.host.clone(),
            parameters: header.parameters,
            result,
            is_local: around.host.is_some(),
            scope,
            body_start,
            body,
            directives: std::mem::take(&mut self.directives),
            has_errors,
        });
        let around = Surroundings { module: around.module.clone(), host: Some(name), kinds };
        for child in inside {
            self.unit(child, &around);
        }
    }

    /// Whether a procedure has lines that are another text for other compilers, which are noted.
    fn is_spoilt(&mut self, node: Node<'t>, inside: &[Node<'t>]) -> bool {
        let range = self.span(node).range();
        let lines = self.normalized.cut.iter().chain(&self.normalized.torn);
        let mut spoilt: Vec<_> =
            lines.filter(|line| range.contains(&line.start)).cloned().collect();
        for line in self.conditional_lines(node, inside) {
            self.directives.push(self.span_of_original(line.original.clone()));
            if !self.is_whole(node, line) {
                spoilt.push(line.original.clone());
            }
        }
        let is_spoilt = !spoilt.is_empty();
        let errors =
            spoilt.into_iter().map(|line| SyntaxError { span: self.span_of_original(line) });
        let errors: Vec<SyntaxError> = errors.collect();
        self.unit.errors.extend(errors);
        is_spoilt
    }

    fn header(&mut self, node: Node<'t>, kinds: &Kinds) -> Header {
        let mut header =
            Header { is_function: node.kind() == "function_statement", ..Header::default() };
        for child in self.children(node) {
            match child.kind() {
                "name" => header.name = Some(self.name(child)),
                "parameters" => {
                    let names =
                        self.children(child).into_iter().filter(|c| c.kind() == "identifier");
                    header.parameters = names.map(|c| self.name(c)).collect();
                }
                "intrinsic_type" | "derived_type" => {
                    header.result = Some(self.type_of(child, kinds))
                }
                "function_result" => {
                    let name = self.children(child).into_iter().find(|c| c.kind() == "identifier");
                    header.result_name = name.map(|n| self.name(n));
                }
                _ => {}
            }
        }
        header
    }

    /// Labels that something goes to.
    fn goto_targets(&self, node: Node<'t>) -> std::collections::HashSet<Name> {
        let mut found = std::collections::HashSet::new();
        self.walk(node, |here| {
            let labels = match here.kind() {
                "keyword_statement" | "arithmetic_if_statement" => self
                    .children(here)
                    .into_iter()
                    .filter(|c| c.kind() == "statement_label_reference")
                    .collect(),
                "keyword_argument" => here.child_by_field_name("value").into_iter().collect(),
                "assign_statement" => self.children(here),
                _ => Vec::new(),
            };
            found.extend(labels.into_iter().map(|l| self.text(l).trim().to_owned()));
        });
        found
    }

    /// Procedures that an interface describes.
    pub(super) fn interface(&mut self, node: Node<'t>) {
        for child in self.children(node) {
            if !matches!(child.kind(), "subroutine" | "function") {
                continue;
            }
            let mut declarations = Declarations::default();
            let mut header = Header::default();
            for part in self.children(child) {
                if is_header(part.kind()) {
                    header = self.header(part, &declarations.kinds);
                } else if part.kind() != "include_statement" {
                    self.declaration(part, &mut declarations);
                }
            }
            let variables = declarations.finish(&header.parameters, false).variables;
            let parameters: Vec<_> = header
                .parameters
                .iter()
                .filter_map(|p| variables.iter().find(|v| &v.name == p).cloned())
                .collect();
            // One that is not declared in the interface: too little is known.
            if parameters.len() == header.parameters.len()
                && let Some(name) = header.name
            {
                let result = header.is_function.then(|| header.result.unwrap_or(Type::Unknown));
                self.unit.prototypes.push(Prototype { name, parameters, variadic: false, result });
            }
        }
    }

    /// A procedure of which only the name is known, since the grammar was left in it.
    pub(super) fn broken(
        &mut self,
        name: &str,
        range: std::ops::Range<usize>,
        around: &Surroundings,
    ) {
        let text = self.normalized.text.get(range.clone()).unwrap_or("");
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let names = words.filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic()));
        let names: BTreeSet<Name> = names.map(str::to_ascii_lowercase).collect();
        let span = self.span_of(range);
        let kind = StatementKind::Unknown(names.into_iter().collect());
        let unknown = Statement { span, kind };
        self.unit.procedures.push(Procedure {
            name: name.to_owned(),
            span,
            module: around.module.clone(),
            host: around.host.clone(),
            parameters: Vec::new(),
            result: None,
            is_local: around.host.is_some(),
            scope: Scope { implicit: true, ..Scope::default() },
            body_start: span.end,
            body: vec![unknown],
            directives: Vec::new(),
            has_errors: true,
        });
    }
}

/// The contents of the first statement of a procedure.
#[derive(Debug, Default)]
struct Header {
    name: Option<Name>,
    parameters: Vec<Name>,
    result: Option<Type>,
    result_name: Option<Name>,
    is_function: bool,
}

fn is_header(kind: &str) -> bool {
    matches!(
        kind,
        "program_statement"
            | "subroutine_statement"
            | "function_statement"
            | "module_procedure_statement"
    )
}

/// Nested `#if` in a branch.
fn is_branch(node: Node<'_>) -> bool {
    matches!(node.kind(), "preproc_if" | "preproc_ifdef")
}

fn merge(into: &mut Scope, from: Scope) {
    into.variables.extend(from.variables);
    into.records.extend(from.records);
    into.constants.extend(from.constants);
    into.commons.extend(from.commons);
    into.acting.extend(from.acting);
    into.assigning.extend(from.assigning);
    into.has_loose_pointers |= from.has_loose_pointers;
    into.equivalences.extend(from.equivalences);
    into.uses.extend(from.uses);
    into.includes.extend(from.includes);
    into.implicit = from.implicit;
}

/// The ancestors of a submodule, and its own name: `submodule (a:b) c`.
fn ancestors(statement: &str) -> (Vec<Name>, Name) {
    let Some((parents, own)) = statement.split_once('(').and_then(|(_, rest)| rest.split_once(')'))
    else {
        return (Vec::new(), Name::new());
    };
    let parents = parents.split(':').map(|name| name.trim().to_owned());
    (parents.collect(), own.trim().to_owned())
}

//! Statements that say more of names: `common`, `equivalence`, `data`, `save`, `implicit` and
//! `use`.

use commloom_source::tree::{Equivalence, Expression, ExpressionKind, Name, Scope, Type, Use};
use tree_sitter::Node;

use super::declarations::{Attributes, Declarations};
use super::reader::Reader;
use super::types::known_kind;

/// Generic names that a program may define by procedures.
const DEFINED: [&str; 4] = ["operator(", "assignment(", "read(", "write("];

/// The words of a text: those that are no procedures do no harm.
fn words(text: &str) -> Vec<Name> {
    let all = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    all.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

impl<'t> Reader<'t> {
    /// Pointers of which the grammar knows too little: to procedures, which hide what else has
    /// their names, and those of Cray. Whether it is one.
    pub(super) fn odd_pointer(&mut self, node: Node<'t>, into: &mut Declarations) -> bool {
        let text = self.text(node).to_ascii_lowercase();
        let rest = text.trim_start().strip_prefix("pointer").map(str::trim_start);
        if rest.is_some_and(|rest| rest.starts_with('(')) {
            into.scope.has_loose_pointers = true;
            return true;
        }
        let Some((before, behind)) = text.split_once("::") else { return false };
        let is_procedure = before
            .trim_start()
            .strip_prefix("procedure")
            .is_some_and(|rest| rest.trim_start().starts_with('(') && rest.contains("pointer"));
        if !is_procedure {
            return false;
        }
        let span = self.span(node);
        let firsts = behind.split(',').filter_map(|part| words(part).into_iter().next());
        for name in firsts {
            if let Some(entity) = into.entity(&name, span) {
                entity.of = Some(Type::Unknown);
            }
        }
        true
    }

    /// `interface operator(+)`, `interface assignment(=)`, `interface write(formatted)`: their
    /// procedures.
    pub(super) fn defined(&self, node: Node<'t>, into: &mut Scope) {
        let text = self.text(node).to_ascii_lowercase();
        let head: String =
            text.lines().next().unwrap_or("").chars().filter(|c| !c.is_whitespace()).collect();
        let of = head.trim_start_matches("abstract").trim_start_matches("interface");
        if !DEFINED.iter().any(|word| of.starts_with(word)) {
            return;
        }
        let names = words(&text);
        if of.starts_with("assignment(") {
            into.assigning.extend(names.iter().cloned());
        }
        into.acting.extend(names);
    }

    /// The same of what is bound to a type: `final`, `generic :: operator(+) => add`. All names
    /// there, since these are names for procedures by names for procedures.
    pub(super) fn bound(&self, node: Node<'t>, into: &mut Scope) {
        let text = self.text(node).to_ascii_lowercase();
        let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let is_final = text.lines().any(|line| line.trim_start().starts_with("final"));
        let is_generic = |word: &str| squeezed.contains(&format!("::{word}"));
        if !is_final && !DEFINED.iter().any(|word| is_generic(word)) {
            return;
        }
        let names = words(&text);
        if squeezed.contains("::assignment(") {
            into.assigning.extend(names.iter().cloned());
        }
        into.acting.extend(names);
    }

    pub(super) fn common(&mut self, node: Node<'t>, into: &mut Declarations) {
        let mut blank = Vec::new();
        for child in self.children(node) {
            match child.kind() {
                "variable_group" => {
                    let parts = self.children(child);
                    let name = parts.iter().find(|p| p.kind() == "name").map(|p| self.name(*p));
                    let mut variables = Vec::new();
                    for part in parts {
                        self.common_variable(part, &mut variables, into);
                    }
                    into.add_common(name.unwrap_or_default(), variables);
                }
                _ => self.common_variable(child, &mut blank, into),
            }
        }
        if !blank.is_empty() {
            into.add_common(Name::new(), blank);
        }
    }

    fn common_variable(&mut self, node: Node<'t>, list: &mut Vec<Name>, into: &mut Declarations) {
        let name = match node.kind() {
            "identifier" => self.name(node),
            "sized_declarator" => match node.child(0) {
                Some(first) => self.name(first),
                None => return,
            },
            _ => return,
        };
        list.push(name);
        let attributes = Attributes { shared: true, ..Attributes::default() };
        self.declare(node, None, &attributes, into);
    }

    pub(super) fn equivalence(&mut self, node: Node<'t>, into: &mut Declarations) {
        for set in self.children(node) {
            if set.kind() == "equivalence_set" {
                let places =
                    self.children(set).into_iter().filter(Node::is_named).collect::<Vec<_>>();
                let places = places.into_iter().map(|p| self.expression(p)).collect();
                into.named_twice.extend(self.names_in(set));
                into.scope.equivalences.push(Equivalence { places });
            }
        }
    }

    /// A variable that `data` fills is kept from call to call.
    pub(super) fn data(&mut self, node: Node<'t>, into: &mut Declarations) {
        for set in self.children(node) {
            for child in self.children(set) {
                if child.kind() == "data_value" {
                    continue;
                }
                for name in self.names_in(child) {
                    let span = self.span(child);
                    // Only those that are declared: bounds and loop variables are named too.
                    let declared = into.index.contains_key(&name) || child.kind() == "identifier";
                    if declared && let Some(entity) = into.entity(&name, span) {
                        entity.attributes.save = true;
                        let kind = ExpressionKind::Unknown(Vec::new());
                        entity.value.get_or_insert(Expression { span, kind });
                    }
                }
            }
        }
    }

    pub(super) fn save(&mut self, node: Node<'t>, into: &mut Declarations) {
        let names: Vec<Node<'t>> =
            self.children(node).into_iter().filter(|c| c.kind() == "identifier").collect();
        into.saves_all |= names.is_empty() && self.children(node).len() == 1;
        for name in names {
            let span = self.span(name);
            if let Some(entity) = into.entity(&self.name(name), span) {
                entity.attributes.save = true;
            }
        }
    }

    pub(super) fn implicit(&mut self, node: Node<'t>, into: &mut Declarations) {
        let mut of = Type::Unknown;
        for child in self.children(node) {
            match child.kind() {
                "none" => into.implicit_none = true,
                "intrinsic_type" | "derived_type" => of = self.type_of(child, &into.kinds),
                "implicit_range" => {
                    let text = self.text(child).to_ascii_lowercase();
                    let mut letters = text.chars().filter(char::is_ascii_lowercase);
                    let Some(first) = letters.next() else { continue };
                    let last = letters.next().unwrap_or(first);
                    for letter in first..=last {
                        into.letters.insert(letter, of.clone());
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn use_statement(&mut self, node: Node<'t>, into: &mut Declarations) {
        let children = self.children(node);
        let Some(module) = children.iter().find(|c| c.kind() == "module_name") else { return };
        let only = children.iter().find(|c| c.kind() == "included_items");
        let items = match only {
            Some(list) => self.children(*list),
            None => children.clone(),
        };
        let mut names = Vec::new();
        for item in items {
            match item.kind() {
                "identifier" => names.push((self.name(item), self.name(item))),
                "use_alias" => {
                    let parts: Vec<Node<'t>> =
                        self.children(item).into_iter().filter(Node::is_named).collect();
                    if let [here, there] = parts.as_slice() {
                        names.push((self.name(*here), self.name(*there)));
                    }
                }
                _ => {}
            }
        }
        // `use iso_fortran_env, only: wp => real64`
        let kinds = names.iter().filter(|(here, there)| here != there);
        into.kinds
            .extend(kinds.filter_map(|(here, there)| Some((here.clone(), known_kind(there)?))));
        into.scope.uses.push(Use { module: self.name(*module), names, only: only.is_some() });
    }
}

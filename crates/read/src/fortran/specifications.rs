//! Statements that say more of names: `common`, `equivalence`, `data`, `save`, `implicit` and
//! `use`.

use commloom_source::tree::{Equivalence, Name, Type, Use};
use tree_sitter::Node;

use super::declarations::{Attributes, Declarations};
use super::reader::Reader;

impl<'t> Reader<'t> {
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
        into.scope.uses.push(Use { module: self.name(*module), names, only: only.is_some() });
    }
}

//! Derived types.

use commloom_source::tree::{Field, Name, Record};
use tree_sitter::Node;

use super::declarations::Declarations;
use super::reader::Reader;

impl<'t> Reader<'t> {
    /// A type with its components.
    pub(super) fn record(&mut self, node: Node<'t>, into: &mut Declarations) {
        let mut inside = Declarations::within(&into.kinds);
        let mut name = None;
        let mut is_opaque = node.has_error();
        let mut elsewhere: Vec<Name> = Vec::new();
        for child in self.children(node) {
            match child.kind() {
                "derived_type_statement" => {
                    for part in self.children(child) {
                        match part.kind() {
                            "type_name" => name = Some(self.name(part)),
                            "base_type_specifier"
                            | "derived_type_parameter_list"
                            | "abstract_specifier" => is_opaque = true,
                            _ => {}
                        }
                    }
                }
                "variable_declaration" => self.variables(child, &mut inside),
                "end_type_statement" | "sequence_statement" | "public_statement"
                | "private_statement" => {}
                "derived_type_procedures" => self.bound(child, &mut into.scope),
                _ => is_opaque = true,
            }
        }
        for entity in &inside.entities {
            // Pointers to procedures take room, but no array or number can be copied from them.
            is_opaque |= entity.attributes.procedure;
            if entity.attributes.allocatable || entity.attributes.pointer {
                elsewhere.push(entity.name.clone());
            }
        }
        let Some(name) = name else { return };
        let fields = inside
            .finish(&[], false)
            .variables
            .into_iter()
            .map(|v| Field {
                is_elsewhere: elsewhere.contains(&v.name),
                has_value: v.value.is_some(),
                name: v.name,
                of: v.of,
            })
            .collect();
        into.scope.records.push(Record {
            name,
            fields,
            bases: Vec::new(),
            mentioned: Vec::new(),
            is_union: false,
            is_opaque,
            has_actions: false,
        });
    }
}

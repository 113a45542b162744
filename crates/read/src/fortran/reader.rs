//! Nodes of one parse, as text and places.

use std::collections::HashSet;
use std::ops::Range;

use commloom_source::Span;
use commloom_source::tree::{Name, SyntaxError, Unit};
use tree_sitter::Node;

use super::form::Normalized;

/// Translates the nodes of one parse.
pub(super) struct Reader<'t> {
    pub(super) normalized: &'t Normalized,
    /// Of the normalized text without what was added at its end.
    pub(super) length: usize,
    pub(super) unit: Unit,
    pub(super) includes: Vec<(String, Span)>,
    /// How deep the reading is nested.
    pub(super) depth: usize,
    /// Labels that are gone to, of the procedure at hand.
    pub(super) targets: HashSet<Name>,
    /// Lines for the preprocessor, of the procedure at hand.
    pub(super) directives: Vec<Span>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(unit: Unit, normalized: &'t Normalized, length: usize) -> Reader<'t> {
        Reader {
            normalized,
            length,
            unit,
            includes: Vec::new(),
            depth: 0,
            targets: HashSet::new(),
            directives: Vec::new(),
        }
    }

    pub(super) fn finish(mut self) -> Unit {
        self.unit.includes.append(&mut self.includes);
        self.unit
    }

    /// All children but comments and continuation marks.
    pub(super) fn children(&self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut cursor = node.walk();
        node.children(&mut cursor)
            .filter(|c| !matches!(c.kind(), "comment" | "&" | "custom_directive"))
            .collect()
    }

    pub(super) fn text(&self, node: Node<'t>) -> &'t str {
        self.normalized.text.get(node.byte_range()).unwrap_or("")
    }

    pub(super) fn name(&self, node: Node<'t>) -> Name {
        self.text(node).to_ascii_lowercase()
    }

    pub(super) fn span(&self, node: Node<'t>) -> Span {
        self.span_of(node.byte_range())
    }

    pub(super) fn span_of(&self, range: Range<usize>) -> Span {
        let range = range.start.min(self.length)..range.end.min(self.length);
        // A node of statements ends with the line; its span does not.
        let text = self.normalized.text.get(range.clone()).unwrap_or("");
        let end = range.start + text.trim_end().len();
        let original = self.normalized.original_range(range.start..end);
        Span { file: self.unit.file, start: original.start, end: original.end }
    }

    pub(super) fn span_of_original(&self, range: Range<usize>) -> Span {
        Span { file: self.unit.file, start: range.start, end: range.end }
    }

    /// Where the grammar was left, all places below a node.
    pub(super) fn errors(&mut self, root: Node<'t>) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if node.is_error() || node.is_missing() {
                self.unit.errors.push(SyntaxError { span: self.span(node) });
            } else if node.has_error() {
                let mut cursor = node.walk();
                open.extend(node.children(&mut cursor));
            }
        }
        self.unit.errors.sort_by_key(|e| e.span.start);
    }

    /// Each node below, and the node itself, in the order of the text.
    pub(super) fn walk(&self, node: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
        let mut cursor = node.walk();
        loop {
            visit(cursor.node());
            if cursor.goto_first_child() || cursor.goto_next_sibling() {
                continue;
            }
            loop {
                if !cursor.goto_parent() {
                    return;
                }
                if cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    }
}

/// Without the words and headers of the construct that the nodes are the children of.
pub(super) fn body_of<'t>(nodes: &[Node<'t>]) -> Vec<Node<'t>> {
    nodes
        .iter()
        .copied()
        .filter(|n| {
            n.is_named()
                && !matches!(
                    n.kind(),
                    "block_label_start_expression"
                        | "block_label"
                        | "do_statement"
                        | "end_do_label_loop_statement"
                        | "end_do_loop_statement"
                        | "end_if_statement"
                        | "end_select_statement"
                        | "end_block_construct_statement"
                        | "parenthesized_expression"
                        | "case_value_range_list"
                        | "default"
                        | "inline_preproc_comment"
                        | "multiline_preproc_comment"
                )
        })
        .collect()
}

//! Names in what is not understood.

use std::collections::BTreeSet;
use std::ops::Range;

use commloom_source::tree::{Expression, ExpressionKind, Name, Statement, StatementKind};
use tree_sitter::Node;

use super::macros::Meaning;
use super::reader::Reader;
use super::token::{Kind, tokens};

impl Reader<'_> {
    /// All names in a node, those that its macros may bring too.
    pub fn names(&mut self, node: Node<'_>) -> Vec<Name> {
        self.names_in(node.byte_range())
    }

    /// The same for a part of the text.
    pub fn names_in(&mut self, range: Range<usize>) -> Vec<Name> {
        let mut all = BTreeSet::new();
        for token in tokens(self.text.get(range).unwrap_or("")).filter(|t| t.kind == Kind::Name) {
            match self.shared.macros.get(token.text) {
                Some(Meaning::Tokens { body, .. }) => {
                    let inside = tokens(body).filter(|t| t.kind == Kind::Name);
                    all.extend(inside.map(|t| t.text.to_owned()));
                }
                Some(Meaning::Uncertain(inside)) => all.extend(inside.iter().cloned()),
                Some(Meaning::Constant | Meaning::Empty) => {}
                None => drop(all.insert(token.text.to_owned())),
            }
        }
        all.into_iter().map(|name| self.locals.known_as(&name)).collect()
    }

    pub fn unknown(&mut self, node: Node<'_>) -> Expression {
        Expression { span: self.span(node), kind: ExpressionKind::Unknown(self.names(node)) }
    }

    /// A condition that is true or false without reading anything of the program.
    pub fn nobody_knows(&self, node: Node<'_>) -> Expression {
        Expression { span: self.span(node), kind: ExpressionKind::Unknown(Vec::new()) }
    }

    pub fn unknown_statement(&mut self, node: Node<'_>) -> Statement {
        Statement { span: self.span(node), kind: StatementKind::Unknown(self.names(node)) }
    }
}

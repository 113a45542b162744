//! Messages that are no buffers, whatever else is done with their memory: of datatypes that the
//! program makes, which describe them already, and of one element.

use std::collections::HashSet;

use commloom_program::Project;
use commloom_source::tree::{Expression, ExpressionKind as Kind, Name, StatementKind};

use super::handled::Handled;
use super::keys::Keyed;
use super::uses::Uses;
use crate::calls::Manner;
use crate::found::Found;

/// The names of variables and components that hold datatypes which a program commits anywhere, as
/// far as they are handed on by assignments.
#[derive(Debug, Default)]
pub(super) struct Committed {
    names: HashSet<Name>,
}

impl Committed {
    /// Reads all procedures: linear in them, times how often handles are handed on.
    pub fn of(project: &Project) -> Committed {
        let (mut names, mut copies) = (HashSet::new(), Vec::new());
        let procedures = project.units().iter().flat_map(|unit| &unit.procedures);
        for statement in procedures.flat_map(|procedure| &procedure.body) {
            statement.each(&mut |s| {
                if let StatementKind::Assign { target, operation: None, value } = &s.kind
                    && let (Some(to), Some(from)) = (holder(target), holder(value))
                {
                    copies.push((to, from));
                }
                for expression in s.expressions() {
                    expression.each(&mut |e| {
                        let Kind::Call { function, arguments } = &e.kind else { return };
                        let called = function.root().map_or("", String::as_str);
                        if called.to_ascii_lowercase().ends_with("mpi_type_commit") {
                            names.extend(arguments.first().and_then(holder).cloned());
                        }
                    });
                }
            });
        }
        loop {
            let before = names.len();
            let news = copies.iter().filter(|(_, from)| names.contains(*from));
            let news: Vec<Name> = news.map(|(to, _)| (*to).clone()).collect();
            names.extend(news);
            if names.len() == before {
                return Committed { names };
            }
        }
    }

    /// Whether a call sends or receives one element, or an array of the program in elements of
    /// such a datatype: computed, and computed with, on every way by which it comes here.
    pub fn describe(&self, at: &Keyed<'_>, uses: &Uses, found: &Found<'_>) -> bool {
        let is_part = matches!(found.side.manner, Manner::Parts { .. });
        if matches!(found.count.kind, Kind::Integer(1)) && !is_part {
            return true;
        }
        if !holder(&found.datatype).is_some_and(|name| self.names.contains(name)) {
            return false;
        }
        let Some(key) = at.place(found.buffer) else { return false };
        let ways = uses.handled(&key);
        !ways.is_empty() && ways.iter().all(|one: &Handled| one.is_operand && one.is_result)
    }
}

/// The variable or component that a handle stands in.
fn holder(handle: &Expression) -> Option<&Name> {
    match &handle.kind {
        Kind::Name(name) | Kind::Member { field: name, .. } => Some(name),
        Kind::Element { base: inner, .. }
        | Kind::Unary(_, inner)
        | Kind::Cast(_, inner)
        | Kind::Keyword(_, inner) => holder(inner),
        _ => None,
    }
}

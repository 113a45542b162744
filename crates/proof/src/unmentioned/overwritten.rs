//! Buffers that a loop beside the call fills, or empties, in a way that the walk to the call does
//! not follow: where something else writes to the buffer in between, it forgets the loop. Copies
//! are reported wherever they are; these loops compute, too.

use std::collections::BTreeSet;

use commloom_copies::Direction;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, ExpressionKind as Kind, Name, Statement, StatementKind};

use super::handled::Handled;
use super::keys::{Key, Keyed};
use super::uses::Uses;
use crate::calls::Manner;
use crate::flow::locate;
use crate::found::Found;

/// Why the message of a call is no datatype, if a loop beside it fills, or empties, its buffer. An
/// array that is computed with, and that MPI writes to as well, is one of the program.
pub(super) fn overwritten(
    at: &Keyed<'_>,
    uses: &Uses,
    found: &Found<'_>,
    buffer: &Name,
) -> Option<Refusal> {
    let key = at.place(found.buffer)?;
    let both = matches!(found.side.manner, Manner::Broadcast { .. });
    let ways = [Direction::Pack, Direction::Unpack];
    ways.into_iter().filter(|way| both || *way == found.side.direction).find_map(|way| {
        let is_array = |one: &Handled| match way {
            Direction::Pack => one.is_operand && one.is_received,
            Direction::Unpack => one.is_result && one.is_sent,
        };
        if uses.handled(&key).iter().any(is_array) {
            return None;
        }
        let loops = Loops { at, uses, memory: uses.memory(&key), way };
        loops.beside(found).map(|span| {
            let (done, next) = match way {
                Direction::Pack => ("filled", "into an array, and pack from that right before it"),
                Direction::Unpack => ("emptied", "with an array that is unpacked right after it"),
            };
            let whose = if buffer.is_empty() { "a buffer".into() } else { format!("'{buffer}'") };
            let message = format!(
                "{whose} is {done} by a loop that computes, which is not followed to this call, \
                 and a datatype can only copy: compute {next}"
            );
            Refusal::new(Code::Arithmetic, span, message)
        })
    })
}

/// Loops of the procedure of a call that fill, or empty, some memory.
struct Loops<'a> {
    at: &'a Keyed<'a>,
    uses: &'a Uses,
    memory: BTreeSet<Key>,
    way: Direction,
}

impl Loops<'_> {
    /// The first one before the call, or after it, that belongs to the same turn of the loops
    /// around the call.
    fn beside(&self, found: &Found<'_>) -> Option<Span> {
        let located = locate(self.at.view.procedure(), found.call)?;
        for (list, at) in located.path.iter().rev() {
            let is_around = list.get(*at).is_some_and(turns);
            if is_around {
                return None;
            }
            let (before, after) = (list.get(..*at)?, list.get(*at + 1..)?);
            let list = if self.way == Direction::Pack { before } else { after };
            if let Some(span) = list.iter().find_map(|s| self.statement(s, false)) {
                return Some(span);
            }
        }
        None
    }

    fn statement(&self, statement: &Statement, in_loop: bool) -> Option<Span> {
        if let StatementKind::Assign { target, value, .. } = &statement.kind
            && let Some(span) = self.assigned(target, value, in_loop)
        {
            return Some(span);
        }
        let mut first = None;
        for expression in statement.expressions() {
            expression.each(&mut |e| {
                let found = match &e.kind {
                    Kind::Assign { target, value, .. } => self.assigned(target, value, in_loop),
                    Kind::Call { function, arguments } if in_loop => {
                        self.called(function, arguments).then_some(e.span)
                    }
                    _ => None,
                };
                first = first.or(found);
            });
        }
        let in_loop = in_loop || turns(statement);
        let inside = statement.bodies().into_iter().flatten();
        first.or_else(|| inside.into_iter().find_map(|s| self.statement(s, in_loop)))
    }

    fn assigned(&self, target: &Expression, value: &Expression, in_loop: bool) -> Option<Span> {
        if !in_loop && !self.at.is_array(target) {
            return None;
        }
        let is_it = match self.way {
            // Constants are what a buffer has before it is filled.
            Direction::Pack => {
                self.at.is_target(target) && self.is_it(target) && self.is_variable(value)
            }
            Direction::Unpack => {
                let mut is_it = false;
                value.each(&mut |e| is_it |= self.at.is_element(e) && self.is_it(e));
                is_it
            }
        };
        is_it.then_some(value.span)
    }

    /// Whether a procedure that is called stores into the memory, or takes from it; or a container
    /// grows.
    fn called(&self, function: &Expression, arguments: &[Expression]) -> bool {
        if let Kind::Member { base, field } = &function.kind
            && matches!(field.as_str(), "push_back" | "emplace_back")
        {
            let is_variable = arguments.iter().any(|a| self.is_variable(a));
            return self.way == Direction::Pack && is_variable && self.is_it(base);
        }
        arguments.iter().enumerate().any(|(number, argument)| {
            let is_it = self.at.given(argument).is_some_and(|key| self.meets(&key));
            let done =
                || self.uses.of_argument(self.at.view.project(), function, arguments.len(), number);
            is_it
                && match self.way {
                    Direction::Pack => done().is_stored,
                    Direction::Unpack => done().is_loaded,
                }
        })
    }

    fn is_it(&self, place: &Expression) -> bool {
        self.at.place(place).is_some_and(|key| self.meets(&key))
    }

    fn meets(&self, key: &Key) -> bool {
        !self.uses.memory(key).is_disjoint(&self.memory)
    }

    /// Whether a value depends on a variable or a call.
    fn is_variable(&self, value: &Expression) -> bool {
        let mut is_variable = false;
        value.each(&mut |e| {
            is_variable |= match &e.kind {
                Kind::Name(name) => self.at.view.variable(name).is_some(),
                Kind::Call { .. } | Kind::Unknown(_) => true,
                _ => false,
            };
        });
        is_variable
    }
}

fn turns(statement: &Statement) -> bool {
    matches!(statement.kind, StatementKind::Loop(_) | StatementKind::While { .. })
}

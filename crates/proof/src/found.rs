//! A call of MPI in a procedure, and the names that belong to it.

use std::borrow::Cow;

use commloom_copies::Direction;
use commloom_program::View;
use commloom_program::refusal::Refusal;
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, Name, Statement, Type};

use super::calls::Side;
use super::touch::{Touches, roots};

/// One buffer of one call.
#[derive(Clone)]
pub(super) struct Found<'t> {
    pub function: Name,
    pub side: Side,
    /// The call as an expression; of a persistent request the call that starts it.
    pub call: Span,
    /// The statement that it is in.
    pub statement: Span,
    /// Where the persistent request is made.
    pub init: Option<Init>,
    /// Why nothing can be said about the call.
    pub problem: Option<Refusal>,
    /// Whether the statement is nothing but the call, perhaps with its result assigned.
    pub is_alone: bool,
    pub arguments: &'t [Expression],
    pub buffer: &'t Expression,
    pub count: &'t Expression,
    pub datatype: Cow<'t, Expression>,
}

impl<'t> Found<'t> {
    /// The same call, where it receives into what it may also send from.
    pub fn receiving(&self) -> Found<'t> {
        let side = Side { direction: Direction::Unpack, ..self.side };
        Found { side, ..self.clone() }
    }

    /// The statement that has the buffer as an argument.
    pub fn place(&self) -> Span {
        self.init.map_or(self.statement, |init| init.statement)
    }
}

/// Where a request is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Init {
    pub statement: Span,
    pub call: Span,
}

/// The variable that the buffer is in.
pub(super) fn buffer_name(view: &View<'_>, found: &Found<'_>) -> Option<Name> {
    let names = roots(found.buffer);
    let memory = |name: &&Name| {
        view.variable(name).is_none_or(|d| {
            let scalar = matches!(view.resolve(&d.of), Type::Basic(..));
            !scalar || names.len() == 1
        })
    };
    names.iter().find(memory).cloned()
}

/// The memory that a statement touches; nothing where it is one of those that go.
pub(super) fn touches_of(view: &View<'_>, statement: &Statement, gone: &[Span]) -> Touches {
    if gone.iter().any(|g| g.contains(statement.span)) {
        return Touches::default();
    }
    Touches::of(view, statement)
}

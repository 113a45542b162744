//! Statements.

use crate::Span;

use super::{Binary, Declaration, Expression, Name};

/// A statement, with what stands in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// All of it, with the semicolon or the `end do`; not the line's end.
    pub span: Span,
    /// Its kind.
    pub kind: StatementKind,
}

/// The kinds of statements.
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// A counted loop.
    Loop(Loop),
    /// Any other loop: `while`, `do while`, C's `for` that is not counted (initializer and step
    /// then stand around and in it).
    While {
        /// Looked at before each turn; none in `do ... end do` without control, and where it is
        /// looked at after each turn.
        condition: Option<Expression>,
        /// The body.
        body: Vec<Statement>,
    },
    /// `if`, also a `switch` or `select case` of two branches; larger ones are nested.
    If {
        /// The condition.
        condition: Expression,
        /// If true.
        then: Vec<Statement>,
        /// If false.
        otherwise: Vec<Statement>,
    },
    /// `target = value`, `target += value`. Of arrays in Fortran: element by element.
    Assign {
        /// The place that changes.
        target: Expression,
        /// `+` in `+=`.
        operation: Option<Binary>,
        /// To what.
        value: Expression,
    },
    /// An expression for its effects: calls (`CALL` too), `i++`.
    Evaluate(Expression),
    /// Local variables; their values are assignments that follow it.
    Declare(Vec<Declaration>),
    /// `{ ... }`, a scope of its own; `block ... end block`.
    Block(Vec<Statement>),
    /// The end of the procedure.
    Return(Option<Expression>),
    /// Leaves the loop (`break`, `exit`), a named one in Fortran.
    Break(Option<Name>),
    /// The next turn of the loop (`continue`, `cycle`).
    Continue(Option<Name>),
    /// `goto`, computed ones with all labels.
    Goto(Vec<Name>),
    /// Where a `goto` goes to.
    Label(Name),
    /// Does nothing: `;`, Fortran's `continue` without a label that is used.
    Nothing,
    /// Text that the front end does not understand; the names in it may be read and written.
    Unknown(Vec<Name>),
}

/// `do variable = first, last, step`; C's `for (variable = first; variable < last; variable +=
/// step)`, where nothing in the body changes the variable. It takes no turn where the bound is
/// passed already.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// The variable that counts.
    pub variable: Name,
    /// Whether the loop declares it (`for (int i = 0; ...)`).
    pub declares: bool,
    /// First value.
    pub first: Expression,
    /// Where it ends.
    pub last: Expression,
    /// Whether `last` itself is a turn.
    pub bound: Bound,
    /// The number added after each turn; not zero. Negative: it counts down. Where it is no
    /// number, C's loops count down if it is a [`Unary::Minus`](super::Unary::Minus), and up
    /// otherwise: with the other sign they would not end.
    pub step: Expression,
    /// The body.
    pub body: Vec<Statement>,
    /// Fortran's name of the construct.
    pub name: Option<Name>,
}

/// Whether the last value is a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// `<=`, `>=`, Fortran.
    Inclusive,
    /// `<`, `>`, `!=` with a step of one.
    Exclusive,
}

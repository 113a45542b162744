//! One small typed tree for all languages: what the analysis looks at.
//!
//! The front ends translate into it, and nothing after them knows a grammar. Whatever a front end
//! does not understand becomes [`ExpressionKind::Unknown`] or [`StatementKind::Unknown`] with its
//! span, never nothing: the analysis takes it for "reads and writes anything that it names".
//!
//! No tree is deeper than [`MAX_DEPTH`], so that walks over it may be plain recursive functions.
//!
//! Names of Fortran are in lower case. Spans lie in the original text.

mod declaration;
mod expression;
mod statement;
mod unit;
mod walk;

pub use declaration::{Declaration, Field, Intent, Record, Storage};
pub use expression::{Binary, Dimension, Expression, ExpressionKind, Name, Subscript, Type, Unary};
pub use statement::{Bound, Loop, Statement, StatementKind};
pub use unit::{
    Access, Common, Constant, Equivalence, Macro, Procedure, Prototype, Scope, SyntaxError, Unit,
    Use,
};

/// How deep statements and expressions nest; a front end makes what is deeper an `Unknown`. Ten
/// levels of loops and expressions of a hundred operators in a row are well inside, and walks fit
/// into the stack of any thread.
pub const MAX_DEPTH: usize = 200;

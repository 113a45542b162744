//! Expressions and types: either has the other one in it.

use crate::Span;

/// An identifier; in lower case in Fortran.
pub type Name = String;

/// A value, or a place in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// Where it stands. In what a macro was expanded to: where the macro was used.
    pub span: Span,
    /// Its kind.
    pub kind: ExpressionKind,
}

/// The kinds of expressions.
#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionKind {
    /// A whole number.
    Integer(i64),
    /// Any other literal, as it is written.
    Literal(String),
    /// A variable, a constant, or a procedure's name.
    Name(Name),
    /// `base[i]`, `base(i, j)`: C's `a[i][j]` is an element of `a[i]`; Fortran's subscripts come
    /// together. The front end has told arrays from calls; in Fortran what is declared nowhere and
    /// is no intrinsic is a [`Call`](ExpressionKind::Call).
    Element {
        /// The array or pointer.
        base: Box<Expression>,
        /// As they are written.
        subscripts: Vec<Subscript>,
    },
    /// `base.field`, `base%field`; `base->field` is the member of a [`Unary::Dereference`].
    Member {
        /// The structure.
        base: Box<Expression>,
        /// The name of its component.
        field: Name,
    },
    /// One operand.
    Unary(Unary, Box<Expression>),
    /// Two operands.
    Binary(Binary, Box<Expression>, Box<Expression>),
    /// A value in another type: `(float)x`, `real(x, 4)`.
    Cast(Type, Box<Expression>),
    /// Bytes of a type.
    SizeOfType(Type),
    /// Bytes of an expression, which is not evaluated.
    SizeOfValue(Box<Expression>),
    /// Bytes from the start of a record to one of its fields.
    OffsetOf(Type, Name),
    /// A function's result; its arguments may be written to. Macros that could not be expanded are
    /// calls.
    Call {
        /// The callee.
        function: Box<Expression>,
        /// With what.
        arguments: Vec<Expression>,
    },
    /// `++x`, `x--`: changes `target` by `by` (1 or -1, in elements of what a pointer points to).
    Step {
        /// The place that changes.
        target: Box<Expression>,
        /// By how much.
        by: i64,
        /// Whether the value is the one after the change.
        prefix: bool,
    },
    /// An assignment that is used as a value, as in `a = b = 0`.
    Assign {
        /// The place that changes.
        target: Box<Expression>,
        /// `+` in `+=`.
        operation: Option<Binary>,
        /// To what.
        value: Box<Expression>,
    },
    /// `condition ? yes : no`, `merge`.
    Choice {
        /// The condition.
        condition: Box<Expression>,
        /// If true.
        yes: Box<Expression>,
        /// If false.
        no: Box<Expression>,
    },
    /// `a, b` in C; `(/ a, b /)` and `[a, b]` in Fortran; `{a, b}` in C.
    List(Vec<Expression>),
    /// An argument of Fortran by its keyword: `tag = 5`.
    Keyword(Name, Box<Expression>),
    /// Text that the front end does not understand; the names in it may be read and written.
    Unknown(Vec<Name>),
}

/// One subscript.
#[derive(Debug, Clone, PartialEq)]
pub enum Subscript {
    /// One element.
    At(Expression),
    /// A section of Fortran, `first:last:step`; what is left out is the bound of the dimension,
    /// and 1.
    Section {
        /// First subscript.
        first: Option<Expression>,
        /// Last subscript, inclusive.
        last: Option<Expression>,
        /// Distance.
        step: Option<Expression>,
    },
}

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unary {
    /// `-x`
    Minus,
    /// `!x`, `.not. x`
    Not,
    /// `~x`
    Complement,
    /// `*x`
    Dereference,
    /// `&x`, `loc(x)`
    Address,
}

/// Operators with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    /// Of integers: towards zero.
    Divide,
    Remainder,
    Power,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `//`
    Concatenate,
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// A number or character of so many bytes: `int` is `Basic("int", 4)`, `double precision` is
    /// `Basic("double precision", 8)`, `complex(16)`. Sizes are those of LP64. Names are
    /// canonical: `unsigned long`, `int64_t`, `real(8)`, `integer(4)`, `complex(8)` (bytes of
    /// all), `logical(4)`, `character`; without a kind it is Fortran's default (`real`), which
    /// options of compilers change.
    Basic(String, u32),
    /// A type by its name: typedef, derived type, template; resolved through the scopes.
    Named(Name),
    /// `struct x`.
    Record(Name),
    /// A pointer of C.
    Pointer(Box<Type>),
    /// A reference of C++: its name is the place that it refers to, which has other names.
    Reference(Box<Type>),
    /// An array; dimensions in the order of the source. C's are row-major with lower bound 0,
    /// Fortran's column-major. An argument of C is never one, but a pointer to what is in its
    /// first dimension.
    Array(Box<Type>, Vec<Dimension>),
    /// Nothing.
    Void,
    /// Not understood.
    Unknown,
}

/// One dimension.
#[derive(Debug, Clone, PartialEq)]
pub enum Dimension {
    /// `lower:upper`, inclusive; C's `[n]` is `0 : n - 1` given as extent.
    Bounds {
        /// First subscript; none: 1 in Fortran, 0 in C.
        lower: Option<Expression>,
        /// Last subscript.
        upper: Expression,
    },
    /// C's `[n]`.
    Extent(Expression),
    /// `*` in Fortran, `[]` in C: the last (first in C) of an array whose length is not known.
    AssumedSize {
        /// First subscript.
        lower: Option<Expression>,
    },
    /// `:`, an assumed shape or a deferred one: stride and extent are known at run time only
    /// (allocatable: contiguous).
    AssumedShape {
        /// First subscript.
        lower: Option<Expression>,
    },
}

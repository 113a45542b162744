//! Declarations, procedures and files.

use crate::source::{FileId, Language, Span};

use super::{Expression, Name, Statement, StatementKind};

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Which.
    pub file: FileId,
    /// How it was read.
    pub language: Language,
    /// What stands outside procedures: globals, records, constants; of Fortran the modules, each a scope with a name.
    pub scope: Scope,
    /// Modules of Fortran, namespaces and classes of C++.
    pub modules: Vec<(Name, Scope)>,
    /// Procedures with a body, also those in modules and classes.
    pub procedures: Vec<Procedure>,
    /// Procedures that are only declared: C's prototypes, Fortran's interfaces.
    pub prototypes: Vec<Prototype>,
    /// What is included, as it is written: `#include "x.h"`, `include 'x.inc'`.
    pub includes: Vec<(String, Span)>,
    /// Where the grammar was left.
    pub errors: Vec<SyntaxError>,
}

/// A place that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub span: Span,
}

/// A function or subroutine, or a main program.
#[derive(Debug, Clone, PartialEq)]
pub struct Procedure {
    /// As callers name it; `class::method` in C++.
    pub name: Name,
    /// All of it.
    pub span: Span,
    /// Its module, class or namespace.
    pub module: Option<Name>,
    /// The procedure that it is inside of (`contains`), whose names it sees.
    pub host: Option<Name>,
    /// Dummy arguments in their order; they are declared in `scope`.
    pub parameters: Vec<Name>,
    /// What a function gives back.
    pub result: Option<Type>,
    /// Whether only this file can call it.
    pub is_local: bool,
    /// Declarations; of C those of parameters only (others are [`StatementKind::Declare`](super::StatementKind::Declare)).
    pub scope: Scope,
    /// Where the first executable statement is or would be: new declarations go before it.
    pub body_start: usize,
    /// What it does.
    pub body: Vec<Statement>,
    /// Whether the grammar was left inside of it.
    pub has_errors: bool,
    /// Lines of the preprocessor in the body, each group of `#if ... #endif` as a whole, and pragmas (`!$omp` too): an edit must not
    /// touch them. What stands in the branches of an `#if` are the branches of an `if` whose condition is unknown.
    pub directives: Vec<Span>,
}

impl Procedure {
    /// Whether nothing of it could be read: what it does, and with which arguments, is not known.
    pub fn is_unread(&self) -> bool {
        let unknown =
            |s: &Statement| s.span == self.span && matches!(s.kind, StatementKind::Unknown(_));
        self.has_errors && matches!(self.body.as_slice(), [only] if unknown(only))
    }
}

/// A procedure whose body is elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Prototype {
    /// As callers name it.
    pub name: Name,
    /// Dummy arguments in their order; where they have no name, it is empty.
    pub parameters: Vec<Declaration>,
    /// Whether more may follow (`...`), or nothing is said of them (`int f();` before C23).
    pub variadic: bool,
    /// What a function gives back.
    pub result: Option<Type>,
}

/// What names mean somewhere.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scope {
    /// Variables.
    pub variables: Vec<Declaration>,
    /// `struct`, `union`, derived types.
    pub records: Vec<Record>,
    /// `typedef`, `using`.
    pub aliases: Vec<(Name, Type)>,
    /// `#define N 5`, `enum`, `constexpr`, `PARAMETER`.
    pub constants: Vec<Constant>,
    /// `#define IDX(i, j) ...`
    pub macros: Vec<Macro>,
    /// Storage that others share under a name.
    pub commons: Vec<Common>,
    /// Variables in the same place.
    pub equivalences: Vec<Equivalence>,
    /// `use module`.
    pub uses: Vec<Use>,
    /// `include 'x.inc'` and `#include` inside of this scope, to be filled in by the project.
    pub includes: Vec<(String, Span)>,
    /// Fortran: `implicit none` is absent, so that `i` to `n` are integers.
    pub implicit: bool,
}

/// `use module, only: here => there`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// Which module.
    pub module: Name,
    /// Names that are renamed, or the only ones: as they are called here, and there.
    pub names: Vec<(Name, Name)>,
    /// Whether no other names come.
    pub only: bool,
}

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// What it is.
    pub of: Type,
    /// Where it lives.
    pub storage: Storage,
    /// Fortran's intent, C's `const` of what a pointer points to is [`Intent::In`].
    pub intent: Option<Intent>,
    /// `restrict`; every variable of Fortran that is neither `target` nor `pointer`.
    pub unaliased: bool,
    /// `allocatable`, or a local pointer of C: memory comes at run time.
    pub allocatable: bool,
    /// C's initializer, Fortran's too (which makes it `save`).
    pub value: Option<Expression>,
}

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// Gone when the procedure ends.
    Local,
    /// A parameter.
    Argument,
    /// Kept from call to call: `static`, `save`.
    Kept,
    /// Seen by others: global, in a module, in a common block.
    Shared,
}

/// What a procedure does with an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Intent {
    In,
    Out,
    InOut,
}

/// The type of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Type {
    /// A number or character of so many bytes: `int` is `Basic("int", 4)`, `double precision` is `Basic("double precision", 8)`, `complex(16)`. Sizes are
    /// those of LP64. Names are canonical: `unsigned long`, `int64_t`, `real(8)`, `integer(4)`, `complex(8)` (bytes of all), `logical(4)`,
    /// `character`; without a kind it is Fortran's default (`real`), which options of compilers change.
    Basic(String, u32),
    /// A type by its name: typedef, derived type, template; resolved through the scopes.
    Named(Name),
    /// `struct x`.
    Record(Name),
    /// A pointer of C.
    Pointer(Box<Type>),
    /// A reference of C++: its name is the place that it refers to, which has other names.
    Reference(Box<Type>),
    /// An array; dimensions in the order of the source. C's are row-major with lower bound 0, Fortran's column-major. An
    /// argument of C is never one, but a pointer to what is in its first dimension.
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
    /// `:`, an assumed shape or a deferred one: stride and extent are known at run time only (allocatable: contiguous).
    AssumedShape {
        /// First subscript.
        lower: Option<Expression>,
    },
}

/// A structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its name.
    pub name: Name,
    /// Its components in their order.
    pub fields: Vec<Field>,
    /// A union, packed, with bit fields, virtual functions or a base: offsets are not those of a plain structure.
    pub is_opaque: bool,
}

/// A component.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// What it is.
    pub of: Type,
    /// Fortran: `allocatable` or `pointer`, so that its content lies elsewhere.
    pub is_elsewhere: bool,
}

/// A name for a value that never changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// The name.
    pub name: Name,
    /// The value.
    pub value: Expression,
}

/// A macro with parameters whose body is an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Macro {
    /// The name.
    pub name: Name,
    /// Its parameters.
    pub parameters: Vec<Name>,
    /// What it stands for.
    pub body: Expression,
}

/// A common block: those of one name are one memory in all procedures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Common {
    /// Its name, empty for blank common.
    pub name: Name,
    /// Its variables in their order.
    pub variables: Vec<Name>,
}

/// Places that are the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Equivalence {
    /// Each a variable or an element of one.
    pub places: Vec<Expression>,
}

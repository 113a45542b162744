//! Files, procedures, and what names mean in them.

use crate::{FileId, Language, Span};

use super::{Declaration, Expression, Name, Record, Statement, StatementKind, Type};

/// One file.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Which.
    pub file: FileId,
    /// How it was read.
    pub language: Language,
    /// All that stands outside procedures: globals, records, constants; of Fortran the modules,
    /// each a scope with a name.
    pub scope: Scope,
    /// Modules of Fortran, namespaces and classes of C++.
    pub modules: Vec<(Name, Scope)>,
    /// Procedures with a body, also those in modules and classes.
    pub procedures: Vec<Procedure>,
    /// Procedures that are only declared: C's prototypes, Fortran's interfaces.
    pub prototypes: Vec<Prototype>,
    /// The included files, as they are written: `#include "x.h"`, `include 'x.inc'`.
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
    /// The type of a function's result.
    pub result: Option<Type>,
    /// Whether only this file can call it.
    pub is_local: bool,
    /// Declarations; of C those of parameters only (others are
    /// [`StatementKind::Declare`](super::StatementKind::Declare)).
    pub scope: Scope,
    /// Where the first executable statement is or would be: new declarations go before it.
    pub body_start: usize,
    /// Its statements.
    pub body: Vec<Statement>,
    /// Whether the grammar was left inside of it.
    pub has_errors: bool,
    /// Lines of the preprocessor in the body, each group of `#if ... #endif` as a whole, and
    /// pragmas (`!$omp` too): an edit must not touch them. What stands in the branches of an `#if`
    /// are the branches of an `if` whose condition is unknown. So are lines of Fortran that an
    /// option of the compiler makes statements (`!$ x = 1`, `D` in column 1), each a line here.
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
    /// The type of a function's result.
    pub result: Option<Type>,
}

/// The meanings of names somewhere.
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
    /// Fortran: which names of a module others see.
    pub access: Access,
    /// `include 'x.inc'` and `#include` inside of this scope, to be filled in by the project.
    pub includes: Vec<(String, Span)>,
    /// Fortran: procedures that are called where no name says so: by operators, assignments, input
    /// and output of what is of a derived type, and where variables end.
    pub acting: Vec<Name>,
    /// Those of them that assignments call.
    pub assigning: Vec<Name>,
    /// Fortran: Cray pointers, which lead to any variable.
    pub has_loose_pointers: bool,
    /// Fortran: `implicit none` is absent, so that `i` to `n` are integers.
    pub implicit: bool,
}

/// The names of a module that its users see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// `private` alone: no names but those that are listed.
    pub is_private: bool,
    /// `private :: a`
    pub private: Vec<Name>,
    /// `public :: a`
    pub public: Vec<Name>,
}

impl Access {
    /// Whether users of the module see a name.
    pub fn shows(&self, name: &str) -> bool {
        let has = |names: &[Name]| names.iter().any(|n| n == name);
        if self.is_private { has(&self.public) } else { !has(&self.private) }
    }
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
    /// The expression that it stands for.
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

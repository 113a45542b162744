//! Variables and structures.

use crate::Span;

use super::{Expression, Name, Type};

/// A variable.
#[derive(Debug, Clone, PartialEq)]
pub struct Declaration {
    /// Its name.
    pub name: Name,
    /// Where the name stands.
    pub span: Span,
    /// Its type.
    pub of: Type,
    /// Where it lives.
    pub storage: Storage,
    /// Fortran's intent, C's `const` of what a pointer points to is [`Intent::In`].
    pub intent: Option<Intent>,
    /// `restrict`; every variable of Fortran that is neither `target` nor `pointer`.
    pub unaliased: bool,
    /// `allocatable`, or a local pointer of C: memory comes at run time.
    pub allocatable: bool,
    /// `volatile`, and Fortran's `asynchronous`: others read and write it at any time.
    pub is_volatile: bool,
    /// Fortran: a named constant that is an array. It need not be in memory: a compiler may pass
    /// a copy of one element of it.
    pub is_constant: bool,
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

/// The use that a procedure makes of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub enum Intent {
    In,
    Out,
    InOut,
}

/// A structure.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Its name.
    pub name: Name,
    /// Its components in their order.
    pub fields: Vec<Field>,
    /// C++: the classes that it is derived from, as they are written.
    pub bases: Vec<Name>,
    /// C++: names in the values that its components have at first.
    pub mentioned: Vec<Name>,
    /// Whether its components are one memory.
    pub is_union: bool,
    /// A union, packed, with bit fields, virtual functions or a base: offsets are not those of a
    /// plain structure.
    pub is_opaque: bool,
    /// C++: making, copying or ending an object may do more than to copy its components.
    pub has_actions: bool,
}

/// A component.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type.
    pub of: Type,
    /// Fortran: `allocatable` or `pointer`, so that its content lies elsewhere.
    pub is_elsewhere: bool,
    /// Whether its declaration gives it a value, which each new object has.
    pub has_value: bool,
}

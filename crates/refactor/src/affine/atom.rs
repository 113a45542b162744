//! What a polynomial is made of.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::tree::Name;

use super::Polynomial;

/// Counts the turns of one loop, from 0. Numbers are given by the analysis, one per loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counter(pub u32);

/// A whole number that has no simpler form.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The turn of a loop, from 0.
    Counter(Counter),
    /// A variable's or an element's value, as it is the `version`th time that something may have changed it since the procedure began.
    Read {
        /// What is read.
        place: Place,
        /// How often it was (perhaps) written before.
        version: u32,
    },
    /// An operation that is no addition, subtraction or multiplication.
    Apply(Operator, Vec<Polynomial>),
    /// Bytes of a type whose size the text does not tell.
    SizeOf(String),
    /// Bytes that the program's compiler decides: of a type, or from its start to a component.
    Layout(Layout),
    /// Bytes between neighbours of a dimension (from 0, in the order of the source) of an assumed-shape array: measured when the program runs.
    Stride(Name, u32),
    /// Elements along a dimension of an assumed-shape array (`size(u, 1)`).
    Extent(Name, u32),
    /// The first subscript along a dimension of an array that gets its bounds when the program runs.
    Lower(Name, u32),
    /// The address of a place, in bytes: of an array or scalar its first byte, of a pointer what it points to.
    Address(Place),
    /// Elements or bytes that have no formula: where a stream is when a loop whose turns differ begins its turn, or how far the loop brings it.
    Unnamed(u32),
    /// What came of arithmetic that left 64 bits: a number of which nothing is known.
    Lost(Overflow),
}

/// Which overflow: no two have the same number, so that no two unknowns are taken for equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Overflow(u64);

impl Overflow {
    pub(super) fn new() -> Overflow {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Overflow(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A type's size, or where a component of it lies: known for LP64, and to be asked for where a program is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Layout {
    /// The type as the program calls it. Types of one name are the same, and `unsigned` ones have the size of the others.
    pub of: Name,
    /// The component whose offset is meant; none: the type's size.
    pub field: Option<Name>,
    /// Bytes on LP64.
    pub bytes: u64,
    /// The numbers that it is a multiple of, without gaps.
    pub parts: Option<Name>,
    /// Something of this type, free of counters, where types themselves cannot be asked: in Fortran.
    pub sample: Option<Place>,
}

/// Operations that polynomials cannot express; of whole numbers, as in C and Fortran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// Towards zero.
    Divide,
    /// With the sign of the dividend.
    Remainder,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// A place in memory, as a program writes it, with symbolic subscripts: `u(2, i, j)`, `p->a[i].r`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The variable.
    pub variable: Name,
    /// The way from it.
    pub steps: Vec<Step>,
}

/// One step on the way to a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Subscripts that stand together: one in C, all in Fortran. Of a pointer in C it follows it.
    At(Vec<Polynomial>),
    /// A component.
    Field(Name),
    /// `*`, `->`.
    Follow,
}

impl Place {
    /// A variable itself.
    pub fn variable(name: impl Into<Name>) -> Place {
        Place { variable: name.into(), steps: Vec::new() }
    }
}

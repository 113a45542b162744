//! The operations at run time to make a datatype, in no language yet.

use commloom_source::affine::{Counter, Layout, Place, Polynomial};
use commloom_source::tree::Expression;

/// A datatype that a constructor is applied to.
#[derive(Debug, Clone, PartialEq)]
pub enum Old {
    /// The one that the call names.
    Element,
    /// A variable.
    Made(String),
}

/// One step. Variables are named by fresh names; counts are clamped at 0 when they are written.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// `MPI_Type_contiguous`
    Contiguous { count: Polynomial, old: Old, new: String },
    /// `MPI_Type_vector`; the stride in elements.
    Vector { count: Polynomial, block: Polynomial, stride: Polynomial, old: Old, new: String },
    /// `MPI_Type_create_hvector`; the stride in bytes.
    Hvector { count: Polynomial, block: Polynomial, stride: Polynomial, old: Old, new: String },
    /// `MPI_Type_create_indexed_block` with an array of the program as displacements.
    IndexedBlock {
        count: Polynomial,
        block: Polynomial,
        list: Place,
        /// The number that is taken from each entry.
        shift: Polynomial,
        old: Old,
        new: String,
    },
    /// `MPI_Type_create_hindexed_block`; bytes, kept in the variable `array`.
    HindexedBlock {
        displacements: Vec<Polynomial>,
        block: Polynomial,
        old: Old,
        array: String,
        new: String,
    },
    /// `MPI_Type_create_struct`
    Struct { members: Vec<StructMember>, arrays: Arrays, new: String },
    /// `MPI_Type_create_resized` with lower bound 0; bytes.
    Resized { extent: Polynomial, old: Old, new: String },
    /// `MPI_Get_address`
    Address { place: Place, new: String },
    /// A difference of two addresses.
    Difference { of: String, minus: String, new: String },
    /// A struct with these members for each turn of all loops.
    Each {
        /// From the outside in; no count depends on another one's turn.
        rounds: Vec<Round>,
        /// Counts the entries of the arrays, where they are not those of one loop.
        entry: Option<String>,
        /// The operations in each turn, of one loop, for its one member; the types are freed
        /// after.
        body: Vec<Operation>,
        members: Vec<StructMember>,
        arrays: Arrays,
        new: String,
    },
    /// One of two.
    If { condition: Expression, then: Vec<Operation>, otherwise: Vec<Operation> },
    /// `MPI_Type_free` of a type that only others are made of.
    Free(String),
}

/// A loop of the packing, as it is written again.
#[derive(Debug, Clone, PartialEq)]
pub struct Round {
    pub counter: Counter,
    /// Its variable, which counts from 0.
    pub index: String,
    pub count: Polynomial,
}

/// One member of a struct.
#[derive(Debug, Clone, PartialEq)]
pub struct StructMember {
    /// Elements or types.
    pub block: Polynomial,
    /// Bytes.
    pub displacement: Polynomial,
    /// Of what.
    pub old: Old,
}

/// The arrays that `MPI_Type_create_struct` is given; without types they are for
/// `MPI_Type_create_hindexed` of elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Arrays {
    pub blocks: String,
    pub displacements: String,
    pub types: Option<String>,
}

/// The kind of a fresh variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Type,
    Types(Length),
    Integer,
    Integers(Length),
    Address,
    Addresses(Length),
}

/// Of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Known(usize),
    /// Memory comes at run time.
    Open,
}

/// A fresh variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub kind: Kind,
}

/// All of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Program {
    /// Variables to be declared.
    pub variables: Vec<Variable>,
    /// Before the call.
    pub operations: Vec<Operation>,
    /// The arguments that the call gets.
    pub argument: Argument,
    /// Arrays whose neighbours are measured: names of the variables with the bytes between them,
    /// by array and dimension.
    pub strides: Vec<((String, u32), String)>,
    /// Places of components, measured: Fortran has no other way.
    pub offsets: Vec<(Layout, String)>,
    /// Addresses that are in variables.
    pub addresses: Vec<(Place, String)>,
}

/// The buffer, count and datatype that the call gets.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// None: `MPI_BOTTOM`.
    pub place: Option<Place>,
    /// How many.
    pub count: Polynomial,
    /// Of what.
    pub of: Old,
}

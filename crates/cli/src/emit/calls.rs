//! MPI constructor calls as data.

use commloom_layout::Basic;

/// An old type: a predefined one, or the result of an earlier call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Handle {
    Basic(Basic),
    /// Number of the call.
    Made(usize),
}

/// One call. Counts are `int`; displacements `int` where in extents, `MPI_Aint` where in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    Dup(Handle),
    Contiguous { count: i32, old: Handle },
    Vector { count: i32, block: i32, stride: i32, old: Handle },
    Hvector { count: i32, block: i32, stride: i64, old: Handle },
    Indexed { blocks: Vec<i32>, displacements: Vec<i32>, old: Handle },
    Hindexed { blocks: Vec<i32>, displacements: Vec<i64>, old: Handle },
    IndexedBlock { block: i32, displacements: Vec<i32>, old: Handle },
    HindexedBlock { block: i32, displacements: Vec<i64>, old: Handle },
    Struct { displacements: Vec<i64>, olds: Vec<Handle> },
    Resized { lb: i64, extent: i64, old: Handle },
}

/// The calls in order; the last one makes the type. Never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls(pub Vec<Call>);

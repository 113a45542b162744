//! Collectives that move data, and their arguments, as MPI has them.

use std::ffi::c_void;

use commloom_mpi::Abi;

/// What a collective does. Forms with counts or datatypes per process are of the same kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `MPI_Bcast`; its arguments are those of the receiving side.
    Bcast,
    /// `MPI_Gather` and `MPI_Gatherv`.
    Gather,
    /// `MPI_Scatter` and `MPI_Scatterv`.
    Scatter,
    /// `MPI_Allgather`.
    Allgather,
    /// `MPI_Allgatherv`.
    Allgatherv,
    /// `MPI_Alltoall`, `MPI_Alltoallv` and `MPI_Alltoallw`.
    Alltoall,
    /// `MPI_Neighbor_allgather` and `MPI_Neighbor_allgatherv`.
    NeighborAllgather,
    /// `MPI_Neighbor_alltoall`, `MPI_Neighbor_alltoallv` and `MPI_Neighbor_alltoallw`.
    NeighborAlltoall,
}

/// When the library has done its part.
#[derive(Debug, Clone, Copy)]
pub enum Form<A: Abi> {
    /// When the call returns.
    Blocking,
    /// When the request that the call makes completes.
    NonBlocking(*mut A::Request),
    /// Whenever the request that the call makes was started and completes.
    Persistent(*mut A::Request),
}

/// Blocks of equal count, one after the other: buffer, count, datatype.
#[derive(Debug, Clone, Copy)]
pub struct Equal<A: Abi, N> {
    /// Where the first block begins.
    pub buffer: *mut c_void,
    /// Elements of each block.
    pub count: N,
    /// Their datatype.
    pub datatype: A::Datatype,
}

/// Blocks of any counts at any multiple of the extent: buffer, counts, displacements, datatype.
#[derive(Debug, Clone, Copy)]
pub struct Varying<A: Abi, N, D> {
    /// What the displacements are relative to.
    pub buffer: *mut c_void,
    /// Elements of each block.
    pub counts: *const N,
    /// Where each block begins, in extents of the datatype.
    pub displacements: *const D,
    /// The datatype of all elements.
    pub datatype: A::Datatype,
}

/// Blocks of any datatypes at any displacement: buffer, counts, displacements, datatypes.
#[derive(Debug, Clone, Copy)]
pub struct Typed<A: Abi, N, D> {
    /// What the displacements are relative to.
    pub buffer: *mut c_void,
    /// Elements of each block.
    pub counts: *const N,
    /// Where each block begins, in bytes.
    pub displacements: *const D,
    /// The datatype of the elements of each block.
    pub datatypes: *const A::Datatype,
}

//! Collectives that move data, and their arguments, as MPI has them.

use std::ffi::{c_int, c_void};

use commloom_mpi::Abi;

use crate::runtime::count::Integer;

/// The kind of a collective. Forms with counts or datatypes per process are of the same kind.
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
    /// The base of the displacements.
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
    /// The base of the displacements.
    pub buffer: *mut c_void,
    /// Elements of each block.
    pub counts: *const N,
    /// Where each block begins, in bytes.
    pub displacements: *const D,
    /// The datatype of the elements of each block.
    pub datatypes: *const A::Datatype,
}

/// A call of a collective that moves data, with the arguments of its two sides.
#[derive(Debug, Clone, Copy)]
pub struct CollectiveCall<A: Abi, S, R> {
    /// The name of the function.
    pub name: &'static str,
    /// Its kind.
    pub kind: Kind,
    /// The side that this process sends.
    pub send: S,
    /// The side that it receives.
    pub receive: R,
    /// Meaningless where the kind has none.
    pub root: c_int,
    /// Among whom.
    pub comm: A::Comm,
    /// When it is over.
    pub form: Form<A>,
}

impl<A: Abi, S, R> CollectiveCall<A, S, R> {
    /// The library's function, of a type that all calls with such sides share.
    pub fn through<'a>(&self, next: &'a dyn Fn(S, R) -> c_int) -> &'a dyn Fn(S, R) -> c_int {
        next
    }
}

/// How many elements a reduction has.
#[derive(Debug, Clone, Copy)]
pub enum Counts<N> {
    /// So many for every process.
    Each(N),
    /// For process by process, in a list as long as the group (`MPI_Reduce_scatter`).
    List(*const N),
    /// None: `MPI_Barrier`.
    None,
}

/// A call of a collective that computes, or of the barrier.
#[derive(Debug, Clone, Copy)]
pub struct ReductionCall<A: Abi, N> {
    /// The name of the function.
    pub name: &'static str,
    /// Elements.
    pub counts: Counts<N>,
    /// Their datatype.
    pub datatype: Option<A::Datatype>,
    /// Who gets the result, where that is one process.
    pub root: Option<c_int>,
    /// Among whom.
    pub comm: A::Comm,
    /// When it is over.
    pub form: Form<A>,
}

/// Who looks after collectives whose sides have such arguments: the accelerator, or the recorder
/// in its place. `next` is the library's function, with the arguments that the layer wants.
pub trait CollectiveLayer<A: Abi, S, R>: Copy {
    /// One collective.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn collective(
        self,
        call: CollectiveCall<A, S, R>,
        next: impl FnOnce(S, R) -> c_int,
    ) -> c_int;
}

/// Who looks after collectives that compute, likewise. The accelerator has nothing to do there.
pub trait ReductionLayer<A: Abi>: Copy {
    /// One reduction, or a barrier.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn reduction<N: Integer>(
        self,
        _call: ReductionCall<A, N>,
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        next()
    }
}

//! Kinds of operations.

use commloom_commgraph::{Collective, Kind};

/// MPI's name: `MPI_Allgather` of `allgather`.
#[must_use]
pub fn mpi(name: &str) -> String {
    format!("MPI_{}{}", name[..1].to_uppercase(), &name[1..])
}

/// Whether an operation has what processes send and what they get, both unchanged: its steps may
/// be in any order.
pub fn in_steps(collective: &Collective) -> bool {
    matches!(
        collective.kind,
        Kind::Allgather
            | Kind::Allgatherv
            | Kind::Alltoall
            | Kind::Alltoallv
            | Kind::NeighborAlltoall
            | Kind::NeighborAlltoallv
            | Kind::NeighborAlltoallw
    )
}

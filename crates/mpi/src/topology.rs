//! The kind of a communicator, and the neighbours of this process (MPI 4.1, chapters 7 and 8).

use std::ffi::c_int;

use crate::abi::Abi;
use crate::error::MpiError;
use crate::mpi::Mpi;
use crate::number::length;

/// The neighbours of this process in the order of the blocks of a neighbourhood collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbors {
    /// Whether a block comes from each source; none does from `MPI_PROC_NULL`.
    pub sources: Vec<bool>,
    /// Number of destinations, `MPI_PROC_NULL` included.
    pub destinations: usize,
}

impl<A: Abi> Mpi<A> {
    /// `MPI_Comm_test_inter`.
    ///
    /// # Errors
    /// As MPI.
    pub fn is_inter(&self, comm: A::Comm) -> Result<bool, MpiError> {
        // SAFETY: the caller of `new` answers for the handle.
        self.flag("MPI_Comm_test_inter", |flag| unsafe { (self.own.comm_test_inter)(comm, flag) })
    }

    /// The neighbours of this process; `None` where the communicator has no topology, or one that
    /// is not known here.
    ///
    /// # Errors
    /// As MPI.
    pub fn neighbors(&self, comm: A::Comm) -> Result<Option<Neighbors>, MpiError> {
        // SAFETY: the caller of `new` answers for the handle.
        let kind = self.int("MPI_Topo_test", |kind| unsafe { (self.own.topo_test)(comm, kind) })?;
        let constants = A::CONSTANTS;
        match kind {
            _ if kind == constants.cart => self.cartesian(comm).map(Some),
            _ if kind == constants.graph => self.graph(comm).map(Some),
            _ if kind == constants.dist_graph => self.distributed(comm).map(Some),
            _ => Ok(None),
        }
    }

    /// Both ways along each dimension.
    fn cartesian(&self, comm: A::Comm) -> Result<Neighbors, MpiError> {
        // SAFETY: the caller of `new` answers for the handle.
        let dimensions =
            self.int("MPI_Cartdim_get", |d| unsafe { (self.own.cartdim_get)(comm, d) })?;
        let mut sources = Vec::new();
        for dimension in 0..dimensions {
            let (mut before, mut after) = (0, 0);
            // SAFETY: both places are writable.
            let code = unsafe {
                (self.own.cart_shift)(comm, dimension, 1, &raw mut before, &raw mut after)
            };
            self.check("MPI_Cart_shift", code)?;
            sources.extend([before, after].map(|rank| rank != A::CONSTANTS.proc_null));
        }
        Ok(Neighbors { destinations: sources.len(), sources })
    }

    fn graph(&self, comm: A::Comm) -> Result<Neighbors, MpiError> {
        let rank = self.rank(comm)?;
        // SAFETY: the caller of `new` answers for the handle.
        let degree = self.int("MPI_Graph_neighbors_count", |degree| unsafe {
            (self.own.graph_neighbors_count)(comm, rank, degree)
        })?;
        let degree = length(degree.into()).unwrap_or(0);
        Ok(Neighbors { sources: vec![true; degree], destinations: degree })
    }

    fn distributed(&self, comm: A::Comm) -> Result<Neighbors, MpiError> {
        let (mut incoming, mut outgoing, mut weighted) = (0, 0, 0);
        // SAFETY: all places are writable.
        let code = unsafe {
            (self.own.dist_graph_neighbors_count)(
                comm,
                &raw mut incoming,
                &raw mut outgoing,
                &raw mut weighted,
            )
        };
        self.check("MPI_Dist_graph_neighbors_count", code)?;
        let room = |n: c_int| vec![0; length(n.into()).unwrap_or(0)];
        let (mut sources, mut source_weights) = (room(incoming), room(incoming));
        let (mut destinations, mut weights) = (room(outgoing), room(outgoing));
        // SAFETY: all lists have the room that is told. Weights are left alone where there are
        // none.
        let code = unsafe {
            (self.own.dist_graph_neighbors)(
                comm,
                incoming,
                sources.as_mut_ptr(),
                source_weights.as_mut_ptr(),
                outgoing,
                destinations.as_mut_ptr(),
                weights.as_mut_ptr(),
            )
        };
        self.check("MPI_Dist_graph_neighbors", code)?;
        Ok(Neighbors {
            sources: sources.iter().map(|&rank| rank != A::CONSTANTS.proc_null).collect(),
            destinations: destinations.len(),
        })
    }
}

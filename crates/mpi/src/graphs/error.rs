//! Errors of graphs on MPI.

use commloom_commgraph::BuildError;
use thiserror::Error;

use crate::error::{EncodeError, MpiError};

/// Why a graph cannot be compiled or run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphsError {
    /// An MPI call failed.
    #[error(transparent)]
    Mpi(#[from] MpiError),
    /// A datatype could not be made.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// An operation cannot be part of a graph.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The graph has no meaning, as rank 0 found.
    #[error("{0}")]
    Graph(String),
    /// A number does not fit in what MPI takes.
    #[error("{what} is {given}: at most {limit}")]
    TooLarge {
        /// Which number.
        what: &'static str,
        /// Its value.
        given: u64,
        /// The largest that is possible.
        limit: u64,
    },
    /// The library has no such operation or datatype.
    #[error("the MPI library has no {name}")]
    Missing {
        /// Its name.
        name: String,
    },
    /// Another rank could not prepare its program.
    #[error("another rank of the communicator could not prepare its part: its message says why")]
    Elsewhere,
    /// The bytes of a message between ranks make no sense: a bug, or another version of this
    /// library there.
    #[error("rank {rank} sent what cannot be read: {reason}")]
    Garbled {
        /// Whose bytes.
        rank: usize,
        /// The reason.
        reason: String,
    },
    /// The program does something that no executor on MPI knows.
    #[error("{what} cannot be run on MPI")]
    Unsupported {
        /// The missing feature.
        what: String,
    },
}

//! Why a schedule cannot be run by threads.

use thiserror::Error;

use crate::operation::Reduction;

/// Why a schedule cannot be run here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// A reduction of elements that Rust does not have.
    #[error("{} of {} cannot be computed here", name(.reduction), .reduction.element.name())]
    Reduction {
        /// Which.
        reduction: Reduction,
    },
    /// A call that is not known here, or whose arguments contradict each other.
    #[error("the call {name} cannot be run here")]
    Call {
        /// Its name.
        name: &'static str,
    },
    /// A message without its other side.
    #[error("a message to process {process} is never sent")]
    Unmatched {
        /// Who waits for it.
        process: u32,
    },
    /// Not as many memories as processes.
    #[error("{given} memories for {processes} processes")]
    Memories {
        /// How many were given.
        given: usize,
        /// How many processes there are.
        processes: usize,
    },
    /// The graph names bytes that the memory of a process does not have.
    #[error("process {process} has no {length} bytes at {address:#x}")]
    Outside {
        /// Whose memory.
        process: usize,
        /// Where.
        address: u64,
        /// How many bytes.
        length: u64,
    },
}

fn name(reduction: &Reduction) -> &'static str {
    reduction.combine.mpi_name().unwrap_or("an operation of the program")
}

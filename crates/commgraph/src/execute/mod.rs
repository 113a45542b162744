//! Executors of schedules.
//!
//! Here: [`Threads`], for graphs whose processes are parts of one process. The one for MPI is in
//! `commloom-mpi`.

mod arithmetic;
mod error;
mod moves;
mod threads;

pub use error::ScheduleError;
pub use threads::{Image, Ready, Threads};

/// Runs schedules, in two steps: all decisions and allocations are made once, then it only runs.
pub trait Executor {
    /// The input: the whole schedule, or the program of one process.
    type Source: ?Sized;
    /// A source, ready to run any number of times.
    type Ready;
    /// The memory that the graph speaks of.
    type Memory<'m>;
    /// Why it could not.
    type Error: std::error::Error;

    /// Prepares a source.
    ///
    /// # Errors
    /// The source asks for something that the executor cannot do.
    fn prepare(&self, source: &Self::Source) -> Result<Self::Ready, Self::Error>;

    /// Runs it once.
    ///
    /// # Errors
    /// The run failed; memory is then in any state.
    fn run(&self, ready: &mut Self::Ready, memory: Self::Memory<'_>) -> Result<(), Self::Error>;
}

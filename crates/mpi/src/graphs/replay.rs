//! Programs of graphs in processes that were started for nothing else, to measure them.

use std::path::Path;

use commloom_commgraph::execute::Executor;
use commloom_commgraph::schedule::Program;

use super::prepare::ReadyProgram;
use super::{GraphsError, OnMpi};
use crate::abi::Abi;
use crate::error::MpiError;
use crate::library::{Library, in_abi};
use crate::mpi::Mpi;
use crate::session::{SessionError, started};

/// One of the processes of `MPI_COMM_WORLD`.
pub trait Replay {
    /// Which one.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// The answer of `MPI_Get_library_version`.
    ///
    /// # Errors
    /// As MPI.
    fn version(&self) -> Result<String, MpiError>;

    /// Makes programs of this process ready, in place of those before. All their places are in
    /// scratch memory
    /// ([`Schedule::contained`](commloom_commgraph::schedule::Schedule::contained)). Collective.
    ///
    /// # Errors
    /// As MPI, or what cannot be run; others may then wait for this process for ever.
    fn prepare(&mut self, programs: &[Program]) -> Result<(), GraphsError>;

    /// Seconds that so many runs of a program took, one after the other, at the rank where they
    /// took longest. Collective.
    ///
    /// # Errors
    /// As MPI; others may then wait for this process for ever.
    fn time(&mut self, program: usize, times: u32) -> Result<f64, GraphsError>;
}

/// Opens the MPI library (a path or soname) into this process, which `mpirun` has started beside
/// others, hands `work` its [`Replay`], and ends MPI. A process can do this once.
///
/// # Errors
/// [`SessionError`]; the library itself may also end the process.
pub fn replay<R>(
    library: &Path,
    work: impl FnOnce(&mut dyn Replay) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    let library = Library::open(library)?;
    in_abi!(library.kind(), A => replay_in::<A, R>(&library, work))
}

fn replay_in<A: Abi, R>(
    // Open for as long as the session lasts.
    _library: &Library,
    work: impl FnOnce(&mut dyn Replay) -> Result<R, SessionError>,
) -> Result<R, SessionError> {
    // SAFETY: every handle below comes from this library and lives until before MPI_Finalize.
    let mpi = unsafe { Mpi::<A>::next()? };
    started(mpi, |mpi| {
        let world = mpi.handles.comm_world;
        let number = |n| usize::try_from(n).unwrap_or(0);
        let (rank, size) = (number(mpi.rank(world)?), number(mpi.size(world)?));
        work(&mut Player { on: OnMpi { mpi, comm: world }, rank, size, ready: Vec::new() })
    })
}

struct Player<'m, A: Abi> {
    on: OnMpi<'m, A>,
    rank: usize,
    size: usize,
    ready: Vec<ReadyProgram<'m, A>>,
}

impl<A: Abi> Replay for Player<'_, A> {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn version(&self) -> Result<String, MpiError> {
        self.on.mpi.library_version()
    }

    fn prepare(&mut self, programs: &[Program]) -> Result<(), GraphsError> {
        self.ready.clear();
        for program in programs {
            self.ready.push(self.on.prepare(program)?);
        }
        Ok(())
    }

    fn time(&mut self, program: usize, times: u32) -> Result<f64, GraphsError> {
        let unsupported = || GraphsError::Unsupported { what: format!("program {program}") };
        let ready = self.ready.get_mut(program).ok_or_else(unsupported)?;
        let OnMpi { mpi, comm } = self.on;
        // SAFETY: a communicator of the library.
        let code = unsafe { (mpi.own.barrier)(comm) };
        mpi.check("MPI_Barrier", code)?;
        let start = mpi.wtime();
        for _ in 0..times {
            self.on.run(ready, ())?;
        }
        let mine = mpi.wtime() - start;
        let missing = || GraphsError::Missing { name: "MPI_DOUBLE or MPI_MAX".to_owned() };
        let element = mpi.handles.datatype("MPI_DOUBLE").ok_or_else(missing)?;
        let op = mpi.handles.operation("MPI_MAX").ok_or_else(missing)?;
        let mut longest = 0.0_f64;
        let (from, into) = ((&raw const mine).cast(), (&raw mut longest).cast());
        // SAFETY: one number in each buffer.
        let code = unsafe { (mpi.own.allreduce)(from, into, 1, element, op, comm) };
        mpi.check("MPI_Allreduce", code)?;
        Ok(longest)
    }
}

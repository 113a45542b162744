//! The MPI library as the exported functions need it, whatever its ABI is.

use std::sync::{Arc, Mutex};

use commloom_commgraph::Reduction;
use commloom_commgraph::part::Part;
use commloom_commgraph::schedule::ScheduleOptions;
use commloom_layout::Type;
use commloom_mpi::graphs::Summary;

use crate::error::Failure;

/// The MPI library, as far as graphs need it. Handles are bits.
pub(crate) trait Host: Send + Sync {
    /// `MPI_COMM_WORLD`.
    fn world(&self) -> usize;
    /// Graphs on a communicator: the number of its context, which is made where there is none.
    /// Collective then.
    fn context(&self, comm: usize) -> Result<u64, Failure>;
    /// The layout of a datatype.
    fn layout(&self, datatype: usize) -> Result<Type, Failure>;
    /// The reduction that an operation makes of elements of a datatype.
    fn reduction(&self, datatype: usize, operation: usize) -> Result<Reduction, Failure>;
    /// Whether MPI runs.
    fn is_running(&self) -> bool;
}

/// A communicator on which graphs are compiled.
pub(crate) trait Compiles: Send {
    fn part(&self) -> Part;
    fn compile(&mut self, part: &Part, options: ScheduleOptions) -> Result<Schedule, Failure>;
    fn machine(&self) -> commloom_commgraph::cost::LogGp;
    fn measure(&mut self) -> Result<(), Failure>;
}

/// A compiled graph.
pub(crate) trait Runs: Send {
    fn run(&mut self) -> Result<(), Failure>;
    fn summary(&self) -> &Summary;
}

/// A compiled graph, which its communicator may know too.
pub(crate) type Schedule = Arc<Mutex<dyn Runs>>;

//! The processes that take part in a collective operation.

use crate::ids::Process;
use crate::number::{at, id};

/// A group of processes, as MPI has it: ranks `0..size` in the order of the processes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// All processes of the graph: so many.
    All(u32),
    /// Some of them: sorted, none twice.
    Members(Vec<Process>),
}

impl Group {
    /// How many processes take part.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self {
            Group::All(processes) => *processes,
            Group::Members(members) => id(members.len()),
        }
    }

    /// The process of a rank below [`Group::size`].
    #[must_use]
    pub fn process(&self, rank: u32) -> Option<Process> {
        match self {
            Group::All(processes) => (rank < *processes).then_some(Process(rank)),
            Group::Members(members) => members.get(at(rank)).copied(),
        }
    }

    /// The rank of a process; `None` where it does not take part. O(log size).
    #[must_use]
    pub fn rank(&self, process: Process) -> Option<u32> {
        match self {
            Group::All(processes) => (process.0 < *processes).then_some(process.0),
            Group::Members(members) => members.binary_search(&process).ok().map(id),
        }
    }

    /// The processes in the order of their ranks.
    pub fn iter(&self) -> impl Iterator<Item = Process> + '_ {
        (0..self.size()).filter_map(|rank| self.process(rank))
    }

    /// The sorted processes, if not all take part.
    #[must_use]
    pub fn members(&self) -> Option<&[Process]> {
        match self {
            Group::All(_) => None,
            Group::Members(members) => Some(members),
        }
    }
}

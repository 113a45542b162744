//! A collective operation that was found, and what it does when it is replayed.

use crate::detect::addresses::Addresses;
use crate::ids::{Bytes, Process};
use crate::number::{at, id};
use crate::transfers::Transfer;

/// Which operation (MPI 4.1, chapter 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // The names are MPI's.
pub enum Kind {
    Barrier,
    Bcast,
    Scatter,
    Scatterv,
    Gather,
    Gatherv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Reduce,
    Allreduce,
    ReduceScatterBlock,
    ReduceScatter,
    Scan,
    Exscan,
}

impl Kind {
    /// MPI's name in lower case, without `MPI_`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Barrier => "barrier",
            Kind::Bcast => "bcast",
            Kind::Scatter => "scatter",
            Kind::Scatterv => "scatterv",
            Kind::Gather => "gather",
            Kind::Gatherv => "gatherv",
            Kind::Allgather => "allgather",
            Kind::Allgatherv => "allgatherv",
            Kind::Alltoall => "alltoall",
            Kind::Alltoallv => "alltoallv",
            Kind::Reduce => "reduce",
            Kind::Allreduce => "allreduce",
            Kind::ReduceScatterBlock => "reduce_scatter_block",
            Kind::ReduceScatter => "reduce_scatter",
            Kind::Scan => "scan",
            Kind::Exscan => "exscan",
        }
    }
}

/// Where the blocks of a collective are, all in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocks {
    /// No data.
    None,
    /// Bcast, scatter(v), gather(v): by process, where its block comes from, where it goes, its length.
    Rooted {
        /// Where the block of each process is read: at the root, or at that process (gather).
        from: Addresses,
        /// Where it is written.
        to: Addresses,
        /// How long it is; 0: none.
        lengths: Addresses,
    },
    /// Allgather(v): by process, where its block is read and how long it is; by process and source,
    /// where it is written.
    Gathered {
        /// By source.
        from: Addresses,
        /// By destination, then by source.
        to: Vec<Addresses>,
        /// By source.
        lengths: Addresses,
    },
    /// Alltoall(v).
    Exchanged {
        /// By source, then by destination.
        from: Vec<Addresses>,
        /// By destination, then by source.
        to: Vec<Addresses>,
        /// By source, then by destination; 0: none.
        lengths: Vec<Addresses>,
    },
    /// Reductions: by process, where its contribution is, where its result goes, and how long that is.
    Reduced {
        /// By process. For a reduce_scatter: where the block of process 0 is.
        from: Addresses,
        /// By process.
        to: Addresses,
        /// By process.
        lengths: Addresses,
        /// For a reduce_scatter, by process: how far its block is from the one of process 0.
        offsets: Addresses,
        /// By its number in the graph's table.
        reduction: u32,
    },
}

/// A collective operation on all processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collective {
    /// Which.
    pub kind: Kind,
    /// Of a rooted one.
    pub root: Option<Process>,
    /// How many processes take part: all of the graph.
    pub processes: u32,
    /// Length of a block; of the longest where they differ.
    pub length: Bytes,
    /// Whether it also copies what a process has for itself. If not, it is used in place, or that block
    /// is left out (MPI's `MPI_IN_PLACE`, or a count of zero).
    pub own: bool,
    /// How many transfers it replaces.
    pub transfers: u64,
    /// Where its blocks are.
    pub blocks: Blocks,
}

impl Collective {
    /// What the operation does by its definition in MPI, as transfers by destination and then by source.
    /// Nothing for barriers and reductions.
    pub fn replay(&self, mut moved: impl FnMut(Transfer)) {
        let all = 0..self.processes;
        let mut block = |source: u32, from: u64, destination: u32, to: u64, length: u64| {
            if length > 0 && (self.own || source != destination) {
                moved(Transfer {
                    destination,
                    destination_address: to,
                    source,
                    source_address: from,
                    length,
                });
            }
        };
        match (&self.blocks, self.root) {
            (Blocks::Rooted { from, to, lengths }, Some(Process(root))) => {
                let gathers = matches!(self.kind, Kind::Gather | Kind::Gatherv);
                for p in all {
                    let (source, destination) = if gathers { (p, root) } else { (root, p) };
                    let k = at(p);
                    block(source, from.get(k), destination, to.get(k), lengths.get(k));
                }
            }
            (Blocks::Gathered { from, to, lengths }, _) => {
                for (j, to) in (0..).zip(to) {
                    for i in all.clone() {
                        block(i, from.get(at(i)), j, to.get(at(i)), lengths.get(at(i)));
                    }
                }
            }
            (Blocks::Exchanged { from, to, lengths }, _) => {
                for (j, to) in (0..).zip(to) {
                    for i in 0..from.len() {
                        let (a, length) = (from[i].get(at(j)), lengths[i].get(at(j)));
                        block(id(i), a, j, to.get(i), length);
                    }
                }
            }
            _ => {}
        }
    }
}

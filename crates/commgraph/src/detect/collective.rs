//! A collective operation that was found, and what it does when it is replayed.

use crate::dataflow::{Contributions, Reduced};
use crate::detect::addresses::Addresses;
use crate::detect::grid::Grid;
use crate::detect::group::Group;
use crate::ids::{Bytes, Process};
use crate::number::{at, id};
use crate::transfers::Transfer;

/// Which operation (MPI 4.1, chapter 6).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
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
    NeighborAlltoall,
    NeighborAlltoallv,
    NeighborAlltoallw,
}

impl Kind {
    /// Whether blocks go to a root.
    #[must_use]
    pub fn gathers(self) -> bool {
        matches!(self, Kind::Gather | Kind::Gatherv)
    }

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
            Kind::NeighborAlltoall => "neighbor_alltoall",
            Kind::NeighborAlltoallv => "neighbor_alltoallv",
            Kind::NeighborAlltoallw => "neighbor_alltoallw",
        }
    }
}

/// Where the pieces of a block are, in bytes from its start; the same at every process. In MPI, a
/// datatype.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pieces {
    /// How many.
    pub count: u32,
    /// By piece, where it is read.
    pub from: Addresses,
    /// By piece, where it is written.
    pub to: Addresses,
}

impl Pieces {
    /// A block of one piece.
    pub(crate) const ONE: Pieces = Pieces {
        count: 1,
        from: Addresses::Affine { start: 0, step: 0 },
        to: Addresses::Affine { start: 0, step: 0 },
    };
}

/// Where the blocks of a collective are, all in bytes, and by rank in its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blocks {
    /// No data.
    None,
    /// Bcast, scatter(v), gather(v): by rank, where its block comes from, where it goes, its
    /// length.
    Rooted {
        /// Where the block of each rank is read: at the root, or at that rank (gather).
        from: Addresses,
        /// Where it is written.
        to: Addresses,
        /// How long its pieces are; 0: none.
        lengths: Addresses,
    },
    /// Allgather(v): by rank, where its block is read and how long it is; by rank and source,
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
    /// Reductions: by rank, where its contribution is, where its result goes, and how long that
    /// is.
    Reduced {
        /// By rank. For a reduce_scatter: where the block of rank 0 is.
        from: Addresses,
        /// By rank.
        to: Addresses,
        /// By rank.
        lengths: Addresses,
        /// For a reduce_scatter, by rank: how far its block is from the one of rank 0.
        offsets: Addresses,
        /// By its number in the graph's table.
        reduction: u32,
    },
    /// Neighbourhood operations. Those with neighbours along the axes only are on a Cartesian
    /// communicator (MPI 4.1, section 8.6), the others on a graph communicator.
    Neighbors {
        /// Where the ranks are.
        grid: Grid,
        /// With each neighbour also the opposite one. On a Cartesian communicator in MPI's order:
        /// by dimension, the one before first.
        neighbors: Vec<Neighbor>,
    },
}

/// The exchange of every process with its neighbour in one direction, where it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbor {
    /// How far away it is in each dimension of the grid.
    pub offset: Vec<i32>,
    /// By rank, where the block for this neighbour is read.
    pub from: Addresses,
    /// By rank, where the block of this neighbour is written.
    pub to: Addresses,
    /// By rank, how long the pieces of the block for this neighbour are; 0: none.
    pub lengths: Addresses,
    /// The pieces of the block for this neighbour.
    pub pieces: Pieces,
}

/// A collective operation on a group of processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collective {
    /// Which.
    pub kind: Kind,
    /// Of a rooted one: a process of the graph.
    pub root: Option<Process>,
    /// Who takes part.
    pub group: Group,
    /// Length of a piece of a block; of the longest where they differ.
    pub length: Bytes,
    /// Whether it also copies what a process has for itself. If not, it is used in place, or that
    /// block is left out (MPI's `MPI_IN_PLACE`, or a count of zero).
    pub own: bool,
    /// How many transfers it replaces.
    pub transfers: u64,
    /// Where its blocks are.
    pub blocks: Blocks,
    /// The pieces of each block; one piece where lengths differ. Neighbourhood operations have
    /// their own for each neighbour.
    pub pieces: Pieces,
}

impl Collective {
    /// The effect of the operation by its definition in MPI, as transfers by destination, then by
    /// source (for neighbourhood operations: by neighbour), then by piece. Of reductions only the
    /// results that are one contribution alone; nothing for barriers.
    pub fn replay(&self, mut moved: impl FnMut(Transfer)) {
        let all = 0..self.group.size();
        let mut block = |ranks: (u32, u32), from: u64, to: u64, length: u64, pieces: &Pieces| {
            let (source, destination) = ranks;
            let both = (self.group.process(source), self.group.process(destination));
            let (Some(Process(source)), Some(Process(destination))) = both else { return };
            if length == 0 || (source == destination && !self.own) {
                return;
            }
            for k in 0..at(pieces.count) {
                moved(Transfer {
                    destination,
                    destination_address: to.wrapping_add(pieces.to.get(k)),
                    source,
                    source_address: from.wrapping_add(pieces.from.get(k)),
                    length,
                });
            }
        };
        match (&self.blocks, self.root.and_then(|root| self.group.rank(root))) {
            (Blocks::Rooted { from, to, lengths }, Some(root)) => {
                for p in all {
                    let ranks = if self.kind.gathers() { (p, root) } else { (root, p) };
                    let k = at(p);
                    block(ranks, from.get(k), to.get(k), lengths.get(k), &self.pieces);
                }
            }
            (Blocks::Gathered { from, to, lengths }, _) => {
                for (j, to) in (0..).zip(to) {
                    for i in all.clone() {
                        let (a, length) = (from.get(at(i)), lengths.get(at(i)));
                        block((i, j), a, to.get(at(i)), length, &self.pieces);
                    }
                }
            }
            (Blocks::Exchanged { from, to, lengths }, _) => {
                for (j, to) in (0..).zip(to) {
                    for i in 0..from.len() {
                        let (a, length) = (from[i].get(at(j)), lengths[i].get(at(j)));
                        block((id(i), j), a, to.get(i), length, &self.pieces);
                    }
                }
            }
            (Blocks::Reduced { from, to, lengths, .. }, _) => {
                // What is one contribution alone: the first result of a scan, the second of an
                // exscan.
                let single = match self.kind {
                    Kind::Scan if from.get(0) != to.get(0) => 0,
                    Kind::Exscan => 1,
                    _ => return,
                };
                let (a, k) = (from.get(0), at(single));
                block((0, single), a, to.get(k), lengths.get(k), &self.pieces);
            }
            (Blocks::Neighbors { grid, neighbors }, _) => {
                // What comes from a neighbour was sent in the opposite direction.
                let sent: Vec<Option<&Neighbor>> = neighbors
                    .iter()
                    .map(|n| neighbors.iter().find(|m| is_opposite(&n.offset, &m.offset)))
                    .collect();
                for j in all {
                    for (n, sent) in neighbors.iter().zip(&sent) {
                        let (Some(i), Some(sent)) = (grid.neighbor(j, &n.offset), sent) else {
                            continue;
                        };
                        let (a, length) = (sent.from.get(at(i)), sent.lengths.get(at(i)));
                        block((i, j), a, n.to.get(at(j)), length, &sent.pieces);
                    }
                }
            }
            _ => {}
        }
    }
}

impl Collective {
    /// The result that a reduction leaves at each process, with everything that goes into it;
    /// nothing for others.
    #[must_use]
    pub fn results(&self) -> Vec<Reduced> {
        let Blocks::Reduced { from, to, lengths, offsets, reduction } = &self.blocks else {
            return Vec::new();
        };
        let ranks = (0..).zip(self.group.iter());
        let results = ranks.filter(|(_, process)| self.root.is_none_or(|root| root == *process));
        let scatters = matches!(self.kind, Kind::ReduceScatter | Kind::ReduceScatterBlock);
        let results = results.filter_map(|(rank, process)| {
            let contributors = match self.kind {
                Kind::Scan => rank + 1,
                Kind::Exscan => rank,
                _ => self.group.size(),
            };
            let offset = if scatters { offsets.get(at(rank)) } else { 0 };
            let contributors = (0..).zip(self.group.iter()).take(at(contributors));
            let memory: Vec<(u32, u64)> =
                contributors.map(|(k, p)| (p.0, from.get(k).wrapping_add(offset))).collect();
            let length = if scatters { lengths.get(at(rank)) } else { self.length.0 };
            let contributions = Contributions { reduction: *reduction, memory };
            (!contributions.memory.is_empty()).then_some(Reduced {
                destination: process.0,
                address: to.get(at(rank)),
                length,
                contributions: Some(contributions),
            })
        });
        results.collect()
    }
}

fn is_opposite(a: &[i32], b: &[i32]) -> bool {
    a.iter().zip(b).all(|(a, b)| *a == -*b)
}

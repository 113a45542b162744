//! The collectives: who sends which block to whom (MPI 4.1, chapters 6 and 8).

use commloom_mpi::Abi;

use crate::session::Session;

/// A collective that takes datatypes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Bcast,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Alltoallw,
    NeighborAllgather,
    NeighborAllgatherv,
    NeighborAlltoall,
    NeighborAlltoallv,
    NeighborAlltoallw,
}

/// The relation between the amounts of data of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amounts {
    /// One amount for all.
    Equal,
    /// As much as the sender likes, to everybody.
    OfSender,
    /// As much as the sender likes, to each receiver.
    Any,
}

/// How blocks are placed and typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// One after the other.
    Regular,
    /// At displacements in extents, with counts of their own.
    Listed,
    /// At displacements in bytes, with counts and types of their own.
    Typed,
}

impl Which {
    pub const ALL: [Which; 15] = [
        Which::Bcast,
        Which::Gather,
        Which::Gatherv,
        Which::Scatter,
        Which::Scatterv,
        Which::Allgather,
        Which::Allgatherv,
        Which::Alltoall,
        Which::Alltoallv,
        Which::Alltoallw,
        Which::NeighborAllgather,
        Which::NeighborAllgatherv,
        Which::NeighborAlltoall,
        Which::NeighborAlltoallv,
        Which::NeighborAlltoallw,
    ];

    /// The name of the blocking call, without `MPI_`.
    pub fn name(self) -> &'static str {
        use Which::*;
        match self {
            Bcast => "Bcast",
            Gather => "Gather",
            Gatherv => "Gatherv",
            Scatter => "Scatter",
            Scatterv => "Scatterv",
            Allgather => "Allgather",
            Allgatherv => "Allgatherv",
            Alltoall => "Alltoall",
            Alltoallv => "Alltoallv",
            Alltoallw => "Alltoallw",
            NeighborAllgather => "Neighbor_allgather",
            NeighborAllgatherv => "Neighbor_allgatherv",
            NeighborAlltoall => "Neighbor_alltoall",
            NeighborAlltoallv => "Neighbor_alltoallv",
            NeighborAlltoallw => "Neighbor_alltoallw",
        }
    }

    pub fn of_neighbors(self) -> bool {
        use Which::*;
        matches!(
            self,
            NeighborAllgather
                | NeighborAllgatherv
                | NeighborAlltoall
                | NeighborAlltoallv
                | NeighborAlltoallw
        )
    }

    pub fn amounts(self) -> Amounts {
        use Which::*;
        match self {
            Bcast | Gather | Scatter | Allgather | Alltoall | NeighborAllgather
            | NeighborAlltoall => Amounts::Equal,
            Gatherv | Allgatherv | NeighborAllgatherv => Amounts::OfSender,
            Scatterv | Alltoallv | Alltoallw | NeighborAlltoallv | NeighborAlltoallw => {
                Amounts::Any
            }
        }
    }

    pub fn send_places(self) -> Places {
        use Which::*;
        match self {
            Scatterv | Alltoallv | NeighborAlltoallv => Places::Listed,
            Alltoallw | NeighborAlltoallw => Places::Typed,
            _ => Places::Regular,
        }
    }

    pub fn recv_places(self) -> Places {
        use Which::*;
        match self {
            Gatherv | Allgatherv | Alltoallv | NeighborAllgatherv | NeighborAlltoallv => {
                Places::Listed
            }
            Alltoallw | NeighborAlltoallw => Places::Typed,
            _ => Places::Regular,
        }
    }

    /// Whether a rank may say `MPI_IN_PLACE`.
    pub fn takes_in_place(self, is_root: bool) -> bool {
        use Which::*;
        match self {
            Gather | Gatherv | Scatter | Scatterv => is_root,
            Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw => true,
            _ => false,
        }
    }

    /// Whether all ranks say `MPI_IN_PLACE` together, and send what they will receive over.
    pub fn exchanges_in_place(self) -> bool {
        use Which::*;
        matches!(self, Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw)
    }
}

/// The blocks of one collective.
pub struct Flow {
    /// For each rank and block that it sends: the receivers. Nobody, where there is no neighbour.
    pub sends: Vec<Vec<Vec<usize>>>,
    /// For each rank and block that it receives: sender and number of the sender's block.
    pub receives: Vec<Vec<Option<(usize, usize)>>>,
}

impl Flow {
    /// Who sends what to whom.
    pub fn of<A: Abi>(
        which: Which,
        session: &Session<A>,
        root: usize,
        topology: Option<usize>,
    ) -> Flow {
        use Which::*;
        let n = session.ranks;
        let all = || 0..n;
        let receives: Vec<Vec<Option<(usize, usize)>>> = all()
            .map(|r| match which {
                Bcast if r == root => vec![],
                Bcast => vec![Some((root, 0))],
                Gather | Gatherv if r == root => all().map(|s| Some((s, 0))).collect(),
                Gather | Gatherv => vec![],
                Scatter | Scatterv => vec![Some((root, r))],
                Allgather | Allgatherv => all().map(|s| Some((s, 0))).collect(),
                Alltoall | Alltoallv | Alltoallw => all().map(|s| Some((s, r))).collect(),
                _ => neighbors(which, session, topology.unwrap_or(0), r),
            })
            .collect();
        let blocks = |s: usize| match which {
            Bcast | Scatter | Scatterv if s != root => 0,
            Bcast | Gather | Gatherv | Allgather | Allgatherv => 1,
            NeighborAllgather | NeighborAllgatherv => 1,
            Scatter | Scatterv | Alltoall | Alltoallv | Alltoallw => n,
            _ => session.topologies[topology.unwrap_or(0)].destinations[s].len(),
        };
        let mut sends: Vec<Vec<Vec<usize>>> = all().map(|s| vec![vec![]; blocks(s)]).collect();
        for (r, blocks) in receives.iter().enumerate() {
            for &(s, t) in blocks.iter().flatten() {
                sends[s][t].push(r);
            }
        }
        Flow { sends, receives }
    }
}

/// The blocks that rank `r` receives from its neighbours.
fn neighbors<A: Abi>(
    which: Which,
    session: &Session<A>,
    topology: usize,
    r: usize,
) -> Vec<Option<(usize, usize)>> {
    let topology = &session.topologies[topology];
    let gathers = matches!(which, Which::NeighborAllgather | Which::NeighborAllgatherv);
    let block = |i: usize, s: usize| {
        if gathers {
            return 0;
        }
        let to = &topology.destinations[s];
        // On a ring the block that comes from the left was sent to the right.
        if topology.name != "graph" {
            return 1 - i;
        }
        to.iter().position(|&d| d == Some(r)).expect("a neighbour of a neighbour")
    };
    topology.sources[r].iter().enumerate().map(|(i, s)| s.map(|s| (s, block(i, s)))).collect()
}

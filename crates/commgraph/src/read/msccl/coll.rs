//! The collective operations that algorithms name.

use crate::detect::Kind;

/// The attribute `coll`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are MSCCL's.
pub enum Coll {
    Allreduce,
    Allgather,
    ReduceScatter,
    Alltoall,
    Broadcast,
    Reduce,
    Gather,
    Scatter,
    Custom,
}

const COLLS: [(&str, Coll, Option<Kind>); 9] = [
    ("allreduce", Coll::Allreduce, Some(Kind::Allreduce)),
    ("allgather", Coll::Allgather, Some(Kind::Allgather)),
    ("reduce_scatter", Coll::ReduceScatter, Some(Kind::ReduceScatterBlock)),
    ("alltoall", Coll::Alltoall, Some(Kind::Alltoall)),
    ("broadcast", Coll::Broadcast, Some(Kind::Bcast)),
    ("reduce", Coll::Reduce, Some(Kind::Reduce)),
    ("gather", Coll::Gather, Some(Kind::Gather)),
    ("scatter", Coll::Scatter, Some(Kind::Scatter)),
    ("custom", Coll::Custom, None),
];

impl Coll {
    pub(super) fn by_name(name: &str) -> Option<Coll> {
        COLLS.iter().find(|(known, _, _)| *known == name).map(|(_, coll, _)| *coll)
    }

    pub(super) fn names() -> String {
        COLLS.map(|(name, _, _)| name).join(", ")
    }

    /// MSCCL's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        COLLS.iter().find(|(_, coll, _)| *coll == self).map_or("", |(name, _, _)| name)
    }

    /// The operation of MPI; none for `custom`.
    #[must_use]
    pub fn kind(self) -> Option<Kind> {
        COLLS.iter().find(|(_, coll, _)| *coll == self).and_then(|(_, _, kind)| *kind)
    }

    /// Chunks of input and output of a GPU, where `chunks` are those of the larger.
    pub(super) fn sizes(self, chunks: u64, gpus: u32) -> (u64, u64) {
        let block = chunks / u64::from(gpus.max(1));
        match self {
            Coll::Allgather | Coll::Gather => (block, chunks),
            Coll::ReduceScatter | Coll::Scatter => (chunks, block),
            _ => (chunks, chunks),
        }
    }

    pub(super) fn is_in_blocks(self) -> bool {
        use Coll::{Allgather, Alltoall, Gather, ReduceScatter, Scatter};
        matches!(self, Allgather | Gather | ReduceScatter | Scatter | Alltoall)
    }

    pub(super) fn has_root(self) -> bool {
        matches!(self, Coll::Broadcast | Coll::Reduce | Coll::Gather | Coll::Scatter)
    }
}

//! The arguments of a written call, in bytes from the buffers that it names: [`crate::proof`]
//! replays them.

use commloom_layout::{LayoutError, Type, mpi};

/// Count and datatype of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its bytes from where it begins, in the order in which they are sent.
    pub runs: Vec<(i64, u64)>,
    /// How far the next one is.
    pub extent: i64,
    /// A name stands for the count: each time the block is as long as it was then, without gaps.
    pub is_named: bool,
}

impl Block {
    /// Bytes without gaps.
    pub fn dense(bytes: u64) -> Block {
        Block { runs: vec![(0, bytes)], extent: signed(bytes), is_named: false }
    }

    /// One element of a type.
    ///
    /// # Errors
    /// It is larger than memory.
    pub fn of(ty: &Type) -> Result<Block, LayoutError> {
        let one = mpi::contiguous(1, ty)?;
        let runs = one.byte_runs().map(|run| (run.displacement, run.length)).collect();
        Ok(Block { runs, extent: one.extent(), is_named: false })
    }

    /// The same, where a name stands for its count.
    #[must_use]
    pub fn named(mut self) -> Block {
        self.is_named = true;
        self
    }

    /// The `k`th such block where each has so many bytes.
    pub fn place(&self, k: usize, bytes: u64) -> Vec<(i64, u64)> {
        let k = i64::try_from(k).unwrap_or(i64::MAX);
        let extent = if self.is_named { signed(bytes) } else { self.extent };
        let start = k.saturating_mul(extent);
        match self.is_named {
            true => vec![(start, bytes)],
            false => self.runs.iter().map(|(at, n)| (at.saturating_add(start), *n)).collect(),
        }
    }
}

/// The blocks of all ranks behind one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Many {
    pub blocks: BlockPlaces,
    /// Each has a place of its own, which the program has to give it.
    pub own_places: bool,
    /// A process has none for itself.
    pub without_own: bool,
}

/// How they are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockPlaces {
    /// One after the other.
    Each(Block),
    /// Displacements and counts in bytes, by rank.
    Listed(Vec<(u64, u64)>),
    /// The same, but every rank has its own list.
    ByRank(Vec<Vec<(u64, u64)>>),
}

impl Many {
    /// The block that a rank has of another, where each has so many bytes.
    pub fn place(&self, own: usize, other: usize, bytes: u64) -> Vec<(i64, u64)> {
        if self.without_own && own == other {
            return Vec::new();
        }
        let listed = |all: &[(u64, u64)]| -> Vec<(i64, u64)> {
            let listed = all.get(other).filter(|(_, length)| *length > 0);
            listed.map(|(at, length)| (signed(*at), *length)).into_iter().collect()
        };
        match &self.blocks {
            BlockPlaces::Each(block) => block.place(other, bytes),
            BlockPlaces::Listed(all) => listed(all),
            BlockPlaces::ByRank(all) => all.get(own).map_or_else(Vec::new, |all| listed(all)),
        }
    }
}

/// The block that each process gives or gets itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum One {
    Block(Block),
    /// As many bytes as the process has.
    OfProcess,
    InPlace,
}

/// A direction of a neighbourhood, and the block for it.
pub type Toward = (Vec<i32>, i64, Block);

/// A written call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Printed {
    Barrier,
    Bcast(Block),
    /// With count and datatype of the messages, whatever they are each time.
    BcastAsSent,
    Rooted {
        gathers: bool,
        one: One,
        many: Many,
    },
    Gathered {
        one: One,
        many: Many,
    },
    Exchanged {
        send: Many,
        receive: Many,
    },
    Reduced {
        /// MPI's name of the operation.
        combine: Option<&'static str>,
        block: Block,
        in_place: bool,
        at_root: bool,
    },
    Neighbors {
        sends: Vec<Toward>,
        receives: Vec<Toward>,
    },
}

fn signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

//! The MPI constructors as calls that can be built, and their literal type maps (MPI 4.1, 5.1.2 to
//! 5.1.4 and 5.1.7).

use commloom_layout::mpi::{self, Distribution, Order};
use commloom_layout::{LayoutError, Type};

use super::Map;

/// One call of an MPI constructor. Units as in MPI: counts and blocklengths in old types,
/// displacements and strides in extents of the old type, or in bytes for the `h` forms.
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum Call {
    Contiguous {
        count: u64,
    },
    Vector {
        count: u64,
        block: u64,
        stride: i64,
    },
    Hvector {
        count: u64,
        block: u64,
        stride: i64,
    },
    Indexed {
        blocks: Vec<u64>,
        displacements: Vec<i64>,
    },
    Hindexed {
        blocks: Vec<u64>,
        displacements: Vec<i64>,
    },
    IndexedBlock {
        block: u64,
        displacements: Vec<i64>,
    },
    HindexedBlock {
        block: u64,
        displacements: Vec<i64>,
    },
    Struct {
        blocks: Vec<u64>,
        displacements: Vec<i64>,
    },
    Subarray {
        sizes: Vec<u64>,
        subsizes: Vec<u64>,
        starts: Vec<u64>,
        order: Order,
    },
    Darray {
        size: u64,
        rank: u64,
        gsizes: Vec<u64>,
        distributions: Vec<Distribution>,
        psizes: Vec<u64>,
        order: Order,
    },
    Resized {
        lb: i64,
        extent: i64,
    },
    Dup,
}

impl Call {
    /// How many old types the call takes.
    #[must_use]
    pub fn arity(&self) -> usize {
        match self {
            Call::Struct { blocks, .. } => blocks.len(),
            _ => 1,
        }
    }

    /// Makes the call with the constructors of `layout`.
    ///
    /// # Errors
    /// Those of the constructor.
    pub fn build(&self, olds: &[Type]) -> Result<Type, LayoutError> {
        match self {
            Call::Contiguous { count } => mpi::contiguous(*count, &olds[0]),
            Call::Vector { count, block, stride } => mpi::vector(*count, *block, *stride, &olds[0]),
            Call::Hvector { count, block, stride } => {
                mpi::hvector(*count, *block, *stride, &olds[0])
            }
            Call::Indexed { blocks, displacements } => {
                mpi::indexed(blocks, displacements, &olds[0])
            }
            Call::Hindexed { blocks, displacements } => {
                mpi::hindexed(blocks, displacements, &olds[0])
            }
            Call::IndexedBlock { block, displacements } => {
                mpi::indexed_block(*block, displacements, &olds[0])
            }
            Call::HindexedBlock { block, displacements } => {
                mpi::hindexed_block(*block, displacements, &olds[0])
            }
            Call::Struct { blocks, displacements } => mpi::structure(blocks, displacements, olds),
            Call::Subarray { sizes, subsizes, starts, order } => {
                mpi::subarray(sizes, subsizes, starts, *order, &olds[0])
            }
            Call::Darray { size, rank, gsizes, distributions, psizes, order } => {
                mpi::darray(*size, *rank, gsizes, distributions, psizes, *order, &olds[0])
            }
            Call::Resized { lb, extent } => mpi::resized(*lb, *extent, &olds[0]),
            Call::Dup => Ok(mpi::dup(&olds[0])),
        }
    }

    /// The type map that the standard prescribes.
    #[must_use]
    pub fn literal(&self, olds: &[Map]) -> Map {
        match self {
            Call::Contiguous { count } => block(*count, 0, &olds[0]),
            Call::Vector { count, block: b, stride } => (0..int(*count))
                .map(|k| block(*b, k * stride * olds[0].extent(), &olds[0]))
                .collect(),
            Call::Hvector { count, block: b, stride } => {
                (0..int(*count)).map(|k| block(*b, k * stride, &olds[0])).collect()
            }
            Call::Indexed { blocks, displacements } => blocks
                .iter()
                .zip(displacements)
                .map(|(&b, &d)| block(b, d * olds[0].extent(), &olds[0]))
                .collect(),
            Call::Hindexed { blocks, displacements } => {
                blocks.iter().zip(displacements).map(|(&b, &d)| block(b, d, &olds[0])).collect()
            }
            Call::IndexedBlock { block: b, displacements } => {
                displacements.iter().map(|&d| block(*b, d * olds[0].extent(), &olds[0])).collect()
            }
            Call::HindexedBlock { block: b, displacements } => {
                displacements.iter().map(|&d| block(*b, d, &olds[0])).collect()
            }
            Call::Struct { blocks, displacements } => blocks
                .iter()
                .zip(displacements)
                .zip(olds)
                .map(|((&b, &d), old)| block(b, d, old))
                .collect(),
            Call::Subarray { sizes, subsizes, starts, order } => {
                let inside = |d: usize, i: u64| i >= starts[d] && i < starts[d] + subsizes[d];
                array(sizes, *order, &olds[0], inside)
            }
            Call::Darray { rank, gsizes, distributions, psizes, order, .. } => {
                let mine = coordinates(*rank, psizes);
                let owned =
                    |d: usize, i: u64| owner(i, gsizes[d], distributions[d], psizes[d]) == mine[d];
                array(gsizes, *order, &olds[0], owned)
            }
            Call::Resized { lb, extent } => olds[0].resized(*lb, *extent),
            Call::Dup => olds[0].clone(),
        }
    }
}

/// `count` copies of `old` from `start` (bytes), one extent apart.
fn block(count: u64, start: i64, old: &Map) -> Map {
    (0..int(count)).map(|k| old.at(start + k * old.extent())).collect()
}

/// The elements of an array for which `chosen(dimension, index)` holds in every dimension, in
/// memory order, with the bounds of the whole array.
fn array(sizes: &[u64], order: Order, old: &Map, chosen: impl Fn(usize, u64) -> bool) -> Map {
    let total: u64 = sizes.iter().product();
    let mut parts = Vec::new();
    for linear in 0..total {
        let index = index_of(linear, sizes, order);
        if (0..sizes.len()).all(|d| chosen(d, index[d])) {
            parts.push(old.at(int(linear) * old.extent()));
        }
    }
    let elements: Map = parts.into_iter().collect();
    elements.resized(0, int(total) * old.extent())
}

/// Index vector of the element at this place in memory.
fn index_of(mut linear: u64, sizes: &[u64], order: Order) -> Vec<u64> {
    let mut index = vec![0; sizes.len()];
    let mut fastest_first: Vec<usize> = (0..sizes.len()).collect();
    if order == Order::C {
        fastest_first.reverse();
    }
    for d in fastest_first {
        index[d] = linear % sizes[d];
        linear /= sizes[d];
    }
    index
}

/// Which process of this dimension owns index `i` (MPI 4.1, 5.1.4).
fn owner(i: u64, size: u64, how: Distribution, processes: u64) -> u64 {
    match how {
        Distribution::None => 0,
        Distribution::Block(block) => i / block.unwrap_or(size.div_ceil(processes)),
        Distribution::Cyclic(block) => (i / block.unwrap_or(1)) % processes,
    }
}

/// Row-major coordinates in the process grid.
fn coordinates(rank: u64, psizes: &[u64]) -> Vec<u64> {
    index_of(rank, psizes, Order::C)
}

fn int(n: u64) -> i64 {
    i64::try_from(n).expect("small")
}

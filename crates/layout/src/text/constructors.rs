//! Every constructor of the notation: its arguments in order, and the function that builds it.

use super::args::Args;
use super::error::ParseError;
use crate::{Type, mpi, shaped};

/// The names that can be called.
pub const NAMES: &[&str] = &[
    "leaf",
    "vec",
    "idx",
    "idxbuc",
    "bucket",
    "triangular",
    "strc",
    "resized",
    "contiguous",
    "vector",
    "hvector",
    "indexed",
    "hindexed",
    "indexed_block",
    "hindexed_block",
    "struct",
    "subarray",
    "darray",
    "dup",
];

/// Reads the arguments of one of [`NAMES`] and builds it. Tuples are read from left to right.
pub fn construct(mut a: Args<'_, '_>) -> Result<Type, ParseError> {
    let made = match a.name {
        "leaf" => Ok(Type::leaf(a.basic()?)),
        "vec" => Type::vec(a.count("the count")?, a.integer("the stride")?, a.ty()?),
        "idx" => Type::idx(a.integers("the indices")?, a.ty()?),
        "idxbuc" => {
            let d = a.integer("the stride")?;
            Type::idxbuc(d, a.integers("the indices")?, a.counts("the blocks")?, a.ty()?)
        }
        "bucket" => {
            let (s, d) = (a.integer("the distance of buckets")?, a.integer("the stride")?);
            shaped::bucket(s, d, &a.counts("the blocks")?, a.ty()?)
        }
        "triangular" => {
            let n = a.count("the count")?;
            let (s, d) = (a.integer("the distance of buckets")?, a.integer("the stride")?);
            let (b, delta) = (a.count("the first block")?, a.integer("the change of blocks")?);
            shaped::triangular(n, s, d, b, delta, a.ty()?)
        }
        "strc" => Type::strc(a.integers("the indices")?, a.types("the types")?),
        "resized" => {
            mpi::resized(a.integer("the lower bound")?, a.integer("the extent")?, &a.ty()?)
        }
        "contiguous" => mpi::contiguous(a.count("the count")?, &a.ty()?),
        "vector" | "hvector" => {
            let build = if a.name == "vector" { mpi::vector } else { mpi::hvector };
            let (n, b) = (a.count("the count")?, a.count("the blocklength")?);
            build(n, b, a.integer("the stride")?, &a.ty()?)
        }
        "indexed" | "hindexed" => {
            let build = if a.name == "indexed" { mpi::indexed } else { mpi::hindexed };
            let b = a.counts("the blocklengths")?;
            build(&b, &a.integers("the displacements")?, &a.ty()?)
        }
        "indexed_block" | "hindexed_block" => {
            let in_extents = a.name == "indexed_block";
            let build = if in_extents { mpi::indexed_block } else { mpi::hindexed_block };
            let b = a.count("the blocklength")?;
            build(b, &a.integers("the displacements")?, &a.ty()?)
        }
        "struct" => {
            let b = a.counts("the blocklengths")?;
            mpi::structure(&b, &a.integers("the displacements")?, &a.types("the types")?)
        }
        "subarray" => {
            let (sizes, subsizes) = (a.counts("the sizes")?, a.counts("the subsizes")?);
            mpi::subarray(&sizes, &subsizes, &a.counts("the starts")?, a.order()?, &a.ty()?)
        }
        "darray" => {
            let size = a.count("the number of processes")?;
            let (rank, gsizes) = (a.count("the rank")?, a.counts("the gsizes")?);
            let (distributions, psizes) = (a.distributions()?, a.counts("the psizes")?);
            mpi::darray(size, rank, &gsizes, &distributions, &psizes, a.order()?, &a.ty()?)
        }
        "dup" => Ok(mpi::dup(&a.ty()?)),
        other => unreachable!("`{other}` is not in NAMES"),
    };
    a.build(made)
}

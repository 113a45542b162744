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
    match a.name {
        "leaf" => {
            let basic = a.basic()?;
            a.build(Ok(Type::leaf(basic)))
        }
        "vec" => {
            let (n, d, c) = (a.count("the count")?, a.integer("the stride")?, a.ty()?);
            a.build(Type::vec(n, d, c))
        }
        "idx" => {
            let (i, c) = (a.integers("the indices")?, a.ty()?);
            a.build(Type::idx(i, c))
        }
        "idxbuc" => {
            let d = a.integer("the stride")?;
            let (i, b, c) = (a.integers("the indices")?, a.counts("the blocks")?, a.ty()?);
            a.build(Type::idxbuc(d, i, b, c))
        }
        "bucket" => {
            let (s, d) = (a.integer("the distance of buckets")?, a.integer("the stride")?);
            let (b, c) = (a.counts("the blocks")?, a.ty()?);
            a.build(shaped::bucket(s, d, &b, c))
        }
        "triangular" => {
            let n = a.count("the count")?;
            let (s, d) = (a.integer("the distance of buckets")?, a.integer("the stride")?);
            let (b, delta) = (a.count("the first block")?, a.integer("the change of blocks")?);
            let c = a.ty()?;
            a.build(shaped::triangular(n, s, d, b, delta, c))
        }
        "strc" => {
            let (i, c) = (a.integers("the indices")?, a.types("the types")?);
            a.build(Type::strc(i, c))
        }
        "resized" => {
            let (lb, extent) = (a.integer("the lower bound")?, a.integer("the extent")?);
            let old = a.ty()?;
            a.build(mpi::resized(lb, extent, &old))
        }
        "contiguous" => {
            let (n, old) = (a.count("the count")?, a.ty()?);
            a.build(mpi::contiguous(n, &old))
        }
        "vector" | "hvector" => {
            let (n, b) = (a.count("the count")?, a.count("the blocklength")?);
            let (s, old) = (a.integer("the stride")?, a.ty()?);
            let build = if a.name == "vector" { mpi::vector } else { mpi::hvector };
            a.build(build(n, b, s, &old))
        }
        "indexed" | "hindexed" => {
            let b = a.counts("the blocklengths")?;
            let (d, old) = (a.integers("the displacements")?, a.ty()?);
            let build = if a.name == "indexed" { mpi::indexed } else { mpi::hindexed };
            a.build(build(&b, &d, &old))
        }
        "indexed_block" | "hindexed_block" => {
            let b = a.count("the blocklength")?;
            let (d, old) = (a.integers("the displacements")?, a.ty()?);
            let in_extents = a.name == "indexed_block";
            let build = if in_extents { mpi::indexed_block } else { mpi::hindexed_block };
            a.build(build(b, &d, &old))
        }
        "struct" => {
            let b = a.counts("the blocklengths")?;
            let (d, olds) = (a.integers("the displacements")?, a.types("the types")?);
            a.build(mpi::structure(&b, &d, &olds))
        }
        "subarray" => {
            let (sizes, subsizes) = (a.counts("the sizes")?, a.counts("the subsizes")?);
            let (starts, order, old) = (a.counts("the starts")?, a.order()?, a.ty()?);
            a.build(mpi::subarray(&sizes, &subsizes, &starts, order, &old))
        }
        "darray" => {
            let size = a.count("the number of processes")?;
            let (rank, gsizes) = (a.count("the rank")?, a.counts("the gsizes")?);
            let (distributions, psizes) = (a.distributions()?, a.counts("the psizes")?);
            let (order, old) = (a.order()?, a.ty()?);
            a.build(mpi::darray(size, rank, &gsizes, &distributions, &psizes, order, &old))
        }
        "dup" => {
            let old = a.ty()?;
            a.build(Ok(mpi::dup(&old)))
        }
        other => unreachable!("`{other}` is not in NAMES"),
    }
}

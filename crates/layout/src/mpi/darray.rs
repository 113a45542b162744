//! `MPI_Type_create_darray` (MPI 4.1, section 5.1.4): the part of an HPF-like distributed array
//! that one process holds.

use super::{Order, array_extent, repeat, shifted};
use crate::facts::overflow;
use crate::{LayoutError, Type};

/// How one dimension is dealt to the processes of that dimension; sizes in elements, `None` is
/// `MPI_DISTRIBUTE_DFLT_DARG`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Distribution {
    /// Not distributed (`MPI_DISTRIBUTE_NONE`); needs one process in this dimension.
    None,
    /// One block each (`MPI_DISTRIBUTE_BLOCK`).
    Block(Option<u64>),
    /// Blocks in turn (`MPI_DISTRIBUTE_CYCLIC`).
    Cyclic(Option<u64>),
}

/// The part of an array of `gsizes` elements of `old` that `rank` of `size` processes holds. The
/// process grid `psizes` is row-major whatever the `order` of the array. Lower bound 0, extent
/// that of the whole array; a process that holds nothing gets an empty type with these bounds.
///
/// # Errors
/// Lists of different lengths; a rank outside the grid, a grid of another size than `size`; a
/// block too small to hold the dimension; overflow.
pub fn darray(
    size: u64,
    rank: u64,
    gsizes: &[u64],
    distributions: &[Distribution],
    psizes: &[u64],
    order: Order,
    old: &Type,
) -> Result<Type, LayoutError> {
    let coordinates = coordinates(size, rank, gsizes, distributions, psizes)?;
    let mut stride = old.extent();
    let mut part = old.clone();
    for d in order.fastest_first(gsizes.len()) {
        let deal = Deal::new(gsizes[d], distributions[d], psizes[d])?;
        part = deal.part(coordinates[d], stride, &part)?;
        stride = scale(stride, gsizes[d])?;
    }
    Type::resized(0, array_extent(gsizes, old)?, part)
}

/// One dimension: `total` elements dealt in blocks of `block`, in turn, to `processes`.
struct Deal {
    total: u64,
    block: u64,
    processes: u64,
}

impl Deal {
    fn new(total: u64, how: Distribution, processes: u64) -> Result<Deal, LayoutError> {
        let even = total.div_ceil(processes);
        let block = match how {
            Distribution::None => {
                check("the processes of an undistributed dimension of darray", processes, 1, 1)?;
                total
            }
            Distribution::Block(None) => even,
            Distribution::Block(Some(block)) => {
                check("a block of darray", block, even, u64::MAX)?;
                block
            }
            Distribution::Cyclic(None) => 1,
            Distribution::Cyclic(Some(block)) => {
                check("a block of darray", block, 1, u64::MAX)?;
                block
            }
        };
        Ok(Deal { total, block, processes })
    }

    /// The part of the process at `coordinate`: whole blocks one round apart, then a partial one.
    fn part(&self, coordinate: u64, stride: i64, old: &Type) -> Result<Type, LayoutError> {
        // A block past the end of the dimension holds nothing; its exact start does not matter.
        let start = self.block.saturating_mul(coordinate).min(self.total);
        let rest = self.total - start;
        // A saturated round is longer than the dimension, like the true one: then there is at most
        // one block, and neither the step nor the end below uses the round.
        let round = self.block.saturating_mul(self.processes);
        let whole = if rest < self.block { 0 } else { 1 + (rest - self.block) / round };
        let partial = rest.saturating_sub(whole.saturating_mul(round)).min(self.block);

        let offset = scale(stride, start)?;
        let tail = repeat(partial, stride, old)?;
        if whole == 0 {
            return shifted(if partial == 0 { 0 } else { offset }, tail);
        }
        let step = if whole > 1 { scale(stride, round)? } else { 0 };
        let blocks = repeat(whole, step, &repeat(self.block, stride, old)?)?;
        if partial == 0 {
            return shifted(offset, blocks);
        }
        let end = scale(stride, start + whole * round)?;
        Type::strc([offset, end], [blocks, tail])
    }
}

/// Row-major coordinates of `rank` in the process grid.
fn coordinates(
    size: u64,
    rank: u64,
    gsizes: &[u64],
    distributions: &[Distribution],
    psizes: &[u64],
) -> Result<Vec<u64>, LayoutError> {
    for (what, right) in [
        ("the gsizes and distributions of darray", distributions.len()),
        ("the gsizes and psizes of darray", psizes.len()),
    ] {
        if gsizes.len() != right {
            return Err(LayoutError::LengthMismatch { what, left: gsizes.len(), right });
        }
    }
    check("the number of dimensions of darray", u64::from(!gsizes.is_empty()), 1, u64::MAX)?;
    for (&gsize, &psize) in gsizes.iter().zip(psizes) {
        check("a gsize of darray", gsize, 1, u64::MAX)?;
        check("a psize of darray", psize, 1, u64::MAX)?;
    }
    let grid = psizes.iter().try_fold(1u64, |n, &p| n.checked_mul(p));
    let grid = grid.ok_or(overflow("the number of processes of darray"))?;
    check("the number of processes of darray", size, grid, grid)?;
    check("the rank of darray", rank, 0, grid - 1)?;
    let mut rest = rank;
    let mut result: Vec<u64> = psizes
        .iter()
        .rev()
        .map(|&p| {
            let coordinate = rest % p;
            rest /= p;
            coordinate
        })
        .collect();
    result.reverse();
    Ok(result)
}

fn scale(stride: i64, n: u64) -> Result<i64, LayoutError> {
    i64::try_from(n)
        .ok()
        .and_then(|n| stride.checked_mul(n))
        .ok_or(overflow("a displacement of darray"))
}

fn check(what: &'static str, given: u64, min: u64, max: u64) -> Result<(), LayoutError> {
    let clip = |n| i64::try_from(n).unwrap_or(i64::MAX);
    if given < min || given > max {
        let (given, min, max) = (clip(given), clip(min), clip(max));
        return Err(LayoutError::OutOfRange { what, given, min, max });
    }
    Ok(())
}

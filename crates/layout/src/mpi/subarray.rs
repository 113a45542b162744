//! `MPI_Type_create_subarray` (MPI 4.1, section 5.1.3).

use super::{array_extent, repeat, shifted};
use crate::facts::{add, overflow};
use crate::{LayoutError, Type};

/// Which dimension of an array varies fastest in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Order {
    /// The last one (`MPI_ORDER_C`).
    C,
    /// The first one (`MPI_ORDER_FORTRAN`).
    Fortran,
}

impl Order {
    /// The dimensions from fastest to slowest.
    pub(super) fn fastest_first(self, dimensions: usize) -> Box<dyn Iterator<Item = usize>> {
        match self {
            Order::C => Box::new((0..dimensions).rev()),
            Order::Fortran => Box::new(0..dimensions),
        }
    }
}

/// The box `starts .. starts + subsizes` of an array of `sizes` elements of `old`. Lower bound 0,
/// extent that of the whole array.
///
/// # Errors
/// No dimension or lists of different lengths; a box that is empty or not inside the array;
/// overflow.
pub fn subarray(
    sizes: &[u64],
    subsizes: &[u64],
    starts: &[u64],
    order: Order,
    old: &Type,
) -> Result<Type, LayoutError> {
    check(sizes, subsizes, starts)?;
    let mut stride = old.extent();
    let mut offset = 0i64;
    let mut part = old.clone();
    for d in order.fastest_first(sizes.len()) {
        part = repeat(subsizes[d], stride, &part)?;
        let steps = signed(starts[d])?;
        let start = stride.checked_mul(steps).ok_or(overflow("the start of subarray"))?;
        offset = add(offset, start)?;
        stride = stride
            .checked_mul(signed(sizes[d])?)
            .ok_or(overflow("the extent of the whole array"))?;
    }
    Type::resized(0, array_extent(sizes, old)?, shifted(offset, part)?)
}

fn signed(n: u64) -> Result<i64, LayoutError> {
    i64::try_from(n).map_err(|_| overflow("a size of subarray"))
}

fn check(sizes: &[u64], subsizes: &[u64], starts: &[u64]) -> Result<(), LayoutError> {
    for (what, list) in [
        ("the sizes and subsizes of subarray", subsizes),
        ("the sizes and starts of subarray", starts),
    ] {
        if sizes.len() != list.len() {
            return Err(LayoutError::LengthMismatch { what, left: sizes.len(), right: list.len() });
        }
    }
    let range = |what, given: u64, min, max: u64| {
        let clip = |n| i64::try_from(n).unwrap_or(i64::MAX);
        let out = LayoutError::OutOfRange { what, given: clip(given), min, max: clip(max) };
        if clip(given) < min || given > max { Err(out) } else { Ok(()) }
    };
    range("the number of dimensions of subarray", u64::from(!sizes.is_empty()), 1, u64::MAX)?;
    for ((&size, &subsize), &start) in sizes.iter().zip(subsizes).zip(starts) {
        range("a size of subarray", size, 1, u64::MAX)?;
        range("a subsize of subarray", subsize, 1, size)?;
        range("a start of subarray", start, 0, size - subsize)?;
    }
    Ok(())
}

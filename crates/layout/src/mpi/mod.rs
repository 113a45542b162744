//! The MPI datatype constructors (MPI 4.1, section 5.1), reduced to the core.
//!
//! Counts and blocklengths are in elements of the old type; strides and displacements are in
//! extents of the old type, or in bytes for the `h` forms, exactly as in MPI. Copies of a block
//! are one extent apart. Nodes that repeat something once are left out.

mod construction;
mod darray;
mod subarray;

pub use construction::Construction;
pub use darray::{Distribution, darray};
pub use subarray::{Order, subarray};

use std::sync::Arc;

use crate::facts::overflow;
use crate::{LayoutError, Type};

/// `MPI_Type_contiguous`.
///
/// # Errors
/// Overflow; nesting too deep.
pub fn contiguous(count: u64, old: &Type) -> Result<Type, LayoutError> {
    repeat(count, old.extent(), old)
}

/// `MPI_Type_vector`: `stride` in extents of `old`.
///
/// # Errors
/// Overflow; nesting too deep.
pub fn vector(count: u64, blocklength: u64, stride: i64, old: &Type) -> Result<Type, LayoutError> {
    hvector(count, blocklength, extents(stride, old)?, old)
}

/// `MPI_Type_create_hvector`: `stride` in bytes.
///
/// # Errors
/// Overflow; nesting too deep.
pub fn hvector(count: u64, blocklength: u64, stride: i64, old: &Type) -> Result<Type, LayoutError> {
    repeat(count, stride, &contiguous(blocklength, old)?)
}

/// `MPI_Type_indexed`: displacements in extents of `old`.
///
/// # Errors
/// Lists of different lengths; overflow; nesting too deep.
pub fn indexed(
    blocklengths: &[u64],
    displacements: &[i64],
    old: &Type,
) -> Result<Type, LayoutError> {
    hindexed(blocklengths, &all_extents(displacements, old)?, old)
}

/// `MPI_Type_create_hindexed`: displacements in bytes.
///
/// # Errors
/// Lists of different lengths; overflow; nesting too deep.
pub fn hindexed(
    blocklengths: &[u64],
    displacements: &[i64],
    old: &Type,
) -> Result<Type, LayoutError> {
    match blocklengths.first() {
        Some(&first)
            if blocklengths.iter().all(|&b| b == first)
                && blocklengths.len() == displacements.len() =>
        {
            hindexed_block(first, displacements, old)
        }
        _ => Type::idxbuc(old.extent(), displacements, blocklengths, old.clone()),
    }
}

/// `MPI_Type_create_indexed_block`: displacements in extents of `old`.
///
/// # Errors
/// Overflow; nesting too deep.
pub fn indexed_block(
    blocklength: u64,
    displacements: &[i64],
    old: &Type,
) -> Result<Type, LayoutError> {
    hindexed_block(blocklength, &all_extents(displacements, old)?, old)
}

/// `MPI_Type_create_hindexed_block`: displacements in bytes.
///
/// # Errors
/// Overflow; nesting too deep.
pub fn hindexed_block(
    blocklength: u64,
    displacements: &[i64],
    old: &Type,
) -> Result<Type, LayoutError> {
    Type::idx(displacements, contiguous(blocklength, old)?)
}

/// `MPI_Type_create_struct`: displacements in bytes.
///
/// # Errors
/// Lists of different lengths; overflow; nesting too deep.
pub fn structure(
    blocklengths: &[u64],
    displacements: &[i64],
    olds: &[Type],
) -> Result<Type, LayoutError> {
    if blocklengths.len() != olds.len() {
        return Err(LayoutError::LengthMismatch {
            what: "the blocklengths and types of struct",
            left: blocklengths.len(),
            right: olds.len(),
        });
    }
    let children = blocklengths
        .iter()
        .zip(olds)
        .map(|(&b, old)| contiguous(b, old))
        .collect::<Result<Arc<[Type]>, _>>()?;
    Type::strc(displacements, children)
}

/// `MPI_Type_create_resized`: bounds in bytes.
///
/// # Errors
/// Overflow of the upper bound; nesting too deep.
pub fn resized(lb: i64, extent: i64, old: &Type) -> Result<Type, LayoutError> {
    Type::resized(lb, extent, old.clone())
}

/// `MPI_Type_dup`: the same layout.
#[must_use]
pub fn dup(old: &Type) -> Type {
    old.clone()
}

/// `count` copies, `stride` bytes apart; no node where there is one copy.
fn repeat(count: u64, stride: i64, old: &Type) -> Result<Type, LayoutError> {
    if count == 1 { Ok(old.clone()) } else { Type::vec(count, stride, old.clone()) }
}

/// `n` extents of `old`, in bytes.
fn extents(n: i64, old: &Type) -> Result<i64, LayoutError> {
    n.checked_mul(old.extent()).ok_or(overflow("a displacement in extents of the old type"))
}

fn all_extents(displacements: &[i64], old: &Type) -> Result<Vec<i64>, LayoutError> {
    displacements.iter().map(|&d| extents(d, old)).collect()
}

/// Places `child` at `offset` bytes; no node where the offset is zero.
fn shifted(offset: i64, child: Type) -> Result<Type, LayoutError> {
    if offset == 0 { Ok(child) } else { Type::idx([offset], child) }
}

/// Bytes of a whole array of `sizes` elements of `old` per dimension.
fn array_extent(sizes: &[u64], old: &Type) -> Result<i64, LayoutError> {
    sizes
        .iter()
        .try_fold(old.extent(), |bytes, &n| {
            let n = i64::try_from(n).ok()?;
            bytes.checked_mul(n)
        })
        .ok_or(overflow("the extent of the whole array"))
}

//! Runs [`Tiles`]: cuts the grid into blocks that are a few lines long where they are written, and
//! takes all other dimensions inside a block, so that both sides are walked in order of address.

use commloom_plan::{Dim, Tiles};

use crate::kernels::{Axis, Kernels, Matrix};
use crate::number::{distance, length};

/// Moves the elements of `tiles`, `counts` of them along side A and along side B; the sides begin
/// at `a` and `b`. Reads A where `FORWARD`, else B.
///
/// # Safety
/// - Every element is valid for reads on the side that is read, for writes on the other.
/// - The two sides do not overlap.
/// - The processor has the instructions of `kernels`.
pub(crate) unsafe fn move_tiles<const FORWARD: bool>(
    kernels: &Kernels,
    tiles: &Tiles,
    counts: (u64, u64),
    (a, b): (*mut u8, *mut u8),
) {
    let axis = |dim: &Dim| {
        let (a, b) = (distance(dim.a), distance(dim.b));
        let (src, dst) = if FORWARD { (a, b) } else { (b, a) };
        Axis { count: length(dim.count), src, dst }
    };
    let along_a = axis(&Dim { count: counts.0, ..tiles.along_a });
    let along_b = axis(&Dim { count: counts.1, ..tiles.along_b });
    let (columns, rows) = if FORWARD { (along_a, along_b) } else { (along_b, along_a) };
    let (src, dst) = if FORWARD { (a, b) } else { (b, a) };
    let block = (length(tiles.block) / rows.dst.unsigned_abs().max(1)).max(1);
    let mut row = 0;
    while row < rows.count {
        // A short rest joins the last block: kernels need some rows.
        let left = rows.count - row;
        let count = if left < 2 * block { left } else { block };
        let matrix = Matrix {
            src: src.wrapping_offset(rows.src.wrapping_mul(row.cast_signed())),
            dst: dst.wrapping_offset(rows.dst.wrapping_mul(row.cast_signed())),
            columns,
            rows: Axis { count, ..rows },
            length: length(tiles.length),
        };
        // SAFETY: a part of the grid.
        unsafe { planes::<FORWARD>(kernels, &tiles.others, matrix) };
        row += count;
    }
}

/// Moves the matrix at every place of the other dimensions.
///
/// # Safety
/// The grid that the others span over the matrix is valid as [`move_tiles`] demands.
unsafe fn planes<const FORWARD: bool>(kernels: &Kernels, others: &[Dim], matrix: Matrix) {
    let Some((dim, others)) = others.split_first() else {
        // SAFETY: the caller vouches for the grid, which without further dimensions is this
        // matrix.
        return unsafe { kernels.matrix(&matrix) };
    };
    let (a, b) = (distance(dim.a), distance(dim.b));
    let (src, dst) = if FORWARD { (a, b) } else { (b, a) };
    let mut plane = matrix;
    for _ in 0..dim.count {
        // SAFETY: the caller vouches for the grid; the plane is one step of it along `dim`.
        unsafe { planes::<FORWARD>(kernels, others, plane) };
        plane.src = plane.src.wrapping_offset(src);
        plane.dst = plane.dst.wrapping_offset(dst);
    }
}

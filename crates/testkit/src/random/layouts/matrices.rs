//! Families of parts of matrices and of arrays of more dimensions.

use super::expectation;
use super::numbers::{int, push_loops, root, spread};
use crate::random::Rng;

pub(super) fn row_column(rng: &mut Rng, n: usize) -> Vec<i64> {
    if rng.u32(0..3) == 0 {
        return expectation::row_and_column(n, spread(rng, 1, n));
    }
    let lines = rng.usize(1..5);
    let width = int(n) + rng.i64(1..20);
    let mut layout = Vec::with_capacity(n);
    for line in 0..lines {
        // What is left, shared among the lines that are left.
        let share = (n - layout.len()) / (lines - line);
        let length = if line + 1 == lines { share } else { rng.usize(share / 2..=share) };
        let start = rng.i64(0..width) * rng.i64(0..width);
        let stride = if rng.bool() { 1 } else { width };
        push_loops(&mut layout, start, &[(length, stride)]);
    }
    layout
}

pub(super) fn triangular(rng: &mut Rng, n: usize) -> Vec<i64> {
    let diagonal = rng.u32(0..3) > 0;
    let mut lines = root(2 * n);
    while lines > 1 && lines * (lines + 1) / 2 > n {
        lines -= 1;
    }
    let across = int(lines) + 1 + rng.i64(0..5);
    let (line, element) = if rng.bool() { (across, 1) } else { (1, across) };
    let growing = rng.bool();
    let mut layout = Vec::with_capacity(n);
    for k in 0..lines {
        let length = if growing { k + 1 } else { lines - k };
        let first = match (growing, diagonal) {
            (true, true) => 0,
            (true, false) => line,
            (false, true) => int(k) * element,
            (false, false) => (int(k) + 1) * element,
        };
        push_loops(&mut layout, int(k) * line + first, &[(length, element)]);
    }
    layout
}

pub(super) fn banded(rng: &mut Rng, n: usize) -> Vec<i64> {
    let below = spread(rng, 0, (n / 8).min(20));
    let above = spread(rng, 0, (n / 8).min(20));
    let rows = (n / (below + above + 1)).max(1);
    // In full storage, or in a matrix so wide that no row is cut at the end.
    let columns = rows + rng.usize(0..3) * above;
    let width = int(columns) + rng.i64(0..5);
    let mut layout = Vec::with_capacity(n);
    for row in 0..rows {
        let (from, to) = (row.saturating_sub(below), (row + above + 1).min(columns));
        push_loops(&mut layout, int(row) * width + int(from), &[(to - from, 1)]);
    }
    layout
}

pub(super) fn halo_faces(rng: &mut Rng, n: usize) -> Vec<i64> {
    let layers = rng.usize(1..3);
    let faces = rng.usize(1..7);
    let side = root(n / (faces * layers)).max(1);
    let sizes = [0; 3].map(|_| side - rng.usize(0..=side / 8));
    // The array has a halo of `layers` around the box.
    let pitch = sizes.map(|s| int(s + 2 * layers));
    let strides = [pitch[1] * pitch[2], pitch[2], 1];
    let mut all: Vec<(usize, bool)> = (0..3).flat_map(|d| [(d, false), (d, true)]).collect();
    if rng.bool() {
        rng.shuffle(&mut all);
    }
    let mut layout = Vec::with_capacity(n);
    for &(dimension, far) in &all[..faces] {
        let mut counts = sizes;
        let mut at = int(layers) * strides.iter().sum::<i64>();
        if far {
            at += int(sizes[dimension].saturating_sub(layers)) * strides[dimension];
        }
        counts[dimension] = layers.min(sizes[dimension]);
        let loops = [0, 1, 2].map(|d| (counts[d], strides[d]));
        push_loops(&mut layout, at, &loops);
    }
    layout.truncate(n);
    layout
}

pub(super) fn subarray(rng: &mut Rng, n: usize) -> Vec<i64> {
    let dimensions = rng.usize(3..5);
    let (mut loops, mut room, mut stride) = (Vec::new(), n, 1);
    for left in (1..=dimensions).rev() {
        let size = if left == 1 { room } else { spread(rng, 1, (room / 4).max(1)) };
        loops.push((size, stride));
        room /= size;
        stride *= int(size) + rng.i64(0..5);
    }
    if rng.u32(0..3) == 0 {
        rng.shuffle(&mut loops);
    } else {
        loops.reverse();
    }
    let mut layout = Vec::with_capacity(n);
    push_loops(&mut layout, 0, &loops);
    layout
}

/// Global indices of one dimension that a process owns, about `n` of them: blocks of `block` that
/// are dealt out to `processes`; the last block may be partial.
fn owned(rng: &mut Rng, n: usize) -> (Vec<i64>, i64) {
    let block = spread(rng, 1, (n / 2).max(1));
    let processes = rng.usize(1..5);
    let rank = rng.usize(0..processes);
    let cycle = int(block * processes);
    let owned = (0..n).map(|k| int(k / block) * cycle + int(rank * block + k % block)).collect();
    (owned, int(n.div_ceil(block)) * cycle)
}

pub(super) fn block_cyclic(rng: &mut Rng, n: usize) -> Vec<i64> {
    let rows = spread(rng, 1, n);
    let (columns, width) = owned(rng, n / rows);
    let (rows, _) = owned(rng, rows);
    rows.iter().flat_map(|row| columns.iter().map(move |column| row * width + column)).collect()
}

pub(super) fn amr_boxes(rng: &mut Rng, n: usize) -> Vec<i64> {
    let largest = root(n / 3).clamp(1, 16);
    let size = |rng: &mut Rng| (rng.usize(1..=largest), rng.usize(1..=largest));
    let sizes: Vec<(usize, usize)> = (0..rng.usize(1..4)).map(|_| size(rng)).collect();
    let width = 40 + rng.i64(0..30);
    let (mut layout, mut at) = (Vec::with_capacity(n), 0);
    loop {
        let (rows, columns) = sizes[rng.usize(0..sizes.len())];
        if layout.len() + rows * columns > n && !layout.is_empty() {
            return layout;
        }
        push_loops(&mut layout, at, &[(rows, width), (columns, 1)]);
        at += int(rows) * width * rng.i64(0..3) + rng.i64(1..2 * width);
    }
}

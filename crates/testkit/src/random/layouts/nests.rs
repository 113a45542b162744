//! Families of nested blocks.

use super::numbers::{advance, int, spread};
use crate::random::Rng;

/// `count` places for a block that reaches over `extent`: evenly strided, in one of two ways
/// uneven, or, now and then, backwards.
fn places(rng: &mut Rng, count: usize, extent: i64, even: bool) -> Vec<i64> {
    if even {
        let stride = extent + rng.i64(0..12);
        let stride = if rng.u32(0..8) == 0 { -stride } else { stride };
        return (0..int(count)).map(|k| k * stride).collect();
    }
    let gaps = [rng.i64(0..9), rng.i64(0..9)];
    let few = rng.bool();
    let mut at = 0;
    (0..count)
        .map(|_| {
            let gap = if few { gaps[rng.usize(0..2)] } else { rng.i64(0..40) };
            advance(&mut at, extent + gap)
        })
        .collect()
}

/// The block at every place.
fn at_places(places: &[i64], block: &[i64]) -> Vec<i64> {
    places.iter().flat_map(|place| block.iter().map(move |d| place + d)).collect()
}

/// Distance within which copies of the block do not overlap.
fn extent(block: &[i64]) -> i64 {
    let (least, most) = (block.iter().min(), block.iter().max());
    most.expect("not empty") - least.expect("not empty") + 1
}

/// `count` copies of a block, evenly strided or not.
pub(super) fn copies(rng: &mut Rng, count: usize, block: &[i64]) -> Vec<i64> {
    let even = rng.bool();
    at_places(&places(rng, count, extent(block), even), block)
}

pub(super) fn nest(rng: &mut Rng, n: usize) -> Vec<i64> {
    let levels = rng.usize(2..6);
    let mut block = vec![0];
    for left in (1..=levels).rev() {
        let room = n / block.len();
        let count = if left == 1 { room } else { spread(rng, 1, (room / 2).max(1)) };
        // A list is short: long ones are `IndexedBlocks`.
        let even = count > 24 || rng.bool();
        block = at_places(&places(rng, count, extent(&block), even), &block);
    }
    block
}

pub(super) fn random_tree(rng: &mut Rng, n: usize) -> Vec<i64> {
    let tree = grow(rng, n, 4);
    // What is left becomes copies of all.
    match n / tree.len() {
        1 => tree,
        count => copies(rng, count, &tree),
    }
}

/// The displacements of a random tree of at most `depth` inner levels: at most `n` elements.
fn grow(rng: &mut Rng, n: usize, depth: u32) -> Vec<i64> {
    if n < 2 || depth == 0 {
        return vec![0];
    }
    match rng.u32(0..4) {
        // strc: parts one behind the other, or one behind the start of the other.
        0 | 1 => {
            let parts = rng.usize(2..5).min(n);
            let (mut layout, mut at) = (Vec::new(), 0);
            for _ in 0..parts {
                let part = grow(rng, n / parts, depth - 1);
                layout.extend(part.iter().map(|d| at + d));
                at += if rng.u32(0..4) == 0 { -rng.i64(1..30) } else { extent(&part) };
                at += rng.i64(0..9);
            }
            layout
        }
        // idxbuc: buckets of copies, or vec and idx: copies.
        kind => {
            let count = spread(rng, 2, n);
            let block = grow(rng, n / count, depth - 1);
            let even = kind == 2;
            if even || rng.bool() {
                return at_places(&places(rng, count, extent(&block), even), &block);
            }
            let (mut layout, mut at) = (Vec::new(), 0);
            let stride = extent(&block) + rng.i64(0..4);
            let mut left = count;
            while left > 0 {
                let copies = rng.usize(1..=left.min(6));
                let bucket: Vec<i64> = (0..int(copies)).map(|k| at + k * stride).collect();
                layout.extend(at_places(&bucket, &block));
                at += int(copies) * stride + rng.i64(0..30);
                left -= copies;
            }
            layout
        }
    }
}

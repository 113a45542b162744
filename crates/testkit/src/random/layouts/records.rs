//! Families of short blocks of elements at regular or irregular places.

use super::expectation;
use super::numbers::{advance, int, push_loops, spread};
use crate::random::Rng;

pub(super) fn alternating(rng: &mut Rng, n: usize) -> Vec<i64> {
    let a1 = spread(rng, 1, (n / 6).max(1));
    let a2 = spread(rng, 1, (n / 6).max(1));
    let units = n / (a1 + a2);
    let b1 = int(a1) + rng.i64(1..6);
    if rng.bool() || units == 0 {
        let mut layout = expectation::alternating_repeated(units.max(1), a1, a2, b1);
        layout.truncate(n);
        return layout;
    }
    let period = b1 + int(a2) + rng.i64(1..6);
    let mut layout = Vec::with_capacity(n);
    for unit in 0..units {
        let at = int(unit) * period;
        push_loops(&mut layout, at, &[(a1, 1)]);
        push_loops(&mut layout, at + b1, &[(a2, 1)]);
    }
    layout
}

pub(super) fn two_tiled(rng: &mut Rng, n: usize) -> Vec<i64> {
    let a = spread(rng, 1, (n / 6).max(1));
    let b1 = int(a) + rng.i64(1..9);
    let b2 = if rng.u32(0..3) == 0 { b1 } else { int(a) + rng.i64(1..9) };
    let (s1, all) = (rng.usize(0..=n / a), n / a);
    let mut layout = Vec::with_capacity(n);
    push_loops(&mut layout, 0, &[(s1, b1), (a, 1)]);
    let between = if rng.bool() { 0 } else { rng.i64(1..99) };
    push_loops(&mut layout, int(s1) * b1 + between, &[(all - s1, b2), (a, 1)]);
    layout
}

pub(super) fn struct_fields(rng: &mut Rng, n: usize) -> Vec<i64> {
    let members = rng.usize(2..12);
    let mut fields: Vec<i64> = (0..int(members)).filter(|_| rng.bool()).collect();
    if fields.is_empty() {
        fields.push(rng.i64(0..int(members)));
    }
    if rng.u32(0..4) == 0 {
        rng.shuffle(&mut fields);
    }
    fields.truncate(n);
    let (structs, extent) = (n / fields.len(), int(members) + rng.i64(0..3));
    let mut layout = Vec::with_capacity(n);
    if rng.u32(0..3) == 0 {
        fields.iter().for_each(|f| push_loops(&mut layout, *f, &[(structs, extent)]));
    } else {
        for k in 0..structs {
            layout.extend(fields.iter().map(|f| int(k) * extent + f));
        }
    }
    layout
}

pub(super) fn buckets(rng: &mut Rng, n: usize) -> Vec<i64> {
    let stride = rng.i64(1..4);
    let longest = spread(rng, 3, (n / 4).max(3));
    let lengths: Vec<usize> = (0..rng.usize(2..5)).map(|_| rng.usize(1..=longest)).collect();
    let (mut layout, mut at) = (Vec::with_capacity(n), 0);
    while layout.len() < n {
        let length = lengths[rng.usize(0..lengths.len())].min(n - layout.len());
        push_loops(&mut layout, at, &[(length, stride)]);
        at += int(length) * stride + rng.i64(1..50);
    }
    layout
}

pub(super) fn indexed_blocks(rng: &mut Rng, n: usize) -> Vec<i64> {
    let block: Vec<i64> = match rng.u32(0..3) {
        // A short list, as often as not with two places that are equal distances away.
        0 => {
            let mut at = 0;
            let places = rng.usize(2..7);
            (0..places).map(|_| advance(&mut at, rng.i64(1..5))).collect()
        }
        1 => (0..int(spread(rng, 2, (n / 4).max(2)))).collect(),
        _ => {
            let (mut block, columns) = (Vec::new(), rng.usize(2..5));
            let rows = spread(rng, 2, (n / 16).max(2));
            push_loops(&mut block, 0, &[(rows, 10), (columns, 1)]);
            block
        }
    };
    let block = &block[..block.len().min(n)];
    let extent = block.iter().max().expect("not empty") + 1;
    let mut at = 0;
    let mut places: Vec<i64> =
        (0..n / block.len()).map(|_| advance(&mut at, extent + rng.i64(0..200))).collect();
    if rng.u32(0..4) == 0 {
        rng.shuffle(&mut places);
    }
    places.iter().flat_map(|place| block.iter().map(move |d| place + d)).collect()
}

//! Numbers and places that the families are made of.

use crate::random::Rng;

/// An integer in `low..=high` whose logarithm is spread evenly, roughly: sizes of every magnitude.
pub(super) fn spread(rng: &mut Rng, low: usize, high: usize) -> usize {
    let high = high.max(low);
    let mut top = high;
    while top / 2 > low && rng.u32(0..3) > 0 {
        top /= 2;
    }
    rng.usize(low..=top)
}

/// Numbers that were drawn small.
pub(super) fn int(n: usize) -> i64 {
    i64::try_from(n).expect("small")
}

/// The largest `side` with `side * side <= area`.
pub(super) fn root(area: usize) -> usize {
    area.isqrt()
}

/// Moves on, and returns the place before.
pub(super) fn advance(at: &mut i64, by: i64) -> i64 {
    std::mem::replace(at, *at + by)
}

/// Adds the elements of nested loops at `at`, outermost first: (count, stride) of each.
pub(super) fn push_loops(layout: &mut Vec<i64>, at: i64, loops: &[(usize, i64)]) {
    match loops {
        [] => layout.push(at),
        [(count, stride), inner @ ..] => {
            (0..*count).for_each(|k| push_loops(layout, at + int(k) * stride, inner));
        }
    }
}

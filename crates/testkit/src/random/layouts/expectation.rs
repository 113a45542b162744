//! The layouts of the expectation tests of Carpen-Amarie, Hunold and Träff ("On the expected and
//! observed communication performance with MPI derived datatypes"), displacements in elements.

use super::numbers::{int, push_loops};

/// Expectation test 11: the first row of `a` elements and the rest of the first column of an
/// `(n + 1 - a) x a` matrix: `n` elements in all. `a` is 1 to `n`.
#[must_use]
pub fn row_and_column(n: usize, a: usize) -> Vec<i64> {
    assert!((1..=n).contains(&a), "a row of {a} among {n} elements");
    let width = int(a);
    (0..width).chain((1..=int(n - a)).map(|row| row * width)).collect()
}

/// Expectation test 10: `units` times a block of `a1` elements and, `b` elements after its start,
/// a block of `a2` elements that touches the next unit.
#[must_use]
pub fn alternating_repeated(units: usize, a1: usize, a2: usize, b: i64) -> Vec<i64> {
    let mut layout = Vec::with_capacity(units * (a1 + a2));
    for unit in 0..units {
        let at = int(unit) * (b + int(a2));
        layout.extend((0..int(a1)).map(|k| at + k));
        layout.extend((0..int(a2)).map(|k| at + b + k));
    }
    layout
}

/// Expectation test 5 where `b1 == b2`: blocks of `a` elements, the first half of them with starts
/// `b1` elements apart, the others with `b2`; `n` elements in all, the last block may be partial.
#[must_use]
pub fn two_tiled(n: usize, a: usize, b1: i64, b2: i64) -> Vec<i64> {
    let blocks = n.div_ceil(a);
    let first = blocks / 2;
    let mut layout = Vec::with_capacity(n);
    push_loops(&mut layout, 0, &[(first, b1), (a, 1)]);
    push_loops(&mut layout, int(first) * b1, &[(blocks - first, b2), (a, 1)]);
    layout.truncate(n);
    layout
}

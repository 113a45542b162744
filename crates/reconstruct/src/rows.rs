//! Strided rows at the start of a displacement sequence, rows of rows, and so on.
//!
//! A nest of vecs, and a vec of a short list, is one row of rows, so a single pass over a regular
//! sequence says all about it: what repeats, and between which bounds it lies.

use multiversion::multiversion;

use crate::num::count;

/// Longest block that is looked for where a row does not continue one: a list at the bottom of a
/// nest.
const LIST: usize = 1 << 8;

/// The first `end` elements have strided blocks of length `block` (the last one may be cut off).
pub(crate) struct Row {
    pub block: usize,
    pub end: usize,
}

/// The maximal rows from the start: the block of each is the row before, of the first a single
/// element, or a short list. Each is at least twice as long as its block, so all are found in
/// O(n).
pub(crate) struct Rows {
    pub list: Vec<Row>,
}

impl Rows {
    /// The rows of at least one displacement.
    pub(crate) fn of(starts: &[i64]) -> Rows {
        let n = starts.len();
        let mut list = Vec::new();
        let mut block = 1;
        while 2 * block <= n {
            let distance = starts[block].wrapping_sub(starts[0]);
            let other = first_other(&starts[block..], &starts[..n - block], distance);
            let end = other.map_or(n, |t| t + block);
            if end >= 2 * block {
                list.push(Row { block, end });
                block = end;
            } else if let Some(longer) = longer_block(starts, block) {
                block = longer;
            } else {
                break;
            }
        }
        Rows { list }
    }

    /// How many elements the rows hold, and bounds between which those lie, found without a look
    /// at them. `None` if such bounds do not fit in 64 bits.
    pub(crate) fn bounds(&self, starts: &[i64]) -> Option<(usize, [i64; 2])> {
        let (mut end, mut low, mut high) = (1, starts[0], starts[0]);
        for row in &self.list {
            for &start in &starts[end..row.block.max(end)] {
                (low, high) = (low.min(start), high.max(start));
            }
            // Rows are compared with wrapped differences. As long as these bounds do not overflow,
            // neither did the elements.
            let distance = starts[row.block].checked_sub(starts[0])?;
            let copies = i64::try_from(count(row.end.div_ceil(row.block) - 1)).ok()?;
            let reach = distance.checked_mul(copies)?;
            (low, high) = (low.checked_add(reach.min(0))?, high.checked_add(reach.max(0))?);
            end = row.end;
        }
        Some((end, [low, high]))
    }
}

/// The shortest block longer than `block`, and no longer than [`LIST`], that is followed by its
/// like.
fn longer_block(starts: &[i64], block: usize) -> Option<usize> {
    let step = |t: usize| starts[t + 1].wrapping_sub(starts[t]);
    (block + 1..=LIST.min(starts.len() / 2)).find(|&p| {
        let distance = starts[p].wrapping_sub(starts[0]);
        step(p) == step(0) && first_other(&starts[p..2 * p], &starts[..p], distance).is_none()
    })
}

/// The first t at which `a[t] - b[t]` is not `distance`.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn first_other(a: &[i64], b: &[i64], distance: i64) -> Option<usize> {
    /// Compared without branches, so that the compiler can use vector instructions.
    const LANES: usize = 32;
    let other = |(x, y): (&i64, &i64)| x.wrapping_sub(*y) ^ distance;
    let whole = a.chunks_exact(LANES).zip(b.chunks_exact(LANES));
    let equal = whole
        .take_while(|(x, y)| x.iter().zip(*y).fold(0, |acc, pair| acc | other(pair)) == 0)
        .count()
        * LANES;
    a[equal..].iter().zip(&b[equal..]).position(|pair| other(pair) != 0).map(|t| equal + t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_testkit::check;

    /// Rows of rows, also of distances that overflow, and a rest.
    #[test]
    fn the_elements_of_rows_lie_within_their_bounds() {
        check(2000, |rng| {
            let mut starts = vec![rng.i64(-1000..1000)];
            for _ in 0..rng.usize(0..5) {
                let distance = if rng.u8(0..4) == 0 { rng.i64(..) } else { rng.i64(-99..99) };
                for _ in 0..rng.usize(1..4) * starts.len() {
                    starts.push(starts[starts.len() - starts.len().min(7)].wrapping_add(distance));
                }
            }
            let Some((end, [low, high])) = Rows::of(&starts).bounds(&starts) else { return };
            assert!(starts[..end].iter().all(|d| (low..=high).contains(d)), "{starts:?}");
        });
    }

    #[test]
    fn a_nest_is_one_row_of_rows() {
        let nest: Vec<i64> = (0..600).map(|i| i / 60 * 9000 - i / 6 % 10 * 70 + i % 6).collect();
        let rows = Rows::of(&nest);
        let lengths: Vec<(usize, usize)> = rows.list.iter().map(|r| (r.block, r.end)).collect();
        assert_eq!(lengths, [(1, 6), (6, 60), (60, 600)]);
        assert_eq!(rows.bounds(&nest), Some((600, [-630, 81_005])));
    }

    #[test]
    fn a_list_that_is_repeated_is_a_row() {
        let list: Vec<i64> = (0..800).map(|i| i / 40 * 2000 - (i % 40) * (i % 40)).collect();
        let rows = Rows::of(&list);
        let lengths: Vec<(usize, usize)> = rows.list.iter().map(|r| (r.block, r.end)).collect();
        assert_eq!(lengths, [(1, 2), (40, 800)]);
        assert_eq!(rows.bounds(&list), Some((800, [-1521, 38_000])));
    }

    #[test]
    fn the_first_other_difference_is_found_at_every_place() {
        for n in 0..100 {
            let b: Vec<i64> = (0..n).map(|i| i * i).collect();
            let a: Vec<i64> = b.iter().map(|d| d + 9).collect();
            assert_eq!(first_other(&a, &b, 9), None);
            for at in 0..b.len() {
                let mut a = a.clone();
                a[at..].iter_mut().for_each(|d| *d += 1);
                assert_eq!(first_other(&a, &b, 9), Some(at), "of {n}");
            }
        }
    }
}

//! The properties of an index list that a node must know, in one pass over memory.
//!
//! The list is read tile by tile, and each quantity in a loop of its own, which the compiler turns
//! into vector instructions. Where a tile ascends, as it mostly does, its ends are its minimum and
//! maximum: 64-bit minima have no vector instruction on most processors, differences have.
//!
//! Measured on 10^4 indices in the second-level cache, in times of a plain sum of them: 4.9 with a
//! test for overflow at every difference, 2.6 with one for the whole tile, 0.8 with AVX2. A fold
//! over the list for each quantity, and a fingerprint that waits for one multiplication per entry:
//! 33. Fletcher's two sums in place of the polynomials were slower, sums over chunks of lanes,
//! too: the compiler gathers across chunks.

use multiversion::multiversion;

/// Indices per tile: 8 KiB, a quarter of the first-level cache.
const TILE: usize = 1 << TILE_LOG;
const TILE_LOG: u32 = 10;

/// Neighbouring entries go to different lanes of the fingerprint.
const LANES: usize = 16;

/// The result of [`measure`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Measures {
    pub min: i64,
    pub max: i64,
    /// How many neighbours differ by `reach`.
    pub joins: usize,
    /// A fingerprint of the entries and their order.
    pub hash: u64,
}

/// Measures a list; `None` if it is empty. Without a `reach` nothing joins. Differences wrap: a
/// list whose entries are further apart than 64 bits can hold has no bounds anyway, which is found
/// later.
///
/// The functions that it calls are inlined, to be compiled for the same instructions.
#[multiversion(targets("x86_64+avx2"))]
pub(crate) fn measure(list: &[i64], reach: Option<i64>) -> Option<Measures> {
    let &first = list.first()?;
    let mut found = Measures { min: first, max: first, joins: 0, hash: 0 };
    let mut lanes = [0; LANES];
    for from in (0..list.len()).step_by(TILE) {
        mix(&mut lanes, &list[from..list.len().min(from + TILE)]);
        // Neighbours overlap by one entry.
        let tile = &list[from..list.len().min(from + TILE + 1)];
        let (bits, joins) = steps(tile, reach.unwrap_or(0));
        found.joins += joins;
        let (first, last) = (tile[0], tile[tile.len() - 1]);
        let (min, max) = match bits < SMALL && first <= last {
            true => (first, last),
            false => extremes(tile),
        };
        (found.min, found.max) = (found.min.min(min), found.max.max(max));
    }
    if reach.is_none() {
        found.joins = 0;
    }
    found.hash =
        lanes.iter().fold(0, |h: u64, &lane| (h.rotate_left(5) ^ lane).wrapping_mul(FACTOR));
    Some(found)
}

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Wrapped differences of neighbours below this one add up to less than half the range in a tile,
/// so that a tile with such differences wraps at most once, and ascends if its last entry is not
/// less than its first.
const SMALL: u64 = 1 << (62 - TILE_LOG);

/// All differences of neighbours in a tile or-ed together, and how many of them are `reach`.
#[inline(always)]
fn steps(tile: &[i64], reach: i64) -> (u64, usize) {
    let (mut bits, mut joins) = (0, 0u64);
    for (l, r) in tile.iter().zip(&tile[1..]) {
        let difference = r.wrapping_sub(*l);
        bits |= difference;
        joins += u64::from(difference == reach);
    }
    (bits.cast_unsigned(), usize::try_from(joins).expect("at most a tile"))
}

#[inline(always)]
fn extremes(tile: &[i64]) -> (i64, i64) {
    tile.iter().fold((tile[0], tile[0]), |(min, max), &x| (min.min(x), max.max(x)))
}

/// Polynomials in 33, one for each lane.
#[inline(always)]
fn mix(lanes: &mut [u64; LANES], tile: &[i64]) {
    let mut whole = tile.chunks_exact(LANES);
    let step = |lane: u64, x: i64| (lane << 5).wrapping_add(lane).wrapping_add(x.cast_unsigned());
    for chunk in &mut whole {
        lanes.iter_mut().zip(chunk).for_each(|(lane, x)| *lane = step(*lane, *x));
    }
    lanes.iter_mut().zip(whole.remainder()).for_each(|(lane, x)| *lane = step(*lane, *x));
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_testkit::{Rng, check};

    fn by_definition(list: &[i64], reach: Option<i64>) -> (i64, i64, usize) {
        let joins = list.windows(2).filter(|w| Some(w[1].wrapping_sub(w[0])) == reach).count();
        (*list.iter().min().unwrap(), *list.iter().max().unwrap(), joins)
    }

    /// Ascending, descending, unordered and wrapping stretches of any length.
    fn random_list(rng: &mut Rng) -> Vec<i64> {
        let mut list = Vec::new();
        let mut at = rng.i64(-100..100);
        for _ in 0..rng.usize(1..5) {
            let (low, high) = [(0, 3), (-3, 3), (-3, 0), (i64::MIN, i64::MAX), (1 << 50, 1 << 55)]
                [rng.usize(0..5)];
            for _ in 0..rng.usize(1..2 * TILE) {
                list.push(at);
                at = at.wrapping_add(rng.i64(low..=high));
            }
        }
        list
    }

    #[test]
    fn measures_of_random_lists_are_those_of_the_definition() {
        check(500, |rng| {
            let list = random_list(rng);
            for reach in [None, Some(0), Some(2), Some(-1)] {
                let Measures { min, max, joins, .. } = measure(&list, reach).unwrap();
                assert_eq!((min, max, joins), by_definition(&list, reach));
            }
        });
        assert_eq!(measure(&[], Some(1)), None);
    }

    #[test]
    fn a_tile_that_wraps_does_not_ascend() {
        for step in [1 << 40, 1 << 53, 1 << 62, i64::MAX] {
            for n in [2, 3, 5, TILE, TILE + 1, 3 * TILE] {
                let mut at = i64::MAX - step / 2;
                let list: Vec<i64> = std::iter::repeat_with(|| {
                    at = at.wrapping_add(step);
                    at
                })
                .take(n)
                .collect();
                let Measures { min, max, .. } = measure(&list, None).unwrap();
                assert_eq!((min, max, 0), by_definition(&list, None), "{n} steps of {step}");
            }
        }
    }

    #[test]
    fn a_changed_or_moved_entry_changes_the_fingerprint() {
        check(500, |rng| {
            let list = random_list(rng);
            let hash = |list: &[i64]| measure(list, None).unwrap().hash;
            let (i, k) = (rng.usize(0..list.len()), rng.usize(0..list.len()));
            let mut other = list.clone();
            other[i] = other[i].wrapping_add(rng.i64(1..=i64::MAX));
            assert_ne!(hash(&list), hash(&other));
            let mut other = list.clone();
            other.swap(i, k);
            assert_eq!(hash(&list) == hash(&other), list == other);
        });
    }
}

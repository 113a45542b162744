//! The fewest buckets at equal distances, and triangles, for copies at given starts: the shapes of
//! an idxbuc that a cost model may price ([`commloom_layout::shaped`]). Kalany and Träff (2015)
//! name them at the end of section 3.3 and leave the algorithm open.
//!
//! Starts S[0..m), E[t] = S[t+1] - S[t], are to be cut into buckets: neighbours in a bucket are d
//! apart, bucket k begins at S[0] + k s. Of a *bucket* type the number of buckets counts; a
//! *triangular* type besides has b + k delta copies in bucket k. Equal steps are one bucket, so
//! let them differ.
//!
//! **The stride is one of two**: E[0], or the first E[t] that differs from it. If the first bucket
//! has two copies, d = E[0]. Otherwise s = E[0]. Suppose d differs from s. As long as the steps
//! equal s, every copy begins a bucket. Where E[t] is the first that does not, copy t+1 begins
//! none, as it would have to lie s behind copy t: so E[t] = d.
//!
//! For each of the two, [`Runs`] finds what fits (proof there), taking the starts one after the
//! other and ready to answer for all that it has seen. Time: O(1) per start and one gcd per run of
//! steps d; the gcds take O(log) more in all, as the divisor only falls. Space: O(1).

mod runs;
mod shape;

use crate::prices::Prices;
use runs::Runs;
pub(crate) use shape::Shape;

/// The price, without the child, of the cheapest node of a shape over copies at `starts`, if it is
/// below `known`. O(n) time, less where the shape is lost early; constant where no shape has a
/// price.
pub(crate) fn cheapest(
    mut starts: impl Iterator<Item = i64>,
    known: u64,
    prices: &Prices,
) -> Option<(u64, Shape)> {
    prices.cheapest_shape().filter(|&least| least < known)?;
    let mut search = Search::new(starts.next()?);
    for start in starts {
        search.push(start);
        if search.is_over() {
            return None;
        }
    }
    search.cheapest(prices).filter(|&(price, _)| price < known)
}

/// The same for runs of `blocks[k]` copies, `stride` apart, from `indices[k]` on; no run continues
/// the one before.
pub(crate) fn cheapest_of_runs(
    stride: i64,
    indices: &[i64],
    blocks: &[u64],
    prices: &Prices,
) -> Option<(u64, Shape)> {
    prices.cheapest_shape()?;
    let mut lists = indices.iter().copied().zip(blocks.iter().copied());
    let (first, copies) = lists.next()?;
    let mut runs = Runs::new(stride, first, copies);
    for (start, copies) in lists {
        runs.begin(start, copies);
    }
    runs.cheapest(prices)
}

/// For copies at `starts`: every m >= 2 for which the first m have a shape, with the price of the
/// cheapest, without the child. O(1) time for each, as above; nothing where no shape has a price.
pub(crate) fn of_prefixes(
    mut starts: impl Iterator<Item = i64>,
    prices: &Prices,
) -> impl Iterator<Item = (usize, u64)> {
    let mut search = prices.cheapest_shape().and_then(|_| starts.next()).map(Search::new);
    let mut copies = 1;
    std::iter::from_fn(move || {
        loop {
            let search = search.as_mut().filter(|search| !search.is_over())?;
            search.push(starts.next()?);
            copies += 1;
            if let Some((price, _)) = search.cheapest(prices) {
                return Some((copies, price));
            }
        }
    })
}

/// Both shapes, for the starts so far.
struct Search {
    first: i64,
    last: i64,
    /// How many copies from the first one on are equally far apart.
    even: u64,
    /// For the first step, and for the first that differs.
    options: [Option<Runs>; 2],
}

impl Search {
    /// One copy.
    fn new(first: i64) -> Search {
        Search { first, last: first, even: 1, options: [None; 2] }
    }

    /// The next copy. No difference of two starts overflows.
    fn push(&mut self, start: i64) {
        let step = start - self.last;
        match &mut self.options {
            [Some(plain), Some(other)] => {
                plain.push(start);
                other.push(start);
            }
            [Some(plain), None] if step == plain.stride() => {
                plain.push(start);
                self.even += 1;
            }
            [Some(plain), other] => {
                let mut runs = Runs::new(step, self.first, 1);
                (1..self.even).fold(self.first, |at, _| {
                    runs.push(at + plain.stride());
                    at + plain.stride()
                });
                runs.push(start);
                *other = Some(runs);
                plain.push(start);
            }
            [plain, _] => {
                *plain = Some(Runs::new(step, self.first, 2));
                self.even = 2;
            }
        }
        self.last = start;
    }

    /// Whether there is no shape, whatever follows.
    fn is_over(&self) -> bool {
        self.options.iter().all(|option| option.as_ref().is_some_and(Runs::is_over))
    }

    /// The cheapest node of a shape that has a price, and its price without the child.
    fn cheapest(&self, prices: &Prices) -> Option<(u64, Shape)> {
        let options = self.options.iter().flatten();
        options.filter_map(|runs| runs.cheapest(prices)).min_by_key(|&(price, _)| price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Constructors;
    use commloom_layout::{CostModel, shaped};
    use commloom_testkit::cheapest_shaped::{fewest_buckets, is_triangle};
    use commloom_testkit::check;

    fn prices(bucket: Option<u64>, triangular: Option<u64>) -> Prices {
        let model = CostModel { bucket, triangular, ..CostModel::default() };
        Prices::new(&model, Constructors::Extended).unwrap()
    }

    /// Both answers after every copy are those of the naive search, and their lists have the
    /// shape.
    fn assert_fewest(starts: &[i64]) {
        let mut search = Search::new(starts[0]);
        for n in 2..=starts.len() {
            let starts = &starts[..n];
            search.push(starts[n - 1]);
            let bucket = search.cheapest(&prices(Some(1), None));
            let fewest = fewest_buckets(starts).map(|n| u64::try_from(n).unwrap());
            assert_eq!(bucket.map(|(_, shape)| shape.buckets), fewest, "{starts:?}");
            let triangle = search.cheapest(&prices(None, Some(1)));
            assert_eq!(triangle.is_some(), is_triangle(starts), "{starts:?}");
            assert!(!search.is_over() || bucket.or(triangle).is_none());
            for (_, shape) in bucket.into_iter().chain(triangle) {
                let (indices, blocks) = shape.lists(starts);
                assert_eq!(indices.len(), usize::try_from(shape.buckets).unwrap());
                assert!(shaped::is_bucket(&indices, &blocks), "{starts:?} {indices:?} {blocks:?}");
                let copies = indices.iter().zip(&blocks).flat_map(|(&index, &block)| {
                    (0..i64::try_from(block).unwrap()).map(move |k| index + k * shape.stride)
                });
                assert!(copies.eq(starts.iter().copied()), "{starts:?} {shape:?}");
            }
            if let Some((_, shape)) = triangle {
                let (indices, blocks) = shape.lists(starts);
                assert!(shaped::is_triangular(&indices, &blocks), "{starts:?} {blocks:?}");
            }
        }
    }

    #[test]
    fn all_sequences_of_eight_starts_with_steps_from_minus_2_to_3() {
        for code in 0..6i64.pow(7) {
            let mut starts = vec![0];
            for k in 0..7 {
                starts.push(starts[k] + code / 6i64.pow(u32::try_from(k).unwrap()) % 6 - 2);
            }
            assert_fewest(&starts);
        }
    }

    /// Buckets at equal distances, also with the distance a multiple of the stride, so that runs
    /// may have to be cut; some with one start changed.
    #[test]
    fn random_buckets_and_triangles() {
        check(20_000, |rng| {
            let stride = rng.i64(-3..4);
            let step = if rng.bool() { stride * rng.i64(1..6) } else { rng.i64(-9..10) };
            let (mut block, change) = (rng.i64(1..12), rng.i64(-3..4));
            let triangle = rng.bool();
            let mut starts = Vec::new();
            for k in 0..rng.i64(1..9) {
                starts.extend((0..block.max(1)).map(|t| 100 + k * step + t * stride));
                block = if triangle { block + change } else { rng.i64(1..8) };
            }
            if rng.u32(0..4) == 0 {
                let t = rng.usize(0..starts.len());
                starts[t] += rng.i64(-2..3);
            }
            assert_fewest(&starts);
        });
    }

    #[test]
    fn runs_of_a_billion_copies_are_cut_without_listing_them() {
        let giga = |list: [u64; 3]| list.map(|n| n * 1_000_000_000);
        // Buckets of 4, 3, 2 and 1 billion copies, 3 billion apart: the second touches the third.
        let indices = [0, 3_000_000_000, 9_000_000_000];
        let (bucket, triangular) = (prices(Some(6), None), prices(None, Some(7)));
        for prices in [bucket, triangular] {
            let (_, shape) = cheapest_of_runs(1, &indices, &giga([4, 5, 1]), &prices).unwrap();
            assert_eq!(shape, Shape { stride: 1, step: 3_000_000_000, buckets: 4 });
            let (starts, lengths) = shape.cut(&indices, &giga([4, 5, 1]));
            assert_eq!(starts, [0, 3_000_000_000, 6_000_000_000, 9_000_000_000]);
            assert_eq!(lengths, [4, 3, 2, 1].map(|n: u64| n * 1_000_000_000));
        }
        // Neither are 3 and 7 equal, nor is a stride of 2 a divisor of both.
        assert_eq!(cheapest_of_runs(2, &[0, 3, 10], &giga([1, 1, 1]), &bucket), None);
    }
}

//! The least price of the buckets of an idxbuc, over all strides.
//!
//! Copies of one block follow each other, a difference from each to the next. An idxbuc of stride
//! v has one bucket, and one more for each difference that is not v. All strides are followed at
//! once: those that do not occur become dearer by a bucket together, and one table entry changes
//! for the one that does. Differences that share a table entry count as one stride: that only
//! lowers the price.

/// The least prices of lists so far.
pub(super) struct Strides {
    bucket: u64,
    /// Copies so far.
    copies: u64,
    /// For each class of strides, the least price of a list of this stride when the stride last
    /// occurred, and how many copies there were then.
    classes: Vec<(u64, u64)>,
    shift: u32,
    /// The least price of a list none of whose differences was its stride.
    opened: u64,
    least: u64,
}

impl Strides {
    /// No lists yet, of up to `most` copies; each new bucket costs `bucket`.
    pub(super) fn new(most: usize, bucket: u64) -> Strides {
        /// Entries that fit into the second-level cache.
        const ENTRIES: usize = 1 << 12;
        let entries = most.saturating_mul(4).clamp(4, ENTRIES).next_power_of_two();
        Strides {
            bucket,
            copies: 0,
            classes: vec![(u64::MAX, 0); entries],
            shift: 64 - entries.trailing_zeros(),
            opened: u64::MAX,
            least: u64::MAX,
        }
    }

    /// One copy more. A list that begins with the copy before it has the price `open`.
    pub(super) fn copy(&mut self, difference: i64, open: u64) {
        let class = &mut self.classes[class(difference, self.shift)];
        let missed = self.bucket.saturating_mul(self.copies - class.1);
        let opened = self.opened.min(open);
        let here = class.0.saturating_add(missed).min(opened);
        self.copies += 1;
        *class = (here, self.copies);
        self.opened = opened.saturating_add(self.bucket);
        self.least = self.least.saturating_add(self.bucket).min(here);
    }

    /// The least price of a list that has the last copy.
    pub(super) fn least(&self) -> u64 {
        self.least
    }
}

/// Evenly spaced differences spread evenly: 2^64 over the golden ratio.
fn class(difference: i64, shift: u32) -> usize {
    let spread = u64::from_ne_bytes(difference.to_ne_bytes()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    usize::try_from(spread >> shift).expect("a small table")
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_testkit::check;

    #[test]
    fn the_least_price_is_that_of_the_best_stride_and_the_best_beginning() {
        check(500, |rng| {
            let letters = rng.i64(1..5);
            let differences: Vec<i64> =
                (0..rng.usize(1..30)).map(|_| rng.i64(0..letters)).collect();
            let open: Vec<u64> = differences.iter().map(|_| rng.u64(0..20)).collect();
            let bucket = rng.u64(0..4);
            let mut strides = Strides::new(differences.len() + 1, bucket);
            for end in 1..=differences.len() {
                strides.copy(differences[end - 1], open[end - 1]);
                let price = |begin: usize, stride: i64| {
                    let others = differences[begin..end].iter().filter(|d| **d != stride).count();
                    open[begin] + bucket * u64::try_from(others).unwrap()
                };
                let all = (0..end).flat_map(|begin| (0..letters).map(move |v| (begin, v)));
                let least = all.map(|(begin, stride)| price(begin, stride)).min().unwrap();
                // Few strides, and a table of many entries: no two share one.
                assert_eq!(strides.least(), least, "{differences:?} {open:?} {bucket}");
            }
        });
    }
}

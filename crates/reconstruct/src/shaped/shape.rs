//! [`Shape`]: an idxbuc whose buckets are at equal distances.

use crate::extended::split_into_buckets;
use crate::num::count;

/// An idxbuc with buckets at equal distances: `stride` between the copies in a bucket, `step`
/// between the first copies of neighbouring buckets. With one bucket `step` says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    pub stride: i64,
    pub step: i64,
    pub buckets: u64,
}

impl Shape {
    /// Indices and lengths of the buckets, of the copies at `starts`.
    pub(crate) fn lists(&self, starts: &[i64]) -> (Vec<i64>, Vec<u64>) {
        let (indices, blocks) = split_into_buckets(starts, self.stride);
        self.cut(&indices, &blocks)
    }

    /// The same from the runs of copies `stride` apart.
    pub(crate) fn cut(&self, indices: &[i64], blocks: &[u64]) -> (Vec<i64>, Vec<u64>) {
        let (mut starts, mut lengths): (Vec<i64>, Vec<u64>) = (Vec::new(), Vec::new());
        for (run, (&index, &block)) in indices.iter().zip(blocks).enumerate() {
            let buckets = match indices.get(run + 1) {
                Some(_) if self.step == 0 => 1,
                Some(next) => ((next - index) / self.step).unsigned_abs(),
                None => self.buckets - count(starts.len()),
            };
            let (mut at, mut left) = (index, block);
            for _ in 1..buckets {
                let copies = (self.step / self.stride).unsigned_abs();
                starts.push(at);
                lengths.push(copies);
                at += self.step;
                left -= copies;
            }
            starts.push(at);
            lengths.push(left);
        }
        (starts, lengths)
    }
}

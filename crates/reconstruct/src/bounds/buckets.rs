//! The least price of the buckets of an idxbuc over linked repeats, without knowing its stride.
//!
//! An idxbuc of stride v has one bucket, and one more for each difference of neighbouring copies
//! that is not v. The differences that are v are whole runs of equal differences, and never two
//! neighbouring runs. [`Buckets`] keeps that and forgets which value v is: the least over all such
//! choices of runs. ([`Strides`](super::strides::Strides) knows the values; here only runs are
//! known.)

/// Least prices of the differences so far, by what the last one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Buckets {
    /// The last difference is the stride.
    inside: u64,
    /// The last difference begins a bucket.
    between: u64,
}

impl Buckets {
    /// No differences yet, and no list.
    pub(super) const NONE: Buckets = Buckets { inside: u64::MAX, between: u64::MAX };

    /// One difference more, the `same` as the one before or another. A list that begins just
    /// before it has the price `open`; a new bucket costs `bucket`.
    pub(super) fn step(&mut self, same: bool, open: u64, bucket: u64) {
        let (inside, between) = match same {
            true => (self.inside, self.between),
            false => (self.between, self.between.min(self.inside)),
        };
        self.inside = inside.min(open);
        self.between = between.min(open).saturating_add(bucket);
    }

    /// `equal` differences more, equal to the last one, of lists that have it.
    pub(super) fn extend(&mut self, equal: u64, bucket: u64) {
        self.between = self.between.saturating_add(bucket.saturating_mul(equal));
    }

    /// The least price of a list that has the last difference.
    pub(super) fn least(self) -> u64 {
        self.inside.min(self.between)
    }

    /// The cheaper of two alternatives.
    pub(super) fn min(self, other: Buckets) -> Buckets {
        Buckets { inside: self.inside.min(other.inside), between: self.between.min(other.between) }
    }
}

//! Buckets at equal distances for one stride.
//!
//! A bucket begins at every *run* of steps d, at V_0, V_1, ..; let D_j = V_(j+1) - V_j. Buckets
//! may also begin inside run j, at V_j + s, V_j + 2s, .., V_(j+1) - s: then s = y d for a whole y
//! >= 1. So D_j = e_j s with e_j >= 1 buckets in run j; in the last run there may be any number.
//!
//! **Fewest buckets.** In the last run one is enough. If all D_j are equal, s = D_j (which may be
//! 0). Otherwise some e_j > 1, so s is a multiple of d and divides all D_j. A smaller s makes more
//! buckets, and the last one of run j, at V_(j+1) - s, begins farther back: past the end of the
//! run if with a larger s it does. So only the greatest s counts, g = gcd of all D_j, with their
//! sign. It fits iff all D_j and d have one sign, d divides g, and the step from the end of each
//! run to the next is at most g in that direction. (Where e_j = 1 it is, by D_j = g.) There are
//! (V_last - V_0) / s + 1 buckets.
//!
//! **Triangle.** A bucket that ends where the next one begins in its run has y = s/d copies. If
//! two do, delta is 0, all do, and there is but one run. So at most one run is cut, behind its
//! first y copies. Two readings are followed side by side: *uncut* so far, with D_j = s, and *cut*
//! in one run, with D_j = 2s there. (A cut in run 0 and one in run j cannot both be open: s = D_0
//! / 2 for the one, s = D_0 and D_j = 2s for the other, so that the first ended at D_j at the
//! latest.)

use super::shape::Shape;
use crate::prices::Prices;

/// The groups that fit the runs so far. Only the last one can still grow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Runs {
    stride: i64,
    /// Number of runs.
    runs: u64,
    /// Start of the first run.
    first: i64,
    /// Start of the last run, its copies, and the last of them.
    start: i64,
    copies: u64,
    last: Option<i64>,
    bucket: Option<Spacing>,
    uncut: Option<Reading>,
    cut: Option<Reading>,
}

/// The distances D_j.
#[derive(Debug, Clone, Copy)]
struct Spacing {
    /// D_0.
    first: i64,
    /// Whether all are D_0.
    equal: bool,
    /// Greatest common divisor.
    divisor: u64,
    /// The farthest step from the end of a run to the next, in the direction of the stride.
    farthest: u64,
}

/// The buckets that lie before the last run.
#[derive(Debug, Clone, Copy)]
struct Reading {
    step: i64,
    /// Copies of the last of them.
    copies: u64,
    /// How many more than the one before has; unknown of one bucket.
    change: Option<i128>,
}

impl Runs {
    /// One run.
    pub(super) fn new(stride: i64, first: i64, copies: u64) -> Runs {
        let last = end(first, copies, stride);
        let (bucket, uncut, cut) = (None, None, None);
        Runs { stride, runs: 1, first, start: first, copies, last, bucket, uncut, cut }
    }

    pub(super) fn stride(&self) -> i64 {
        self.stride
    }

    /// The next copy.
    pub(super) fn push(&mut self, start: i64) {
        if self.last.is_some_and(|last| start.checked_sub(last) == Some(self.stride)) {
            self.copies += 1;
            self.last = Some(start);
        } else if !self.is_over() {
            self.begin(start, 1);
        }
    }

    /// The next run.
    pub(super) fn begin(&mut self, start: i64, copies: u64) {
        let distance = start.checked_sub(self.start);
        let jump = self.last.and_then(|last| start.checked_sub(last));
        (self.bucket, self.uncut, self.cut) = match distance.zip(jump) {
            Some((distance, jump)) => {
                let (uncut, cut) = self.readings(distance);
                (self.spacing(distance, jump), uncut, cut)
            }
            None => (None, None, None),
        };
        self.runs += 1;
        (self.start, self.copies) = (start, copies);
        self.last = end(start, copies, self.stride);
    }

    /// Whether nothing fits, whatever follows.
    pub(super) fn is_over(&self) -> bool {
        self.runs > 1 && self.bucket.is_none() && self.uncut.is_none() && self.cut.is_none()
    }

    /// The cheapest shape that has a price, and its price without the child.
    pub(super) fn cheapest(&self, prices: &Prices) -> Option<(u64, Shape)> {
        let shape = |(step, buckets)| Shape { stride: self.stride, step, buckets };
        let bucket = self.fewest().and_then(|f| Some((prices.bucket(f.1)?, shape(f))));
        let price = prices.triangular();
        let triangle = price.and_then(|price| Some((price, shape(self.triangle()?))));
        bucket.into_iter().chain(triangle).min_by_key(|&(price, _)| price)
    }

    /// Distance and number of the fewest buckets.
    fn fewest(&self) -> Option<(i64, u64)> {
        if self.runs == 1 {
            return Some((0, 1));
        }
        let spacing = self.bucket?;
        if spacing.equal {
            return Some((spacing.first, self.runs));
        }
        let step = i64::try_from(spacing.divisor).ok()?.checked_mul(self.stride.signum())?;
        let way = self.start.checked_sub(self.first)?;
        Some((step, way.unsigned_abs() / spacing.divisor + 1))
    }

    /// Distance and number of the buckets of a triangle.
    fn triangle(&self) -> Option<(i64, u64)> {
        if self.runs == 1 {
            return Some((0, 1));
        }
        let uncut = self.uncut.filter(|u| u.next(self.copies).is_some()).map(|u| (u.step, 0));
        let cut = self.cut.filter(|c| c.next(self.copies).is_some()).map(|c| (c.step, 1));
        let last_cut = || {
            let uncut = self.uncut?;
            let (copies, rest) = self.cut_after(uncut.step)?;
            uncut.next(copies)?.next(rest).map(|_| (uncut.step, 1))
        };
        let (step, more) = uncut.or(cut).or_else(last_cut)?;
        Some((step, self.runs + more))
    }

    /// The distances with that of the run that ends here; `None` where nothing fits any more.
    fn spacing(&self, distance: i64, jump: i64) -> Option<Spacing> {
        let size = distance.unsigned_abs();
        let ahead = if jump.signum() == self.stride.signum() { jump.unsigned_abs() } else { 0 };
        if self.runs == 1 {
            let (first, divisor) = (distance, size);
            return Some(Spacing { first, equal: true, divisor, farthest: ahead });
        }
        let mut spacing = self.bucket?;
        spacing.farthest = spacing.farthest.max(ahead);
        if distance != spacing.first {
            spacing.equal = false;
            spacing.divisor = greatest_common_divisor(spacing.divisor, size);
        }
        let fits = || {
            let sign = self.stride.signum();
            let one_sign = sign != 0 && distance.signum() == sign && spacing.first.signum() == sign;
            one_sign
                && spacing.divisor.is_multiple_of(self.stride.unsigned_abs())
                && spacing.farthest <= spacing.divisor
        };
        (spacing.equal || fits()).then_some(spacing)
    }

    /// Both readings with the run that ends here.
    fn readings(&self, distance: i64) -> (Option<Reading>, Option<Reading>) {
        if self.runs == 1 {
            let (step, copies) = (distance, self.copies);
            let uncut = Reading { step, copies, change: None };
            let cut = self
                .halved(distance)
                .and_then(|(step, copies, rest)| Reading { step, copies, change: None }.next(rest));
            return (Some(uncut), cut);
        }
        let cut_before = self.cut.filter(|c| c.step == distance).and_then(|c| c.next(self.copies));
        let cut_here = || {
            let uncut = self.uncut?;
            let (step, copies, rest) = self.halved(distance)?;
            (uncut.step == step).then(|| uncut.next(copies)?.next(rest)).flatten()
        };
        let uncut = self.uncut.filter(|u| u.step == distance).and_then(|u| u.next(self.copies));
        (uncut, cut_before.or_else(cut_here))
    }

    /// The run that ends here as two buckets: their distance, and the copies of both.
    fn halved(&self, distance: i64) -> Option<(i64, u64, u64)> {
        let step = (distance % 2 == 0).then_some(distance / 2)?;
        let (copies, rest) = self.cut_after(step)?;
        Some((step, copies, rest))
    }

    /// The last run as two buckets `step` apart: the copies of both.
    fn cut_after(&self, step: i64) -> Option<(u64, u64)> {
        let whole = step.checked_rem(self.stride)? == 0;
        let copies = u64::try_from(step.checked_div(self.stride)?).ok()?;
        let rest = self.copies.checked_sub(copies)?;
        (whole && copies > 0 && rest > 0).then_some((copies, rest))
    }
}

impl Reading {
    /// With one bucket more, if that has the right number of copies.
    fn next(self, copies: u64) -> Option<Reading> {
        let change = i128::from(copies) - i128::from(self.copies);
        let fits = self.change.is_none_or(|known| known == change);
        fits.then_some(Reading { copies, change: Some(change), ..self })
    }
}

/// The last of some copies; `None` where it is out of range.
fn end(start: i64, copies: u64, stride: i64) -> Option<i64> {
    let steps = i64::try_from(copies.checked_sub(1)?).ok()?;
    start.checked_add(steps.checked_mul(stride)?)
}

fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

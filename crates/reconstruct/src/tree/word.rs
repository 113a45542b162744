//! Costs in the tables: 16 bits where they fit, so that one vector instruction handles many.

/// A cost that can be added to another without overflow.
pub(super) trait Word: Copy + Ord {
    /// Dearer than every cost in a table.
    const INFINITE: Self;
    /// Finite costs must not exceed this.
    const LIMIT: u64;

    /// A cost; infinite past the limit.
    fn of(cost: u64) -> Self;
    /// The cost; `u64::MAX` for infinite ones.
    fn cost(self) -> u64;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The least sum of corresponding entries.
    fn least_sum(a: &[Self], b: &[Self]) -> Self;
}

macro_rules! word {
    ($word:ty) => {
        impl Word for $word {
            // Two infinite costs still add up, and a sum with one infinite stays above the limit.
            const INFINITE: Self = <$word>::MAX / 2;
            #[allow(clippy::cast_sign_loss)] // positive
            const LIMIT: u64 = (<$word>::MAX / 2 - 1) as u64;

            fn of(cost: u64) -> Self {
                Self::try_from(cost).unwrap_or(Self::INFINITE).min(Self::INFINITE)
            }

            fn cost(self) -> u64 {
                let finite = u64::try_from(self).ok().filter(|&c| c <= Self::LIMIT);
                finite.unwrap_or(u64::MAX)
            }

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other).min(Self::INFINITE)
            }

            fn least_sum(a: &[Self], b: &[Self]) -> Self {
                a.iter().zip(b).fold(Self::INFINITE, |least, (x, y)| least.min(x.wrapping_add(*y)))
            }
        }
    };
}

word!(i16);
word!(i64);

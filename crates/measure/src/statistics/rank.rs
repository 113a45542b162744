//! Exact distributions of two rank statistics, for every number of observations.
//!
//! Both tests become intervals by the same argument (Hollander, Wolfe and Chicken, *Nonparametric
//! Statistical Methods*, sections 3.3 and 4.3): the interval's ends are the k-th smallest and the
//! k-th largest of all pairwise estimates, and an end is on the wrong side with the probability
//! that the statistic is below k.

use crate::float;

/// Which of the sorted estimates ends the interval, counted from 1 and from either side, and the
/// probability that this end lies on the wrong side of the true value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pub place: usize,
    pub error: f64,
}

/// The place in the Walsh averages of `n` pairs: the innermost that is wrong with at most
/// `max_error`; the outermost where even that is wrong more often. O(n^3) time.
pub fn signed_ranks(n: usize, max_error: f64) -> Place {
    innermost(&signed_rank_probabilities(n), max_error)
}

/// The same for the differences of `m` and `n` observations without partners. O(m^2 n^2) time.
pub fn rank_sums(m: usize, n: usize, max_error: f64) -> Place {
    innermost(&rank_sum_probabilities(m, n), max_error)
}

fn innermost(probabilities: &[f64], max_error: f64) -> Place {
    // So that a level that is met exactly is met after rounding too.
    let allowed = max_error * (1.0 + 1e-9);
    let mut best = Place { place: 1, error: probabilities.first().copied().unwrap_or(1.0) };
    let mut sum = 0.0;
    for (k, p) in probabilities.iter().enumerate() {
        sum += p;
        if sum > allowed {
            break;
        }
        best = Place { place: k + 1, error: sum };
    }
    best
}

/// Probability of each sum of the ranks with positive sign, where every sign is a fair coin.
fn signed_rank_probabilities(n: usize) -> Vec<f64> {
    let mut of = vec![1.0];
    for rank in 1..=n {
        let mut next = vec![0.0; of.len() + rank];
        for (sum, p) in of.iter().enumerate() {
            next[sum] += p / 2.0;
            next[sum + rank] += p / 2.0;
        }
        of = next;
    }
    of
}

/// Probability of each number of pairs (x, y) with y < x, where all orders of the m x and n y are
/// equally likely.
fn rank_sum_probabilities(m: usize, n: usize) -> Vec<f64> {
    // of[y]: the distribution for so many x (the outer loop) and y. The largest observation is an
    // x, then it is above all y, or it is a y.
    let mut of: Vec<Vec<f64>> = vec![vec![1.0]; n + 1];
    for x in 1..=m {
        let mut next: Vec<Vec<f64>> = vec![vec![1.0]];
        for y in 1..=n {
            let mut p = vec![0.0; x * y + 1];
            let share = float(x) / float(x + y);
            for (u, q) in of[y].iter().enumerate() {
                p[u + y] += q * share;
            }
            for (u, q) in next[y - 1].iter().enumerate() {
                p[u] += q * (1.0 - share);
            }
            next.push(p);
        }
        of = next;
    }
    of.pop().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By going through all signs.
    fn signed_ranks_by_counting(n: usize) -> Vec<f64> {
        let mut counts = vec![0.0; n * (n + 1) / 2 + 1];
        for signs in 0..1_u32 << n {
            let sum: usize = (1..=n).filter(|rank| signs >> (rank - 1) & 1 == 1).sum();
            counts[sum] += f64::from(1.0_f32) / f64::from(1_u32 << n);
        }
        counts
    }

    /// By going through all orders.
    fn rank_sums_by_counting(m: usize, n: usize) -> Vec<f64> {
        let mut counts = vec![0.0; m * n + 1];
        let mut orders = 0.0;
        for order in (0..1_u32 << (m + n)).filter(|order| order.count_ones() as usize == m) {
            let is_x = |place: usize| order >> place & 1 == 1;
            let below = |x: usize| (0..x).filter(|&y| !is_x(y)).count();
            let pairs: usize = (0..m + n).filter(|&x| is_x(x)).map(below).sum();
            counts[pairs] += 1.0;
            orders += 1.0;
        }
        counts.iter().map(|count| count / orders).collect()
    }

    fn assert_equal(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12), "{a:?} {b:?}");
    }

    #[test]
    fn distributions_equal_those_by_counting() {
        for n in 0..=8 {
            assert_equal(&signed_rank_probabilities(n), &signed_ranks_by_counting(n));
        }
        for (m, n) in [(0, 3), (3, 0), (1, 1), (2, 5), (5, 2), (4, 4), (3, 6)] {
            assert_equal(&rank_sum_probabilities(m, n), &rank_sums_by_counting(m, n));
        }
    }

    #[test]
    fn places_equal_the_tables_of_the_tests() {
        // Critical values of Wilcoxon's tests, one-sided 5 %: n = 5, 6, 8, 10 and (3, 3), (5, 5),
        // (8, 6).
        let signed = [5, 6, 8, 10].map(|n| signed_ranks(n, 0.05).place - 1);
        assert_eq!(signed, [0, 2, 5, 10]);
        let sums = [(3, 3), (5, 5), (8, 6)].map(|(m, n)| rank_sums(m, n, 0.05).place - 1);
        assert_eq!(sums, [0, 4, 10]);
        assert_eq!(signed_ranks(5, 1.0 / 32.0), Place { place: 1, error: 1.0 / 32.0 });
    }

    #[test]
    fn too_few_observations_say_how_wrong_the_outermost_place_is() {
        assert_eq!(signed_ranks(2, 0.05), Place { place: 1, error: 0.25 });
        assert_eq!(signed_ranks(0, 0.05).error, 1.0);
        assert_eq!(rank_sums(1, 1, 0.05), Place { place: 1, error: 0.5 });
    }
}

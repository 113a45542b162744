//! Non-negative least squares with few unknowns.

/// Constants that explain the times.
#[derive(Debug, Clone)]
pub struct Fit {
    /// Constants, none negative, in the unit of the times.
    pub values: Vec<f64>,
    /// Standard errors of the constants; 0 for those that are 0.
    pub errors: Vec<f64>,
    /// (predicted - measured) / measured, row by row.
    pub residuals: Vec<f64>,
    /// Share of the variance of the times that is explained.
    pub r_squared: f64,
}

/// Most unknowns: all their subsets are tried.
const MOST: usize = 12;

/// The constants, none negative, with the least sum of squared relative errors of
/// `rows * constants` against `times`, which are positive. `None` where the rows do not determine
/// anything.
///
/// The optimum is the ordinary least-squares solution on the set of its positive constants, so it
/// is found by solving on every subset of the unknowns and keeping the best solution without
/// negative ones: O(2^k k^3), nothing for k = 9, and simpler than an active-set method.
pub fn fit(rows: &[Vec<f64>], times: &[f64]) -> Option<Fit> {
    let unknowns = rows.first()?.len();
    if unknowns > MOST || times.iter().any(|&t| t.is_nan() || t <= 0.0) {
        return None;
    }
    // Relative errors: every row is divided by its time, every time becomes 1. Columns have norm
    // 1.
    let relative: Vec<Vec<f64>> =
        rows.iter().zip(times).map(|(row, time)| row.iter().map(|x| x / time).collect()).collect();
    let norms: Vec<f64> = (0..unknowns)
        .map(|k| relative.iter().map(|row| row[k] * row[k]).sum::<f64>().sqrt())
        .collect();
    let dot = |f: &dyn Fn(&[f64]) -> f64| relative.iter().map(|row| f(row)).sum::<f64>();
    let gram: Vec<Vec<f64>> = (0..unknowns)
        .map(|i| {
            (0..unknowns).map(|j| dot(&|row| row[i] * row[j]) / (norms[i] * norms[j])).collect()
        })
        .collect();
    let right: Vec<f64> = (0..unknowns).map(|i| dot(&|row| row[i]) / norms[i]).collect();

    let best = (1..1usize << unknowns)
        .filter_map(|subset| {
            let chosen: Vec<usize> = (0..unknowns).filter(|k| subset >> k & 1 == 1).collect();
            let inverse = inverse(&gram, &chosen)?;
            let solution: Vec<f64> = inverse
                .iter()
                .map(|row| row.iter().zip(&chosen).map(|(x, &k)| x * right[k]).sum())
                .collect();
            // At the least-squares solution the squared error is |1|^2 - right * solution.
            let gain: f64 = solution.iter().zip(&chosen).map(|(x, &k)| x * right[k]).sum();
            (solution.iter().all(|&x| x >= 0.0)).then_some((gain, chosen, solution, inverse))
        })
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    let (_, chosen, solution, inverse) = best;

    let mut values = vec![0.0; unknowns];
    for (&k, x) in chosen.iter().zip(&solution) {
        values[k] = x / norms[k];
    }
    let predicted = |row: &Vec<f64>| row.iter().zip(&values).map(|(x, v)| x * v).sum::<f64>();
    let residuals: Vec<f64> = relative.iter().map(|row| predicted(row) - 1.0).collect();
    let free = u32::try_from(rows.len().saturating_sub(chosen.len()).max(1)).ok()?;
    let variance = residuals.iter().map(|r| r * r).sum::<f64>() / f64::from(free);
    let mut errors = vec![0.0; unknowns];
    for (place, &k) in chosen.iter().enumerate() {
        errors[k] = (variance * inverse[place][place].max(0.0)).sqrt() / norms[k];
    }
    let r_squared = r_squared(&rows.iter().map(predicted).collect::<Vec<f64>>(), times);
    Some(Fit { values, errors, residuals, r_squared })
}

fn r_squared(predicted: &[f64], times: &[f64]) -> f64 {
    let n = f64::from(u32::try_from(times.len()).unwrap_or(u32::MAX));
    let mean = times.iter().sum::<f64>() / n;
    let around = |center: &dyn Fn(usize) -> f64| {
        times.iter().enumerate().map(|(k, t)| (t - center(k)) * (t - center(k))).sum::<f64>()
    };
    1.0 - around(&|k| predicted[k]) / around(&|_| mean).max(f64::MIN_POSITIVE)
}

/// The inverse of the rows and columns `chosen` of a symmetric matrix with a diagonal of ones, by
/// Gauss-Jordan elimination; `None` where it is singular.
fn inverse(matrix: &[Vec<f64>], chosen: &[usize]) -> Option<Vec<Vec<f64>>> {
    const SINGULAR: f64 = 1e-10;
    let n = chosen.len();
    let mut left: Vec<Vec<f64>> =
        chosen.iter().map(|&i| chosen.iter().map(|&j| matrix[i][j]).collect()).collect();
    let mut right: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect()).collect();
    for column in 0..n {
        let pivot =
            (column..n).max_by(|&a, &b| left[a][column].abs().total_cmp(&left[b][column].abs()))?;
        let head = left[pivot][column];
        if head.is_nan() || head.abs() < SINGULAR {
            return None;
        }
        left.swap(column, pivot);
        right.swap(column, pivot);
        for row in [&mut left[column], &mut right[column]] {
            row.iter_mut().for_each(|x| *x /= head);
        }
        for other in (0..n).filter(|&o| o != column) {
            let factor = left[other][column];
            for side in [&mut left, &mut right] {
                let pivot_row = side[column].clone();
                side[other].iter_mut().zip(pivot_row).for_each(|(x, p)| *x -= factor * p);
            }
        }
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_testkit::check;

    fn random(rng: &mut commloom_testkit::Rng) -> f64 {
        f64::from(rng.u32(0..1000)) / 100.0
    }

    #[test]
    fn exact_data_give_exact_constants() {
        check(200, |rng| {
            let constants: Vec<f64> = (0..4).map(|_| random(rng)).collect();
            let rows: Vec<Vec<f64>> =
                (0..20).map(|_| (0..4).map(|_| 0.1 + random(rng)).collect()).collect();
            let time = |row: &Vec<f64>| row.iter().zip(&constants).map(|(x, c)| x * c).sum::<f64>();
            let times: Vec<f64> = rows.iter().map(time).collect();
            if times.iter().any(|&t| t <= 0.0) {
                return;
            }
            let found = fit(&rows, &times).unwrap();
            for (found, given) in found.values.iter().zip(&constants) {
                assert!((found - given).abs() < 1e-4, "{found} {given}");
            }
            assert!(found.r_squared > 0.9999);
        });
    }

    /// No small move of one constant that keeps it non-negative lowers the error.
    #[test]
    fn noisy_data_give_an_optimum() {
        check(200, |rng| {
            let rows: Vec<Vec<f64>> =
                (0..15).map(|_| (0..5).map(|_| random(rng)).collect()).collect();
            let times: Vec<f64> = (0..15).map(|_| 1.0 + random(rng)).collect();
            let error = |constants: &[f64]| {
                let predicted =
                    |row: &Vec<f64>| row.iter().zip(constants).map(|(x, c)| x * c).sum::<f64>();
                rows.iter().zip(&times).map(|(r, t)| (predicted(r) / t - 1.0).powi(2)).sum::<f64>()
            };
            let found = fit(&rows, &times).unwrap().values;
            let least = error(&found);
            for k in 0..found.len() {
                for step in [1e-3, -1e-3] {
                    let mut moved = found.clone();
                    moved[k] = (moved[k] + step).max(0.0);
                    assert!(error(&moved) >= least - 1e-9, "{found:?} {moved:?}");
                }
            }
        });
    }

    #[test]
    fn data_that_determine_nothing_give_nothing() {
        assert!(fit(&[], &[]).is_none());
        assert!(fit(&[vec![1.0]], &[0.0]).is_none());
        assert!(fit(&[vec![0.0, 0.0]], &[1.0]).is_none());
        // Two columns that are the same: one of them is enough.
        let found = fit(&[vec![1.0, 1.0], vec![2.0, 2.0]], &[3.0, 6.0]).unwrap();
        assert!((found.values.iter().sum::<f64>() - 3.0).abs() < 1e-9);
    }
}

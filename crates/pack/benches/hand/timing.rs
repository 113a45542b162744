//! Interleaved rounds: ratios are taken inside a round, so that a drifting clock cancels.

use std::time::Instant;

const ROUNDS: usize = 15;

/// Median nanoseconds of the first, and median of each other's time divided by the first's in the
/// same round. Each gets enough calls for about 100 us.
pub fn rounds<const N: usize>(calls: [&dyn Fn(); N], bytes: usize) -> [f64; N] {
    let repeats = (1_000_000 / bytes).clamp(1, 300);
    let mut samples: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
    for round in 0..=ROUNDS {
        let times = calls.map(|call| sample(call, repeats));
        // The first round warms caches and clocks up.
        if round > 0 {
            for (i, time) in times.into_iter().enumerate() {
                samples[i].push(if i == 0 { time } else { time / times[0] });
            }
        }
    }
    samples.map(median)
}

/// Median nanoseconds of one call; `repeats` calls make a sample.
pub fn single(call: &dyn Fn(), repeats: usize) -> f64 {
    median((0..ROUNDS).map(|_| sample(call, repeats)).collect())
}

fn sample(call: &dyn Fn(), repeats: usize) -> f64 {
    let start = Instant::now();
    for _ in 0..repeats {
        call();
    }
    start.elapsed().as_secs_f64() * 1e9 / repeats as f64
}

fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

//! Families that are sequences of steps: words over few step lengths, and random steps.

use super::numbers::{int, spread};
use crate::random::Rng;

/// The elements that these steps lead to from 0: one more than there are steps.
fn walk(steps: impl IntoIterator<Item = i64>) -> Vec<i64> {
    let mut at = 0;
    let mut layout = vec![0];
    layout.extend(steps.into_iter().map(|step| {
        at += step;
        at
    }));
    layout
}

/// Two different steps.
fn two_steps(rng: &mut Rng) -> [i64; 2] {
    let first = rng.i64(1..9);
    [first, first + rng.i64(1..9)]
}

pub(super) fn fibonacci(rng: &mut Rng, n: usize) -> Vec<i64> {
    let [a, b] = two_steps(rng);
    let (mut last, mut word) = (vec![a], vec![a, b]);
    while word.len() < n {
        let next = [word.as_slice(), last.as_slice()].concat();
        last = std::mem::replace(&mut word, next);
    }
    walk(word.into_iter().take(n - 1))
}

pub(super) fn thue_morse(rng: &mut Rng, n: usize) -> Vec<i64> {
    let steps = two_steps(rng);
    walk((0..n - 1).map(|t| steps[usize::from(t.count_ones() % 2 == 1)]))
}

pub(super) fn noisy_period(rng: &mut Rng, n: usize) -> Vec<i64> {
    let period = spread(rng, 1, (n / 4).max(1));
    let letters = rng.i64(2..6);
    let steps: Vec<i64> = (0..period).map(|_| 1 + 3 * rng.i64(0..letters)).collect();
    let calm = spread(rng, 16, n);
    let mut noise = Rng::with_seed(rng.u64(..));
    walk((0..n - 1).map(|t| {
        let step = steps[t % period];
        if noise.usize(0..calm) == 0 { step + noise.i64(1..4) } else { step }
    }))
}

pub(super) fn random(rng: &mut Rng, n: usize) -> Vec<i64> {
    match rng.u32(0..3) {
        0 => (0..n).map(|_| rng.i64(0..4 * int(n))).collect(),
        1 => walk((1..n).map(|_| rng.i64(1..100))),
        _ => walk((1..n).map(|_| rng.i64(-9..30))),
    }
}

pub(super) fn sparse_runs(rng: &mut Rng, n: usize) -> Vec<i64> {
    let (longest, widest) = (rng.usize(2..12), rng.i64(2..40));
    let (mut layout, mut at) = (Vec::with_capacity(n), 0);
    while layout.len() < n {
        let run = rng.usize(1..=longest).min(n - layout.len());
        layout.extend((at..).take(run));
        at += int(run) + rng.i64(1..=widest);
    }
    layout
}

pub(super) fn motifs(rng: &mut Rng, n: usize) -> Vec<i64> {
    let motif = |rng: &mut Rng| -> Vec<i64> {
        let steps = rng.usize(1..7);
        (0..steps).map(|_| rng.i64(1..12)).collect()
    };
    let motifs: Vec<Vec<i64>> = (0..rng.usize(2..5)).map(|_| motif(rng)).collect();
    let longest = if rng.bool() { 1 } else { spread(rng, 2, (n / 8).max(2)) };
    let mut steps = Vec::with_capacity(n);
    while steps.len() < n {
        let motif = &motifs[rng.usize(0..motifs.len())];
        for _ in 0..rng.usize(1..=longest).min(n) {
            steps.extend_from_slice(motif);
        }
    }
    walk(steps.into_iter().take(n - 1))
}

//! How long the large method takes, by family.

use std::time::Instant;

use commloom_layout::{Basic, CostModel};
use commloom_reconstruct::{Budget, Reconstruction, reconstruct_large};
use commloom_testkit::Rng;
use commloom_testkit::random::{Shape, large_layout};

/// One run.
pub struct Timed {
    pub seed: u64,
    pub n: usize,
    pub seconds: f64,
    pub cost: u64,
    pub lower_bound: u64,
    pub complete: bool,
}

/// The runs of a family, the slowest first.
pub struct Family {
    pub shape: Shape,
    pub runs: Vec<Timed>,
}

/// One layout of about `n` elements, solved with the default budget. One run: the differences
/// between families are far above the noise.
fn time(shape: Shape, seed: u64, n: usize) -> Timed {
    let layout = large_layout(&mut Rng::with_seed(seed), shape, n);
    let (model, budget) = (CostModel::default(), Budget::default());
    let begin = Instant::now();
    let found = reconstruct_large(&layout, Basic::CHAR, &model, &budget);
    let seconds = begin.elapsed().as_secs_f64();
    let found = found.expect("the numbers are small");
    assert!(found.ty.type_map().map(|e| e.displacement).eq(layout.iter().copied()));
    let Reconstruction { cost, lower_bound, complete, .. } = found;
    Timed { seed, n: layout.len(), seconds, cost, lower_bound, complete }
}

/// `layouts` layouts of about `n` elements of every family, with different seeds.
pub fn all(n: usize, layouts: u64) -> Vec<Family> {
    let family = |(first_seed, shape): (u64, Shape)| {
        let seeds = (0..layouts).map(|k| 20 * k + first_seed);
        let mut runs: Vec<Timed> = seeds.map(|seed| time(shape, seed, n)).collect();
        runs.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        eprintln!("n = {n}, {}: {:.2} s", shape.name(), runs[0].seconds);
        Family { shape, runs }
    };
    (0..).zip(Shape::ALL).map(family).collect()
}

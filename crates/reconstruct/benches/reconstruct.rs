//! Reconstruction against one pass that sums the sequence. Results are verified before they are
//! timed: the type must flatten to the sequence. `cargo bench -p commloom-reconstruct --bench
//! reconstruct`; the bench `ratios` divides by the sum and writes the report.
#![allow(missing_docs)]

mod cases;

use cases::{CASES, Case};
use commloom_layout::{Basic, CostModel};
use commloom_reconstruct::{Constructors, reconstruct};
use divan::{Bencher, black_box};

/// 14,414,400 has 504 divisors.
const LENGTHS: [i64; 4] = [10_000, 1_000_000, 14_414_400, 1 << 24];

fn main() {
    divan::main();
}

fn all() -> impl Iterator<Item = Input> {
    CASES.iter().flat_map(|case| LENGTHS.map(|n| Input { case: *case, n }))
}

fn of_trees() -> impl Iterator<Item = Input> {
    all().filter(|input| input.n <= 1_000_000 || input.case.regular)
}

#[derive(Clone, Copy)]
struct Input {
    case: Case,
    n: i64,
}

impl std::fmt::Display for Input {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.case.name, self.n)
    }
}

fn run(bencher: Bencher<'_, '_>, input: &Input, set: Constructors) {
    let starts = (input.case.make)(input.n);
    let model = CostModel::default();
    let solve = || reconstruct(&starts, Basic::CHAR, set, &model).expect("the cases are valid");
    let found = solve();
    let flat = found.ty.type_map().map(|e| e.displacement);
    assert!(flat.eq(starts.iter().copied()), "{input}: another layout");
    bencher.bench(|| black_box(solve()));
}

#[divan::bench(args = all())]
fn sum(bencher: Bencher<'_, '_>, input: &Input) {
    let starts = (input.case.make)(input.n);
    bencher.bench(|| black_box(&starts).iter().fold(0i64, |a, b| a.wrapping_add(*b)));
}

#[divan::bench(args = all())]
fn basic(bencher: Bencher<'_, '_>, input: &Input) {
    run(bencher, input, Constructors::Basic);
}

#[divan::bench(args = all())]
fn extended(bencher: Bencher<'_, '_>, input: &Input) {
    run(bencher, input, Constructors::Extended);
}

#[divan::bench(args = of_trees())]
fn tree(bencher: Bencher<'_, '_>, input: &Input) {
    run(bencher, input, Constructors::Tree);
}

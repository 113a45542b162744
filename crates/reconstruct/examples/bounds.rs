//! Measures the proven lower bound: the table of `book/src/explanation/lower-bounds.md`.
//!
//! `bounds [CASES] [LENGTH]...`: random layouts of each family up to 256 elements against the
//! optimum, and large ones of these lengths against the cost that was found.
#![allow(missing_docs)]

use std::collections::BTreeMap;

use commloom_layout::{Basic, CostModel};
use commloom_reconstruct::{Budget, Constructors, reconstruct, reconstruct_large};
use commloom_testkit::Rng;
use commloom_testkit::random::{Blemish, Shape, large_layout, random_layout};

/// Large layouts of each family and length.
const LARGE: u64 = 6;

fn main() {
    let numbers: Vec<u64> =
        std::env::args().skip(1).map(|a| a.parse().expect("numbers only")).collect();
    let cases = numbers.first().copied().unwrap_or(500);
    let lengths = match numbers.get(1..) {
        None | Some([]) => vec![10_000, 100_000, 1_000_000],
        Some(given) => given.to_vec(),
    };
    let mut columns: Vec<BTreeMap<Shape, Ratios>> = vec![small(cases)];
    columns.extend(lengths.iter().map(|&n| large(n)));
    print!("| family | n <= 256 | tight % | least |");
    lengths.iter().for_each(|n| print!(" n = {n} | tight % |"));
    println!("\n|---|---|---|---|{}", "---|---|".repeat(lengths.len()));
    for shape in Shape::ALL {
        let all = columns.iter().map(|column| column[&shape].clone());
        line(shape.name(), &all.collect::<Vec<Ratios>>());
    }
    let structured = columns.iter().map(|column| {
        let all = column.iter().filter(|(shape, _)| shape.is_structured());
        Ratios(all.flat_map(|(_, ratios)| ratios.0.clone()).collect())
    });
    line("**structured**", &structured.collect::<Vec<Ratios>>());
}

/// Bound / cost of every case.
#[derive(Clone, Default)]
struct Ratios(Vec<f64>);

#[allow(clippy::cast_precision_loss)] // a few digits are printed
impl Ratios {
    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    fn tight(&self) -> f64 {
        let tight = self.0.iter().filter(|&&ratio| ratio >= 1.0).count();
        100.0 * tight as f64 / self.0.len() as f64
    }

    fn least(&self) -> f64 {
        self.0.iter().copied().fold(1.0, f64::min)
    }

    fn push(&mut self, bound: u64, cost: u64) {
        assert!(bound <= cost);
        self.0.push(bound as f64 / cost as f64);
    }
}

fn line(name: &str, columns: &[Ratios]) {
    let [small, large @ ..] = columns else { return };
    print!("| {name} | {:.3} | {:.0} | {:.2} |", small.mean(), small.tight(), small.least());
    large.iter().for_each(|r| print!(" {:.3} | {:.0} |", r.mean(), r.tight()));
    println!();
}

fn small(cases: u64) -> BTreeMap<Shape, Ratios> {
    each_shape(cases, |rng, seed, shape| {
        let blemishes = u64::try_from(Blemish::ALL.len()).expect("few");
        let blemish = Blemish::ALL[usize::try_from(seed % blemishes).expect("few")];
        let starts = random_layout(rng, shape, blemish, 256);
        let model = CostModel::default();
        let exact = reconstruct(&starts, Basic::CHAR, Constructors::Tree, &model);
        (bound(&starts).0, exact.expect("small numbers").cost)
    })
}

fn large(n: u64) -> BTreeMap<Shape, Ratios> {
    let n = usize::try_from(n).expect("it fits in memory");
    each_shape(LARGE, |rng, _, shape| bound(&large_layout(rng, shape, n)))
}

/// The bound and the cost of so many cases of each family.
fn each_shape(
    cases: u64,
    case: impl Fn(&mut Rng, u64, Shape) -> (u64, u64),
) -> BTreeMap<Shape, Ratios> {
    let ratios = |shape| {
        let mut ratios = Ratios::default();
        for seed in 0..cases {
            let (bound, cost) = case(&mut Rng::with_seed(seed), seed, shape);
            ratios.push(bound, cost);
        }
        (shape, ratios)
    };
    Shape::ALL.into_iter().map(ratios).collect()
}

/// The bound, and the cost that was found.
fn bound(starts: &[i64]) -> (u64, u64) {
    let found = reconstruct_large(starts, Basic::CHAR, &CostModel::default(), &Budget::default());
    let found = found.expect("small numbers");
    (found.lower_bound, found.cost)
}

//! The layouts of the expectation tests, in the sizes of the paper.

use commloom_layout::Type;
use commloom_reconstruct::{Budget, Constructors, EXACT_TREE_LIMIT};
use commloom_testkit::corpus;
use commloom_testkit::random::{alternating_repeated, row_and_column, two_tiled};

use crate::measure::{large, optimum};

/// The result for one layout.
pub struct Expected {
    pub name: String,
    pub n: usize,
    pub found: u64,
    pub lower_bound: u64,
    /// Cost of the optimal tree of this layout, or, where it is too long, of the same with smaller
    /// parameters (and then `scaled`).
    pub optimum: u64,
    pub scaled: bool,
    pub ty: Type,
}

impl Expected {
    fn new(name: String, layout: &[i64], smaller: &[i64]) -> Expected {
        let found = large(layout, &Budget::default());
        let scaled = layout.len() > EXACT_TREE_LIMIT;
        let solved = if scaled { smaller } else { layout };
        Expected {
            name,
            n: layout.len(),
            found: found.cost,
            lower_bound: found.lower_bound,
            optimum: optimum(solved, Constructors::Tree),
            scaled,
            ty: found.ty,
        }
    }
}

/// Expectation tests 5, 10 and 11.
pub fn all() -> Vec<Expected> {
    let mut all = Vec::new();
    for elements in [800, 640_000] {
        for a in [2, 10, 100, 1000, 1024, 10_000] {
            if a < elements {
                all.push(tiled(elements, a));
                all.push(alternating(elements, a));
            }
        }
    }
    for n in [100, 10_240] {
        for a in [2, 10, 100, 128, 512, 1000, 1024, 5000, 10_000] {
            if a < n {
                all.push(rows(n, a));
            }
        }
    }
    all.sort_by_key(|expected| expected.name.len());
    all
}

fn tiled(elements: usize, a: usize) -> Expected {
    let layout = |blocks: usize, a: usize| two_tiled(blocks * a, a, signed(a) + 2, signed(a) + 2);
    let blocks = elements / a;
    let name = format!("5: two tiled parts, A = {a}");
    Expected::new(name, &layout(blocks, a), &layout(blocks.min(40), a.min(40)))
}

fn alternating(elements: usize, a: usize) -> Expected {
    let layout = |units: usize, a: usize| alternating_repeated(units, a - 1, a + 1, signed(a) + 1);
    let units = (elements / (2 * a)).max(1);
    let name = format!("10: alternating, A = {a}");
    Expected::new(name, &layout(units, a), &layout(units.min(20), a.min(40)))
}

fn rows(n: usize, a: usize) -> Expected {
    let layout = |rest: usize, a: usize| row_and_column(a + rest, a);
    let name = format!("11: row and column, A = {a}");
    Expected::new(name, &layout(n - a, a), &layout((n - a).min(900), a.min(900)))
}

fn signed(a: usize) -> i64 {
    i64::try_from(a).expect("small")
}

/// The layouts of the corpus, flattened: how many there are, and the names of those for which the
/// tree of the large method, on its own, is not optimal.
pub fn corpus() -> (usize, Vec<String>) {
    let (mut solved, mut missed) = (0, Vec::new());
    for named in corpus::all(240) {
        let layout: Vec<i64> = named.ty.type_map().map(|entry| entry.displacement).collect();
        if layout.is_empty() || layout.len() > EXACT_TREE_LIMIT {
            continue;
        }
        solved += 1;
        let found = large(&layout, &crate::measure::ON_ITS_OWN).cost;
        let optimum = optimum(&layout, Constructors::Tree);
        if found != optimum {
            missed.push(format!("{} ({found}, optimum {optimum})", named.name));
        }
    }
    (solved, missed)
}

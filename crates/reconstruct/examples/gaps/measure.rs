//! The large method on its own against the exact one: random layouts, each solved by both.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use commloom_layout::{Basic, CostModel, Type};
use commloom_reconstruct::{
    Budget, Constructors, EXACT_TREE_LIMIT, Reconstruction, reconstruct, reconstruct_large,
};
use commloom_testkit::Rng;
use commloom_testkit::random::{Blemish, Shape, random_layout};

/// Most elements of a layout.
pub const MOST: usize = 256;

/// So many tokens at most go to the exact programme: the large method is on its own.
pub const ON_ITS_OWN: Budget = Budget { exact: 40, ..Budget::DEFAULT };

/// A layout by the number that it is drawn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case {
    pub seed: u64,
    pub shape: Shape,
    pub blemish: Blemish,
}

impl Case {
    /// All families in turn, and all blemishes in turn.
    pub fn of(seed: u64) -> Case {
        let pick = |of: usize, n: u64| usize::try_from(n).expect("a few thousand") % of;
        Case {
            seed,
            shape: Shape::ALL[pick(Shape::ALL.len(), seed)],
            blemish: Blemish::ALL[pick(Blemish::ALL.len(), seed / 20)],
        }
    }

    pub fn layout(self) -> Vec<i64> {
        random_layout(&mut Rng::with_seed(self.seed), self.shape, self.blemish, MOST)
    }
}

/// The results of both methods for a case.
#[derive(Debug, Clone)]
pub struct Measured {
    pub case: Case,
    /// Elements.
    pub n: usize,
    /// The cost that the large method found.
    pub found: u64,
    /// The cost that no tree can be below, by the large method.
    pub lower_bound: u64,
    /// Cost of the optimal tree.
    pub optimum: u64,
    /// Cost of the trivial answer: the optimal extended path, which is never above the plain list.
    pub trivial: u64,
}

impl Measured {
    pub fn is_optimal(&self) -> bool {
        self.found == self.optimum
    }

    /// Whether there is something to find: the optimum is below 0.9 of the trivial answer.
    pub fn is_hard(&self) -> bool {
        10 * self.optimum < 9 * self.trivial
    }

    /// The excess cost of the result, as a part of the optimum.
    pub fn gap(&self) -> f64 {
        ratio(self.found, self.optimum) - 1.0
    }

    pub fn bound_by_cost(&self) -> f64 {
        ratio(self.lower_bound, self.found)
    }
}

/// A quotient of costs.
pub fn ratio(a: u64, b: u64) -> f64 {
    let small = |cost: u64| f64::from(u32::try_from(cost).expect("costs are below 2^32"));
    small(a) / small(b)
}

/// The tree of the large method, with what it claims of itself checked.
pub fn large(layout: &[i64], budget: &Budget) -> Reconstruction {
    let model = CostModel::default();
    let found =
        reconstruct_large(layout, Basic::CHAR, &model, budget).expect("the numbers are small");
    assert!(describes(&found.ty, layout), "the result is another layout");
    assert_eq!(model.cost(&found.ty), found.cost, "the cost was added up wrongly");
    assert!(found.lower_bound <= found.cost, "the bound is above the cost");
    found
}

/// Whether the type map of `ty` is `layout`.
fn describes(ty: &Type, layout: &[i64]) -> bool {
    ty.type_map().map(|entry| entry.displacement).eq(layout.iter().copied())
}

/// The cost of the cheapest type of a set, exactly.
pub fn optimum(layout: &[i64], set: Constructors) -> u64 {
    assert!(set < Constructors::Tree || layout.len() <= EXACT_TREE_LIMIT);
    let found = reconstruct(layout, Basic::CHAR, set, &CostModel::default());
    let found = found.expect("the numbers are small");
    assert!(found.exact);
    found.cost
}

/// Both methods on one case.
///
/// Panics where the large method is wrong: another layout, a cost below the optimum, a lower bound
/// above it.
pub fn measure(case: Case) -> Measured {
    let layout = case.layout();
    let found = large(&layout, &ON_ITS_OWN);
    let optimum_of = |set| optimum(&layout, set);
    let (optimum, trivial) = (optimum_of(Constructors::Tree), optimum_of(Constructors::Extended));
    assert!(found.cost >= optimum, "{case:?}: {} is below the optimum {optimum}", found.cost);
    let bound = found.lower_bound;
    assert!(bound <= optimum, "{case:?}: lower bound {bound}, optimum {optimum}");
    let n = layout.len();
    Measured { case, n, found: found.cost, lower_bound: bound, optimum, trivial }
}

/// The cases with these seeds, on all cores; in the order of the seeds.
pub fn measure_all(seeds: Range<u64>) -> Vec<Measured> {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut measured = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return measured;
            }
            measured.push(measure(Case::of(seed)));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut all: Vec<Measured> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a case failed")).collect()
    });
    all.sort_by_key(|measured| measured.case.seed);
    all
}

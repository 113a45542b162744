//! The constants of the cost model, measured with the `MPI_Pack` of one MPI library.
//!
//! ```text
//! family ─► child (another process: opens the library, times every layout) ─► times
//!        └─► terms ───────────────────────────────────────────────────────────┴─► fit ─► file
//! ```
//!
//! # The model
//! The time of one `MPI_Pack` of one element is taken to be
//!
//! ```text
//! call + gaps (if there are any) + byte * bytes + block * runs of adjacent bytes
//!      + leaf, vec, idx, idxbuc, strc for every node of the tree + lookup for every list entry
//! ```
//!
//! which is the cost of [`CostModel`](commloom_layout::CostModel) plus what every description of
//! the same bytes pays alike: the first four terms do not matter for which description is
//! cheapest, but have to be told apart from those that do. (`gaps`: libraries have a short way for
//! what is one run of bytes; in MPICH the first gap costs more than all nodes of a type.) The
//! layouts of [`family`] differ in one of them at a time: lists of different lengths over the same
//! number of blocks, nests over the same blocks, blocks of different sizes. All are packed in
//! turn, many times ([`child`]), and the constants are the non-negative least squares of the
//! relative errors ([`fit`]). They are divided by `lookup`, or where that cannot be measured by a
//! hundredth of the average node, and rounded to whole numbers of at least 1.
//!
//! # What it cannot say
//! - A node counts once, however often its parent repeats it; in the libraries an inner node may
//!   be entered once per repetition. The layouts are small (at most four repetitions of an inner
//!   node), so the constants are those of small types, of which a program has many.
//! - Libraries rewrite types when they are committed, so that two descriptions of one layout may
//!   run the same code. Then the constants are small and equal, which is the truth about that
//!   library, though not about what the descriptions are worth elsewhere.
//! - Caches and memory are no part of it: the layouts lie in the first-level cache.
//! - Time to build and commit a type is not measured.
//!
//! How far the model is from the measured times is written into the file.

mod child;
mod family;
mod file;
mod fit;
mod messages;
mod parent;
mod terms;

pub use child::run as measure_here;
pub use file::write;
pub use fit::Fit;
pub use messages::measure as messages;
pub use parent::measure;

use std::cmp::Ordering;

use commloom_layout::CostModel;

/// A library with its measured times.
pub struct Measured {
    /// First line of what the library says of itself.
    pub version: String,
    /// Its file.
    pub path: String,
    /// Nanoseconds of one `MPI_Pack`, for every layout of the family.
    pub times: Vec<f64>,
}

/// The constants behind some measured times.
pub fn fitted(times: &[f64]) -> Option<(Fit, Scaled)> {
    let rows: Vec<Vec<f64>> = family::family().iter().map(|case| terms::of(&case.ty)).collect();
    let fit = fit::fit(&rows, times)?;
    let scaled = scaled(&fit);
    Some((fit, scaled))
}

/// Whole-numbered constants.
pub struct Scaled {
    /// The model.
    pub model: CostModel,
    /// Nanoseconds that are 1 in it.
    pub unit: f64,
    /// Whether a list entry was measurable: then it is the unit. Otherwise it gets a hundredth of
    /// what a node costs on average, as no constant may be zero.
    pub lookup_is_unit: bool,
}

fn scaled(fit: &Fit) -> Scaled {
    let of = |name: &str| terms::index(name).map_or(0.0, |k| fit.values[k]);
    let lookup_error = terms::index("lookup").map_or(0.0, |k| fit.errors[k]);
    let nodes = ["leaf", "vec", "idx", "idxbuc", "strc"];
    let lookup_is_unit = of("lookup") > 2.0 * lookup_error;
    let unit = if lookup_is_unit {
        of("lookup")
    } else {
        const NODES: f64 = 5.0;
        nodes.iter().map(|name| of(name)).sum::<f64>() / NODES / 100.0
    };
    let mut model = CostModel { lookup: 1, ..CostModel::default() };
    for name in nodes {
        model.set(name, terms::whole(of(name) / unit)).expect("a constant, at least 1");
    }
    Scaled { model, unit, lookup_is_unit }
}

/// How many pairs of layouts with the same bytes in the same number of runs, but times that differ
/// by more than noise does, there are; and of how many the cheaper one under `model` is also the
/// faster one. Equal costs count half.
pub fn agreement(times: &[f64], model: &CostModel) -> (f64, f64) {
    let all: Vec<(u64, u64, u64, f64)> = family::family()
        .iter()
        .zip(times)
        .map(|(case, time)| (case.ty.size(), case.ty.runs(), model.cost(&case.ty), *time))
        .collect();
    /// Share of the longer time.
    const NOISE: f64 = 0.05;
    let (mut pairs, mut agree) = (0.0, 0.0);
    for (k, a) in all.iter().enumerate() {
        for b in all[..k].iter().filter(|b| (a.0, a.1) == (b.0, b.1)) {
            if (a.3 - b.3).abs() <= NOISE * a.3.max(b.3) {
                continue;
            }
            pairs += 1.0;
            agree += match a.2.cmp(&b.2) {
                Ordering::Equal => 0.5,
                order if order == a.3.total_cmp(&b.3) => 1.0,
                _ => 0.0,
            };
        }
    }
    (pairs, agree)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times as the model says give the constants back.
    #[test]
    fn times_that_follow_the_model_give_its_constants() {
        let nanoseconds = [40.0, 20.0, 0.1, 2.5, 3.0, 12.0, 18.0, 30.0, 45.0, 1.5];
        let time = |ty| {
            let terms = terms::of(ty);
            terms.iter().zip(nanoseconds).map(|(t, n)| t * n).sum::<f64>()
        };
        let times: Vec<f64> = family::family().iter().map(|case| time(&case.ty)).collect();
        let (fit, scaled) = fitted(&times).unwrap();
        for (found, given) in fit.values.iter().zip(nanoseconds) {
            assert!((found - given).abs() < 1e-6 * given.max(1.0), "{found} {given}");
        }
        assert!(scaled.lookup_is_unit && (scaled.unit - 1.5).abs() < 1e-9);
        let expected =
            CostModel { leaf: 2, vec: 8, idx: 12, idxbuc: 20, strc: 30, ..CostModel::default() };
        assert_eq!(scaled.model, expected);
        assert!(fit.r_squared > 0.999_999);
        let (pairs, agree) = agreement(&times, &scaled.model);
        assert!(pairs > 300.0 && agree > 0.9 * pairs, "{agree} of {pairs}");
    }

    /// A library that never looks at the lists: constants stay usable.
    #[test]
    fn without_a_measurable_lookup_an_entry_is_a_hundredth_of_a_node() {
        let times: Vec<f64> = family::family()
            .iter()
            .map(|case| {
                let terms = terms::of(&case.ty);
                50.0 + 3.0 * terms[terms::index("vec").unwrap()] + 2.0 * terms[3]
            })
            .collect();
        let (_, scaled) = fitted(&times).unwrap();
        assert!(!scaled.lookup_is_unit);
        assert_eq!(scaled.model.lookup, 1);
        assert_eq!(scaled.model.vec, 500);
        assert_eq!(scaled.model.idx, 1);
    }
}

//! Reconstruction against the exhaustive oracle: the same cost in every case, and the result
//! flattens to the input.

use commloom_layout::{Basic, CostModel};
use commloom_reconstruct::{Constructors, ReconstructError, Reconstruction, reconstruct};
use commloom_testkit::cheapest::{Allowed, least_cost_of_sequence};
use commloom_testkit::random::{Family, random_sequence};
use commloom_testkit::{Rng, check};

const SETS: [(Constructors, Allowed); 3] = [
    (Constructors::Basic, Allowed { idxbuc: false, strc: false }),
    (Constructors::Extended, Allowed { idxbuc: true, strc: false }),
    (Constructors::Tree, Allowed { idxbuc: true, strc: true }),
];

fn found(starts: &[i64], set: Constructors, model: &CostModel) -> Reconstruction {
    let found = reconstruct(starts, Basic::CHAR, set, model).expect("small numbers");
    let flat: Vec<i64> = found.ty.type_map().map(|e| e.displacement).collect();
    assert_eq!(flat, starts, "{set:?}: the result is another layout");
    assert_eq!(model.cost(&found.ty), found.cost, "{set:?}: cost of {starts:?}");
    found
}

/// Longest sequences that every case gives to the tree oracle, which takes O(n^4).
const TREE: usize = 26;

fn assert_optimal(starts: &[i64], model: &CostModel) {
    for (set, allowed) in SETS {
        if set < Constructors::Tree || starts.len() <= TREE {
            assert_optimal_in(starts, model, set, allowed);
        }
    }
}

fn assert_optimal_in(starts: &[i64], model: &CostModel, set: Constructors, allowed: Allowed) {
    let found = found(starts, set, model);
    let least = least_cost_of_sequence(starts, model, allowed);
    assert_eq!(found.cost, least, "{set:?} of {starts:?}: found {:?}", found.ty);
    assert!(found.exact && found.lower_bound == least);
}

fn cost(starts: &[i64], set: Constructors) -> u64 {
    found(starts, set, &CostModel::default()).cost
}

#[test]
fn the_examples_of_the_papers_have_their_costs() {
    let figure1 = [0, 2, 3, 5, 10, 12, 13, 15, 20, 22, 23, 25, 30, 32, 33, 35];
    let figure2: Vec<i64> = (0..18).chain((100..=122).step_by(2)).collect();
    let nest: Vec<i64> = (0..36).map(|i| i / 4 * 110_000 + i / 2 % 2 * 200 + i % 2 * 13).collect();
    let shifted: Vec<i64> = (0..50).flat_map(|i| [7 + 100 * i, 9 + 100 * i]).collect();
    for (set, _) in SETS {
        assert_eq!(cost(&figure1, set), 22);
        assert_eq!(cost(&shifted, set), 20);
    }
    assert_eq!(SETS.map(|(set, _)| cost(&figure2, set)), [42, 38, 34]);
    assert_eq!(cost(&nest, Constructors::Basic), 22);
}

#[test]
fn every_sequence_of_up_to_six_displacements_from_minus_2_to_4_is_optimal() {
    let model = CostModel::default();
    for n in 1..=6u32 {
        for code in 0..7i64.pow(n) {
            let starts: Vec<i64> = (0..n).map(|k| code / 7i64.pow(k) % 7 - 2).collect();
            assert_optimal(&starts, &model);
        }
    }
}

/// A sequence of any family, every other time with another shift.
fn random_case(rng: &mut Rng, most: usize) -> Vec<i64> {
    let family = Family::ALL[rng.usize(0..Family::ALL.len())];
    let mut starts = random_sequence(rng, family, most);
    let shift = if rng.bool() { starts[0] } else { rng.i64(-9..9) };
    starts.iter_mut().for_each(|s| *s -= shift);
    starts
}

#[test]
fn paths_of_20000_random_sequences_at_zero_and_shifted_are_optimal() {
    check(20_000, |rng| {
        let starts = random_case(rng, 64);
        for (set, allowed) in &SETS[..2] {
            assert_optimal_in(&starts, &CostModel::default(), *set, *allowed);
        }
    });
}

#[test]
fn trees_of_20000_random_sequences_at_zero_and_shifted_are_optimal() {
    let (set, allowed) = SETS[2];
    check(20_000, |rng| {
        // The oracle takes O(n^4): few of the sequences are long.
        let most = [12, 12, 16, 20][rng.usize(0..4)];
        let starts = random_case(rng, most);
        assert_optimal_in(&starts, &CostModel::default(), set, allowed);
    });
    check(150, |rng| {
        let starts = random_case(rng, 64);
        assert_optimal_in(&starts, &CostModel::default(), set, allowed);
    });
}

#[test]
fn random_cost_models_are_followed() {
    check(2000, |rng| {
        let starts = random_case(rng, 24);
        let mut price = || rng.u64(1..14);
        let model = CostModel {
            leaf: price(),
            vec: price(),
            idx: price(),
            idxbuc: price(),
            strc: price(),
            lookup: price().div_ceil(4),
        };
        assert_optimal(&starts, &model);
    });
}

#[test]
fn bad_input_is_an_error_that_says_what_was_given() {
    let model = CostModel::default();
    let none = reconstruct(&[], Basic::CHAR, Constructors::Basic, &model);
    assert!(matches!(none, Err(ReconstructError::NoDisplacements)));
    let wide = reconstruct(&[i64::MIN, i64::MAX], Basic::CHAR, Constructors::Tree, &model);
    let (min, max) = (i64::MIN, i64::MAX);
    assert!(
        matches!(wide, Err(ReconstructError::TooWide { min: a, max: b }) if (a, b) == (min, max))
    );
    let end = reconstruct(&[i64::MAX], Basic::INT, Constructors::Basic, &model);
    assert!(matches!(end, Err(ReconstructError::Layout(_))));
    let dear = CostModel { strc: u64::MAX, ..model };
    let dear = reconstruct(&[0, 1, 5], Basic::CHAR, Constructors::Tree, &dear);
    assert!(matches!(dear, Err(ReconstructError::CostTooLarge { constant: "strc", .. })));
    let free = CostModel { vec: 0, ..model };
    let free = reconstruct(&[0], Basic::CHAR, Constructors::Basic, &free);
    assert_eq!(free.unwrap_err().to_string(), "the cost constant `vec` must be positive");
}

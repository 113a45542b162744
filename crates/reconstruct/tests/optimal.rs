//! Reconstruction against the exhaustive oracle: the same cost in every case, and the result
//! flattens to the input.

use commloom_layout::{Basic, CostModel, Entry, Type};
use commloom_reconstruct::{
    Constructors, Limits, ReconstructError, Reconstruction, normalize_within, reconstruct,
};
use commloom_testkit::cheapest::{Allowed, least_cost, least_cost_of_sequence};
use commloom_testkit::random::{Blemish, Family, Shape, random_layout, random_sequence};
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

fn assert_optimal(starts: &[i64], model: &CostModel) {
    for (set, allowed) in SETS {
        assert_optimal_in(starts, model, set, allowed);
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

/// `starts` from zero, and moved elsewhere.
fn at_zero_and_shifted(rng: &mut Rng, starts: &[i64]) -> [Vec<i64>; 2] {
    let to = if rng.bool() { rng.i64(1..9) } else { -rng.i64(1..9) };
    [0, to].map(|to| starts.iter().map(|s| s - starts[0] + to).collect())
}

/// A sequence of 1 to 64 displacements of any family: the longer one of two, as most are short.
fn random_starts(rng: &mut Rng) -> Vec<i64> {
    let most = if rng.u32(0..3) == 0 { rng.usize(1..=64) } else { 64 };
    let family = Family::ALL[rng.usize(0..Family::ALL.len())];
    let [one, other] = [0, 1].map(|_| random_sequence(rng, family, most));
    if one.len() > other.len() { one } else { other }
}

/// A layout of at most 64 elements of any shape with any blemish.
fn random_shape(rng: &mut Rng) -> Vec<i64> {
    let most = rng.usize(32..=64);
    let shape = Shape::ALL[rng.usize(0..Shape::ALL.len())];
    let blemish = Blemish::ALL[rng.usize(0..Blemish::ALL.len())];
    random_layout(rng, shape, blemish, most)
}

/// Every sequence of these seeds, at zero and shifted, is optimal in all three sets.
fn assert_all_optimal(starts: impl Fn(&mut Rng) -> Vec<i64>) {
    check(SEQUENCES, |rng| {
        let starts = starts(rng);
        for starts in at_zero_and_shifted(rng, &starts) {
            assert_optimal(&starts, &CostModel::default());
        }
    });
}

/// Of each kind; `make test-long` draws ten times as many.
const SEQUENCES: u64 = 2000;

#[test]
fn random_sequences_are_optimal_at_zero_and_shifted() {
    assert_all_optimal(random_starts);
}

#[test]
fn random_layouts_are_optimal_at_zero_and_shifted() {
    assert_all_optimal(random_shape);
}

#[test]
fn the_random_sequences_are_of_all_lengths_up_to_64() {
    let mut cases = [0u32; 65];
    for starts in [random_starts, random_shape] {
        (0..SEQUENCES).for_each(|seed| cases[starts(&mut Rng::with_seed(seed)).len()] += 1);
    }
    assert!(cases[1..].iter().all(|&n| n > 0), "{cases:?}");
    assert!(cases[32..].iter().sum::<u32>() > 1200, "{cases:?}");
}

/// Basic types for the elements of a layout: by field of a structure, in runs, or at random.
fn random_basics(rng: &mut Rng, n: usize) -> Vec<Basic> {
    const BASICS: [Basic; 3] = [Basic::INT, Basic::DOUBLE, Basic::CHAR];
    let kinds = rng.usize(2..=3);
    let fields: Vec<usize> = (0..rng.usize(2..7)).map(|_| rng.usize(0..kinds)).collect();
    let run = rng.usize(1..=n);
    let way = rng.u32(0..3);
    let basic = |t: usize| match way {
        0 => BASICS[fields[t % fields.len()]],
        1 => BASICS[t / run % kinds],
        _ => BASICS[rng.usize(0..kinds)],
    };
    (0..n).map(basic).collect()
}

#[test]
fn trees_of_mixed_basic_types_are_optimal() {
    let (model, (set, allowed)) = (CostModel::default(), SETS[2]);
    let exactly = Limits { flatten: 64, exact_tree: 64 };
    check(800, |rng| {
        let starts = if rng.bool() { random_starts(rng) } else { random_shape(rng) };
        let starts = at_zero_and_shifted(rng, &starts)[rng.usize(0..2)].clone();
        let basics = random_basics(rng, starts.len());
        let entries = starts.iter().zip(&basics);
        let entries: Vec<Entry> =
            entries.map(|(&displacement, &basic)| Entry { basic, displacement }).collect();
        let leaves: Vec<Type> = basics.iter().map(|b| Type::leaf(*b)).collect();
        let given = Type::strc(starts, leaves).expect("small numbers");
        let found = normalize_within(&exactly, &given, set, &model).expect("small numbers");
        assert_eq!(Some(found.cost), least_cost(&entries, &model, allowed), "of {entries:?}");
        assert!(found.ty.type_map().eq(entries.iter().copied()), "another layout");
        assert!(found.exact);
    });
}

#[test]
fn random_cost_models_are_followed() {
    check(400, |rng| {
        let starts = if rng.bool() { random_starts(rng) } else { random_shape(rng) };
        let starts = &at_zero_and_shifted(rng, &starts)[rng.usize(0..2)];
        let mut price = || rng.u64(1..14);
        let model = CostModel {
            leaf: price(),
            vec: price(),
            idx: price(),
            idxbuc: price(),
            strc: price(),
            lookup: price().div_ceil(4),
            ..CostModel::default()
        };
        assert_optimal(starts, &model);
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

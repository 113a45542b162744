use super::*;
use crate::Constructors;
use crate::forms::Forms;
use crate::tree::{self, Tokens};
use commloom_layout::{Basic, CostModel};
use commloom_testkit::check;
use commloom_testkit::random::{Blemish, Shape, random_layout};

/// Random sequences of a property test.
const CASES: u64 = 4000;

fn exact(starts: &[i64], prices: &Prices) -> u64 {
    let leaf = Forms::leaf(Basic::CHAR, prices).unwrap();
    let tokens = Tokens { starts, atoms: &vec![0; starts.len()], table: &[leaf] };
    tree::solve(&tokens, prices).unwrap().at(starts[0]).unwrap().cost
}

fn bound(starts: &[i64], prices: &Prices) -> u64 {
    lower_bound(Sequence::new(starts).unwrap(), prices, u64::MAX)
}

fn assert_holds(starts: &[i64], prices: &Prices) {
    let (bound, exact) = (bound(starts, prices), exact(starts, prices));
    assert!(bound <= exact, "{bound} is above {exact} for {starts:?}, {:?}", prices.model);
}

fn random_model(rng: &mut commloom_testkit::Rng) -> CostModel {
    let dear = [4, 14, 60][rng.usize(0..3)];
    let mut price = || rng.u64(1..dear);
    CostModel {
        leaf: price(),
        vec: price(),
        idx: price(),
        idxbuc: price(),
        strc: price(),
        lookup: price().div_ceil(4),
        ..CostModel::default()
    }
}

#[test]
fn no_bound_of_a_short_sequence_is_above_the_optimum() {
    let prices = Prices::new(&CostModel::default(), Constructors::Tree).unwrap();
    for n in 1..=6u32 {
        for code in 0..7i64.pow(n) {
            let starts: Vec<i64> = (0..n).map(|k| code / 7i64.pow(k) % 7 - 2).collect();
            assert_holds(&starts, &prices);
        }
    }
}

#[test]
fn no_bound_under_random_costs_is_above_the_optimum() {
    check(CASES, |rng| {
        let shape = Shape::ALL[rng.usize(0..Shape::ALL.len())];
        let blemish = Blemish::ALL[rng.usize(0..Blemish::ALL.len())];
        let most = [16, 40, 64, 128][rng.usize(0..4)];
        let starts = random_layout(rng, shape, blemish, most);
        let prices = Prices::new(&random_model(rng), Constructors::Tree).unwrap();
        assert_holds(&starts, &prices);
    });
}

/// Few different steps: repeats inside repeats, overlapping ones, chains of all kinds.
#[test]
fn no_bound_of_words_over_few_steps_is_above_the_optimum() {
    check(CASES, |rng| {
        let letters = rng.i64(2..4);
        let mut steps: Vec<i64> = (0..rng.usize(1..6)).map(|_| rng.i64(1..=letters)).collect();
        let n = rng.usize(4..64);
        while steps.len() < n {
            let from = rng.usize(0..steps.len());
            let to = rng.usize(from..steps.len()) + 1;
            let copy: Vec<i64> = steps[from..to].to_vec();
            for _ in 0..rng.usize(1..4) {
                steps.extend(&copy);
                if rng.bool() {
                    steps.push(rng.i64(1..=letters));
                }
            }
        }
        steps.truncate(90);
        let mut starts = vec![0];
        steps.iter().for_each(|s| starts.push(starts[starts.len() - 1] + s));
        let model = if rng.bool() { CostModel::default() } else { random_model(rng) };
        let prices = Prices::new(&model, Constructors::Tree).unwrap();
        assert_holds(&starts, &prices);
    });
}

fn both(starts: &[i64]) -> (u64, u64) {
    let prices = Prices::new(&CostModel::default(), Constructors::Tree).unwrap();
    (bound(starts, &prices), exact(starts, &prices))
}

/// The examples of book/src/explanation/lower-bounds.md.
#[test]
fn a_row_and_a_column_cannot_be_cheaper() {
    let starts: Vec<i64> = (0..100).chain((0..100).map(|i| 100_000 + i * 512)).collect();
    assert_eq!(both(&starts), (34, 34));
}

#[test]
fn displacements_without_structure_cannot_be_cheaper_than_a_list() {
    let starts: Vec<i64> = (0..100).map(|i| i * i * i).collect();
    assert_eq!(both(&starts), (112, 112));
}

#[test]
fn a_triangle_cannot_be_cheaper_than_its_rows() {
    let starts: Vec<i64> = (0..20).flat_map(|i| (0..=i).map(move |j| 100 * i + j)).collect();
    assert_eq!(both(&starts), (52, 52));
}

#[test]
fn boxes_at_irregular_places_cannot_be_cheaper() {
    let mut starts: Vec<i64> = Vec::new();
    for b in 0..20i64 {
        let place = b * 10_000 + b * b % 977;
        starts.extend((0..16).map(|i| place + i / 4 * 100 + i % 4));
    }
    assert_eq!(both(&starts), (44, 44));
    starts.remove(100);
    let (bound, exact) = both(&starts);
    assert!(10 * bound >= 8 * exact, "{bound} of {exact}");
}

/// The price of the block tells: with that of any two elements the bound is 48.
#[test]
fn rows_of_a_short_list_with_one_element_missing_pay_for_the_list_twice() {
    let rows = (0..60).flat_map(|i| [0, 1, 4, 6, 13].map(|x| i * 100 + x));
    let mut starts: Vec<i64> = rows.collect();
    assert_eq!(both(&starts), (23, 23));
    starts.remove(152);
    let (bound, exact) = both(&starts);
    assert!(bound > 48 && bound <= exact, "{bound} of {exact}");
}

#[test]
fn two_motifs_in_irregular_order_cannot_be_cheaper_than_one_list() {
    let motifs = [[0, 3, 4, 9, 11, 17], [0, 2, 9, 13, 14, 17]];
    let order = [0, 1, 0, 0, 1, 1, 0, 1];
    let mut starts = Vec::new();
    for (place, motif) in (0..).step_by(50).zip(order) {
        starts.extend(motifs[motif].map(|x: i64| place + x));
    }
    assert_eq!(both(&starts), (60, 60));
}

/// A prefix is enough for a bound, and what is known of it can only lower the bound.
#[test]
fn the_bound_by_a_prefix_holds() {
    check(CASES, |rng| {
        let shape = Shape::ALL[rng.usize(0..Shape::ALL.len())];
        let starts = random_layout(rng, shape, Blemish::None, 64);
        if starts.len() < 4 {
            return;
        }
        let prices = Prices::new(&random_model(rng), Constructors::Tree).unwrap();
        let tariff = Tariff::new(&prices);
        let known = rng.usize(2..=starts.len());
        let Ok(bound) = by_parts_of_prefix(&starts, known, &tariff) else { panic!("a collision") };
        let exact = exact(&starts, &prices);
        assert!(bound <= exact, "{bound} is above {exact} for {known} of {starts:?}");
    });
}

/// The requirement is one half.
#[test]
fn on_structured_layouts_the_mean_bound_is_above_nine_tenths_of_the_optimum() {
    let (mut bounds, mut optima, mut cases) = (0, 0, 0);
    for shape in Shape::ALL.into_iter().filter(|s| s.is_structured()) {
        for (seed, blemish) in (0..).zip(Blemish::ALL.into_iter().cycle().take(24)) {
            let mut rng = commloom_testkit::Rng::with_seed(seed);
            let starts = random_layout(&mut rng, shape, blemish, 128);
            let (bound, exact) = both(&starts);
            assert!(bound <= exact, "{shape:?}, {blemish:?}, seed {seed}: {bound} of {exact}");
            // Thousandths: the mean of the ratios, not the ratio of the means.
            bounds += 1000 * bound / exact;
            optima += 1000;
            cases += 1;
        }
    }
    assert!(10 * bounds >= 9 * optima, "{} thousandths in {cases} cases", bounds / cases);
}

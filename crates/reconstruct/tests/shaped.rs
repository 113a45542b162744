//! The bucket type and the triangular type as rules of the cost model: reconstruction against the
//! exhaustive oracle, normalization, and the layouts that the rules are for.

use std::cell::Cell;

use commloom_layout::{Basic, CostModel, Kind, Type, shaped};
use commloom_reconstruct::{
    Constructors, Coverage, Limits, Reconstruction, certify, normalize, normalize_within,
    reconstruct,
};
use commloom_testkit::cheapest::{Allowed, least_cost_of_sequence};
use commloom_testkit::random::{Family, random_sequence};
use commloom_testkit::{Rng, check, random_type};

const EXTENDED: (Constructors, Allowed) =
    (Constructors::Extended, Allowed { idxbuc: true, strc: false });
const TREE: (Constructors, Allowed) = (Constructors::Tree, Allowed { idxbuc: true, strc: true });

/// The constants of the papers, and the same constant for the two shapes.
fn model() -> CostModel {
    CostModel { bucket: Some(6), triangular: Some(6), ..CostModel::default() }
}

fn found(starts: &[i64], set: Constructors, model: &CostModel) -> Reconstruction {
    let found = reconstruct(starts, Basic::CHAR, set, model).expect("small numbers");
    let flat = found.ty.type_map().map(|e| e.displacement);
    assert!(flat.eq(starts.iter().copied()), "{set:?}: the result is another layout");
    assert_eq!(model.cost(&found.ty), found.cost, "{set:?}: cost of {starts:?}");
    found
}

fn assert_optimal(starts: &[i64], model: &CostModel, sets: &[(Constructors, Allowed)]) {
    for &(set, allowed) in sets {
        let found = found(starts, set, model);
        let least = least_cost_of_sequence(starts, model, allowed);
        assert_eq!(found.cost, least, "{set:?} of {starts:?} by {model:?}: found {:?}", found.ty);
        assert!(found.exact && found.lower_bound == least);
    }
}

/// The copies in a bucket of each length, `stride` apart, the buckets `step` apart.
fn rows(step: i64, stride: i64, lengths: impl IntoIterator<Item = i64>) -> Vec<i64> {
    let starts = (0..).map(|k| k * step).zip(lengths);
    starts.flat_map(|(start, n)| (0..n).map(move |t| start + t * stride)).collect()
}

fn random_model(rng: &mut Rng) -> CostModel {
    let mut price = || rng.u64(1..14);
    let (leaf, vec, idx, idxbuc, strc) = (price(), price(), price(), price(), price());
    let (lookup, bucket, triangular) = (price().div_ceil(4), price(), price());
    let on = |on: bool, price| on.then_some(price);
    let (bucket, triangular) = match rng.u32(0..4) {
        0 => (Some(bucket), None),
        1 => (None, Some(triangular)),
        _ => (on(true, bucket), on(true, triangular)),
    };
    CostModel { leaf, vec, idx, idxbuc, strc, lookup, bucket, triangular }
}

/// Triangles, bands and buckets of at most `most` elements, of elements or of small blocks, some
/// of them repeated, disturbed or moved; now and then anything else.
fn random_case(rng: &mut Rng, most: usize) -> Vec<i64> {
    let n = rng.i64(1..9);
    let stride = rng.i64(-2..4);
    // Often a whole number of strides: then buckets may touch.
    let step = if rng.bool() { stride * rng.i64(1..9) } else { rng.i64(-20..20) };
    let lengths: Vec<i64> = match rng.u32(0..6) {
        0 => (1..=n).collect(),
        1 => (1..=n).rev().collect(),
        2 => {
            let (first, change) = (rng.i64(1..12), rng.i64(-3..4));
            (0..n).map(|k| (first + k * change).max(1)).collect()
        }
        // A band of a matrix, row by row: cut off at both ends.
        3 => {
            let width = rng.i64(1..4);
            (0..n).map(|k| (k + width).min(n - 1) - (k - width).max(0) + 1).collect()
        }
        _ => (0..n).map(|_| rng.i64(1..6)).collect(),
    };
    let mut starts = rows(step, stride, lengths);
    if rng.u32(0..3) == 0 {
        let inner: Vec<i64> = (0..rng.i64(2..4)).map(|t| t * rng.i64(1..4)).collect();
        starts = starts.iter().flat_map(|s| inner.iter().map(move |i| 7 * s + i)).collect();
    }
    if rng.u32(0..3) == 0 {
        let (copies, far) = (rng.i64(2..4), rng.i64(40..90));
        starts = (0..copies).flat_map(|k| starts.iter().map(move |s| s + k * far)).collect();
    }
    if rng.u32(0..4) == 0 {
        let other = rows(rng.i64(1..9), rng.i64(1..3), (0..rng.i64(1..5)).map(|k| k + 1));
        let far = rng.i64(-60..200);
        starts.extend(other.iter().map(|s| s + far));
    }
    if rng.u32(0..8) == 0 {
        let family = Family::ALL[rng.usize(0..Family::ALL.len())];
        starts = random_sequence(rng, family, most);
    }
    starts.truncate(most);
    if rng.u32(0..4) == 0 {
        let t = rng.usize(0..starts.len());
        starts[t] += rng.i64(-3..4);
    }
    let shift = if rng.bool() { starts[0] } else { rng.i64(-9..9) };
    starts.iter_mut().for_each(|s| *s -= shift);
    starts
}

#[test]
fn every_sequence_of_up_to_six_displacements_from_minus_2_to_4_is_optimal() {
    let cheap = CostModel { bucket: Some(3), triangular: Some(2), ..CostModel::default() };
    let dear = CostModel { bucket: Some(5), triangular: Some(11), lookup: 3, ..cheap };
    for n in 1..=6u32 {
        for code in 0..7i64.pow(n) {
            let starts: Vec<i64> = (0..n).map(|k| code / 7i64.pow(k) % 7 - 2).collect();
            assert_optimal(&starts, &cheap, &[EXTENDED, TREE]);
            assert_optimal(&starts, &dear, &[EXTENDED, TREE]);
        }
    }
}

#[test]
fn paths_of_random_sequences_are_optimal_for_random_cost_models() {
    let (shaped, touching) = (Cell::new(0), Cell::new(0));
    check(2000, |rng| {
        let starts = random_case(rng, 48);
        let model = random_model(rng);
        assert_optimal(&starts, &model, &[EXTENDED]);
        let (is_shaped, touches) = shape_in(&found(&starts, EXTENDED.0, &model).ty);
        shaped.set(shaped.get() + u32::from(is_shaped));
        touching.set(touching.get() + u32::from(touches));
    });
    // Otherwise the cases would say little.
    assert!(shaped.get() > 500 && touching.get() > 20, "{shaped:?} {touching:?}");
}

/// Whether three or more buckets at equal distances are part of a path, and whether some of them
/// touch.
fn shape_in(ty: &Type) -> (bool, bool) {
    if let Kind::IdxBuc { stride, indices, blocks, .. } = ty.kind()
        && indices.len() > 2
        && shaped::is_bucket(indices, blocks)
    {
        let end = |k: usize| indices[k] + i64::try_from(blocks[k]).unwrap() * stride;
        return (true, (1..indices.len()).any(|k| end(k - 1) == indices[k]));
    }
    ty.children().first().map_or((false, false), shape_in)
}

#[test]
fn trees_of_random_sequences_are_optimal_for_random_cost_models() {
    check(2000, |rng| {
        let most = [12, 16, 24, 32][rng.usize(0..4)];
        let starts = random_case(rng, most);
        assert_optimal(&starts, &random_model(rng), &[TREE]);
    });
}

/// The same cost as without the rules, for every constructor set, where a rule is too dear to be
/// used; never more where it is not.
#[test]
fn a_rule_never_raises_the_cost() {
    check(1000, |rng| {
        let starts = random_case(rng, 40);
        let dear = CostModel { bucket: Some(1 << 20), triangular: Some(1 << 20), ..model() };
        for set in [Constructors::Basic, Constructors::Extended, Constructors::Tree] {
            let plain = found(&starts, set, &CostModel::default()).cost;
            assert_eq!(found(&starts, set, &dear).cost, plain);
            let ruled = found(&starts, set, &model()).cost;
            assert!(if set == Constructors::Basic { ruled == plain } else { ruled <= plain });
        }
    });
}

#[test]
fn a_lower_triangular_matrix_costs_a_leaf_and_the_constant_of_the_triangle() {
    let n = 40;
    let model = CostModel { triangular: Some(9), ..CostModel::default() };
    let lower = rows(n, 1, 1..=n);
    let upper: Vec<i64> = (0..n).flat_map(|i| (i..n).map(move |j| i * n + j)).collect();
    let strict: Vec<i64> = (0..n).flat_map(|i| (0..i).map(move |j| i * n + j)).collect();
    for starts in [lower, upper, strict] {
        for (set, _) in [EXTENDED, TREE] {
            assert_eq!(found(&starts, set, &model).cost, 6 + 9);
            assert!(found(&starts, set, &CostModel::default()).cost > 80);
        }
    }
    let text = "triangular(40, 40, 1, 1, 1, MPI_CHAR)";
    assert_eq!(model.cost(&text.parse().unwrap()), 6 + 9);
}

/// Rows of 100 columns, of which the first 1 to 9 are sent.
#[test]
fn buckets_at_equal_distances_cost_one_list() {
    let lengths = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5];
    let model = CostModel { bucket: Some(8), ..CostModel::default() };
    let starts = rows(100, 1, lengths);
    for (set, _) in [EXTENDED, TREE] {
        let found = found(&starts, set, &model);
        assert_eq!(found.cost, 8 + 11 + 6);
        let expected = shaped::bucket(
            100,
            1,
            &lengths.map(|n: i64| n.unsigned_abs()),
            Type::leaf(Basic::CHAR),
        );
        assert_eq!(found.ty, expected.unwrap());
    }
}

/// Rows of 5, 4, 3, 2, 1 at a distance of 3: the third begins where the second would go on.
#[test]
fn buckets_that_touch_are_told_apart_where_that_is_cheaper() {
    let starts = rows(3, 1, (1..=5).rev());
    let triangle = found(&starts, Constructors::Tree, &model());
    assert_eq!(triangle.ty, "triangular(5, 3, 1, 5, -1, MPI_CHAR)".parse().unwrap());
    assert_eq!(triangle.cost, 12);
    let buckets = CostModel { triangular: None, ..model() };
    let buckets = found(&starts, Constructors::Tree, &buckets);
    assert_eq!(buckets.ty, "bucket(3, 1, <5,4,3,2,1>, MPI_CHAR)".parse().unwrap());
    assert_eq!(buckets.cost, 6 + 5 + 6);
}

#[test]
fn a_triangle_carries_a_shift_and_stands_in_vec_and_strc() {
    let triangle = rows(10, 1, 1..=6);
    let shifted: Vec<i64> = triangle.iter().map(|s| s + 3).collect();
    assert_eq!(found(&shifted, Constructors::Extended, &model()).cost, 12);
    let twice: Vec<i64> = (0..2).flat_map(|k| triangle.iter().map(move |s| s + 500 * k)).collect();
    assert_eq!(found(&twice, Constructors::Extended, &model()).cost, 18);
    let other = rows(10, 3, (1..=6).rev());
    let both: Vec<i64> = triangle.iter().copied().chain(other.iter().map(|s| 900 + s)).collect();
    assert_eq!(found(&both, Constructors::Tree, &model()).cost, 6 + 2 * 2 + 12 + 12);
}

fn assert_normal(
    ty: &Type,
    limits: &Limits,
    set: Constructors,
    model: &CostModel,
) -> Reconstruction {
    let normal = normalize_within(limits, ty, set, model).unwrap();
    match certify(ty, &normal.ty, model) {
        Ok(Coverage::Complete) => {}
        other => panic!("{other:?}\n  before {ty:?}\n  after {:?}", normal.ty),
    }
    assert_eq!(normal.cost, model.cost(&normal.ty), "{ty:?}");
    assert!(normal.lower_bound <= normal.cost);
    normal
}

/// Also where the layout is too large to be flattened, so that the laws have to know the shapes.
#[test]
fn random_types_are_normalized_at_no_higher_cost() {
    let laws_only = Limits { flatten: 3, exact_tree: 3 };
    check(500, |rng| {
        let model = random_model(rng);
        let ty = match rng.bool() {
            true => random_type(rng, &commloom_testkit::Limits::default()),
            false => random_shape(rng),
        };
        let entries: Vec<(Basic, i64)> = ty.type_map().map(|e| (e.basic, e.displacement)).collect();
        let starts: Vec<i64> = entries.iter().map(|(_, d)| *d).collect();
        let one = entries.iter().all(|(basic, _)| *basic == entries[0].0) && !starts.is_empty();
        for set in [Constructors::Basic, Constructors::Extended, Constructors::Tree] {
            for limits in [laws_only, Limits::default()] {
                let normal = assert_normal(&ty, &limits, set, &model);
                if one && (set < Constructors::Tree || starts.len() <= 200) {
                    let best = reconstruct(&starts, entries[0].0, set, &model).unwrap();
                    // The given type may use constructors outside the set.
                    assert!(normal.lower_bound <= best.cost, "{set:?} {ty:?}");
                    assert!(!normal.exact || normal.cost <= best.cost, "{set:?} {ty:?}");
                }
            }
        }
    });
}

/// A bucket or a triangle in some surroundings.
fn random_shape(rng: &mut Rng) -> Type {
    let leaf = Type::leaf([Basic::CHAR, Basic::INT][rng.usize(0..2)]);
    let child = if rng.bool() { Type::vec(2, 12, leaf).unwrap() } else { leaf };
    let (step, stride, count) = (rng.i64(1..200), rng.i64(1..40), rng.u64(1..9));
    let shape = if rng.bool() {
        let (first, change) = (rng.u64(1..20), rng.i64(0..4));
        shaped::triangular(count, step, stride, first, change, child)
    } else {
        let blocks: Vec<u64> = (0..count).map(|_| rng.u64(1..9)).collect();
        shaped::bucket(step, stride, &blocks, child)
    };
    let shape = shape.unwrap();
    match rng.u32(0..4) {
        0 => Type::vec(rng.u64(1..4), rng.i64(0..500), shape),
        1 => Type::idx([rng.i64(-9..9), rng.i64(500..600)], shape),
        2 => Type::strc([rng.i64(-9..9), 3000], [shape, Type::leaf(Basic::INT)]),
        _ => Ok(shape),
    }
    .unwrap()
}

#[test]
fn a_triangle_of_50000_rows_stays_one_whatever_is_around_it() {
    let text = "triangular(50000, 400000, 8, 1, 1, MPI_DOUBLE)";
    let triangle: Type = text.parse().unwrap();
    assert!(triangle.elements() > 1_250_000_000);
    let inside = "idx(<24>, resized(0, 3, strc(<8>, <T>)))".replace('T', text).parse().unwrap();
    for ty in [triangle, inside] {
        for set in [Constructors::Extended, Constructors::Tree] {
            assert_eq!(assert_cheap(&ty, set), 12);
        }
    }
    // Two of them under a strc, the second the other way round.
    let falling = "triangular(50000, 400000, 8, 50000, -1, MPI_DOUBLE)";
    let both = format!("strc(<0,100000000000>, <{text}, {falling}>)").parse().unwrap();
    assert_eq!(assert_cheap(&both, Constructors::Tree), 6 + 4 + 12 + 12);
}

/// The cost of the normal form, which only the first elements can be compared for.
fn assert_cheap(ty: &Type, set: Constructors) -> u64 {
    let normal = normalize(ty, set, &model()).unwrap();
    assert!(certify(ty, &normal.ty, &model()).is_ok());
    assert_eq!(normal.cost, model().cost(&normal.ty));
    normal.cost
}

/// The method for large inputs need not find shapes, but what it says of its result is true.
#[test]
fn large_trees_report_their_cost_and_a_lower_bound() {
    for starts in [rows(200, 1, 1..=100), rows(200, 2, (0..900).map(|k| 1 + k * k % 17))] {
        let found = found(&starts, Constructors::Tree, &model());
        assert!(found.lower_bound <= found.cost);
        assert!(
            found.cost
                <= reconstruct(&starts, Basic::CHAR, Constructors::Extended, &model())
                    .unwrap()
                    .cost
        );
    }
}

#[test]
fn constants_of_the_rules_must_be_positive_and_not_too_large() {
    for (given, message) in [
        (0, "the cost constant `triangular` must be positive"),
        (1 << 40, "the cost constant `triangular` is 1099511627776, it must be at most 2147483648"),
    ] {
        let model = CostModel { triangular: Some(given), ..CostModel::default() };
        let error = reconstruct(&[0], Basic::CHAR, Constructors::Extended, &model).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

//! Normalization keeps the layout, never costs more, and finds the forms that people would write.

use commloom_layout::{Basic, CostModel, Kind, Type, mpi};
use commloom_reconstruct::{
    Constructors, Coverage, Limits, Reconstruction, certify, normalize, normalize_many,
    normalize_within, reconstruct,
};
use commloom_testkit::random::Limits as Size;
use commloom_testkit::{Rng, check, random_path, random_type};

const SETS: [Constructors; 3] = [Constructors::Basic, Constructors::Extended, Constructors::Tree];

/// So small that the laws have to do the work.
const LAWS_ONLY: Limits = Limits { flatten: 3, exact_tree: 3 };

fn tree(ty: &Type) -> Reconstruction {
    let model = CostModel::default();
    let normal = normalize(ty, Constructors::Tree, &model).unwrap();
    certify(ty, &normal.ty, &model).unwrap();
    assert_eq!(normal.cost, model.cost(&normal.ty));
    normal
}

fn leaf(basic: Basic) -> Type {
    Type::leaf(basic)
}

fn vec(count: u64, stride: i64, child: Type) -> Type {
    Type::vec(count, stride, child).unwrap()
}

/// `ty` without the bounds at its root.
fn core(ty: &Type) -> &Type {
    match ty.kind() {
        Kind::Resized { child, .. } => child,
        _ => ty,
    }
}

fn has_inner_bounds(ty: &Type) -> bool {
    core(ty)
        .children()
        .iter()
        .any(|c| matches!(c.kind(), Kind::Resized { .. }) || has_inner_bounds(c))
}

#[test]
fn nested_contiguous_types_become_one_vec() {
    let int = leaf(Basic::INT);
    let mut ty = int.clone();
    for _ in 0..6 {
        ty = mpi::contiguous(10, &ty).unwrap();
    }
    assert_eq!(tree(&ty).ty, vec(1_000_000, 4, int));
}

#[test]
fn a_tile_by_vector_by_count_by_index_and_by_struct_is_one_tile() {
    let int = leaf(Basic::INT);
    let tile = vec(160_000, 16, vec(2, 4, int.clone()));
    let vector = mpi::vector(160_000, 2, 4, &int).unwrap();
    let unit = mpi::resized(0, 16, &mpi::contiguous(2, &int).unwrap()).unwrap();
    let elements: Vec<i64> = (0..320_000).map(|k| k / 2 * 4 + k % 2).collect();
    let ones = vec![1; 320_000];
    let by_elements = mpi::indexed(&ones, &elements, &int).unwrap();
    let by_blocks: Vec<i64> = (0..160_000).map(|k| 4 * k).collect();
    let by_blocks = mpi::indexed_block(2, &by_blocks, &int).unwrap();
    let part = |n| mpi::contiguous(n, &unit).unwrap();
    let two = mpi::structure(&[1, 1], &[0, 60_000 * 16], &[part(60_000), part(100_000)]).unwrap();
    for ty in [vector, part(160_000), by_elements, by_blocks, two] {
        assert_eq!(core(&tree(&ty).ty), &tile);
    }
}

#[test]
fn the_count_belongs_to_the_layout() {
    let model = CostModel::default();
    let vector = mpi::vector(1_000_000, 3, 7, &leaf(Basic::DOUBLE)).unwrap();
    let many = normalize_many(1_000, &vector, Constructors::Tree, &model).unwrap();
    let contiguous = mpi::contiguous(1_000, &vector).unwrap();
    certify(&contiguous, &many.ty, &model).unwrap();
    assert_eq!(many.ty, tree(&contiguous).ty);
    let resized = mpi::resized(0, 7_000_000 * 8, &vector).unwrap();
    let many = normalize_many(1_000, &resized, Constructors::Tree, &model).unwrap();
    assert_eq!(core(&many.ty), &vec(1_000_000_000, 56, vec(3, 8, leaf(Basic::DOUBLE))));
}

#[test]
fn equal_buckets_at_equal_distances_are_a_vec_of_vecs() {
    let ty = mpi::hindexed(
        &[4000; 6],
        &[0, 99_000, 198_000, 297_000, 396_000, 495_000],
        &leaf(Basic::INT),
    );
    assert_eq!(tree(&ty.unwrap()).ty, vec(6, 99_000, vec(4000, 4, leaf(Basic::INT))));
    let idxbuc = Type::idxbuc(4, [8, 100_008, 200_008], [5000; 3], leaf(Basic::INT)).unwrap();
    let model = CostModel::default();
    let moved = normalize(&idxbuc, Constructors::Extended, &model).unwrap();
    certify(&idxbuc, &moved.ty, &model).unwrap();
    // One idx for the shift at the third of three copies: cheaper than idxbuc with three buckets.
    assert!(moved.cost <= 18);
}

/// An 8 x 6 x 10 face of a 20 x 30 x 40 array of doubles, described in five ways.
#[test]
fn faces_by_hvector_subarray_and_struct_of_one_have_one_normal_form() {
    let double = leaf(Basic::DOUBLE);
    let row = mpi::contiguous(10, &double).unwrap();
    let plane = mpi::hvector(6, 1, 320, &row).unwrap();
    let hvector = mpi::hvector(8, 1, 9600, &plane).unwrap();
    let sizes = [20, 30, 40];
    let subarray = mpi::subarray(&sizes, &[8, 6, 10], &[0, 0, 0], mpi::Order::C, &double).unwrap();
    let fortran =
        mpi::subarray(&[40, 30, 20], &[10, 6, 8], &[0, 0, 0], mpi::Order::Fortran, &double);
    let structure = mpi::structure(&[1], &[0], std::slice::from_ref(&hvector)).unwrap();
    let rows: Vec<i64> = (0..48).map(|k| k / 6 * 9600 + k % 6 * 320).collect();
    let indexed = mpi::hindexed_block(10, &rows, &double).unwrap();
    let expected = vec(8, 9600, vec(6, 320, vec(10, 8, double)));
    for ty in [hvector, subarray, fortran.unwrap(), structure, indexed] {
        assert_eq!(core(&tree(&ty).ty), &expected);
    }
}

#[test]
fn a_shift_sits_where_it_costs_least() {
    let inner = vec(2, 2, leaf(Basic::CHAR));
    let ty = Type::idx([7], vec(50, 100, inner)).unwrap();
    assert_eq!(tree(&ty).cost, 20);
    let long = Type::idx([7], vec(50_000_000, 100, vec(2, 2, leaf(Basic::CHAR)))).unwrap();
    assert_eq!(tree(&long).cost, 20);
}

#[test]
fn a_large_struct_of_members_repeats_its_period() {
    let record =
        mpi::structure(&[1, 3], &[0, 8], &[leaf(Basic::INT), leaf(Basic::DOUBLE)]).unwrap();
    let starts: Vec<i64> = (0..500).map(|k| k * 64).collect();
    let all = mpi::structure(&vec![1; 500], &starts, &vec![record.clone(); 500]).unwrap();
    let expected = mpi::hvector(500, 1, 64, &record).unwrap();
    assert_eq!(core(&tree(&all).ty), core(&tree(&expected).ty));
}

#[test]
fn empty_types_keep_their_bounds() {
    let none = mpi::contiguous(0, &leaf(Basic::INT)).unwrap();
    for ty in [none.clone(), mpi::resized(-8, 24, &none).unwrap(), Type::strc([], []).unwrap()] {
        for set in SETS {
            let model = CostModel::default();
            let normal = normalize(&ty, set, &model).unwrap();
            assert_eq!(certify(&ty, &normal.ty, &model), Ok(Coverage::Complete));
        }
    }
}

#[test]
fn counts_of_a_billion_take_no_time() {
    let inner = mpi::vector(1_000_000, 3, 7, &leaf(Basic::DOUBLE)).unwrap();
    let ty = mpi::contiguous(1_000_000_000, &inner).unwrap();
    let normal = tree(&ty);
    assert_eq!(normal.cost, 24);
}

/// A subtree that occurs 2^40 times in the tree, once in memory.
#[test]
fn shared_subtrees_are_visited_once() {
    let mut ty =
        mpi::structure(&[1, 1], &[0, 8], &[leaf(Basic::INT), leaf(Basic::DOUBLE)]).unwrap();
    let mut stride = 1024;
    for _ in 0..40 {
        ty = Type::strc([0, stride], [ty.clone(), ty.clone()]).unwrap();
        stride *= 2;
    }
    let normal = normalize(&ty, Constructors::Tree, &CostModel::default()).unwrap();
    let pair = Type::strc([0, 8], [leaf(Basic::INT), leaf(Basic::DOUBLE)]).unwrap();
    assert_eq!(core(&normal.ty), &vec(1 << 40, 1024, pair));
}

fn assert_normal(ty: &Type, limits: &Limits, set: Constructors) -> Reconstruction {
    let model = CostModel::default();
    let normal = normalize_within(limits, ty, set, &model).unwrap();
    match certify(ty, &normal.ty, &model) {
        Ok(Coverage::Complete) => {}
        other => panic!("{other:?}\n  before {ty:?}\n  after {:?}", normal.ty),
    }
    assert_eq!(normal.cost, model.cost(&normal.ty));
    assert!(normal.lower_bound <= normal.cost);
    assert!(!has_inner_bounds(&normal.ty), "{:?}", normal.ty);
    let again = normalize_within(limits, &normal.ty, set, &model).unwrap();
    assert!(again.cost <= normal.cost);
    normal
}

fn random_limits(rng: &mut Rng) -> Limits {
    if rng.bool() {
        LAWS_ONLY
    } else {
        Limits { flatten: rng.u64(1..200), exact_tree: rng.u64(1..40) }
    }
}

#[test]
fn random_types_keep_type_map_bounds_and_never_cost_more() {
    check(5000, |rng| {
        let ty = random_type(rng, &Size::default());
        let limits = random_limits(rng);
        for set in SETS {
            assert_normal(&ty, &limits, set);
        }
        assert_normal(&ty, &Limits::default(), Constructors::Tree);
    });
}

/// How far the laws alone are from the optimum of the flattened type, and that they are never
/// below.
#[test]
fn laws_alone_come_close_to_the_optimum_on_random_paths() {
    let (mut optimal, mut cases, mut sum, mut least) = (0u32, 0u32, 0, 0);
    let totals = std::cell::RefCell::new((&mut optimal, &mut cases, &mut sum, &mut least));
    check(2000, |rng| {
        let ty = random_path(rng, &Size { mixed: false, ..Size::default() });
        let starts: Vec<(Basic, i64)> = ty.type_map().map(|e| (e.basic, e.displacement)).collect();
        let Some(&(basic, _)) = starts.first() else { return };
        let starts: Vec<i64> = starts.iter().map(|&(_, d)| d).collect();
        let best =
            reconstruct(&starts, basic, Constructors::Extended, &CostModel::default()).unwrap();
        let found = assert_normal(&ty, &LAWS_ONLY, Constructors::Extended);
        assert!(found.cost >= best.cost, "{ty:?}");
        let full = assert_normal(&ty, &Limits::default(), Constructors::Extended);
        assert!(starts.len() > 4096 || full.cost == best.cost, "{ty:?}");
        let mut totals = totals.borrow_mut();
        *totals.0 += u32::from(found.cost == best.cost);
        *totals.1 += 1;
        *totals.2 += found.cost;
        *totals.3 += best.cost;
    });
    println!("{optimal} of {cases} optimal by laws alone; costs {sum} against {least}");
    assert!(optimal * 100 >= cases * 90);
}

/// Expectation test 11, given element by element.
#[test]
fn a_row_and_a_column_by_index_become_two_vecs_under_one_strc() {
    let starts: Vec<i64> = (0..5120).chain((0..5120).map(|i| 100_000 + i * 512)).collect();
    let ty = mpi::indexed(&vec![1; 10_240], &starts, &leaf(Basic::INT)).unwrap();
    assert_eq!(tree(&ty).cost, 34);
}

/// Bounds at the ends of the 64-bit range: an error or a certified result, never a panic.
#[test]
fn extreme_displacements_are_certified_or_refused() {
    let model = CostModel::default();
    let far = i64::MAX - 8;
    let int = leaf(Basic::INT);
    let types = [
        Type::idx([far], int.clone()),
        Type::idx([i64::MIN, i64::MIN + 8, i64::MIN + 20], int.clone()),
        Type::idx([-(far / 2), far / 2], int.clone()),
        Type::vec(1 << 40, 1 << 22, int.clone()),
        Type::idxbuc(1 << 30, [0, 7, 1 << 61], [1 << 30, 3, 1 << 30], int.clone()),
        Type::resized(i64::MIN, 0, vec(3, i64::MAX / 4, int.clone())),
        Type::strc([i64::MIN, i64::MIN / 2], [int.clone(), leaf(Basic::DOUBLE)]),
    ];
    for ty in types.into_iter().flatten() {
        for set in SETS {
            if let Ok(normal) = normalize(&ty, set, &model) {
                assert!(certify(&ty, &normal.ty, &model).is_ok(), "{ty:?} became {:?}", normal.ty);
            }
        }
    }
}

#[test]
fn random_cost_models_never_raise_the_cost() {
    check(1500, |rng| {
        let ty = random_type(rng, &Size::default());
        let mut price = || rng.u64(1..14);
        let (leaf, vec, idx, idxbuc, strc) = (price(), price(), price(), price(), price());
        let lookup = price().div_ceil(4);
        let model = CostModel { leaf, vec, idx, idxbuc, strc, lookup, ..CostModel::default() };
        for set in SETS {
            let limits = random_limits(rng);
            let normal = normalize_within(&limits, &ty, set, &model).unwrap();
            certify(&ty, &normal.ty, &model).unwrap_or_else(|e| panic!("{e}: {ty:?}"));
            assert_eq!(normal.cost, model.cost(&normal.ty));
        }
    });
}

/// How far laws alone are from the exact tree, mixed types included.
#[test]
fn laws_alone_come_close_to_the_optimum_on_random_trees() {
    let totals = std::cell::Cell::new((0u32, 0u32, 0u64, 0u64));
    check(3000, |rng| {
        let ty = random_type(rng, &Size { bytes: 800, ..Size::default() });
        if !(2..=256).contains(&ty.elements()) {
            return;
        }
        let exact = Limits { flatten: 256, exact_tree: 256 };
        let best = assert_normal(&ty, &exact, Constructors::Tree);
        let found = assert_normal(&ty, &LAWS_ONLY, Constructors::Tree);
        assert!(best.exact && found.cost >= best.cost, "{ty:?}");
        let (cases, optimal, sum, least) = totals.get();
        let hit = u32::from(found.cost == best.cost);
        totals.set((cases + 1, optimal + hit, sum + found.cost, least + best.cost));
    });
    let (cases, optimal, sum, least) = totals.get();
    println!("{optimal} of {cases} optimal by laws alone; costs {sum} against {least}");
    assert!(sum * 100 <= least * 103);
}

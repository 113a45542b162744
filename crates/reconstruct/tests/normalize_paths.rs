//! Laws alone find the optimum of every path: the cost of a normal form that was found without
//! flattening equals that of the reconstruction of the flattened sequence.

use std::cell::Cell;

use commloom_layout::{Basic, CostModel, Kind, Type};
use commloom_reconstruct::{Constructors, Limits, normalize_within, reconstruct};
use commloom_testkit::{Rng, check};

/// Nothing is flattened.
const NOTHING_FLAT: Limits = Limits { flatten: 0, exact_tree: 0 };

const SETS: [Constructors; 2] = [Constructors::Basic, Constructors::Extended];

fn assert_optimal(ty: &Type, model: &CostModel) {
    let starts: Vec<i64> = ty.type_map().map(|e| e.displacement).collect();
    if starts.is_empty() {
        return;
    }
    for set in SETS {
        let best = reconstruct(&starts, Basic::CHAR, set, model).unwrap();
        let normal = normalize_within(&NOTHING_FLAT, ty, set, model).unwrap();
        if set < Constructors::Extended && has_buckets(ty) {
            // A constructor outside the set stays where all of the set costs more.
            assert!(normal.cost <= best.cost.min(model.cost(ty)));
            continue;
        }
        assert_eq!(
            normal.cost, best.cost,
            "{set:?} {model:?}\n  given {ty:?}\n  normal {:?}\n  best {:?}",
            normal.ty, best.ty
        );
        assert_eq!(normal.cost, model.cost(&normal.ty), "{ty:?}");
        assert!(normal.exact && normal.lower_bound == normal.cost);
        assert!(normal.ty.type_map().eq(ty.type_map()), "{ty:?} became {:?}", normal.ty);
        assert_eq!((normal.ty.lb(), normal.ty.extent()), (ty.lb(), ty.extent()));
    }
}

fn has_buckets(ty: &Type) -> bool {
    matches!(ty.kind(), Kind::IdxBuc { .. }) || ty.children().iter().any(has_buckets)
}

/// Every node over `child` from small counts, strides, indices and buckets.
fn nodes_over(child: &Type) -> Vec<Type> {
    let touching = child.extent();
    let mut strides = vec![0, 1, 3, 4, -2, touching, 2 * touching];
    strides.sort_unstable();
    strides.dedup();
    let mut nodes = Vec::new();
    for &stride in &strides {
        for count in 1..=4 {
            nodes.push(Type::vec(count, stride, child.clone()));
        }
        for blocks in [[1, 2], [2, 2], [2, 0], [3, 1]] {
            for second in [0, 5, 2 * stride, 3 * stride] {
                nodes.push(Type::idxbuc(stride, [1, 1 + second], blocks, child.clone()));
            }
        }
    }
    let lists: [&[i64]; 8] = [
        &[2],
        &[0, 1],
        &[0, 3, 1],
        &[0, 1, 4, 5],
        &[5, 6, 7],
        &[0, 0, 2],
        &[0, 2, 4, 7],
        &[0, 4, 6, 10],
    ];
    nodes.extend(lists.map(|list| Type::idx(list, child.clone())));
    let (one, two) = (touching, 2 * touching);
    nodes.push(Type::idx([0, one, two, two + two], child.clone()));
    nodes.push(Type::idx([0, two, one], child.clone()));
    nodes.into_iter().map(|node| node.expect("small numbers")).collect()
}

#[test]
fn every_small_nest_is_optimal_by_laws_alone() {
    let model = CostModel::default();
    let one: Vec<Type> = nodes_over(&Type::leaf(Basic::CHAR));
    let two: Vec<Type> = one.iter().flat_map(nodes_over).collect();
    one.iter().chain(&two).for_each(|ty| assert_optimal(ty, &model));
    let mut cases = one.len() + two.len();
    // Of the third level a part that is spread evenly.
    for (k, ty) in two.iter().enumerate() {
        for ty in nodes_over(ty).iter().skip(k % 7).step_by(7) {
            assert_optimal(ty, &model);
            cases += 1;
        }
    }
    println!("{cases} nests");
}

/// A node with counts of up to about `most` copies.
fn random_node(rng: &mut Rng, child: &Type, most: u64) -> Type {
    let child_copies = |s: &Type| s.extent();
    let step = match rng.u32(0..5) {
        0 => rng.i64(-9..10),
        1 => child_copies(child),
        2 => continued(child),
        3 => rng.i64(1..5) * child_copies(child),
        _ => child.true_extent() + rng.i64(0..5),
    };
    let count = if rng.u32(0..4) == 0 { rng.u64(1..=most) } else { rng.u64(1..=5) };
    let made = match rng.u32(0..5) {
        0 | 1 => Type::vec(count, step, child.clone()),
        2 => {
            let n = rng.u64(1..=most.min(12));
            let steps = [step, continued(child), rng.i64(-9..30), step];
            let kinds = rng.usize(1..=4);
            let period = rng.usize(1..=4);
            let pattern: Vec<i64> = (0..period).map(|_| steps[rng.usize(0..kinds)]).collect();
            let mut at = rng.i64(-5..6);
            let list: Vec<i64> = (0..usize::try_from(n).unwrap())
                .map(|k| {
                    let here = at;
                    let odd = rng.u32(0..12) == 0;
                    at += if odd { rng.i64(-9..30) } else { pattern[k % period] };
                    here
                })
                .collect();
            Type::idx(list, child.clone())
        }
        _ => {
            let n = rng.usize(1..=6);
            let (period, common) = (rng.usize(1..=3), rng.u64(1..=3));
            let lengths: Vec<u64> =
                (0..period).map(|_| common * rng.u64(0..=most / 6 + 1)).collect();
            let jumps: Vec<i64> =
                (0..period).map(|_| [step, rng.i64(-9..60)][rng.usize(0..2)]).collect();
            let (mut indices, mut blocks, mut at) = (Vec::new(), Vec::new(), rng.i64(-3..4));
            for k in 0..n {
                let block = if rng.u32(0..10) == 0 { rng.u64(1..4) } else { lengths[k % period] };
                indices.push(at);
                blocks.push(block);
                at += i64::try_from(block).unwrap() * step + jumps[k % period] - step;
            }
            Type::idxbuc(step, indices, blocks, child.clone())
        }
    };
    made.expect("small numbers")
}

/// The distance at which a vec goes on; otherwise the extent.
fn continued(ty: &Type) -> i64 {
    match ty.kind() {
        Kind::Vec { count, stride, .. } => i64::try_from(*count).unwrap() * stride,
        _ => ty.extent(),
    }
}

fn random_nest(rng: &mut Rng, elements: u64) -> Type {
    let mut ty = Type::leaf(Basic::CHAR);
    for _ in 0..rng.usize(1..=5) {
        let next = random_node(rng, &ty, 40);
        if next.elements() <= elements && next.true_extent() < 1 << 40 {
            ty = next;
        }
    }
    ty
}

#[test]
fn random_nests_are_optimal_by_laws_alone() {
    let longest = Cell::new(0);
    check(6000, |rng| {
        let ty = random_nest(rng, 3000);
        longest.set(longest.get().max(ty.elements()));
        assert_optimal(&ty, &CostModel::default());
    });
    assert!(longest.get() > 1000);
}

/// The same under any cost model: lists cheaper than vecs, idxbuc cheaper than idx.
#[test]
fn random_nests_are_optimal_by_laws_alone_under_random_cost_models() {
    check(3000, |rng| {
        let ty = random_nest(rng, 1000);
        let lookup = rng.u64(1..4);
        let mut price = || rng.u64(1..20);
        let (leaf, vec, idx, idxbuc) = (price(), price(), price(), price());
        let model = CostModel { leaf, vec, idx, idxbuc, lookup, ..CostModel::default() };
        assert_optimal(&ty, &model);
    });
}

/// Lists past the length that is counted in full, and counts of thousands.
#[test]
fn large_random_nests_are_optimal_by_laws_alone() {
    let longest = Cell::new(0);
    check(400, |rng| {
        let mut ty = Type::leaf(Basic::CHAR);
        for _ in 0..rng.usize(1..=4) {
            let next = random_node(rng, &ty, 3000);
            if next.elements() <= 60_000 && next.true_extent() < 1 << 40 {
                ty = next;
            }
        }
        let list = long_list(rng, &ty);
        let ty = if rng.bool() && list.elements() < 200_000 { list } else { ty };
        longest.set(longest.get().max(ty.elements()));
        assert_optimal(&ty, &CostModel::default());
    });
    assert!(longest.get() > 50_000);
}

/// A list of some thousand entries with two kinds of steps, regular or not.
fn long_list(rng: &mut Rng, child: &Type) -> Type {
    let steps = [continued(child), child.true_extent() + rng.i64(0..9)];
    let (period, odd) = (rng.usize(1..=3), rng.u32(2..60));
    let mut at = 0;
    let list: Vec<i64> = (0..rng.usize(1100..4000))
        .map(|k| {
            let here = at;
            let step = if rng.u32(0..odd) == 0 { rng.usize(0..2) } else { k % period % 2 };
            at += steps[step];
            here
        })
        .collect();
    Type::idx(list, child.clone()).expect("small numbers")
}

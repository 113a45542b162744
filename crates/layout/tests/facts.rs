//! The facts that constructors keep equal those of the flattened type map.

use commloom_layout::{Base, Basic, Type};
use commloom_testkit::oracle::{self, Map};
use commloom_testkit::{Limits, check, corpus, random_path, random_type};

fn facts_hold(ty: &Type) {
    let map = oracle::type_map(ty);
    let bytes = oracle::byte_map(ty, 1);
    let runs = oracle::runs(ty);
    assert_eq!(ty.size(), bytes.len() as u64, "size of {ty:?}");
    assert_eq!(ty.elements(), map.len() as u64, "elements of {ty:?}");
    assert_eq!((ty.lb(), ty.ub()), Map::of(ty).bounds(), "bounds of {ty:?}");
    assert_eq!(ty.extent(), ty.ub() - ty.lb(), "extent of {ty:?}");
    assert_eq!((ty.true_lb(), ty.true_ub()), oracle::true_bounds(ty), "true bounds of {ty:?}");
    assert_eq!(ty.runs(), runs.len() as u64, "runs of {ty:?}");
    assert_eq!(ty.first_byte(), bytes.first().copied().unwrap_or(0), "first byte of {ty:?}");
    assert_eq!(ty.base(), base(&map), "base of {ty:?}");
    let align = map.iter().map(|(b, _)| b.align()).max().unwrap_or(1);
    assert_eq!(ty.align(), align, "alignment of {ty:?}");
    assert_eq!(ty.nodes(), nodes(ty), "nodes of {ty:?}");
    assert_eq!(ty.depth(), depth(ty), "depth of {ty:?}");

    let walked: Vec<(Basic, i64)> = ty.type_map().map(|e| (e.basic, e.displacement)).collect();
    assert_eq!(walked, map, "type map of {ty:?}");
    let walked: Vec<(i64, u64)> = ty.byte_runs().map(|r| (r.displacement, r.length)).collect();
    assert_eq!(walked, runs, "runs of {ty:?}");
    let signature: Vec<Basic> = (ty.signature().runs().iter())
        .flat_map(|&(b, n)| std::iter::repeat_n(b, usize::try_from(n).unwrap()))
        .collect();
    assert_eq!(signature, map.iter().map(|&(b, _)| b).collect::<Vec<_>>(), "{ty:?}");
    assert!(ty.signature().runs().windows(2).all(|w| w[0].0 != w[1].0), "{ty:?}");
    for count in 0..4 {
        let bytes = oracle::byte_map(ty, count);
        let contiguous = bytes.windows(2).all(|w| w[1] == w[0] + 1);
        assert_eq!(ty.is_contiguous(count), contiguous, "{count} x {ty:?}");
    }
}

fn base(map: &[(Basic, i64)]) -> Base {
    match map.first() {
        None => Base::Empty,
        Some(&(b, _)) if map.iter().all(|&(c, _)| c == b) => Base::One(b),
        Some(_) => Base::Mixed,
    }
}

fn nodes(ty: &Type) -> u64 {
    1 + ty.children().iter().map(nodes).sum::<u64>()
}

fn depth(ty: &Type) -> usize {
    1 + ty.children().iter().map(depth).max().unwrap_or(0)
}

#[test]
fn facts_of_random_types_equal_those_of_the_flattened_map() {
    check(20_000, |rng| facts_hold(&random_type(rng, &Limits::default())));
}

#[test]
fn facts_of_random_paths_equal_those_of_the_flattened_map() {
    check(4_000, |rng| facts_hold(&random_path(rng, &Limits::default())));
}

#[test]
fn facts_of_the_corpus_equal_those_of_the_flattened_map() {
    corpus::all(200).iter().for_each(|n| facts_hold(&n.ty));
}

/// Every node over these children, with every small argument: empty, single, touching,
/// overlapping, backwards, gaps.
fn wrap_in_everything(child: &Type) -> Vec<Type> {
    let strides = [-5, -4, -1, 0, 1, 2, 4, 5];
    let lists: &[&[i64]] =
        &[&[], &[0], &[3], &[0, 4], &[4, 0], &[0, 0], &[1, 2, 9], &[0, 4, 8], &[8, 4, 0]];
    let mut all = Vec::new();
    for stride in strides {
        all.extend((0..4).map(|count| Type::vec(count, stride, child.clone())));
        for blocks in [[0, 0], [1, 0], [0, 2], [1, 1], [2, 3]] {
            for indices in [[0, 4], [4, 0], [0, 8], [-3, 1]] {
                all.push(Type::idxbuc(stride, indices, blocks, child.clone()));
            }
        }
    }
    all.extend(lists.iter().map(|&l| Type::idx(l, child.clone())));
    for other in [Type::leaf(Basic::SHORT), Type::vec(0, 1, Type::leaf(Basic::DOUBLE)).unwrap()] {
        for at in [[0, 0], [0, 4], [4, 0], [-2, 1]] {
            all.push(Type::strc(at, [child.clone(), other.clone()]));
            all.push(Type::strc(at, [other.clone(), child.clone()]));
        }
    }
    all.push(Type::strc([], []));
    for (lb, extent) in [(0, 0), (0, 4), (-3, 11), (2, -5), (5, 1)] {
        all.push(Type::resized(lb, extent, child.clone()));
    }
    all.into_iter().map(|t| t.expect("small numbers")).collect()
}

#[test]
fn facts_of_all_small_types_equal_those_of_the_flattened_map() {
    for leaf in [Basic::CHAR, Basic::INT] {
        for one in wrap_in_everything(&Type::leaf(leaf)) {
            facts_hold(&one);
            wrap_in_everything(&one).iter().for_each(facts_hold);
        }
    }
}

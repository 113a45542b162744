//! The MPI constructors against the definitions of the standard.

use commloom_layout::mpi::{self, Distribution, Order};
use commloom_layout::{Basic, LayoutError, Type};
use commloom_testkit::oracle::Map;
use commloom_testkit::oracle::mpi::Call;
use commloom_testkit::random::random_call;
use commloom_testkit::{Limits, check, random_type};

/// Elements in order, and bounds: where an empty part leaves no marker, order of markers is free.
fn assert_same_layout(ty: &Type, literal: &Map, what: &dyn std::fmt::Debug) {
    let map = Map::of(ty);
    assert!(map.elements().eq(literal.elements()), "type map of {what:?}\nbuilt {ty:?}");
    assert_eq!(map.bounds(), literal.bounds(), "bounds of {what:?}\nbuilt {ty:?}");
    assert_eq!((ty.lb(), ty.ub()), literal.bounds(), "bounds of {what:?}\nbuilt {ty:?}");
}

#[test]
fn every_constructor_gives_the_type_map_and_bounds_of_the_standard() {
    let limits = Limits { depth: 2, bytes: 200, span: 2000, ..Limits::default() };
    check(20_000, |rng| {
        let old = random_type(rng, &limits);
        let call = random_call(rng, &old);
        let mut olds = vec![old];
        while olds.len() < call.arity() {
            olds.push(random_type(rng, &limits));
        }
        olds.truncate(call.arity());
        let maps: Vec<Map> = olds.iter().map(Map::of).collect();
        let built = call.build(&olds).expect("small numbers");
        assert_same_layout(&built, &call.literal(&maps), &(call, olds));
    });
}

/// Every box of every array of up to 3 x 3 x 2.
#[test]
fn subarray_equals_the_enumeration_of_the_whole_array() {
    let olds = [
        Type::leaf(Basic::INT),
        Type::resized(-1, 7, Type::leaf(Basic::INT)).unwrap(),
        Type::resized(2, -6, Type::leaf(Basic::INT)).unwrap(),
    ];
    for sizes in [vec![4], vec![3, 4], vec![3, 3, 2]] {
        for (subsizes, starts) in boxes(&sizes) {
            for order in [Order::C, Order::Fortran] {
                for old in &olds {
                    let (sizes, subsizes, starts) =
                        (sizes.clone(), subsizes.clone(), starts.clone());
                    let call = Call::Subarray { sizes, subsizes, starts, order };
                    let built = call.build(std::slice::from_ref(old)).unwrap();
                    assert_same_layout(&built, &call.literal(&[Map::of(old)]), &call);
                }
            }
        }
    }
}

fn boxes(sizes: &[u64]) -> Vec<(Vec<u64>, Vec<u64>)> {
    let Some((&n, rest)) = sizes.split_first() else { return vec![(vec![], vec![])] };
    let mut all = Vec::new();
    for (subsizes, starts) in boxes(rest) {
        for subsize in 1..=n {
            for start in 0..=n - subsize {
                all.push((
                    [vec![subsize], subsizes.clone()].concat(),
                    [vec![start], starts.clone()].concat(),
                ));
            }
        }
    }
    all
}

/// All distributions of all small arrays over all small grids: every element has one owner, and
/// each rank's type is the enumeration of what it owns.
#[test]
fn darray_equals_the_enumeration_of_the_whole_array_and_deals_every_element_once() {
    let old = Type::leaf(Basic::INT);
    for gsizes in [vec![1], vec![5], vec![8], vec![3, 4], vec![5, 2, 3]] {
        for (distributions, psizes) in deals(&gsizes) {
            for order in [Order::C, Order::Fortran] {
                let size: u64 = psizes.iter().product();
                let mut dealt = Vec::new();
                for rank in 0..size {
                    let call = Call::Darray {
                        size,
                        rank,
                        gsizes: gsizes.clone(),
                        distributions: distributions.clone(),
                        psizes: psizes.clone(),
                        order,
                    };
                    let built = call.build(std::slice::from_ref(&old)).unwrap();
                    assert_same_layout(&built, &call.literal(&[Map::of(&old)]), &call);
                    dealt.extend(built.type_map().map(|e| e.displacement));
                }
                dealt.sort_unstable();
                let total = i64::try_from(gsizes.iter().product::<u64>()).unwrap();
                assert_eq!(dealt, (0..total).map(|k| 4 * k).collect::<Vec<_>>());
            }
        }
    }
}

fn deals(gsizes: &[u64]) -> Vec<(Vec<Distribution>, Vec<u64>)> {
    let Some((&n, rest)) = gsizes.split_first() else { return vec![(vec![], vec![])] };
    let mut all = Vec::new();
    let mut ways = vec![(Distribution::None, 1)];
    for p in 1..4 {
        ways.push((Distribution::Block(None), p));
        ways.push((Distribution::Block(Some(n.div_ceil(p) + 1)), p));
        ways.push((Distribution::Cyclic(None), p));
        ways.push((Distribution::Cyclic(Some(2)), p));
    }
    for (distributions, psizes) in deals(rest) {
        for &(way, p) in &ways {
            all.push((
                [vec![way], distributions.clone()].concat(),
                [vec![p], psizes.clone()].concat(),
            ));
        }
    }
    all
}

#[test]
fn a_darray_with_huge_blocks_or_processes_is_exact_and_does_not_overflow() {
    let int = Type::leaf(Basic::INT);
    let deal = |how, n, p: u64, rank| mpi::darray(p, rank, &[n], &[how], &[p], Order::C, &int);
    let huge = u64::MAX;
    let whole = deal(Distribution::Cyclic(Some(huge)), 10, 3, 0).unwrap();
    assert_eq!((whole.size(), whole.extent()), (40, 40));
    let none = deal(Distribution::Cyclic(Some(huge)), 10, 3, 2).unwrap();
    assert_eq!((none.size(), none.extent()), (0, 40));
    let last = deal(Distribution::Cyclic(None), 10, huge, 9).unwrap();
    assert_eq!(last.type_map().map(|e| e.displacement).collect::<Vec<_>>(), [36]);
    assert_eq!(deal(Distribution::Block(Some(huge)), 10, huge, huge - 1).unwrap().size(), 0);
    let too_long = deal(Distribution::Block(None), huge, 1, 0);
    assert!(matches!(too_long, Err(LayoutError::Overflow { .. })), "{too_long:?}");
}

#[test]
fn arguments_that_mpi_forbids_are_refused_with_their_numbers() {
    let int = Type::leaf(Basic::INT);
    let out_of_range = |r: Result<Type, LayoutError>, given: i64, min: i64, max: i64| match r {
        Err(LayoutError::OutOfRange { given: g, min: a, max: b, .. }) => {
            assert_eq!((g, a, b), (given, min, max));
        }
        other => panic!("{other:?}"),
    };
    let sub = |sizes: &[u64], subsizes: &[u64], starts: &[u64]| {
        mpi::subarray(sizes, subsizes, starts, Order::C, &int)
    };
    out_of_range(sub(&[4], &[5], &[0]), 5, 1, 4);
    out_of_range(sub(&[4], &[0], &[0]), 0, 1, 4);
    out_of_range(sub(&[0], &[1], &[0]), 0, 1, i64::MAX);
    out_of_range(sub(&[4], &[2], &[3]), 3, 0, 2);
    out_of_range(sub(&[], &[], &[]), 0, 1, i64::MAX);
    let arr = |size, rank, how, p| mpi::darray(size, rank, &[10], &[how], &[p], Order::C, &int);
    out_of_range(arr(3, 3, Distribution::Block(None), 3), 3, 0, 2);
    out_of_range(arr(4, 0, Distribution::Block(None), 3), 4, 3, 3);
    out_of_range(arr(3, 0, Distribution::Block(Some(3)), 3), 3, 4, i64::MAX);
    out_of_range(arr(3, 0, Distribution::Cyclic(Some(0)), 3), 0, 1, i64::MAX);
    out_of_range(arr(3, 0, Distribution::None, 3), 3, 1, 1);

    let lengths = |r: Result<Type, LayoutError>| match r {
        Err(LayoutError::LengthMismatch { left, right, .. }) => (left, right),
        other => panic!("{other:?}"),
    };
    assert_eq!(lengths(mpi::indexed(&[1, 2], &[0], &int)), (1, 2));
    assert_eq!(lengths(mpi::hindexed(&[1, 1], &[0], &int)), (1, 2));
    assert_eq!(lengths(mpi::structure(&[1], &[0, 1], std::slice::from_ref(&int))), (2, 1));
    assert_eq!(lengths(mpi::structure(&[1, 1], &[0], std::slice::from_ref(&int))), (2, 1));
    assert_eq!(lengths(sub(&[1, 2], &[1], &[0])), (2, 1));
    let grid = mpi::darray(1, 0, &[4], &[], &[1], Order::C, &int);
    assert_eq!(lengths(grid), (1, 0));
}

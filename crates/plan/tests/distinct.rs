//! `Plan::names_bytes_once`: never yes where a byte is named twice, and yes for the layouts that
//! applications unpack.

use commloom_layout::mpi::{self, Order};
use commloom_layout::{Basic, LayoutError, Type};
use commloom_plan::{Plan, Target};
use commloom_testkit::{Limits, check, oracle, random_path, random_type};

#[test]
fn a_byte_that_is_named_twice_is_never_overlooked() {
    let (mut proven, mut distinct) = (0u32, 0u32);
    let counts = std::cell::Cell::new((0u32, 0u32));
    check(6000, |rng| {
        let limits = Limits { bytes: rng.u64(1..300), ..Limits::default() };
        let ty = if rng.bool() { random_type(rng, &limits) } else { random_path(rng, &limits) };
        let count = rng.u64(1..4);
        let plan = Plan::packed(&ty, count, &Target::PORTABLE).expect("small");
        let (once, overlaps) = (plan.names_bytes_once(), oracle::overlaps(&ty, count));
        assert!(!(once && overlaps), "{count} x {ty:?}\n{plan}");
        let (p, d) = counts.get();
        counts.set((p + u32::from(once), d + u32::from(!overlaps)));
    });
    (proven, distinct) = (proven + counts.get().0, distinct + counts.get().1);
    assert!(proven * 10 >= distinct * 9, "proven for {proven} of {distinct} random layouts");
}

#[track_caller]
fn once(ty: Result<Type, LayoutError>) -> bool {
    let plan = Plan::packed(&ty.expect("valid"), 1, &Target::PORTABLE).expect("fits");
    let answer = plan.names_bytes_once();
    assert_eq!(plan.clone().names_bytes_once(), answer);
    answer
}

#[test]
fn layouts_of_applications_are_proven() {
    let double = || Type::leaf(Basic::DOUBLE);
    // A transposed matrix: columns of rows, every step inside the span of the other loop.
    let column = Type::vec(100, 800, double()).expect("valid");
    assert!(once(Type::vec(100, 8, column.clone())));
    assert!(once(Type::vec(100, -8, column.clone())));
    assert!(!once(Type::vec(101, 8, column)));
    // A random list, out of order.
    let list: Vec<i64> = (0..1000).map(|i| i * 7919 % 1009 * 8).collect();
    assert!(once(Type::idx(list.clone(), double())));
    let twice: Vec<i64> = list.into_iter().chain([7919 * 500 % 1009 * 8]).collect();
    assert!(!once(Type::idx(twice, double())));
    // Fields of an array of structures, field by field.
    let field = |bytes: u64| Type::vec(bytes, 1, Type::leaf(Basic::BYTE)).expect("valid");
    let fields = |at: i64, n: u64| Type::vec(n, 32, field(8)).map(|ty| (at, ty)).expect("valid");
    let soa = |parts: [(i64, Type); 3]| {
        let (places, types): (Vec<i64>, Vec<Type>) = parts.into_iter().unzip();
        Type::strc(places, types)
    };
    assert!(once(soa([fields(0, 100), fields(24, 99), fields(3208, 50)])));
    assert!(!once(soa([fields(0, 100), fields(12, 99), fields(3204, 50)])));
    // A subarray of four dimensions.
    let (sizes, part, starts) = ([9, 10, 11, 12], [3, 4, 5, 6], [1, 2, 3, 4]);
    assert!(once(mpi::subarray(&sizes, &part, &starts, Order::C, &double())));
}

#[test]
fn shared_parts_are_looked_at_once() {
    // A tree of 2^60 leaves in 60 shared nodes.
    let mut ty =
        Type::strc([0, 5], [Type::leaf(Basic::BYTE), Type::leaf(Basic::SHORT)]).expect("valid");
    for _ in 0..50 {
        let (end, other) = (ty.true_ub(), ty.clone());
        ty = Type::strc([0, end + 1], [ty, other]).expect("valid");
        ty = Type::strc([0, ty.true_ub() + 3], [ty, Type::leaf(Basic::BYTE)]).expect("valid");
    }
    let plan = Plan::packed(&ty, 1, &Target::PORTABLE).expect("fits");
    assert!(plan.names_bytes_once());
}

//! The plan cache: the same plans as without it, shared, bounded in bytes, from many threads.

use commloom_layout::{Basic, Type};
use commloom_plan::{Plan, PlanCache, PlanError, Target};
use commloom_testkit::{Limits, check, random_type};

const WIDE: Target = Target { vector: 64, ..Target::PORTABLE };

fn column(count: u64) -> Type {
    Type::vec(count, 24, Type::leaf(Basic::DOUBLE)).expect("valid")
}

/// A list that no loop describes.
fn list(n: i64, seed: i64) -> Type {
    Type::idx(
        (0..n).map(|i| 64 * i + 8 * (i * seed % 7)).collect::<Vec<_>>(),
        Type::leaf(Basic::INT),
    )
    .expect("valid")
}

/// Whether two plans are one in memory.
fn shared(a: &Plan, b: &Plan) -> bool {
    std::ptr::eq(a.root(), b.root())
}

#[test]
fn plans_are_those_of_the_type_the_count_and_the_target() {
    let cache = PlanCache::new(200_000);
    check(2000, |rng| {
        let ty = random_type(rng, &Limits { bytes: 300, ..Limits::default() });
        let target = if rng.bool() { WIDE } else { Target::PORTABLE };
        let count = rng.u64(0..4);
        let made = Plan::packed(&ty, count, &target);
        assert_eq!(cache.get(&ty, count, &target), made, "{count} x {ty:?}");
        assert_eq!(cache.get(&ty, count, &target), made, "again: {count} x {ty:?}");
    });
}

#[test]
fn equal_keys_share_one_plan_and_others_do_not() {
    let cache = PlanCache::new(1 << 20);
    let plan = cache.get(&column(10), 3, &WIDE).expect("fits");
    // Another tree of the same description, and another thread.
    assert!(shared(&plan, &cache.get(&column(10), 3, &WIDE).expect("fits")));
    std::thread::scope(|scope| {
        let there = scope.spawn(|| cache.get(&column(10), 3, &WIDE).expect("fits"));
        assert!(shared(&plan, &there.join().expect("no panic")));
    });
    for other in [
        cache.get(&column(11), 3, &WIDE),
        cache.get(&column(10), 4, &WIDE),
        cache.get(&column(10), 3, &Target::PORTABLE),
    ] {
        assert!(!shared(&plan, &other.expect("fits")));
    }
    assert_eq!(cache.with(&column(10), 3, &WIDE, Plan::bytes), Ok(240));
    // A plan inside a plan.
    let nested = cache.with(&column(10), 3, &WIDE, |outer| {
        cache.with(&column(12), 1, &WIDE, |inner| outer.bytes() + inner.bytes())
    });
    assert_eq!(nested, Ok(Ok(240 + 96)));
}

#[test]
fn the_bound_is_in_bytes_and_what_is_used_stays() {
    let cache = PlanCache::new(100_000);
    let kept = list(1000, 3);
    let first = cache.get(&kept, 1, &WIDE).expect("fits");
    assert!(cache.bytes() > 12_000, "lists count: {}", cache.bytes());
    let mut most = 0;
    for i in 0..100 {
        cache.get(&list(1000 + i, 5), 1, &WIDE).expect("fits");
        cache.get(&kept, 1, &WIDE).expect("fits");
        most = most.max(cache.bytes());
        assert!(cache.bytes() <= 100_000);
    }
    assert!(most > 50_000, "only {most} bytes are used");
    // Too large for the cache: a plan, but not kept.
    let (before, huge) = (cache.bytes(), list(50_000, 3));
    assert!(cache.get(&huge, 1, &WIDE).is_ok());
    assert_eq!(cache.bytes(), before);
    let again = cache.get(&kept, 1, &WIDE).expect("fits");
    assert!(shared(&first, &again), "a plan in use was dropped");
}

#[test]
fn errors_are_given_again() {
    let cache = PlanCache::new(1 << 20);
    for _ in 0..2 {
        let error = cache.get(&column(1), u64::MAX, &WIDE);
        assert!(matches!(error, Err(PlanError::Count { count: u64::MAX, .. })));
    }
    assert_eq!(cache.bytes(), 0);
}

#[test]
fn threads_that_fill_one_small_cache_get_their_own_plans() {
    let cache = PlanCache::new(30_000);
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let cache = &cache;
            scope.spawn(move || {
                for i in 0..2000 {
                    let (count, copies) = (2 + (i * 7 + thread * 3) % 50, 1 + i % 5);
                    let plan = cache.get(&column(count), copies, &WIDE).expect("fits");
                    assert_eq!(plan.bytes(), 8 * count * copies);
                }
            });
        }
    });
    assert!(cache.bytes() <= 30_000);
}

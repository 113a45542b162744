//! Guideline GL1: a count and a type are planned as the contiguous type.

use commloom_layout::{CostModel, mpi};
use commloom_plan::{Plan, Target};
use commloom_reconstruct::{Constructors, normalize, normalize_many};
use commloom_testkit::random::Limits;
use commloom_testkit::{check, random_type};

#[test]
fn the_plan_of_a_count_and_a_type_is_that_of_the_contiguous_type() {
    check(3000, |rng| {
        let ty = random_type(rng, &Limits { bytes: 500, ..Limits::default() });
        let count = if rng.bool() { rng.u64(0..6) } else { rng.u64(0..1 << 20) };
        let Ok(all) = mpi::contiguous(count, &ty) else { return };
        let target = Target::default();
        let planned = Plan::packed(&ty, count, &target);
        assert_eq!(planned, Plan::packed(&all, 1, &target), "{count} {ty:?}");
        // And so normalized: whoever normalizes first gets one plan for both.
        let model = CostModel::default();
        let many = normalize_many(count, &ty, Constructors::Extended, &model).unwrap();
        let one = normalize(&all, Constructors::Extended, &model).unwrap();
        assert_eq!(Plan::packed(&many.ty, 1, &target), Plan::packed(&one.ty, 1, &target));
        // What is moved stays the same.
        let (before, after) = (planned.unwrap(), Plan::packed(&many.ty, 1, &target).unwrap());
        assert_eq!((before.bytes(), before.bounds()), (after.bytes(), after.bounds()));
        assert_eq!(before.cost_estimate().runs, after.cost_estimate().runs);
    });
}

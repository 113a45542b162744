//! Random types of all constructors against the naive byte-by-byte oracle.

mod common;

use commloom_layout::Type;
use commloom_pack::{Plan, pack, reference, unpack};
use commloom_plan::Target;
use commloom_testkit::{
    Limits, Rng, check, memory_for, oracle, random_path, random_type, without_margin,
};
use common::targets;

/// Packs and unpacks everything at once and compares with the oracle and the reference.
fn agrees(ty: &Type, count: u64, target: &Target) {
    let plan = Plan::packed(ty, count, target).expect("random types are small");
    let (memory, origin) = memory_for(ty, count);
    let expected = oracle::pack(ty, count, &memory, origin);
    let bytes = plan.bytes();
    assert_eq!(usize::try_from(bytes), Ok(expected.len()), "packed size of {count} x {ty:?}");

    let mut packed = vec![0; expected.len()];
    let (mut tight, first) = without_margin((&memory, origin));
    pack(&plan, &tight, first, 0..bytes, &mut packed).expect("the buffers fit");
    assert_eq!(packed, expected, "pack of {count} x {ty:?}\n{plan}");

    packed.fill(0);
    reference::pack(&plan, &memory, origin, 0..bytes, &mut packed).expect("the buffers fit");
    assert_eq!(packed, expected, "reference pack of {count} x {ty:?}\n{plan}");

    if oracle::overlaps(ty, count) {
        return;
    }
    let stream: Vec<u8> = expected.iter().map(|b| b.wrapping_mul(5).wrapping_add(3)).collect();
    let mut expected = memory.clone();
    oracle::unpack(ty, count, &stream, &mut expected, origin);
    let mut result = memory.clone();
    unpack(&plan, &mut result, origin, 0..bytes, &stream).expect("the buffers fit");
    assert_eq!(result, expected, "unpack of {count} x {ty:?}\n{plan}");
    unpack(&plan, &mut tight, first, 0..bytes, &stream).expect("the buffers fit");
    assert_eq!(tight, without_margin((&expected, origin)).0, "unpack of {count} x {ty:?}\n{plan}");

    let mut result = memory;
    reference::unpack(&plan, &mut result, origin, 0..bytes, &stream).expect("the buffers fit");
    assert_eq!(result, expected, "reference unpack of {count} x {ty:?}\n{plan}");
}

fn limits(rng: &mut Rng) -> Limits {
    Limits { overlaps: rng.u32(0..4) == 0, bytes: rng.u64(1..3000), ..Limits::default() }
}

#[test]
fn random_types_pack_and_unpack_as_the_oracle_does_for_every_machine() {
    let targets = targets();
    check(1500, |rng| {
        let limits = limits(rng);
        let ty = random_type(rng, &limits);
        let target = &targets[rng.usize(0..targets.len())];
        for count in 0..=3 {
            agrees(&ty, count, target);
        }
    });
}

#[test]
fn random_paths_pack_and_unpack_as_the_oracle_does_for_every_machine() {
    let targets = targets();
    check(1500, |rng| {
        let limits = limits(rng);
        let ty = random_path(rng, &limits);
        for target in &targets {
            agrees(&ty, rng.u64(0..12), target);
        }
    });
}

#[test]
fn the_plan_of_a_count_moves_what_the_plan_of_contiguous_moves() {
    check(500, |rng| {
        let ty = random_type(rng, &Limits::default());
        let count = rng.u64(0..5);
        let all = commloom_layout::mpi::contiguous(count, &ty).expect("small");
        let (a, b) =
            (Plan::packed(&ty, count, &Target::PORTABLE), Plan::packed(&all, 1, &Target::PORTABLE));
        assert_eq!(
            a.expect("small").to_string(),
            b.expect("small").to_string(),
            "{count} x {ty:?}"
        );
    });
}

#[test]
fn bounds_and_runs_are_those_of_the_type_map() {
    check(1000, |rng| {
        let ty = random_type(rng, &Limits::default());
        let plan = Plan::packed(&ty, 1, &Target::PORTABLE).expect("small");
        let runs: Vec<(i64, u64)> =
            plan.runs(0..plan.bytes()).map(|run| (run.a, run.length)).collect();
        assert_eq!(runs, oracle::runs(&ty), "{ty:?}\n{plan}");
        assert_eq!(plan.cost_estimate().runs, ty.runs());
        if ty.size() > 0 {
            assert_eq!(plan.bounds(), ty.true_lb()..ty.true_ub(), "{ty:?}\n{plan}");
        }
    });
}

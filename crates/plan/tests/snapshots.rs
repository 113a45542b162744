//! The form of plans: merged, collapsed, and with the kernel that was chosen.

use commloom_layout::{Basic, Type, mpi};
use commloom_plan::{Plan, PlanError, Target};

const WIDE: Target = Target { vector: 64, ..Target::PORTABLE };

fn int() -> Type {
    Type::leaf(Basic::INT)
}

fn double() -> Type {
    Type::leaf(Basic::DOUBLE)
}

fn text(ty: Result<Type, commloom_layout::LayoutError>, count: u64, target: &Target) -> String {
    Plan::packed(&ty.expect("valid"), count, target).expect("fits").to_string()
}

#[track_caller]
fn shows(ty: Result<Type, commloom_layout::LayoutError>, count: u64, expected: &str) {
    assert_eq!(text(ty, count, &Target::PORTABLE).trim_end(), expected);
}

#[test]
fn contiguous_types_are_one_block_whatever_they_are_made_of() {
    let row = mpi::contiguous(10, &double()).expect("valid");
    shows(
        mpi::vector(5, 2, 2, &row),
        3,
        "plan: 2400 bytes in 1 runs, from 0, in 0..2400\n  block 2400",
    );
    let pair = Type::strc([0, 4], [int(), int()]);
    shows(pair, 7, "plan: 56 bytes in 1 runs, from 0, in 0..56\n  block 56");
}

#[test]
fn a_count_of_a_resized_block_is_one_loop() {
    let unit = mpi::contiguous(2, &int()).and_then(|t| mpi::resized(0, 16, &t));
    shows(
        unit,
        1000,
        "plan: 8000 bytes in 1000 runs, from 0, in 0..15992\n  \
         loop 1000 stride 16: rows of 8\n    block 8",
    );
}

#[test]
fn loops_that_continue_each_other_collapse() {
    let inner = Type::vec(4, 16, double()).expect("valid");
    shows(
        Type::vec(5, 64, inner.clone()),
        1,
        "plan: 160 bytes in 20 runs, from 0, in 0..312\n  loop 20 stride 16: rows of 8\n    \
         block 8",
    );
    // Two tiled parts in a struct (expectation test 5) are one tiled layout.
    shows(
        Type::strc([0, 64], [inner.clone(), Type::vec(3, 16, double()).expect("valid")]),
        1,
        "plan: 56 bytes in 7 runs, from 0, in 0..104\n  loop 7 stride 16: rows of 8\n    block 8",
    );
    // Listed element by element, but regular.
    shows(
        Type::idx([0, 8, 32, 40, 64, 72], double()),
        1,
        "plan: 48 bytes in 3 runs, from 0, in 0..80\n  loop 3 stride 32: rows of 16\n    block 16",
    );
}

#[test]
fn a_period_of_two_blocks_is_one_loop() {
    let unit = mpi::indexed(&[1, 3], &[0, 4], &int()).and_then(|t| mpi::resized(0, 32, &t));
    shows(
        unit,
        100,
        "plan: 1600 bytes in 200 runs, from 0, in 0..3196\n  \
         loop 100 stride 32: period 4@0 12@16, tile 341\n    seq 2 at <0, 16>\n      \
         block 4\n      block 12",
    );
}

#[test]
fn a_wide_machine_moves_small_periods_by_programs() {
    let unit = mpi::contiguous(2, &int()).and_then(|t| mpi::resized(0, 16, &t));
    assert_eq!(
        text(unit, 1000, &WIDE).trim_end(),
        "plan: 8000 bytes in 1000 runs, from 0, in 0..15992\n  loop 1000 stride 16: \
         pack 40 by 5 vectors of two windows, unpack 20 by 5 vectors in a row, \
         else rows of 8\n    block 8"
    );
    // A stride of three bytes needs byte permutations.
    let bytes = Type::vec(1000, 3, Type::leaf(Basic::BYTE));
    assert!(text(bytes.clone(), 1, &WIDE).contains("stride 3: rows of 1\n"));
    let permute = Target { byte_permute: true, ..WIDE };
    assert!(text(bytes, 1, &permute).contains("unpack"));
}

#[test]
fn a_period_whose_end_touches_the_next_is_rotated() {
    // Bytes 0..4 and 8..12 of every 12: inside, 8..16 is one run.
    let unit = Type::strc([0, 8], [int(), int()]).and_then(|t| Type::resized(0, 12, t));
    shows(
        unit,
        10,
        "plan: 80 bytes in 11 runs, from 0, in 0..120\n  seq 3 at <0, 8, 116>\n    block 4\n    \
         loop 9 stride 12: rows of 8\n      block 8\n    block 4",
    );
}

#[test]
fn irregular_lists_keep_their_shape() {
    shows(
        Type::idx([8, 0, 24], double()),
        1,
        "plan: 24 bytes in 3 runs, from 8, in 0..32\n  list 3 at <0, -8, 16>: rows of 8\n    \
         block 8",
    );
    let blocks = [2, 1, 3, 1, 1, 1, 1, 1, 1];
    let places = [0, 3, 7, 20, 30, 41, 50, 60, 70];
    shows(
        mpi::indexed(&blocks, &places, &int()),
        1,
        "plan: 48 bytes in 9 runs, from 0, in 0..284\n  \
         runs 9 at <0, 12, 28, 80, 120, 164, 200, 240, ...> of <8, 4, 12, 4, 4, 4, 4, 4, ...>",
    );
    shows(
        Type::idxbuc(16, [0, 100], [2, 3], double()),
        1,
        "plan: 40 bytes in 5 runs, from 0, in 0..140\n  \
         buckets 2 at <0, 100> of <2, 3> stride 16: rows of 8\n    block 8",
    );
}

#[test]
fn nested_loops_are_one_kernel_call_per_plane() {
    let line = mpi::hvector(6, 1, 80, &double()).expect("valid");
    shows(
        mpi::hvector(5, 1, 1000, &line),
        1,
        "plan: 240 bytes in 30 runs, from 0, in 0..4408\n  \
         loop 5 stride 1000: rows of 6 x 8 stride 80\n    loop 6 stride 80: rows of 8\n      \
         block 8",
    );
}

#[test]
fn empty_types_have_an_empty_plan() {
    for (ty, count) in [(int(), 0), (Type::vec(0, 8, int()).expect("valid"), 5)] {
        let plan = Plan::packed(&ty, count, &Target::PORTABLE).expect("fits");
        assert_eq!((plan.bytes(), plan.bounds(), plan.is_contiguous()), (0, 0..0, true));
        assert_eq!(plan.runs(0..10).count(), 0);
    }
}

#[test]
fn a_count_that_does_not_fit_is_an_error() {
    let error = Plan::packed(&double(), u64::MAX, &Target::PORTABLE).expect_err("2^67 bytes");
    assert!(matches!(error, PlanError::Count { count: u64::MAX, .. }), "{error}");
    let far = Type::vec(3, i64::MAX / 3, int()).expect("valid");
    assert!(Plan::packed(&far, 2, &Target::PORTABLE).is_err());
}

#[test]
fn shared_parts_are_lowered_once() {
    // A tree of 2^40 leaves in 40 shared nodes: different halves, so that nothing merges.
    let mut ty = Type::strc([0, 5], [int(), double()]).expect("valid");
    for _ in 0..40 {
        let (extent, other) = (ty.true_ub(), ty.clone());
        let gap = Type::vec(2, extent + 3, other).expect("valid");
        ty = Type::strc([0, extent + 1], [ty, gap]).expect("valid");
        if ty.size() > 1 << 50 {
            break;
        }
    }
    let plan = Plan::packed(&ty, 1, &Target::PORTABLE).expect("fits");
    assert_eq!((plan.bytes(), plan.bounds()), (ty.size(), ty.true_lb()..ty.true_ub()));
    let middle = plan.bytes() / 2;
    assert_eq!(plan.runs(middle..middle + 100).map(|run| run.length).sum::<u64>(), 100);
}

//! The form of copies between two layouts and of transposes, and their kernels.

use commloom_layout::{Basic, Type};
use commloom_plan::{CopyPlan, Plan, Target};

const WIDE: Target = Target { vector: 64, ..Target::PORTABLE };

fn double() -> Type {
    Type::leaf(Basic::DOUBLE)
}

fn bytes(n: u64) -> Type {
    Type::vec(n, 1, Type::leaf(Basic::BYTE)).expect("valid")
}

fn vec(count: u64, stride: i64, ty: Type) -> Type {
    Type::vec(count, stride, ty).expect("valid")
}

/// 100 doubles at places that no loop describes.
fn list() -> Type {
    Type::idx((0..100i64).map(|i| 20 * i + i * i % 3).collect::<Vec<_>>(), double()).expect("valid")
}

fn text(from: &Type, to: &Type, target: &Target) -> String {
    CopyPlan::between(from, 1, to, 1, target).expect("equal sizes").to_string()
}

#[track_caller]
fn shows(from: &Type, to: &Type, expected: &[&str]) {
    let text = text(from, to, &Target::PORTABLE);
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_pack_and_an_unpack_are_copies_to_and_from_the_contiguous_layout() {
    shows(
        &vec(1000, 16, double()),
        &bytes(8000),
        &[
            "copy: 8000 bytes, from 0 in 0..15992, to 0 in 0..8000",
            "  pack",
            "    loop 1000 stride 16: rows of 8",
            "      block 8",
        ],
    );
    shows(
        &bytes(8000),
        &vec(1000, 16, double()),
        &[
            "copy: 8000 bytes, from 0 in 0..8000, to 0 in 0..15992",
            "  unpack",
            "    loop 1000 stride 16: rows of 8",
            "      block 8",
        ],
    );
}

#[test]
fn equal_counts_descend_together() {
    shows(
        &vec(100, 40, bytes(24)),
        &vec(100, 64, bytes(24)),
        &[
            "copy: 2400 bytes, from 0 in 0..3984, to 0 in 0..6360",
            "  loop 100 from stride 40 to stride 64: grid of 24, *100 at 40/64",
            "    block 24",
        ],
    );
}

#[test]
fn counts_with_a_common_factor_are_split() {
    shows(
        &vec(3000, 24, bytes(20)),
        &vec(1000, 100, bytes(60)),
        &[
            "copy: 60000 bytes, from 0 in 0..71996, to 0 in 0..99960",
            "  loop 1000 from stride 72 to stride 100: period 20@0/0 20@24/20 20@48/40, tile 95",
            "    pack",
            "      loop 3 stride 24: rows of 20",
            "        block 20",
        ],
    );
}

#[test]
fn blocks_of_two_and_three_parts_are_one_period() {
    shows(
        &vec(300, 44, bytes(40)),
        &vec(200, 64, bytes(60)),
        &[
            "copy: 12000 bytes, from 0 in 0..13196, to 0 in 0..12796",
            "  loop 100 from stride 132 to stride 128: period 40@0/0 20@44/40 20@64/64 40@88/84, \
             tile 63",
            "    seq 4 from <0, 44, 64, 88> to <0, 40, 64, 84>",
            "      block 40",
            "      block 20",
            "      block 20",
            "      block 40",
        ],
    );
}

#[test]
fn a_transpose_of_parts_of_two_matrices_is_one_kernel() {
    shows(
        &vec(1000, 8192, vec(500, 8, double())),
        &vec(1000, 8, vec(500, 8000, double())),
        &[
            "copy: 4000000 bytes, from 0 in 0..8187808, to 0 in 0..4000000",
            "  loop 1000 from stride 8192 to stride 8: transpose 500 x 1000 of 8, a 8/8192, \
             b 8000/8, block 512, along b",
            "    unpack",
            "      loop 500 stride 8000: rows of 8",
            "        block 8",
        ],
    );
}

#[test]
fn loops_that_both_sides_walk_badly_are_interchanged() {
    shows(
        &vec(100, 8, vec(50, 1000, double())),
        &vec(100, 8, vec(50, 2000, double())),
        &[
            "copy: 40000 bytes, from 0 in 0..49800, to 0 in 0..98800",
            "  loop 100 from stride 8 to stride 8: grid of 8, 50 at 1000/2000, *100 at 8/8",
            "    loop 50 from stride 1000 to stride 2000: grid of 8, *50 at 1000/2000",
            "      block 8",
        ],
    );
}

#[test]
fn a_list_meets_a_loop_block_by_block() {
    shows(
        &list(),
        &vec(100, 16, double()),
        &[
            "copy: 800 bytes, from 0 in 0..1988, to 0 in 0..1592",
            "  loop 100 from <0, 21, 41, 60, 81, 101, 120, 141, ...> to stride 16: blocks of 8",
            "    block 8",
        ],
    );
}

#[test]
fn what_has_nothing_in_common_is_staged() {
    shows(
        &list(),
        &vec(50, 24, bytes(16)),
        &[
            "copy: 800 bytes, from 0 in 0..1988, to 0 in 0..1192",
            "  staged by 5456 bytes",
            "    list 100 at <0, 21, 41, 60, 81, 101, 120, 141, ...>: rows of 8",
            "      block 8",
            "    loop 50 stride 24: rows of 16",
            "      block 16",
        ],
    );
}

#[test]
fn few_runs_meet_one_by_one() {
    shows(
        &Type::strc([0, 100], [bytes(80), bytes(100)]).expect("valid"),
        &vec(2, 300, bytes(90)),
        &[
            "copy: 180 bytes, from 0 in 0..200, to 0 in 0..390",
            "  seq 3 from <0, 100, 110> to <0, 80, 300>",
            "    block 80",
            "    block 10",
            "    block 90",
        ],
    );
}

#[test]
fn steps_of_a_struct_take_their_part_of_a_loop() {
    shows(
        &Type::strc([0, 100], [bytes(80), vec(92, 90, bytes(60))]).expect("valid"),
        &vec(1400, 8, bytes(4)),
        &[
            "copy: 5600 bytes, from 0 in 0..8350, to 0 in 0..11196",
            "  seq 2 from <0, 100> to <0, 160>",
            "    unpack",
            "      loop 20 stride 8: rows of 4",
            "        block 4",
            "    loop 92 from stride 90 to stride 120: grid of 4, *92 at 90/120, 15 at 4/8",
            "      unpack",
            "        loop 15 stride 8: rows of 4",
            "          block 4",
        ],
    );
}

#[test]
fn small_words_go_through_a_buffer_where_programs_move_them() {
    let (from, to) = (vec(1000, 8, bytes(4)), vec(1000, 12, bytes(4)));
    assert!(text(&from, &to, &WIDE).contains("\n  staged by 5460 bytes\n"));
    assert!(text(&from, &to, &Target::PORTABLE).contains("grid of 4, *1000 at 8/12\n"));
}

#[test]
fn long_runs_of_one_side_need_no_buffer() {
    let long = Type::idxbuc(1, [0, 9000, 20000], [5000, 6000, 7000], bytes(1)).expect("valid");
    let short = Type::idx((0..300i64).map(|i| 70 * i + i % 2).collect::<Vec<_>>(), bytes(60));
    let short = short.expect("valid");
    let unpacked = text(&vec(9, 3000, bytes(2800)), &vec(400, 65, bytes(63)), &WIDE);
    assert!(unpacked.contains("unpacked run by run of the source"), "{unpacked}");
    assert!(text(&long, &short, &WIDE).contains("unpacked run by run of the source"));
    assert!(text(&short, &long, &WIDE).contains("packed run by run of the destination"));
}

#[test]
fn a_matrix_packed_column_by_column_is_tiled() {
    let columns = |n: u64, line: i64| vec(n, 8, vec(n, line, double()));
    let kernel = |ty: &Type| {
        let plan = Plan::packed(ty, 1, &WIDE).expect("fits").to_string();
        plan.lines().nth(1).expect("a loop").trim().to_owned()
    };
    assert_eq!(
        kernel(&columns(500, 4000)),
        "loop 500 stride 8: transpose 500 x 500 of 8, a 8/4000, b 4000/8, block 64"
    );
    // Lines that fall into the same sets of the cache are finished sooner.
    assert_eq!(
        kernel(&columns(500, 4096)),
        "loop 500 stride 8: transpose 500 x 500 of 8, a 8/4096, b 4000/8, block 512"
    );
    // Three dimensions from back to front.
    assert_eq!(
        kernel(&vec(60, 8, vec(50, 480, vec(40, 24000, double())))),
        "loop 60 stride 8: transpose 60 x 40 of 8, a 8/24000, b 16000/8, 50 at 480/320, block 64"
    );
    // Too small, or nothing near on the other side.
    assert!(kernel(&columns(3, 4096)).contains("rows"));
    assert!(kernel(&vec(500, 100, vec(500, 60_000, double()))).contains("rows"));
}

#[test]
fn shared_parts_do_not_make_a_copy_long() {
    // 2^40 different places of few shared parts, against a loop: more pairs than anyone has time
    // for.
    let mut ty = Type::strc([0, 5], [bytes(4), double()]).expect("valid");
    while ty.size() < 1 << 40 {
        let (extent, other) = (ty.true_ub(), ty.clone());
        let gap = vec(2, extent + 3, other);
        ty = Type::strc([0, extent + 1], [ty, gap]).expect("valid");
    }
    let plain = vec(ty.size() / 4, 8, bytes(4));
    for (from, to) in [(&ty, &plain), (&plain, &ty), (&ty, &ty)] {
        let plan = CopyPlan::between(from, 1, to, 1, &WIDE).expect("fits");
        let (middle, mut seen) = (plan.bytes() / 2, 0);
        plan.cut(middle..middle + 1000, |_| seen += 1);
        assert!((1..200).contains(&seen), "{seen} pieces");
    }
}

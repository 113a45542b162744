//! Transposes: every small matrix of every element, three dimensions, cuts, guard pages.

mod common;

use commloom_layout::{Basic, Type};
use commloom_pack::{CopyPlan, Plan, copy, pack, pack_raw, unpack, unpack_raw};
use commloom_plan::{Kernel, Target};
use commloom_testkit::{check, memory_for, oracle};
use common::guarded::{Guarded, Side};
use common::targets;

fn block(length: u64) -> Type {
    Type::vec(length, 1, Type::leaf(Basic::BYTE)).expect("valid")
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).expect("small")
}

fn index(n: u64) -> usize {
    usize::try_from(n).expect("small")
}

/// A matrix of `rows` rows, `line` bytes apart, column by column.
fn columns(rows: u64, columns: u64, length: u64, line: i64) -> Type {
    let column = Type::vec(rows, line, block(length)).expect("valid");
    Type::vec(columns, signed(length), column).expect("valid")
}

/// One machine per instruction set; caches so small that whatever can be tiled is.
fn machines() -> [Target; 3] {
    [16, 32, 64].map(|vector| Target { vector, l1: 64, ..Target::PORTABLE })
}

fn moves_right(ty: &Type, target: &Target) {
    let plan = Plan::packed(ty, 1, target).expect("small");
    let (memory, origin) = memory_for(ty, 1);
    let expected = oracle::pack(ty, 1, &memory, origin);
    let mut packed = vec![0; expected.len()];
    pack(&plan, &memory, origin, 0..plan.bytes(), &mut packed).expect("fits");
    assert!(packed == expected, "pack\n{plan}");
    let mut result = vec![0xAA; memory.len()];
    let mut correct = result.clone();
    unpack(&plan, &mut result, origin, 0..plan.bytes(), &packed).expect("fits");
    oracle::unpack(ty, 1, &packed, &mut correct, origin);
    assert!(result == correct, "unpack\n{plan}");
}

#[test]
fn every_small_matrix_of_every_element() {
    // Too many for the oracle of types: element (row, column) lies at row * width + column.
    let memory: Vec<u8> =
        (0..100_000u32).map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    let mut packed = vec![0; memory.len()];
    let mut result = vec![0; memory.len()];
    let mut tiled = 0;
    for target in machines() {
        for length in [1, 2, 3, 4, 8, 16, 24, 40] {
            for rows in 1..=40 {
                for width in 1..=40 {
                    let line = (width + 1) * length;
                    let plan =
                        Plan::packed(&columns(rows, width, length, signed(line)), 1, &target)
                            .expect("small");
                    tiled += u32::from(matches!(plan.root().kernel(), Kernel::Tiles(_)));
                    let (bytes, end) = (index(plan.bytes()), index(rows * line));
                    pack(&plan, &memory, 0, 0..plan.bytes(), &mut packed).expect("fits");
                    unpack(&plan, &mut result, 0, 0..plan.bytes(), &packed).expect("fits");
                    let elements = packed[..bytes].chunks(index(length)).zip(0..);
                    for (element, i) in elements {
                        let at = index((i % rows) * line + i / rows * length);
                        let place = at..at + element.len();
                        assert_eq!(element, &memory[place.clone()], "pack\n{plan}");
                        assert_eq!(element, &result[place.clone()], "unpack\n{plan}");
                        result[place].fill(0);
                    }
                    assert!(result[..end].iter().all(|&byte| byte == 0), "a gap\n{plan}");
                }
            }
        }
    }
    assert!(tiled > 10_000, "{tiled} of the plans were tiled");
}

#[test]
fn rows_of_a_power_of_two_and_elements_that_do_not_touch() {
    for target in machines() {
        for length in [1, 2, 4, 8, 12, 16, 24, 40, 64] {
            for (rows, width) in [(7, 5), (9, 8), (33, 17), (20, 40)] {
                for line in [4096, -4096, 1024 * 5] {
                    moves_right(&columns(rows, width, length, line), &target);
                }
                // Every other element of a row, also from the last to the first.
                for step in [2 * signed(length), -2 * signed(length)] {
                    let column = Type::vec(rows, 8192, block(length)).expect("valid");
                    let ty = Type::vec(width, step, column).expect("valid");
                    moves_right(&ty, &target);
                }
            }
        }
    }
}

#[test]
fn permutations_of_three_and_four_dimensions() {
    let permutations: [&[usize]; 9] = [
        &[0, 1, 2],
        &[0, 2, 1],
        &[1, 0, 2],
        &[1, 2, 0],
        &[2, 0, 1],
        &[2, 1, 0],
        &[3, 2, 1, 0],
        &[1, 3, 0, 2],
        &[3, 0, 2, 1],
    ];
    let mut targets = targets();
    targets.extend(machines());
    for target in targets {
        for length in [1, 4, 8, 24] {
            for order in permutations {
                // Dimension `k` of the array, the last the fastest, is packed as `order` says.
                let sizes = &[9u64, 10, 17, 3][..order.len()];
                let stride = |k: usize| {
                    signed(sizes[k + 1..].iter().map(|n| n + 1).product::<u64>() * length)
                };
                let ty = order.iter().rev().fold(block(length), |ty, &k| {
                    Type::vec(sizes[k], stride(k), ty).expect("valid")
                });
                moves_right(&ty, &target);
                // And the other way round: both sides strided.
                let plain =
                    sizes.iter().enumerate().rev().fold(block(length), |ty, (k, &n)| {
                        Type::vec(n, stride(k), ty).expect("valid")
                    });
                let plan = CopyPlan::between(&ty, 1, &plain, 1, &target).expect("equal sizes");
                let (memory, origin) = memory_for(&ty, 1);
                let packed = oracle::pack(&ty, 1, &memory, origin);
                let (mut result, at) = memory_for(&plain, 1);
                let mut expected = result.clone();
                oracle::unpack(&plain, 1, &packed, &mut expected, at);
                copy(&plan, &memory, origin, &mut result, at, 0..plan.bytes()).expect("fits");
                assert!(result == expected, "{plan}");
            }
        }
    }
}

#[test]
fn a_transpose_cut_inside_columns_resumes_there() {
    let machines = machines();
    check(200, |rng| {
        let length = [1, 2, 4, 8, 16, 24][rng.usize(0..6)];
        let (rows, width) = (rng.u64(1..90), rng.u64(1..70));
        let line = if rng.bool() { 2048 } else { signed(width * length) + rng.i64(0..9) };
        if line < signed(width * length) {
            return;
        }
        let ty = columns(rows, width, length, line);
        let target = &machines[rng.usize(0..machines.len())];
        let plan = Plan::packed(&ty, 1, target).expect("small");
        let (memory, origin) = memory_for(&ty, 1);
        let expected = oracle::pack(&ty, 1, &memory, origin);
        let mut cuts: Vec<u64> = (0..rng.usize(0..5)).map(|_| rng.u64(0..=plan.bytes())).collect();
        cuts.extend([0, plan.bytes()]);
        cuts.sort_unstable();
        let mut result = vec![0; memory.len()];
        for piece in cuts.windows(2) {
            let mut out = vec![0; index(piece[1] - piece[0])];
            pack(&plan, &memory, origin, piece[0]..piece[1], &mut out).expect("fits");
            assert!(out == expected[index(piece[0])..index(piece[1])], "{piece:?}\n{plan}");
            unpack(&plan, &mut result, origin, piece[0]..piece[1], &out).expect("fits");
        }
        let mut correct = vec![0; memory.len()];
        oracle::unpack(&ty, 1, &expected, &mut correct, origin);
        assert!(result == correct, "{cuts:?}\n{plan}");
    });
}

#[test]
fn transposes_touch_only_their_own_bytes() {
    for target in machines() {
        for length in [1, 2, 4, 8, 16, 24] {
            for (rows, width) in [(16, 16), (17, 64), (64, 17), (65, 33), (5, 80), (80, 5)] {
                for line in [signed(width * length) + 3, 4096] {
                    let ty = columns(rows, width, length, line);
                    let plan = Plan::packed(&ty, 1, &target).expect("small");
                    let (memory, _) = memory_for(&ty, 1);
                    let memory = &memory[..index(plan.bounds().end.unsigned_abs())];
                    for side in [Side::Low, Side::High] {
                        let mut buffer = Guarded::new(memory.len(), side);
                        buffer.bytes().copy_from_slice(memory);
                        let mut packed = Guarded::new(index(plan.bytes()), side);
                        let all = 0..plan.bytes();
                        // SAFETY: both buffers are as large as the plan says.
                        unsafe { pack_raw(&plan, buffer.pointer(), packed.pointer(), all.clone()) };
                        let stream = packed.bytes().to_vec();
                        assert!(stream == oracle::pack(&ty, 1, memory, 0), "{plan}");
                        buffer.bytes().fill(0xAA);
                        let mut expected = vec![0xAA; memory.len()];
                        oracle::unpack(&ty, 1, &stream, &mut expected, 0);
                        // SAFETY: both buffers are as large as the plan says; packing has ended.
                        unsafe { unpack_raw(&plan, buffer.pointer(), packed.pointer(), all) };
                        assert!(buffer.bytes() == expected, "{plan}");
                    }
                }
            }
        }
    }
}

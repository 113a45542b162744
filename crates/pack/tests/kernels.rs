//! Every block length, shape and remainder, so that every kernel and tail runs for certain.

mod common;

use std::sync::Arc;

use commloom_layout::{Basic, Type};
use commloom_pack::{PackError, Plan, pack, unpack};
use commloom_plan::{Offsets, Shape, Target};
use commloom_testkit::{memory_for, oracle, without_margin};
use common::targets;

fn block(length: u64) -> Type {
    Type::vec(length, 1, Type::leaf(Basic::BYTE)).expect("valid")
}

fn moves_right(ty: &Type, target: &Target) {
    let plan = Plan::packed(ty, 1, target).expect("valid");
    let (memory, origin) = memory_for(ty, 1);
    let expected = oracle::pack(ty, 1, &memory, origin);
    let mut packed = vec![0; expected.len()];
    let (tight, first) = without_margin((&memory, origin));
    pack(&plan, &tight, first, 0..plan.bytes(), &mut packed).expect("fits");
    assert_eq!(packed, expected, "pack\n{plan}");
    let mut tight = vec![0xAA; tight.len()];
    unpack(&plan, &mut tight, first, 0..plan.bytes(), &packed).expect("fits");
    let mut result = vec![0xAA; memory.len()];
    let mut correct = result.clone();
    unpack(&plan, &mut result, origin, 0..plan.bytes(), &packed).expect("fits");
    oracle::unpack(ty, 1, &packed, &mut correct, origin);
    assert_eq!(result, correct, "unpack\n{plan}");
    assert_eq!(tight, without_margin((&correct, origin)).0, "unpack\n{plan}");
}

/// Places that no loop describes.
fn places(n: i64, gap: i64) -> Arc<[i64]> {
    (0..n).map(|i| i * gap + (i * i % 3)).collect()
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).expect("small")
}

#[test]
fn every_block_length_in_columns_of_every_remainder() {
    for target in targets() {
        for length in (1..=130).chain([191, 256, 257, 1023, 1024, 1025, 4096]) {
            for rows in [2, 3, 4, 5, 7, 8, 9, 33] {
                for gap in [1, 8, 100] {
                    let ty = Type::vec(rows, signed(length) + gap, block(length)).expect("valid");
                    moves_right(&ty, &target);
                }
            }
        }
    }
}

#[test]
fn every_block_length_backwards_and_far_apart() {
    for target in targets() {
        for length in [1, 2, 4, 8, 12, 16, 24, 40, 64, 100] {
            for stride in [-(signed(length) + 3), 4096, -4096] {
                moves_right(&Type::vec(37, stride, block(length)).expect("valid"), &target);
            }
        }
    }
}

#[test]
fn every_block_length_in_lists() {
    for target in targets() {
        for length in 1..=130 {
            for n in [2, 3, 4, 5, 9, 50] {
                let list = places(n, signed(length) + 5);
                moves_right(&Type::idx(list, block(length)).expect("valid"), &target);
            }
        }
    }
}

#[test]
fn long_sorted_lists_in_sixteen_bits_and_those_that_jump_too_far() {
    let short = Target { vector: 64, short_lists_from: 2, ..Target::PORTABLE };
    for (n, gap, far) in [(255, 9, 0), (256, 9, 0), (257, 9, 0), (1000, 9, 70_000), (600, 255, 0)] {
        // Every stretch begins far from the one before; inside, all entries are near.
        let list: Vec<i64> = (0..n).map(|i| i * gap + i * i % 3 + i / 256 * far).collect();
        let plan = Plan::packed(&Type::idx(list.clone(), block(5)).expect("valid"), 1, &short);
        let Shape::List { offsets, .. } = plan.as_ref().expect("small").root().shape() else {
            panic!("not a list: {plan:?}");
        };
        assert!(matches!(offsets, Offsets::Short { .. }), "{n} entries {gap} apart: {offsets:?}");
        for length in [1, 4, 5, 8] {
            moves_right(&Type::idx(list.clone(), block(length)).expect("valid"), &short);
        }
        // Out of order, or too far in a stretch, they are kept in 32 bits.
        for (i, at) in [(100, -7), (100, 1 << 20)] {
            let mut list = list.clone();
            list[i] = at;
            moves_right(&Type::idx(list, block(4)).expect("valid"), &short);
        }
    }
}

#[test]
fn every_block_length_in_two_loops_and_in_lists_of_loops() {
    for target in targets() {
        for length in (1..=66).chain([100, 200]) {
            for (rows, columns) in [(2, 2), (5, 2), (4, 3), (3, 4), (20, 5), (3, 33)] {
                let stride = signed(length) + 4;
                let row = Type::vec(columns, stride, block(length)).expect("valid");
                let width = stride * signed(columns) + 7;
                moves_right(&Type::vec(rows, width, row.clone()).expect("valid"), &target);
                let list = places(signed(rows), width);
                moves_right(&Type::idx(list, row).expect("valid"), &target);
            }
        }
    }
}

#[test]
fn periods_of_two_to_nine_blocks_of_different_lengths() {
    for target in targets() {
        for parts in 2..=9 {
            for unit in [1, 4, 8, 20] {
                let mut at = 0;
                let (mut indices, mut children) = (Vec::new(), Vec::new());
                for part in 0..parts {
                    let length = unit * (1 + part % 3);
                    indices.push(at);
                    children.push(block(length));
                    at += signed(length) + 4;
                }
                let period = Type::strc(indices, children).expect("valid");
                for copies in [1, 2, 3, 16, 101] {
                    moves_right(&Type::vec(copies, at, period.clone()).expect("valid"), &target);
                    let list = places(signed(copies), at + 3);
                    moves_right(&Type::idx(list, period.clone()).expect("valid"), &target);
                }
            }
        }
    }
}

#[test]
fn periods_of_blocks_that_are_cut_into_several_pieces_or_moved_one_by_one() {
    for target in targets() {
        for lengths in
            [&[33, 7][..], &[63, 1, 2], &[65, 100], &[127, 128, 129], &[400, 5, 300], &[3000, 2100]]
        {
            let (mut at, mut indices, mut children) = (0, Vec::new(), Vec::new());
            for &length in lengths {
                indices.push(at);
                children.push(block(length));
                at += signed(length) + 3;
            }
            let period = Type::strc(indices, children).expect("valid");
            for (copies, stride) in [(1, 0), (5, at + 60), (37, at), (9, -at - 1)] {
                moves_right(&Type::vec(copies, stride, period.clone()).expect("valid"), &target);
                let list = places(signed(copies), at + 3);
                moves_right(&Type::idx(list, period.clone()).expect("valid"), &target);
            }
        }
    }
}

#[test]
fn sequences_of_up_to_forty_different_blocks() {
    for target in targets() {
        for n in [2, 7, 8, 9, 31, 32, 33, 40] {
            let places: Vec<i64> = (0..n).map(|i| i * 90 + i % 2).collect();
            let blocks: Vec<Type> = (0..n.unsigned_abs()).map(|i| block(1 + i * 7 % 80)).collect();
            let all = Type::strc(places, blocks).expect("valid");
            moves_right(&all, &target);
            moves_right(&Type::vec(6, n * 90, all).expect("valid"), &target);
        }
    }
}

#[test]
fn buckets_and_long_lists_of_runs() {
    for target in targets() {
        let blocks: Vec<u64> = (0..60).map(|i| 1 + i * 7 % 13).collect();
        for child in [block(1), block(8), block(70)] {
            let size = signed(child.size());
            for stride in [size, size + 4] {
                let indices: Vec<i64> = (0..60).map(|i| i * 14 * (size + 4) + i % 2).collect();
                let ty = Type::idxbuc(stride, indices, blocks.clone(), child.clone());
                moves_right(&ty.expect("valid"), &target);
            }
        }
    }
}

#[test]
fn wrong_buffers_are_refused_with_the_numbers() {
    let ty = Type::vec(4, -16, Type::leaf(Basic::INT)).expect("valid");
    let plan = Plan::packed(&ty, 1, &Target::PORTABLE).expect("valid");
    let (memory, mut out) = ([0; 52], [0; 16]);
    assert_eq!(pack(&plan, &memory, 48, 0..16, &mut out), Ok(()));
    assert_eq!(
        pack(&plan, &memory, 47, 0..16, &mut out),
        Err(PackError::Memory { bounds: -48..4, origin: 47, length: 52 })
    );
    assert_eq!(
        pack(&plan, &memory, 49, 0..16, &mut out),
        Err(PackError::Memory { bounds: -48..4, origin: 49, length: 52 })
    );
    assert_eq!(
        pack(&plan, &memory, 48, 1..17, &mut out),
        Err(PackError::Range { range: 1..17, bytes: 16 })
    );
    assert_eq!(
        pack(&plan, &memory, 48, 0..16, &mut out[..15]),
        Err(PackError::Packed { needed: 16, length: 15 })
    );
    assert_eq!(pack(&plan, &[], 0, 7..7, &mut []), Ok(()));
}

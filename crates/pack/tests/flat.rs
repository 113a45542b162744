//! Short messages: every function for them, with every number of blocks.

mod common;

use std::cell::RefCell;
use std::collections::BTreeSet;

use commloom_layout::{Basic, Type};
use commloom_pack::{Plan, pack, unpack};
use commloom_plan::{Moves, Picks, Script, Target};
use commloom_testkit::{Rng, check, memory_for, oracle};

/// Which functions were asked for, by direction and number.
type Seen = RefCell<BTreeSet<(bool, usize)>>;

fn block(length: u64) -> Type {
    Type::vec(length, 1, Type::leaf(Basic::BYTE)).expect("valid")
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).expect("small")
}

/// Bytes of a short message on the machines below.
const SHORT: u64 = 400;

/// Machines with short messages.
fn targets() -> Vec<Target> {
    let machine = |vector, byte_permute| Target {
        vector,
        byte_permute,
        flat_up_to: SHORT,
        ..Target::PORTABLE
    };
    vec![machine(16, false), machine(32, false), machine(64, false), machine(64, true)]
}

fn moves_right(ty: &Type, target: &Target, seen: &Seen) {
    let plan = Plan::packed(ty, 1, target).expect("small");
    if let Some(flat) = plan.flat() {
        assert_eq!(flat.bytes(), plan.bytes());
        let mut seen = seen.borrow_mut();
        seen.insert((true, flat.pack().number()));
        seen.insert((false, flat.unpack().number()));
    }
    let (memory, origin) = memory_for(ty, 1);
    let expected = oracle::pack(ty, 1, &memory, origin);
    let mut packed = vec![0; expected.len()];
    pack(&plan, &memory, origin, 0..plan.bytes(), &mut packed).expect("fits");
    assert_eq!(packed, expected, "pack\n{plan}");
    if oracle::overlaps(ty, 1) {
        return;
    }
    let mut result = vec![0xAA; memory.len()];
    let mut correct = result.clone();
    unpack(&plan, &mut result, origin, 0..plan.bytes(), &packed).expect("fits");
    oracle::unpack(ty, 1, &packed, &mut correct, origin);
    assert_eq!(result, correct, "unpack\n{plan}");
}

/// Blocks of random lengths at random places, dense or not, in order or not, all multiples of a
/// unit.
fn random_blocks(rng: &mut Rng) -> Type {
    let unit = [1, 2, 4, 8][rng.usize(0..4)];
    let (longest, widest) = ([1, 3, 9][rng.usize(0..3)], [2, 4, 12, 40][rng.usize(0..4)]);
    let bytes = rng.u64(8..SHORT);
    let (mut places, mut blocks, mut at, mut sum) = (Vec::new(), Vec::new(), 0i64, 0);
    while sum + unit <= bytes {
        let length = unit * rng.u64(1..=longest).min((bytes - sum) / unit);
        places.push(at - 100);
        blocks.push(block(length));
        at += signed(length + unit * rng.u64(0..widest));
        sum += length;
    }
    if rng.bool() {
        rng.shuffle(&mut places);
    }
    Type::strc(places, blocks).expect("valid")
}

#[test]
fn every_function_for_short_messages_is_right() {
    let seen = Seen::default();
    for target in targets() {
        for length in Script::LENGTHS {
            for n in (2..=33).chain([50, 100, 128]).take_while(|n| n * length <= SHORT) {
                for gap in [1, 60, 1000] {
                    let stride = signed(length) + gap;
                    for stride in [stride, -stride] {
                        moves_right(
                            &Type::vec(n, stride, block(length)).expect("valid"),
                            &target,
                            &seen,
                        );
                    }
                    let list: Vec<i64> = (0..signed(n)).map(|i| i * stride + (i * i % 3)).collect();
                    moves_right(&Type::idx(list, block(length)).expect("valid"), &target, &seen);
                }
            }
        }
    }
    let machines = targets();
    check(4000, |rng| {
        let ty = random_blocks(rng);
        moves_right(&ty, &machines[rng.usize(0..machines.len())], &seen);
    });
    for windows in 1..=9 {
        // A vector for each window.
        let row = Type::strc([0, 28], [block(24), block(20)]).expect("valid");
        let list: Vec<i64> = (0..windows).map(|i| 640 * i).collect();
        moves_right(&Type::idx(list, row).expect("valid"), &machines[3], &seen);
    }
    for (basic, size) in [(Basic::BYTE, 1), (Basic::INT, 4)] {
        // Lines backwards: one window for each vector.
        let list: Vec<i64> = (0..128 / size)
            .map(|i| (i / (64 / size) + 1) * 64 - (i % (64 / size) + 1) * size)
            .collect();
        let ty = Type::idx(list, Type::leaf(basic)).expect("valid");
        moves_right(&ty, &machines[3], &seen);
    }
    let all = seen.into_inner();
    // Functions of vectors differ by form and, the same for all forms, by number of vectors.
    let form = |number: usize| match number {
        Script::WORDS.. => Script::WORDS + (number - Script::WORDS) / Picks::COUNTS * Picks::COUNTS,
        _ => number,
    };
    for packing in [true, false] {
        let seen: BTreeSet<usize> =
            all.iter().filter(|of| of.0 == packing).map(|of| form(of.1)).collect();
        let mut missing: Vec<usize> =
            (0..Script::COUNT).map(form).filter(|number| !seen.contains(number)).collect();
        // Two blocks are a column; whole vectors are packed ones, held windows are of packed
        // bytes.
        missing.retain(|&number| match number {
            _ if number == Script::LISTS || number == Script::LISTS + 51 => false,
            Script::WORDS.. => {
                let form = (number - Script::WORDS) % Picks::FUNCTIONS / Picks::COUNTS;
                (form < Picks::FORMS - 4 && packing)
                    || (Picks::FORMS - 4..Picks::FORMS - 1).contains(&form)
                    || (form == Picks::FORMS - 1 && !packing)
            }
            _ => true,
        });
        assert!(missing.is_empty(), "never asked for (packing: {packing}): {missing:?}");
        for vectors in 0..Picks::COUNTS {
            let with = |of: &&(bool, usize)| {
                of.0 == packing
                    && of.1 >= Script::WORDS
                    && (of.1 - Script::WORDS) % Picks::COUNTS == vectors
            };
            assert!(all.iter().any(|of| with(&of)), "never {vectors} vectors (packing: {packing})");
        }
    }
}

#[test]
fn longer_messages_and_single_blocks_are_not_flat() {
    let target = targets()[3];
    for (n, flat) in [(2, true), (50, true), (51, false)] {
        let ty = Type::vec(n, 24, Type::leaf(Basic::DOUBLE)).expect("valid");
        let plan = Plan::packed(&ty, 1, &target).expect("valid");
        assert_eq!(plan.flat().is_some(), flat, "{n} doubles");
    }
    let plan = Plan::packed(&block(100), 1, &target).expect("valid");
    assert!(plan.flat().is_none());
    let ty = Type::vec(5, 40, block(20)).expect("valid");
    let plan = Plan::packed(&ty, 1, &Target::PORTABLE).expect("valid");
    assert!(plan.flat().is_none());
    let plan = Plan::packed(&ty, 1, &target).expect("valid");
    let moves = plan.flat().expect("flat").pack().moves();
    assert!(matches!(moves, Moves::Blocks { length: 20, .. }), "{moves:?}");
}

#[test]
fn the_list_is_made_when_enough_messages_were_moved() {
    let target = Target { flat_after: 3, ..targets()[3] };
    let ty = Type::vec(5, 40, block(20)).expect("valid");
    let plan = Plan::packed(&ty, 1, &target).expect("valid");
    let made: Vec<bool> = (0..5).map(|_| plan.flat_to_move().is_some()).collect();
    assert_eq!(made, [false, false, false, true, true]);
    let plan = Plan::packed(&ty, 1, &target).expect("valid");
    assert!(plan.flat().is_some() && plan.flat_to_move().is_some());
}

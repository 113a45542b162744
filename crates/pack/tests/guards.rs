//! Nothing outside the layout is touched: guard pages around both buffers, gaps that others write.

mod common;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use commloom_layout::{Basic, Type};
use commloom_pack::{Plan, pack_raw, unpack_raw};
use commloom_testkit::{Limits, check, memory_for, oracle, random_path, random_type};
use common::guarded::{Guarded, Side};
use common::targets;

/// Packs and unpacks `range` with every buffer exactly as large as the plan says and a guard page
/// behind (or before) its last (first) byte.
fn stays_inside(plan: &Plan, memory: &[u8], origin: usize, range: std::ops::Range<u64>) {
    let index =
        |at: i64| usize::try_from(i64::try_from(origin).expect("small") + at).expect("inside");
    let bounds = plan.bounds();
    let data = &memory[index(bounds.start)..index(bounds.end)];
    let len = usize::try_from(range.end - range.start).expect("small");
    for side in [Side::Low, Side::High] {
        let mut buffer = Guarded::new(data.len(), side);
        buffer.bytes().copy_from_slice(data);
        let mut packed = Guarded::new(len, side);
        let base = buffer.pointer().wrapping_offset(isize::try_from(-bounds.start).expect("small"));
        // SAFETY: both buffers hold what the plan needs.
        unsafe { pack_raw(plan, base, packed.pointer(), range.clone()) };
        assert_eq!(buffer.bytes(), data, "pack wrote into the memory side");

        buffer.bytes().fill(0xAA);
        let stream = packed.bytes().to_vec();
        // SAFETY: as above.
        unsafe { unpack_raw(plan, base, packed.pointer(), range.clone()) };
        assert_eq!(packed.bytes(), stream, "unpack wrote into the packed side");
        let mut touched = vec![false; data.len()];
        for run in plan.runs(range.clone()) {
            let at = usize::try_from(run.a - bounds.start).expect("inside");
            touched[at..at + usize::try_from(run.length).expect("small")].fill(true);
        }
        let result = buffer.bytes();
        for (i, touched) in touched.into_iter().enumerate() {
            let expected = if touched { data[i] } else { 0xAA };
            assert_eq!(result[i], expected, "byte {i} of {} ({side:?})\n{plan}", data.len());
        }
    }
}

#[test]
fn random_types_touch_only_their_own_bytes() {
    let targets = targets();
    check(400, |rng| {
        let limits = Limits { overlaps: false, ..Limits::default() };
        let ty = if rng.bool() { random_type(rng, &limits) } else { random_path(rng, &limits) };
        let count = rng.u64(1..4);
        if oracle::overlaps(&ty, count) {
            return;
        }
        let target = &targets[rng.usize(0..targets.len())];
        let plan = Plan::packed(&ty, count, target).expect("small");
        let (memory, origin) = memory_for(&ty, count);
        stays_inside(&plan, &memory, origin, 0..plan.bytes());
        let (x, y) = (rng.u64(0..=plan.bytes()), rng.u64(0..=plan.bytes()));
        stays_inside(&plan, &memory, origin, x.min(y)..x.max(y));
    });
}

#[test]
fn vector_programs_of_every_remainder_touch_only_their_own_bytes() {
    // Periods of one to three blocks in units of 1 and 4 bytes, dense and less so.
    let block = |length: u64| Type::vec(length, 1, Type::leaf(Basic::BYTE)).expect("valid");
    for target in targets().into_iter().filter(|t| t.vector == 64) {
        for (unit, lengths, gap) in [
            (4u64, &[2u64][..], 2i64),
            (4, &[1], 2),
            (4, &[6], 2),
            (4, &[5], 1),
            (4, &[1, 3], 1),
            (4, &[3, 1, 2], 2),
            (4, &[2], 4),
            (1, &[1], 3),
            (1, &[2], 1),
            (1, &[7, 3], 2),
        ] {
            let (mut at, mut places, mut blocks) = (0, Vec::new(), Vec::new());
            for &length in lengths {
                places.push(at);
                blocks.push(block(unit * length));
                at += (unit * length).cast_signed() + gap * unit.cast_signed();
            }
            let period = Type::strc(places, blocks).expect("valid");
            for count in 60..100 {
                let ty = Type::vec(count, at, period.clone()).expect("valid");
                let plan = Plan::packed(&ty, 1, &target).expect("small");
                let (memory, origin) = memory_for(&ty, 1);
                stays_inside(&plan, &memory, origin, 0..plan.bytes());
                stays_inside(&plan, &memory, origin, 3..plan.bytes() - 5);
            }
        }
    }
}

#[test]
fn unpack_leaves_gaps_to_a_concurrent_writer() {
    // Doubles in every other place; another thread counts in the gaps all the time. A kernel that
    // read a gap and wrote it back would sooner or later undo a count.
    const ROWS: usize = 256;
    let memory: Vec<AtomicU8> = (0..16 * ROWS).map(|_| AtomicU8::new(0)).collect();
    let stop = AtomicBool::new(false);
    let rounds = AtomicU32::new(0);
    for target in targets() {
        let ty = Type::vec(ROWS as u64, 16, Type::leaf(Basic::DOUBLE)).expect("valid");
        let plan = Plan::packed(&ty, 1, &target).expect("valid");
        let stream = vec![0x55; 8 * ROWS];
        stop.store(false, Ordering::SeqCst);
        rounds.store(0, Ordering::SeqCst);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut value = 0u8;
                while !stop.load(Ordering::Relaxed) {
                    for gap in memory.chunks(16) {
                        let seen = gap[11].swap(value.wrapping_add(1), Ordering::Relaxed);
                        assert_eq!(seen, value, "somebody else wrote a gap");
                    }
                    value = value.wrapping_add(1);
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
                for gap in &memory {
                    gap.store(0, Ordering::Relaxed);
                }
            });
            let base = memory.as_ptr().cast::<u8>().cast_mut();
            while rounds.load(Ordering::Relaxed) < 200 && !writer.is_finished() {
                // SAFETY: the layout lies in `memory`; the other thread touches only its gaps.
                unsafe { unpack_raw(&plan, base, stream.as_ptr(), 0..plan.bytes()) };
            }
            stop.store(true, Ordering::Relaxed);
            writer.join().expect("the gaps are the writer's own");
        });
    }
}

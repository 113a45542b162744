//! Gaps belong to others: while a layout is unpacked, somebody else may write between its blocks.
//!
//! A thread counts up in the gaps all the time and knows every value that it has written; an
//! unpack that read a gap and wrote it back would sooner or later undo a count. That this is
//! noticed is a test too.

mod common;

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use commloom_layout::{Basic, Type};
use commloom_pack::{Plan, unpack_raw};
use commloom_testkit::{Limits, Rng, oracle, random_type};
use common::targets;

/// Gap bytes that are watched at most: the first and the last of each gap come first.
const WATCHED: usize = 300;

/// Rounds of the writer and unpacks that a layout must survive at least.
const ROUNDS: u32 = 50;

/// The bounds of a layout, in bytes that several threads may write.
struct Memory {
    bytes: Vec<AtomicU8>,
    /// Indices of gap bytes.
    gaps: Vec<usize>,
}

impl Memory {
    fn of(plan: &Plan) -> Memory {
        let bounds = plan.bounds();
        let len = usize::try_from(bounds.end - bounds.start).expect("small");
        let mut data = vec![false; len];
        for run in plan.runs(0..plan.bytes()) {
            let at = usize::try_from(run.a - bounds.start).expect("inside");
            data[at..at + usize::try_from(run.length).expect("small")].fill(true);
        }
        let edge = |i: &usize| data[i - 1] || data[i + 1];
        // The first and last byte of the bounds are data.
        let (edges, inner): (Vec<usize>, Vec<usize>) =
            (0..len).filter(|&i| !data[i]).partition(edge);
        let gaps = edges.into_iter().chain(inner).take(WATCHED).collect();
        Memory { bytes: (0..len).map(|_| AtomicU8::new(0)).collect(), gaps }
    }

    /// Calls `unpack` with the first byte while gaps are written; returns whether every write of
    /// the gap writer stayed.
    fn survives(&self, unpack: impl Fn(*mut u8)) -> bool {
        let (stop, rounds) = (AtomicBool::new(false), AtomicU32::new(0));
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let mut value = 0u8;
                let mut kept = true;
                // At the end once more, for what was lost last.
                let mut last = false;
                while kept && !last {
                    last = stop.load(Ordering::Acquire);
                    let next = value.wrapping_add(1);
                    for &gap in &self.gaps {
                        kept &= self.bytes[gap].swap(next, Ordering::Relaxed) == value;
                    }
                    value = next;
                    rounds.fetch_add(1, Ordering::Relaxed);
                }
                kept
            });
            let first = self.bytes.as_ptr().cast::<u8>().cast_mut();
            let mut unpacks = 0;
            while (unpacks < ROUNDS || rounds.load(Ordering::Relaxed) < ROUNDS)
                && !writer.is_finished()
            {
                unpack(first);
                unpacks += 1;
                // Where there is one core, the writer needs a turn.
                if unpacks % 8 == 0 {
                    std::thread::yield_now();
                }
            }
            stop.store(true, Ordering::Release);
            writer.join().expect("it does not panic")
        })
    }
}

/// Layouts with gaps, without overlaps, of every shape of a plan.
fn layouts() -> Vec<Type> {
    let block = |length: u64| Type::vec(length, 1, Type::leaf(Basic::BYTE)).expect("valid");
    let mut types = Vec::new();
    for (length, gap) in [(1, 1), (1, 2), (2, 2), (3, 4), (4, 4), (4, 12), (8, 8), (12, 8), (24, 8)]
    {
        types.push(Type::vec(100, length + gap, block(length.unsigned_abs())));
    }
    for (length, gap) in [(40, 8), (64, 64), (100, 28), (1000, 3)] {
        types.push(Type::vec(20, length + gap, block(length.unsigned_abs())));
        types.push(Type::vec(20, -(length + gap), block(length.unsigned_abs())));
    }
    let list: Vec<i64> = (0..100).map(|i| i * 37 % 101 * 12).collect();
    for length in [1, 4, 8, 11] {
        types.push(Type::idx(list.clone(), block(length)));
    }
    let period = |lengths: &[u64], gap: i64| {
        let (mut places, mut blocks, mut at) = (Vec::new(), Vec::new(), 0);
        for &length in lengths {
            places.push(at);
            blocks.push(block(length));
            at += length.cast_signed() + gap;
        }
        (at, Type::strc(places, blocks).expect("valid"))
    };
    for (lengths, gap) in
        [(&[4, 12][..], 4), (&[4, 8, 4], 8), (&[1, 5], 2), (&[7, 3, 2], 1), (&[8, 8, 20, 4, 4], 4)]
    {
        let (extent, period) = period(lengths, gap);
        types.push(Type::vec(90, extent, period.clone()));
        types.push(Type::vec(9, 11 * extent, Type::vec(7, extent, period).expect("valid")));
    }
    types.push(Type::idxbuc(12, [0, 100, 170, 300], [8, 2, 5, 3], block(8)));
    let mut rng = Rng::with_seed(11);
    while types.len() < 60 {
        let limits = Limits { overlaps: false, ..Limits::default() };
        let ty = random_type(&mut rng, &limits);
        if ty.runs() > 2 && !oracle::overlaps(&ty, 1) {
            types.push(Ok(ty));
        }
    }
    types.into_iter().map(|ty| ty.expect("valid")).collect()
}

#[test]
fn every_kernel_leaves_gaps_to_a_concurrent_writer() {
    let (layouts, targets) = (layouts(), targets());
    for (i, ty) in layouts.iter().enumerate() {
        // Every layout on a few machines, every machine with many layouts.
        for target in targets.iter().skip(i % 3).step_by(3) {
            let plan = Plan::packed(ty, 1, target).expect("valid");
            let memory = Memory::of(&plan);
            let bytes = usize::try_from(plan.bytes()).expect("small");
            let stream: Vec<u8> = (0..bytes).map(|i| i.to_le_bytes()[0] ^ 0x5A).collect();
            let origin = isize::try_from(-plan.bounds().start).expect("small");
            let unpack = |first: *mut u8| {
                // SAFETY: the layout lies in the memory; the other thread touches only its gaps.
                unsafe {
                    unpack_raw(
                        &plan,
                        first.wrapping_offset(origin),
                        stream.as_ptr(),
                        0..plan.bytes(),
                    );
                }
            };
            assert!(memory.survives(unpack), "a write to a gap was lost\n{plan}");
            let mut sent = stream.iter();
            for run in plan.runs(0..plan.bytes()) {
                for at in run.a..run.a + run.length.cast_signed() {
                    let at = usize::try_from(at - plan.bounds().start).expect("inside");
                    let byte = memory.bytes[at].load(Ordering::Relaxed);
                    assert_eq!(Some(&byte), sent.next(), "byte {at}\n{plan}");
                }
            }
        }
    }
}

#[test]
fn an_unpack_that_writes_gaps_back_is_noticed() {
    let ty = Type::vec(100, 16, Type::leaf(Basic::DOUBLE)).expect("valid");
    let plan = Plan::packed(&ty, 1, &commloom_pack::detect()).expect("valid");
    let memory = Memory::of(&plan);
    // Right in every byte if nobody else writes: reads 16 bytes, changes 8, writes 16.
    let blend = |first: *mut u8| {
        for row in 0..99 {
            let place = first.wrapping_add(16 * row).cast::<[AtomicU8; 16]>();
            // SAFETY: inside the memory, which is atomic bytes.
            let place = unsafe { &*place };
            let old: Vec<u8> = place.iter().map(|byte| byte.load(Ordering::Relaxed)).collect();
            // On one core the writer would hardly ever come between by itself.
            std::thread::yield_now();
            for (i, byte) in place.iter().enumerate() {
                byte.store(if i < 8 { 0x55 } else { old[i] }, Ordering::Relaxed);
            }
        }
    };
    assert!(!memory.survives(blend), "gaps were written back, and nobody noticed");
}

//! Several threads move what one does.
#![allow(clippy::cast_possible_truncation, reason = "patterns of bytes")]

mod common;

use std::num::NonZeroUsize;

use commloom_layout::{Basic, Type};
use commloom_pack::{PackError, Plan, Threads, pack, reference, unpack};
use commloom_testkit::{Limits, Rng, check, oracle, random_type};
use common::targets;

fn threads(n: usize) -> Threads {
    Threads::new(NonZeroUsize::new(n).expect("at least one")).expect("threads can be started")
}

/// A plan, and memory for it that looks random.
struct Case {
    plan: Plan,
    memory: Vec<u8>,
    origin: usize,
}

impl Case {
    fn new(plan: Plan) -> Case {
        let bounds = plan.bounds();
        let index = |at: i64| usize::try_from(at).expect("small");
        let length = index(bounds.end.max(0) - bounds.start.min(0));
        let memory = (0..length).map(|i| (i * 167 + i / 251) as u8).collect();
        Case { memory, origin: index(-bounds.start.min(0)), plan }
    }

    /// Packs and unpacks a range with one thread and with several, into equal buffers.
    fn agrees(&self, threads: &Threads, range: std::ops::Range<u64>) {
        let Case { plan, memory, origin } = self;
        let length = usize::try_from(range.end - range.start).expect("small");
        let (mut one, mut several) = (vec![0; length], vec![0; length]);
        pack(plan, memory, *origin, range.clone(), &mut one).expect("fits");
        threads.pack(plan, memory, *origin, range.clone(), &mut several).expect("fits");
        assert!(one == several, "pack {range:?} with {threads:?}\n{plan}");
        let (mut one, mut several) = (vec![0xAA; memory.len()], vec![0xAA; memory.len()]);
        // Other bytes than are there already.
        let stream: Vec<u8> = (0..length).map(|i| (i * 31 + i / 255) as u8).collect();
        unpack(plan, &mut one, *origin, range.clone(), &stream).expect("fits");
        threads.unpack(plan, &mut several, *origin, range.clone(), &stream).expect("fits");
        assert!(one == several, "unpack {range:?} with {threads:?}\n{plan}");
    }
}

/// A random type, repeated until it has about so many bytes.
fn large(rng: &mut Rng, bytes: u64) -> Option<(Type, u64)> {
    let limits = Limits { bytes: rng.u64(1..3000), ..Limits::default() };
    let ty = random_type(rng, &limits);
    let count = bytes.checked_div(ty.size())?;
    // Far from the origin is only slow here.
    (ty.extent().unsigned_abs().saturating_mul(count) < 64 << 20).then_some((ty, count))
}

#[test]
fn random_layouts_move_as_with_one_thread() {
    let (targets, pools) = (targets(), [threads(2), threads(3), threads(8)]);
    check(120, |rng| {
        let bytes = rng.u64(300_000..2_000_000);
        let Some((ty, count)) = large(rng, bytes) else { return };
        let target = &targets[rng.usize(0..targets.len())];
        let case = Case::new(Plan::packed(&ty, count, target).expect("fits"));
        let threads = &pools[rng.usize(0..pools.len())];
        let bytes = case.plan.bytes();
        case.agrees(threads, 0..bytes);
        case.agrees(threads, rng.u64(0..=bytes / 4)..bytes - rng.u64(0..=bytes / 4));
    });
}

#[test]
fn lists_and_nests_move_as_the_reference_moves_them() {
    let double = || Type::leaf(Basic::DOUBLE);
    let list: Vec<i64> = (0..100_000).map(|i| i * 7919 % 100_003 * 16).collect();
    let column = Type::vec(300, 300 * 8, double()).expect("valid");
    let threads = threads(4);
    for ty in [
        Type::vec(100_000, 16, double()).expect("valid"),
        Type::idx(list, double()).expect("valid"),
        Type::vec(300, 8, column).expect("valid"),
        Type::vec(700_000, 1, Type::leaf(Basic::BYTE)).expect("valid"),
        Type::vec(3, -300_000, Type::vec(280_000, 1, Type::leaf(Basic::BYTE)).expect("valid"))
            .expect("valid"),
    ] {
        let target = commloom_pack::detect();
        let Case { plan, memory, origin } = Case::new(Plan::packed(&ty, 1, &target).expect("fits"));
        assert!(plan.names_bytes_once(), "unpacked by one thread\n{plan}");
        let length = usize::try_from(plan.bytes()).expect("small");
        let (mut expected, mut out) = (vec![0; length], vec![0; length]);
        reference::pack(&plan, &memory, origin, 0..plan.bytes(), &mut expected).expect("fits");
        threads.pack(&plan, &memory, origin, 0..plan.bytes(), &mut out).expect("fits");
        assert!(out == expected, "{plan}");
        let mut back = vec![0; memory.len()];
        threads.unpack(&plan, &mut back, origin, 0..plan.bytes(), &out).expect("fits");
        let mut correct = vec![0; memory.len()];
        reference::unpack(&plan, &mut correct, origin, 0..plan.bytes(), &out).expect("fits");
        assert!(back == correct, "{plan}");
    }
}

#[test]
fn bytes_that_are_named_twice_end_as_with_one_thread() {
    // Rows of 64 bytes that begin 8 bytes apart: the last writer decides.
    let row = Type::vec(64, 1, Type::leaf(Basic::BYTE)).expect("valid");
    let overlapping = Type::vec(20_000, 8, row.clone()).expect("valid");
    assert!(oracle::overlaps(&Type::vec(20, 8, row).expect("valid"), 1));
    let pool = threads(4);
    for target in targets() {
        let case = Case::new(Plan::packed(&overlapping, 1, &target).expect("fits"));
        for _ in 0..10 {
            case.agrees(&pool, 0..case.plan.bytes());
        }
    }
}

#[test]
fn callers_share_a_pool() {
    let pool = threads(3);
    std::thread::scope(|scope| {
        for caller in 0..4 {
            let pool = pool.clone();
            scope.spawn(move || {
                let ty = Type::vec(50_000 + caller, 24, Type::leaf(Basic::DOUBLE)).expect("valid");
                let plan = Plan::packed(&ty, 1, &commloom_pack::detect()).expect("fits");
                let case = Case::new(plan);
                for _ in 0..20 {
                    case.agrees(&pool, 0..case.plan.bytes());
                }
            });
        }
    });
}

#[test]
fn a_forked_child_works_alone() {
    let ty = Type::vec(100_000, 16, Type::leaf(Basic::DOUBLE)).expect("valid");
    let case = Case::new(Plan::packed(&ty, 1, &commloom_pack::detect()).expect("fits"));
    let pool = threads(2);
    let mut expected = vec![0; 800_000];
    pool.pack(&case.plan, &case.memory, case.origin, 0..800_000, &mut expected).expect("fits");
    let mut out = vec![0; 800_000];
    // SAFETY: the child only packs, which allocates nothing, drops the pool, and ends.
    let status = unsafe {
        let child = libc::fork();
        assert!(child >= 0, "fork failed");
        if child == 0 {
            let packed = pool.pack(&case.plan, &case.memory, case.origin, 0..800_000, &mut out);
            let right = packed.is_ok() && out == expected;
            drop(pool);
            libc::_exit(if right { 7 } else { 1 });
        }
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
        status
    };
    assert!(libc::WIFEXITED(status), "the child was killed: {status:#x}");
    assert_eq!(libc::WEXITSTATUS(status), 7);
}

#[test]
fn wrong_buffers_are_refused_and_one_thread_is_the_default() {
    let ty = Type::vec(100_000, 16, Type::leaf(Basic::DOUBLE)).expect("valid");
    let plan = Plan::packed(&ty, 1, &commloom_pack::detect()).expect("fits");
    let memory = vec![0; 1_599_992];
    let mut out = vec![0; 800_000];
    for threads in [Threads::default(), threads(1), threads(2)] {
        assert_eq!(threads.pack(&plan, &memory, 0, 0..800_000, &mut out), Ok(()));
        assert_eq!(
            threads.pack(&plan, &memory, 0, 0..800_000, &mut out[1..]),
            Err(PackError::Packed { needed: 800_000, length: 799_999 })
        );
        assert_eq!(
            threads.pack(&plan, &memory[1..], 0, 0..800_000, &mut out),
            Err(PackError::Memory { bounds: 0..1_599_992, origin: 0, length: 1_599_991 })
        );
    }
    assert_eq!((Threads::default().count().get(), threads(3).count().get()), (1, 3));
}

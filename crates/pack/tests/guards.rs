//! Nothing outside the layout is touched: guard pages around both buffers, and bytes beside them.

mod common;

use std::collections::BTreeSet;
use std::ops::Range;

use commloom_layout::{Basic, Type};
use commloom_pack::{Plan, pack_raw, unpack_raw};
use commloom_testkit::{Limits, Rng, check, memory_for, oracle, random_path, random_type};
use common::guarded::{Guarded, Side};
use common::targets;

/// The byte that lies in no buffer, and in the gaps of a layout.
const GAP: u8 = 0xAA;

/// A mapped region between two guard pages, and in it a buffer.
struct Place<'g> {
    region: &'g mut Guarded,
    buffer: Range<usize>,
}

impl<'g> Place<'g> {
    /// `len` bytes, so far from the guard page on that side.
    fn new(region: &'g mut Guarded, len: usize, side: Side, away: usize) -> Place<'g> {
        let bytes = region.bytes();
        let start = if side == Side::Low { away } else { bytes.len() - len - away };
        bytes.fill(GAP);
        Place { buffer: start..start + len, region }
    }

    fn bytes(&mut self) -> &mut [u8] {
        &mut self.region.bytes()[self.buffer.clone()]
    }

    fn pointer(&self) -> *mut u8 {
        self.region.pointer().wrapping_add(self.buffer.start)
    }

    fn is_alone(&mut self) -> bool {
        let (low, high) = (self.buffer.start, self.buffer.end);
        let bytes = self.region.bytes();
        bytes[..low].iter().chain(&bytes[high..]).all(|&b| b == GAP)
    }
}

/// Both sides of a message, each with room for small ones.
struct Regions {
    memory: Guarded,
    packed: Guarded,
}

impl Regions {
    fn new(len: usize) -> Regions {
        Regions { memory: Guarded::new(len, Side::Low), packed: Guarded::new(len, Side::Low) }
    }
}

/// Packs and unpacks `range` between guard pages: each buffer at the low and at the high one, so
/// many bytes away from it (memory, packed).
fn stays_inside(
    plan: &Plan,
    (memory, origin): (&[u8], usize),
    range: Range<u64>,
    (away, away_packed): (usize, usize),
) {
    let index =
        |at: i64| usize::try_from(i64::try_from(origin).expect("small") + at).expect("inside");
    let bounds = plan.bounds();
    let data = &memory[index(bounds.start)..index(bounds.end)];
    let len = usize::try_from(range.end - range.start).expect("small");
    let mut expected = vec![GAP; data.len()];
    for run in plan.runs(range.clone()) {
        let at = usize::try_from(run.a - bounds.start).expect("inside");
        let run = at..at + usize::try_from(run.length).expect("small");
        expected[run.clone()].copy_from_slice(&data[run]);
    }
    let page = 4096;
    let mut regions = Regions::new((data.len().max(len) + 64).next_multiple_of(page));
    let sides = [Side::Low, Side::High];
    for (side, side_packed) in sides.into_iter().flat_map(|a| sides.map(|b| (a, b))) {
        let mut buffer = Place::new(&mut regions.memory, data.len(), side, away);
        let mut packed = Place::new(&mut regions.packed, len, side_packed, away_packed);
        let name = format!("{range:?} {side:?}+{away} {side_packed:?}+{away_packed}\n{plan}");
        buffer.bytes().copy_from_slice(data);
        let base = buffer.pointer().wrapping_offset(isize::try_from(-bounds.start).expect("small"));
        // SAFETY: both buffers hold what the plan needs.
        unsafe { pack_raw(plan, base, packed.pointer(), range.clone()) };
        assert!(buffer.bytes() == data && buffer.is_alone(), "pack wrote to memory: {name}");
        assert!(packed.is_alone(), "pack wrote beside the packed buffer: {name}");

        buffer.bytes().fill(GAP);
        let stream = packed.bytes().to_vec();
        // SAFETY: both buffers hold what the plan needs, and nobody else uses them.
        unsafe { unpack_raw(plan, base, packed.pointer(), range.clone()) };
        assert!(packed.bytes() == stream && packed.is_alone(), "unpack wrote packed bytes: {name}");
        assert!(buffer.is_alone(), "unpack wrote beside the layout: {name}");
        let result = buffer.bytes();
        let wrong = (0..data.len()).find(|&i| result[i] != expected[i]);
        assert_eq!(wrong, None, "the first wrong byte of {}: {name}", data.len());
    }
}

/// The whole, and random cuts at random alignments of both sides.
fn cuts_stay_inside(rng: &mut Rng, plan: &Plan, memory: (&[u8], usize), cuts: usize) {
    stays_inside(plan, memory, 0..plan.bytes(), (0, 0));
    for _ in 0..cuts {
        let (x, y) = (rng.u64(0..=plan.bytes()), rng.u64(0..=plan.bytes()));
        let away = (rng.usize(0..64), rng.usize(0..64));
        stays_inside(plan, memory, x.min(y)..x.max(y), away);
        stays_inside(plan, memory, 0..plan.bytes(), away);
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
        cuts_stay_inside(rng, &plan, (&memory, origin), 2);
    });
}

/// A repeated or listed period of one to nine blocks: what kernels are made for.
fn random_kernel(rng: &mut Rng) -> Type {
    let unit = [1, 4, 4, 8, 16][rng.usize(0..5)];
    let parts = if rng.bool() { 1 } else { rng.usize(2..10) };
    let longest = if rng.u32(0..8) == 0 { 40 } else { 7 };
    let block = |length: u64| Type::vec(length, 1, Type::leaf(Basic::BYTE)).expect("valid");
    let (mut places, mut blocks, mut at) = (Vec::new(), Vec::new(), 0i64);
    for _ in 0..parts {
        let length = unit * rng.u64(1..longest);
        places.push(at);
        blocks.push(block(length));
        let widest = if rng.bool() { 3 } else { 12 };
        let gap = unit * rng.u64(1..widest);
        at += (length + gap).cast_signed();
    }
    let period = Type::strc(places, blocks).expect("valid");
    let count = if rng.bool() { rng.u64(2..40) } else { rng.u64(40..300) };
    match rng.u32(0..6) {
        0 => {
            let list = (0..count.cast_signed()).map(|i| i * (at + 8) + 8 * (i % 3 - i % 2));
            Type::idx(list.collect::<Vec<_>>(), period)
        }
        1 => {
            let row = Type::vec(rng.u64(2..12), at, period).expect("valid");
            Type::vec(rng.u64(2..12), row.true_extent() + at, row)
        }
        2 => {
            let copies: Vec<u64> = (0..count / 4 + 2).map(|_| rng.u64(1..5)).collect();
            let starts: Vec<i64> = (0..).zip(&copies).map(|(i, _)| i * (5 * at + 3)).collect();
            Type::idxbuc(at, starts, copies, period)
        }
        _ => Type::vec(count, if rng.u32(0..8) == 0 { -at } else { at }, period),
    }
    .expect("valid")
}

/// Every kernel by a word that its plans are printed with.
const KERNELS: &[&str] = &[
    "block",
    "rows of",
    " x ",
    "touched",
    "pause",
    "period",
    "runs",
    "seq",
    "buckets",
    "list",
    "chained",
    "two windows",
    "three windows",
    "four windows",
    "gathered",
    "merged",
    "in a row",
    "of their own",
    "column",
    "blocks of",
    "pieces",
    "words picked",
    "bytes picked",
];

#[test]
fn every_kernel_touches_only_its_own_bytes_at_every_alignment() {
    let targets = targets();
    let seen = std::cell::RefCell::new(BTreeSet::new());
    check(600, |rng| {
        let ty = random_kernel(rng);
        let (memory, origin) = memory_for(&ty, 1);
        for target in [&targets[rng.usize(0..targets.len())], &targets[rng.usize(0..targets.len())]]
        {
            let plan = Plan::packed(&ty, 1, target).expect("small");
            let text = plan.to_string();
            seen.borrow_mut().extend(KERNELS.iter().filter(|name| text.contains(**name)));
            cuts_stay_inside(rng, &plan, (&memory, origin), 2);
        }
    });
    let all: BTreeSet<&str> = KERNELS.iter().copied().collect();
    assert_eq!(*seen.borrow(), all, "left: kernels that ran, right: all");
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
                let memory = (&memory[..], origin);
                stays_inside(&plan, memory, 0..plan.bytes(), (0, 0));
                stays_inside(
                    &plan,
                    memory,
                    3..plan.bytes() - 5,
                    (usize::try_from(count).expect("small") % 64, 3),
                );
            }
        }
    }
}

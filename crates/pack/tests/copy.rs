//! Copies between two layouts against the oracle: what packing and then unpacking does.

mod common;

use std::ops::Range;

use commloom_layout::{Basic, Type};
use commloom_pack::{CopyPlan, PackError, copy, copy_raw};
use commloom_plan::{PlanError, Target};
use commloom_testkit::{Limits, Rng, check, memory_for, oracle, random_path, random_type};
use common::guarded::{Guarded, Side};
use common::targets;

struct Case {
    plan: CopyPlan,
    source: Vec<u8>,
    origin: usize,
    packed: Vec<u8>,
    /// The content of the destination before the copy.
    before: Vec<u8>,
    to_origin: usize,
    to: (Type, u64),
}

impl Case {
    fn new(from: (&Type, u64), to: (&Type, u64), target: &Target) -> Case {
        let plan = CopyPlan::between(from.0, from.1, to.0, to.1, target).expect("equal sizes");
        let (source, origin) = memory_for(from.0, from.1);
        let packed = oracle::pack(from.0, from.1, &source, origin);
        let (before, to_origin) = memory_for(to.0, to.1);
        let before = before.into_iter().map(|byte| !byte).collect();
        Case { plan, source, origin, packed, before, to_origin, to: (to.0.clone(), to.1) }
    }

    /// Copies the pieces between the cuts, which cover everything, in any order.
    fn copies(&self, cuts: &[u64]) {
        let mut result = self.before.clone();
        let mut pieces: Vec<Range<u64>> = cuts.windows(2).map(|w| w[0]..w[1]).collect();
        pieces.reverse();
        for range in pieces {
            copy(&self.plan, &self.source, self.origin, &mut result, self.to_origin, range)
                .expect("the buffers fit");
        }
        let mut expected = self.before.clone();
        oracle::unpack(&self.to.0, self.to.1, &self.packed, &mut expected, self.to_origin);
        assert!(result == expected, "cut at {cuts:?}\n{}", self.plan);
    }

    fn copies_all(&self) {
        self.copies(&[0, self.plan.bytes()]);
    }
}

fn bytes(n: u64) -> Type {
    Type::vec(n, 1, Type::leaf(Basic::BYTE)).expect("valid")
}

fn signed(n: u64) -> i64 {
    i64::try_from(n).expect("small")
}

/// A layout of `size` bytes: loops in some order of their strides over blocks, or some of them one
/// behind the other. Names no byte twice.
fn nest(rng: &mut Rng, size: u64, parts: bool) -> Type {
    if parts && size > 1 && rng.u32(0..3) == 0 {
        let first = rng.u64(1..size);
        let (x, y) = (nest(rng, first, true), nest(rng, size - first, true));
        let gap = rng.i64(0..9);
        let behind = |p: &Type, q: &Type| p.true_ub() - q.true_lb() + gap;
        let places = if rng.bool() { [0, behind(&x, &y)] } else { [behind(&y, &x), 0] };
        Type::strc(places, [x, y]).expect("small")
    } else {
        // Prime factors, dealt out to the block and the loops.
        let (mut left, mut counts, mut block) = (size, vec![1u64; rng.usize(1..5)], 1u64);
        let mut prime = 2;
        while left > 1 {
            while left % prime != 0 {
                prime += 1;
            }
            left /= prime;
            match rng.usize(0..=counts.len()) {
                0 => block *= prime,
                i => counts[i - 1] *= prime,
            }
        }
        // Strides grow in a random order of the loops.
        let mut order: Vec<usize> = (0..counts.len()).collect();
        rng.shuffle(&mut order);
        let mut strides = vec![0; counts.len()];
        let mut extent = signed(block);
        for i in order {
            let gap = if rng.bool() { 0 } else { rng.i64(0..20) };
            strides[i] = extent + gap;
            extent += (signed(counts[i]) - 1) * strides[i];
            if rng.u32(0..8) == 0 {
                strides[i] = -strides[i];
            }
        }
        counts
            .iter()
            .zip(strides)
            .fold(bytes(block), |ty, (&count, stride)| Type::vec(count, stride, ty).expect("small"))
    }
}

/// Two layouts of equal size: nests of anything, or arrays of words in two orders of storage.
fn pair(rng: &mut Rng) -> (Type, Type) {
    if rng.bool() {
        let size = rng.u64(1..40) * rng.u64(1..40);
        return (nest(rng, size, true), nest(rng, size, true));
    }
    let word = 1 << rng.u32(0..5);
    let sizes: Vec<u64> = (0..rng.usize(2..4)).map(|_| rng.u64(2..14)).collect();
    let mut array = || {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        rng.shuffle(&mut order);
        let (mut strides, mut extent) = (vec![0; sizes.len()], signed(word));
        for i in order {
            strides[i] = extent;
            extent *= signed(sizes[i] + rng.u64(0..3));
        }
        sizes
            .iter()
            .zip(strides)
            .fold(bytes(word), |ty, (&count, stride)| Type::vec(count, stride, ty).expect("small"))
    };
    (array(), array())
}

#[test]
fn random_types_of_equal_size_copy_as_the_oracle_does() {
    let targets = targets();
    check(1500, |rng| {
        let limits = Limits { bytes: rng.u64(1..200), ..Limits::default() };
        let from = if rng.bool() { random_type(rng, &limits) } else { random_path(rng, &limits) };
        let limits = Limits { overlaps: false, ..limits };
        let to = if rng.bool() { random_type(rng, &limits) } else { random_path(rng, &limits) };
        let (p, q) = (from.size(), to.size());
        let (n, m) = if p == 0 || q == 0 { (0, 0) } else { (q, p) };
        let common = (1..=n.min(m)).rev().find(|i| n % i == 0 && m % i == 0).unwrap_or(1);
        let (n, m) = (n / common, m / common);
        if n * p > 20_000 || oracle::overlaps(&to, m) {
            return;
        }
        Case::new((&from, n), (&to, m), &targets[rng.usize(0..targets.len())]).copies_all();
    });
}

#[test]
fn nests_of_equal_size_copy_as_the_oracle_does_whole_and_cut() {
    let targets = targets();
    check(1500, |rng| {
        let (from, to) = pair(rng);
        let size = from.size();
        let case = Case::new((&from, 1), (&to, 1), &targets[rng.usize(0..targets.len())]);
        case.copies_all();
        let mut cuts: Vec<u64> = (0..rng.usize(1..6)).map(|_| rng.u64(0..=size)).collect();
        cuts.extend([0, size]);
        cuts.sort_unstable();
        case.copies(&cuts);
    });
}

#[test]
fn a_copy_cut_at_any_byte_resumes_there() {
    let targets = targets();
    check(60, |rng| {
        let size = rng.u64(1..14) * rng.u64(1..14);
        let (from, to) = (nest(rng, size, true), nest(rng, size, true));
        let case = Case::new((&from, 1), (&to, 1), &targets[rng.usize(0..targets.len())]);
        for cut in 0..=size {
            case.copies(&[0, cut, size]);
        }
    });
}

#[test]
fn a_pack_is_the_copy_to_the_contiguous_layout_and_an_unpack_the_copy_from_it() {
    let targets = targets();
    check(500, |rng| {
        let limits = Limits { overlaps: false, ..Limits::default() };
        let ty = random_type(rng, &limits);
        let dense = bytes(ty.size());
        let target = &targets[rng.usize(0..targets.len())];
        Case::new((&ty, 1), (&dense, 1), target).copies_all();
        Case::new((&dense, 1), (&ty, 1), target).copies_all();
    });
}

#[test]
fn long_nests_copy_as_the_oracle_does() {
    let targets = targets();
    check(60, |rng| {
        let size = 1 << rng.u32(13..17) | rng.u64(0..3) << 5;
        let parts = rng.u32(0..4) == 0;
        let (from, to) = (nest(rng, size, parts), nest(rng, size, false));
        let case = Case::new((&from, 1), (&to, 1), &targets[rng.usize(0..targets.len())]);
        let mut cuts = vec![0, rng.u64(0..=size), rng.u64(0..=size), size];
        cuts.sort_unstable();
        case.copies(&cuts);
        case.copies_all();
    });
}

#[test]
fn the_nests_of_these_tests_need_every_kernel() {
    let targets = targets();
    let seen = std::cell::RefCell::new(String::new());
    check(400, |rng| {
        let (from, to) = pair(rng);
        let target = &targets[rng.usize(0..targets.len())];
        let plan = CopyPlan::between(&from, 1, &to, 1, target).expect("equal sizes");
        seen.borrow_mut().push_str(&plan.to_string());
    });
    let seen = seen.into_inner();
    for name in ["pack", "unpack", "seq", "walk", "grid", "transpose", "period", "staged"] {
        assert!(seen.contains(name), "no {name}");
    }
    for own in ["along a\n", "along b\n", "along another\n"] {
        assert!(seen.contains(own), "no transpose {own}");
    }
}

#[test]
fn lists_and_long_runs_copy_as_the_oracle_does() {
    let list = |n: i64, gap: i64, ty: Type| {
        let places: Vec<i64> = (0..n).map(|i| i * gap + i * i % 3).collect();
        Type::idx(places, ty).expect("valid")
    };
    let double = Type::leaf(Basic::DOUBLE);
    let doubles = list(600, 24, double.clone());
    let strided = Type::vec(600, -16, double.clone()).expect("valid");
    let elsewhere = list(600, 11, double.clone());
    // Runs of 5000 bytes against blocks of 40, and 7 different runs.
    let long = Type::vec(7, 6000, bytes(5000)).expect("valid");
    let short = Type::vec(875, 48, bytes(40)).expect("valid");
    let lengths: Vec<u64> = vec![9000, 1, 5999, 4000, 6000, 3000, 7000];
    let places: Vec<i64> = (0..7).map(|i| i * 10_000).collect();
    let runs = Type::idxbuc(1, places, lengths, bytes(1)).expect("valid");
    let cases = [
        (&doubles, &strided),
        (&strided, &doubles),
        (&doubles, &elsewhere),
        (&long, &short),
        (&short, &long),
        (&runs, &short),
        (&short, &runs),
        (&runs, &long),
    ];
    for target in targets() {
        for (from, to) in cases {
            let case = Case::new((from, 1), (to, 1), &target);
            case.copies_all();
            case.copies(&[0, 7, 1003, 3999, case.plan.bytes()]);
        }
    }
}

#[test]
fn copies_touch_only_the_bytes_of_their_layouts() {
    let targets = targets();
    check(300, |rng| {
        let (from, to) = pair(rng);
        let size = from.size();
        let case = Case::new((&from, 1), (&to, 1), &targets[rng.usize(0..targets.len())]);
        let (low, high) = (rng.u64(0..=size), rng.u64(0..=size));
        let range = if rng.bool() { 0..size } else { low.min(high)..low.max(high) };
        let part = |bounds: &Range<i64>, origin: usize| {
            let at = |n: i64| usize::try_from(signed(origin as u64) + n).expect("inside");
            at(bounds.start)..at(bounds.end)
        };
        let (a, b) = (case.plan.source_bounds(), case.plan.destination_bounds());
        let source = &case.source[part(&a, case.origin)];
        let before = &case.before[part(&b, case.to_origin)];
        let mut expected = case.before.clone();
        copy(&case.plan, &case.source, case.origin, &mut expected, case.to_origin, range.clone())
            .expect("fits");
        for side in [Side::Low, Side::High] {
            let mut src = Guarded::new(source.len(), side);
            src.bytes().copy_from_slice(source);
            let mut dst = Guarded::new(before.len(), side);
            dst.bytes().copy_from_slice(before);
            let origin = |pointer: *mut u8, bounds: &Range<i64>| {
                pointer.wrapping_offset(isize::try_from(-bounds.start).expect("small"))
            };
            let (from, to) = (origin(src.pointer(), &a), origin(dst.pointer(), &b));
            // SAFETY: both buffers hold what the plan needs.
            unsafe { copy_raw(&case.plan, from, to, range.clone()) };
            assert_eq!(src.bytes(), source, "the source was written");
            assert!(dst.bytes() == &expected[part(&b, case.to_origin)], "{side:?}\n{}", case.plan);
        }
    });
}

#[test]
fn a_destination_that_names_bytes_twice_gets_one_of_the_values() {
    for target in targets() {
        let from = Type::vec(100, 3, bytes(2)).expect("valid");
        let to = Type::vec(10, 16, Type::vec(20, 0, bytes(1)).expect("valid")).expect("valid");
        let plan = CopyPlan::between(&from, 1, &to, 1, &target).expect("equal sizes");
        let (source, origin) = memory_for(&from, 1);
        let packed = oracle::pack(&from, 1, &source, origin);
        let mut result = vec![0; 145];
        copy(&plan, &source, origin, &mut result, 0, 0..200).expect("fits");
        for (i, values) in packed.chunks(20).enumerate() {
            assert!(values.contains(&result[16 * i]), "{plan}");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_numbers() {
    let target = Target::PORTABLE;
    let (ints, doubles) = (Type::leaf(Basic::INT), Type::leaf(Basic::DOUBLE));
    let sizes = CopyPlan::between(&ints, 3, &doubles, 2, &target);
    assert_eq!(sizes, Err(PlanError::Sizes { from: 12, to: 16 }));
    let spread = Type::vec(2, -16, doubles).expect("valid");
    let plan = CopyPlan::between(&ints, 4, &spread, 1, &target).expect("equal sizes");
    let (source, mut out) = ([0; 16], [0; 24]);
    assert_eq!(copy(&plan, &source, 0, &mut out, 16, 0..16), Ok(()));
    assert_eq!(
        copy(&plan, &source, 0, &mut out, 16, 0..17),
        Err(PackError::Range { range: 0..17, bytes: 16 })
    );
    assert_eq!(
        copy(&plan, &source, 1, &mut out, 16, 0..16),
        Err(PackError::Memory { bounds: 0..16, origin: 1, length: 16 })
    );
    assert_eq!(
        copy(&plan, &source, 0, &mut out, 15, 0..16),
        Err(PackError::Destination { bounds: -16..8, origin: 15, length: 24 })
    );
    assert_eq!(copy(&plan, &[], 0, &mut [], 0, 9..9), Ok(()));
}

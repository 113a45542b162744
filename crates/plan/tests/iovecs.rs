//! Runs of any packed range as iovecs: the right bytes, as few pieces as there can be, counted
//! beforehand.

use std::ops::Range;

use commloom_layout::{Basic, Type};
use commloom_plan::{Iovec, Plan, Run, Target};
use commloom_testkit::{Limits, Rng, check, oracle, random_path, random_type};

fn random(rng: &mut Rng) -> Type {
    let limits = Limits { bytes: rng.u64(1..2000), ..Limits::default() };
    if rng.bool() { random_type(rng, &limits) } else { random_path(rng, &limits) }
}

/// The runs of a packed range straight from the type map.
fn expected(bytes: &[i64], range: Range<usize>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for &byte in &bytes[range] {
        match runs.last_mut() {
            Some(run) if run.a + run.length.cast_signed() == byte => run.length += 1,
            _ => runs.push(Run { a: byte, length: 1 }),
        }
    }
    runs
}

fn cut(rng: &mut Rng, bytes: usize) -> Range<usize> {
    let (x, y) = (rng.usize(0..=bytes), rng.usize(0..=bytes));
    x.min(y)..x.max(y)
}

fn wide(range: &Range<usize>) -> Range<u64> {
    range.start as u64..range.end as u64
}

#[test]
fn any_range_gives_its_maximal_runs_and_their_number_is_known() {
    check(3000, |rng| {
        let (ty, count) = (random(rng), rng.u64(0..4));
        let plan = Plan::packed(&ty, count, &Target::PORTABLE).expect("small");
        let bytes = oracle::byte_map(&ty, count);
        for case in 0..20 {
            let range = if case == 0 { 0..bytes.len() } else { cut(rng, bytes.len()) };
            let expected = expected(&bytes, range.clone());
            let iovecs = plan.iovecs(wide(&range));
            let n = expected.len();
            assert_eq!(iovecs.remaining(), n as u64, "{range:?} of {count} x {ty:?}\n{plan}");
            assert_eq!(iovecs.size_hint(), (n, Some(n)));
            assert_eq!(
                iovecs.collect::<Vec<_>>(),
                expected,
                "{range:?} of {count} x {ty:?}\n{plan}"
            );
        }
        assert_eq!(plan.run_count(0..u64::MAX), plan.cost_estimate().runs);
        if count == 1 {
            assert_eq!(plan.cost_estimate().runs, oracle::runs(&ty).len() as u64);
        }
    });
}

#[test]
fn every_cut_of_small_types_is_counted_exactly() {
    check(300, |rng| {
        let ty = random_type(rng, &Limits { bytes: 60, ..Limits::default() });
        let plan = Plan::packed(&ty, 2, &Target::PORTABLE).expect("small");
        let bytes = oracle::byte_map(&ty, 2);
        for start in 0..=bytes.len() {
            for end in start..=bytes.len() {
                let runs = expected(&bytes, start..end).len();
                let count = plan.run_count(wide(&(start..end)));
                assert_eq!(count, runs as u64, "{start}..{end} of 2 x {ty:?}\n{plan}");
            }
        }
    });
}

#[test]
fn filling_small_buffers_resumes_and_points_into_the_buffer() {
    check(500, |rng| {
        let ty = random(rng);
        let plan = Plan::packed(&ty, 1, &Target::PORTABLE).expect("small");
        let bounds = plan.bounds();
        let mut memory = vec![0u8; usize::try_from(bounds.end - bounds.start).expect("small")];
        let low = memory.as_mut_ptr();
        let origin = low.wrapping_offset(isize::try_from(-bounds.start).expect("small"));
        let bytes = oracle::byte_map(&ty, 1);
        let range = cut(rng, bytes.len());
        let mut iovecs = plan.iovecs(wide(&range));
        let mut out = vec![Iovec::EMPTY; rng.usize(1..10)];
        let mut all = Vec::new();
        loop {
            let left = iovecs.remaining();
            let filled = iovecs.fill(origin, &mut out);
            assert_eq!(iovecs.remaining(), left - filled as u64);
            if filled == 0 {
                break;
            }
            all.extend(out[..filled].iter().map(|iovec| Run {
                a: i64::try_from(iovec.base.addr() - low.addr()).expect("inside") + bounds.start,
                length: iovec.length as u64,
            }));
        }
        assert_eq!(all, expected(&bytes, range));
    });
}

#[test]
fn the_pieces_of_a_huge_type_are_counted_without_walking() {
    // 2^38 rows of 2^20 blocks; in each row the last block touches the first of the next.
    let rows = Type::vec(1 << 20, 16, Type::leaf(Basic::DOUBLE)).expect("valid");
    let all = Type::vec(1 << 38, (1 << 24) - 8, rows).expect("valid");
    let plan = Plan::packed(&all, 1, &Target::PORTABLE).expect("valid");
    assert_eq!(plan.run_count(0..u64::MAX), (1 << 58) - (1 << 38) + 1);
    let mut iovecs = plan.iovecs((1 << 60) + 4..u64::MAX);
    assert_eq!(iovecs.next().map(|run| run.length), Some(4));
    assert_eq!(iovecs.remaining(), (1 << 57) - (1 << 37));
}

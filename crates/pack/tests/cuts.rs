//! Partial packs: any range of the packed stream is what it is in the whole.

mod common;

use commloom_layout::Type;
use commloom_pack::{Plan, pack, reference, unpack};
use commloom_plan::Target;
use commloom_testkit::{Limits, check, memory_for, oracle, random_type};
use common::targets;

struct Case {
    plan: Plan,
    memory: Vec<u8>,
    origin: usize,
    whole: Vec<u8>,
    overlaps: bool,
}

impl Case {
    fn new(ty: &Type, count: u64, target: &Target) -> Case {
        let plan = Plan::packed(ty, count, target).expect("random types are small");
        let (memory, origin) = memory_for(ty, count);
        let whole = oracle::pack(ty, count, &memory, origin);
        Case { plan, memory, origin, whole, overlaps: oracle::overlaps(ty, count) }
    }

    /// Packs and unpacks the pieces between the cuts one by one, each into buffers of its own
    /// size.
    fn resumes(&self, cuts: &[usize]) {
        let mut unpacked = vec![0; self.memory.len()];
        for piece in cuts.windows(2) {
            let (start, end) = (piece[0], piece[1]);
            let range = start as u64..end as u64;
            let mut out = vec![0; end - start];
            pack(&self.plan, &self.memory, self.origin, range.clone(), &mut out).expect("fits");
            assert_eq!(out, self.whole[start..end], "{range:?} of\n{}", self.plan);
            out.fill(0);
            reference::pack(&self.plan, &self.memory, self.origin, range.clone(), &mut out)
                .expect("fits");
            assert_eq!(out, self.whole[start..end], "reference {range:?} of\n{}", self.plan);
            unpack(&self.plan, &mut unpacked, self.origin, range, &out).expect("fits");
        }
        if !self.overlaps && cuts[0] == 0 && cuts[cuts.len() - 1] == self.whole.len() {
            let mut expected = vec![0; self.memory.len()];
            let all = 0..self.plan.bytes();
            reference::unpack(&self.plan, &mut expected, self.origin, all, &self.whole)
                .expect("fits");
            assert_eq!(unpacked, expected, "unpack cut at {cuts:?}\n{}", self.plan);
        }
    }
}

#[test]
fn a_pack_cut_at_any_byte_resumes_there() {
    let targets = targets();
    check(150, |rng| {
        let ty = random_type(rng, &Limits { bytes: 300, ..Limits::default() });
        let case = Case::new(&ty, rng.u64(1..4), &targets[rng.usize(0..targets.len())]);
        for cut in 0..=case.whole.len() {
            case.resumes(&[0, cut, case.whole.len()]);
        }
    });
}

#[test]
fn random_ranges_are_what_they_are_in_the_whole() {
    let targets = targets();
    check(600, |rng| {
        let ty = random_type(rng, &Limits::default());
        let case = Case::new(&ty, rng.u64(1..4), &targets[rng.usize(0..targets.len())]);
        for _ in 0..10 {
            let mut cuts: Vec<usize> =
                (0..rng.usize(0..6)).map(|_| rng.usize(0..=case.whole.len())).collect();
            cuts.extend([0, case.whole.len()]);
            cuts.sort_unstable();
            case.resumes(&cuts);
        }
    });
}

#[test]
fn a_range_far_inside_a_huge_type_is_found_without_walking_there() {
    // 2^40 rows of one byte: only a seek ends in the time of a test. The copies lie on one
    // another, so that a small buffer holds them.
    let rows = Type::vec(1 << 20, 2, Type::leaf(commloom_layout::Basic::BYTE)).expect("valid");
    let all = Type::vec(1 << 40, 0, rows).expect("valid");
    let plan = Plan::packed(&all, 1, &Target::PORTABLE).expect("valid");
    let memory: Vec<u8> = (0..2 << 20).map(|i: u32| i.to_le_bytes()[1]).collect();
    let start = (1 << 59) + 12345;
    let mut out = [0; 100];
    pack(&plan, &memory, 0, start..start + 100, &mut out).expect("fits");
    assert_eq!(out.to_vec(), (12345..12445).map(|i| memory[2 * i]).collect::<Vec<u8>>());
}

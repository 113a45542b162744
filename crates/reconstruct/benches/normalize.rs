//! Normalization of given types: time per description, not per element described. Results are
//! certified before they are timed. `cargo bench -p commloom-reconstruct --bench normalize`.
#![allow(missing_docs)]

use commloom_layout::{Basic, CostModel, Type, mpi};
use commloom_reconstruct::{Constructors, Limits, certify, normalize_within};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

/// As the preloaded library uses it.
const INTERPOSE: Limits = Limits { flatten: 256, exact_tree: 8 };

fn main() {
    divan::main();
}

#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    /// List entries in the description.
    entries: usize,
    make: fn(usize) -> Type,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name)
    }
}

const CASES: [Case; 9] = [
    Case { name: "contiguous(1e9, vector(1e6, 3, 7))", entries: 1, make: nested_vectors },
    Case { name: "hindexed, 1e3 irregular blocks", entries: 1_000, make: irregular },
    Case { name: "hindexed, 1e5 irregular blocks", entries: 100_000, make: irregular },
    Case { name: "hindexed, 1e6 irregular blocks", entries: 1_000_000, make: irregular },
    Case { name: "hindexed_block, 1e6 irregular", entries: 1_000_000, make: equal_irregular },
    Case { name: "hindexed, 320,000 equal blocks", entries: 320_000, make: equal },
    Case { name: "indexed, 320,000 single elements", entries: 320_000, make: single },
    Case { name: "struct, 1,000 records", entries: 1_000, make: records },
    Case { name: "subarray, 3 dimensions", entries: 1, make: subarray },
];

fn double() -> Type {
    Type::leaf(Basic::DOUBLE)
}

fn nested_vectors(_: usize) -> Type {
    let inner = mpi::vector(1_000_000, 3, 7, &double()).expect("small");
    mpi::contiguous(1_000_000_000, &inner).expect("fits in 64 bits")
}

/// Pseudo-random gaps.
fn gap(k: usize) -> u64 {
    (u64::try_from(k).expect("a length").wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % 61
}

fn irregular(n: usize) -> Type {
    let blocks: Vec<u64> = (0..n).map(|k| 1 + gap(k + n) % 7).collect();
    let mut at = 0;
    let starts: Vec<i64> = (0..n)
        .map(|k| {
            let here = at;
            at += i64::try_from(8 * (blocks[k] + 1 + gap(k))).expect("small");
            here
        })
        .collect();
    mpi::hindexed(&blocks, &starts, &double()).expect("lists of one length")
}

fn equal_irregular(n: usize) -> Type {
    let mut at = 0;
    let starts: Vec<i64> = (0..n)
        .map(|k| {
            let here = at;
            at += i64::try_from(8 * (4 + 1 + gap(k))).expect("small");
            here
        })
        .collect();
    mpi::hindexed_block(4, &starts, &double()).expect("lists of one length")
}

fn equal(n: usize) -> Type {
    let starts: Vec<i64> = (0..n).map(|k| 64 * i64::try_from(k).expect("a length")).collect();
    mpi::hindexed(&vec![4; n], &starts, &double()).expect("lists of one length")
}

fn single(n: usize) -> Type {
    let starts: Vec<i64> =
        (0..n).map(|k| i64::try_from(k / 2 * 4 + k % 2).expect("small")).collect();
    mpi::indexed_block(1, &starts, &double()).expect("a list")
}

fn records(n: usize) -> Type {
    let members = [Type::leaf(Basic::INT), double()];
    let record = mpi::structure(&[1, 3], &[0, 8], &members).expect("a record");
    let starts: Vec<i64> = (0..n).map(|k| 64 * i64::try_from(k).expect("a length")).collect();
    mpi::structure(&vec![1; n], &starts, &vec![record; n]).expect("lists of one length")
}

fn subarray(_: usize) -> Type {
    mpi::subarray(&[200, 300, 400], &[180, 260, 100], &[5, 6, 7], mpi::Order::C, &double())
        .expect("inside")
}

fn run(bencher: Bencher<'_, '_>, case: &Case, limits: Limits, set: Constructors) {
    let ty = (case.make)(case.entries);
    let model = CostModel::default();
    let solve = || normalize_within(&limits, &ty, set, &model).expect("the cases are valid");
    certify(&ty, &solve().ty, &model).expect("the same layout");
    bencher.counter(ItemsCount::new(case.entries)).bench(|| black_box(solve()));
}

#[divan::bench(args = CASES)]
fn interpose(bencher: Bencher<'_, '_>, case: &Case) {
    run(bencher, case, INTERPOSE, Constructors::Extended);
}

#[divan::bench(args = CASES)]
fn tree(bencher: Bencher<'_, '_>, case: &Case) {
    run(bencher, case, Limits::default(), Constructors::Tree);
}

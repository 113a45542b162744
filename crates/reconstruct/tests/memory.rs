//! Peak memory of a reconstruction, the input counted, is at most 3 times the input: for paths,
//! and for trees whose levels fill the sequence.
//!
//! The allocator that counts serves the whole process, so all is done in one test.

#[path = "../benches/cases/mod.rs"]
mod cases;

use std::sync::Arc;

use cases::CASES;
use commloom_layout::{Basic, CostModel};
use commloom_reconstruct::{Constructors, Reconstruction, reconstruct, reconstruct_shared};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The largest use of memory during a call, above what there was before, in bytes.
fn peak_of(call: impl FnOnce() -> Reconstruction) -> usize {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let found = call();
    let peak = MEMORY.peak_usage() - before;
    drop(found);
    peak
}

#[test]
fn no_path_takes_more_than_three_times_the_memory_of_its_input_nor_any_tree_of_a_million() {
    let model = CostModel::default();
    for case in CASES {
        // Multiples of all blocks of the cases, of none, and in between.
        for n in [720_720, 1_000_000, 1 << 20, 1_000_003] {
            let starts: Arc<[i64]> = (case.make)(n).into();
            let input = std::mem::size_of_val(&*starts);
            let what = |call: &str, peak: usize| {
                assert!(
                    input + peak <= 3 * input,
                    "{} of {n}, {call}: {peak} bytes besides an input of {input}",
                    case.name
                );
            };
            for set in [Constructors::Basic, Constructors::Extended] {
                let solve = || reconstruct(&starts, Basic::CHAR, set, &model).expect("valid");
                let share =
                    || reconstruct_shared(&starts, Basic::CHAR, set, &model).expect("valid");
                what(&format!("{set:?} of a slice"), peak_of(solve));
                what(&format!("{set:?}, shared"), peak_of(share));
            }
        }
    }
    for case in CASES {
        let starts: Vec<i64> = (case.make)(1_000_000);
        let input = std::mem::size_of_val(&*starts);
        let tree = Constructors::Tree;
        let peak = peak_of(|| reconstruct(&starts, Basic::CHAR, tree, &model).expect("valid"));
        let name = case.name;
        assert!(input + peak <= 3 * input, "{name}: {peak} bytes besides {input}");
    }
}

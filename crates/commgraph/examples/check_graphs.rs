//! Random graphs against an executor that moves their bytes one by one: `make check-graphs`.
//!
//! Arguments: how many graphs (100,000), and the first seed (0). Prints Markdown. A graph that
//! differs ends the program and names its seed.

use std::cell::RefCell;
use std::collections::BTreeMap;

use commloom_testkit::graphs::campaign::{GraphCheck, before_and_after};
use commloom_testkit::runner::check_seed;
use indicatif::{ProgressBar, ProgressStyle};

#[derive(Default)]
struct Sum {
    races: u64,
    operations: usize,
    changed: usize,
    whole: u64,
    kinds: BTreeMap<&'static str, u64>,
}

impl Sum {
    fn add(&mut self, outcome: &GraphCheck) {
        self.races += u64::from(outcome.race);
        self.operations += outcome.operations;
        self.changed += outcome.changed;
        self.whole += u64::from(outcome.left == 0 && !outcome.kinds.is_empty());
        for kind in &outcome.kinds {
            *self.kinds.entry(kind.name()).or_default() += 1;
        }
    }
}

fn main() {
    let number = |k| std::env::args().nth(k).and_then(|a| a.parse::<u64>().ok());
    let (graphs, first) = (number(1).unwrap_or(100_000), number(2).unwrap_or(0));
    let bar = ProgressBar::new(graphs);
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} graphs ({eta} left)");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let sum = RefCell::new(Sum::default());
    for seed in first..first + graphs {
        check_seed(seed, |rng| sum.borrow_mut().add(&before_and_after(rng)));
        bar.inc(1);
    }
    bar.finish_and_clear();
    report(graphs, first, &sum.into_inner());
}

fn report(graphs: u64, first: u64, sum: &Sum) {
    let Sum { races, operations, changed, whole, kinds } = sum;
    println!("# Random communication graphs, run byte by byte\n");
    println!(
        "Made by `make check-graphs`. {graphs} graphs, seeds {first} to {}: half of them random\n\
         sends, receives, copies and reductions on random buffers (half of those with layouts),\n\
         half of them one or two algorithms of the textbooks, some with a wrong message, among\n\
         random messages in the same memory. Each is run by an executor that moves one byte after\n\
         the other, in a random order. Its memory was that of the dataflow, and that of the\n\
         operations found, replayed by their definitions in MPI, with the transfers that are\n\
         left.\n",
        first + graphs - 1
    );
    println!("| | |\n|---|---|");
    println!("| graphs that differ | 0 |");
    println!("| graphs with a race, refused | {races} |");
    println!("| operations | {operations} |");
    println!("| bytes changed, and compared twice | {changed} |");
    println!("| graphs that are collective operations without rest | {whole} |");
    println!("\n| found | times |\n|---|---|");
    for (kind, times) in kinds {
        println!("| {kind} | {times} |");
    }
}

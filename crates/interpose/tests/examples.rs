//! The stencil of `examples/` receives the same bytes natively and under commloom: derived
//! datatypes in messages, persistent requests and a collective, with computing between them.

mod harness;

use harness::{libraries, lines};

/// Settings under which every message that can take a strategy does, and the defaults.
const STRATEGIES: &[&[(&str, &str)]] = &[
    &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")],
    &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "types")],
    &[("COMMLOOM_WARMUP", "0")],
    &[],
];

/// Each cell, with the checksum of what all ranks have received, and without its times.
fn received(printed: &[String]) -> Vec<String> {
    let cells = printed.iter().filter_map(|line| line.strip_prefix("CELL "));
    let cell = |line: &str| {
        let words: Vec<_> = line.split(' ').collect();
        format!("{} {}", words[..4].join(" "), words[words.len() - 1])
    };
    cells.map(cell).collect()
}

#[test]
fn a_stencil_on_any_number_of_ranks_receives_the_same_under_commloom() {
    for library in libraries() {
        let program = library.compile_example("stencil");
        for (ranks, n) in [(1, 10), (2, 40), (3, 12), (4, 40)] {
            let arguments = format!("--reps 6 --n {n}");
            let native = library.run_case(ranks, &program, &arguments, &[], false);
            let native = received(&lines(&native));
            assert_eq!(native.len(), 8, "{}, {ranks} ranks: {native:?}", library.name);
            for strategy in STRATEGIES {
                let with = library.run_case(ranks, &program, &arguments, strategy, true);
                let what = format!("{}, {ranks} ranks, {strategy:?}", library.name);
                assert_eq!(native, received(&lines(&with)), "{what}");
            }
        }
    }
}

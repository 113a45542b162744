//! Puts into windows land whole, and neither too early nor too late, in every way that commloom
//! sends them. The program compares windows with what a loop makes of them. `COMMLOOM_SEED` and
//! `COMMLOOM_CASES` draw others.

mod harness;

use harness::{Library, libraries, lines};

/// Epochs of one run, unless asked otherwise.
const CASES: u64 = 60;

const ASIDE: &[(&str, &str)] = &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "pack")];
const DRAWN: &[(&str, &str)] = &[("COMMLOOM_WARMUP", "0"), ("COMMLOOM_FORCE", "mixed")];

fn asked(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The number of puts of the first process that went aside, in a run in which nothing is wrong.
#[track_caller]
fn aside(library: &Library, ranks: usize, environment: &[(&str, &str)]) -> u64 {
    let program = library.compile("windows");
    let seed = asked("COMMLOOM_SEED").unwrap_or(ranks.try_into().unwrap_or(0));
    let cases = asked("COMMLOOM_CASES").unwrap_or(CASES);
    let output = library.run_case(ranks, &program, &format!("{seed} {cases}"), environment, true);
    let printed = lines(&output);
    let what = format!("{}, {ranks} ranks, {environment:?}, seed {seed}", library.name);
    let wrong: Vec<_> = printed.iter().filter(|line| line.starts_with("WRONG")).collect();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
    let number = printed.iter().find_map(|line| line.strip_prefix("aside ")?.parse().ok());
    number.unwrap_or_else(|| panic!("{what}: {printed:?}"))
}

#[test]
fn what_is_put_is_there_when_its_epoch_is_over() {
    for library in libraries() {
        for ranks in [1, 2, 3] {
            let number = aside(&library, ranks, ASIDE);
            assert_eq!(number > 20, ranks > 1, "{}, {ranks} ranks: {number}", library.name);
            aside(&library, ranks, DRAWN);
            aside(&library, ranks, &[]);
        }
    }
}

#[test]
fn puts_can_be_left_to_the_library() {
    for library in libraries() {
        for off in ["windows", "pack", "all"] {
            let environment = [ASIDE, &[("COMMLOOM_OFF", off)]].concat();
            assert_eq!(aside(&library, 2, &environment), 0, "{}, {off}", library.name);
        }
    }
}

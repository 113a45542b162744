//! Puts into windows land whole, and neither too early nor too late, in every way that commloom
//! sends them. The program compares windows with what a loop makes of them. `COMMLOOM_SEED` and
//! `COMMLOOM_CASES` draw others.

mod harness;

use harness::{Library, libraries, lines};

/// Epochs of one run, unless asked otherwise: fewer of three processes, as those of Open MPI take
/// a quarter of a second where there are fewer cores.
fn epochs(ranks: usize) -> u64 {
    if ranks > 2 { 20 } else { 60 }
}

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
    let cases = asked("COMMLOOM_CASES").unwrap_or(epochs(ranks));
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
            let least = if ranks > 2 { 10 } else { 20 };
            assert_eq!(number > least, ranks > 1, "{}, {ranks} ranks: {number}", library.name);
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

#[test]
fn calls_that_fail_in_the_middle_of_epochs_change_nothing_of_what_arrives() {
    for library in libraries() {
        let program = library.compile("window_errors");
        for seed in ["1", "2", "3"] {
            let run = |environment, preloaded| {
                lines(&library.run_case(2, &program, seed, environment, preloaded))
            };
            let native = run(&[], false);
            let is_right = |line: &String| line.ends_with(" 0 wrong") && !line.contains(": 0 f");
            assert!(native.len() == 2 && native.iter().all(is_right), "{native:?}");
            for environment in [ASIDE, DRAWN, &[]] {
                assert_eq!(run(environment, true), native, "{}, seed {seed}", library.name);
            }
        }
    }
}

/// Memory for others is a file to the system, and one longer than `ulimit -f` allows ends a
/// process by a signal.
#[test]
fn a_limit_on_the_length_of_files_ends_no_program() {
    for library in libraries() {
        let program = library.compile("window_errors");
        let printed = lines(&library.run_case(2, &program, "1 limited", ASIDE, true));
        assert!(printed.iter().all(|line| line.ends_with(" 0 wrong")), "{printed:?}");
        assert_eq!(printed.len(), 2, "{}", library.name);
    }
}

//! The options of a campaign, from the command line or from the file that it goes on with.

use std::ops::RangeInclusive;
use std::path::Path;

use clap::ValueEnum;
use commloom_guideline::results::{Mode, Operation, Options, Results};

use super::Args;
use crate::failure::Failure;
use crate::guidelines::installed;

/// Expectation tests of the paper.
const TESTS: RangeInclusive<u32> = 1..=11;
/// As in the paper; verdicts need no fewer.
const RUNS: u32 = 5;
/// From this factor on a guideline counts as violated.
pub const THRESHOLD: f64 = 1.1;

/// An operation on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Op {
    /// `MPI_Send` and `MPI_Recv` there and back, between the first two processes
    Pingpong,
    /// `MPI_Bcast`
    Bcast,
    /// `MPI_Allgather`
    Allgather,
}

/// Whether commloom takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Commloom {
    /// Only the library alone
    Off,
    /// Only under `commloom exec`
    On,
    /// Both, by turns
    Both,
}

/// `3` or `3-7`.
pub fn range(text: &str) -> Result<RangeInclusive<u32>, String> {
    let wrong = || "expected a number, or two with `-` between them, such as 3-11".to_owned();
    let number = |text: &str| text.trim().parse::<u32>().map_err(|_| wrong());
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (number(first)?, number(last)?);
    if first > last {
        return Err(format!("{first} is greater than {last}"));
    }
    if let Some(given) = [first, last].into_iter().find(|n| !TESTS.contains(n)) {
        let (from, to) = TESTS.into_inner();
        return Err(format!("there is no expectation test {given}, only {from} to {to}"));
    }
    Ok(first..=last)
}

/// Bytes: `3200`, `64k`, `2.56M` (as in the paper, 1 kB is 1000 bytes).
pub fn size(text: &str) -> Result<u64, String> {
    let wrong = || "expected bytes, such as 3200, 64k or 2.56M".to_owned();
    let (digits, zeros) = match text.strip_suffix(['k', 'M']) {
        Some(digits) => (digits, if text.ends_with('k') { 3 } else { 6 }),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if fraction.len() > zeros || digits.ends_with('.') {
        return Err(wrong());
    }
    let number = format!("{whole}{fraction:0<zeros$}");
    match number.parse::<u64>() {
        Ok(bytes @ 1..=0x4000_0000) => Ok(bytes),
        Ok(bytes) => Err(format!("{bytes} bytes are outside 1 to {}", 0x4000_0000)),
        Err(_) => Err(wrong()),
    }
}

/// A factor of at least 1.
pub fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor >= 1.0 && factor.is_finite() => Ok(factor),
        _ => Err("expected a factor of at least 1, such as 1.1".to_owned()),
    }
}

/// The given options, with defaults for the rest.
///
/// # Errors
/// No library is given, and none is found.
pub fn of(args: &Args) -> Result<Options, Failure> {
    let mpi = if args.mpi.is_empty() { installed() } else { args.mpi.clone() };
    if mpi.is_empty() {
        return Err(Failure::message(
            "no MPI library found: there is neither an mpirun of MPICH nor one of Open MPI in \
             PATH; name one with --mpi /path/to/mpirun",
        ));
    }
    Ok(Options {
        mpi,
        tests: tests(args).unwrap_or_else(|| TESTS.collect()),
        operations: operations(args),
        processes: args.processes.unwrap_or(2),
        runs: args.runs.unwrap_or(RUNS),
        bases: bases(args).unwrap_or_else(|| vec!["MPI_INT".to_owned()]),
        sizes: some(&args.sizes),
        blocks: some(&args.blocks),
        modes: modes(args).unwrap_or_else(|| vec![Mode::Native, Mode::Commloom]),
        quick: args.quick,
        threshold: args.threshold.unwrap_or(THRESHOLD),
    })
}

/// Checks that what is given is what a file was measured with, but for what may change: the number
/// of launches may grow, and the threshold is free.
///
/// # Errors
/// The first option that differs.
pub fn resumed(args: &Args, file: &Path, results: &mut Results) -> Result<(), Failure> {
    let of_file = &mut results.options;
    let differs = |option: &str, was: String| {
        let file = file.display();
        Err(Failure::message(format!(
            "cannot resume {file}: it was measured with {option} {was}; leave the option out, or \
             measure anew without --resume"
        )))
    };
    if !args.mpi.is_empty() && args.mpi != of_file.mpi {
        return differs("--mpi", of_file.mpi.join(","));
    }
    if tests(args).is_some_and(|given| given != of_file.tests) {
        return differs("--tests", list(&of_file.tests));
    }
    if let given @ Some(_) = operations(args)
        && given != of_file.operations
    {
        return differs("--op", names(of_file.operations.as_deref()));
    }
    if args.processes.is_some_and(|given| given != of_file.processes) {
        return differs("-n", of_file.processes.to_string());
    }
    if bases(args).is_some_and(|given| given != of_file.bases) {
        return differs("--base", of_file.bases.join(","));
    }
    for (option, given, was) in
        [("--sizes", &args.sizes, &of_file.sizes), ("--blocks", &args.blocks, &of_file.blocks)]
    {
        if !given.is_empty() && Some(given) != was.as_ref() {
            return differs(option, was.as_ref().map_or("those of the paper".into(), |w| list(w)));
        }
    }
    if modes(args).is_some_and(|given| given != of_file.modes) {
        let was = match of_file.modes.as_slice() {
            [Mode::Native] => "off",
            [Mode::Commloom] => "on",
            _ => "both",
        };
        return differs("--commloom", was.to_owned());
    }
    if args.quick && !of_file.quick {
        return differs("all block sizes, without", "--quick".to_owned());
    }
    if args.seed.is_some_and(|given| given != results.seed) {
        return differs("--seed", results.seed.to_string());
    }
    if let Some(runs) = args.runs {
        if runs < of_file.runs {
            return differs("--runs", of_file.runs.to_string());
        }
        of_file.runs = runs;
    }
    of_file.threshold = args.threshold.unwrap_or(of_file.threshold);
    Ok(())
}

/// In ascending order, each once.
fn tests(args: &Args) -> Option<Vec<u32>> {
    let mut tests: Vec<u32> = args.tests.iter().cloned().flatten().collect();
    tests.sort_unstable();
    tests.dedup();
    some(&tests)
}

fn operations(args: &Args) -> Option<Vec<Operation>> {
    let operation = |op: &Op| match op {
        Op::Pingpong => Operation::Pingpong,
        Op::Bcast => Operation::Bcast,
        Op::Allgather => Operation::Allgather,
    };
    some(&args.op.iter().map(operation).collect::<Vec<_>>())
}

fn bases(args: &Args) -> Option<Vec<String>> {
    some(&args.base.iter().map(|basic| basic.name().to_owned()).collect::<Vec<_>>())
}

fn modes(args: &Args) -> Option<Vec<Mode>> {
    Some(match args.commloom? {
        Commloom::Off => vec![Mode::Native],
        Commloom::On => vec![Mode::Commloom],
        Commloom::Both => vec![Mode::Native, Mode::Commloom],
    })
}

fn some<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}

fn list<T: ToString>(all: &[T]) -> String {
    all.iter().map(T::to_string).collect::<Vec<_>>().join(",")
}

fn names(operations: Option<&[Operation]>) -> String {
    let name = |operation: &Operation| match operation {
        Operation::Pingpong => "pingpong",
        Operation::Bcast => "bcast",
        Operation::Allgather => "allgather",
    };
    operations.map_or("those of the paper".to_owned(), |all| {
        all.iter().map(name).collect::<Vec<_>>().join(",")
    })
}

#[cfg(test)]
mod tests_of_values {
    use super::*;

    #[test]
    fn tests_are_numbers_and_ranges() {
        assert_eq!(range("3"), Ok(3..=3));
        assert_eq!(range("3-11"), Ok(3..=11));
        for (text, message) in [
            ("0", "there is no expectation test 0, only 1 to 11"),
            ("3-12", "there is no expectation test 12, only 1 to 11"),
            ("5-3", "5 is greater than 3"),
            ("all", "expected a number"),
            ("3-", "expected a number"),
        ] {
            assert!(range(text).expect_err(text).starts_with(message), "{text}");
        }
    }

    #[test]
    fn sizes_are_bytes_with_the_units_of_the_paper() {
        for (text, bytes) in [("3200", 3200), ("64k", 64_000), ("2.56M", 2_560_000), ("0.1k", 100)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for text in ["", "k", "3.2", "1.2345k", "2.M", "-1", "1e6", "0", "9999M"] {
            assert!(size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn factors_are_at_least_1() {
        assert_eq!(factor("1.25"), Ok(1.25));
        assert!(["0.9", "nan", "inf", "x"].iter().all(|text| factor(text).is_err()));
    }
}

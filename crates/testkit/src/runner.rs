//! Runs one property on many seeds, and names the seed that failed.

use std::process::{Command, Output};

use crate::Rng;

/// How many times as many random cases are drawn as tests say: once, unless `COMMLOOM_TIMES` asks
/// for more, as `make test-long` does.
///
/// # Panics
/// If it asks for what is no number.
pub fn times() -> u64 {
    std::env::var("COMMLOOM_TIMES").map_or(1, |times| times.parse().expect("a number"))
}

/// Runs `property` on `cases` random generators ([`times`] as many where that is asked for), with
/// the seeds from 0 on. Where it panics, the seed is printed: run that case alone with
/// [`check_seed`].
pub fn check(cases: u64, property: impl Fn(&mut Rng)) {
    (0..cases * times()).for_each(|seed| check_seed(seed, &property));
}

/// Runs `property` on the generator of one seed.
pub fn check_seed(seed: u64, property: impl Fn(&mut Rng)) {
    let named = OnPanic(seed);
    property(&mut Rng::with_seed(seed));
    drop(named);
}

struct OnPanic(u64);

impl Drop for OnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!(
                "failed with seed {0}: repeat it with testkit::runner::check_seed({0}, ..)",
                self.0
            );
        }
    }
}

/// Commands that ran side by side, and what each did.
pub fn side_by_side(commands: Vec<Command>) -> Vec<(Command, std::io::Result<Output>)> {
    std::thread::scope(|scope| {
        let all = commands.into_iter().map(|mut command| {
            scope.spawn(move || {
                let output = command.output();
                (command, output)
            })
        });
        let all: Vec<_> = all.collect();
        all.into_iter().map(|one| one.join().expect("it does not panic")).collect()
    })
}

/// Says that a test, or a part of it, was skipped, and why. Not with `eprintln!`, which the test
/// harness keeps to itself when the test passes.
pub fn skipped(why: &str) {
    use std::io::Write as _;
    // Nothing is lost where nobody listens.
    let _ = writeln!(std::io::stderr(), "SKIPPED {why}");
}

//! Runs one property on many seeds, and names the seed that failed.

use crate::Rng;

/// Runs `property` on `cases` random generators, with the seeds `0..cases`. Where it panics, the
/// seed is printed: run that case alone with [`check_seed`].
pub fn check(cases: u64, property: impl Fn(&mut Rng)) {
    (0..cases).for_each(|seed| check_seed(seed, &property));
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

/// Says that a test, or a part of it, was skipped, and why. Not with `eprintln!`, which the test
/// harness keeps to itself when the test passes.
pub fn skipped(why: &str) {
    use std::io::Write as _;
    // Nothing is lost where nobody listens.
    let _ = writeln!(std::io::stderr(), "SKIPPED {why}");
}

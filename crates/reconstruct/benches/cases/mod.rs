//! The sequences that are measured, as data: a name, and how to make it.

/// A sequence of `n` displacements.
#[derive(Clone, Copy)]
pub struct Case {
    /// For the report.
    pub name: &'static str,
    /// Whether a short description is found for every n: those whose growth is measured.
    #[allow(dead_code, reason = "tests/memory.rs measures all cases alike")]
    pub regular: bool,
    /// The displacements, for a given n.
    pub make: fn(i64) -> Vec<i64>,
}

/// All cases.
pub const CASES: &[Case] = &[
    Case { name: "progression", regular: true, make: |n| (0..n).map(|i| 3 * i).collect() },
    Case { name: "two levels", regular: true, make: |n| (0..n).map(two_levels).collect() },
    Case { name: "four levels", regular: true, make: |n| (0..n).map(four_levels).collect() },
    Case { name: "list of 40", regular: true, make: |n| (0..n).map(list_of_40).collect() },
    Case {
        name: "last one changed",
        regular: false,
        make: |n| (0..n).map(|i| two_levels(i) + i64::from(i == n - 1)).collect(),
    },
    Case { name: "random", regular: false, make: random },
];

fn two_levels(i: i64) -> i64 {
    i / 40 * 1000 + i % 40 * 8
}

fn four_levels(i: i64) -> i64 {
    i / 4000 * 10_000_000 + i / 400 % 10 * 990_000 + i / 10 % 40 * 2000 + i % 10 * 8
}

fn list_of_40(i: i64) -> i64 {
    i / 40 * 2000 + (i % 40) * (i % 40)
}

fn random(n: i64) -> Vec<i64> {
    let mut rng = commloom_testkit::Rng::with_seed(1);
    let mut end = 0;
    (0..n)
        .map(|_| {
            end += rng.i64(1..10);
            end
        })
        .collect()
}

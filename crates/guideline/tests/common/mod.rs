//! Campaigns with a known answer.
//!
//! Tiled data of 2 and 100 elements a unit, described in all the ways of tests 1 and 3 to 7, in
//! two operations, natively and under commloom. A test says what each takes.

#![allow(dead_code, reason = "every test program uses its part")]

use commloom_guideline::results::{
    Case, Environment, FORMAT, Launch, Library, Method, Mode, Operation, Options, Outcome, Results,
    Role, Run, Series, VERSION,
};

/// Microseconds, without noise.
pub type Speed = fn(&Case, Operation, Method, Mode) -> f64;

pub const OPERATIONS: [Operation; 2] = [Operation::Pingpong, Operation::Bcast];
pub const MODES: [Mode; 2] = [Mode::Native, Mode::Commloom];

/// Everything takes as long as its bytes.
pub fn fair(case: &Case, _: Operation, method: Method, _: Mode) -> f64 {
    let gaps = if case.role == Role::Contiguous { 1.0 } else { 2.0 };
    let large = if case.bytes > 100_000 { 200.0 } else { 1.0 };
    let blocks = if case.parameters.get("A") == Some(&2) { 1.5 } else { 1.0 };
    let packing = if method == Method::Packed { 1.3 } else { 1.0 };
    large * gaps * blocks * packing
}

/// A vector takes three times as long as the best description, and packing half as long as a
/// datatype, natively and for small units.
pub fn unfair(case: &Case, operation: Operation, method: Method, mode: Mode) -> f64 {
    let of_fair = fair(case, operation, Method::Typed, mode);
    if mode == Mode::Commloom || case.parameters.get("A") != Some(&2) {
        return fair(case, operation, method, mode);
    }
    match (case.description.as_str(), method) {
        (_, Method::Packed) => 0.5 * of_fair,
        ("Tiled-vector", _) => 3.0 * of_fair,
        ("Contiguous-subtype", _) => 1.5 * of_fair,
        ("normal form", _) => 0.8 * of_fair,
        _ => of_fair,
    }
}

/// One library, so many launches, with one percent of noise and a machine whose speed changes
/// between launches.
pub fn campaign(kind: &str, version: &str, launches: u32, speed: Speed) -> Results {
    let cases = cases();
    let mut rng = fastrand::Rng::with_seed(u64::from(launches));
    let machine: Vec<f64> = (0..launches).map(|_| 1.0 + rng.f64()).collect();
    let mut series = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        for operation in OPERATIONS {
            for mode in MODES {
                for method in [Method::Typed, Method::Packed] {
                    if method == Method::Packed && !case.tests.contains(&3) {
                        continue;
                    }
                    let us = speed(case, operation, method, mode);
                    let mut launch = |launch: u32, machine: f64| {
                        let mut sample = || us * machine * (1.0 + 0.01 * rng.f64());
                        let samples_us = (0..9).map(|_| sample()).collect();
                        Launch { launch, outcome: Outcome::Measured { order: 0, samples_us } }
                    };
                    let launches = (0..).zip(&machine).map(|(k, m)| launch(k, *m)).collect();
                    series.push(Series { case: index, operation, method, mode, launches });
                }
            }
        }
    }
    results(
        kind,
        version,
        launches,
        Run { library: library(kind, version), processes: 2, cases, series },
    )
}

fn library(kind: &str, version: &str) -> Library {
    Library {
        kind: kind.into(),
        version: version.into(),
        text: format!("{kind} <{version}> & more"),
        mpirun: "/usr/bin/mpiexec".into(),
    }
}

fn results(kind: &str, _: &str, runs: u32, run: Run) -> Results {
    Results {
        format: FORMAT.into(),
        version: VERSION,
        complete: true,
        date: "2026-11-21T19:10:00Z".into(),
        seed: 7,
        options: Options {
            mpi: vec![kind.into()],
            tests: (1..=11).collect(),
            operations: None,
            processes: 2,
            runs,
            bases: vec!["MPI_INT".into()],
            sizes: None,
            blocks: None,
            modes: MODES.to_vec(),
            quick: false,
            threshold: 1.1,
        },
        environment: Environment {
            host: "here".into(),
            os: "Linux 6".into(),
            cpu: "a CPU".into(),
            cores: 2,
            governor: None,
            pinning: "core".into(),
            commloom: "0.1.0".into(),
        },
        runs: vec![run],
    }
}

/// Description, role, tests.
const WAYS: &[(&str, Role, &[u32])] = &[
    ("Tiled", Role::Reference, &[1, 3, 4, 5, 6, 7]),
    ("Contiguous-subtype", Role::Description, &[4]),
    ("Tiled-struct (2,3)", Role::Description, &[5]),
    ("Tiled-vector", Role::Description, &[6]),
    ("Vector-tiled", Role::Description, &[7]),
    ("normal form", Role::NormalForm, &[5, 6, 7]),
];

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for bytes in [3200, 2_560_000] {
        cases.push(Case {
            id: format!("contiguous/MPI_INT/{bytes}"),
            tests: vec![1],
            layout: "Contiguous".into(),
            variant: None,
            parameters: Default::default(),
            group: format!("contiguous/{bytes}"),
            description: "Contiguous".into(),
            role: Role::Contiguous,
            ty: "MPI_INT".into(),
            count: bytes / 4,
            base: "MPI_INT".into(),
            bytes,
        });
        for a in [2, 100] {
            for (description, role, tests) in WAYS {
                cases.push(Case {
                    id: format!("tiled/A={a}/{description}/{bytes}"),
                    tests: tests.to_vec(),
                    layout: "Tiled".into(),
                    variant: Some(1),
                    parameters: [("A".to_owned(), a), ("B".to_owned(), a + 2)].into(),
                    group: format!("tiled/A={a}/{bytes}"),
                    description: (*description).into(),
                    role: *role,
                    ty: format!("vector({}, {a}, {}, MPI_INT)", bytes / 4 / a, a + 2),
                    count: 1,
                    base: "MPI_INT".into(),
                    bytes,
                });
            }
        }
    }
    cases
}

/// Makes a launch of the first series of this description fail.
pub fn break_launch(results: &mut Results, description: &str, launch: u32, error: &str) {
    let run = &mut results.runs[0];
    let cases = &run.cases;
    let of = |s: &&mut Series| cases[s.case].description == description;
    let series = run.series.iter_mut().find(of).expect("it is there");
    let launch = series.launches.iter_mut().find(|l| l.launch == launch).expect("it is there");
    launch.outcome = Outcome::Failed { error: error.into() };
}

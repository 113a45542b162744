//! An attack on the proofs: programs drawn by chance with something in them that may make a change
//! wrong ([`campaign`]), changed, compiled and run before and after, by an MPI that does the worst
//! that the standard allows. What is sent, left in all arrays and computed must be the same.
//!
//! `make check-refactor` draws some thousands, and prints the table of
//! book/src/tables/check-refactor.md; `COMMLOOM_PROGRAMS` and `COMMLOOM_SEED` say how many, and
//! which. `COMMLOOM_KEEP=FOLDER` keeps the texts of those that are wrong.

mod campaign;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use campaign::run::{Printed, folder, run};
use campaign::{Outcome, judge, program};

/// As many as are compiled together.
const BATCH: usize = 400;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Libraries whose compilers are installed.
fn libraries() -> Vec<&'static str> {
    let wanted = std::env::var("COMMLOOM_LIBRARIES").unwrap_or_else(|_| "mpich".into());
    let mut found = Vec::new();
    for library in ["mpich", "openmpi"] {
        let installed = ["mpicc", "mpicxx", "mpif90"].iter().all(|tool| {
            let version = Command::new(format!("{tool}.{library}")).arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        });
        if installed && wanted.split(',').any(|w| w == library) {
            found.push(library);
        } else if !installed {
            commloom_testkit::skipped(&format!("programs under {library}: no compilers"));
        }
    }
    found
}

#[test]
fn changed_programs_do_what_they_did() {
    let seed = number("COMMLOOM_SEED", 1);
    let count = usize::try_from(number("COMMLOOM_PROGRAMS", 160)).expect("a count");
    let outcomes = judged(seed, count);
    let changed: Vec<&Outcome> = outcomes.iter().filter(|o| o.after.is_some()).collect();
    let mut wrong: BTreeMap<usize, String> = BTreeMap::new();
    for library in libraries() {
        for batch in changed.chunks(BATCH) {
            both(library, batch, &mut wrong);
        }
    }
    for silent in outcomes.iter().filter(|o| o.after.is_none() && o.codes.is_empty()) {
        let said = describe(silent, "no library", "nothing is said");
        wrong.insert(silent.program.number, said);
    }
    keep(&outcomes, &wrong);
    if std::env::var_os("COMMLOOM_TABLE").is_some() {
        println!("{}", table(&outcomes, &wrong));
    }
    // A campaign that changes nothing attacks nothing.
    assert!(changed.len() * 8 > count, "seed {seed}: {} of {count} changed", changed.len());
    assert!(wrong.is_empty(), "seed {seed}, {count} programs: {wrong:#?}");
}

/// So many programs, on all cores.
fn judged(seed: u64, count: usize) -> Vec<Outcome> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = count.div_ceil(cores).max(1);
    std::thread::scope(|scope| {
        let shares = (0..count).step_by(share).map(|first| {
            let numbers = first..count.min(first + share);
            scope.spawn(move || numbers.map(|n| judge(program(seed, n))).collect::<Vec<_>>())
        });
        let shares: Vec<_> = shares.collect();
        shares.into_iter().flat_map(|share| share.join().expect("no program panics")).collect()
    })
}

/// Runs both states of some programs, and notes what differs. Where a text does not compile, each
/// program is tried by itself.
fn both(library: &str, all: &[&Outcome], wrong: &mut BTreeMap<usize, String>) {
    let after = |o: &Outcome| o.after.clone().unwrap_or_default();
    let before = run(library, &folder(library, "before"), all, &|o| o.program.text.clone());
    let before = before.expect("programs are right before they are changed");
    match run(library, &folder(library, "after"), all, &after) {
        Ok(printed) => compare(library, all, &before, &printed, wrong),
        Err(_) if all.len() > 1 => {
            let (one, other) = all.split_at(all.len() / 2);
            both(library, one, wrong);
            both(library, other, wrong);
        }
        Err(error) => {
            for outcome in all {
                wrong.insert(outcome.program.number, describe(outcome, library, &error));
            }
        }
    }
}

fn compare(
    library: &str,
    all: &[&Outcome],
    before: &Printed,
    after: &Printed,
    wrong: &mut BTreeMap<usize, String>,
) {
    for outcome in all {
        let number = outcome.program.number;
        let (was, is) = (before.get(&number), after.get(&number));
        if was != is || was.is_none() {
            let lines: Vec<String> = was
                .into_iter()
                .flat_map(|was| was.lines().zip(is.map_or("", String::as_str).lines()))
                .filter(|(a, b)| a != b)
                .map(|(a, b)| format!("{a} became {b}"))
                .take(1)
                .collect();
            wrong.insert(number, describe(outcome, library, &lines.join("; ")));
        }
    }
}

fn describe(outcome: &Outcome, library: &str, what: &str) -> String {
    let twists = outcome.program.twists.join(" and ");
    format!("{library}, {}: {twists}: {what}", outcome.program.form)
}

fn keep(outcomes: &[Outcome], wrong: &BTreeMap<usize, String>) {
    let Some(folder) = std::env::var_os("COMMLOOM_KEEP") else { return };
    fs::create_dir_all(&folder).expect("a folder");
    for outcome in outcomes.iter().filter(|o| wrong.contains_key(&o.program.number)) {
        let suffix = outcome.program.suffix();
        let name = |state: &str| format!("p{}.{state}.{suffix}", outcome.program.number);
        let folder = Path::new(&folder);
        fs::write(folder.join(name("before")), &outcome.program.text).expect("a text");
        let after = outcome.after.clone().unwrap_or_default();
        fs::write(folder.join(name("after")), after).expect("a text");
    }
}

/// By what was put into programs: how many were changed, refused for which reasons, and wrong.
fn table(outcomes: &[Outcome], wrong: &BTreeMap<usize, String>) -> String {
    #[derive(Default)]
    struct Row {
        all: usize,
        changed: usize,
        wrong: usize,
        codes: BTreeMap<&'static str, usize>,
    }
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut languages: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in outcomes {
        *languages.entry(format!("{:?}", outcome.program.language)).or_default() += 1;
        let mut names = vec!["(all programs)"];
        match outcome.program.twists.as_slice() {
            [] => names.push("(no twist)"),
            [one] => names.push(one),
            _ => names.push("(several twists)"),
        }
        for name in names {
            let row = rows.entry(name).or_default();
            row.all += 1;
            row.changed += usize::from(outcome.after.is_some());
            row.wrong += usize::from(wrong.contains_key(&outcome.program.number));
            if outcome.after.is_none() {
                for code in outcome.codes.iter().collect::<BTreeSet<_>>() {
                    *row.codes.entry(code).or_default() += 1;
                }
            }
        }
    }
    let mut text = format!(
        "{languages:?}\n\n| twist | programs | changed | refused | wrong |\n|---|---|---|---|---|\n"
    );
    for (name, row) in rows {
        let codes: Vec<String> = row.codes.iter().map(|(code, n)| format!("{code} {n}")).collect();
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} | {} |",
            row.all,
            row.changed,
            codes.join(", "),
            row.wrong
        );
    }
    text
}

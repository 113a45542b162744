//! Programs before and after: each file of `tests/cases` is checked, and its patch and refusals
//! are compared with the text beside it (`.expected`).
//!
//! `COMMLOOM_ACCEPT=1 cargo test -p commloom-refactor --test cases` writes what is found now; look
//! at the difference before committing it. All programs are compiled and run as well, before and
//! after, under both MPI libraries: they send and leave the same bytes.

mod harness;

use std::collections::BTreeSet;
use std::fs;

use commloom_refactor::check::{self, Options, Project};
use commloom_refactor::edit::diff;
use commloom_refactor::source::{FileId, Source};

use harness::programs::{Library, Written, libraries};
use harness::{Case, cases};

#[test]
fn programs_change_as_expected() {
    let accept = std::env::var_os("COMMLOOM_ACCEPT").is_some();
    let mut wrong = String::new();
    for case in cases() {
        let now = case.found();
        if accept {
            fs::write(case.expected(), &now).expect("the expectation");
        } else {
            let before = fs::read_to_string(case.expected()).unwrap_or_default();
            wrong.push_str(&diff(&format!("{}.expected", case.name), &before, &now));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A text that was changed once is not changed again.
#[test]
fn changes_are_idempotent() {
    for case in cases() {
        let Some(after) = case.after() else { continue };
        let again = case.project_of(after.clone());
        let findings = check::check(&again, &case.options());
        assert_eq!(check::changed(&again, FileId(0), &findings), None, "{}: {after}", case.name);
    }
}

/// Many files in several languages, in which the same names mean different things.
#[test]
fn all_cases_are_one_program() {
    let source = |case: Case| Source { name: case.name, language: case.language, text: case.text };
    let project = Project::new(cases().into_iter().map(source).collect());
    let findings = check::check(&project, &Options { assume: vec!["all".into()], rounds: 0 });
    assert!(findings.len() > 200, "{}", findings.len());
}

/// Every code that is documented is shown by a case.
#[test]
fn every_code_has_a_case() {
    let documented: BTreeSet<&str> = include_str!("../../../book/src/reference/refusal-codes.md")
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert!(documented.len() > 15, "{documented:?}");
    let found: Vec<String> = cases().iter().map(Case::found).collect();
    // What only a compiler finds is shown by the tests of the command.
    let documented = documented.into_iter().filter(|code| *code != "E-COMPILE");
    let documented: Vec<&str> = documented.collect();
    let missing: Vec<&&str> = documented
        .iter()
        .filter(|code| !found.iter().any(|text| text.contains(&format!(": {code}: "))))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Both states of all programs, under every library: what the other rank got and what is in the
/// arrays is the same.
#[test]
fn programs_send_and_leave_the_same_bytes() {
    same_bytes("", &[], &libraries());
}

/// The text that is written into programs does not count bytes as LP64 has them.
#[test]
fn programs_with_other_layouts_send_and_leave_the_same_bytes() {
    let libraries = libraries();
    let one = libraries.get(..1).unwrap_or(&[]);
    same_bytes("-packed", &["-fpack-struct=1", "-mlong-double-64"], one);
}

/// The text of a case.
type Text<'t> = dyn Fn(&Case) -> String + Sync + 't;

fn same_bytes(name: &str, layout: &[&str], libraries: &[Library]) {
    let cases = cases();
    let after: Vec<Option<String>> = cases.iter().map(Case::after).collect();
    let mut wrong = String::new();
    for (case, after) in cases.iter().zip(&after) {
        if after.is_some() != case.run.is_some() {
            wrong.push_str(&format!("{}: changes and `run:` belong together\n", case.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let before_of = |case: &Case| case.text.clone();
    let after_of = |case: &Case| {
        let at = cases.iter().position(|c| c.name == case.name);
        at.and_then(|at| after[at].clone()).unwrap_or_else(|| case.text.clone())
    };
    let both = |library: Library| {
        std::thread::scope(|scope| {
            let (before, after): (&Text<'_>, &Text<'_>) = (&before_of, &after_of);
            let cases = cases.as_slice();
            let run = move |state: &str, text: &Text<'_>| {
                library.run(&format!("{state}{name}"), cases, text, layout)
            };
            let before = scope.spawn(move || run("before", before));
            let after = run("after", after);
            (before.join().expect("no panic"), after)
        })
    };
    for &library in libraries {
        let (before, after) = both(library);
        match (before, after) {
            (Ok(before), Ok(after)) => wrong.push_str(&differences(library, &before, &after)),
            (before, after) => {
                let errors = [before.err(), after.err()].into_iter().flatten();
                wrong.extend(errors);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn differences(library: Library, before: &Written, after: &Written) -> String {
    let mut text = String::new();
    assert_eq!(before.len(), after.len(), "the same cases");
    for (name, before) in before {
        let Some(after) = after.get(name) else { continue };
        for rank in 0..2 {
            let at = format!("{name}, rank {rank}, {}", library.0);
            text.push_str(&diff(&at, &before[rank], &after[rank]));
            for line in before[rank].lines().filter(|line| line.starts_with("WRONG")) {
                text.push_str(&format!("{at}: {line}\n"));
            }
        }
        if before.iter().all(String::is_empty) {
            text.push_str(&format!("{name} shows nothing\n"));
        }
    }
    text
}

//! Programs before and after: each file of `tests/cases` is checked, and its patch and refusals are compared with the text beside it (`.expected`).
//!
//! Facts that are assumed stand in comments of the program: `assume: FACT`.
//!
//! `COMMLOOM_ACCEPT=1 cargo test -p commloom-refactor --test cases` writes what is found now; look at the difference before committing it.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use commloom_refactor::check::{Options, Project};
use commloom_refactor::edit::diff;
use commloom_refactor::source::{FileId, Language, Source};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

fn programs() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder())
        .expect("the folder of cases")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| Language::of_name(&path.to_string_lossy()).is_some())
        .collect();
    all.sort();
    all
}

fn project(path: &Path, text: String) -> Project {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let language = Language::of_name(&name).expect("a language");
    Project::new(vec![Source { name, language, text }])
}

/// What the program's comments say should be assumed: `! assume: FACT`.
fn facts(text: &str) -> Vec<String> {
    let facts = text.lines().filter_map(|line| line.split_once("assume: "));
    facts.map(|(_, fact)| fact.trim_end_matches("*/").trim().to_owned()).collect()
}

/// Refusals and types, a line each, then the patch.
fn found(project: &Project) -> String {
    let source = &project.sources()[0];
    let findings = project.check(&Options { rounds: 40, assume: facts(&source.text) });
    let mut text = String::new();
    for finding in &findings {
        let line_of = |offset| project.line_column(FileId(0), offset).expect("a line").0;
        let line = line_of(finding.site.start);
        let _ = match &finding.outcome {
            Ok(change) => writeln!(text, "{line}: {}", change.summary),
            Err(refusal) => {
                let at = line_of(refusal.span.start);
                let _ = writeln!(text, "{line}: {}: {} (line {at})", refusal.code, refusal.message);
                refusal.fact.as_ref().map_or(Ok(()), |fact| writeln!(text, "    fact: {fact}"))
            }
        };
    }
    if let Some(after) = project.changed(FileId(0), &findings) {
        let _ = write!(text, "{}", diff(&source.name, &source.text, &after));
    }
    text
}

#[test]
fn programs_change_as_expected() {
    let accept = std::env::var_os("COMMLOOM_ACCEPT").is_some();
    let mut wrong = String::new();
    let programs = programs();
    assert!(!programs.is_empty());
    for path in programs {
        let expected = path.with_extension(format!(
            "{}.expected",
            path.extension().expect("one").to_string_lossy()
        ));
        let now = found(&project(&path, fs::read_to_string(&path).expect("a program")));
        if accept {
            fs::write(&expected, &now).expect("the expectation");
        } else {
            let before = fs::read_to_string(&expected).unwrap_or_default();
            wrong.push_str(&diff(&expected.to_string_lossy(), &before, &now));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What was changed once is not changed again.
#[test]
fn changes_are_idempotent() {
    for path in programs() {
        let before = project(&path, fs::read_to_string(&path).expect("a program"));
        let options = Options { assume: facts(&before.sources()[0].text), ..Options::default() };
        let findings = before.check(&options);
        let Some(after) = before.changed(FileId(0), &findings) else { continue };
        let again = project(&path, after.clone());
        let findings = again.check(&options);
        assert_eq!(again.changed(FileId(0), &findings), None, "{after}");
    }
}

//! The cases of `tests/cases`: programs, what is found in them, and how they are run.
//!
//! A case is a file of C, C++ or Fortran with two kinds of comments for the tests:
//!
//! - `assume: FACT` is what a person vouches for, as with `--assume`;
//! - `wrapper: put = MPI_Send(buf=1, count=2, datatype=MPI_INT)` is an entry of `commloom.toml`;
//! - `run:` and all lines after it are C (in C++: C++) that calls the procedures of the file, with
//!   the macros of `driver.h`.

// Each test program uses its part.
#![allow(dead_code, reason = "shared by test programs that need different parts of it")]

pub mod programs;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use commloom_refactor::check::{self, Finding, Options, Project};
use commloom_refactor::edit::diff;
use commloom_refactor::project::{Given, Setup, Wrapper};
use commloom_refactor::source::{FileId, Language, Source};

/// A program, before it is changed.
pub struct Case {
    /// Below `tests/cases`: `c/face.c`.
    pub name: String,
    pub path: PathBuf,
    pub language: Language,
    pub text: String,
    pub assume: Vec<String>,
    pub setup: Setup,
    /// The statements that call it.
    pub run: Option<String>,
}

/// A project of one text, and what is found in it.
fn checked(name: &str, text: String) -> (Project, Vec<Finding>) {
    let language = Language::of_name(name).expect("a language");
    let project = Project::new(vec![Source { name: name.into(), language, text }]);
    let findings = check::check(&project, &Options::default());
    (project, findings)
}

/// The outcome of each site of a text: the summary of its change, or the code of its refusal.
pub fn outcomes(name: &str, text: String) -> Vec<String> {
    let outcome = |finding: &Finding| match &finding.outcome {
        Ok(change) => change.summary.clone(),
        Err(refusal) => refusal.code.to_string(),
    };
    checked(name, text).1.iter().map(outcome).collect()
}

/// The outcome of a text with one site.
pub fn only_outcome(name: &str, text: String) -> String {
    let mut all = outcomes(name, text);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

/// A text with all changes, if there are any.
pub fn rewritten(name: &str, text: String) -> String {
    let (project, findings) = checked(name, text.clone());
    check::changed(&project, FileId(0), &findings).unwrap_or(text)
}

/// All cases, by name.
pub fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut all = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("a folder of cases") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&folder).expect("below").to_string_lossy().into_owned();
            let Some(language) = Language::of_name(&name) else { continue };
            let text = fs::read_to_string(&path).expect("a text");
            let assume = text.lines().filter_map(|line| line.split_once("assume: "));
            let assume = assume.map(|(_, f)| f.trim_end_matches("*/").trim().to_owned()).collect();
            let setup = setup_of(&text);
            let run = run_of(&text);
            all.push(Case { name, path, language, text, assume, setup, run });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!all.is_empty());
    all
}

/// A line of a comment without what makes it one.
fn bare(line: &str) -> &str {
    let line = line.trim();
    let line =
        ["/*", "//", "!", "c "].iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    let ends = line.strip_suffix("*/").filter(|l| !l.trim().is_empty());
    ends.unwrap_or(line).trim()
}

/// The table of wrappers.
fn setup_of(text: &str) -> Setup {
    let mut setup = Setup::default();
    for line in text.lines() {
        let Some((_, entry)) = line.split_once("wrapper: ") else { continue };
        let (name, call) = entry.split_once(" = ").expect("a call after the name");
        let (call, arguments) = call.split_once('(').expect("arguments");
        let (arguments, _) = arguments.rsplit_once(')').expect("an end");
        let given: Vec<(&str, Given)> = arguments
            .split(", ")
            .map(|argument| {
                let (name, value) = argument.split_once('=').expect("a value");
                let number = value.parse().map(Given::Argument);
                (name, number.unwrap_or_else(|_| Given::Text(value.trim_matches('"').to_owned())))
            })
            .collect();
        setup.wrappers.add(Wrapper::new(name, call, &given).expect("a wrapper"));
    }
    setup
}

/// The lines after `run:`.
fn run_of(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|line| bare(line) != "run:");
    lines.next()?;
    let body: Vec<&str> = lines.map(bare).filter(|line| *line != "*/").collect();
    Some(body.join("\n"))
}

impl Case {
    /// Its name as a name of C.
    pub fn identifier(&self) -> String {
        self.name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
    }

    /// The file where what is found in it stands.
    pub fn expected(&self) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(".expected");
        path.into()
    }

    pub fn project(&self) -> Project {
        self.project_of(self.text.clone())
    }

    /// The same file with another text.
    pub fn project_of(&self, text: String) -> Project {
        let name = self.path.file_name().expect("a name").to_string_lossy().into_owned();
        let source = Source { name, language: self.language, text };
        Project::with(vec![source], self.setup.clone())
    }

    pub fn options(&self) -> Options {
        Options { assume: self.assume.clone(), rounds: 40 }
    }

    /// The text after all changes; none where there are none.
    pub fn after(&self) -> Option<String> {
        let project = self.project();
        check::changed(&project, FileId(0), &check::check(&project, &self.options()))
    }

    /// Refusals and types, a line each, then the patch.
    pub fn found(&self) -> String {
        let project = self.project();
        let findings = check::check(&project, &self.options());
        let source = &project.sources()[0];
        let mut text: String = findings.iter().map(|f| line(&project, f)).collect();
        if let Some(after) = check::changed(&project, FileId(0), &findings) {
            let _ = write!(text, "{}", diff(&source.name, &source.text, &after));
        }
        text
    }
}

fn line(project: &Project, finding: &Finding) -> String {
    let line_of = |offset| project.line_column(FileId(0), offset).expect("a line").0;
    let line = line_of(finding.site.start);
    let mut text = String::new();
    let _ = match &finding.outcome {
        Ok(change) => {
            let _ = writeln!(text, "{line}: {}", change.summary);
            change.notes.iter().try_for_each(|note| writeln!(text, "    {note}"))
        }
        Err(refusal) => {
            let at = line_of(refusal.span.start);
            let _ = writeln!(text, "{line}: {}: {} (line {at})", refusal.code, refusal.message);
            refusal.fact.iter().try_for_each(|fact| {
                writeln!(text, "    fact: {fact}")?;
                writeln!(text, "    --assume {}", fact.identifier())
            })
        }
    };
    text
}

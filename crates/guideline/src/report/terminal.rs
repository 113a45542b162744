//! The report for a terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use commloom_guard::styled;

use super::Report;
use crate::results::{Method, Mode};
use crate::verdict::{
    Finding, Guideline, Judgement, Status, Verdict, advice, case_name, factor, mode_name,
    operation_name, side_name,
};

/// Kinds of violations that are named for each library and mode.
const NAMED: usize = 8;
/// Failed series that are named.
const FAILED: usize = 8;

const TITLE: &str = "1";
const BAD: &str = "1;31";
const GOOD: &str = "32";
const SOFT: &str = "2";

/// Where words go.
struct Pen {
    out: String,
}

impl Pen {
    fn styled(&self, style: &str, words: &str) -> String {
        styled(style, words)
    }

    fn line(&mut self, words: &str) {
        self.out.push_str(words.trim_end());
        self.out.push('\n');
    }
}

pub fn text(report: &Report<'_>) -> String {
    let mut pen = Pen { out: String::new() };
    for (index, subject) in report.study.subjects.iter().enumerate() {
        if index > 0 {
            pen.line("");
        }
        heading(&mut pen, report, index);
        counts(&mut pen, report, index);
        for mode in subject.modes() {
            worst(&mut pen, report, (index, mode));
        }
        failures(&mut pen, report, index);
    }
    expectations(&mut pen, report);
    pen.out
}

fn heading(pen: &mut Pen, report: &Report<'_>, index: usize) {
    let subject = &report.study.subjects[index];
    let launches = subject.times.values().map(|t| t.summary.launches).max().unwrap_or(0);
    let title = pen.styled(TITLE, &subject.name);
    let rest = format!(
        ": {} processes, {}, {} series measured, {} failed",
        subject.run.processes,
        launches_in_words(launches),
        subject.times.len(),
        subject.failures.iter().map(|f| f.key).collect::<BTreeSet<_>>().len()
    );
    pen.line(&(title + &rest));
    if launches < 5 {
        let words = format!(
            "  {} cannot tell a violation from chance: for verdicts take at least 5 (--runs 5).",
            launches_in_words(launches)
        );
        let words = pen.styled(SOFT, &words);
        pen.line(&words);
    }
}

fn launches_in_words(launches: usize) -> String {
    if launches == 1 { "1 launch".to_owned() } else { format!("{launches} launches") }
}

/// How many violations of each guideline.
fn counts(pen: &mut Pen, report: &Report<'_>, index: usize) {
    let threshold = report.study.threshold;
    let modes = report.study.subjects[index].modes();
    let mut head = format!("  {:<28}", format!("violated above {threshold:.2}"));
    for mode in &modes {
        let _ = write!(head, "{:<26}", mode_name(*mode));
    }
    let head = pen.styled(SOFT, head.trim_end());
    pen.line(&head);
    for guideline in Guideline::ALL {
        let mut line = format!("  {:<28}", guideline.name());
        let mut any = false;
        for mode in &modes {
            let count = Count::of(report, index, *mode, guideline);
            any |= count.all > 0;
            let words = format!("{:<26}", count.words());
            line += &match () {
                () if count.violated > 0 => pen.styled(BAD, &words),
                () if count.all > 0 && count.suspected == 0 => pen.styled(GOOD, &words),
                () => words,
            };
        }
        if any {
            pen.line(&line);
        }
    }
}

/// Judgements of one guideline in one mode of one library, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    pub all: usize,
    pub violated: usize,
    pub suspected: usize,
}

impl Count {
    pub fn of(report: &Report<'_>, subject: usize, mode: Mode, guideline: Guideline) -> Count {
        let of =
            |j: &&Judgement| (j.subject, j.key.mode, j.guideline) == (subject, mode, guideline);
        let mut count = Count { all: 0, violated: 0, suspected: 0 };
        for judgement in report.judgements.iter().filter(of) {
            count.all += 1;
            match judgement.verdict(report.study.threshold) {
                Verdict::Violated => count.violated += 1,
                Verdict::Suspected => count.suspected += 1,
                Verdict::Kept => {}
            }
        }
        count
    }

    pub fn words(self) -> String {
        match self {
            Count { all: 0, .. } => "-".to_owned(),
            Count { all, violated, suspected: 0 } => format!("{violated} of {all}"),
            Count { all, violated, suspected } => {
                format!("{violated} of {all}, {suspected} unclear")
            }
        }
    }
}

/// The violations, those of one description by one rival together.
fn worst(pen: &mut Pen, report: &Report<'_>, (index, mode): (usize, Mode)) {
    let subject = &report.study.subjects[index];
    type Kind<'j> = (Guideline, &'j str, &'j str, Method, String);
    let mut kinds: BTreeMap<Kind<'_>, Vec<&Judgement>> = BTreeMap::new();
    let here = |j: &&Judgement| j.subject == index && j.key.mode == mode;
    // Where there are too few launches for verdicts, what is suspected is all there is to say.
    let is_certain = report.judgements.iter().filter(here).any(|j| j.ratio.is_trusted());
    let wanted = if is_certain { Verdict::Violated } else { Verdict::Suspected };
    for judgement in report.with(wanted).filter(here) {
        let case = subject.case(&judgement.key);
        let rival = side_name(subject, &judgement.rival);
        let kind =
            (judgement.guideline, &*case.layout, &*case.description, judgement.key.method, rival);
        kinds.entry(kind).or_default().push(judgement);
    }
    let mut kinds: Vec<Vec<&Judgement>> = kinds.into_values().collect();
    kinds.sort_by(|a, b| b[0].ratio.estimate.total_cmp(&a[0].ratio.estimate));
    if kinds.is_empty() {
        return;
    }
    let words = if is_certain { "what is slower than it should be" } else { "what seems too slow" };
    let title = format!("{}, {}: {words}", subject.name, mode_name(mode));
    let title = pen.styled(TITLE, &title);
    pen.line("");
    pen.line(&title);
    for kind in kinds.iter().take(NAMED) {
        let judgement = kind[0];
        let case = subject.case(&judgement.key);
        let times = pen.styled(BAD, &format!("{:>8}", format!("{:.2}x", judgement.ratio.estimate)));
        let more = match kind.len() {
            1 => String::new(),
            n => format!("; {} more of this kind", n - 1),
        };
        let packed = if judgement.key.method == Method::Packed { ", packed" } else { "" };
        pen.line(&format!(
            "{times}  {}: {}{packed}, {}{more}",
            judgement.guideline.name(),
            case_name(case),
            operation_name(judgement.key.operation),
        ));
        let against = match judgement.guideline {
            Guideline::Gl23 => "MPI_Pack and MPI_Unpack".to_owned(),
            Guideline::Commloom => "the library alone".to_owned(),
            _ => side_name(subject, &judgement.rival),
        };
        let words = format!(
            "          as {against}, {}: {}. {}",
            launches_in_words(judgement.ratio.launches),
            factor(&judgement.ratio),
            advice(&report.study, judgement)
        );
        pen.line(&words);
    }
    if kinds.len() > NAMED {
        let words = format!("          and {} more kinds, see --html", kinds.len() - NAMED);
        let words = pen.styled(SOFT, &words);
        pen.line(&words);
    }
}

fn failures(pen: &mut Pen, report: &Report<'_>, index: usize) {
    let subject = &report.study.subjects[index];
    if subject.failures.is_empty() {
        return;
    }
    let title = pen.styled(BAD, &format!("{}: failed, and never counted as a time", subject.name));
    pen.line("");
    pen.line(&title);
    for failure in subject.failures.iter().take(FAILED) {
        pen.line(&format!(
            "  {}, {}, {}: {} (launches {})",
            case_name(subject.case(&failure.key)),
            operation_name(failure.key.operation),
            mode_name(failure.key.mode),
            failure.error.lines().next().unwrap_or_default(),
            failure.launches.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
        ));
    }
    if subject.failures.len() > FAILED {
        pen.line(&format!("  and {} more, see --html", subject.failures.len() - FAILED));
    }
}

/// The paper's expectations, one line for each claim.
fn expectations(pen: &mut Pen, report: &Report<'_>) {
    if report.findings.is_empty() {
        return;
    }
    pen.line("");
    let title = pen.styled(TITLE, "Expectation tests of the paper");
    pen.line(&title);
    let mut last = None;
    for finding in &report.findings {
        if last != Some((finding.claim.test, finding.claim.words)) {
            last = Some((finding.claim.test, finding.claim.words));
            pen.line(&format!("  {:>2}. {}", finding.claim.test, finding.claim.words));
        }
        let name = &report.study.subjects[finding.subject].name;
        let status = format!("{:<18}", status_name(finding.status()));
        let status = match finding.status() {
            Status::Holds => pen.styled(GOOD, &status),
            Status::Fails => pen.styled(BAD, &status),
            Status::Partly | Status::Open => status,
        };
        pen.line(&format!(
            "      {status}{name}, {}: {}",
            mode_name(finding.mode),
            numbers(finding)
        ));
    }
}

/// One word or two.
pub fn status_name(status: Status) -> &'static str {
    match status {
        Status::Holds => "holds",
        Status::Partly => "holds in part",
        Status::Fails => "does not hold",
        Status::Open => "too few launches",
    }
}

/// `slower in 3 of 12 cells, faster in 1; mean factor 1.24`.
pub fn numbers(finding: &Finding) -> String {
    let Finding { slower, faster, cells, mean, .. } = finding;
    match finding.status() {
        Status::Open => format!("mean factor {mean:.2} in {cells} cells"),
        _ => format!(
            "slower in {slower} of {cells} cells, faster in {faster}; mean factor {mean:.2}"
        ),
    }
}

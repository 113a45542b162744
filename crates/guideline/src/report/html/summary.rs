//! Counts of violations, and what became of the paper's expectations.

use std::fmt::Write;

use commloom_measure::statistics::geometric_mean;
use commloom_picture::html::escape;

use super::scrolling;
use crate::report::Report;
use crate::report::terminal::{Count, numbers, status_name};
use crate::results::Mode;
use crate::verdict::{Finding, Guideline, Status, mode_name};

/// How often each guideline is violated in each library, natively and under commloom.
pub fn counts(report: &Report<'_>) -> String {
    let study = &report.study;
    let mut out = format!(
        "<section id=\"guidelines\">\n<h2>Guidelines</h2>\n<p>Violated: slower by more than a \
         factor of {:.2}, and the whole interval over the launches says so. Unclear: slower by as \
         much, but the interval does not say so.</p>\n",
        study.threshold
    );
    let mut table = "<table class=\"counts\">\n<thead><tr><th>library</th><th>mode</th>".to_owned();
    for guideline in Guideline::ALL {
        let _ = write!(
            table,
            "<th title=\"{}\">{}</th>",
            escape(guideline.statement()),
            guideline.name()
        );
    }
    table += "</tr></thead>\n<tbody>\n";
    for (index, subject) in study.subjects.iter().enumerate() {
        for mode in subject.modes() {
            let name = escape(&subject.name);
            let _ = write!(table, "<tr><th>{name}</th><td>{}</td>", mode_name(mode));
            for guideline in Guideline::ALL {
                table += &count_cell(Count::of(report, index, mode, guideline));
            }
            table += "</tr>\n";
        }
    }
    out += &scrolling(&(table + "</tbody>\n</table>\n"));
    out += &gains(report);
    out += "<details><summary>What the guidelines say</summary>\n<dl>\n";
    for guideline in Guideline::ALL {
        let _ = writeln!(
            out,
            "<dt>{}</dt><dd>{} <span class=\"soft\">({})</span></dd>",
            guideline.name(),
            guideline.statement(),
            guideline.source()
        );
    }
    out + "</dl>\n<p>One launch is one observation: its median. Ratios are taken inside launches \
           of the same number. The interval is that of Wilcoxon's signed ranks; an end of it is \
           wrong at most once in 32, which takes at least 5 launches. What is compared with the \
           best description is compared with the one that the other launches find best.</p>\n\
           </details>\n</section>\n"
}

fn count_cell(count: Count) -> String {
    let class = match count {
        Count { all: 0, .. } => "none",
        Count { violated: 1.., .. } => "bad",
        Count { suspected: 1.., .. } => "unclear",
        Count { .. } => "good",
    };
    let words = match count.suspected {
        0 => count.words(),
        n => format!(
            "{} of {}<br/><span class=\"soft\">{n} unclear</span>",
            count.violated, count.all
        ),
    };
    format!("<td class=\"{class}\">{words}</td>")
}

/// How much faster commloom makes each library, in the mean.
fn gains(report: &Report<'_>) -> String {
    let mut out = String::new();
    for (index, subject) in report.study.subjects.iter().enumerate() {
        let of = |j: &&crate::verdict::Judgement| {
            j.subject == index && j.guideline == Guideline::Commloom && j.key.mode == Mode::Commloom
        };
        let factors = report.judgements.iter().filter(of).map(|j| j.ratio.inverse().estimate);
        let factors: Vec<f64> = factors.filter(|f| *f > 0.0 && f.is_finite()).collect();
        let Some(mean) = geometric_mean(factors.iter().copied()) else { continue };
        let (count, best) = (factors.len(), factors.iter().copied().fold(0.0, f64::max));
        let _ = writeln!(
            out,
            "<li>{}: {mean:.2} times as fast under commloom in the geometric mean of {count} \
             series, {best:.1} times at most.</li>",
            escape(&subject.name)
        );
    }
    if out.is_empty() { out } else { format!("<ul>\n{out}</ul>\n") }
}

/// One row for each claim, one column for each library and mode.
pub fn expectations(report: &Report<'_>) -> String {
    let mut out = "<section id=\"expectations\">\n<h2>Expectations of the paper</h2>\n".to_owned();
    if report.findings.is_empty() {
        return out
            + "<p>Nothing was measured that the paper says something about.</p>\n</section>\n";
    }
    let subjects = &report.study.subjects;
    let columns: Vec<(usize, Mode)> = subjects
        .iter()
        .enumerate()
        .flat_map(|(k, subject)| subject.modes().into_iter().map(move |mode| (k, mode)))
        .collect();
    let mut table =
        "<table class=\"expectations\">\n<thead><tr><th>test</th><th>expected</th>".to_owned();
    for (k, mode) in &columns {
        let _ = write!(table, "<th>{}, {}</th>", escape(&subjects[*k].name), mode_name(*mode));
    }
    table += "</tr></thead>\n<tbody>\n";
    let same = |a: &Finding, b: &Finding| std::ptr::eq(a.claim, b.claim);
    for findings in report.findings.chunk_by(same) {
        let claim = findings[0].claim;
        let _ = write!(
            table,
            "<tr><th><a href=\"#test-{0}\">{0}</a></th><td class=\"words\">{1} <span \
             class=\"soft\">({2})</span></td>",
            claim.test,
            escape(claim.words),
            claim.section
        );
        for column in &columns {
            table += &match findings.iter().find(|f| (f.subject, f.mode) == *column) {
                Some(finding) => finding_cell(finding),
                None => "<td class=\"none\">-</td>".to_owned(),
            };
        }
        table += "</tr>\n";
    }
    out += &scrolling(&(table + "</tbody>\n</table>\n"));
    out + "</section>\n"
}

fn finding_cell(finding: &Finding) -> String {
    let class = match finding.status() {
        Status::Holds => "good",
        Status::Partly => "unclear",
        Status::Fails => "bad",
        Status::Open => "none",
    };
    format!(
        "<td class=\"{class}\">{}<br/><span class=\"soft\">{}</span></td>",
        status_name(finding.status()),
        numbers(finding),
    )
}

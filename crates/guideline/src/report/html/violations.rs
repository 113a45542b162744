//! Violations and failures, as tables.

use std::fmt::Write;

use commloom_picture::html::escape;

use super::scrolling;
use crate::report::Report;
use crate::results::Method;
use crate::verdict::{
    Guideline, Judgement, Verdict, advice, bytes, mode_name, operation_name, side_name,
};

/// Rows that a page has; the rest is in the results file.
const ROWS: usize = 2500;

/// Every violation, the largest factor first, and what to do. The script sorts and filters.
pub fn table(report: &Report<'_>) -> String {
    let mut out = "<section id=\"violations\">\n<h2>Violations</h2>\n".to_owned();
    let threshold = report.study.threshold;
    let rows: Vec<&Judgement> = report
        .judgements
        .iter()
        .filter(|judgement| judgement.verdict(threshold) != Verdict::Kept)
        .collect();
    if rows.is_empty() {
        return out + "<p>Every guideline is kept.</p>\n</section>\n";
    }
    let certain = report.violations().count();
    let _ = writeln!(
        out,
        "<p>{certain} violations, and {} comparisons that are unclear. Ratios are times over those \
         of what they are compared with.</p>\n<div id=\"filters\" hidden=\"hidden\"></div>",
        rows.len() - certain
    );
    let mut table = "<table id=\"violated\">\n<thead><tr><th data-key=\"factor\" \
                     class=\"n\">factor</th><th data-key=\"guideline\">guideline</th><th \
                     data-key=\"library\">measured with</th><th \
                     data-key=\"description\">what</th><th>do instead</th></tr></thead>\n<tbody>\n"
        .to_owned();
    for judgement in rows.iter().take(ROWS) {
        table += &row(report, judgement);
    }
    table += "</tbody>\n</table>\n";
    let _ = writeln!(out, "<div class=\"scroll tall\" tabindex=\"0\">\n{table}</div>");
    if rows.len() > ROWS {
        let _ = writeln!(out, "<p>{} smaller ones are not shown.</p>", rows.len() - ROWS);
    }
    out + "</section>\n"
}

fn row(report: &Report<'_>, judgement: &Judgement) -> String {
    let subject = &report.study.subjects[judgement.subject];
    let case = subject.case(&judgement.key);
    let ratio = &judgement.ratio;
    let verdict = match judgement.verdict(report.study.threshold) {
        Verdict::Violated => "violated",
        Verdict::Suspected => "unclear",
        Verdict::Kept => "kept",
    };
    let mut parameters = Vec::new();
    parameters.extend(case.variant.map(|variant| format!("variant {variant}")));
    parameters.extend(case.parameters.iter().map(|(name, value)| format!("{name}={value}")));
    parameters.push(case.base.clone());
    let packed = if judgement.key.method == Method::Packed { ", packed" } else { "" };
    let instead = match judgement.guideline {
        Guideline::Gl23 | Guideline::Commloom => advice(&report.study, judgement),
        _ => format!(
            "<b>{}</b> <code>{}</code>",
            escape(&side_name(subject, &judgement.rival)),
            escape(&rival_type(report, judgement))
        ),
    };
    // What stands in <i> is what the script filters and sorts by: FIELDS in script.js names them
    // in this order.
    format!(
        "<tr><td class=\"n {verdict}\"><i>{:.2}</i><br/><small>{:.2} to \
         {:.2}</small></td><td><i>{}</i><br/><small \
         class=\"{verdict}\"><i>{verdict}</i></small></td><td><i>{}</i><br/><small><i>{}</i>, \
         <i>{}</i></small></td><td><i>{}</i>{packed}<br/><small><i>{}</i>, {}, \
         <i>{}</i></small></td><td class=\"words\">{instead}</td></tr>\n",
        ratio.estimate,
        ratio.low,
        ratio.high,
        judgement.guideline.name(),
        escape(&subject.name),
        operation_name(judgement.key.operation),
        mode_name(judgement.key.mode),
        escape(&case.description),
        escape(&case.layout),
        escape(&parameters.join(", ")),
        bytes(case.bytes),
    )
}

fn rival_type(report: &Report<'_>, judgement: &Judgement) -> String {
    let run = report.study.subjects[judgement.subject].run;
    run.cases.get(judgement.rival.case).map_or(String::new(), |case| match case.count {
        1 => case.ty.clone(),
        n => format!("{n} of {}", case.ty),
    })
}

/// The section of series without times.
pub fn failures(report: &Report<'_>) -> String {
    let mut rows = String::new();
    for subject in &report.study.subjects {
        for failure in &subject.failures {
            let launches: Vec<String> = failure.launches.iter().map(u32::to_string).collect();
            let _ = writeln!(
                rows,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td \
                 class=\"words\"><code>{}</code></td><td>{}</td><td class=\"words \
                 bad\">{}</td></tr>",
                escape(&subject.name),
                mode_name(failure.key.mode),
                operation_name(failure.key.operation),
                escape(&subject.case(&failure.key).id),
                launches.join(", "),
                escape(&failure.error)
            );
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let table = format!(
        "<table>\n<thead><tr><th>library</th><th>mode</th><th>operation</th><th>case</th>\
         <th>launches</th><th>what happened</th></tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    );
    format!(
        "<section id=\"failures\">\n<h2>Failed</h2>\n<p>A wrong byte, an MPI error or a process \
         that died is never a time.</p>\n{}</section>\n",
        scrolling(&table)
    )
}

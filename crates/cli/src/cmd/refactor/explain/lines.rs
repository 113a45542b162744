//! The lines of the program and of the passes, as texts and pictures show them.

use std::collections::BTreeSet;

use commloom_refactor::explain::Passed;
use commloom_refactor::source::{FileId, Span};

use super::Site;

/// Lines of code without copies that are shown between others.
const GAP: usize = 2;
/// Lines of code, all in all.
const CODE: usize = 60;

/// The lines of the call and of the statements that copy, with their numbers; of several files
/// with their names.
pub fn code(site: &Site<'_>) -> Vec<String> {
    let mut spans: Vec<Span> = site.explanation.statements.clone();
    if let Err(refusal) = &site.finding.outcome {
        spans.push(refusal.span);
        spans.extend(refusal.related.iter().map(|(span, _)| *span));
    }
    let mut wanted: BTreeSet<(FileId, usize)> = BTreeSet::new();
    for span in spans {
        let line = |at| site.project.line_column(span.file, at).map_or(1, |(line, _)| line);
        wanted.extend(
            (line(span.start)..=line(span.end.max(span.start + 1) - 1)).map(|l| (span.file, l)),
        );
    }
    let files: BTreeSet<FileId> = wanted.iter().map(|(file, _)| *file).collect();
    let mut shown = Vec::new();
    for file in &files {
        let Some(source) = site.project.source(*file) else { continue };
        if files.len() > 1 {
            shown.push(source.name.clone());
        }
        let mut before: Option<usize> = None;
        for (number, text) in (1..).zip(source.text.lines()) {
            if !wanted.contains(&(*file, number)) {
                continue;
            }
            let missing = before.map_or(0, |before| number - before - 1);
            if missing > GAP {
                shown.push("  ...".to_owned());
            } else {
                let skipped = source.text.lines().skip(number - 1 - missing).take(missing);
                for (at, text) in (number - missing..).zip(skipped) {
                    shown.push(format!("{at:>5} | {text}"));
                }
            }
            shown.push(format!("{number:>5} | {text}"));
            before = Some(number);
        }
    }
    if shown.len() > CODE {
        let more = shown.len() - CODE;
        shown.truncate(CODE);
        shown.push(format!("      and {more} more lines"));
    }
    shown
}

/// Each pass, and the datatype after it.
pub fn passes(site: &Site<'_>) -> Vec<(String, String)> {
    let named = |step: &Passed| {
        let name = step.pass.map_or("the copies as they come, in structs", |pass| pass.name());
        let times = if step.times > 1 { format!(" ({} times)", step.times) } else { String::new() };
        (format!("{name}{times}"), step.ty.clone())
    };
    site.explanation.steps.iter().map(named).collect()
}

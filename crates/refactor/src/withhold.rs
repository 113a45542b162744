//! Changes whose text is not right are taken back: whoever applies one gets a file that compiles.

use std::collections::BTreeSet;

use commloom_program::Project;
use commloom_program::refusal::{Code, Refusal};
use commloom_read::{c, fortran};
use commloom_source::{FileId, Source};

use crate::edit;
use crate::finding::{Edit, Finding};
use crate::leftovers;
use crate::remarks;

/// The text of a file with all changes of the findings in it; none where there are none. What
/// [`check`] finds can be changed together.
pub fn changed(project: &Project, file: FileId, findings: &[Finding]) -> Option<String> {
    let mut edits: Vec<Edit> = Vec::new();
    for finding in findings {
        let Ok(change) = &finding.outcome else { continue };
        for edit in change.edits.iter().filter(|edit| edit.span.file == file) {
            // A loop that filled several buffers goes once.
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
    }
    if edits.is_empty() {
        return None;
    }
    let source = project.source(file)?;
    let edits = remarks::without(source, file, leftovers::without(project, edits, true));
    let change = |e: Edit| edit::Change { range: e.span.range(), new: e.text };
    let changes: Vec<edit::Change> = edits.into_iter().map(change).collect();
    edit::apply(&source.text, &changes).ok()
}

/// Refuses findings after whose changes a file has a fault, which `fault` tells of a file and its
/// new text. One that shares changes with such a finding is refused with it. Where only all of a
/// file together have one, all of them are refused. Time: that of one look at each file that
/// changes, and where it has a fault, of one for each of its findings.
pub fn withhold(
    project: &Project,
    findings: &mut [Finding],
    code: Code,
    fault: &mut dyn FnMut(&Source, &str) -> Option<String>,
) {
    let files: BTreeSet<FileId> = findings.iter().flat_map(files).collect();
    for file in files {
        let Some(source) = project.source(file) else { continue };
        let mut look = |some: &[Finding]| fault(source, &changed(project, file, some)?);
        let Some(together) = look(findings) else { continue };
        let alone: Vec<Option<String>> = findings
            .iter()
            .map(|one| files_of(one, file).then(|| look(std::slice::from_ref(one))).flatten())
            .collect();
        let is_one = alone.iter().any(Option::is_some);
        for (at, message) in alone.iter().enumerate() {
            let message = match message {
                Some(message) => message,
                None if !is_one && files_of(&findings[at], file) => &together,
                None => continue,
            };
            refuse(findings, at, code, message);
        }
        // What is left is right together, or nothing of it is kept.
        if is_one && let Some(message) = look(findings) {
            for at in 0..findings.len() {
                if files_of(&findings[at], file) {
                    refuse(findings, at, code, &message);
                }
            }
        }
    }
}

/// The fault of a text that has places which the grammar does not know, where the text before had
/// none; of one that had some, of which more procedures have them.
pub(crate) fn unreadable(source: &Source, text: &str) -> Option<String> {
    let read = |text: &str| {
        let source = Source { text: text.to_owned(), ..source.clone() };
        let unit = if source.language.is_fortran() {
            fortran::read(&source, FileId(0))
        } else {
            c::read_alone(&source, FileId(0))
        };
        let procedures = unit.procedures.iter().filter(|procedure| procedure.has_errors).count();
        (unit.errors.len(), procedures)
    };
    let (before, after) = (read(&source.text), read(text));
    let is_worse = after.1 > before.1 || (before.0 == 0 && after.0 > 0);
    is_worse.then(|| "the new text has a place that cannot be read".to_owned())
}

fn files(finding: &Finding) -> Vec<FileId> {
    let edits = finding.outcome.iter().flat_map(|change| &change.edits);
    edits.map(|edit| edit.span.file).collect()
}

fn files_of(finding: &Finding, file: FileId) -> bool {
    files(finding).contains(&file)
}

fn refuse(findings: &mut [Finding], at: usize, code: Code, message: &str) {
    let Ok(change) = findings[at].outcome.clone() else { return };
    for other in findings.iter_mut() {
        let shares =
            other.outcome.as_ref().is_ok_and(|o| o.edits.iter().any(|e| change.edits.contains(e)));
        if shares {
            other.outcome = Err(Refusal::new(code, other.site, message));
        }
    }
}

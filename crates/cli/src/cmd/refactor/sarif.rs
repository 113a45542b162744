//! `--sarif`: SARIF 2.1.0 (OASIS), for code hosts and editors.

use commloom_refactor::check::{Change, Finding, Project};
use commloom_refactor::refusal::Refusal;
use commloom_refactor::source::Span;
use serde_json::{Value, json};

use crate::sarif;

/// The rule of what can be changed; refusals have their codes.
const RULE: &str = "packed-buffer";

/// One run.
pub fn log(project: &Project, findings: &[Finding]) -> Value {
    let results: Vec<Value> = findings.iter().map(|finding| result(project, finding)).collect();
    let mut rules: Vec<&str> = findings
        .iter()
        .map(|finding| match &finding.outcome {
            Ok(_) => RULE,
            Err(refusal) => refusal.code.as_str(),
        })
        .collect();
    rules.sort_unstable();
    rules.dedup();
    let rules: Vec<Value> = rules.into_iter().map(|id| json!({ "id": id })).collect();
    sarif::log(&rules, &results)
}

fn result(project: &Project, finding: &Finding) -> Value {
    let location = json!({ "physicalLocation": physical(project, finding.site) });
    match &finding.outcome {
        Ok(change) => json!({
            "ruleId": RULE,
            "level": "warning",
            "message": { "text": format!(
                "'{}' is packed by hand; the call can send {}", finding.buffer, change.summary
            ) },
            "locations": [location],
            "fixes": [fix(project, change)],
        }),
        Err(refusal) => {
            let mut result = json!({
                "ruleId": refusal.code.as_str(),
                "level": "note",
                "message": { "text": refusal.message },
                "locations": [location],
                "relatedLocations": related(project, refusal),
            });
            if let Some(fact) = &refusal.fact {
                result["properties"] = json!({ "factId": fact.identifier() });
            }
            result
        }
    }
}

fn related(project: &Project, refusal: &Refusal) -> Vec<Value> {
    std::iter::once((refusal.span, refusal.message.as_str()))
        .chain(refusal.related.iter().map(|(span, what)| (*span, what.as_str())))
        .map(|(span, what)| {
            json!({ "physicalLocation": physical(project, span), "message": { "text": what } })
        })
        .collect()
}

/// One change per file, each with its replacements.
fn fix(project: &Project, change: &Change) -> Value {
    let mut files: Vec<_> = change.edits.iter().map(|edit| edit.span.file).collect();
    files.dedup();
    let changes: Vec<Value> = files
        .into_iter()
        .map(|file| {
            let replacements: Vec<Value> = change
                .edits
                .iter()
                .filter(|edit| edit.span.file == file)
                .map(|edit| {
                    json!({
                        "deletedRegion": region(project, edit.span),
                        "insertedContent": { "text": edit.text },
                    })
                })
                .collect();
            let name = project.source(file).map(|source| sarif::uri(&source.name));
            json!({ "artifactLocation": { "uri": name }, "replacements": replacements })
        })
        .collect();
    json!({ "description": { "text": "Send a datatype" }, "artifactChanges": changes })
}

fn physical(project: &Project, span: Span) -> Value {
    let name = project.source(span.file).map(|source| sarif::uri(&source.name));
    json!({ "artifactLocation": { "uri": name }, "region": region(project, span) })
}

fn region(project: &Project, span: Span) -> Value {
    let at = |offset| project.line_column(span.file, offset);
    let (Some((line, column)), Some((end_line, end_column))) = (at(span.start), at(span.end))
    else {
        return Value::Null;
    };
    json!({
        "startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column,
    })
}

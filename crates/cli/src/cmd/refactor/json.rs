//! `--json`

use commloom_refactor::check::{Finding, Project};
use commloom_refactor::fact::Premise;
use commloom_refactor::source::Span;
use serde_json::{Value, json};

use super::notes::Notes;

/// All findings.
pub fn findings(project: &Project, findings: &[Finding], costs: &Notes<'_>) -> Value {
    let sites = findings.iter().enumerate().map(|(number, finding)| {
        let mut site = one(project, finding);
        if finding.outcome.is_ok() {
            site["change"]["cost"] = costs.json(number);
        }
        site
    });
    json!({ "sites": sites.collect::<Vec<_>>() })
}

pub(super) fn one(project: &Project, finding: &Finding) -> Value {
    let mut value = json!({
        "at": place(project, finding.site), "call": finding.function, "buffer": finding.buffer,
    });
    let (key, content) = match &finding.outcome {
        Ok(change) => {
            let edits: Vec<Value> = change
                .edits
                .iter()
                .map(|edit| json!({ "at": place(project, edit.span), "text": edit.text }))
                .collect();
            (
                "change",
                json!({
                    "type": change.summary, "notes": change.notes, "edits": edits,
                    "assumed_ids": identifiers(&finding.assumed),
                }),
            )
        }
        Err(refusal) => {
            let related: Vec<Value> = refusal
                .related
                .iter()
                .map(|(span, what)| json!({ "at": place(project, *span), "what": what }))
                .collect();
            let content = json!({
                "code": refusal.code.as_str(), "message": refusal.message,
                "at": place(project, refusal.span),
                "related": related, "fact": refusal.fact.as_deref().map(ToString::to_string),
                "fact_id": refusal.fact.as_deref().map(Premise::identifier),
            });
            ("refusal", content)
        }
    };
    value[key] = content;
    value
}

pub(super) fn identifiers(premises: &[Premise]) -> Vec<&str> {
    premises.iter().map(Premise::identifier).collect()
}

/// File, line and column from 1, and the bytes.
pub(super) fn place(project: &Project, span: Span) -> Value {
    let (Some(source), Some((line, column))) =
        (project.source(span.file), project.line_column(span.file, span.start))
    else {
        return Value::Null;
    };
    json!({
        "file": source.name, "line": line, "column": column, "start": span.start, "end": span.end,
    })
}

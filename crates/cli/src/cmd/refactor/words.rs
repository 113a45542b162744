//! Sentences about findings.

use std::collections::HashMap;
use std::fmt::Write;

use commloom_guard::styled;
use commloom_refactor::check::{Finding, Project};
use commloom_refactor::refusal::Refusal;
use commloom_refactor::source::Span;

use super::notes::Notes;

/// `halo.c:40`
pub fn place(project: &Project, span: Span) -> String {
    match (project.source(span.file), project.line_column(span.file, span.start)) {
        (Some(source), Some((line, _))) => format!("{}:{line}", source.name),
        _ => "?".to_owned(),
    }
}

/// One finding in a line.
pub fn line(project: &Project, finding: &Finding) -> String {
    let at = place(project, finding.site);
    match &finding.outcome {
        Ok(change) => format!(
            "{at}: {} of '{}' can send {}",
            finding.function, finding.buffer, change.summary
        ),
        Err(refusal) => format!("{at}: {}: {}", refusal.code, refusal.message),
    }
}

/// All that is not a patch: changes with what they cost (unless they are listed elsewhere), notes,
/// refusals and how many there are of each. What is refused in the same words is said once, where
/// the first of it stands, with the places of all.
pub fn summary(project: &Project, findings: &[Finding], costs: Option<&Notes<'_>>) -> String {
    let mut text = String::new();
    let mut good = 0;
    let mut same: HashMap<String, Vec<Span>> = HashMap::new();
    for finding in findings {
        if let Err(refusal) = &finding.outcome {
            same.entry(wording(refusal)).or_default().push(finding.site);
        }
    }
    for (number, finding) in findings.iter().enumerate() {
        match &finding.outcome {
            Ok(change) => {
                good += 1;
                if costs.is_some() {
                    let _ = writeln!(text, "{}", line(project, finding));
                }
                for note in &change.notes {
                    let _ = writeln!(text, "    {note}");
                }
                text.extend(costs.map(|costs| costs.lines(number)));
            }
            Err(refusal) => {
                let Some(places) = same.remove(&wording(refusal)) else { continue };
                let _ = writeln!(text, "{}", line(project, finding));
                text.push_str(&details(project, refusal));
                text.push_str(&others(project, places.get(1..).unwrap_or_default()));
            }
        }
    }
    let refused = findings.len() - good;
    let _ = writeln!(
        text,
        "{good} of {} packed buffers can be datatypes; {refused} cannot",
        findings.len()
    );
    text
}

/// All that a refusal says but for its places.
fn wording(refusal: &Refusal) -> String {
    let fact = refusal.fact.as_ref().map_or("", |fact| fact.identifier());
    let mut text = format!("{}\n{}\n{fact}", refusal.code, refusal.message);
    for (_, what) in &refusal.related {
        let _ = write!(text, "\n{what}");
    }
    text
}

/// Where else the same holds: a line of each file, with the numbers of its lines.
fn others(project: &Project, places: &[Span]) -> String {
    let mut text = String::new();
    for file in places.chunk_by(|a, b| a.file == b.file) {
        let mut lines: Vec<usize> = file
            .iter()
            .filter_map(|span| project.line_column(span.file, span.start))
            .map(|(line, _)| line)
            .collect();
        lines.dedup();
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        let name = file.first().and_then(|span| project.source(span.file));
        let name = name.map_or("?", |source| source.name.as_str());
        let _ = writeln!(text, "    the same at {name}:{}", lines.join(", "));
    }
    text
}

/// The places of a refusal, and the fact that would help.
pub fn details(project: &Project, refusal: &Refusal) -> String {
    let mut text = format!("    at {}\n", place(project, refusal.span));
    for (span, what) in &refusal.related {
        let _ = writeln!(text, "    at {}: {what}", place(project, *span));
    }
    if let Some(fact) = &refusal.fact {
        let _ = writeln!(text, "    if {fact}: --assume {}", quoted(fact.identifier()));
    }
    text
}

/// For a shell; identifiers have no quotes.
fn quoted(identifier: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_:/.,=+@%".contains(c);
    if identifier.chars().all(is_plain) { identifier.to_owned() } else { format!("'{identifier}'") }
}

/// The sentences among the given facts that were needed, each with the identifiers to use instead.
pub fn sentences<'f>(
    given: &[String],
    findings: impl Iterator<Item = &'f Finding> + Clone,
) -> String {
    let mut text = String::new();
    for sentence in given {
        let premises = findings.clone().flat_map(|finding| &finding.assumed);
        let meant = premises.filter(|premise| premise.has_sentence(sentence));
        let mut identifiers: Vec<String> = meant.map(|p| quoted(p.identifier())).collect();
        identifiers.sort();
        identifiers.dedup();
        for identifier in identifiers {
            let _ = writeln!(
                text,
                "warning: the next version takes no sentences; in the place of \"{sentence}\": \
                 --assume {identifier}"
            );
        }
    }
    text
}

/// A patch with the colours that git gives it.
pub fn coloured(patch: &str) -> String {
    let mut text = String::with_capacity(patch.len() * 2);
    for line in patch.lines() {
        let colour = match line.as_bytes().first() {
            _ if line.starts_with("+++") || line.starts_with("---") => "1",
            Some(b'+') => "32",
            Some(b'-') => "31",
            Some(b'@') => "36",
            _ => "",
        };
        let line = if colour.is_empty() { line.to_owned() } else { styled(colour, line) };
        let _ = writeln!(text, "{line}");
    }
    text
}

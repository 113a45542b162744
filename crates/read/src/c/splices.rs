//! Names of C that a backslash at the end of a line divides, as in `MPI_\` and `Send(...)`: the
//! grammar reads two names.

use commloom_source::tree::{Name, Statement, StatementKind, SyntaxError, Unit};
use commloom_source::{FileId, Span};

/// Says of procedures with such a name that they could not be read, and what the name is.
pub(super) fn spoil(text: &str, file: FileId, unit: &mut Unit) {
    for (name, span) in divided(text, file) {
        let mut around = unit.procedures.iter_mut().filter(|p| p.span.contains(span));
        let Some(procedure) = around.next() else { continue };
        procedure.has_errors = true;
        procedure.body.push(Statement { span, kind: StatementKind::Unknown(vec![name]) });
        unit.errors.push(SyntaxError { span });
    }
    unit.errors.sort_by_key(|error| error.span.start);
}

/// Names in two lines or more, each with its place. Time linear in the text.
fn divided(text: &str, file: FileId) -> Vec<(Name, Span)> {
    let mut found: Vec<(Name, Span)> = Vec::new();
    for (at, _) in text.match_indices('\\') {
        let behind = text.get(at + 1..).unwrap_or("");
        let Some(next) = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n')) else {
            continue;
        };
        let before = text.get(..at).unwrap_or("");
        let start = before.trim_end_matches(is_word).len();
        let length = next.len() - next.trim_start_matches(is_word).len();
        let (begun, rest) = (before.get(start..), next.get(..length));
        let (Some(begun), Some(rest)) = (begun, rest) else { continue };
        if !begun.is_empty() && !rest.is_empty() {
            let end = text.len() - next.len() + length;
            found.push((format!("{begun}{rest}"), Span { file, start, end }));
        }
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

//! Findings in the words of the protocol.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, Location, NumberOrString, Position, Range, TextEdit, Uri, WorkspaceEdit,
};

use super::findings::Finding;
use super::position::{Encoding, Index};

/// The title of the code action.
const TITLE: &str = "Send and receive in place, with an MPI datatype";

/// The diagnostic of a finding: information where there is a change, else a hint; neither is a
/// mistake.
pub fn diagnostic(finding: &Finding, index: &Index, uri: &Uri, encoding: Encoding) -> Diagnostic {
    let severity = match finding.edits.is_empty() {
        false => DiagnosticSeverity::INFORMATION,
        true => DiagnosticSeverity::HINT,
    };
    let place = |bytes| Location { uri: uri.clone(), range: index.lines(bytes, encoding) };
    let related = finding.related.iter().map(|(bytes, message)| DiagnosticRelatedInformation {
        location: place(bytes),
        message: message.clone(),
    });
    Diagnostic {
        range: index.lines(&finding.bytes, encoding),
        severity: Some(severity),
        code: Some(NumberOrString::String(finding.code.clone())),
        source: Some("commloom".to_owned()),
        message: finding.message.clone(),
        related_information: Some(related.collect()),
        ..Diagnostic::default()
    }
}

/// The change, if there is one and it touches what the editor asks for.
#[expect(clippy::mutable_key_type, reason = "the protocol's map; its addresses do not change")]
pub fn action(
    finding: &Finding,
    index: &Index,
    uri: &Uri,
    wanted: &Range,
    encoding: Encoding,
) -> Option<CodeActionOrCommand> {
    let key = |p: &Position| (p.line, p.character);
    let touches = |bytes| {
        let range = index.lines(bytes, encoding);
        key(&range.start) <= key(&wanted.end) && key(&wanted.start) <= key(&range.end)
    };
    let here = touches(&finding.bytes) || finding.edits.iter().any(|(bytes, _)| touches(bytes));
    if finding.edits.is_empty() || !here {
        return None;
    }
    let edit = |(bytes, text): &(std::ops::Range<usize>, String)| TextEdit {
        range: index.lines(bytes, encoding),
        new_text: text.clone(),
    };
    let edits: Vec<TextEdit> = finding.edits.iter().map(edit).collect();
    let changes = HashMap::from([(uri.clone(), edits)]);
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: TITLE.to_owned(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic(finding, index, uri, encoding)]),
        edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
        is_preferred: Some(true),
        ..CodeAction::default()
    }))
}

//! Procedures that macros make, outside of all others: `DEFINE(pack_float, float)`.
//!
//! They are read from what the macro becomes, and are there to be seen: nothing of them has a text
//! that could be changed.

use std::ops::Range;

use commloom_source::Span;
use commloom_source::tree::Unit;

use super::declaration;
use super::macros::Macros;
use super::reader::Reader;
use super::token::{Kind, tokens};

/// A use of a macro, and what it becomes.
pub(super) struct Made {
    pub range: Range<usize>,
    text: String,
}

/// Uses outside of all braces that become whole procedures.
pub(super) fn made(macros: &Macros, text: &str) -> Vec<Made> {
    let mut found = Vec::new();
    if !macros.has_parameters() {
        return found;
    }
    let mut depth = 0_usize;
    // Whether an item may begin here.
    let mut is_start = true;
    let mut skipped = 0;
    for token in tokens(text) {
        if token.start < skipped {
            continue;
        }
        match token.text {
            "#" => {
                let length = directive(text.get(token.start..).unwrap_or(""));
                skipped = token.start + length;
                continue;
            }
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ if depth == 0 && is_start && token.kind == Kind::Name => {
                if let Some(one) = one(macros, text, token.start) {
                    skipped = one.range.end;
                    found.push(one);
                    continue;
                }
            }
            _ => {}
        }
        is_start = depth == 0 && matches!(token.text, ";" | "}");
    }
    found
}

/// Bytes of a line of the preprocessor, with those that it goes on in.
fn directive(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    length
}

fn one(macros: &Macros, text: &str, start: usize) -> Option<Made> {
    let rest = text.get(start..)?;
    let end = macros.end_of_use(rest)?;
    let whole = macros.expand(rest.get(..end)?)?;
    let follows = rest.get(end..)?.trim_start();
    let is_procedure = whole.contains('{') && whole.contains('(') && !follows.starts_with('{');
    is_procedure.then(|| Made { range: start..start + end, text: whole })
}

/// The text with blanks in place of the uses: every other byte stays where it is.
pub(super) fn without(text: &str, all: &[Made]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for one in all {
        out.push_str(text.get(copied..one.range.start).unwrap_or(""));
        let inside = text.get(one.range.clone()).unwrap_or("");
        out.extend(inside.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        copied = one.range.end;
    }
    out.push_str(text.get(copied..).unwrap_or(""));
    out
}

/// Adds the procedures.
pub(super) fn read(reader: &mut Reader<'_>, all: &[Made], unit: &mut Unit) {
    for one in all {
        let at = Span { file: reader.file, start: one.range.start, end: one.range.end };
        let before = unit.procedures.len();
        let tree = reader.shared.parse(&one.text).filter(|tree| !tree.root_node().has_error());
        if let Some(tree) = &tree {
            reader.inside(&one.text, at, |inner| {
                declaration::file(inner, tree.root_node(), unit);
            });
        }
        if unit.procedures.len() == before {
            declaration::unknown(reader, one.range.clone(), unit);
        }
        for procedure in &mut unit.procedures[before..] {
            procedure.span = at;
            procedure.body_start = at.end;
            procedure.has_errors = true;
        }
    }
    unit.procedures.sort_by_key(|procedure| procedure.span.start);
}

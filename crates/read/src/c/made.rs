//! Procedures that macros make, outside of all others: `DEFINE(pack_float, float)`.
//!
//! They are read from what the macro becomes, and are there to be seen: nothing of them has a text
//! that could be changed.

use std::ops::Range;

use commloom_source::Span;
use commloom_source::tree::{Name, Unit};

use super::declaration;
use super::macros::Macros;
use super::reader::Reader;
use super::token::{Kind, tokens};

/// A use of a macro, and what it becomes.
pub(super) struct Made {
    pub range: Range<usize>,
    text: String,
    /// The namespaces and classes around it.
    path: Option<Name>,
}

/// Namespaces, classes and blocks of `extern "C"` that are open: the depth of braces inside, and
/// the name where it has one.
type Levels = Vec<(usize, Option<Name>)>;

/// Uses outside of the bodies of all procedures that become whole procedures, or begin one.
pub(super) fn made(macros: &Macros, text: &str) -> Vec<Made> {
    let mut found = Vec::new();
    if !macros.has_parameters() {
        return found;
    }
    let mut depth = 0_usize;
    let mut levels: Levels = Vec::new();
    // Whether an item may begin here, and where the one began that is open.
    let mut is_start = true;
    let mut item = 0;
    let mut skipped = 0;
    for token in tokens(text) {
        if token.start < skipped {
            continue;
        }
        match token.text {
            "#" => {
                let length = directive(text.get(token.start..).unwrap_or(""));
                skipped = token.start + length;
                if is_start {
                    item = skipped;
                }
                continue;
            }
            "{" | "(" | "[" => {
                let is_outside = depth == levels.len() && levels.len() < DEEPEST;
                let head = text.get(item..token.start).unwrap_or("");
                let opened = (token.text == "{" && is_outside).then(|| level(head)).flatten();
                depth += 1;
                if let Some(name) = opened {
                    levels.push((depth, name));
                    (is_start, item) = (true, token.start + 1);
                    continue;
                }
            }
            "}" | ")" | "]" => {
                depth = depth.saturating_sub(1);
                levels.retain(|(inside, _)| *inside <= depth);
            }
            _ if depth == levels.len() && is_start && token.kind == Kind::Name => {
                if let Some(mut one) = one(macros, text, token.start) {
                    skipped = one.range.end;
                    item = skipped;
                    let path: Vec<&str> =
                        levels.iter().filter_map(|(_, name)| name.as_deref()).collect();
                    one.path = (!path.is_empty()).then(|| path.join("::"));
                    found.push(one);
                    continue;
                }
            }
            _ => {}
        }
        is_start = depth == levels.len() && matches!(token.text, ";" | "}" | ":");
        if is_start {
            item = token.start + token.text.len();
        }
    }
    found
}

/// Namespaces in namespaces; more are not looked at.
const DEEPEST: usize = 32;

/// Whether what stands before a brace opens a namespace, a class, or a block of `extern "C"`; and
/// the name that it has.
fn level(head: &str) -> Option<Option<Name>> {
    let mut words = tokens(head).filter(|token| token.kind != Kind::Sign || token.text == "=");
    let first =
        words.by_ref().find(|token| !matches!(token.text, "inline" | "typedef" | "export"))?;
    if !matches!(first.text, "namespace" | "class" | "struct" | "union" | "extern" | "template") {
        return None;
    }
    let rest: Vec<_> = words.collect();
    let is_other = head.contains('(') || rest.iter().any(|token| token.text == "=");
    if is_other || (first.text == "extern" && rest.iter().any(|t| t.kind == Kind::Name)) {
        return None;
    }
    let inside = match first.text {
        "template" => {
            let after = rest.iter().rposition(|t| matches!(t.text, "class" | "struct"))?;
            rest.get(after + 1..)?
        }
        _ => rest.as_slice(),
    };
    let name = inside.iter().find(|token| token.kind == Kind::Name);
    Some(name.map(|token| token.text.to_owned()))
}

/// Where the braces end that a text leaves open, in what follows it.
fn closed(whole: &str, follows: &str) -> Option<usize> {
    let step = |text: &str| match text {
        "{" => 1_i64,
        "}" => -1,
        _ => 0,
    };
    let mut open: i64 = tokens(whole).map(|token| step(token.text)).sum();
    if open == 0 {
        return Some(0);
    }
    tokens(follows).find_map(|token| {
        open += step(token.text);
        (open == 0).then_some(token.start + token.text.len())
    })
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
    if !is_procedure {
        return None;
    }
    // `BEGIN(f) ... }`: what the macro opens is closed behind it.
    let after = rest.get(end..)?;
    let more = closed(&whole, after)?;
    let text = format!("{whole}{}", after.get(..more)?);
    Some(Made { range: start..start + end + more, text, path: None })
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
                declaration::within(inner, tree.root_node(), one.path.as_deref(), unit);
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

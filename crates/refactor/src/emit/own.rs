//! An address in the program's own words: its casts, macros and names say what a formula does not.
//!
//! `in[((size_t)k * ny + j) * nx + 3]` is written with the first turn's values in place of the
//! counters, each in the type of its counter. The words of a macro can be kept if nothing that it
//! is defined as names a counter itself.

use commloom_source::affine::{Atom, Place, Polynomial};
use commloom_source::tree::{Binary, Expression, ExpressionKind, Name, Type};

use super::model::Request;
use super::names::Names;
use super::number::{Speller, Width, is_sum};
use commloom_source::words::words;

/// The address, where its words say more than its formula; none where they cannot be kept.
pub(super) fn address(
    speller: &Speller<'_>,
    request: &Request<'_>,
    names: &Names,
) -> Option<String> {
    let origin = request.datatype.origin.as_ref()?;
    let text = request.source.get(origin.expression.span.range())?;
    let is_plain = !text.contains(['#', '"', '\'', '\\', '@']) && !text.contains("//");
    let is_more = words(text).any(|(_, word)| names.is_macro(word));
    let is_simple =
        request.datatype.at.as_ref().is_some_and(|at| {
            at.place.subscripts().all(|subscript| subscript.terms().count() <= 1)
        });
    let divides = |e: &Expression| {
        let is_number = |by: &Expression| matches!(by.kind, ExpressionKind::Integer(1..));
        matches!(&e.kind, ExpressionKind::Binary(Binary::Divide | Binary::Remainder, _, by)
            if !is_number(by))
    };
    let mut is_sure = true;
    origin.expression.each(&mut |e| is_sure &= !divides(e));
    let at = request.datatype.at.as_ref();
    if !is_sure || at.is_none_or(|at| speller.is_doubtful(&at.place)) {
        return None;
    }
    if !is_plain || !(speller.is_wide || (is_more && !is_simple)) {
        return None;
    }
    let mut changed: Vec<(&str, String)> = Vec::new();
    for (name, value) in &origin.values {
        if !is_itself(name, value) {
            changed.push((plain(name), said(speller, name, value)?));
        }
    }
    let is_changed = |word: &str| changed.iter().any(|(name, _)| *name == word);
    if words(text).any(|(_, word)| names.brings(word, &is_changed))
        || !changed.iter().all(|(name, _)| words(text).any(|(_, word)| word == *name))
    {
        return None;
    }
    let mut called: Vec<(&str, &Name)> = Vec::new();
    origin.expression.each(&mut |e| {
        if let ExpressionKind::Name(name) = &e.kind {
            called.push((plain(name), name));
        }
    });
    let mut out = String::new();
    let mut end = 0;
    let mut last = "";
    for (at, word) in words(text) {
        if at > end && !out.is_empty() {
            out.push(' ');
        }
        let is_component = last == "." || out.ends_with("->");
        let new = changed.iter().find(|(name, _)| !is_component && *name == word);
        let own = called.iter().find(|(name, _)| !is_component && *name == word);
        match (new, own) {
            (Some((_, value)), _) => out.push_str(&bracketed(value, text, at, word)),
            (None, Some((_, name))) => out.push_str(name),
            (None, None) => out.push_str(word),
        }
        end = at + word.len();
        last = word;
    }
    Some(if origin.is_address { out } else { format!("&{out}") })
}

fn plain(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

/// Whether a variable is still what it was.
fn is_itself(name: &str, value: &Polynomial) -> bool {
    let own = Place::variable(name.to_owned());
    let mut terms = value.terms();
    matches!((terms.next(), terms.next()),
        (Some(([Atom::Read { place, .. }], 1)), None) if *place == own)
}

/// A value in the type of its variable.
fn said(speller: &Speller<'_>, name: &str, value: &Polynomial) -> Option<String> {
    let symbols = speller.symbols?;
    let mut of = symbols.resolve(&symbols.variable(name)?.of);
    if let Type::Reference(inner) = of {
        of = symbols.resolve(&inner);
    }
    let Type::Basic(of, _) = of else { return None };
    let is_wide = value.as_constant().is_none() && value.any(&mut |atom| !speller.is_narrow(atom));
    let width = if is_wide { Width::Wide } else { Width::Plain };
    let text = speller.number(value, width).ok()?;
    let is_int = of == "int" && !is_wide;
    Some(if is_int { text } else { format!("({of}){}", in_brackets(&text)) })
}

fn in_brackets(text: &str) -> String {
    let is_word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if is_word { text.to_owned() } else { format!("({text})") }
}

/// A value as a part of the text: alone between brackets it needs none of its own.
fn bracketed(value: &str, text: &str, at: usize, word: &str) -> String {
    let before = text.get(..at).unwrap_or("").trim_end();
    let behind = text.get(at + word.len()..).unwrap_or("").trim_start();
    let is_alone = before.ends_with('[') && behind.starts_with(']');
    if is_alone || !(is_sum(value) || value.contains([' ', '-', '('])) {
        value.to_owned()
    } else {
        format!("({value})")
    }
}

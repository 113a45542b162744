//! New text among what stands around its call: blocks, threads and macros have variables of their
//! own.

use commloom_program::View;
use commloom_proof::Part;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Name, StatementKind};
use commloom_source::words::words;
use commloom_source::{Source, Span};

use crate::emit::{Names, Text};
use crate::scopes;

/// The text with the names as the program writes them, or a sentence about what is in its way.
pub(crate) fn fitted(
    view: &View<'_>,
    source: &Source,
    part: &Part,
    copies: &[Span],
    names: &Names,
    text: Text,
) -> Result<Text, String> {
    let call = part.statement;
    if view.language().is_fortran() {
        if let Some(name) = of_a_block(view, &text, call, copies) {
            return Err(format!("'{name}' is a variable of a block around some of it"));
        }
        if is_in_parallel(view, &source.text, call) {
            let message = "threads of OpenMP make the call: variables for its type would be those \
                           of all";
            return Err(message.into());
        }
        return Ok(text);
    }
    let text = scopes::written(view, source, &text, call, copies)?;
    let of = |span: Span| source.text.get(span.range()).unwrap_or("");
    match captured(names, of(call), of(part.call), &text) {
        Some(name) => Err(format!("'{name}' may be a variable of the macro around the call")),
        None => Ok(text),
    }
}

/// A name of the new text that a `block` of Fortran declares which only some of the copies and the
/// call stand in: it means another variable for the others.
fn of_a_block(view: &View<'_>, text: &Text, call: Span, copies: &[Span]) -> Option<Name> {
    let lines = [&text.buffer, &text.count, &text.datatype];
    let lines = lines.into_iter().chain(&text.declarations).chain(&text.before).chain(&text.after);
    let written: Vec<String> =
        lines.flat_map(|line| words(line)).map(|(_, word)| word.to_lowercase()).collect();
    let mut found = None;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let StatementKind::Block(body) = &s.kind else { return };
            let inside = copies.iter().chain([&call]).filter(|place| s.span.contains(**place));
            if inside.count() == copies.len() + 1 {
                return;
            }
            for inner in body {
                let StatementKind::Declare(all) = &inner.kind else { continue };
                let names = all.iter().map(|declared| &declared.name);
                found = found.take().or(names.into_iter().find(|n| written.contains(n)).cloned());
            }
        });
    }
    found
}

/// Fortran: whether a place is inside of a construct of OpenMP or OpenACC: between a directive and
/// its end, or in the loop behind one.
fn is_in_parallel(view: &View<'_>, text: &str, place: Span) -> bool {
    let whole = view.procedure().span;
    let Some(inside) = text.get(whole.start..place.start) else { return true };
    let mut open: Vec<String> = Vec::new();
    let mut at = whole.start;
    let mut before_loop = false;
    for line in inside.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let lower = line.trim().to_ascii_lowercase();
        let marks = ["!$omp", "c$omp", "*$omp", "!$acc", "c$acc", "*$acc"];
        let Some(rest) = marks.iter().find_map(|mark| lower.strip_prefix(mark)) else {
            let is_code = !lower.is_empty() && !lower.starts_with('!');
            if before_loop && is_code {
                before_loop = false;
                if holds(view, start..at, place) {
                    return true;
                }
            }
            continue;
        };
        let mut all = words(rest).map(|(_, word)| word);
        match (all.next(), all.next()) {
            (Some("end"), Some(what)) => {
                if let Some(last) = open.iter().rposition(|o| o == what) {
                    open.truncate(last);
                }
            }
            (Some("parallel" | "task" | "target" | "teams" | "sections" | "workshare"), next)
                if !matches!(next, Some("do" | "loop")) =>
            {
                open.extend(words(rest).map(|(_, word)| word.to_owned()).next());
            }
            _ => before_loop = true,
        }
    }
    !open.is_empty()
}

/// Whether a statement that begins in some text holds a place.
fn holds(view: &View<'_>, begin: std::ops::Range<usize>, place: Span) -> bool {
    let mut holds = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| holds |= begin.contains(&s.span.start) && s.span.contains(place));
    }
    holds
}

/// C: a name of the new arguments that the macro around a call may declare: `CHECK(MPI_Send(...))`
/// with `int n = (call)` in it.
fn captured(names: &Names, statement: &str, call: &str, text: &Text) -> Option<String> {
    let around = statement.split(call).next().filter(|around| !around.is_empty())?;
    let mut macros = words(around).map(|(_, word)| word).filter(|word| names.is_macro(word));
    let name = macros.next()?;
    let is_old = |word: &str| words(call).any(|(_, old)| old == word);
    let arguments = [&text.buffer, &text.count, &text.datatype];
    let new = arguments.into_iter().flat_map(|argument| words(argument)).map(|(_, word)| word);
    new.filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()))
        .filter(|word| !word.starts_with("MPI_") && !is_old(word))
        .find(|new| names.brings(name, &|word| word == *new))
        .map(str::to_owned)
}

//! Calls of MPI in a procedure.

use std::borrow::Cow;

use commloom_copies::{Direction, Packing};
use commloom_program::View;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Unary,
};

use super::calls::Manner;
use super::found::{Found, buffer_name};
use super::persistent::attach;
use super::touch::roots;
use super::wrapped::{fixed, sides};

/// All of them, in the order of the text.
pub(super) fn calls_in<'p>(view: &View<'p>) -> Vec<Found<'p>> {
    let mut all = Vec::new();
    let procedure = view.procedure();
    for statement in &procedure.body {
        statement.each(&mut |s| in_statement(view, s, &mut all));
    }
    all.sort_by_key(|f: &Found<'_>| f.call.start);
    for found in all.iter_mut().filter(|f| f.side.manner == Manner::Persistent) {
        attach(view, found);
    }
    all
}

fn in_statement<'t>(view: &View<'_>, statement: &'t Statement, all: &mut Vec<Found<'t>>) {
    let main = match &statement.kind {
        StatementKind::Evaluate(value) | StatementKind::Assign { value, .. } => Some(value.span),
        _ => None,
    };
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            let Kind::Call { function, arguments } = &e.kind else { return };
            let Kind::Name(called) = &function.kind else { return };
            let hidden = hidden(view, called, function.span);
            let name = hidden.as_ref().unwrap_or(called);
            for side in sides(view, name) {
                let datatype = match side.datatype {
                    Some(at) => arguments.get(at).map(Cow::Borrowed),
                    None => fixed(view, name, side.buffer, e.span).map(Cow::Owned),
                };
                let by_keyword = arguments.iter().find(|a| is_buffer_keyword(a, side.buffer));
                let buffer = by_keyword.or_else(|| arguments.get(side.buffer));
                let (Some(buffer), Some(count), Some(datatype)) =
                    (buffer, arguments.get(side.count), datatype)
                else {
                    continue;
                };
                let has_keywords = arguments.iter().any(|a| matches!(a.kind, Kind::Keyword(..)));
                let keywords = || {
                    let message = "arguments with keywords are not rewritten";
                    Refusal::new(Code::CallForm, e.span, message)
                };
                all.push(Found {
                    function: name.clone(),
                    side,
                    call: e.span,
                    statement: statement.span,
                    init: None,
                    problem: has_keywords
                        .then(keywords)
                        .or_else(|| Some(other_meaning(hidden.as_ref()?, called, e.span)))
                        .or_else(|| renamed(view, name, e.span))
                        .or_else(|| replaced(view, name, e.span))
                        .or_else(|| made_by_macro(view, e.span, buffer)),
                    is_alone: main == Some(e.span),
                    arguments,
                    buffer,
                    count,
                    datatype,
                });
            }
        });
    }
}

/// That the call has a name here that is not MPI's (`use mpi, only: put => MPI_Send`).
fn renamed(view: &View<'_>, name: &str, call: Span) -> Option<Refusal> {
    let real = view.stands_for(name);
    let is_other = view.wrapper(name).is_none() && !real.eq_ignore_ascii_case(name);
    let message = || format!("'{real}' is called by another name, '{name}'");
    is_other.then(|| Refusal::new(Code::CallForm, call, message()))
}

/// The name of MPI's that stands in the text where a macro gives it another meaning (`#define
/// MPI_Send my_Send`, often in a branch for programs without MPI): with it the call is MPI's, or
/// what the other name says.
fn hidden(view: &View<'_>, called: &str, at: Span) -> Option<Name> {
    if view.language().is_fortran() {
        return None;
    }
    let text = view.project().source(at.file)?.text.get(at.range())?;
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    (word.starts_with("MPI_") && word != called).then(|| word.to_owned())
}

/// The refusal of a call that a macro may have made another one.
fn other_meaning(name: &str, called: &str, call: Span) -> Refusal {
    let message = format!(
        "'{name}' is a macro that stands for '{called}' in some branch: that may be another \
         procedure than MPI's"
    );
    Refusal::new(Code::CallForm, call, message)
}

/// That the program has a procedure of this name in front of MPI's (`PMPI_Send`): what it does
/// with the datatype is its own affair. One without MPI's stands for programs of one process.
fn replaced(view: &View<'_>, name: &str, call: Span) -> Option<Refusal> {
    let project = view.project();
    let mut in_front = false;
    for id in project.all_named(name) {
        for statement in &project.procedure(id).body {
            statement.each(&mut |s| {
                for expression in s.expressions() {
                    expression.each(&mut |e| {
                        let called = match &e.kind {
                            Kind::Call { function, .. } => function.root().map_or("", |f| f),
                            _ => "",
                        };
                        in_front |=
                            called.get(..5).is_some_and(|p| p.eq_ignore_ascii_case("PMPI_"));
                    });
                }
            });
        }
    }
    let message = || format!("the program has a '{name}' of its own in front of MPI's");
    in_front.then(|| Refusal::new(Code::CallForm, call, message()))
}

/// That a macro makes the call with its arguments, or the whole procedure: then these stand in no
/// text that belongs to this call alone.
fn made_by_macro(view: &View<'_>, call: Span, buffer: &Expression) -> Option<Refusal> {
    if buffer.span != call {
        return None;
    }
    let text = view.project().source(call.file).and_then(|source| source.text.get(call.range()));
    let text = text.unwrap_or("");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let name = text.split(|c| !is_word(c)).next()?;
    let calls = |rest: &str| rest.trim_start_matches(is_word).trim_start().starts_with('(');
    let message = if view.procedure().span == call {
        format!(
            "the macro '{name}' makes the procedure, and what stands in the macro is not changed: \
             write the procedure out"
        )
    } else if text.split("MPI_").skip(1).any(calls) {
        format!(
            "the macro '{name}' does more with the call than to evaluate it once, or may leave \
             the procedure before anything is unpacked: write the call as a statement of its own, \
             and end the program where it fails"
        )
    } else {
        format!(
            "the macro '{name}' makes the call, and what stands in the macro is not changed: write \
             the call out, or list '{name}' in commloom.toml, with the procedure of MPI that it \
             stands for"
        )
    };
    Some(Refusal::new(Code::CallForm, call, message))
}

/// Whether an argument names a buffer by the keyword that the standard has for it: the first
/// argument, or a later one.
fn is_buffer_keyword(argument: &Expression, at: usize) -> bool {
    let Kind::Keyword(name, _) = &argument.kind else { return false };
    match at {
        0 => ["buf", "buffer", "sendbuf"].contains(&name.as_str()),
        _ => name == "recvbuf",
    }
}

/// Whether something is copied into the buffer (or out of it) at all, elsewhere than in this call:
/// otherwise it is no buffer.
pub(super) fn has_copies(view: &View<'_>, found: &Found<'_>) -> bool {
    let Some(buffer) = buffer_name(view, found) else { return false };
    let family = view.targets(&buffer);
    let is_it = |name: &str| {
        name == buffer || family.iter().any(|f| f == name) || {
            view.targets(name).contains(&buffer)
        }
    };
    let mut copied = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            let either = matches!(found.side.manner, Manner::Broadcast { .. });
            let ways = [Direction::Pack, Direction::Unpack];
            let ways = ways.into_iter().filter(|way| either || *way == found.side.direction);
            copied |= ways.into_iter().any(|way| match (&s.kind, way) {
                (StatementKind::Assign { target, .. }, Direction::Pack) => {
                    let inside = !matches!(&target.kind, Kind::Name(n) if *n != buffer
                        || !view.language().is_fortran());
                    inside && roots(target).iter().any(|n| is_it(n))
                }
                (StatementKind::Assign { value, .. }, Direction::Unpack) => {
                    // A whole array, in Fortran.
                    let is_whole = view.language().is_fortran()
                        && matches!(&value.kind, Kind::Name(name) if *name == buffer);
                    (is_whole || reads_inside(value)) && roots(value).iter().any(|n| is_it(n))
                }
                (
                    StatementKind::Evaluate(Expression {
                        kind: Kind::Call { function, arguments },
                        ..
                    }),
                    direction,
                ) => {
                    let name = function.root().map_or("", String::as_str);
                    // Target and source.
                    let (to, from) = match name {
                        "memcpy" | "memmove" | "std::memcpy" | "std::memmove" => (0, 1),
                        "bcopy" => (1, 0),
                        "std::copy" | "std::copy_n" => (2, 0),
                        _ => return false,
                    };
                    let at = match direction {
                        Direction::Pack => arguments.get(to),
                        Direction::Unpack => arguments.get(from),
                    };
                    at.is_some_and(|a| roots(a).iter().any(|n| is_it(n)))
                }
                _ => false,
            });
        });
    }
    copied
}

/// Whether a value is something in memory, not an address.
fn reads_inside(value: &Expression) -> bool {
    match &value.kind {
        Kind::Cast(_, inner) => reads_inside(inner),
        Kind::Name(_) | Kind::Unary(Unary::Address, _) => false,
        Kind::Binary(_, left, right) => reads_inside(left) || reads_inside(right),
        _ => true,
    }
}

/// Whether the statement can be changed, and nothing odd stands around it.
pub(super) fn is_plain(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
) -> Result<(), Refusal> {
    if !found.is_alone {
        let message = "the call is a part of a larger expression, which may not make it, or more \
                       than once: give it a statement of its own";
        return Err(Refusal::new(Code::CallForm, found.call, message));
    }
    if is_in_list(view, found.place()) {
        let message = "the call stands beside other expressions in one statement";
        return Err(Refusal::new(Code::CallForm, found.call, message));
    }
    let whole = packing.statements.iter().fold(found.statement, |all, s| all.to(*s));
    let procedure = view.procedure();
    let overlaps = |s: &Span| s.start < whole.end && whole.start < s.end && s.file == whole.file;
    if let Some(line) = procedure.directives.iter().find(|s| overlaps(s)) {
        let message = "lines of the preprocessor stand among the copies and the call";
        let refusal = || Refusal::new(Code::Preprocessor, *line, message);
        return Err(conditional_line(view, *line).unwrap_or_else(refusal));
    }
    unread(view).map_or(Ok(()), Err)
}

/// That a place in the procedure could not be read.
fn unread(view: &View<'_>) -> Option<Refusal> {
    let procedure = view.procedure();
    let unit = view.project().units().iter().find(|u| u.file == procedure.span.file);
    let errors = unit.into_iter().flat_map(|u| &u.errors);
    let at = errors.map(|e| e.span).find(|s| procedure.span.contains(*s));
    let message = "the procedure has a place that could not be read";
    let refusal = Refusal::new(Code::Syntax, at.unwrap_or(procedure.span), message);
    procedure.has_errors.then_some(refusal)
}

/// The reason for copies that cannot be read, where that is since a line of Fortran may be a
/// comment, or since not all of the procedure could be read: the loop around them may stand there.
pub(super) fn better(view: &View<'_>, refusal: Refusal) -> Refusal {
    let mut lines = view.procedure().directives.iter();
    let line = lines.find(|line| line.contains(refusal.span));
    let is_open = |found: &Refusal| found.code == Code::Syntax && refusal.code == Code::NoCopies;
    let line = line.and_then(|line| conditional_line(view, *line));
    line.or_else(|| unread(view)).filter(|found| !is_open(found)).unwrap_or(refusal)
}

/// That a line of Fortran, one of the procedure's directives, may be a comment.
fn conditional_line(view: &View<'_>, line: Span) -> Option<Refusal> {
    let text = view.project().source(line.file)?.text.get(line.range())?;
    let is_line = view.language().is_fortran() && !text.trim_start().starts_with('#');
    let message = "a line that is a comment or a statement, as the compiler is told ('!$', or 'D' \
                   in column 1), stands among the copies and the call";
    is_line.then(|| Refusal::new(Code::Preprocessor, line, message))
}

/// Whether commas of C stand before or after a statement.
fn is_in_list(view: &View<'_>, statement: Span) -> bool {
    let Some(source) = view.project().source(statement.file) else { return false };
    let text = |range: std::ops::Range<usize>| source.text.get(range).unwrap_or("");
    !view.language().is_fortran()
        && (text(0..statement.start).trim_end().ends_with(',')
            || text(statement.end..source.text.len()).trim_start().starts_with(','))
}

//! Calls of MPI in a procedure.

use std::borrow::Cow;

use crate::copies::{Direction, Packing};
use crate::project::View;
use crate::refusal::{Code, Refusal};
use crate::source::Span;
use crate::symbols::Symbols;
use crate::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Type, Unary,
};

use super::calls::{Manner, Side};
use super::flow::contains;
use super::persistent::{Init, attach};
use super::touch::{Touches, roots};
use super::wrapped::{fixed, sides};

/// One buffer of one call.
#[derive(Clone)]
pub(super) struct Found<'t> {
    pub function: Name,
    pub side: Side,
    /// The call as an expression; of a persistent request the call that starts it.
    pub call: Span,
    /// The statement that it is in.
    pub statement: Span,
    /// Where the persistent request is made.
    pub init: Option<Init>,
    /// Why nothing can be said about the call.
    pub problem: Option<Refusal>,
    /// Whether the statement is nothing but the call, perhaps with its result assigned.
    pub is_alone: bool,
    pub arguments: &'t [Expression],
    pub buffer: &'t Expression,
    pub count: &'t Expression,
    pub datatype: Cow<'t, Expression>,
}

impl<'t> Found<'t> {
    /// The same call, where it receives into what it may also send from.
    pub fn receiving(&self) -> Found<'t> {
        let side = Side { direction: Direction::Unpack, ..self.side };
        Found { side, ..self.clone() }
    }

    /// The statement that has the buffer as an argument.
    pub fn place(&self) -> Span {
        self.init.map_or(self.statement, |init| init.statement)
    }
}

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
            let Kind::Name(name) = &function.kind else { return };
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
                    problem: has_keywords.then(keywords),
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

/// Whether an argument names a buffer by the keyword that the standard has for it: the first argument, or a later one.
fn is_buffer_keyword(argument: &Expression, at: usize) -> bool {
    let Kind::Keyword(name, _) = &argument.kind else { return false };
    match at {
        0 => ["buf", "buffer", "sendbuf"].contains(&name.as_str()),
        _ => name == "recvbuf",
    }
}

/// The variable that the buffer is in.
pub(super) fn buffer_name(view: &View<'_>, found: &Found<'_>) -> Option<Name> {
    let names = roots(found.buffer);
    let memory = |name: &&Name| {
        view.variable(name).is_none_or(|d| {
            let scalar = matches!(view.resolve(&d.of), Type::Basic(..));
            !scalar || names.len() == 1
        })
    };
    names.iter().find(memory).cloned()
}

/// Whether something is copied into the buffer (or out of it) at all, elsewhere than in this call: otherwise it is no buffer.
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
                    reads_inside(value) && roots(value).iter().any(|n| is_it(n))
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
        let message = "the call is a part of a larger expression";
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
        return Err(Refusal::new(Code::Preprocessor, *line, message));
    }
    if procedure.has_errors {
        let unit = view.project().units().iter().find(|u| u.file == procedure.span.file);
        let errors = unit.into_iter().flat_map(|u| &u.errors);
        let at = errors.map(|e| e.span).find(|s| contains(procedure.span, *s));
        let message = "the procedure has a place that could not be read";
        return Err(Refusal::new(Code::Syntax, at.unwrap_or(procedure.span), message));
    }
    Ok(())
}

/// Whether commas of C stand before or after a statement.
fn is_in_list(view: &View<'_>, statement: Span) -> bool {
    let Some(source) = view.project().source(statement.file) else { return false };
    let text = |range: std::ops::Range<usize>| source.text.get(range).unwrap_or("");
    !view.language().is_fortran()
        && (text(0..statement.start).trim_end().ends_with(',')
            || text(statement.end..source.text.len()).trim_start().starts_with(','))
}

/// What a statement touches; nothing where it is one of those that go.
pub(super) fn touches_of(view: &View<'_>, statement: &Statement, gone: &[Span]) -> Touches {
    if gone.iter().any(|g| contains(*g, statement.span)) {
        return Touches::default();
    }
    Touches::of(view, statement)
}

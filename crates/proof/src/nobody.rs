//! Whether a receive may be one from nobody (`MPI_PROC_NULL`), which leaves the buffer as it was.
//!
//! Copies from the buffer are made all the same, while a receive into their targets leaves these
//! as they were. That makes no difference where what was in the buffer before is anybody's guess.
//! It does where the language says what it is (variables of C that are kept from call to call,
//! containers of C++, components with a value), or where it is what came at another time.

use commloom_copies::{Direction, Packing};
use commloom_program::{View, is_made_with_values};
use commloom_source::Language;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Dimension, Expression, ExpressionKind as Kind, Statement, StatementKind, Storage, Type,
};

use super::candidate::Candidate;
use super::cartesian::is_shift;
use super::flow::{alike, locate, may_follow};
use super::found::Found;
use super::partner::{is_nobody, partner};
use super::requests::number;
use super::touch::roots;

/// Whether a buffer has values before anything was received, or keeps those from another time.
pub(super) fn has_values(view: &View<'_>, buffer: &str) -> bool {
    view.is_of_host(buffer)
        || view.targets(buffer).iter().filter_map(|name| view.variable(name)).any(|declared| {
            let is_container = view.language() == Language::Cpp
                && matches!(view.resolve(&declared.of), Type::Array(_, dimensions)
                    if matches!(dimensions.first(), Some(Dimension::AssumedShape { .. })));
            matches!(declared.storage, Storage::Kept | Storage::Shared)
                || is_container
                || is_made_with_values(view, &declared.of)
        })
}

/// Whether a buffer may have what another message has left there: packed for it, or received from
/// another source, perhaps in another turn of a loop.
pub(super) fn is_used_before(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    all: &[Candidate<'_>],
) -> bool {
    let procedure = view.procedure();
    let own = partner(view, found, "source");
    let is_same =
        |other: &Packing| other.buffer == packing.buffer && other.sent_start == packing.sent_start;
    all.iter().any(|other| {
        let is_it = other.found.call == found.call;
        let packings = other.packing.iter().chain(&other.unpacking);
        if !packings.into_iter().any(is_same) {
            return false;
        }
        if is_it && other.found.side.direction == found.side.direction {
            return own.is_some_and(|source| varies(view, found, source));
        }
        let theirs = partner(view, &other.found, "source")
            .filter(|_| other.found.side.direction == Direction::Unpack);
        let is_alike = own.zip(theirs).is_some_and(|(own, theirs)| alike(own, theirs));
        !is_alike && may_follow(procedure, other.found.statement, found.statement)
    })
}

/// Whether a value is another one in another turn of a loop around a call.
fn varies(view: &View<'_>, found: &Found<'_>, value: &Expression) -> bool {
    let Some(call) = locate(view.procedure(), found.statement) else { return true };
    call.loops().any(|around| {
        let mut is_written = false;
        around.each(&mut |s| {
            let touches = super::touch::Touches::of(view, s);
            is_written |= touches.writes.iter().any(|(name, _)| value.mentions(name));
        });
        is_written
    })
}

/// Whether a call may receive from nobody, as far as the program's words tell: it has the name of
/// nobody somewhere, or asks MPI for neighbours; and the source is neither a number, nor computed,
/// nor compared with nobody before.
pub(super) fn may_be_source(view: &View<'_>, found: &Found<'_>) -> bool {
    let may_be = match partner(view, found, "source") {
        Some(source) => !is_somebody(view, source, true) && !is_compared(view, found, source),
        // No other call can have nobody at the other end, but for what was probed for.
        None => view.wrapper(&found.function).is_some() || is_probed(&found.function),
    };
    // Last: it looks through all texts.
    may_be && view.project().names_nobody()
}

fn is_probed(function: &str) -> bool {
    function.to_ascii_lowercase().contains("mrecv")
}

/// Whether a value is the rank of a process: no number below zero means nobody in all libraries.
fn is_somebody(view: &View<'_>, value: &Expression, follows: bool) -> bool {
    match &value.kind {
        Kind::Name(name) if name.eq_ignore_ascii_case("mpi_any_source") => true,
        Kind::Name(name) => follows && is_always_somebody(view, name),
        // One of several neighbours, all of which are somebody.
        Kind::Element { base, .. } if follows => {
            matches!(&base.kind, Kind::Name(name) if is_always_somebody(view, name))
        }
        Kind::List(all) => all.iter().all(|value| is_somebody(view, value, false)),
        Kind::Binary(operation, ..) => is_arithmetic(*operation),
        Kind::Call { function, .. } if view.language().is_fortran() => {
            matches!(&function.kind, Kind::Name(name) if name == "mod" || name == "modulo")
        }
        Kind::Member { field, .. } => field.eq_ignore_ascii_case("mpi_source"),
        Kind::Cast(_, inner) => is_somebody(view, inner, follows),
        _ => number(view, value).is_some_and(|number| number >= 0),
    }
}

fn is_arithmetic(operation: Binary) -> bool {
    use Binary::{Add, BitXor, Divide, Multiply, Remainder, Subtract};
    matches!(operation, Add | Subtract | Multiply | Divide | Remainder | BitXor)
}

/// Whether a variable is a constant, or the procedure's own, to which only such values are given.
fn is_always_somebody(view: &View<'_>, name: &str) -> bool {
    if let Some(value) = view.constant(name) {
        return number(view, value).is_some_and(|number| number >= 0);
    }
    if !view.variable(name).is_some_and(|d| d.storage == Storage::Local) || !view.is_private(name) {
        return false;
    }
    let mut is_set = false;
    let mut is_other = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| match &s.kind {
            StatementKind::Assign { target, operation: None, value }
                if roots(target).first().is_some_and(|n| n == name) =>
            {
                is_set = true;
                is_other |= !is_somebody(view, value, false);
            }
            StatementKind::Loop(counted) if counted.variable == name => is_set = true,
            _ if is_shift(view, s, name) => is_set = true,
            _ => is_other |= writes(view, s, name),
        });
    }
    is_set && !is_other
}

fn writes(view: &View<'_>, statement: &Statement, name: &str) -> bool {
    let touches = super::touch::Touches::of(view, statement);
    touches.writes.iter().any(|(written, _)| written == name)
}

/// Whether the call stands under a condition that the source is somebody.
fn is_compared(view: &View<'_>, found: &Found<'_>, source: &Expression) -> bool {
    let Some(call) = locate(view.procedure(), found.statement) else { return false };
    call.path.windows(2).any(|pair| {
        let (list, at) = pair[0];
        let StatementKind::If { condition, then, .. } = &list[at].kind else { return false };
        let in_then = std::ptr::eq(then.as_slice(), pair[1].0);
        says(view, condition, source, in_then)
    })
}

/// Whether a condition that is true (or false) says that a value is a process.
fn says(view: &View<'_>, condition: &Expression, source: &Expression, holds: bool) -> bool {
    let Kind::Binary(operation, left, right) = &condition.kind else { return false };
    let is_pair = |one: &Expression, other: &Expression| alike(one, source) && is_nobody(other);
    match (operation, holds) {
        (Binary::And, true) | (Binary::Or, false) => {
            says(view, left, source, holds) || says(view, right, source, holds)
        }
        (Binary::NotEqual, true) | (Binary::Equal, false) => {
            is_pair(left, right) || is_pair(right, left)
        }
        (Binary::GreaterEqual, true) | (Binary::Less, false) => {
            alike(left, source) && number(view, right).is_some_and(|number| number >= 0)
        }
        (Binary::Greater, true) | (Binary::LessEqual, false) => {
            alike(left, source) && number(view, right).is_some_and(|number| number >= -1)
        }
        _ => false,
    }
}

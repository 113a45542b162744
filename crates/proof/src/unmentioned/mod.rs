//! Messages that are packed, or unpacked, in a way that no site explains: each is refused with the
//! reason, so that nothing is passed over in silence.
//!
//! A buffer is memory that loops only copy into (or out of): what is computed, or computed with,
//! is an array of the program, which is sent as it is. Which memory is which is only followed as
//! far as a report needs it ([`keys`]): across procedures, by arguments, shared variables and
//! components. What a loop beside the call computes is reported too ([`overwritten`]): there the
//! conditions would have been asked, had nothing else written to the buffer.

mod described;
mod filling;
mod handled;
mod keys;
mod meant;
mod overwritten;
mod uses;

use std::collections::{BTreeMap, HashMap, HashSet};

use commloom_copies::Direction;
use commloom_program::refusal::{Code, Refusal};
use commloom_program::{ProcedureId, Project};
use commloom_source::Span;
use commloom_source::tree::{ExpressionKind, Name, StatementKind};

use crate::calls::{Manner, Obstacle};
use crate::find::calls_in;
use crate::found::{Found, buffer_name};
use crate::wrapped::sides;
use crate::{Site, Trail};

use described::Committed;
use keys::Keyed;
use overwritten::overwritten;
use uses::{Explaining, Uses};

/// Calls of MPI as the whole program shows them.
#[derive(Debug, Default)]
pub struct Unmentioned {
    /// Calls with packed buffers that are not among the sites.
    pub sites: Vec<Site>,
    /// Sites that are none, by statement and buffer: their copies could not be read, and they are
    /// of one element, or arrays in elements of a datatype that the program makes.
    pub described: HashSet<(Span, Name)>,
}

/// The calls of MPI with packed buffers that are not among some sites, and which sites are none.
pub fn unmentioned<'s>(project: &Project, sites: impl Iterator<Item = &'s Site>) -> Unmentioned {
    let mut known: HashMap<(Span, &str), bool> = HashMap::new();
    let mut explaining = Explaining::default();
    for site in sites {
        let is_read = site.outcome.is_ok() || site.trail.packing.is_some();
        *known.entry((site.statement, &site.buffer)).or_default() |= is_read;
        explaining.add(site);
    }
    let uses = Uses::of(project, &explaining);
    let procedures: Vec<Keyed<'_>> = project
        .procedures()
        .map(|id| Keyed { id, view: project.view(id) })
        // A procedure of the table is what the table says, not what its body does.
        .filter(|at| at.view.wrapper(&at.view.procedure().name).is_none())
        .collect();
    let committed = Committed::of(project);
    let mut rest = Unmentioned::default();
    for at in &procedures {
        let id = at.id;
        rest.sites.extend(unread(at));
        for found in calls_in(&at.view) {
            let buffer = buffer_name(&at.view, &found).unwrap_or_default();
            let is_read = known.get(&(found.place(), buffer.as_str())).copied();
            if is_read != Some(true) && committed.describe(at, &uses, &found) {
                rest.described.insert((found.place(), buffer));
                continue;
            }
            if is_read.is_some() || matches!(found.side.obstacle, Some(Obstacle::Reduction)) {
                continue;
            }
            let refusal = match copied(at, &uses, &found) {
                Some((direction, places)) => {
                    refusal(at, &uses, &found, &buffer, direction, &places)
                }
                None => match overwritten(at, &uses, &found, &buffer) {
                    Some(refusal) => refusal,
                    None => continue,
                },
            };
            rest.sites.push(Site {
                procedure: id,
                statement: found.place(),
                function: found.function.clone(),
                outcome: Err(refusal),
                buffer,
                trail: Trail::default(),
            });
        }
    }
    rest
}

/// Calls in text that could not be read: one of each statement.
fn unread(at: &Keyed<'_>) -> Vec<Site> {
    let mut all: Vec<Site> = Vec::new();
    for statement in &at.view.procedure().body {
        statement.each(&mut |s| {
            let mut names: Vec<&Name> = Vec::new();
            if let StatementKind::Unknown(inside) = &s.kind {
                names.extend(inside);
            }
            for expression in s.expressions() {
                expression.each(&mut |e| {
                    if let ExpressionKind::Unknown(inside) = &e.kind {
                        names.extend(inside);
                    }
                });
            }
            let mut calls = names.into_iter().filter(|name| !sides(&at.view, name).is_empty());
            let Some(function) = calls.next() else { return };
            let message = format!("'{function}' stands in text that could not be read");
            let place = place_of(at, function, s.span);
            all.push(Site {
                procedure: at.id,
                statement: place,
                function: function.clone(),
                outcome: Err(Refusal::new(Code::Syntax, place, message)),
                buffer: Name::new(),
                trail: Trail::default(),
            });
        });
    }
    all
}

/// Where a name stands in a text.
fn place_of(at: &Keyed<'_>, name: &str, within: Span) -> Span {
    let source = at.view.project().source(within.file);
    let text = source.and_then(|source| source.text.get(within.range())).unwrap_or("");
    let lower = text.to_ascii_lowercase();
    lower.find(&name.to_ascii_lowercase()).map_or(within, |found| {
        let start = within.start + found;
        Span { start, end: start + name.len(), ..within }
    })
}

/// The loops that fill, or empty, the buffer of a call.
fn copied(
    at: &Keyed<'_>,
    uses: &Uses,
    found: &Found<'_>,
) -> Option<(Direction, BTreeMap<ProcedureId, Span>)> {
    let handled = uses.handled(&at.place(found.buffer)?);
    let both = matches!(found.side.manner, Manner::Broadcast { .. });
    let ways = [Direction::Pack, Direction::Unpack];
    ways.into_iter().filter(|way| both || *way == found.side.direction).find_map(|way| {
        let mut places = BTreeMap::new();
        for one in &handled {
            let (of, is_array) = match way {
                Direction::Pack => {
                    (&one.filled.many, one.is_result || (one.is_made && one.is_operand))
                }
                Direction::Unpack => (&one.emptied.many, one.is_operand),
            };
            if !is_array {
                places.extend(of);
            }
        }
        (!places.is_empty()).then_some((way, places))
    })
}

fn refusal(
    at: &Keyed<'_>,
    uses: &Uses,
    found: &Found<'_>,
    buffer: &Name,
    direction: Direction,
    places: &BTreeMap<ProcedureId, Span>,
) -> Refusal {
    if let Some(obstacle) = found.side.obstacle {
        return Refusal::new(Code::Collective, found.call, obstacle.message());
    }
    let (done, here, from) = match direction {
        Direction::Pack => ("filled", "pack right before it", "the first element that it sends"),
        Direction::Unpack => {
            ("emptied", "unpack right after it", "the first element that it receives")
        }
    };
    let whose = if buffer.is_empty() { "the buffer".to_owned() } else { format!("'{buffer}'") };
    let own = places.get(&at.id).map(|span| (at.id, *span));
    let caller = places.iter().find(|(id, _)| uses.calls(**id, at.id));
    // Where a caller packs, the table of wrappers says what no call in the wrapper can.
    if let Some(problem) = found.problem.as_ref().filter(|_| own.is_some() || caller.is_none()) {
        return problem.clone();
    }
    let any = caller.or_else(|| places.iter().next()).map(|(id, span)| (*id, *span));
    let name = |id: ProcedureId| &at.view.project().procedure(id).name;
    let this = name(at.id);
    let (code, message) = match (own, any) {
        (Some(_), _) => (
            Code::Range,
            format!(
                "{whose} is {done} by copies that cannot be told apart for this call: {here}, \
                 from {from}"
            ),
        ),
        (None, Some((id, _))) if caller.is_some() => (
            Code::Escapes,
            format!(
                "{whose} is {done} in '{}', which calls '{this}': list '{this}' in \
                 commloom.toml, with the procedure of MPI that it stands for",
                name(id)
            ),
        ),
        (None, other) => (
            Code::Escapes,
            format!(
                "{whose} is {done} in '{}', whose variables '{this}' does not see: call MPI \
                 where they are seen, and {here}",
                other.map_or("?", |(id, _)| name(id).as_str())
            ),
        ),
    };
    let mut refusal = Refusal::new(code, found.call, message);
    let copies = own.or(any).map(|(_, span)| span);
    refusal.related.extend(copies.map(|span| (span, "these copies are for it".to_owned())));
    refusal
}

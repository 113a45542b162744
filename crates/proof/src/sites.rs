//! The conditions in their order, and one answer for all that shares copies.

use std::collections::BTreeSet;

use commloom_copies::ir;
use commloom_copies::{self as copies, Setting};
use commloom_program::fact::{Assumptions, FactScope};
use commloom_program::refusal::{Code, Refusal};
use commloom_program::{ProcedureId, Project, View};
use commloom_source::Span;
use commloom_source::tree::Name;

use super::calls::{Manner, Obstacle};
use super::candidate::{Candidate, Explained, Known, read_in};
use super::find::{self, calls_in};
use super::found::{self, Found};
use super::model::{Condition, Ledger, Part, Rewrite, Site, Trail};
use super::scalars::{scalars, value_after};
use super::{
    broadcast, buffer, distinct, element, partner, parts, paths, persistent, range, sources,
    targets, together, words, wrapped,
};

/// All calls of MPI with copies into or out of their buffers, and what becomes of each.
pub fn sites(project: &Project, assumptions: &Assumptions) -> Vec<Site> {
    let ids: Vec<ProcedureId> = project.procedures().collect();
    sites_in(project, &ids, assumptions, Explained::default()).0
}

/// The sites of some procedures. What is explained already, and what these explain, is nobody's
/// foreign read.
pub fn sites_in<'p>(
    project: &'p Project,
    ids: &[ProcedureId],
    assumptions: &'p Assumptions,
    mut everywhere: Explained,
) -> (Vec<Site>, Explained) {
    let mut all: Vec<(ProcedureId, Vec<Candidate<'p>>)> = Vec::new();
    for &id in ids {
        let candidates = candidates(&project.view(id), project.is_expanded(id), assumptions);
        for candidate in &candidates {
            everywhere.add(project, id, candidate);
        }
        if !candidates.is_empty() {
            all.push((id, candidates));
        }
    }
    let sites = all.into_iter().flat_map(|(id, c)| sites_of(project, id, c, &everywhere)).collect();
    (sites, everywhere)
}

fn candidates<'p>(
    view: &View<'p>,
    is_expanded: bool,
    assumptions: &'p Assumptions,
) -> Vec<Candidate<'p>> {
    calls_in(view)
        .into_iter()
        .filter(|found| find::has_copies(view, found))
        .map(|mut found| {
            let ledger = Ledger::new(assumptions, FactScope::of(view));
            let size = match &found.problem {
                Some(problem) => Err(problem.clone()),
                None => element::size(view, &found, &ledger),
            };
            let size = ledger.judged(Condition::Element, size);
            let mut read = match &size {
                Ok(element) => {
                    let mut read = read(view, &mut found, *element);
                    read.packing = read.packing.map_err(|refusal| words::volatile(view, refusal));
                    read.packing = read.packing.map_err(|r| find::better(view, r));
                    read.packing = ledger.judged(Condition::Copies, read.packing);
                    read
                }
                Err(refusal) => broadcast::Read::only(Err(refusal.clone())),
            };
            if is_expanded && found.side.manner != Manner::Once && read.packing.is_ok() {
                let message = "the copies stand in another procedure than the call";
                read.packing = Err(Refusal::new(Code::Escapes, found.call, message));
            }
            let broadcast::Read { packing, unpacking, roles } = read;
            Candidate { found, packing, unpacking, roles, element: size.unwrap_or(0), ledger }
        })
        .filter(|c| match &c.packing {
            Ok(_) => true,
            // A buffer that nothing is copied into is an array of the program; so is most of what
            // is reduced.
            Err(refusal) => {
                refusal.code != Code::NoCopies
                    && !matches!(c.found.side.obstacle, Some(Obstacle::Reduction))
            }
        })
        .collect()
}

fn sites_of(
    project: &Project,
    id: ProcedureId,
    candidates: Vec<Candidate<'_>>,
    everywhere: &Explained,
) -> Vec<Site> {
    let view = project.view(id);
    // What all copies that can be read do not need: their reads of the buffer are their own.
    let explained: Vec<Span> = candidates
        .iter()
        .filter(|c| c.is_closed(&view))
        .flat_map(|c| c.packing.iter().chain(&c.unpacking))
        .flat_map(|p| p.statements.iter().copied())
        .collect();
    let known = Known { here: &explained, everywhere };
    let mut judged: Vec<Result<Part, Refusal>> =
        candidates.iter().map(|c| judge(&view, c, &candidates, &known)).collect();
    together::apart(&view, &candidates, &mut judged);
    assemble(&view, id, candidates, &judged)
}

fn read(view: &View<'_>, found: &mut Found<'_>, element: u64) -> broadcast::Read {
    match found.side.manner {
        Manner::Broadcast { .. } => return broadcast::read(view, found, element),
        Manner::Parts { .. } => return parts::read(view, found, element),
        Manner::Once | Manner::Persistent => {}
    }
    let made_at = found.init.map(|init| init.statement);
    let given = if made_at.is_none() { partner::conditions(view, found) } else { Vec::new() };
    let setting = Setting { made_at, given, ..Setting::default() };
    broadcast::Read::only(read_in(view, found, element, &setting))
}

/// The conditions, in the order in which a person would ask.
fn judge(
    view: &View<'_>,
    candidate: &Candidate<'_>,
    all: &[Candidate<'_>],
    known: &Known<'_>,
) -> Result<Part, Refusal> {
    let (found, ledger, element) = (&candidate.found, &candidate.ledger, candidate.element);
    let is = |condition, outcome| ledger.judged(condition, outcome);
    if let Some(obstacle) = found.side.obstacle {
        let refusal = Refusal::new(Code::Collective, found.call, obstacle.message());
        is(Condition::Collective, Err(refusal))?;
    }
    let packing = candidate.packing.as_ref().map_err(Clone::clone)?;
    if candidate.unpacking.is_some() {
        return broadcast::judge(view, candidate, all, known);
    }
    is(Condition::Collective, parts::are_for_all(view, candidate, packing))?;
    let form = find::is_plain(view, found, packing)
        .and_then(|()| wrapped::is_writable(view, found, packing, ledger));
    let form = form.and_then(|()| words::are_plain(view, found, packing));
    is(Condition::Form, form.and_then(|()| element::is_copied(view, packing)))?;
    is(Condition::Range, range::exact(view, found, packing, element, ledger))?;
    is(Condition::Aliases, sources::unaliased(view, found, packing, ledger))?;
    is(Condition::Undisturbed, sources::undisturbed(view, found, packing, ledger))?;
    match found.side.direction {
        copies::Direction::Pack => {
            is(Condition::Sources, sources::unwritten(view, found, packing, all, ledger))?;
        }
        copies::Direction::Unpack => {
            is(Condition::Paths, paths::unpacked_always(view, found, packing))?;
            is(Condition::Distinct, distinct::distinct(view, packing, ledger))?;
            let targets = targets::untouched(view, found, packing, all, ledger)
                .and_then(|()| targets::unfilled(view, found, packing, all, ledger));
            is(Condition::Targets, targets)?;
            is(Condition::Unsent, targets::unsent(view, found, packing, all, ledger))?;
        }
    }
    let dead = buffer::dead(view, found, packing, all, known, ledger);
    is(Condition::Dead, dead.and_then(|()| persistent::lasts(view, found, packing, ledger)))?;
    if !matches!(found.side.manner, Manner::Once | Manner::Persistent) {
        is(Condition::Roles, broadcast::prove_roles(view, candidate, &packing.statements))?;
    }
    let lasting = ledger.judged(Condition::Scalars, scalars(view, found, packing, all))?;
    let made = ledger.judged(Condition::Datatype, ir::datatype(view, packing, element))?;
    Ok(Part::of(candidate, packing.clone(), made, lasting))
}

/// Whether two calls have statements in common that would go with either.
fn share(a: &Candidate<'_>, b: &Candidate<'_>) -> bool {
    a.copies().any(|s| b.copies().any(|t| s.contains(*t) || t.contains(*s)))
}

/// For each call the number of its group: those that share copies, and all that share copies with
/// one of these. A call that stays needs its copies, so that calls with some of them stay too, and
/// so on: it is the group that goes or stays, not the neighbours.
fn groups(candidates: &[Candidate<'_>]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..candidates.len()).collect();
    for (this, candidate) in candidates.iter().enumerate() {
        for (other, before) in candidates.iter().enumerate().take(this) {
            let (from, to) = (groups[this], groups[other]);
            if from != to && share(candidate, before) {
                groups.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
            }
        }
    }
    groups
}

/// All that shares copies is rewritten together, or not at all.
fn outcomes(
    view: &View<'_>,
    candidates: &[Candidate<'_>],
    judged: &[Result<Part, Refusal>],
) -> Vec<Result<Rewrite, Refusal>> {
    let groups = groups(candidates);
    let groups = groups.as_slice();
    let others = |this: usize| {
        (0..groups.len()).filter(move |&other| other != this && groups[other] == groups[this])
    };
    let mut outcomes: Vec<Result<Rewrite, Refusal>> = (0..judged.len())
        .map(|this| {
            let own = judged[this].as_ref().map_err(Clone::clone)?;
            rewrite(view, own, others(this).filter_map(|other| judged[other].as_ref().ok()))
        })
        .collect();
    let refused: Vec<Option<Refusal>> =
        outcomes.iter().map(|outcome| outcome.as_ref().err().cloned()).collect();
    for (this, outcome) in outcomes.iter_mut().enumerate().filter(|(_, o)| o.is_ok()) {
        let stays = others(this).find_map(|other| Some((other, refused[other].clone()?)));
        let Some((other, mut refusal)) = stays else { continue };
        let related = if share(&candidates[this], &candidates[other]) {
            "the same copies are for this call"
        } else {
            "copies of both calls are for others too, so that all go or stay"
        };
        refusal.related.push((candidates[other].found.call, related.into()));
        *outcome = Err(refusal);
    }
    outcomes
}

/// How one call is rewritten with the others of its group.
fn rewrite<'p>(
    view: &View<'_>,
    own: &'p Part,
    others: impl Iterator<Item = &'p Part>,
) -> Result<Rewrite, Refusal> {
    let parts: Vec<Part> = std::iter::once(own).chain(others).cloned().collect();
    let file = own.statement.file;
    let remove: BTreeSet<(usize, usize)> =
        parts.iter().flat_map(Part::copies).map(|s| (s.start, s.end)).collect();
    let remove: Vec<Span> =
        remove.into_iter().map(|(start, end)| Span { file, start, end }).collect();
    let names: BTreeSet<&Name> = parts.iter().flat_map(|p| &p.lasting).collect();
    let assign = names
        .into_iter()
        .map(|name| {
            let value = value_after(view, &own.packing, name, &remove, own.statement)?;
            Ok((name.clone(), value))
        })
        .collect::<Result<Vec<_>, Refusal>>()?;
    Ok(Rewrite { parts, remove, assign, assumed: Vec::new(), tests: Vec::new() })
}

fn assemble(
    view: &View<'_>,
    id: ProcedureId,
    candidates: Vec<Candidate<'_>>,
    judged: &[Result<Part, Refusal>],
) -> Vec<Site> {
    let outcomes = outcomes(view, &candidates, judged);
    candidates
        .into_iter()
        .zip(outcomes)
        .map(|(candidate, mut outcome)| {
            let (used, tests, conditions) = candidate.ledger.close();
            if let Ok(rewrite) = &mut outcome {
                rewrite.assumed = used;
                rewrite.tests = tests;
            }
            let packing = candidate.packing.ok();
            Site {
                procedure: id,
                statement: candidate.found.place(),
                buffer: found::buffer_name(view, &candidate.found).unwrap_or_default(),
                function: candidate.found.function,
                outcome,
                trail: Trail { conditions, element: candidate.element, packing },
            }
        })
        .collect()
}

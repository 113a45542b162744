//! Broadcasts: the root packs, the others unpack, in one call. All of them make the same type, of
//! the same places.

use commloom_copies::ir::{self, Datatype};
use commloom_copies::{Direction, Packing};
use commloom_program::View;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::affine::{Atom, Place, Polynomial};

use super::calls::Manner;
use super::candidate::{Candidate, Known, read_in};
use super::find;
use super::found::Found;
use super::root::Roles;
use super::scalars::{lasting, used_elsewhere};
use super::{Condition, Part, buffer, distinct, paths, range, sources, targets, wrapped};

/// The copies of a broadcast's buffer.
pub(super) struct Read {
    pub packing: Result<Packing, Refusal>,
    /// The copies of those that receive, where the packing is the root's.
    pub unpacking: Option<Packing>,
    pub roles: Roles,
}

impl Read {
    /// Of a call with copies on one side.
    pub fn only(packing: Result<Packing, Refusal>) -> Read {
        Read { packing, unpacking: None, roles: Roles::default() }
    }
}

/// Reads both sides; one, if the call stands where only the root comes, or only the others.
pub(super) fn read(view: &View<'_>, found: &mut Found<'_>, element: u64) -> Read {
    let nothing = || {
        let message = "no copies were found that fill the buffer";
        Refusal::new(Code::NoCopies, found.call, message)
    };
    let root = match found.side.manner {
        Manner::Broadcast { root, .. } => found.arguments.get(root),
        _ => None,
    };
    let Some(root) = root else { return Read::only(Err(nothing())) };
    let roles = Roles::of(view, found, root);
    let side = |direction, is_root: bool, found: &Found<'_>| {
        let found = Found { side: super::calls::Side { direction, ..found.side }, ..found.clone() };
        read_in(view, &found, element, &roles.given(is_root))
    };
    if let Some(is_root) = roles.here {
        found.side.direction = if is_root { Direction::Pack } else { Direction::Unpack };
        let packing = side(found.side.direction, is_root, found);
        return Read { packing, unpacking: None, roles };
    }
    let (pack, unpack) =
        (side(Direction::Pack, true, found), side(Direction::Unpack, false, found));
    let is_none = |r: &Result<Packing, Refusal>| {
        r.as_ref().is_err_and(|refusal| refusal.code == Code::NoCopies)
    };
    let (packing, unpacking) = match (pack, unpack) {
        (Ok(pack), Ok(unpack)) => (Ok(pack), Some(unpack)),
        // What the others do with the buffer is not unpacking.
        (Ok(_), unpack) if is_none(&unpack) => {
            let message = "the root packs the buffer, and the others do not unpack it here";
            (Err(Refusal::new(Code::Collective, found.call, message)), None)
        }
        (Ok(_), Err(refusal)) => (Err(refusal), None),
        (Err(refusal), Ok(_)) if refusal.code != Code::NoCopies => (Err(refusal), None),
        // An array of the program, of which something is set before or used after.
        _ => (Err(nothing()), None),
    };
    Read { packing, unpacking, roles }
}

/// The conditions of a send on the root, and of a receive on the others, of the same places.
pub(super) fn judge(
    view: &View<'_>,
    candidate: &Candidate<'_>,
    all: &[Candidate<'_>],
    known: &Known<'_>,
) -> Result<Part, Refusal> {
    let found = &candidate.found;
    let ledger = &candidate.ledger;
    let is = |condition, outcome| ledger.judged(condition, outcome);
    let (Ok(pack), Some(unpack)) = (&candidate.packing, &candidate.unpacking) else {
        return Err(Refusal::new(Code::Collective, found.call, "one side is not seen"));
    };
    let receiving = found.receiving();
    for (found, packing) in [(found, pack), (&receiving, unpack)] {
        let form = find::is_plain(view, found, packing)
            .and_then(|()| wrapped::is_writable(view, found, packing, ledger));
        is(Condition::Form, form)?;
        is(Condition::Range, range::exact(view, found, packing, candidate.element, ledger))?;
        is(Condition::Aliases, sources::unaliased(view, found, packing, ledger))?;
        is(Condition::Undisturbed, sources::undisturbed(view, found, packing, ledger))?;
    }
    let datatype = |packing| {
        ledger.judged(Condition::Datatype, ir::datatype(view, packing, candidate.element))
    };
    let (made, other) = (datatype(pack)?, datatype(unpack)?);
    if !is_same(&made, &other) {
        let shown = |made: &Datatype| match &made.at {
            Some(at) => format!("{} at {}", made.node, at.place),
            None => made.node.to_string(),
        };
        let message = format!(
            "what the root packs, {}, and what the others unpack, {}, are different places",
            shown(&made),
            shown(&other)
        );
        let mut refusal = Refusal::new(Code::Collective, found.call, message);
        let first = |packing: &Packing| packing.statements.first().copied();
        refusal.related.extend(first(pack).map(|s| (s, "packed here".to_owned())));
        refusal.related.extend(first(unpack).map(|s| (s, "unpacked here".to_owned())));
        is(Condition::SamePlaces, Err(refusal))?;
    }
    is(Condition::SamePlaces, Ok(()))?;
    is(Condition::Sources, sources::unwritten(view, found, pack, all, ledger))?;
    is(Condition::Paths, paths::unpacked_always(view, &receiving, unpack))?;
    is(Condition::Distinct, distinct::distinct(view, unpack, ledger))?;
    is(Condition::Targets, targets::untouched(view, &receiving, unpack, all, ledger))?;
    is(Condition::Unsent, targets::unsent(view, &receiving, unpack, all, ledger))?;
    is(Condition::Dead, buffer::dead(view, found, pack, all, known, ledger))?;
    let both: Vec<Span> = pack.statements.iter().chain(&unpack.statements).copied().collect();
    is(Condition::Roles, prove_roles(view, candidate, &both))?;
    for packing in [pack, unpack] {
        if let Some(name) = lasting(view, packing, &both, all)?.first() {
            return Err(used_elsewhere(found.statement, name));
        }
    }
    Ok(Part {
        unpacking: Some(unpack.clone()),
        ..Part::of(candidate, pack.clone(), made, Vec::new())
    })
}

/// That the conditions around copies, or the call, tell the root from the others.
pub(super) fn prove_roles(
    view: &View<'_>,
    candidate: &Candidate<'_>,
    copies: &[Span],
) -> Result<(), Refusal> {
    let found = &candidate.found;
    let (root, comm) = match found.side.manner {
        Manner::Broadcast { root, comm } | Manner::Parts { root: Some(root), comm } => (root, comm),
        _ => return Ok(()),
    };
    let (Some(root), Some(comm)) = (found.arguments.get(root), found.arguments.get(comm)) else {
        return Ok(());
    };
    candidate.roles.hold(view, found, root, comm, copies, &candidate.ledger)
}

/// Whether two types are the same, made of the values that variables have where the call stands.
fn is_same(one: &Datatype, other: &Datatype) -> bool {
    let at = |made: &Datatype| {
        made.at.as_ref().map(|a| (a.base.map(&mut erased), a.offset.map(&mut erased)))
    };
    at(one) == at(other) && one.node.map(&mut erased) == other.node.map(&mut erased)
}

/// Without how often a variable was written before: both are looked at where the call stands.
fn erased(atom: &Atom) -> Option<Polynomial> {
    let place = |place: &Place| place.map(&mut erased);
    match atom {
        Atom::Read { place: p, .. } => {
            Some(Polynomial::atom(Atom::Read { place: place(p), version: 0 }))
        }
        Atom::Address(p) => Some(Polynomial::atom(Atom::Address(place(p)))),
        _ => None,
    }
}

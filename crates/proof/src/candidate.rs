//! Calls with their copies, before anything is proved, and the reads of buffers that they explain.

use std::cell::RefCell;
use std::collections::HashMap;

use commloom_copies::ir::Datatype;
use commloom_copies::{self as copies, Setting};
use commloom_program::refusal::Refusal;
use commloom_program::{ProcedureId, Project, View};
use commloom_source::Span;
use commloom_source::tree::Name;

use super::found::Found;
use super::model::{Ledger, Part};
use super::{paths, range, root};

/// Reads of buffers that belong to calls: the calls and their copies, as they stand in the texts.
#[derive(Debug, Clone, Default)]
pub struct Explained {
    /// In the procedures of the calls.
    own: Vec<Span>,
    /// In procedures that stand beside the call wherever they are called.
    across: Vec<Span>,
    /// Where objects are read as a whole, by their members.
    whole: RefCell<HashMap<Name, Whole>>,
}

/// Whether a member is seen by another name in any object, and the first place where an object of
/// its class is read as a whole.
type Whole = (bool, Option<Span>);

impl Explained {
    /// Whether a read at this place, by that procedure, belongs to a call.
    pub fn has(&self, project: &Project, reader: ProcedureId, span: Span) -> bool {
        let any = |all: &[Span]| all.iter().any(|known| known.contains(span));
        any(&self.own) || (project.is_covered(project.place(reader)) && any(&self.across))
    }

    /// The knowledge of a member, which is found out once for all buffers.
    pub(super) fn whole(&self, member: &str, find: impl FnOnce() -> Whole) -> Whole {
        let known = self.whole.borrow().get(member).copied();
        known.unwrap_or_else(|| {
            let found = find();
            self.whole.borrow_mut().insert(member.to_owned(), found);
            found
        })
    }

    pub(super) fn add(&mut self, project: &Project, id: ProcedureId, candidate: &Candidate<'_>) {
        let Ok(packing) = &candidate.packing else { return };
        if !candidate.is_closed(&project.view(id)) {
            return;
        }
        let into = if project.is_expanded(id) { &mut self.across } else { &mut self.own };
        let own = [candidate.found.statement, candidate.found.place()];
        let others = candidate.unpacking.iter().flat_map(|p| &p.statements);
        let spans = packing.statements.iter().chain(others).copied().chain(own);
        into.extend(spans.map(|span| project.real(span)));
    }
}

/// One call with its copies, before anything is proved.
pub(super) struct Candidate<'p> {
    pub found: Found<'p>,
    pub packing: Result<copies::Packing, Refusal>,
    /// Of a broadcast: the copies of those that receive.
    pub unpacking: Option<copies::Packing>,
    /// The conditions that tell the root from the others.
    pub roles: root::Roles,
    pub element: u64,
    pub ledger: Ledger<'p>,
}

impl Candidate<'_> {
    /// Whether its copies and its call have to do with what the other one leaves in the buffer,
    /// and with nothing else there: a call for more than the copies would read what others left,
    /// and so would copies that are made where nothing was received.
    pub fn is_closed(&self, view: &View<'_>) -> bool {
        let Ok(packing) = &self.packing else { return false };
        let ledger = self.ledger.fresh();
        let receiving = self.found.receiving();
        let others = self.unpacking.iter().map(|unpacking| (&receiving, unpacking));
        std::iter::once((&self.found, packing)).chain(others).all(|(found, packing)| {
            range::exact(view, found, packing, self.element, &ledger).is_ok()
                && paths::unpacked_always(view, found, packing).is_ok()
        })
    }

    /// The statements that would not be needed any more, where they can be read.
    pub fn copies(&self) -> impl Iterator<Item = &Span> {
        self.packing.iter().chain(&self.unpacking).flat_map(|packing| &packing.statements)
    }
}

impl Part {
    /// How a call is rewritten of which all conditions hold.
    pub(super) fn of(
        candidate: &Candidate<'_>,
        packing: copies::Packing,
        made: Datatype,
        lasting: Vec<Name>,
    ) -> Part {
        let found = &candidate.found;
        Part {
            statement: found.place(),
            call: found.init.map_or(found.call, |init| init.call),
            at: found.call,
            buffer: found.buffer.clone(),
            count: found.count.clone(),
            datatype: found.datatype.clone().into_owned(),
            element: candidate.element,
            packing,
            unpacking: None,
            made,
            lasting,
        }
    }

    /// The statements that are not needed any more.
    pub(super) fn copies(&self) -> impl Iterator<Item = &Span> {
        self.packing.statements.iter().chain(self.unpacking.iter().flat_map(|p| &p.statements))
    }
}

/// Reads of buffers that are understood.
pub(super) struct Known<'k> {
    /// In this procedure.
    pub here: &'k [Span],
    pub everywhere: &'k Explained,
}

pub(super) fn read_in(
    view: &View<'_>,
    found: &Found<'_>,
    element: u64,
    setting: &Setting,
) -> Result<copies::Packing, Refusal> {
    let request = copies::Request {
        procedure: view.procedure(),
        call: found.call,
        buffer: found.buffer,
        count: Some(found.count),
        element,
        direction: found.side.direction,
        setting,
    };
    copies::read(view, &request)
}

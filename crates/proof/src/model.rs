//! Sites, conditions, and how calls are rewritten.

use std::cell::RefCell;
use std::collections::BTreeSet;

use commloom_copies::Packing;
use commloom_copies::ir::Datatype;
use commloom_program::ProcedureId;
use commloom_program::fact::{Assumptions, Fact, FactScope, Premise};
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::affine::Polynomial;
use commloom_source::tree::{Expression, Name};

use super::rows::SizeRelation;

/// A call of MPI with packing code around it.
#[derive(Debug, Clone)]
pub struct Site {
    /// Where it stands.
    pub procedure: ProcedureId,
    /// The whole statement.
    pub statement: Span,
    /// The function, as the program writes it.
    pub function: Name,
    /// The buffer, as the program calls it.
    pub buffer: Name,
    /// The text to be written instead, or why there is none.
    pub outcome: Result<Rewrite, Refusal>,
    /// How far it got, and what was asked on the way.
    pub trail: Trail,
}

/// All that was found out about a call before it was rewritten or refused.
#[derive(Debug, Clone, Default)]
pub struct Trail {
    /// The conditions that were asked, in their order.
    pub conditions: Vec<Judged>,
    /// Bytes of one element of the call's datatype; 0 where that is not known.
    pub element: u64,
    /// The copies, where they are understood.
    pub packing: Option<Packing>,
}

/// The answer to one condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The condition that was asked.
    pub condition: Condition,
    /// Whether it holds; all that were asked before the last one do.
    pub holds: bool,
    /// Facts that had to be supplied, without which it would not be known.
    pub assumed: Vec<Premise>,
}

/// A condition of book/src/explanation/refactor-proofs.md, or a part of one. Which code a refusal
/// has depends on what was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// 6
    Element,
    /// 1, 2, 5 and 9
    Copies,
    /// 8
    Collective,
    /// Whether the call can be edited at all.
    Form,
    /// 2
    Range,
    /// 4, while copying
    Aliases,
    /// 5, by other names
    Undisturbed,
    /// 4, until the send is complete
    Sources,
    /// 7
    Distinct,
    /// 7, on all paths
    Paths,
    /// 7, while the receive is pending
    Targets,
    /// 7, by other calls
    Unsent,
    /// 3
    Dead,
    /// 8, of broadcasts
    SamePlaces,
    /// 8, where one process has another part than the others.
    Roles,
    /// The numbers that the removed statements computed beside the copies.
    Scalars,
    /// Whole elements.
    Datatype,
    /// 7, of sends and receives that are rewritten both
    Together,
}

impl Condition {
    /// The statement that it makes, for either direction.
    pub fn text(self) -> &'static str {
        match self {
            Condition::Element => "the size of an element is known",
            Condition::Copies => {
                "pure copies, between which and the call no size, bound or list changes; \
                 they cover one range of the buffer, each byte once"
            }
            Condition::Collective => "the operation takes a datatype in the place of the buffer",
            Condition::Form => "the call and its copies are text that can be edited",
            Condition::Range => "the call is for exactly the bytes that are copied",
            Condition::Aliases => "the buffer and what is copied are different memory",
            Condition::Undisturbed => {
                "nobody writes sizes, lists or the buffer by another name before the call"
            }
            Condition::Sources => "nobody writes what is sent before the send is complete",
            Condition::Distinct => "no element is received twice",
            Condition::Paths => "what is received is unpacked on every path, and nothing else is",
            Condition::Targets => "nobody touches what is received before it was unpacked",
            Condition::Unsent => "nothing that is received is sent at the same time",
            Condition::Dead => "nobody else reads the buffer",
            Condition::SamePlaces => "the root packs from the places that the others unpack to",
            Condition::Roles => "conditions tell the root from the other processes",
            Condition::Scalars => {
                "indices that are used later get the values that the loops gave them"
            }
            Condition::Datatype => "whole elements of the call's datatype are copied",
            Condition::Together => "what is received is not what a rewritten send still reads",
        }
    }
}

/// Calls that are rewritten together, because the same copies are for all of them: each is in the
/// outcome of each.
#[derive(Debug, Clone)]
pub struct Rewrite {
    /// The calls; this site's first.
    pub parts: Vec<Part>,
    /// Statements that are not needed any more.
    pub remove: Vec<Span>,
    /// Scalars that are read later, with the values that they must get.
    pub assign: Vec<(Name, Polynomial)>,
    /// Facts that a person has said, or that are taken from the program's own words, and is not
    /// proved.
    pub assumed: Vec<Premise>,
    /// Relations of sizes without which the call must stay as it is.
    pub tests: Vec<SizeTest>,
}

/// A relation of sizes that the text does not tell, and the program can ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeTest {
    /// The relation that must hold.
    pub relation: SizeRelation,
    /// A statement of other copies, which are apart from these then.
    pub with: Span,
    /// Why the call is left alone where the test cannot be written.
    pub refusal: Refusal,
}

/// One call.
#[derive(Debug, Clone)]
pub struct Part {
    /// The whole statement.
    pub statement: Span,
    /// The call itself.
    pub call: Span,
    /// Where the copies belong: this call, or the one that starts the request that it makes.
    pub at: Span,
    /// The buffer argument.
    pub buffer: Expression,
    /// The count argument.
    pub count: Expression,
    /// The datatype argument.
    pub datatype: Expression,
    /// Bytes of one element of it.
    pub element: u64,
    /// The copies.
    pub packing: Packing,
    /// Of a broadcast: the copies of those that receive, to the same places.
    pub unpacking: Option<Packing>,
    /// The datatype that replaces the buffer.
    pub made: Datatype,
    /// Scalars that the copies change and that are needed afterwards.
    pub lasting: Vec<Name>,
}

/// The facts that were assumed for one site.
pub(super) struct Ledger<'a> {
    given: &'a Assumptions,
    scope: FactScope,
    used: RefCell<BTreeSet<Premise>>,
    tests: RefCell<Vec<SizeTest>>,
    judged: RefCell<Vec<Judged>>,
}

impl<'a> Ledger<'a> {
    pub fn new(given: &'a Assumptions, scope: FactScope) -> Ledger<'a> {
        Ledger {
            given,
            scope,
            used: RefCell::default(),
            tests: RefCell::default(),
            judged: RefCell::default(),
        }
    }

    /// The same facts, none used yet.
    pub fn fresh(&self) -> Ledger<'a> {
        Ledger::new(self.given, self.scope.clone())
    }

    /// Refuses, unless a person has said that it is so.
    pub fn need(
        &self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        fact: Fact,
    ) -> Result<(), Refusal> {
        let premise = self.scope.premise(fact);
        if self.given.has(&premise) {
            self.used.borrow_mut().insert(premise);
            return Ok(());
        }
        let mut refusal = Refusal::new(code, span, message);
        refusal.fact = Some(Box::new(premise));
        Err(refusal)
    }

    /// Needs relations of sizes, unless a person has said what follows from them: then there is
    /// no refusal.
    pub fn test(&self, relations: &[SizeRelation], with: Span, outcome: Result<(), Refusal>) {
        let Err(refusal) = outcome else { return };
        let test = |relation: &SizeRelation| {
            let (relation, refusal) = (relation.clone(), refusal.clone());
            SizeTest { relation, with, refusal }
        };
        self.tests.borrow_mut().extend(relations.iter().map(test));
    }

    /// Something that is not proved, but said by the program.
    pub fn note(&self, fact: Fact) {
        self.used.borrow_mut().insert(self.scope.premise(fact));
    }

    /// Notes the answer to a condition, with the facts that were used for it and for none before.
    pub fn judged<T>(
        &self,
        condition: Condition,
        outcome: Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let mut judged = self.judged.borrow_mut();
        let known: BTreeSet<&Premise> = judged.iter().flat_map(|j| &j.assumed).collect();
        let used = self.used.borrow();
        let assumed = used.iter().filter(|fact| !known.contains(fact)).cloned().collect();
        judged.push(Judged { condition, holds: outcome.is_ok(), assumed });
        outcome
    }

    /// The facts that were assumed, the relations that are needed, and the conditions that were
    /// asked.
    pub fn close(self) -> (Vec<Premise>, Vec<SizeTest>, Vec<Judged>) {
        let used = self.used.into_inner().into_iter().collect();
        (used, self.tests.into_inner(), self.judged.into_inner())
    }
}

//! What is found.

use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::affine::Polynomial;
use crate::copies::Packing;
use crate::ir::Datatype;
use crate::project::ProcedureId;
use crate::refusal::{Code, Refusal};
use crate::source::Span;
use crate::tree::{Expression, Name};

/// A call of MPI with packing code around it.
#[derive(Debug, Clone)]
pub struct Site {
    /// Where it stands.
    pub procedure: ProcedureId,
    /// The whole statement.
    pub statement: Span,
    /// What is called, as the program writes it.
    pub function: Name,
    /// The buffer, as the program calls it.
    pub buffer: Name,
    /// What can be written instead, or why nothing can.
    pub outcome: Result<Rewrite, Refusal>,
}

/// Calls that are rewritten together, because the same copies are for all of them: each is in the outcome of each.
#[derive(Debug, Clone)]
pub struct Rewrite {
    /// The calls; this site's first.
    pub parts: Vec<Part>,
    /// Statements that are not needed any more.
    pub remove: Vec<Span>,
    /// Scalars that are read later, with the values that they must get.
    pub assign: Vec<(Name, Polynomial)>,
    /// What a person has said, or what is taken from the program's own words, and is not proved.
    pub assumed: Vec<String>,
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
    /// What replaces the buffer.
    pub made: Datatype,
    /// Scalars that the copies change and that are needed afterwards.
    pub lasting: Vec<Name>,
}

/// Facts that a person supplies, each as a refusal has named it.
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    facts: BTreeSet<String>,
    everything: bool,
}

impl Assumptions {
    /// These facts.
    pub fn new(facts: impl IntoIterator<Item = String>) -> Assumptions {
        let mut assumptions = Assumptions::default();
        for fact in facts {
            assumptions.everything |= fact == "all";
            assumptions.facts.insert(normal(&fact));
        }
        assumptions
    }

    fn has(&self, fact: &str) -> bool {
        self.everything || self.facts.contains(&normal(fact))
    }
}

/// Without quotes, and with single blanks.
fn normal(fact: &str) -> String {
    let plain: String = fact.chars().filter(|c| !matches!(c, '\'' | '"' | '`')).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What was assumed for one site.
pub(super) struct Ledger<'a> {
    given: &'a Assumptions,
    used: RefCell<BTreeSet<String>>,
}

impl<'a> Ledger<'a> {
    pub fn new(given: &'a Assumptions) -> Ledger<'a> {
        Ledger { given, used: RefCell::default() }
    }

    /// The same facts, none used yet.
    pub fn fresh(&self) -> Ledger<'a> {
        Ledger::new(self.given)
    }

    /// Refuses, unless a person has said that it is so.
    pub fn need(
        &self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        fact: impl Into<String>,
    ) -> Result<(), Refusal> {
        let fact = fact.into();
        if self.given.has(&fact) {
            self.note(fact);
            return Ok(());
        }
        let mut refusal = Refusal::new(code, span, message);
        refusal.fact = Some(fact);
        Err(refusal)
    }

    /// Something that is not proved, but said by the program.
    pub fn note(&self, fact: String) {
        self.used.borrow_mut().insert(fact);
    }

    pub fn used(self) -> Vec<String> {
        self.used.into_inner().into_iter().collect()
    }
}

//! The state of an execution of one path through a procedure, with symbolic values.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::affine::{Atom, Place, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, ExpressionKind, Name, Statement, Storage, Type};

use super::place_type::{is_whole, place_type};
use super::state::{Known, Located, Shape, State, Value};
use super::writes::{Writes, expression_mentions, mentions, root};
use super::{Address, Direction, Request, Turns};

/// The execution.
pub(super) struct Walk<'a> {
    pub symbols: &'a dyn Symbols,
    pub request: &'a Request<'a>,
    /// The buffer, once it is known (it is looked for by a first walk).
    pub buffer: Option<Place>,
    /// Of a buffer that a pointer leads to: how often the pointer had perhaps changed before the
    /// call took it.
    pub buffer_version: Option<u32>,
    /// Locals of C whose address others may have.
    pub escaped: BTreeSet<Name>,
    pub state: State,
    pub turns: Vec<Turns>,
    pub allocated: Allocated,
    pub unnamed: Unnamed,
    /// Constants that are being evaluated.
    pub constants: u32,
    pub course: Course,
    /// Statements on the path (not in loops that are executed as a whole) that have to do with the
    /// buffer.
    pub sites: Vec<Site<'a>>,
    /// Something of each type, where types cannot be asked.
    pub samples: BTreeMap<Name, Place>,
    pub conditions: Conditions,
    /// The places and quotients that are surely evaluated.
    pub certain: Certain,
    /// Variables of the loops that are being executed.
    pub open: Vec<Name>,
    /// Whether a number in the statement may be another one than its formula says.
    pub is_unsure: bool,
    /// Whether something is computed as wider than `int`, or unsigned.
    pub is_wide: bool,
}

/// How far the path has come.
#[derive(Default)]
pub(super) struct Course {
    /// The call's range, and what is known there.
    pub arrival: Option<Arrival>,
    /// The same where a persistent request is made.
    pub made: Option<Arrival>,
    /// Whether the path came by there.
    pub was_made: bool,
    pub finished: bool,
    /// A copy into the buffer before a loop around the call.
    pub filled: Option<Span>,
    /// Where the buffer begins before the innermost loop around the call.
    pub start: Option<Address>,
    /// Whether the statement that is executed is on the path itself, not in a loop or branch that
    /// is executed as a whole.
    pub is_on_path: bool,
    /// Whether the call is a receive that no call has completed yet.
    pub pending: bool,
}

/// Notes of what is surely evaluated.
#[derive(Default)]
pub(super) struct Certain {
    /// Places that were read or written, and how often they had perhaps changed before.
    pub reads: Vec<(Place, u32)>,
    /// Quotients and remainders.
    pub quotients: Vec<Atom>,
    /// Whether what follows is not executed on every path.
    pub is_over: bool,
}

/// Conditions around the copies.
pub(super) struct Conditions {
    /// Those that hold on the path.
    pub path: Vec<Known>,
    /// Those that will hold at the call, of variables that nobody writes until then.
    pub promised: Vec<Known>,
    /// The variables that conditions of copies read, each with how often it was perhaps written
    /// before.
    pub read: Vec<(Name, u32, Span)>,
}

/// Arrays that get their memory on the path.
#[derive(Default)]
pub(super) struct Allocated {
    /// Those whose bounds one `allocate` gives.
    pub once: HashSet<Name>,
    /// Those bounds, where the path has come through it.
    pub bounds: HashMap<Name, Shape>,
}

/// Numbers that have no formula.
#[derive(Default)]
pub(super) struct Unnamed {
    /// How many there are.
    pub count: u32,
    /// Those that are how far a running index goes, with its name.
    pub totals: Vec<(u32, Name)>,
}

/// All that is known where the call stands.
pub(super) struct Arrival {
    pub state: State,
    /// The buffer as the call names it.
    pub buffer: Option<Located>,
    /// How many elements.
    pub count: Option<Polynomial>,
    /// How much was surely evaluated until then.
    pub evaluated: (usize, usize),
}

/// A statement that copies.
pub(super) struct Site<'a> {
    pub statement: &'a Statement,
    /// Those in it (and perhaps itself) that do nothing else, with the scalars that they change.
    pub pure: Vec<(*const Statement, BTreeSet<Name>)>,
}

impl<'a> Walk<'a> {
    /// The place that an argument which is an address points to, whatever pointer it is cast to.
    pub(super) fn address_of(&mut self, argument: &Expression) -> Option<Located> {
        match &argument.kind {
            ExpressionKind::Cast(_, inner) => self.address_of(inner),
            _ => self.pointee(argument),
        }
    }

    /// Forgets what may have been written.
    pub(super) fn havoc(&mut self, writes: &Writes) {
        for name in &writes.own {
            self.state.forget(name);
        }
        for name in &writes.inside {
            self.state.forget_inside(name);
        }
        if writes.anything {
            let (symbols, escaped) = (self.symbols, &self.escaped);
            self.state.forget_exposed(|name| exposed(symbols, escaped, name));
        }
    }

    /// Whether others can reach a variable.
    pub(super) fn is_exposed(&self, name: &str) -> bool {
        exposed(self.symbols, &self.escaped, name)
    }

    /// The names by which the buffer is known here.
    pub(super) fn aliases(&self) -> BTreeSet<Name> {
        let Some(buffer) = &self.buffer else { return BTreeSet::new() };
        let pointers = self.state.values.iter().filter_map(|(place, value)| match value {
            Value::Pointer(located) if &located.address.base == buffer => {
                Some(place.variable.clone())
            }
            _ => None,
        });
        std::iter::once(buffer.variable.clone()).chain(pointers).collect()
    }

    /// Whether a place is in the buffer.
    pub(super) fn is_buffer(&self, target: &Expression) -> bool {
        // A pointer to the buffer that is itself assigned is no place in it.
        self.buffer.is_some()
            && !self.is_pointer(target)
            && root(target).is_some_and(|name| self.aliases().contains(name))
    }

    pub(super) fn mentions_buffer(&self, expression: &Expression) -> bool {
        let aliases = self.aliases();
        expression_mentions(expression, &|name| aliases.contains(name))
    }

    /// Whether a statement has to do with the buffer.
    pub(super) fn is_relevant(&self, statement: &Statement) -> bool {
        let aliases = self.aliases();
        !aliases.is_empty() && mentions(statement, &|name| aliases.contains(name))
    }

    /// Whether a place is a pointer of C.
    pub(super) fn is_pointer(&self, target: &Expression) -> bool {
        self.locate_type(target).is_some_and(|of| matches!(of, Type::Pointer(_)))
            && !self.symbols.language().is_fortran()
    }

    /// The type of a place, without evaluating anything.
    pub(super) fn locate_type(&self, expression: &Expression) -> Option<Type> {
        place_type(self.symbols, expression)
    }

    pub(super) fn is_scalar(&self, located: &Located) -> bool {
        let of = self.symbols.resolve(&located.of);
        is_whole(&of) || (matches!(of, Type::Pointer(_)) && !self.symbols.language().is_fortran())
    }

    /// The first reason why the copies cannot be known is kept.
    pub(super) fn trouble(&mut self, code: Code, span: Span, message: &str) {
        self.begin();
        let wraps = "a number here may wrap around, or lose bits in a conversion: whether it stays \
                     what its formula says cannot be seen; compute it as a signed number";
        let message = if code == Code::Address && self.is_unsure { wraps } else { message };
        self.state.problem.get_or_insert_with(|| Refusal::new(code, span, message));
    }

    /// The buffer gets new content, or is read anew.
    pub(super) fn begin(&mut self) {
        if self.state.used && self.request.direction == Direction::Pack {
            self.state.pieces.clear();
            self.state.problem = None;
            self.state.used = false;
        }
    }

    /// At the end of a branch or turn: copies that were sent in it are not those of a later call.
    pub(super) fn consume(&mut self) {
        if self.state.used && self.request.direction == Direction::Pack {
            self.state.pieces.clear();
            self.state.problem = None;
        }
    }

    /// An atom that stands for something that has no formula.
    pub(super) fn fresh(&mut self) -> u32 {
        self.unnamed.count += 1;
        self.unnamed.count
    }

    /// An atom for how far a running index goes.
    pub(super) fn total(&mut self, index: &Place) -> u32 {
        let atom = self.fresh();
        self.unnamed.totals.push((atom, index.variable.clone()));
        atom
    }
}

/// In Fortran others reach what is not hidden. In C they must have been given it, by an address or
/// by a reference that somebody keeps.
fn exposed(symbols: &dyn Symbols, escaped: &BTreeSet<Name>, name: &str) -> bool {
    let shared =
        symbols.variable(name).is_none_or(|d| matches!(d.storage, Storage::Shared | Storage::Kept));
    let is_reached = shared || escaped.contains(name) || symbols.is_reached(name);
    is_reached && !symbols.is_hidden(name)
}

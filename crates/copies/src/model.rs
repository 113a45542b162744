//! The copies that belong to one call.

use commloom_source::Span;
use commloom_source::affine::{Atom, Counter, Place, Polynomial};
use commloom_source::tree::{Expression, Name, Procedure, Type};

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From variables to the buffer, before the call.
    Pack,
    /// From the buffer to variables, after the call.
    Unpack,
}

/// The differences from a call that sends or receives all of a range, once, where it stands.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Setting {
    /// The statement where the datatype is made and the call's arguments are evaluated, if it is
    /// an earlier one (of a persistent request).
    pub made_at: Option<Span>,
    /// Conditions that are decided by where this is looked at (on the root).
    pub given: Vec<(Expression, bool)>,
    /// The call's count is that of one of several parts of the buffer.
    pub is_part: bool,
    /// Variables (the first) whose values are multiples of others, as a person says.
    pub multiples: Vec<(Name, Name)>,
}

/// A call that sends or receives all of a range, once, where it stands.
pub static PLAIN: Setting =
    Setting { made_at: None, given: Vec::new(), is_part: false, multiples: Vec::new() };

/// All the copies that fill one range of a buffer before a call, or empty it after one.
#[derive(Debug, Clone, PartialEq)]
pub struct Packing {
    /// Which way.
    pub direction: Direction,
    /// The buffer, as a variable (its subscripts are in `start`).
    pub buffer: Name,
    /// First byte of the range, from the start of the buffer.
    pub start: Polynomial,
    /// Bytes in the range. It is covered once, without gaps. Has
    /// [`Atom::Unnamed`](commloom_source::affine::Atom::Unnamed) in it where it has no formula.
    pub length: Polynomial,
    /// First byte of what the call sends or receives, from the start of the buffer.
    pub sent_start: Polynomial,
    /// Bytes that the call sends or receives; none where its count could not be evaluated.
    pub sent_length: Option<Polynomial>,
    /// The copies in the order of the buffer.
    pub copies: Dense,
    /// All loops, by their [`Counter`].
    pub turns: Vec<Turns>,
    /// The unnamed atoms of `length`: how far a running index or pointer of this name
    /// goes.
    pub totals: Vec<(u32, Name)>,
    /// Copies to (or from) other places of the same buffer that have no form in which they could
    /// be told from this range.
    pub beside: Vec<Span>,
    /// All copies to (or from) other places of the same buffer.
    pub elsewhere: Vec<Span>,
    /// Statements that do nothing but copy (with their loops and running indices), outermost ones,
    /// in the order of the text: they can go if nothing else needs the scalars that they change.
    pub statements: Vec<Span>,
    /// Scalars (running indices, loop variables) that these statements change.
    pub changes: Vec<Name>,
    /// Variables whose content is copied from (pack) or to (unpack); pointers and arrays by their
    /// names.
    pub touched: Vec<Name>,
    /// Variables that the addresses and counts read: bounds, strides, index arrays.
    pub needs: Vec<Name>,
    /// In which setting they were read.
    pub setting: Setting,
    /// Where the range has a part for each process.
    pub parts: Option<Parts>,
    /// Whether the program computes with numbers that are wider than `int`, or unsigned.
    pub is_wide: bool,
    /// All that the copies evaluate where their loops turn, and perhaps nowhere else.
    pub doubts: Doubts,
}

/// The reads and quotients that a text may not evaluate where loops take no turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Doubts {
    /// Places that may not be there.
    pub reads: Vec<Doubt>,
    /// Conditions, by where they stand, that may fail where these loops take no turn.
    pub conditions: Vec<(Span, Vec<Counter>)>,
    /// Quotients and remainders that were computed on every path; others may divide by zero.
    pub quotients: Vec<Atom>,
}

/// A place that a pointer, or a subscript, leads to.
#[derive(Debug, Clone, PartialEq)]
pub struct Doubt {
    /// The place.
    pub place: Place,
    /// In any of these it is there.
    pub contexts: Vec<Circumstances>,
}

/// In turns of these loops, under these conditions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Circumstances {
    /// Loops that may take no turn, from the outside in.
    pub turns: Vec<Counter>,
    /// The conditions, and whether they hold.
    pub conditions: Vec<(Expression, bool)>,
}

/// A range that consists of parts, one for each process, alike but for where they lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Parts {
    /// How many.
    pub count: Polynomial,
    /// The copies of the first.
    pub first: Dense,
    /// Bytes of each.
    pub length: Polynomial,
    /// Bytes in the program's memory from the copies of one to those of the next.
    pub extent: Polynomial,
}

/// Copies in the order of the buffer; consecutive ones are adjacent in it.
#[derive(Debug, Clone, PartialEq)]
pub enum Dense {
    /// Adjacent bytes in the program's memory.
    Copy(Box<Copy>),
    /// The same for each of so many turns of a loop. The body's length may depend on the turn.
    Loop(Counter, Polynomial, Box<Dense>),
    /// One after the other.
    Sequence(Vec<Dense>),
    /// Only where a condition holds, which does not change.
    Guard {
        /// The condition, as it is written.
        condition: Expression,
        /// If true.
        then: Box<Dense>,
        /// If false; an empty sequence where nothing is copied then.
        otherwise: Box<Dense>,
    },
}

/// One copy.
#[derive(Debug, Clone, PartialEq)]
pub struct Copy {
    /// Where in the program's memory.
    pub address: Address,
    /// How many bytes on LP64.
    pub length: Polynomial,
    /// The same by sizes of types ([`Atom::Layout`]).
    pub measured: Polynomial,
    /// The type of what is copied, of which `length` is one or several; `Void` for memcpy.
    pub of: Type,
    /// Its type in the buffer, where that has another name: the bytes are the same only where
    /// both types have one size.
    pub other: Option<Type>,
    /// The address in the program's own words, where these can be written again.
    pub origin: Option<Origin>,
    /// The statement.
    pub span: Span,
}

/// An address in the words of the program: casts, macros and names that a formula does not have.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// The words.
    pub expression: Expression,
    /// The numbers that its variables are there, each as the place of the new text can say it.
    pub values: Vec<(Name, Polynomial)>,
    /// Whether it is an address (of `memcpy`), and not the place itself.
    pub is_address: bool,
}

impl Origin {
    /// With atoms replaced.
    #[must_use]
    pub fn map(&self, change: &mut dyn FnMut(&Atom) -> Option<Polynomial>) -> Origin {
        let values = self.values.iter().map(|(name, value)| (name.clone(), value.map(change)));
        Origin { values: values.collect(), ..self.clone() }
    }
}

/// An address in the program's memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// The place that the offset counts from: an array or scalar's first byte, or what a pointer
    /// points to. Free of counters, except where pointers themselves are loaded in a loop
    /// (`rows[i][j]`).
    pub base: Place,
    /// Of a base that is a pointer: how often its value had perhaps changed before it was used
    /// here.
    pub version: Option<u32>,
    /// Bytes from there on LP64: what is proved is proved for these.
    pub offset: Polynomial,
    /// The same by sizes of types ([`Atom::Layout`]): what is written into programs.
    pub measured: Polynomial,
    /// The same address as the program writes it.
    pub place: Place,
}

/// A loop.
#[derive(Debug, Clone, PartialEq)]
pub struct Turns {
    /// Its variable.
    pub variable: Name,
    /// The variable's first value.
    pub first: Polynomial,
    /// The number added for each turn.
    pub step: Polynomial,
    /// How many turns it takes if this is positive; none otherwise.
    pub count: Polynomial,
    /// The statement.
    pub span: Span,
}

impl Dense {
    /// One copy.
    pub fn copy(copy: Copy) -> Dense {
        Dense::Copy(Box::new(copy))
    }

    /// With an atom replaced everywhere.
    #[must_use]
    pub fn substitute(&self, atom: &Atom, value: &Polynomial) -> Dense {
        self.map(&mut |a| (a == atom).then(|| value.clone()))
    }

    /// With atoms replaced in all its polynomials.
    #[must_use]
    pub fn map(&self, change: &mut dyn FnMut(&Atom) -> Option<Polynomial>) -> Dense {
        match self {
            Dense::Copy(copy) => Dense::copy(Copy {
                address: copy.address.map(change),
                length: copy.length.map(change),
                measured: copy.measured.map(change),
                of: copy.of.clone(),
                other: copy.other.clone(),
                origin: copy.origin.as_ref().map(|origin| origin.map(change)),
                span: copy.span,
            }),
            Dense::Loop(counter, count, body) => {
                Dense::Loop(*counter, count.map(change), Box::new(body.map(change)))
            }
            Dense::Sequence(parts) => {
                Dense::Sequence(parts.iter().map(|part| part.map(change)).collect())
            }
            Dense::Guard { condition, then, otherwise } => Dense::Guard {
                condition: condition.clone(),
                then: Box::new(then.map(change)),
                otherwise: Box::new(otherwise.map(change)),
            },
        }
    }

    /// All single copies.
    pub fn each(&self, visit: &mut dyn FnMut(&Copy)) {
        match self {
            Dense::Copy(copy) => visit(copy),
            Dense::Loop(_, _, body) => body.each(visit),
            Dense::Sequence(parts) => parts.iter().for_each(|part| part.each(visit)),
            Dense::Guard { then, otherwise, .. } => {
                then.each(visit);
                otherwise.each(visit);
            }
        }
    }

    /// Whether some copies depend on a condition.
    pub fn has_guards(&self) -> bool {
        match self {
            Dense::Copy(_) => false,
            Dense::Loop(_, _, body) => body.has_guards(),
            Dense::Sequence(parts) => parts.iter().any(Dense::has_guards),
            Dense::Guard { .. } => true,
        }
    }

    /// Whether one of some counters counts a loop in it.
    pub fn counts(&self, is_one: &dyn Fn(Counter) -> bool) -> bool {
        match self {
            Dense::Copy(_) => false,
            Dense::Loop(counter, _, body) => is_one(*counter) || body.counts(is_one),
            Dense::Sequence(parts) => parts.iter().any(|part| part.counts(is_one)),
            Dense::Guard { then, otherwise, .. } => then.counts(is_one) || otherwise.counts(is_one),
        }
    }

    /// The parts that it is a sequence of.
    pub(super) fn into_parts(self) -> Vec<Dense> {
        match self {
            Dense::Sequence(parts) => parts,
            other => vec![other],
        }
    }
}

impl Address {
    /// With atoms replaced.
    #[must_use]
    pub fn map(&self, change: &mut dyn FnMut(&Atom) -> Option<Polynomial>) -> Address {
        Address {
            base: self.base.map(change),
            version: self.version,
            offset: self.offset.map(change),
            measured: self.measured.map(change),
            place: self.place.map(change),
        }
    }
}

/// The question: which call, with which arguments, in which setting.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Where the call stands.
    pub procedure: &'a Procedure,
    /// The call.
    pub call: Span,
    /// Its buffer argument.
    pub buffer: &'a Expression,
    /// Its count argument.
    pub count: Option<&'a Expression>,
    /// Bytes of one element of its datatype.
    pub element: u64,
    /// Whether copies fill the buffer before the call, or empty it afterwards.
    pub direction: Direction,
    /// All else there is to know.
    pub setting: &'a Setting,
}

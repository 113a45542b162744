//! All that is known about variables at one point of a procedure.

use std::collections::BTreeMap;
use std::rc::Rc;

use commloom_program::refusal::Refusal;
use commloom_source::affine::{Atom, Place, Polynomial};
use commloom_source::tree::{Expression, Name, Type};

use super::Address;
use super::piece::Piece;

/// A place in memory with the type of what is there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Located {
    pub address: Address,
    pub of: Type,
    /// The type of `address.place` as it is written; another type than `of` after a cast.
    pub written: Type,
}

impl Located {
    /// Without casts.
    pub fn plain(address: Address, of: Type) -> Located {
        Located { address, written: of.clone(), of }
    }
}

/// The value of a variable.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Number(Polynomial),
    /// A pointer to that place.
    Pointer(Box<Located>),
}

impl Value {
    pub fn pointer(located: Located) -> Value {
        Value::Pointer(Box::new(located))
    }
}

/// All that is known at one point.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    /// Scalars (and elements with constant subscripts) whose values have a form.
    pub values: BTreeMap<Place, Value>,
    /// How often a variable itself was written.
    own: BTreeMap<Name, u32>,
    /// How often its elements, components, or what it points to were written.
    inside: BTreeMap<Name, u32>,
    /// How often anything that others can reach may have been written.
    epoch: u32,
    /// The states where arrays with variable bounds were declared.
    pub shapes: BTreeMap<Name, Rc<State>>,
    /// Copies to or from the buffer since it was last used.
    pub pieces: Vec<Piece>,
    /// Why these are not all that happened to the buffer.
    pub problem: Option<Refusal>,
    /// Whether the buffer was used since: the next copy begins a new content.
    pub used: bool,
}

impl State {
    /// How often a place was perhaps written; `exposed` where others can reach it.
    pub fn version(&self, place: &Place, exposed: bool) -> u32 {
        let of = |map: &BTreeMap<Name, u32>| map.get(&place.variable).copied().unwrap_or(0);
        let inside = if place.steps.is_empty() { 0 } else { of(&self.inside) };
        let epoch = if exposed { self.epoch } else { 0 };
        of(&self.own).saturating_add(inside).saturating_add(epoch)
    }

    /// A variable gets another value, of which nothing is known.
    pub fn forget(&mut self, name: &str) {
        bump(&mut self.own, name);
        self.values.retain(|place, _| place.variable != name);
    }

    /// Something in a variable, or behind a pointer, gets another value.
    pub fn forget_inside(&mut self, name: &str) {
        bump(&mut self.inside, name);
        self.values.retain(|place, _| place.variable != name || place.steps.is_empty());
    }

    /// Everything that others can reach may get another value.
    pub fn forget_exposed(&mut self, exposed: impl Fn(&str) -> bool) {
        self.epoch = self.epoch.saturating_add(1);
        self.values.retain(|place, _| !exposed(&place.variable));
    }

    /// A scalar gets a value.
    pub fn set(&mut self, place: Place, value: Option<Value>) {
        if place.steps.is_empty() {
            self.forget(&place.variable);
        } else {
            // Other elements with constant subscripts keep their values.
            bump(&mut self.inside, &place.variable);
            self.values.remove(&place);
        }
        if let Some(value) = value {
            self.values.insert(place, value);
        }
    }
}

fn bump(versions: &mut BTreeMap<Name, u32>, name: &str) {
    let version = versions.entry(name.to_owned()).or_insert(0);
    *version = version.saturating_add(1);
}

/// Whether all subscripts are numbers, so that the place is one cell.
pub(super) fn is_cell(place: &Place) -> bool {
    place.subscripts().all(|subscript| subscript.as_constant().is_some())
}

/// A place's value as an atom.
pub(super) fn read(place: Place, version: u32) -> Polynomial {
    Polynomial::atom(Atom::Read { place, version })
}

/// Lower bound and extent of each dimension.
pub(super) type Shape = Vec<(Polynomial, Polynomial)>;

/// A condition that was decided.
#[derive(Clone)]
pub(super) struct Known {
    pub condition: Expression,
    pub holds: bool,
    /// The variables that it reads, and how often each was perhaps written before.
    pub names: Vec<(Name, u32)>,
}

impl Known {
    /// Whether what it reads is as it was when the procedure began.
    pub fn is_of_old(&self) -> bool {
        self.names.iter().all(|(_, version)| *version == 0)
    }
}

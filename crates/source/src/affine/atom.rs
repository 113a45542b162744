//! The insides of atoms and places: looked through, and replaced.

use crate::tree::Name;

use super::polynomial::{Atom, Layout, Place, Polynomial, Step};

impl Atom {
    /// Whether it, or an atom inside of it, is of a kind.
    pub fn any(&self, of_kind: &mut dyn FnMut(&Atom) -> bool) -> bool {
        of_kind(self)
            || match self {
                Atom::Read { place, .. } | Atom::Address(place) => {
                    place.subscripts().any(|p| p.any(of_kind))
                }
                Atom::Apply(_, operands) => operands.iter().any(|p| p.any(of_kind)),
                Atom::Layout(layout) => {
                    layout.sample.iter().flat_map(Place::subscripts).any(|p| p.any(of_kind))
                }
                Atom::Counter(_)
                | Atom::SizeOf(_)
                | Atom::Stride(..)
                | Atom::Extent(..)
                | Atom::Lower(..)
                | Atom::Unnamed(_)
                | Atom::Lost(_) => false,
            }
    }

    /// The atom with the atoms inside of it replaced.
    pub(super) fn map(&self, change: &mut dyn FnMut(&Atom) -> Option<Polynomial>) -> Polynomial {
        match self {
            Atom::Read { place, version } => {
                Polynomial::atom(Atom::Read { place: place.map(change), version: *version })
            }
            Atom::Apply(operator, operands) => {
                Polynomial::apply(*operator, operands.iter().map(|p| p.map(change)).collect())
            }
            Atom::Address(place) => Polynomial::atom(Atom::Address(place.map(change))),
            Atom::Layout(layout) => {
                let sample = layout.sample.as_ref().map(|place| place.map(change));
                Polynomial::atom(Atom::Layout(Layout { sample, ..layout.clone() }))
            }
            other => Polynomial::atom(other.clone()),
        }
    }
}

impl Place {
    /// A variable itself.
    pub fn variable(name: impl Into<Name>) -> Place {
        Place { variable: name.into(), steps: Vec::new() }
    }

    /// The way to it, as far as so many steps.
    #[must_use]
    pub fn up_to(&self, steps: usize) -> Place {
        let steps = self.steps.get(..steps).unwrap_or(&self.steps).to_vec();
        Place { variable: self.variable.clone(), steps }
    }

    /// All subscripts on the way.
    pub fn subscripts(&self) -> impl Iterator<Item = &Polynomial> {
        self.steps.iter().flat_map(|step| match step {
            Step::At(subscripts) => subscripts.as_slice(),
            Step::Field(_) | Step::Follow => &[],
        })
    }

    /// The place with atoms in its subscripts replaced.
    #[must_use]
    pub fn map(&self, change: &mut dyn FnMut(&Atom) -> Option<Polynomial>) -> Place {
        let steps = self
            .steps
            .iter()
            .map(|step| match step {
                Step::At(subscripts) => {
                    Step::At(subscripts.iter().map(|p| p.map(change)).collect())
                }
                Step::Field(name) => Step::Field(name.clone()),
                Step::Follow => Step::Follow,
            })
            .collect();
        Place { variable: self.variable.clone(), steps }
    }
}

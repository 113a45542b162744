//! Numbers that are measured when the program runs.

use commloom_source::affine::{Atom, Layout, Place, Polynomial, Step};
use commloom_source::tree::{Name, Type};

use super::lower::Lowering;
use super::model::EmitError;
use super::operation::{Kind, Operation};

impl Lowering<'_> {
    /// Takes care of what a number needs that only the running program knows.
    pub(super) fn measure(&mut self, number: &Polynomial) -> Result<(), EmitError> {
        if number.is_lost() {
            return Err(EmitError::Lost);
        }
        let mut strides = Vec::new();
        let mut addresses = Vec::new();
        let mut offsets = Vec::new();
        let mut unnamed = false;
        number.any(&mut |atom| {
            match atom {
                Atom::Stride(array, dimension) => strides.push((array.clone(), *dimension)),
                Atom::Address(place) => addresses.push(place.clone()),
                Atom::Layout(layout) if layout.field.is_some() => offsets.push(layout.clone()),
                Atom::Unnamed(_) => unnamed = true,
                _ => {}
            }
            false
        });
        if unnamed {
            return Err(EmitError::Unnamed);
        }
        for (array, dimension) in strides {
            self.stride(array, dimension)?;
        }
        for place in addresses {
            self.address(place);
        }
        for layout in offsets {
            self.offset(layout);
        }
        Ok(())
    }

    pub(super) fn address(&mut self, place: Place) -> String {
        if let Some(name) = self.addresses.get(&place) {
            return name.clone();
        }
        let new = self.variable("address", Kind::Address);
        self.measures.push(Operation::Address { place: place.clone(), new: new.clone() });
        self.addresses.insert(place, new.clone());
        new
    }

    /// Bytes from the start of a structure to a component, from their addresses in one structure.
    fn offset(&mut self, layout: Layout) {
        let (Some(sample), Some(field)) = (&layout.sample, &layout.field) else { return };
        if self.offsets.contains_key(&layout) {
            return;
        }
        let mut component = sample.clone();
        component.steps.push(Step::Field(field.clone()));
        let minus = self.address(sample.clone());
        let of = self.address(component);
        let new = self.variable("offset", Kind::Address);
        self.measures.push(Operation::Difference { of, minus, new: new.clone() });
        self.offsets.insert(layout, new);
    }

    /// Bytes between two neighbours, from their addresses. In an array of one element there is no
    /// neighbour: the same twice, and 0 bytes, which nothing is multiplied with but 0.
    fn stride(&mut self, array: Name, dimension: u32) -> Result<(), EmitError> {
        let key = (array, dimension);
        if self.strides.contains_key(&key) {
            return Ok(());
        }
        let rank = self
            .symbols
            .variable(&key.0)
            .and_then(|v| rank(&v.of))
            .ok_or_else(|| EmitError::NotAnArray { name: key.0.clone() })?;
        let subscript = |next: bool, along: u32| {
            let lower = Polynomial::atom(Atom::Lower(key.0.clone(), along));
            if !next || along != dimension {
                return lower;
            }
            let extent = Polynomial::atom(Atom::Extent(key.0.clone(), along));
            let one = Polynomial::constant(1);
            let last = lower.plus(&extent).minus(&one);
            Polynomial::apply(commloom_source::affine::Operator::Min, vec![lower.plus(&one), last])
        };
        let mut places = [false, true].into_iter().map(|next| Place {
            variable: key.0.clone(),
            steps: vec![Step::At((0..rank).map(|along| subscript(next, along)).collect())],
        });
        let (Some(here), Some(there)) = (places.next(), places.next()) else {
            return Err(EmitError::Lost);
        };
        let here = self.address(here);
        let there = self.address(there);
        let new = self.variable("stride", Kind::Address);
        self.measures.push(Operation::Difference { of: there, minus: here, new: new.clone() });
        self.strides.insert(key, new);
        Ok(())
    }
}

fn rank(of: &Type) -> Option<u32> {
    match of {
        Type::Array(_, dimensions) => u32::try_from(dimensions.len()).ok(),
        Type::Pointer(inner) => rank(inner),
        _ => None,
    }
}

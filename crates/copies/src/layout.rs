//! Sizes of types and places of components, as the program's compiler decides them.
//!
//! Proofs are for LP64. The text that is written must be right wherever the program is: bytes
//! are counted in sizes of types, which the text asks for.

use commloom_source::affine::{Atom, Layout, Place, Polynomial};
use commloom_source::tree::{Name, Type};

use super::walk::Walk;

impl Walk<'_> {
    /// Bytes of a type; `name` is the variable whose declaration it is from, `sample` something of
    /// this type.
    pub(super) fn measure(&mut self, of: &Type, name: &Name, sample: &Place) -> Option<Polynomial> {
        let resolved = self.symbols.resolve(of);
        if let Type::Array(element, dimensions) = &resolved {
            let mut size = self.measure(element, name, sample)?;
            for (d, dimension) in dimensions.iter().enumerate() {
                size = size.times(&self.extent(name, d, dimension)?);
            }
            return Some(size);
        }
        if let Type::Named(text) = resolved {
            return Some(Polynomial::atom(Atom::SizeOf(text)));
        }
        let bytes = self.symbols.size_of(&resolved)?;
        self.layout(of, None, bytes, sample)
    }

    /// Bytes from the start of a type to a component that lies there on LP64.
    pub(super) fn component(
        &mut self,
        of: &Type,
        field: &Name,
        offset: u64,
        sample: &Place,
    ) -> Option<Polynomial> {
        // Nothing stands before the first component.
        if offset == 0 {
            return Some(Polynomial::zero());
        }
        self.layout(of, Some(field.clone()), offset, sample)
    }

    fn layout(
        &mut self,
        of: &Type,
        field: Option<Name>,
        bytes: u64,
        sample: &Place,
    ) -> Option<Polynomial> {
        let parts = self.symbols.uniform(&self.symbols.resolve(of));
        let is_fortran = self.symbols.language().is_fortran();
        let layout = match parts {
            // Characters are bytes everywhere.
            Some((name, 1)) if name != "bool" => return Some(Polynomial::size(bytes)),
            // In C numbers are asked for, in Fortran the thing itself.
            Some((name, size)) if !is_fortran => {
                let parts = Some(name.clone());
                let one = Layout { of: name, field: None, bytes: size, parts, sample: None };
                return Some(
                    Polynomial::atom(Atom::Layout(one)).times(&Polynomial::size(bytes / size)),
                );
            }
            parts => {
                let of = self.called(of)?;
                let sample = is_fortran.then(|| self.sample(&of, sample));
                Layout { of, field, bytes, parts: parts.map(|(name, _)| name), sample }
            }
        };
        Some(Polynomial::atom(Atom::Layout(layout)))
    }

    /// The first thing of a type that was met.
    fn sample(&mut self, of: &Name, place: &Place) -> Place {
        let first =
            || place.map(&mut |atom| matches!(atom, Atom::Counter(_)).then(Polynomial::zero));
        self.samples.entry(of.clone()).or_insert_with(first).clone()
    }

    /// The name that the program has for a type; none where it has no name.
    fn called(&self, of: &Type) -> Option<Name> {
        let is_c = self.symbols.language() == commloom_source::Language::C;
        Some(match of {
            Type::Named(name) => name.clone(),
            Type::Record(name) if name.contains('@') => return None,
            Type::Record(name) if is_c => format!("struct {name}"),
            Type::Record(name) | Type::Basic(name, _) => name.clone(),
            Type::Pointer(_) => "void *".into(),
            _ => return None,
        })
    }

    /// Whether bytes of one type may be fewer than those of the other where the program is built
    /// otherwise than for LP64.
    pub(super) fn is_other(&self, one: &Type, other: &Type) -> bool {
        let numbers = |of: &Type| self.symbols.uniform(&self.symbols.resolve(of));
        match (numbers(one), numbers(other)) {
            (Some((one, _)), Some((other, _))) => one != other,
            _ => false,
        }
    }
}

//! The units that bytes are counted in: the numbers that are copied. Sizes of other types stay
//! sizes of types.

use commloom_source::affine::{Atom, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Name, Type};

use crate::Dense;

/// The numbers of one datatype.
pub(super) struct Units {
    /// Those that are copied, and how many bytes one has on LP64; none where the call counts
    /// smaller things.
    pub unit: Option<(Name, u64)>,
    /// Types that are copied to or from others of the same size on LP64.
    pub equal: Vec<(Name, Name)>,
}

impl Units {
    /// For elements of so many bytes on LP64.
    pub fn of(symbols: &dyn Symbols, copies: &Dense, element: u64) -> Units {
        let is_part = |bytes: u64| bytes > 0 && element.is_multiple_of(bytes);
        let mut unit = None;
        let mut equal = Vec::new();
        copies.each(&mut |copy| {
            let Some((name, bytes)) = symbols.uniform(&symbols.resolve(&copy.of)) else { return };
            if is_part(bytes) {
                unit.get_or_insert((name.clone(), bytes));
            }
            let other = copy.other.as_ref().map(|other| symbols.uniform(&symbols.resolve(other)));
            if let Some(Some((other, _))) = other
                && !equal.contains(&(name.clone(), other.clone()))
            {
                equal.push((name, other));
            }
        });
        // Bytes that are copied without a type: what lengths and places are counted in.
        copies.each(&mut |copy| {
            for number in [&copy.measured, &copy.address.measured] {
                number.any(&mut |atom| {
                    if let Atom::Layout(layout) = atom
                        && layout.parts.as_ref() == Some(&layout.of)
                        && is_part(layout.bytes)
                        && copy.of == Type::Void
                    {
                        unit.get_or_insert((layout.of.clone(), layout.bytes));
                    }
                    false
                });
            }
        });
        Units { unit, equal }
    }

    /// Bytes, with the sizes of these numbers as on LP64: what is a multiple of the unit there is
    /// one everywhere.
    pub fn count(&self, bytes: &Polynomial) -> Polynomial {
        bytes.map(&mut |atom| match atom {
            Atom::Layout(layout) if layout.parts.as_ref().is_some_and(|name| self.has(name)) => {
                Some(Polynomial::size(layout.bytes))
            }
            _ => None,
        })
    }

    /// Whether it is the unit, or has its size in every program that compiles.
    fn has(&self, name: &Name) -> bool {
        let Some((unit, _)) = &self.unit else { return false };
        let mut same = vec![unit];
        let mut seen = 0;
        while let Some(&next) = same.get(seen) {
            seen += 1;
            for (one, other) in &self.equal {
                for (a, b) in [(one, other), (other, one)] {
                    if a == next && !same.contains(&b) {
                        same.push(b);
                    }
                }
            }
        }
        same.contains(&name)
    }
}

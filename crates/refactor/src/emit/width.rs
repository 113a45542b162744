//! Which numbers an `int` of C has room for.

use commloom_copies::type_at;
use commloom_source::affine::{Atom, Polynomial};
use commloom_source::tree::{ExpressionKind, Type};

use super::number::Speller;

impl Speller<'_> {
    /// Whether a number of elements may be more than an `int` of C has room for. In Fortran:
    /// whether it is of the kind of addresses, for the distance of two elements was divided by
    /// their size; MPI takes no such number for one of the default kind.
    pub(super) fn may_be_long(&self, number: &Polynomial) -> bool {
        if self.fortran {
            return number.any(&mut |atom| self.is_address(atom));
        }
        let is_long = number.as_constant().is_some_and(|n| i32::try_from(n).is_err());
        is_long || number.any(&mut |atom| !self.is_narrow(atom))
    }

    /// Whether a factor is an `int` of C, or smaller.
    pub(super) fn is_narrow(&self, atom: &Atom) -> bool {
        let Atom::Read { place, .. } = atom else { return true };
        let Some(symbols) = self.symbols else { return true };
        if symbols.variable(&place.variable).is_none() {
            return !symbols
                .constant(&place.variable)
                .is_some_and(|value| matches!(value.kind, ExpressionKind::Cast(..)));
        }
        let Some(mut of) = type_at(symbols, place) else { return false };
        while let Type::Reference(inner) | Type::Array(inner, _) = of {
            of = symbols.resolve(&inner);
        }
        match of {
            Type::Basic(name, size) => {
                size < 4 || (size == 4 && !name.starts_with("unsigned") && !name.starts_with('u'))
            }
            _ => false,
        }
    }
}

//! Polynomials with whole coefficients, and the atoms that they are made of: either has the other
//! one in it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::tree::Name;

/// A sum of products of atoms with coefficients.
///
/// The form is canonical: equal polynomials are equal values. Arithmetic that leaves 64 bits or
/// grows beyond [`Polynomial::TERMS`] gives a polynomial that is *lost*: everything computed from
/// it is lost too, and [`Polynomial::is_lost`] tells. A lost one is an unknown of its own
/// ([`Atom::Lost`]): it equals its copies and nothing else, it has no value, and no atom is known
/// not to be in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Polynomial {
    /// Coefficients (never 0) of products of atoms (sorted; the empty product is 1).
    terms: BTreeMap<Vec<Atom>, i64>,
}

impl Polynomial {
    /// Most terms of a polynomial. Those of real packing code have less than ten.
    pub const TERMS: usize = 256;
    /// Most factors of a term.
    pub const DEGREE: usize = 16;

    /// 0.
    pub fn zero() -> Polynomial {
        Polynomial::default()
    }

    /// A number.
    pub fn constant(value: i64) -> Polynomial {
        Polynomial::from_terms([(Vec::new(), value)])
    }

    /// A number of bytes or elements.
    pub fn size(value: u64) -> Polynomial {
        i64::try_from(value).map_or_else(|_| Polynomial::lost(), Polynomial::constant)
    }

    /// One atom.
    pub fn atom(atom: Atom) -> Polynomial {
        Polynomial::from_terms([(vec![atom], 1)])
    }

    /// The turn of a loop.
    pub fn counter(counter: Counter) -> Polynomial {
        Polynomial::atom(Atom::Counter(counter))
    }

    /// The outcome of an overflow: another unknown number each time.
    pub fn lost() -> Polynomial {
        Polynomial { terms: BTreeMap::from([(vec![Atom::Lost(Overflow::new())], 1)]) }
    }

    /// Whether arithmetic overflowed.
    pub fn is_lost(&self) -> bool {
        // A lost polynomial has this term alone.
        self.terms.keys().next().is_some_and(|atoms| has_lost(atoms))
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Its value, where no atom occurs.
    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Vec::new()).copied(),
            _ => None,
        }
    }

    /// Products of atoms (sorted; empty for the constant term) and their coefficients, which are
    /// not 0.
    pub fn terms(&self) -> impl Iterator<Item = (&[Atom], i64)> {
        self.terms.iter().map(|(atoms, &coefficient)| (atoms.as_slice(), coefficient))
    }

    /// Sums up terms, in any order.
    pub fn from_terms(terms: impl IntoIterator<Item = (Vec<Atom>, i64)>) -> Polynomial {
        let mut sum = Polynomial::zero();
        for (mut atoms, coefficient) in terms {
            atoms.sort();
            sum.accumulate(atoms, coefficient);
        }
        sum
    }

    fn accumulate(&mut self, atoms: Vec<Atom>, coefficient: i64) {
        if self.is_lost() {
            return;
        }
        if has_lost(&atoms) {
            *self = Polynomial::lost();
            return;
        }
        let before = self.terms.get(&atoms).copied().unwrap_or(0);
        match before.checked_add(coefficient) {
            Some(0) => {
                self.terms.remove(&atoms);
            }
            Some(now) if atoms.len() <= Polynomial::DEGREE => {
                self.terms.insert(atoms, now);
                if self.terms.len() > Polynomial::TERMS {
                    *self = Polynomial::lost();
                }
            }
            _ => *self = Polynomial::lost(),
        }
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        if self.is_lost() || other.is_lost() {
            return Polynomial::lost();
        }
        let mut sum = self.clone();
        for (atoms, &coefficient) in &other.terms {
            sum.accumulate(atoms.clone(), coefficient);
        }
        sum
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        self.plus(&other.times_constant(-1))
    }

    /// A multiple.
    #[must_use]
    pub fn times_constant(&self, factor: i64) -> Polynomial {
        self.times(&Polynomial::constant(factor))
    }

    /// The product. Time in the product of the numbers of terms.
    #[must_use]
    pub fn times(&self, other: &Polynomial) -> Polynomial {
        if self.is_lost() || other.is_lost() {
            return Polynomial::lost();
        }
        let mut product = Polynomial::zero();
        for (left, &a) in &self.terms {
            for (right, &b) in &other.terms {
                let Some(coefficient) = a.checked_mul(b) else { return Polynomial::lost() };
                let mut atoms = left.clone();
                atoms.extend_from_slice(right);
                atoms.sort();
                product.accumulate(atoms, coefficient);
            }
        }
        product
    }

    /// The quotient, where every coefficient is a multiple of `divisor`.
    pub fn divided_by(&self, divisor: i64) -> Option<Polynomial> {
        if self.is_lost() || divisor == 0 {
            return None;
        }
        let mut quotient = Polynomial::zero();
        for (atoms, &coefficient) in &self.terms {
            if coefficient.checked_rem(divisor)? != 0 {
                return None;
            }
            quotient.accumulate(atoms.clone(), coefficient.checked_div(divisor)?);
        }
        Some(quotient)
    }

    /// The polynomial `q` with `self = q * divisor`, where there is one. Long division by the
    /// largest term; time in the product of the numbers of terms.
    pub fn exact_quotient(&self, divisor: &Polynomial) -> Option<Polynomial> {
        if let Some(number) = divisor.as_constant() {
            return self.divided_by(number);
        }
        // The order of terms must be one that products keep: first by degree, then by atoms.
        let largest = |p: &Polynomial| {
            p.terms
                .iter()
                .max_by(|a, b| (a.0.len(), a.0).cmp(&(b.0.len(), b.0)))
                .map(|(atoms, &coefficient)| (atoms.clone(), coefficient))
        };
        let (head, coefficient) = largest(divisor)?;
        let mut rest = self.clone();
        let mut quotient = Polynomial::zero();
        for _ in 0..=Polynomial::TERMS {
            if rest.is_lost() || divisor.is_lost() {
                return None;
            }
            let Some((atoms, number)) = largest(&rest) else { return Some(quotient) };
            if number.checked_rem(coefficient)? != 0 {
                return None;
            }
            let factor = Polynomial::from_terms([(without(&atoms, &head)?, number / coefficient)]);
            quotient = quotient.plus(&factor);
            rest = rest.minus(&factor.times(divisor));
        }
        None
    }

    /// Splits it into `slope * atom + rest`, neither of which has the atom outside of operations;
    /// none where it has a higher power of it.
    pub fn linear_in(&self, atom: &Atom) -> Option<(Polynomial, Polynomial)> {
        if self.is_lost() {
            return None;
        }
        let mut slope = Polynomial::zero();
        let mut rest = Polynomial::zero();
        for (atoms, &coefficient) in &self.terms {
            match atoms.iter().filter(|&a| a == atom).count() {
                0 => rest.accumulate(atoms.clone(), coefficient),
                1 => {
                    let others = atoms.iter().filter(|&a| a != atom).cloned().collect();
                    slope.accumulate(others, coefficient);
                }
                _ => return None,
            }
        }
        (!slope.mentions(atom) && !rest.mentions(atom)).then_some((slope, rest))
    }

    /// Whether an atom occurs, or may, also inside of others.
    pub fn mentions(&self, atom: &Atom) -> bool {
        self.any(&mut |a| a == atom || matches!(a, Atom::Lost(_)))
    }

    /// Whether some atom, also inside of others, is of a kind.
    pub fn any(&self, of_kind: &mut dyn FnMut(&Atom) -> bool) -> bool {
        self.terms.keys().flatten().any(|atom| atom.any(of_kind))
    }

    /// Every atom replaced by a polynomial, also inside of others.
    #[must_use]
    pub fn map(&self, change: &mut dyn FnMut(&Atom) -> Option<Polynomial>) -> Polynomial {
        if self.is_lost() {
            return Polynomial::lost();
        }
        let mut sum = Polynomial::zero();
        for (atoms, &coefficient) in &self.terms {
            let mut product = Polynomial::constant(coefficient);
            for atom in atoms {
                let factor = change(atom).unwrap_or_else(|| atom.map(change));
                product = product.times(&factor);
            }
            sum = sum.plus(&product);
        }
        sum
    }

    /// One atom replaced by a polynomial, also inside of others.
    #[must_use]
    pub fn substitute(&self, atom: &Atom, value: &Polynomial) -> Polynomial {
        self.map(&mut |a| (a == atom).then(|| value.clone()))
    }

    /// Its value on LP64, where the compiler decides about sizes.
    #[must_use]
    pub fn on_lp64(&self) -> Polynomial {
        self.map(&mut |atom| match atom {
            Atom::Layout(layout) => Some(Polynomial::size(layout.bytes)),
            _ => None,
        })
    }

    /// Whether it is surely negative where every atom is positive: all coefficients are negative.
    pub fn looks_negative(&self) -> bool {
        !self.is_lost() && !self.terms.is_empty() && self.terms.values().all(|&c| c < 0)
    }

    /// An operation on polynomials; of numbers it is carried out.
    pub fn apply(operator: Operator, operands: Vec<Polynomial>) -> Polynomial {
        if operands.iter().any(Polynomial::is_lost) {
            return Polynomial::lost();
        }
        let numbers: Option<Vec<i64>> = operands.iter().map(Polynomial::as_constant).collect();
        let value = numbers.and_then(|numbers| match (operator, numbers.as_slice()) {
            (Operator::Divide, &[a, b]) => a.checked_div(b),
            (Operator::Remainder, &[a, b]) => a.checked_rem(b),
            (Operator::Min, all) => all.iter().copied().min(),
            (Operator::Max, all) => all.iter().copied().max(),
            _ => None,
        });
        match value {
            Some(value) => Polynomial::constant(value),
            None => Polynomial::atom(Atom::Apply(operator, operands)),
        }
    }

    /// Its value, where `of` knows all atoms; none also where it leaves 64 bits.
    pub fn evaluate(&self, of: &mut dyn FnMut(&Atom) -> Option<i64>) -> Option<i64> {
        if self.is_lost() {
            return None;
        }
        self.terms.iter().try_fold(0_i64, |sum, (atoms, &coefficient)| {
            let term = atoms
                .iter()
                .try_fold(coefficient, |product, atom| product.checked_mul(of(atom)?))?;
            sum.checked_add(term)
        })
    }
}

/// Whether a product has an unknown in it that came of an overflow.
fn has_lost(atoms: &[Atom]) -> bool {
    atoms.iter().any(|atom| matches!(atom, Atom::Lost(_)))
}

/// A sorted product without the factors of another; none where they are not in it.
fn without(atoms: &[Atom], factors: &[Atom]) -> Option<Vec<Atom>> {
    let mut rest = atoms.to_vec();
    for factor in factors {
        let at = rest.iter().position(|atom| atom == factor)?;
        rest.remove(at);
    }
    Some(rest)
}

/// Counts the turns of one loop, from 0. Numbers are given by the analysis, one per loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Counter(pub u32);

/// A whole number that has no simpler form.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Atom {
    /// The turn of a loop, from 0.
    Counter(Counter),
    /// A variable's or an element's value, as it is the `version`th time that something may have
    /// changed it since the procedure began.
    Read {
        /// The place that is read.
        place: Place,
        /// How often it was (perhaps) written before.
        version: u32,
    },
    /// An operation that is no addition, subtraction or multiplication.
    Apply(Operator, Vec<Polynomial>),
    /// Bytes of a type whose size the text does not tell.
    SizeOf(String),
    /// Bytes that the program's compiler decides: of a type, or from its start to a component.
    Layout(Layout),
    /// Bytes between neighbours of a dimension (from 0, in the order of the source) of an
    /// assumed-shape array: measured when the program runs.
    Stride(Name, u32),
    /// Elements along a dimension of an assumed-shape array (`size(u, 1)`).
    Extent(Name, u32),
    /// The first subscript along a dimension of an array that gets its bounds when the program
    /// runs.
    Lower(Name, u32),
    /// The address of a place, in bytes: of an array or scalar its first byte, of a pointer what
    /// it points to.
    Address(Place),
    /// Elements or bytes that have no formula: where a stream is when a loop whose turns differ
    /// begins its turn, or how far the loop brings it.
    Unnamed(u32),
    /// The outcome of arithmetic that left 64 bits: a number of which nothing is known.
    Lost(Overflow),
}

/// Which overflow: no two have the same number, so that no two unknowns are taken for equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Overflow(u64);

impl Overflow {
    fn new() -> Overflow {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Overflow(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A type's size, or where a component of it lies: known for LP64, and to be asked for where a
/// program is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Layout {
    /// The type as the program calls it. Types of one name are the same, and `unsigned` ones have
    /// the size of the others.
    pub of: Name,
    /// The component whose offset is meant; none: the type's size.
    pub field: Option<Name>,
    /// Bytes on LP64.
    pub bytes: u64,
    /// The numbers that it is a multiple of, without gaps.
    pub parts: Option<Name>,
    /// Something of this type, free of counters, where types themselves cannot be asked: in
    /// Fortran.
    pub sample: Option<Place>,
}

/// Operations that polynomials cannot express; of whole numbers, as in C and Fortran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    /// Towards zero.
    Divide,
    /// With the sign of the dividend.
    Remainder,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// A place in memory, as a program writes it, with symbolic subscripts: `u(2, i, j)`, `p->a[i].r`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The variable.
    pub variable: Name,
    /// The way from it.
    pub steps: Vec<Step>,
}

/// One step on the way to a place.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Subscripts that stand together: one in C, all in Fortran. Of a pointer in C it follows it.
    At(Vec<Polynomial>),
    /// A component.
    Field(Name),
    /// `*`, `->`.
    Follow,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Polynomial {
        Polynomial::atom(Atom::Read { place: Place::variable(name), version: 0 })
    }

    #[test]
    fn equal_sums_are_equal_values() {
        let (n, m) = (variable("n"), variable("m"));
        let left = n.plus(&m).times(&n.minus(&m));
        let right = n.times(&n).minus(&m.times(&m));
        assert_eq!(left, right);
        assert!(left.minus(&right).is_zero());
    }

    #[test]
    fn a_product_divides_by_its_factors() {
        let (n, m) = (variable("n"), variable("m"));
        let a = n.minus(&Polynomial::constant(2));
        let b = m.plus(&n).times_constant(8);
        assert_eq!(a.times(&b).exact_quotient(&a), Some(b.clone()));
        assert_eq!(a.times(&b).exact_quotient(&b), Some(a.clone()));
        assert_eq!(b.exact_quotient(&a), None);
    }

    #[test]
    fn overflow_is_lost_and_stays_so() {
        let large = Polynomial::constant(i64::MAX);
        let sum = large.plus(&Polynomial::constant(1));
        assert!(sum.is_lost());
        assert!(sum.minus(&sum).is_lost());
        assert!(!sum.minus(&sum).is_zero());
    }

    #[test]
    fn linear_parts_are_told_from_others() {
        let k = Atom::Counter(Counter(0));
        let n = variable("n");
        let p = Polynomial::atom(k.clone()).times(&n).plus(&Polynomial::constant(3));
        assert_eq!(p.linear_in(&k), Some((n, Polynomial::constant(3))));
        assert_eq!(p.times(&p).linear_in(&k), None);
        let inside = Polynomial::apply(Operator::Divide, vec![p, Polynomial::constant(2)]);
        assert_eq!(inside.linear_in(&k), None);
    }
}

//! Sums as products.

use std::collections::BTreeSet;

use commloom_source::affine::{Atom, Polynomial};

/// `slope * atom + rest`, by terms: both may have the atom within other atoms.
pub(super) fn split(number: &Polynomial, atom: &Atom) -> Option<(Polynomial, Polynomial)> {
    let mut slope = Vec::new();
    let mut rest = Vec::new();
    for (atoms, coefficient) in number.terms() {
        let others: Vec<Atom> = atoms.iter().filter(|a| *a != atom).cloned().collect();
        match atoms.len() - others.len() {
            0 => rest.push((others, coefficient)),
            1 => slope.push((others, coefficient)),
            _ => return None,
        }
    }
    Some((Polynomial::from_terms(slope), Polynomial::from_terms(rest)))
}

/// Polynomials whose product a sum is: `n * m + 4 * n + 2 * m + 8` is `(n + 2) * (m + 4)`. One
/// alone where no factor is found, or where it is no sum.
pub(super) fn factors(number: &Polynomial) -> Vec<Polynomial> {
    let mut rest = number.clone();
    let mut found = Vec::new();
    'search: while rest.terms().count() > 1 {
        let atoms: BTreeSet<Atom> =
            rest.terms().flat_map(|(atoms, _)| atoms.iter().cloned()).collect();
        for atom in atoms {
            let Some((slope, constant)) = rest.linear_in(&atom) else { continue };
            // A number alone is taken out only where that makes all terms smaller.
            if slope.as_constant().is_some_and(|number| number < 2) {
                continue;
            }
            if let Some(shift) = constant.exact_quotient(&slope) {
                found.push(Polynomial::atom(atom).plus(&shift));
                rest = slope;
                continue 'search;
            }
        }
        break;
    }
    // Numbers last, and what is wide first.
    match rest.as_constant() {
        Some(1) if !found.is_empty() => {}
        _ => found.push(rest),
    }
    found
}

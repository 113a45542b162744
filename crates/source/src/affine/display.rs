//! Polynomials and places as text, much as a program would write them.

use std::fmt;

use super::{Atom, Layout, Operator, Place, Polynomial, Step};

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The constant comes last, as in n - 2.
        let mut terms: Vec<(&[Atom], i64)> = self.terms().collect();
        terms.sort_by_key(|(atoms, coefficient)| {
            (atoms.is_empty(), *coefficient < 0, std::cmp::Reverse(atoms.len()))
        });
        for (number, (atoms, coefficient)) in terms.iter().enumerate() {
            let sign = match (number, *coefficient < 0) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            f.write_str(sign)?;
            let size = coefficient.unsigned_abs();
            if atoms.is_empty() || size != 1 {
                write!(f, "{size}")?;
            }
            for (at, atom) in atoms.iter().enumerate() {
                if at > 0 || size != 1 {
                    f.write_str("*")?;
                }
                write!(f, "{atom}")?;
            }
        }
        if terms.is_empty() { f.write_str("0") } else { Ok(()) }
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Counter(counter) => write!(f, "k{}", counter.0),
            Atom::Read { place, .. } => write!(f, "{place}"),
            Atom::Apply(Operator::Divide, operands) => list(f, "(", operands, " / ", ")"),
            Atom::Apply(Operator::Remainder, operands) => list(f, "(", operands, " % ", ")"),
            Atom::Apply(Operator::Min, operands) => list(f, "min(", operands, ", ", ")"),
            Atom::Apply(Operator::Max, operands) => list(f, "max(", operands, ", ", ")"),
            Atom::SizeOf(name) => write!(f, "sizeof({name})"),
            Atom::Layout(Layout { of, field: None, .. }) => write!(f, "sizeof({of})"),
            Atom::Layout(Layout { of, field: Some(field), .. }) => {
                write!(f, "offsetof({of}, {field})")
            }
            Atom::Stride(name, dimension) => write!(f, "stride({name}, {})", dimension + 1),
            Atom::Extent(name, dimension) => write!(f, "size({name}, {})", dimension + 1),
            Atom::Lower(name, dimension) => write!(f, "lbound({name}, {})", dimension + 1),
            Atom::Address(place) => write!(f, "&{place}"),
            Atom::Unnamed(number) => write!(f, "?{number}"),
            Atom::Lost(_) => f.write_str("(too large)"),
        }
    }
}

fn list(
    f: &mut fmt::Formatter<'_>,
    open: &str,
    items: &[Polynomial],
    between: &str,
    close: &str,
) -> fmt::Result {
    f.write_str(open)?;
    for (number, item) in items.iter().enumerate() {
        if number > 0 {
            f.write_str(between)?;
        }
        if item.terms().count() > 1 && between.starts_with(' ') {
            write!(f, "({item})")?;
        } else {
            write!(f, "{item}")?;
        }
    }
    f.write_str(close)
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.variable)?;
        for step in &self.steps {
            match step {
                Step::At(subscripts) => list(f, "[", subscripts, ", ", "]")?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Follow => f.write_str("[0]")?,
            }
        }
        Ok(())
    }
}

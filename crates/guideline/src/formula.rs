//! The formulas of the table of layouts: whole numbers of named parameters, lists of them, and
//! types that have them as arguments.
//!
//! ```text
//! formula = term {(+ | -) term}        term   = factor {(* | / | %) factor}
//! list    = < entry {, entry} >        factor = number | name | ( formula )
//!                                      entry  = formula [for i < formula]
//! type    = name | constructor(arguments), as in the text notation of types
//! ```

mod parser;

use std::collections::BTreeMap;
use std::sync::Arc;

use commloom_layout::Basic;
use commloom_layout::mpi::Construction;
use serde::Deserialize;
use thiserror::Error;

/// Longest list: that of the largest message, element by element, has a hundredth.
const LONGEST: i64 = 1 << 26;

/// Values of names.
pub type Values = BTreeMap<String, i64>;

/// Why a formula has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum FormulaError {
    /// It cannot be read.
    #[error("`{text}`, character {at}: expected {expected}")]
    Syntax {
        /// The formula.
        text: String,
        /// From 1.
        at: usize,
        /// The text that could stand there, in words.
        expected: &'static str,
    },
    /// A name that means nothing.
    #[error("`{0}` has no value")]
    Unknown(String),
    /// A number that does not fit in 64 bits, or a division by zero.
    #[error("`{0}` overflows or divides by zero")]
    Overflow(char),
    /// A count below zero or past what a list may have.
    #[error("a count is {given}, expected 0 to {limit}")]
    Count {
        /// Its value.
        given: i64,
        /// The largest.
        limit: i64,
    },
}

/// A whole number.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Formula {
    /// As it is.
    Number(i64),
    /// A parameter.
    Name(String),
    /// `+`, `-`, `*`, `/` or `%` of two.
    Operation(char, Box<(Formula, Formula)>),
}

impl Formula {
    /// Reads one.
    ///
    /// # Errors
    /// [`FormulaError::Syntax`].
    pub fn parse(text: &str) -> Result<Formula, FormulaError> {
        parser::whole(text, parser::Parser::formula)
    }

    /// Its value.
    ///
    /// # Errors
    /// A name without value; overflow.
    pub fn value(&self, values: &Values) -> Result<i64, FormulaError> {
        match self.bound(values, None)? {
            Formula::Number(n) => Ok(n),
            other => Err(FormulaError::Unknown(format!("{other:?}"))),
        }
    }

    /// The formula with all values in it but that of the name `free`, computed as far as it goes:
    /// long lists look no names up.
    fn bound(&self, values: &Values, free: Option<&str>) -> Result<Formula, FormulaError> {
        match self {
            Formula::Name(name) if free == Some(name) => Ok(self.clone()),
            Formula::Name(name) => match values.get(name) {
                Some(&value) => Ok(Formula::Number(value)),
                None => Err(FormulaError::Unknown(name.clone())),
            },
            Formula::Number(_) => Ok(self.clone()),
            Formula::Operation(sign, sides) => {
                let sides = (sides.0.bound(values, free)?, sides.1.bound(values, free)?);
                match sides {
                    (Formula::Number(a), Formula::Number(b)) => {
                        Ok(Formula::Number(operate(*sign, a, b)?))
                    }
                    sides => Ok(Formula::Operation(*sign, Box::new(sides))),
                }
            }
        }
    }

    /// The value of a formula in which one name is left.
    fn at(&self, index: i64) -> Result<i64, FormulaError> {
        match self {
            Formula::Number(n) => Ok(*n),
            Formula::Name(_) => Ok(index),
            Formula::Operation(sign, sides) => {
                operate(*sign, sides.0.at(index)?, sides.1.at(index)?)
            }
        }
    }

    /// Its value as a count.
    ///
    /// # Errors
    /// As [`Formula::value`]; a value below zero.
    pub fn count(&self, values: &Values) -> Result<u64, FormulaError> {
        count(self.value(values)?)
    }
}

fn operate(sign: char, a: i64, b: i64) -> Result<i64, FormulaError> {
    let result = match sign {
        '+' => a.checked_add(b),
        '-' => a.checked_sub(b),
        '*' => a.checked_mul(b),
        '/' => a.checked_div_euclid(b),
        _ => a.checked_rem_euclid(b),
    };
    result.ok_or(FormulaError::Overflow(sign))
}

impl TryFrom<String> for Formula {
    type Error = FormulaError;

    fn try_from(text: String) -> Result<Self, FormulaError> {
        Formula::parse(&text)
    }
}

fn count(given: i64) -> Result<u64, FormulaError> {
    u64::try_from(given).map_err(|_| FormulaError::Count { given, limit: i64::MAX })
}

/// A list of numbers: each formula once, or for `i` from 0 up to the value of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List(Vec<(Formula, Option<Formula>)>);

impl List {
    fn values<T>(
        &self,
        values: &Values,
        convert: impl Fn(i64) -> Result<T, FormulaError>,
    ) -> Result<Arc<[T]>, FormulaError> {
        let mut list = Vec::new();
        for (formula, times) in &self.0 {
            let Some(times) = times else {
                list.push(convert(formula.value(values)?)?);
                continue;
            };
            let given = times.value(values)?;
            if !(0..=LONGEST).contains(&given) {
                return Err(FormulaError::Count { given, limit: LONGEST });
            }
            let formula = formula.bound(values, Some("i"))?;
            for i in 0..given {
                list.push(convert(formula.at(i)?)?);
            }
        }
        Ok(list.into())
    }
}

/// A type whose arguments are formulas; variants as those of [`Construction`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum Template {
    /// `T`, `reference` or a basic type.
    Named(String),
    /// As [`Construction::Contiguous`].
    Contiguous(Formula, Box<Template>),
    /// As [`Construction::Vector`].
    Vector([Formula; 3], Box<Template>),
    /// As [`Construction::Hvector`].
    Hvector([Formula; 3], Box<Template>),
    /// As [`Construction::Indexed`].
    Indexed(List, List, Box<Template>),
    /// As [`Construction::IndexedBlock`].
    IndexedBlock(Formula, List, Box<Template>),
    /// As [`Construction::Struct`].
    Struct(List, List, Vec<Template>),
    /// As [`Construction::Resized`].
    Resized([Formula; 2], Box<Template>),
}

impl Template {
    /// Reads one.
    ///
    /// # Errors
    /// [`FormulaError::Syntax`].
    pub fn parse(text: &str) -> Result<Template, FormulaError> {
        parser::whole(text, parser::Parser::template)
    }

    /// The type for these values; `named` says what names of types mean that are no basic types.
    ///
    /// # Errors
    /// Those of the formulas; a name that is none of a type.
    pub fn construction(
        &self,
        values: &Values,
        named: &dyn Fn(&str) -> Option<Construction>,
    ) -> Result<Construction, FormulaError> {
        let inner = |old: &Template| old.construction(values, named).map(Arc::new);
        Ok(match self {
            Template::Named(name) => match (named(name), Basic::by_name(name)) {
                (Some(construction), _) => construction,
                (None, Some(basic)) => Construction::Basic(basic),
                (None, None) => return Err(FormulaError::Unknown(name.clone())),
            },
            Template::Contiguous(n, old) => {
                Construction::Contiguous { count: n.count(values)?, old: inner(old)? }
            }
            Template::Vector([n, block, stride], old) => Construction::Vector {
                count: n.count(values)?,
                blocklength: block.count(values)?,
                stride: stride.value(values)?,
                old: inner(old)?,
            },
            Template::Hvector([n, block, stride], old) => Construction::Hvector {
                count: n.count(values)?,
                blocklength: block.count(values)?,
                stride: stride.value(values)?,
                old: inner(old)?,
            },
            Template::Indexed(blocks, places, old) => Construction::Indexed {
                blocklengths: blocks.values(values, count)?,
                displacements: places.values(values, Ok)?,
                old: inner(old)?,
            },
            Template::IndexedBlock(block, places, old) => Construction::IndexedBlock {
                blocklength: block.count(values)?,
                displacements: places.values(values, Ok)?,
                old: inner(old)?,
            },
            Template::Struct(blocks, places, olds) => Construction::Struct {
                blocklengths: blocks.values(values, count)?,
                displacements: places.values(values, Ok)?,
                olds: olds
                    .iter()
                    .map(|old| old.construction(values, named))
                    .collect::<Result<_, _>>()?,
            },
            Template::Resized([lb, extent], old) => Construction::Resized {
                lb: lb.value(values)?,
                extent: extent.value(values)?,
                old: inner(old)?,
            },
        })
    }
}

impl TryFrom<String> for Template {
    type Error = FormulaError;

    fn try_from(text: String) -> Result<Self, FormulaError> {
        Template::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> Values {
        [("A", 3), ("n", 12), ("s", 4)].map(|(name, value)| (name.to_owned(), value)).into()
    }

    #[test]
    fn formulas_are_computed_from_left_to_right() {
        for (text, expected) in [
            ("7", Ok(7)),
            ("2*A + n/A", Ok(10)),
            ("n - A - 1", Ok(8)),
            ("n / (2*A) * 5 % 4", Ok(2)),
            ("A - n", Ok(-9)),
            ("n / (A - 3)", Err(FormulaError::Overflow('/'))),
            ("9223372036854775807 + A", Err(FormulaError::Overflow('+'))),
            ("B", Err(FormulaError::Unknown("B".into()))),
        ] {
            let formula = Formula::parse(text).expect("it can be read");
            assert_eq!(formula.value(&values()), expected, "{text}");
        }
    }

    #[test]
    fn types_get_their_arguments() {
        let reference = Construction::Basic(Basic::DOUBLE);
        let named = |name: &str| (name == "T").then(|| reference.clone());
        for (text, expected) in [
            ("T", "MPI_DOUBLE"),
            ("resized(0, A*s, contiguous(A, MPI_INT))", "resized(0, 12, contiguous(3, MPI_INT))"),
            ("vector(n / A, A, A + 2, T)", "vector(4, 3, 5, MPI_DOUBLE)"),
            (
                "indexed(<A, 1 for i < 2>, <i*A for i < 3>, T)",
                "indexed(<3, 1, 1>, <0, 3, 6>, MPI_DOUBLE)",
            ),
            ("indexed_block(1, <i for i < A>, T)", "indexed_block(1, <0, 1, 2>, MPI_DOUBLE)"),
            (
                "struct(<1, A>, <0, 8>, <T, hvector(2, 1, 9*s, T)>)",
                "struct(<1, 3>, <0, 8>, <MPI_DOUBLE, hvector(2, 1, 36, MPI_DOUBLE)>)",
            ),
        ] {
            let template = Template::parse(text).expect("it can be read");
            let construction = template.construction(&values(), &named).expect("it has a value");
            assert_eq!(construction.to_string(), expected);
        }
    }

    #[test]
    fn what_cannot_be_read_is_pointed_at() {
        for (text, at, expected) in [
            ("2 +", 4, "a number, a name or ("),
            ("(2", 3, ")"),
            ("2 3", 3, "the end"),
            ("9999999999999999999", 1, "a number below 2^63"),
        ] {
            let text = text.to_owned();
            assert_eq!(
                Formula::parse(&text),
                Err(FormulaError::Syntax { text: text.clone(), at, expected })
            );
        }
        for text in
            ["tuple(1, T)", "vector(1, 2, T)", "indexed(<1>, <0 for j < 2>, T)", "contiguous(1, T"]
        {
            assert!(Template::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn counts_below_zero_and_endless_lists_are_errors() {
        for (text, limit) in [
            ("contiguous(A - n, T)", i64::MAX),
            ("indexed_block(1, <i for i < A - n>, T)", LONGEST),
        ] {
            let template = Template::parse(text).expect("it can be read");
            let error =
                template.construction(&values(), &|_| Some(Construction::Basic(Basic::INT)));
            assert_eq!(error, Err(FormulaError::Count { given: -9, limit }));
        }
    }
}

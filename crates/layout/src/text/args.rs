//! The arguments of one constructor, read one after the other by what they must be.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use super::error::ParseError;
use super::lexer::Token;
use super::parser::Parser;
use super::suggest::did_you_mean;
use crate::mpi::{Distribution, Order};
use crate::{Basic, LayoutError, Type};

/// The arguments of the constructor `name`; its `(` has been read.
pub struct Args<'p, 's> {
    parser: &'p mut Parser<'s>,
    pub name: &'s str,
    name_span: Range<usize>,
    first: bool,
}

impl<'p, 's> Args<'p, 's> {
    pub fn new(parser: &'p mut Parser<'s>, name: &'s str, name_span: Range<usize>) -> Self {
        Args { parser, name, name_span, first: true }
    }

    /// A number that may not be negative.
    pub fn count(&mut self, role: &str) -> Result<u64, ParseError> {
        self.separator(role)?;
        self.number(role)
    }

    /// Any integer.
    pub fn integer(&mut self, role: &str) -> Result<i64, ParseError> {
        self.separator(role)?;
        self.number(role)
    }

    /// A list of numbers that may not be negative.
    pub fn counts(&mut self, role: &str) -> Result<Vec<u64>, ParseError> {
        self.list(role, |args| args.number("an entry"))
    }

    /// A list of integers.
    pub fn integers(&mut self, role: &str) -> Result<Vec<i64>, ParseError> {
        self.list(role, |args| args.number("an entry"))
    }

    /// A list of types.
    pub fn types(&mut self, role: &str) -> Result<Vec<Type>, ParseError> {
        self.list(role, |args| args.parser.ty("a type"))
    }

    /// A list of distributions of `darray`.
    pub fn distributions(&mut self) -> Result<Vec<Distribution>, ParseError> {
        self.list("the distributions", Args::distribution)
    }

    /// One type.
    pub fn ty(&mut self) -> Result<Type, ParseError> {
        self.separator("the type")?;
        let role = format!("the type that `{}` repeats", self.name);
        self.parser.ty(&role)
    }

    /// A basic type.
    pub fn basic(&mut self) -> Result<Basic, ParseError> {
        self.separator("the basic type")?;
        self.parser.basic()
    }

    /// The order of an array.
    pub fn order(&mut self) -> Result<Order, ParseError> {
        self.separator("the order of the array")?;
        let order = match self.parser.token {
            Token::Word("C" | "MPI_ORDER_C") => Order::C,
            Token::Word("Fortran" | "FORTRAN" | "MPI_ORDER_FORTRAN") => Order::Fortran,
            _ => return Err(self.parser.unexpected("the order of the array: `C` or `Fortran`")),
        };
        self.parser.bump();
        Ok(order)
    }

    /// The closing parenthesis; then what the constructor made of its arguments.
    pub fn build(self, built: Result<Type, LayoutError>) -> Result<Type, ParseError> {
        if !self.parser.eat(')') {
            let expected = format!("`)` to close `{}`", self.name);
            return Err(self.unclosed(expected));
        }
        built.map_err(|error| self.parser.refused(self.name_span, error))
    }

    fn separator(&mut self, role: &str) -> Result<(), ParseError> {
        if std::mem::take(&mut self.first) || self.parser.eat(',') {
            return Ok(());
        }
        Err(self.unclosed(format!("`,` and {role} of `{}`", self.name)))
    }

    /// The error that something else is at hand; at the end of the input it also names the
    /// constructor that is still open.
    fn unclosed(&self, expected: String) -> ParseError {
        let (line, column) = self.parser.place(self.name_span.start);
        let hint = (self.parser.token == Token::End)
            .then(|| format!("`{}` at line {line}, column {column} is not closed", self.name));
        self.parser.unexpected(expected).with_hint(hint)
    }

    fn list<T>(
        &mut self,
        role: &str,
        item: impl Fn(&mut Self) -> Result<T, ParseError>,
    ) -> Result<Vec<T>, ParseError> {
        self.separator(role)?;
        if !self.parser.eat('<') {
            let expected = format!("{role} of `{}`: a list in `<` and `>`", self.name);
            return Err(self.parser.unexpected(expected));
        }
        let mut items = Vec::new();
        if self.parser.eat('>') {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.parser.eat('>') {
                return Ok(items);
            }
            if !self.parser.eat(',') {
                return Err(self.unclosed(format!("`,` or `>` in {role} of `{}`", self.name)));
            }
        }
    }

    fn number<T: FromStr + Bounded>(&mut self, role: &str) -> Result<T, ParseError> {
        let parsed = match self.parser.token {
            Token::Number(text) => text.parse().ok(),
            _ => None,
        };
        let Some(number) = parsed else {
            let expected = format!("{role} of `{}`: {}", self.name, T::RANGE);
            return Err(self.parser.unexpected(expected));
        };
        self.parser.bump();
        Ok(number)
    }

    fn distribution(&mut self) -> Result<Distribution, ParseError> {
        const NAMES: [&str; 3] = ["none", "block", "cyclic"];
        let make: fn(Option<u64>) -> Distribution = match self.parser.token {
            Token::Word("none") => |_| Distribution::None,
            Token::Word("block") => Distribution::Block,
            Token::Word("cyclic") => Distribution::Cyclic,
            Token::Word(other) => {
                let error = self.parser.unexpected("`none`, `block` or `cyclic`");
                return Err(error.with_hint(did_you_mean(other, NAMES.into_iter())));
            }
            _ => return Err(self.parser.unexpected("`none`, `block` or `cyclic`")),
        };
        let sized = self.parser.token != Token::Word("none");
        self.parser.bump();
        if !sized || !self.parser.eat('(') {
            return Ok(make(None));
        }
        let size = self.number("the block size")?;
        if !self.parser.eat(')') {
            return Err(self.parser.unexpected("`)` behind the block size"));
        }
        Ok(make(Some(size)))
    }
}

/// Integers that know how to say what they can be.
trait Bounded {
    const RANGE: NumberRange;
}

struct NumberRange(&'static str);

impl Bounded for u64 {
    const RANGE: NumberRange = NumberRange("a whole number from 0 to 2^64 - 1");
}

impl Bounded for i64 {
    const RANGE: NumberRange = NumberRange("an integer from -2^63 to 2^63 - 1");
}

impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

//! Recursive descent over the tokens. Nesting is limited to [`MAX_DEPTH`], and so is the
//! recursion.

use std::ops::Range;
use std::str::FromStr;

use super::args::Args;
use super::constructors::{self, NAMES};
use super::error::{ParseError, Problem};
use super::lexer::{Lexer, Token};
use super::suggest::did_you_mean;
use crate::{Basic, LayoutError, MAX_DEPTH, Type};

/// Reads one type. Time is linear in the text and in the lists that MPI constructors expand to.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse(source: &str) -> Result<Type, ParseError> {
    let mut parser = Parser::new(source);
    let ty = parser.ty("a type")?;
    match parser.token {
        Token::End => Ok(ty),
        _ => Err(parser.unexpected("the end of the input: the type is complete")),
    }
}

impl FromStr for Type {
    type Err = ParseError;

    fn from_str(source: &str) -> Result<Type, ParseError> {
        parse(source)
    }
}

/// The token at hand, and where it stands.
pub struct Parser<'s> {
    source: &'s str,
    lexer: Lexer<'s>,
    pub token: Token<'s>,
    pub span: Range<usize>,
    depth: usize,
}

impl<'s> Parser<'s> {
    pub fn new(source: &'s str) -> Self {
        let mut lexer = Lexer::new(source);
        let (token, span) = lexer.next();
        Parser { source, lexer, token, span, depth: 0 }
    }

    /// Steps to the next token.
    pub fn bump(&mut self) {
        (self.token, self.span) = self.lexer.next();
    }

    /// Whether this symbol is at hand; steps over it if so.
    pub fn eat(&mut self, symbol: char) -> bool {
        let found = self.token == Token::Symbol(symbol);
        if found {
            self.bump();
        }
        found
    }

    /// The error that something else is at hand than what must be.
    pub fn unexpected(&self, expected: impl Into<String>) -> ParseError {
        let problem =
            Problem::Unexpected { found: self.token.to_string(), expected: expected.into() };
        ParseError::new(self.source, self.span.clone(), problem)
    }

    /// The error that a constructor gave, at the place of its name.
    pub fn refused(&self, span: Range<usize>, error: LayoutError) -> ParseError {
        ParseError::new(self.source, span, Problem::Layout(error))
    }

    /// Line and column, for hints that point at a second place.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.source[..at];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// A type; `role` says what it is for.
    pub fn ty(&mut self, role: &str) -> Result<Type, ParseError> {
        let Token::Word(name) = self.token else {
            let expected = format!("{role}: a constructor or an MPI basic type");
            return Err(self.unexpected(expected));
        };
        let here = self.span.clone();
        self.bump();
        if NAMES.contains(&name) {
            return self.constructor(name, here);
        }
        match Type::predefined(name) {
            Some(ty) if self.token != Token::Symbol('(') => Ok(ty),
            Some(_) => {
                let expected = format!("nothing more of this type: `{name}` takes no arguments");
                Err(self.unexpected(expected))
            }
            None => Err(self.unknown_name(name, here)),
        }
    }

    fn constructor(&mut self, name: &'s str, here: Range<usize>) -> Result<Type, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let error = LayoutError::TooDeep { given: self.depth, limit: MAX_DEPTH };
            return Err(self.refused(here, error));
        }
        if !self.eat('(') {
            let hint =
                (name == "leaf").then(|| "a leaf has a basic type: leaf(MPI_BYTE)".to_owned());
            let expected = format!("`(` and the arguments of `{name}`");
            return Err(self.unexpected(expected).with_hint(hint));
        }
        let ty = constructors::construct(Args::new(self, name, here))?;
        self.depth -= 1;
        Ok(ty)
    }

    /// The error of a name that is neither a constructor nor a basic type, with the nearest one.
    fn unknown_name(&self, name: &'s str, span: Range<usize>) -> ParseError {
        let called = self.token == Token::Symbol('(');
        let basics = Basic::all().map(Basic::name).filter(|_| !called);
        let hint = did_you_mean(name, NAMES.iter().copied().chain(basics));
        let expected = if called { "a constructor" } else { "an MPI basic type or a constructor" };
        let problem = Problem::Unexpected {
            found: Token::Word(name).to_string(),
            expected: expected.to_owned(),
        };
        ParseError::new(self.source, span, problem).with_hint(hint)
    }

    /// A basic type, as the argument of `leaf`.
    pub fn basic(&mut self) -> Result<Basic, ParseError> {
        let expected = "an MPI basic type such as `MPI_INT`";
        let Token::Word(name) = self.token else { return Err(self.unexpected(expected)) };
        let Some(basic) = Basic::by_name(name) else {
            let hint = match Type::predefined(name) {
                Some(pair) => Some(format!("`{name}` is not basic, it is the type {pair}")),
                None => did_you_mean(name, Basic::all().map(Basic::name)),
            };
            return Err(self.unexpected(expected).with_hint(hint));
        };
        self.bump();
        Ok(basic)
    }
}

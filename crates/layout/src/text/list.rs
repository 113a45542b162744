//! Lists of displacements.

use super::error::ParseError;
use super::lexer::Token;
use super::parser::Parser;

/// Reads integers (bytes), separated by white space or commas; `#` starts a comment. There must be
/// at least one. Linear time.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn parse_displacements(source: &str) -> Result<Vec<i64>, ParseError> {
    const WHAT: &str = "a displacement: an integer from -2^63 to 2^63 - 1";
    let mut parser = Parser::new(source);
    let mut list = Vec::new();
    while parser.token != Token::End {
        let number = match parser.token {
            Token::Number(text) => text.parse().ok(),
            _ => None,
        };
        list.push(number.ok_or_else(|| parser.unexpected(WHAT))?);
        parser.bump();
        parser.eat(',');
    }
    if list.is_empty() { Err(parser.unexpected(WHAT)) } else { Ok(list) }
}

//! Tokens: words, numbers and single characters. Nothing is wrong at this level; what a token may
//! not be is for the parser to say.

use std::fmt;
use std::ops::Range;

/// One token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'s> {
    /// A letter or underscore, then letters, digits and underscores.
    Word(&'s str),
    /// An optional sign and a digit, then whatever touches it: `12`, `-3`, but also `1.5` or `2x`.
    Number(&'s str),
    /// Any other character.
    Symbol(char),
    /// Behind the last token.
    End,
}

impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Longer words are cut in messages.
        const SHOWN: usize = 40;
        match self {
            Token::Word(text) | Token::Number(text) if text.chars().count() > SHOWN => {
                write!(f, "`{}...`", text.chars().take(SHOWN).collect::<String>())
            }
            Token::Word(text) | Token::Number(text) => write!(f, "`{text}`"),
            Token::Symbol(c) => write!(f, "`{}`", c.escape_debug()),
            Token::End => f.write_str("end of input"),
        }
    }
}

/// Splits a source into tokens.
pub struct Lexer<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Lexer<'s> {
    pub fn new(source: &'s str) -> Self {
        Lexer { source, at: 0 }
    }

    /// The next token and its bytes.
    pub fn next(&mut self) -> (Token<'s>, Range<usize>) {
        self.skip_blanks();
        let (start, rest) = (self.at, self.rest());
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return (Token::End, start..start) };
        let signed = matches!(first, '+' | '-') && chars.next().is_some_and(|c| c.is_ascii_digit());
        let continues: fn(char) -> bool = match first {
            _ if signed || first.is_ascii_digit() => |c| c.is_alphanumeric() || "_.+-".contains(c),
            'a'..='z' | 'A'..='Z' | '_' => |c| c.is_alphanumeric() || c == '_',
            _ => |_| false,
        };
        let tail = &rest[first.len_utf8()..];
        let length = first.len_utf8() + tail.find(|c| !continues(c)).unwrap_or(tail.len());
        self.at += length;
        let text = &rest[..length];
        let token = match first {
            _ if signed || first.is_ascii_digit() => Token::Number(text),
            'a'..='z' | 'A'..='Z' | '_' => Token::Word(text),
            _ => Token::Symbol(first),
        };
        (token, start..self.at)
    }

    fn skip_blanks(&mut self) {
        loop {
            self.at = self.source.len() - self.rest().trim_start().len();
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }
}

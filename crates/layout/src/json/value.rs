//! A JSON text (RFC 8259) as a tree of values that know their place.

use std::ops::Range;

use crate::MAX_DEPTH;
use crate::text::{ParseError, Problem};

/// Deepest nesting of arrays and objects: each node of a type takes at most three (itself, its
/// members, the list of its children).
const MAX_NESTING: usize = 3 * MAX_DEPTH + 1;

/// A value and its bytes in the source.
pub struct Value<'s> {
    pub data: Data<'s>,
    pub span: Range<usize>,
}

pub enum Data<'s> {
    /// `null`, `true` or `false`.
    Word,
    /// As written.
    Number(&'s str),
    /// Escapes resolved.
    Text(String),
    Array(Vec<Value<'s>>),
    Object(Vec<Member<'s>>),
}

pub struct Member<'s> {
    pub name: String,
    pub name_span: Range<usize>,
    pub value: Value<'s>,
}

/// Reads one value and nothing behind it.
pub fn parse(source: &str) -> Result<Value<'_>, ParseError> {
    let mut reader = Reader { source, at: 0 };
    let value = reader.value(0)?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.unexpected("the end of the input: the value is complete")),
    }
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
}

impl<'s> Reader<'s> {
    fn value(&mut self, depth: usize) -> Result<Value<'s>, ParseError> {
        let first = self.peek();
        let start = self.at;
        let data = match first {
            Some('{' | '[') if depth == MAX_NESTING => {
                let limit = format!("at most {MAX_NESTING} levels of arrays and objects");
                return Err(self.unexpected(&limit));
            }
            Some('{') => Data::Object(self.object(depth)?),
            Some('[') => Data::Array(self.array(depth)?),
            Some('"') => Data::Text(self.text()?),
            Some('-' | '0'..='9') => {
                Data::Number(self.word(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)))
            }
            Some('a'..='z' | 'A'..='Z') => {
                let word = self.word(|c| c.is_ascii_alphanumeric() || c == '_');
                if !["null", "true", "false"].contains(&word) {
                    self.at = start;
                    return Err(self.unexpected("a JSON value (text stands in double quotes)"));
                }
                Data::Word
            }
            _ => return Err(self.unexpected("a JSON value")),
        };
        Ok(Value { data, span: start..self.at })
    }

    fn array(&mut self, depth: usize) -> Result<Vec<Value<'s>>, ParseError> {
        self.at += 1;
        let mut items = Vec::new();
        if self.eat(']') {
            return Ok(items);
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.eat(']') {
                return Ok(items);
            }
            if !self.eat(',') {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Vec<Member<'s>>, ParseError> {
        self.at += 1;
        let mut members: Vec<Member<'s>> = Vec::new();
        if self.eat('}') {
            return Ok(members);
        }
        loop {
            if self.peek() != Some('"') {
                return Err(self.unexpected("the name of a member, in double quotes"));
            }
            let start = self.at;
            let name = self.text()?;
            let name_span = start..self.at;
            if members.iter().any(|m| m.name == name) {
                self.at = start;
                return Err(self.unexpected("each member only once"));
            }
            if !self.eat(':') {
                return Err(self.unexpected("`:`"));
            }
            members.push(Member { name, name_span, value: self.value(depth + 1)? });
            if self.eat('}') {
                return Ok(members);
            }
            if !self.eat(',') {
                return Err(self.unexpected("`,` or `}`"));
            }
        }
    }

    /// A string; the opening quote is at hand.
    fn text(&mut self) -> Result<String, ParseError> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(c) = self.source[self.at..].chars().next() else {
                self.at = start;
                return Err(self.unexpected("a text that ends with `\"`"));
            };
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(text);
                }
                '\\' => text.push(self.escape()?),
                c if c < ' ' => return Err(self.unexpected("no control characters in a text")),
                c => {
                    self.at += c.len_utf8();
                    text.push(c);
                }
            }
        }
    }

    /// One escape; pairs of surrogates are refused (no name that we know needs one).
    fn escape(&mut self) -> Result<char, ParseError> {
        let rest = &self.source[self.at + 1..];
        let simple = rest.chars().next().and_then(|c| {
            Some(match c {
                '"' | '\\' | '/' => c,
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                _ => return None,
            })
        });
        if let Some(c) = simple {
            self.at += 2;
            return Ok(c);
        }
        let code = rest
            .strip_prefix('u')
            .and_then(|hex| hex.get(..4))
            .filter(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
            .and_then(|hex| u32::from_str_radix(hex, 16).ok())
            .and_then(char::from_u32);
        let c = code.ok_or_else(|| self.unexpected("an escape such as `\\n` or `\\u0041`"))?;
        self.at += 6;
        Ok(c)
    }

    /// The next character that is not blank; stops there.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.source[self.at..];
        let blank = |c| matches!(c, ' ' | '\t' | '\n' | '\r');
        self.at = self.source.len() - rest.trim_start_matches(blank).len();
        self.source[self.at..].chars().next()
    }

    fn eat(&mut self, symbol: char) -> bool {
        let found = self.peek() == Some(symbol);
        if found {
            self.at += symbol.len_utf8();
        }
        found
    }

    fn word(&mut self, belongs: impl Fn(char) -> bool) -> &'s str {
        let rest = &self.source[self.at..];
        let word = &rest[..rest.find(|c| !belongs(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn unexpected(&self, expected: &str) -> ParseError {
        let rest = &self.source[self.at..];
        let first = rest.chars().next();
        let (found, end) = match first {
            None => ("end of input".to_owned(), self.at),
            Some(c) => {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let quoted = usize::from(c == '"');
                let length = rest[quoted..].find(|c| !is_word(c)).unwrap_or(rest.len() - quoted);
                let length = if is_word(c) || quoted == 1 { quoted + length } else { 0 };
                let length = length.max(c.len_utf8());
                let closes = quoted == 1 && rest[length..].starts_with('"');
                let word = &rest[..length + usize::from(closes)];
                (
                    format!("`{}`", word.escape_debug().to_string().replace("\\\"", "\"")),
                    self.at + word.len(),
                )
            }
        };
        let problem = Problem::Unexpected { found, expected: expected.to_owned() };
        ParseError::new(self.source, self.at..end, problem)
    }
}

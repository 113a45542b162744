//! Tokens as the preprocessor of C sees them, C11 6.4.

/// The kind of a token, as far as macros ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier or a keyword.
    Name,
    /// A number, with its suffix.
    Number,
    /// A string or a character.
    Text,
    /// One character of anything else.
    Sign,
}

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    /// Its first byte.
    pub start: usize,
    /// Whether white space or a comment stands before it.
    pub spaced: bool,
}

/// The tokens of a text, without comments; the end of an unfinished string or comment is that of
/// the text. Linear.
pub(super) fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

pub(super) struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let before = self.at;
        self.at += blank(&self.text[self.at..]);
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        let (kind, length) = if is_name_start(first) {
            (Kind::Name, length_while(rest, is_name_part))
        } else if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(is_digit)) {
            (Kind::Number, number(rest))
        } else if first == '"' || first == '\'' {
            (Kind::Text, quoted(rest, first))
        } else {
            (Kind::Sign, first.len_utf8())
        };
        let token = Token {
            kind,
            text: &rest[..length],
            start: self.at,
            spaced: self.at > before || before == 0,
        };
        self.at += length;
        Some(token)
    }
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// Stands before a name that is no macro any more: it came out of its own expansion (C11
/// 6.10.3.4). No program has it: it is for private use in Unicode.
pub(super) const FINISHED: char = '\u{e000}';

fn is_name_start(c: char) -> bool {
    c == '_' || c == '$' || c == FINISHED || c.is_alphabetic()
}

fn is_name_part(c: char) -> bool {
    is_name_start(c) || c.is_alphanumeric()
}

fn length_while(text: &str, accept: impl Fn(char) -> bool) -> usize {
    text.find(|c| !accept(c)).unwrap_or(text.len())
}

/// Bytes of white space, comments and joined lines at the start.
fn blank(text: &str) -> usize {
    let mut at = 0;
    loop {
        let rest = &text[at..];
        at += if rest.starts_with(char::is_whitespace) {
            length_while(rest, char::is_whitespace)
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |end| end + 4)
        } else if rest.starts_with("\\\n") {
            2
        } else if rest.starts_with("\\\r\n") {
            3
        } else {
            return at;
        };
    }
}

/// Bytes of a preprocessing number: digits, letters, points, separators, and signs after an
/// exponent.
fn number(text: &str) -> usize {
    let mut previous = ' ';
    text.find(|c: char| {
        let part = is_name_part(c)
            || c == '.'
            || c == '\''
            || (matches!(c, '+' | '-') && matches!(previous, 'e' | 'E' | 'p' | 'P'));
        previous = c;
        !part
    })
    .unwrap_or(text.len())
}

/// Bytes of a string or character with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = true; // the first quote
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == quote || c == '\n' {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).map(|t| t.text).collect()
    }

    #[test]
    fn comments_strings_numbers_and_joined_lines() {
        assert_eq!(
            words("a/* b */+1.5e-3f // c\n'\\'' \"x\\\"y\" \\\n p->q"),
            ["a", "+", "1.5e-3f", "'\\''", "\"x\\\"y\"", "p", "-", ">", "q"]
        );
        assert_eq!(words("\"unfinished"), ["\"unfinished"]);
        assert_eq!(words("/* unfinished"), [""; 0]);
        assert_eq!(words("0x1F .5 5."), ["0x1F", ".5", "5."]);
    }

    #[test]
    fn white_space_is_told() {
        let spaced: Vec<bool> = tokens("a +b").map(|t| t.spaced).collect();
        assert_eq!(spaced, [true, true, false]);
    }
}

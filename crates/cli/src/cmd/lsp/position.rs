//! Places in texts: bytes here, lines and characters in the protocol.

use std::ops::Range;

use commloom_refactor::source::Lines;
use lsp_types::{Position, PositionEncodingKind, Range as Stretch};

/// The unit in which characters are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits, what the protocol takes if nothing else is agreed on.
    Utf16,
}

impl Encoding {
    /// Bytes where the editor can, so that nothing has to be counted.
    pub fn among(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let utf8 = offered.is_some_and(|all| all.contains(&PositionEncodingKind::UTF8));
        if utf8 { Encoding::Utf8 } else { Encoding::Utf16 }
    }

    /// Its name in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn length(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        }
    }
}

/// A text and where its lines start.
pub struct Index<'a> {
    text: &'a str,
    lines: Lines,
}

impl<'a> Index<'a> {
    pub fn of(text: &'a str) -> Self {
        Index { text, lines: Lines::of(text) }
    }

    /// The bytes, as lines and characters. What lies past the end is the end.
    pub fn lines(&self, bytes: &Range<usize>, encoding: Encoding) -> Stretch {
        Stretch {
            start: self.position(bytes.start, encoding),
            end: self.position(bytes.end, encoding),
        }
    }

    fn position(&self, at: usize, encoding: Encoding) -> Position {
        let (line, before) = self.lines.before(self.text, at);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position { line: number(line), character: number(encoding.length(before)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_in_what_was_agreed_on() {
        let text = "a\nxä𝄞y\n";
        let index = Index::of(text);
        let y = text.find('y').expect("there");
        let at = |encoding| index.lines(&(y..text.len()), encoding);
        let place = |line, character| Position { line, character };
        assert_eq!(at(Encoding::Utf8), Stretch { start: place(1, 7), end: place(2, 0) });
        assert_eq!(at(Encoding::Utf16), Stretch { start: place(1, 4), end: place(2, 0) });
        assert_eq!(index.lines(&(99..99), Encoding::Utf8).start, place(2, 0));
    }
}

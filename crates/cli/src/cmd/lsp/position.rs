//! Places in texts: bytes here, lines and characters in the protocol.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind, Range as Lines};

/// What a character is counted in.
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

/// Where the lines of a text start, in bytes.
pub struct Index<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Index<'a> {
    pub fn of(text: &'a str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        Index { text, starts: std::iter::once(0).chain(after).collect() }
    }

    /// The bytes, as lines and characters. What lies past the end is the end.
    pub fn lines(&self, bytes: &Range<usize>, encoding: Encoding) -> Lines {
        Lines {
            start: self.position(bytes.start, encoding),
            end: self.position(bytes.end, encoding),
        }
    }

    fn position(&self, at: usize, encoding: Encoding) -> Position {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let before = &self.text[self.starts[line]..at];
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
        assert_eq!(at(Encoding::Utf8), Lines { start: place(1, 7), end: place(2, 0) });
        assert_eq!(at(Encoding::Utf16), Lines { start: place(1, 4), end: place(2, 0) });
        assert_eq!(index.lines(&(99..99), Encoding::Utf8).start, place(2, 0));
    }
}

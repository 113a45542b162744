//! Errors in a text, and their positions.

use std::fmt;
use std::ops::Range;

use crate::LayoutError;

/// The kind of error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The text has something else here than it must have.
    Unexpected {
        /// The text found there, quoted, or `end of input`.
        found: String,
        /// The text that had to stand there.
        expected: String,
    },
    /// The text is well formed, but the constructor refuses its arguments.
    Layout(LayoutError),
    /// The error of a reader of another notation (see [`ParseError::other`]).
    Other(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unexpected { found, expected } => {
                write!(f, "expected {expected}, found {found}")
            }
            Problem::Layout(error) => error.fmt(f),
            Problem::Other(message) => f.write_str(message),
        }
    }
}

/// An error in a text, with its place. [`ParseError::render`] shows the line with a caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    problem: Problem,
    hint: Option<String>,
    span: Range<usize>,
    line: usize,
    column: usize,
    width: usize,
    text: String,
}

impl ParseError {
    /// An error at these bytes of the source. They must lie on character boundaries.
    pub(crate) fn new(source: &str, span: Range<usize>, problem: Problem) -> ParseError {
        let before = &source[..span.start];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let text = source[line_start..].lines().next().unwrap_or("");
        let end = span.end.min(line_start + text.len()).max(span.start);
        ParseError(Box::new(Inner {
            problem,
            hint: None,
            line: before.matches('\n').count() + 1,
            column: source[line_start..span.start].chars().count() + 1,
            width: source[span.start..end].chars().count().max(1),
            text: text.to_owned(),
            span,
        }))
    }

    /// An error in a text of another notation, for readers outside this crate that want to show it
    /// in the same way. A span that is no part of `source` is moved to the nearest one that is.
    #[must_use]
    pub fn other(source: &str, span: Range<usize>, message: impl Into<String>) -> ParseError {
        let whole = |at: &usize| source.is_char_boundary(*at);
        let start = (0..=span.start.min(source.len())).rev().find(whole).unwrap_or(0);
        let end = (span.end.max(start)..source.len()).find(whole).unwrap_or(source.len());
        ParseError::new(source, start..end, Problem::Other(message.into()))
    }

    /// The same error with what the author of the text may have meant; `None` changes nothing.
    #[must_use]
    pub fn with_hint(mut self, hint: Option<String>) -> ParseError {
        self.0.hint = hint.or(self.0.hint);
        self
    }

    /// The kind of error.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// A guess at the author's intention.
    #[must_use]
    pub fn hint(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// Line of the first wrong character, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Column of the first wrong character, from 1, in characters.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// The wrong bytes of the source; empty at its end.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.0.span.clone()
    }

    /// The message with the source line, a caret under the place, and the hint, on several lines.
    /// `name` says where the text came from: a file, or what was given on the command line.
    #[must_use]
    pub fn render(&self, name: &str) -> String {
        let Inner { problem, hint, line, column, .. } = &*self.0;
        let (text, offset, width) = self.window();
        let gutter = " ".repeat(line.to_string().len());
        let mut message = format!(
            "{problem}\n{gutter}--> {name}:{line}:{column}\n{gutter} |\n{line} | {text}\n\
             {gutter} | {}{}",
            " ".repeat(offset),
            "^".repeat(width)
        );
        if let Some(hint) = hint {
            message.push_str(&format!("\n{gutter} = help: {hint}"));
        }
        message
    }

    /// The part of the line to show, and where in it the caret starts and how wide it is. Lines of
    /// generated lists can have millions of characters.
    fn window(&self) -> (String, usize, usize) {
        const BEFORE: usize = 60;
        const SHOWN: usize = 100;
        let Inner { text, column, width, .. } = &*self.0;
        let at = column - 1;
        let skipped = at.saturating_sub(BEFORE);
        let mut shown: String = text.chars().skip(skipped).take(SHOWN).map(printable).collect();
        let mut offset = at - skipped;
        let width = (*width).min(SHOWN - offset).max(1);
        if text.chars().nth(skipped + SHOWN).is_some() {
            shown.push_str(" ...");
        }
        if skipped > 0 {
            shown.insert_str(0, "... ");
            offset += 4;
        }
        (shown, offset, width)
    }
}

/// One column on every terminal.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{FFFD}',
        // They change the order in which a line is shown, and the place of the caret in it.
        '\u{061C}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        c => c,
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { problem, hint, line, column, .. } = &*self.0;
        write!(f, "line {line}, column {column}: {problem}")?;
        match hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.problem {
            Problem::Layout(error) => Some(error),
            Problem::Unexpected { .. } | Problem::Other(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_shown_in_its_order_with_the_caret_below_the_place() {
        let source = "a\u{202e}\x1b[2Jb \u{2066}wrong";
        let start = source.find("wrong").unwrap();
        let shown = ParseError::other(source, start..source.len(), "wrong").render("file");
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[3], "1 | a\u{FFFD}\u{FFFD}[2Jb \u{FFFD}wrong");
        assert_eq!(lines[4], "  |          ^^^^^");
    }

    #[test]
    fn a_span_that_is_no_part_of_the_text_is_moved_to_one_that_is() {
        let source = "a = \u{fc}\nb = 2";
        for (given, moved) in
            [(4..6, 4..6), (5..6, 4..6), (4..5, 4..6), (7..8, 7..8), (90..95, 12..12)]
        {
            let error = ParseError::other(source, given.clone(), "wrong");
            assert_eq!(error.span(), moved, "{given:?}");
            assert!(error.render("file").starts_with("wrong\n"), "{error}");
        }
        let (start, end) = (3, 1);
        assert_eq!(ParseError::other(source, start..end, "wrong").span(), 3..3);
        assert_eq!(
            ParseError::other("", 0..0, "nothing").render("f"),
            "nothing\n --> f:1:1\n  |\n1 | \n  | ^"
        );
    }
}

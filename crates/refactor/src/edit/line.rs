//! Lines around a place.

use std::ops::Range;

/// A text and its line ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lines<'t> {
    pub text: &'t str,
    /// `\n` or `\r\n`
    pub end: &'static str,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Lines<'t> {
        Lines { text, end: if text.contains("\r\n") { "\r\n" } else { "\n" } }
    }

    /// Where the line of a byte begins.
    pub(super) fn start(self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(self.text);
        before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Where the line of a byte ends, before its line end.
    pub(super) fn stop(self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or("");
        let length = rest.find('\n').unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or("");
        at + line.trim_end_matches('\r').len()
    }

    /// Where the next line begins.
    pub(super) fn next(self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or("");
        rest.find('\n').map_or(self.text.len(), |newline| at + newline + 1)
    }

    /// The text before a byte in its line.
    pub(super) fn before(self, at: usize) -> &'t str {
        self.text.get(self.start(at)..at).unwrap_or("")
    }

    /// The text behind a byte in its line.
    pub(super) fn behind(self, at: usize) -> &'t str {
        self.text.get(at..self.stop(at)).unwrap_or("")
    }

    /// The white space that the line of a byte begins with.
    pub(super) fn indent(self, at: usize) -> &'t str {
        let start = self.start(at);
        let line = self.text.get(start..self.stop(start)).unwrap_or("");
        let length = line.len() - line.trim_start().len();
        line.get(..length.min(at.saturating_sub(start))).unwrap_or("")
    }

    /// The line before that of a byte.
    pub(super) fn previous(self, at: usize) -> Option<Range<usize>> {
        let start = self.start(at);
        let end = start.checked_sub(1)?;
        Some(self.start(end)..end)
    }
}

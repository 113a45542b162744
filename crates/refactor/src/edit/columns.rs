//! Columns of fixed form, and what stands behind the last one of a statement.

use std::collections::BTreeSet;
use std::ops::Range;

use commloom_read::fortran::card;
use commloom_source::{Language, Source};

use super::change::Change;
use super::line::Lines;
use super::rewrite::Editor;

/// The changes that take away names and numbers of cards (columns 73 to 80) from lines of which
/// some changes leave a part: in other columns they would be text of the program.
pub fn without_cards(source: &Source, changes: &[Change]) -> Vec<Change> {
    if source.language != Language::FortranFixed {
        return Vec::new();
    }
    let lines = Lines::of(&source.text);
    let mut found = BTreeSet::new();
    for change in changes {
        let start = lines.start(change.range.end);
        let stop = lines.stop(start);
        let line = source.text.get(start..stop).unwrap_or("");
        let Some(at) = card(line) else { continue };
        let code = start + line.get(..at).unwrap_or("").trim_end().len();
        let is_gone = changes.iter().any(|c| c.range.start <= code && c.range.end >= stop);
        // What is inserted before the line, or behind it, moves nothing.
        let is_outside = change.range.end == start || change.range.start >= code;
        if !is_gone && !is_outside {
            found.insert((code, stop));
        }
    }
    found.into_iter().map(|(at, to)| Change { range: at..to, new: String::new() }).collect()
}

impl Editor<'_> {
    /// The text behind a byte in its line, without the name or number of a card.
    pub(super) fn behind(&self, at: usize) -> &str {
        let behind = self.lines.behind(at);
        let start = self.lines.start(at);
        let line = self.lines.text.get(start..self.lines.stop(at)).unwrap_or("");
        let end = card(line).filter(|_| self.fixed).and_then(|end| (start + end).checked_sub(at));
        end.and_then(|end| behind.get(..end)).unwrap_or(behind)
    }

    /// Behind a comment that ends the line, or right here.
    pub(super) fn after_comment(&self, at: usize, marks: &[&str]) -> usize {
        let behind = self.behind(at).trim();
        let is_comment = marks.iter().any(|m| behind.starts_with(m))
            && (!behind.starts_with("/*") || behind.find("*/") == behind.len().checked_sub(2));
        if behind.is_empty() || is_comment { self.lines.stop(at) } else { at }
    }

    /// The columns that a line takes. A tab of fixed form goes to column 7.
    pub(super) fn columns(&self, line: &str) -> usize {
        let tab = line.chars().position(|c| c == '\t').filter(|at| self.fixed && *at < 6);
        line.chars().count() + tab.map_or(0, |at| 5 - at)
    }

    /// The parts of a range of fixed form that stand past column 72.
    pub(super) fn behind_statement(&self, range: &Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end {
            let stop = self.lines.stop(at).min(range.end);
            let line = self.lines.text.get(self.lines.start(at)..stop).unwrap_or("");
            let room = 72_usize.saturating_sub(self.columns(line) - line.chars().count());
            let last = line.char_indices().nth(room).map(|(n, _)| self.lines.start(at) + n);
            found.extend(last.map(|last| last.max(at)..stop).filter(|r| !r.is_empty()));
            at = self.lines.next(at);
        }
        found
    }
}

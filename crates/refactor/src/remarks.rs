//! Comments that nothing is left under: those above lines that go, where a blank line, another
//! comment or the end of a block follows. One that does not speak of copies stays, over what comes
//! next. Of two blank lines that come together one goes.

use std::ops::Range;

use commloom_source::{FileId, Source, Span};

use crate::edit;
use crate::finding::Edit;

/// Words that say of a comment that it is about copies, by their beginnings.
const OF_COPIES: &[&str] = &[
    "pack", "unpack", "copy", "copi", "fill", "gather", "scatter", "buffer", "load", "unload",
    "stage", "insert", "extract", "put", "take", "store", "assemble", "collect",
];

/// Comments that tools read.
const OF_TOOLS: &[&str] = &["clang-format", "NOLINT", "LCOV", "GCOV", "coverity", "lint"];

/// The edits of a file, and those that take such comments and blank lines away. Linear in the
/// text.
pub(crate) fn without(source: &Source, file: FileId, edits: Vec<Edit>) -> Vec<Edit> {
    let page = Page { source, text: &source.text };
    let mut all = edits;
    for gone in page.gaps(&all) {
        let is_filled = all.iter().any(|e| !e.text.is_empty() && e.span.start == gone.end);
        let around = if is_filled { Vec::new() } else { page.around(&gone) };
        all.extend(around.into_iter().map(|range| {
            let span = Span { file, start: range.start, end: range.end };
            Edit { span, text: String::new() }
        }));
    }
    all.sort_by_key(|edit| (edit.span.start, edit.span.end));
    all
}

struct Page<'s> {
    source: &'s Source,
    text: &'s str,
}

impl Page<'_> {
    /// Whole lines that go, together with blank ones between them.
    fn gaps(&self, edits: &[Edit]) -> Vec<Range<usize>> {
        let is_start = |at: usize| at == 0 || self.text.as_bytes().get(at - 1) == Some(&b'\n');
        let mut gaps: Vec<Range<usize>> = Vec::new();
        let mut whole: Vec<Range<usize>> = edits
            .iter()
            .filter(|e| e.text.is_empty() && e.span.start < e.span.end)
            .map(|e| e.span.range())
            .filter(|range| is_start(range.start) && is_start(range.end))
            .collect();
        whole.sort_by_key(|range| range.start);
        for range in whole {
            match gaps.last_mut() {
                Some(last) if self.is_blank(last.end..range.start) => last.end = range.end,
                _ => gaps.push(range),
            }
        }
        gaps
    }

    fn is_blank(&self, range: Range<usize>) -> bool {
        self.text.get(range).is_some_and(|text| text.trim().is_empty())
    }

    /// The ranges that go with some lines.
    fn around(&self, gone: &Range<usize>) -> Vec<Range<usize>> {
        let start = self.comments(gone.start);
        let blank = self.line(gone.end).filter(|line| self.is_blank(line.clone()));
        let behind = blank.as_ref().map_or(gone.end, |line| line.end);
        let ends = self.line(gone.end).is_some_and(|line| self.closes(line));
        let is_other = self.line(behind).is_some_and(|line| self.is_comment(line));
        let mut all = Vec::new();
        if start < gone.start {
            let words = &self.text[start..gone.start];
            if OF_TOOLS.iter().any(|tool| words.contains(tool)) {
                return all;
            }
            let is_loose = ends || is_other || (blank.is_some() && is_of_copies(words));
            if !is_loose {
                // It stands over what comes next.
                return blank.into_iter().collect();
            }
            all.push(start..gone.start);
        }
        let above = self.previous(start).is_none_or(|line| self.is_blank(line.clone()));
        if let Some(blank) = blank.filter(|_| above) {
            all.push(blank);
        }
        all
    }

    /// The line that begins here, with its end.
    fn line(&self, start: usize) -> Option<Range<usize>> {
        let rest = self.text.get(start..).filter(|rest| !rest.is_empty())?;
        Some(start..start + rest.find('\n').map_or(rest.len(), |at| at + 1))
    }

    /// The line that ends here.
    fn previous(&self, end: usize) -> Option<Range<usize>> {
        let before = self.text.get(..end)?.strip_suffix('\n')?;
        Some(before.rfind('\n').map_or(0, |at| at + 1)..end)
    }

    /// Where the comments begin that stand right above a line, each with lines of its own.
    fn comments(&self, line: usize) -> usize {
        let mut start = line;
        while let Some(above) = self.previous(start) {
            let text = self.text[above.clone()].trim();
            if self.is_comment(above.clone()) && !edit::is_directive(self.source.language, text) {
                start = above.start;
            } else if !self.source.language.is_fortran() && text.ends_with("*/") {
                let Some(open) = self.text[..above.end].rfind("/*") else { break };
                let first = self.text[..open].rfind('\n').map_or(0, |at| at + 1);
                if !self.is_blank(first..open) || text.find("*/") != Some(text.len() - 2) {
                    break;
                }
                start = first;
            } else {
                break;
            }
        }
        start
    }

    /// Whether a line is the beginning of a comment, or all of one.
    fn is_comment(&self, line: Range<usize>) -> bool {
        let Some(text) = self.text.get(line) else { return false };
        let first = text.trim_start();
        if self.source.language.is_fortran() {
            let is_fixed = self.source.language == commloom_source::Language::FortranFixed;
            // `!$ n = 1` is a statement where threads are compiled.
            if ["!$", "c$", "C$", "*$"].iter().any(|mark| first.starts_with(mark)) {
                return false;
            }
            return first.starts_with('!') || (is_fixed && text.starts_with(['c', 'C', '*']));
        }
        let is_whole = first.starts_with("/*") && first.trim_end().ends_with("*/");
        first.starts_with("//") || is_whole && first.matches("*/").count() == 1
    }

    /// Whether a line ends a block.
    fn closes(&self, line: Range<usize>) -> bool {
        let Some(text) = self.text.get(line) else { return false };
        let text = text.trim_start();
        if !self.source.language.is_fortran() {
            return text.starts_with('}');
        }
        let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let word = word.to_ascii_lowercase();
        ["end", "enddo", "endif", "endwhere", "else", "elseif", "case"].contains(&word.as_str())
    }
}

/// Whether a comment speaks of copies.
fn is_of_copies(comment: &str) -> bool {
    let lower = comment.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    words.any(|word| OF_COPIES.iter().any(|begin| word.starts_with(begin)))
}

//! Lines that begin with a mark that makes them statements under an option of the compiler.

use std::ops::Range;

/// A statement that may be a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conditional {
    /// Its bytes in the normalized text, without a comment behind it.
    pub range: Range<usize>,
    /// The bytes of the original, from the mark on.
    pub original: Range<usize>,
}

/// A line of fixed form whose mark became blanks, where it has one.
pub(super) fn unmarked_fixed(line: &str) -> Option<String> {
    let marks = ["!$", "c$", "C$", "*$", "d", "D"];
    let mark = marks.into_iter().find(|mark| line.starts_with(mark))?;
    let rest = line.get(mark.len()..).unwrap_or("");
    Some(format!("{}{rest}", " ".repeat(mark.len())))
}

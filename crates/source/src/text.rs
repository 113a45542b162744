//! Texts of programs, and places in them.

use std::ops::Range;

/// How a text is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// C, up to C23.
    C,
    /// C++.
    Cpp,
    /// Fortran, where a line ends a statement.
    FortranFree,
    /// Fortran in columns 7 to 72.
    FortranFixed,
}

impl Language {
    /// The language that the end of a file's name tells: `.c .h` are C; `.cc .cpp .cxx .hpp .hh
    /// .C` C++; `.f .for .f77 .inc .incl` Fortran in fixed form, `.f90 .f95 .f03 .f08 .F90 ...` in
    /// free form. Case counts for `.C` only.
    pub fn of_name(name: &str) -> Option<Language> {
        let extension = name.rsplit_once('.')?.1;
        if extension == "C" {
            return Some(Language::Cpp);
        }
        match extension.to_ascii_lowercase().as_str() {
            "c" | "h" => Some(Language::C),
            "cc" | "cpp" | "cxx" | "c++" | "hpp" | "hh" | "hxx" => Some(Language::Cpp),
            "f" | "for" | "f77" | "ftn" | "inc" | "incl" | "fpp" => Some(Language::FortranFixed),
            "f90" | "f95" | "f03" | "f08" | "f18" => Some(Language::FortranFree),
            _ => None,
        }
    }

    /// Either form.
    pub fn is_fortran(self) -> bool {
        matches!(self, Language::FortranFree | Language::FortranFixed)
    }
}

/// One file of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its path, as messages give it.
    pub name: String,
    /// How it is read.
    pub language: Language,
    /// All of it.
    pub text: String,
}

impl Source {
    /// Whether a text that its name says is in fixed form cannot be: a statement begins in columns
    /// 1 to 5, where fixed form has labels only.
    pub fn is_free_form(&self) -> bool {
        const WORDS: &[&str] = &[
            "module",
            "program",
            "subroutine",
            "function",
            "use",
            "implicit",
            "integer",
            "real",
            "end",
            "if",
            "do",
            "call",
            "contains",
        ];
        self.text.lines().any(|line| {
            let word = line.trim_start_matches(' ');
            let column = line.len() - word.len();
            // A comment, a statement for debugging.
            let is_remark = column == 0 && word.starts_with(['c', 'C', 'd', 'D']);
            let end = word.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(word.len());
            column + end.min(1) < 6
                && !is_remark
                && WORDS.iter().any(|known| known.eq_ignore_ascii_case(&word[..end]))
        })
    }
}

/// Number of a file in its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Bytes `start..end` of the text of one file, as it was given (not of a normalized one).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Whose text.
    pub file: FileId,
    /// First byte.
    pub start: usize,
    /// Past the last byte.
    pub end: usize,
}

impl Span {
    /// As a range of bytes.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether another span lies in this one.
    pub fn contains(self, inner: Span) -> bool {
        self.file == inner.file && self.start <= inner.start && inner.end <= self.end
    }

    /// The smallest span with both, which lie in one file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// Where the lines of a text start: one pass over the text, then each place is found in
/// logarithmic time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    /// Of this text.
    pub fn of(text: &str) -> Lines {
        let after = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        Lines { starts: std::iter::once(0).chain(after).collect() }
    }

    /// The line, from 0, that a byte of the text lies in, and what of the text stands before the
    /// byte on its line. What lies past the end is the end, and what lies in a character is its
    /// start.
    pub fn before<'t>(&self, text: &'t str, offset: usize) -> (usize, &'t str) {
        let mut at = offset.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= at).saturating_sub(1);
        (line, self.starts.get(line).and_then(|&start| text.get(start..at)).unwrap_or(""))
    }
}

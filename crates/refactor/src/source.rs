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
    /// What the end of a file's name says: `.c .h` are C; `.cc .cpp .cxx .hpp .hh .C` C++; `.f .for .f77 .inc .incl` Fortran in fixed form, `.f90 .f95 .f03 .f08
    /// .F90 ...` in free form. Case counts for `.C` only.
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

    /// The smallest span with both, which lie in one file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl Source {
    /// Line and column (in characters), from 1, of a byte of the text. Time linear in the offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(&self.text);
        let line = before.bytes().filter(|&b| b == b'\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

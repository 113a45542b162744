//! Places in a program.

use std::fmt;
use std::path::Path;

use serde::Serialize;

/// From where a call was made.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Called {
    /// The function with the call, then those that it was inlined into, each with the line in it.
    /// Empty where nothing is known.
    pub frames: Vec<Frame>,
    /// Module and offset.
    pub address: String,
}

/// A line of a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub struct Frame {
    /// The function, where it is known.
    pub function: Option<String>,
    /// As the compiler was given it, with its directory.
    pub file: Option<String>,
    /// From 1.
    pub line: Option<u32>,
    /// Whether it is Fortran, by its debug information or the name of its file.
    #[serde(skip)]
    pub is_fortran: bool,
}

impl Called {
    /// The line with the call.
    #[must_use]
    pub fn place(&self) -> Option<(&str, u32)> {
        let frame = self.frames.first()?;
        Some((frame.file.as_deref()?, frame.line?))
    }
}

impl Frame {
    /// Whether this is the function.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.function.as_deref() == Some(name)
    }
}

impl fmt::Display for Called {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.frames.first() {
            Some(frame) => frame.fmt(f),
            None => f.write_str(&self.address),
        }
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match (&self.file, self.line) {
            (Some(file), Some(line)) => Some(format!("{}:{line}", file_name(file))),
            (Some(file), None) => Some(file_name(file).to_owned()),
            (None, _) => None,
        };
        match (&self.function, place) {
            (Some(function), Some(place)) => write!(f, "{function} ({place})"),
            (Some(function), None) => f.write_str(function),
            (None, Some(place)) => f.write_str(&place),
            (None, None) => f.write_str("?"),
        }
    }
}

/// Without the folders.
#[must_use]
pub fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

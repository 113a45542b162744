//! Variables that begin as commloom's and are none of its settings: mostly misspelt.

use std::ffi::OsString;
use std::fmt;

use crate::SETTINGS;

/// Variables of the project's own tests and scripts, which a test run has around every program.
const DEVELOPMENT: &[&str] = &[
    "ACCEPT",
    "BIN",
    "CASES",
    "ELEMENTS",
    "KEEP",
    "LIBRARIES",
    "MESSAGES",
    "MPICC",
    "NO_INSTALL",
    "NPB",
    "PATTERN",
    "PROGRAMS",
    "PYTHON",
    "RANKS",
    "REQUIRE_BROWSER",
    "REQUIRE_MPI",
    "SEED",
    "TABLE",
    "TIMES",
    "VERBOSE",
    "WRITE_SEEDS",
];

/// Variables that `commloom exec` has named already, with commas between them: set by it for the
/// preload.
pub const TOLD: &str = "COMMLOOM_TOLD";

/// A variable that nobody reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// The setting that may be meant.
    pub meant: Option<&'static str>,
}

/// Variables that begin with `COMMLOOM` and that nobody reads, in alphabetical order.
pub fn unknown(names: impl Iterator<Item = OsString>) -> Vec<Unknown> {
    let ours = names.filter_map(|name| {
        let name = name.to_string_lossy().into_owned();
        let rest = name.strip_prefix("COMMLOOM")?;
        // Shells export functions and modules with other characters in their names.
        let is_plain = rest.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
        let is_known = SETTINGS.iter().any(|s| s.name == name)
            || name == TOLD
            || rest.strip_prefix('_').is_some_and(|rest| DEVELOPMENT.contains(&rest));
        (is_plain && !is_known).then_some(name)
    });
    let mut ours: Vec<String> = ours.collect();
    ours.sort();
    ours.into_iter().map(|name| Unknown { meant: nearest(&name), name }).collect()
}

/// The setting whose name differs in the fewest characters, if those are few.
fn nearest(name: &str) -> Option<&'static str> {
    let distances = SETTINGS.iter().map(|s| (distance(name, s.name), s.name));
    distances.filter(|(far, _)| *far <= 3).min().map(|(_, name)| name)
}

/// Characters that have to be inserted, left out or changed.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let change = before + usize::from(x != y);
            before = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no setting of commloom and has no effect", self.name)?;
        self.meant.map_or(Ok(()), |meant| write!(f, "; is {meant} meant?"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(names: &[&str]) -> Vec<String> {
        unknown(names.iter().map(OsString::from)).iter().map(Unknown::to_string).collect()
    }

    #[test]
    fn settings_and_variables_of_others_are_not_named() {
        assert_eq!(said(&["COMMLOOM", "COMMLOOM_OFF", "PATH", "COMMLOOM_TOLD"]), [""; 0]);
        assert_eq!(said(&["COMMLOOM_MPICC", "BASH_FUNC_COMMLOOM%%", "COMMLOOMÄ"]), [""; 0]);
    }

    #[test]
    fn misspelt_ones_are_named_with_what_may_be_meant() {
        let none = "is no setting of commloom and has no effect";
        assert_eq!(
            said(&["COMMLOOM_REPROT", "COMMLOOM_TELEPORT_ALL"]),
            [
                format!("COMMLOOM_REPROT {none}; is COMMLOOM_REPORT meant?"),
                format!("COMMLOOM_TELEPORT_ALL {none}"),
            ]
        );
        assert_eq!(distance("abc", "xbcd"), 2);
    }
}

//! [`Setting`]: one variable, what it may say, and reading it.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;

use commloom_guard::one_line;

/// A variable that the user may set. An empty one counts as not set.
#[derive(Debug, PartialEq, Eq)]
pub struct Setting {
    /// `COMMLOOM_WARMUP`.
    pub name: &'static str,
    /// The values that are allowed.
    pub allowed: Allowed,
    /// The effect, without a full stop.
    pub meaning: &'static str,
    /// The default, in words.
    pub default: &'static str,
}

/// The values of a setting. Words may be written in capitals.
#[derive(Debug, PartialEq, Eq)]
pub enum Allowed {
    /// One of these.
    Word(&'static [&'static str]),
    /// Some of these, with commas between them.
    Words(&'static [&'static str]),
    /// A whole number of this unit.
    Number(&'static str),
    /// A path, called this.
    Path(&'static str),
}

/// A setting with a value that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The variable.
    pub name: &'static str,
    /// The value, with control characters and bytes that are no text escaped.
    pub value: String,
    /// The values that are allowed, in words.
    pub allowed: String,
}

impl Setting {
    /// Its value, where it is set.
    pub fn value(&self, get: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
        get(self.name).filter(|value| !value.is_empty())
    }

    /// The path that it names.
    pub fn path(&self, get: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
        self.value(get).map(PathBuf::from)
    }

    /// The word that it is.
    ///
    /// # Errors
    /// It is another one.
    pub fn word(
        &self,
        get: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Option<&'static str>, Problem> {
        Ok(self.words(get)?.first().copied())
    }

    /// The words that are in it.
    ///
    /// # Errors
    /// One of them is not allowed.
    pub fn words(
        &self,
        get: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Vec<&'static str>, Problem> {
        let Some(value) = self.value(get) else { return Ok(Vec::new()) };
        let text = value.to_str().unwrap_or("\u{fffd}");
        let (known, given): (_, Vec<&str>) = match self.allowed {
            Allowed::Word(known) => (known, vec![text]),
            Allowed::Words(known) => (known, text.split(',').map(str::trim).collect()),
            Allowed::Number(_) | Allowed::Path(_) => return Ok(Vec::new()),
        };
        let find = |word: &str| known.iter().copied().find(|k| k.eq_ignore_ascii_case(word));
        let words: Option<Vec<_>> = given.into_iter().map(find).collect();
        words.ok_or_else(|| self.problem(&value))
    }

    /// The number that it is.
    ///
    /// # Errors
    /// It is none, or too large.
    pub fn number(&self, get: impl Fn(&str) -> Option<OsString>) -> Result<Option<u64>, Problem> {
        let Some(value) = self.value(get) else { return Ok(None) };
        let number = value.to_str().and_then(|text| text.parse().ok());
        number.map(Some).ok_or_else(|| self.problem(&value))
    }

    /// Whether it can be read at all.
    ///
    /// # Errors
    /// It cannot.
    pub fn check(&self, get: impl Fn(&str) -> Option<OsString>) -> Result<(), Problem> {
        match self.allowed {
            Allowed::Word(_) | Allowed::Words(_) => self.words(get).map(drop),
            Allowed::Number(_) => self.number(get).map(drop),
            Allowed::Path(_) => Ok(()),
        }
    }

    fn problem(&self, value: &OsStr) -> Problem {
        let allowed = self.allowed.to_string();
        Problem { name: self.name, value: shown(value), allowed }
    }
}

/// A value as it may stand on a terminal, cut where it is long.
fn shown(value: &OsStr) -> String {
    let text = value.to_string_lossy();
    let short: String = text.chars().take(LONGEST).collect();
    let rest = if short.len() < text.len() { "..." } else { "" };
    format!("{}{rest}", one_line(&short))
}

/// Characters of a value that are shown.
const LONGEST: usize = 200;

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Allowed::Word(words) => match words.split_last() {
                Some((last, [])) => f.write_str(last),
                Some((last, others)) => write!(f, "{} or {last}", others.join(", ")),
                None => Ok(()),
            },
            Allowed::Words(words) => {
                write!(f, "one or more of {}, separated by commas", words.join(", "))
            }
            Allowed::Number(unit) => write!(f, "a whole number of {unit}"),
            Allowed::Path(what) => f.write_str(what),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is `{}`; allowed: {}", self.name, self.value, self.allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FORCE, OFF, REPORT, SETTINGS, SWITCH, WARMUP};
    use std::os::unix::ffi::OsStringExt;

    fn set(value: &'static str) -> impl Fn(&str) -> Option<OsString> {
        move |_| Some(value.into())
    }

    #[test]
    fn words_are_read_in_any_case_and_an_empty_setting_is_none() {
        assert_eq!(SWITCH.word(set("OFF")), Ok(Some("off")));
        assert_eq!(OFF.words(set("types, pack")), Ok(vec!["types", "pack"]));
        for setting in SETTINGS {
            assert_eq!(setting.check(set("")), Ok(()), "{}", setting.name);
            assert_eq!(setting.check(|_| None), Ok(()), "{}", setting.name);
        }
    }

    #[test]
    fn what_is_not_in_the_table_is_a_problem_that_names_value_and_what_is_allowed() {
        let said = |setting: &Setting, value| setting.check(set(value)).unwrap_err().to_string();
        assert_eq!(said(&SWITCH, "of"), "COMMLOOM is `of`; allowed: on or off");
        let parts = "types, pack, files, windows, history, regions, all";
        let allowed = format!("one or more of {parts}, separated by commas");
        assert_eq!(said(&OFF, "type"), format!("COMMLOOM_OFF is `type`; allowed: {allowed}"));
        assert_eq!(
            said(&FORCE, "pack,types"),
            "COMMLOOM_FORCE is `pack,types`; allowed: pack, types or mixed"
        );
        for wrong in ["abc", "-1", "5us", "1e3", " 5", "99999999999999999999"] {
            let allowed = "a whole number of microseconds";
            assert_eq!(
                said(&WARMUP, wrong),
                format!("COMMLOOM_WARMUP is `{wrong}`; allowed: {allowed}")
            );
        }
    }

    #[test]
    fn values_are_shown_without_control_characters_and_cut() {
        let value = OsString::from_vec(b"\x1b[31m\xff".to_vec());
        let problem = WARMUP.check(|_| Some(value.clone())).unwrap_err();
        assert_eq!(problem.value, "\\u{1b}[31m\u{fffd}");
        assert!(SWITCH.check(|_| Some(value.clone())).is_err());
        let long = WARMUP.check(|_| Some("x".repeat(100_000).into())).unwrap_err();
        assert_eq!(long.value.len(), 203);
    }

    #[test]
    fn paths_may_be_anything() {
        let path = OsString::from_vec(b"/tmp/\xff.html".to_vec());
        assert_eq!(REPORT.path(|_| Some(path.clone())), Some(PathBuf::from(path.clone())));
    }
}

//! `commloom.toml`: what a program's own procedures stand for.
//!
//! ```toml
//! [wrappers.isend_cr]     # isend_cr(b, n, type, to, request)
//! call = "MPI_Isend"
//! buf = 1
//! count = 2
//! datatype = 3
//! dest = 4
//! request = 5
//! ```
//!
//! A number is an argument, from 1; a text is what stands there always. What is not known is an
//! error with its place, since a misspelled entry would otherwise go unnoticed.

use std::fs;
use std::path::{Path, PathBuf};

use commloom_layout::text::{ParseError, did_you_mean};
use commloom_refactor::project::{Given, Part, Wrapper, WrapperError, Wrappers};
use toml::Spanned;
use toml::de::DeValue;

use crate::failure::Failure;
use crate::input;
use crate::tables::{self, Key, in_order};

/// How the file is called.
const NAME: &str = "commloom.toml";
/// The table of tables.
const TABLE: &str = "wrappers";

/// The table in a file.
pub fn wrappers(path: &Path) -> Result<Wrappers, Failure> {
    let input::Source { name, text } = input::file(path)?;
    read(&text).map_err(|error| Failure::Parse { name, error })
}

/// The first `commloom.toml` in the folder of a path, in those above it, or here.
pub fn find(first: Option<&Path>) -> Option<PathBuf> {
    let whole = first.and_then(|path| fs::canonicalize(path).ok());
    let above = whole.iter().flat_map(|path| path.ancestors());
    above.map(|folder| folder.join(NAME)).chain([PathBuf::from(NAME)]).find(|path| path.is_file())
}

/// Reads the text of such a file.
///
/// # Errors
/// The first thing in it that is no TOML, or no wrapper.
pub fn read(source: &str) -> Result<Wrappers, ParseError> {
    let document = tables::parse(source)?;
    let mut wrappers = Wrappers::default();
    for (key, value) in in_order(document.get_ref()) {
        if key.get_ref() != TABLE {
            let message = format!("unknown key `{}`, expected the table [{TABLE}]", key.get_ref());
            let hint = did_you_mean(key.get_ref(), [TABLE].into_iter());
            return Err(ParseError::other(source, key.span(), message).with_hint(hint));
        }
        let DeValue::Table(entries) = value.get_ref() else {
            let message =
                format!("`{TABLE}` must be a table: write [{TABLE}.name] on a line of its own");
            return Err(ParseError::other(source, key.span(), message));
        };
        for (name, entry) in in_order(entries) {
            wrappers.add(wrapper(source, name, entry)?);
        }
    }
    Ok(wrappers)
}

fn wrapper(
    source: &str,
    name: &Key<'_>,
    entry: &Spanned<DeValue<'_>>,
) -> Result<Wrapper, ParseError> {
    let DeValue::Table(fields) = entry.get_ref() else {
        let message = format!(
            "`{}` must be a table such as \
             {{ call = \"MPI_Send\", buf = 1, count = 2, datatype = 3 }}",
            name.get_ref()
        );
        return Err(ParseError::other(source, entry.span(), message));
    };
    let mut call = None;
    let mut given: Vec<(&str, Given)> = Vec::new();
    for (key, value) in in_order(fields) {
        if key.get_ref() == "call" {
            let DeValue::String(text) = value.get_ref() else {
                let message =
                    "`call` must be the name of a procedure of MPI, such as \"MPI_Isend\"";
                return Err(ParseError::other(source, value.span(), message));
            };
            call = Some((text.as_ref(), value));
        } else {
            given.push((key.get_ref(), argument(source, key.get_ref(), value)?));
        }
    }
    let Some((call, called)) = call else {
        let message = format!(
            "it is not said what `{}` stands for: call = \"MPI_Isend\", or another one",
            name.get_ref()
        );
        return Err(ParseError::other(source, name.span(), message));
    };
    Wrapper::new(name.get_ref(), call, &given).map_err(|error| {
        let WrapperError { part, message, known } = error;
        let value = |argument: &str| {
            let mut all = in_order(fields).into_iter();
            all.find(|(key, _)| key.get_ref() == argument)
        };
        let (span, word) = match &part {
            Part::Name => (name.span(), name.get_ref().as_ref()),
            Part::Call => (called.span(), call),
            Part::Argument(argument) => match value(argument) {
                // The name is wrong, or what it is said to be.
                Some((key, _)) if !known.is_empty() => (key.span(), argument.as_str()),
                Some((_, value)) => (value.span(), argument.as_str()),
                None => (name.span(), argument.as_str()),
            },
        };
        let hint = did_you_mean(word, known.iter().copied());
        ParseError::other(source, span, message).with_hint(hint)
    })
}

/// Reads an argument: its number, or a text that always stands there.
fn argument(source: &str, name: &str, value: &Spanned<DeValue<'_>>) -> Result<Given, ParseError> {
    let wrong = |found: &str| {
        let message = format!(
            "`{name}` must be the number of an argument, from 1, or a text that always stands \
             there, not {found}"
        );
        ParseError::other(source, value.span(), message)
    };
    match value.get_ref() {
        DeValue::Integer(digits) => {
            let number = usize::from_str_radix(digits.as_str(), digits.radix());
            number.map(Given::Argument).map_err(|_| wrong(&source[value.span()]))
        }
        DeValue::String(text) => Ok(Given::Text(text.to_string())),
        other => Err(wrong(&format!("a {}", other.type_str()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_refactor::source::Language;

    #[test]
    fn wrappers_are_read() {
        let text = "# ours\n[wrappers.isend_cr]\ncall = \"MPI_Isend\"\nbuf = 1\ncount = 2\n\
                    datatype = 3\nrequest = \"&{5}\"\n[wrappers]\n\
                    \"net::wait\" = { call = \"mpi_wait\", request = 0x1 }\n";
        let found = read(text).unwrap();
        let isend = found.find("isend_cr", Language::C).unwrap();
        assert_eq!((isend.at(2), isend.at(6), isend.at(5)), (Some(2), Some(4), None));
        assert!(found.find("net::wait", Language::Cpp).is_some());
        assert!(read("").unwrap().is_empty());
    }

    #[test]
    fn the_first_error_in_the_file_is_reported_with_its_place() {
        let send = "call = \"MPI_Send\"\nbuf = 1\ncount = 2\ndatatype = 3";
        for (text, place, message) in [
            ("[wrapper.f]\ncall = 1", (1, 2), "did you mean `wrappers`?"),
            ("wrappers = 1", (1, 1), "must be a table"),
            ("[wrappers]\nf = 3", (2, 5), "must be a table such as"),
            ("[wrappers.f]\nbuf = 1", (1, 11), "what `f` stands for"),
            ("[wrappers.f]\ncall = 1", (2, 8), "the name of a procedure"),
            ("[wrappers.f]\ncall = \"MPI_Isent\"", (2, 8), "did you mean `MPI_Isend`?"),
            ("[wrappers.f]\ncall = \"MPI_Send\"\nbuf = 1", (1, 11), "`count` and `datatype`"),
            (&format!("[wrappers.f]\n{send}\ndst = 4"), (6, 1), "did you mean `dest`?"),
            (&format!("[wrappers.f]\n{send}\ndest = 0"), (6, 8), "counted from 1"),
            (&format!("[wrappers.f]\n{send}\ndest = -1"), (6, 8), "not -1"),
            (&format!("[wrappers.f]\n{send}\ndest = 1.5"), (6, 8), "not a float"),
            (&format!("[wrappers.f]\n{send}\ndest = \"\""), (6, 8), "in one line"),
            (&format!("[wrappers.MPI_F]\n{send}"), (1, 11), "MPI's own"),
            ("[wrappers.f]\ncall 1", (2, 6), "expected"),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!((error.line(), error.column()), place, "{text}: {error}");
            assert!(error.to_string().contains(message), "{text}: {error}");
        }
    }
}

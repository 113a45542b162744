//! Cost models as data: TOML files such as
//!
//! ```toml
//! # MPICH 4.0.2 on this machine
//! [cost]
//! leaf = 6
//! vec = 6
//! lookup = 1
//! ```
//!
//! Constants that are not given keep the value they had before: that of the papers, or of an
//! earlier `--cost`. Everything else is an error with its place, since a misspelled constant
//! would otherwise go unnoticed.

use commloom_layout::CostModel;
use commloom_layout::text::{ParseError, did_you_mean};
use toml::Spanned;
use toml::de::DeValue;

use crate::tables::{self, Key, in_order};

/// The table that holds the constants.
const TABLE: &str = "cost";

/// Sets the constants that `source` gives in `model`.
///
/// # Errors
/// The first thing in `source` that is no TOML, or no cost model.
pub fn read(source: &str, model: &mut CostModel) -> Result<(), ParseError> {
    let document = tables::parse(source)?;
    let mut found = false;
    for (key, value) in in_order(document.get_ref()) {
        if key.get_ref() != TABLE {
            return Err(unknown(source, key, &[TABLE]));
        }
        let DeValue::Table(constants) = value.get_ref() else {
            let message =
                format!("`{TABLE}` must be a table: write [{TABLE}] on a line of its own");
            return Err(ParseError::other(source, key.span(), message));
        };
        found = true;
        for (name, value) in in_order(constants) {
            let value = number(source, name.get_ref(), value)?;
            // The value is positive, so only the name can be wrong.
            model
                .set(name.get_ref(), value)
                .map_err(|_| unknown(source, name, &CostModel::NAMES))?;
        }
    }
    if found {
        return Ok(());
    }
    let message = format!("there is no table [{TABLE}] with the constants");
    Err(ParseError::other(source, source.len()..source.len(), message))
}

fn unknown(source: &str, key: &Key<'_>, known: &[&'static str]) -> ParseError {
    let name = key.get_ref();
    let message = match known {
        [only] => format!("unknown key `{name}`, expected the table [{only}]"),
        _ => format!("unknown constant `{name}`, expected one of {}", known.join(", ")),
    };
    let hint = did_you_mean(name, known.iter().copied());
    ParseError::other(source, key.span(), message).with_hint(hint)
}

/// A whole number of at least 1.
fn number(source: &str, name: &str, value: &Spanned<DeValue<'_>>) -> Result<u64, ParseError> {
    let wrong = |what: String| ParseError::other(source, value.span(), what);
    let expected = format!("`{name}` must be a whole number from 1 to 2^64 - 1");
    let given = &source[value.span()];
    match value.get_ref() {
        DeValue::Integer(digits) => match u64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(0) => Err(wrong(format!("{expected}: at a price of zero no optimum need exist"))),
            Ok(number) => Ok(number),
            Err(_) => Err(wrong(format!("{expected}, not {given}"))),
        },
        DeValue::Float(_) => {
            let hint = "costs count only in relation to each other: multiply all of them";
            Err(wrong(format!("{expected}, not {given}")).with_hint(Some(hint.to_owned())))
        }
        other => Err(wrong(format!("{expected}, not a {}", other.type_str()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(source: &str) -> Result<CostModel, ParseError> {
        let mut model = CostModel::default();
        read(source, &mut model).map(|()| model)
    }

    /// Those that we ship.
    #[test]
    fn every_model_in_docs_is_read_and_that_of_the_papers_is_the_default() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src/reference/costs");
        let mut read = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|e| e != "toml") {
                continue;
            }
            let found = model(&std::fs::read_to_string(&path).unwrap());
            let found = found.unwrap_or_else(|e| panic!("{}", e.render(&path.to_string_lossy())));
            let is_default = found == CostModel::default();
            assert_eq!(is_default, path.ends_with("papers.toml"), "{}", path.display());
            read += 1;
        }
        assert!(read >= 3, "{read} files in {folder}");
    }

    #[test]
    fn missing_constants_keep_their_values() {
        let read = model("# a comment\n[cost]\nvec = 17\nlookup = 0x10 # hexadecimal\n").unwrap();
        assert_eq!(read, CostModel { vec: 17, lookup: 16, ..CostModel::default() });
        assert_eq!(model("[cost]\n").unwrap(), CostModel::default());
        assert_eq!(model("cost.strc = 1_000").unwrap().strc, 1000);
    }

    #[test]
    fn every_constant_can_be_given() {
        let lines: Vec<String> =
            (2..).zip(CostModel::NAMES).map(|(value, name)| format!("{name} = {value}")).collect();
        let read = model(&format!("[cost]\n{}", lines.join("\n"))).unwrap();
        assert!(read.constants().eq(CostModel::NAMES.into_iter().zip(2..)));
    }

    #[test]
    fn the_first_error_in_the_file_is_reported_with_its_place() {
        for (source, place, message) in [
            ("[cost]\nvec = 0\nleaf = -1", (2, 7), "at a price of zero"),
            ("[cost]\nvec = -3", (2, 7), "not -3"),
            ("[cost]\nvec = 6.5", (2, 7), "multiply all of them"),
            ("[cost]\nvec = 99999999999999999999", (2, 7), "from 1 to 2^64 - 1"),
            ("[cost]\nvec = \"6\"", (2, 7), "not a string"),
            ("[cost]\nzeta = 1\nvek = 6", (2, 1), "unknown constant `zeta`"),
            ("[cost]\nvek = 6", (2, 1), "did you mean `vec`?"),
            ("[costs]\nvec = 6", (1, 2), "did you mean `cost`?"),
            ("vec = 6", (1, 1), "unknown key `vec`"),
            ("cost = 6", (1, 1), "must be a table"),
            ("# nothing\n", (2, 1), "there is no table [cost]"),
            ("[cost]\nvec = 6\nvec = 7", (3, 1), "duplicate key"),
            ("[cost]\nvec 6", (2, 5), "expected"),
        ] {
            let error = model(source).unwrap_err();
            assert_eq!((error.line(), error.column()), place, "{source}: {error}");
            assert!(error.to_string().contains(message), "{source}: {error}");
        }
    }
}

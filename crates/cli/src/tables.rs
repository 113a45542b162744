//! Tables of TOML files that a person writes.

use std::borrow::Cow;

use commloom_layout::text::ParseError;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key with its place.
pub type Key<'s> = Spanned<Cow<'s, str>>;
/// A key and its value.
pub type Entry<'t, 's> = (&'t Key<'s>, &'t Spanned<DeValue<'s>>);

/// The table that a whole file is.
///
/// # Errors
/// The first place that is no TOML.
pub fn parse(source: &str) -> Result<Spanned<DeTable<'_>>, ParseError> {
    DeTable::parse(source).map_err(|error| {
        let end = source.len()..source.len();
        ParseError::other(source, error.span().unwrap_or(end), error.message())
    })
}

/// The entries as they stand in the file, so that its first error is the one reported.
pub fn in_order<'t, 's>(table: &'t DeTable<'s>) -> Vec<Entry<'t, 's>> {
    let mut entries: Vec<Entry<'t, 's>> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

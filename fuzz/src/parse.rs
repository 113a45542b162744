//! The text notation and JSON: nothing panics, and what is read is printed and read back as the same
//! type.

use commloom_layout::text::{ParseError, parse_displacements, pretty};
use commloom_layout::{Type, json, text};

/// Reads the bytes, where they are text, as a type in both notations and as displacements.
pub fn parse(data: &[u8]) {
    let Ok(source) = std::str::from_utf8(data) else { return };
    match text::parse(source) {
        Ok(ty) => assert_round_trips(&ty),
        Err(error) => assert_points_into(source, &error),
    }
    match json::parse(source) {
        Ok(ty) => assert_round_trips(&ty),
        Err(error) => assert_points_into(source, &error),
    }
    match parse_displacements(source) {
        Ok(list) => assert!(!list.is_empty(), "an empty list was read from {source:?}"),
        Err(error) => assert_points_into(source, &error),
    }
}

fn assert_round_trips(ty: &Type) {
    let printed = ty.to_string();
    assert_eq!(text::parse(&printed).as_ref(), Ok(ty), "printed as {printed}");
    let printed = pretty(ty);
    assert_eq!(text::parse(&printed).as_ref(), Ok(ty), "pretty-printed as {printed}");
    let printed = json::write(ty);
    assert_eq!(json::parse(&printed).as_ref(), Ok(ty), "written as {printed}");
}

/// The place is in the text, at whole characters, and line and column are those of its start.
fn assert_points_into(source: &str, error: &ParseError) {
    let span = error.span();
    assert!(source.get(span.clone()).is_some(), "{span:?} is no part of {source:?}");
    let before = &source[..span.start];
    assert_eq!(error.line(), before.matches('\n').count() + 1, "{error} in {source:?}");
    let line = before.rsplit('\n').next().unwrap_or_default();
    assert_eq!(error.column(), line.chars().count() + 1, "{error} in {source:?}");
    let shown = error.render("input");
    assert!(shown.contains('^') && shown.len() < 10_000 + 8 * source.len(), "{shown}");
}

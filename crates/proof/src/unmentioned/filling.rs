//! Memory that C++'s library fills and empties: by its algorithms, and by what grows a container.

use commloom_source::tree::{Expression, ExpressionKind as Kind};

use super::keys::Keyed;

/// Memory that one call fills, and from where.
pub(super) struct Filling<'e> {
    pub into: Option<&'e Expression>,
    pub from: Option<&'e Expression>,
    /// Whether it computes, or may.
    pub computes: bool,
}

/// The algorithms, each with the argument that it fills, the first one that it reads, and whether
/// it computes.
const ALGORITHMS: &[(&str, usize, usize, bool)] = &[
    ("copy", 2, 0, false),
    ("copy_n", 2, 0, false),
    ("copy_if", 2, 0, false),
    ("copy_backward", 2, 0, false),
    ("move", 2, 0, false),
    ("reverse_copy", 2, 0, false),
    ("rotate_copy", 3, 0, false),
    ("remove_copy", 2, 0, false),
    ("remove_copy_if", 2, 0, false),
    ("unique_copy", 2, 0, false),
    ("replace_copy", 2, 0, true),
    ("replace_copy_if", 2, 0, true),
    ("partial_sum", 2, 0, true),
    ("adjacent_difference", 2, 0, true),
    ("inclusive_scan", 2, 0, true),
    ("exclusive_scan", 2, 0, true),
    ("generate", 0, NONE, true),
    ("generate_n", 0, NONE, true),
    ("for_each", 0, NONE, true),
    ("for_each_n", 0, NONE, true),
];
const NONE: usize = usize::MAX;

/// The copies, or what is computed, that a call of C or of C++'s library makes.
pub(super) fn filling<'e>(
    at: &Keyed<'_>,
    function: &'e Expression,
    arguments: &'e [Expression],
) -> Option<Filling<'e>> {
    let name = match &function.kind {
        Kind::Name(name) => name.as_str(),
        Kind::Member { base, field } => return grown(at, base, field, arguments),
        _ => return None,
    };
    let both = |to: usize, from: usize, computes| {
        Some(Filling { into: arguments.get(to), from: arguments.get(from), computes })
    };
    match name {
        "memcpy" | "memmove" | "std::memcpy" | "std::memmove" => return both(0, 1, false),
        "bcopy" => return both(1, 0, false),
        _ => {}
    }
    let short = name.strip_prefix("std::")?;
    let is_policy = |e: &Expression| match &e.kind {
        Kind::Name(name) => name.starts_with("std::execution::"),
        _ => false,
    };
    let skipped = usize::from(arguments.first().is_some_and(is_policy));
    // A range is one argument, where others have its begin and its end.
    let (short, ends) = match short.strip_prefix("ranges::") {
        Some(short) => (short, usize::from(!short.ends_with("_n"))),
        None => (short, 0),
    };
    if short == "transform" {
        // The last is the function, and the one before it what is filled.
        return both(arguments.len().checked_sub(2)?, skipped, true);
    }
    let (_, to, from, computes) = ALGORITHMS.iter().find(|(known, ..)| *known == short)?;
    let to = (to.saturating_sub(ends)).saturating_add(skipped);
    arguments.get(to)?;
    both(to, from.saturating_add(skipped), *computes)
}

/// `v.insert(v.end(), first, last)`, `v.assign(first, last)`.
fn grown<'e>(
    at: &Keyed<'_>,
    base: &'e Expression,
    field: &str,
    arguments: &'e [Expression],
) -> Option<Filling<'e>> {
    let from = match (field, arguments) {
        ("insert", [_, first, _]) | ("assign" | "append", [first, _]) => first,
        _ => return None,
    };
    at.given(from)?;
    Some(Filling { into: Some(base), from: Some(from), computes: false })
}

/// Whether the text of a lambda gives values to elements of a variable, or lets it grow: all
/// values, or only those of other elements.
pub(super) fn is_filled_in(lambda: &str, name: &str, is_all: bool) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    lambda.match_indices(name).any(|(at, _)| {
        let (before, behind) = (lambda.get(..at), lambda.get(at + name.len()..));
        let (Some(before), Some(behind)) = (before, behind) else { return false };
        if before.ends_with(|c| is_word(c) || c == '.') || behind.starts_with(is_word) {
            return false;
        }
        let grows = ["push_back(", "emplace_back("];
        if let Some(method) = behind.strip_prefix('.') {
            return grows.iter().any(|grow| method.starts_with(grow));
        }
        let mut depth = 0_usize;
        let end = behind.find(|c| {
            match c {
                '[' => depth += 1,
                ']' => depth = depth.saturating_sub(1),
                _ => return depth == 0 && !c.is_whitespace(),
            }
            false
        });
        let rest = end.and_then(|end| behind.get(end..)).unwrap_or("");
        behind.starts_with('[')
            && rest.starts_with('=')
            && !rest.starts_with("==")
            && (is_all || is_element(rest.trim_start_matches('=')))
    })
}

/// Whether the text of a value, and of what follows it, begins with an element and no more.
fn is_element(text: &str) -> bool {
    let value = text.split(';').next().unwrap_or(text).trim();
    let mut depth = 0_usize;
    let is_plain = value.chars().all(|c| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => return depth > 0 || c.is_alphanumeric() || "_.:".contains(c),
        }
        true
    });
    is_plain && value.ends_with(']') && value.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::is_filled_in;

    #[test]
    fn lambdas_fill_what_they_give_values_to() {
        for text in ["[&] { b[i] = u[i]; }", "[&] { b[f(i)][0]  = 1; }", "[&] { b.push_back(x); }"]
        {
            assert!(is_filled_in(text, "b", true), "{text}");
        }
        for text in ["[&] { ab[i] = b[i]; }", "[&] { return b[i] == 1; }", "[&] { x.b[i] = 2; }"] {
            assert!(!is_filled_in(text, "b", true), "{text}");
        }
        assert!(is_filled_in("[&](int i) { b[i] = u[2 * i][j]; }", "b", false));
        for text in ["[&] { b[i] = 1; }", "[&] { b[i] = 2 * u[i]; }", "[&] { b[i] = f(u[i]); }"] {
            assert!(!is_filled_in(text, "b", false), "{text}");
        }
    }
}

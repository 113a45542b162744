//! Declarations of several variables, of which some go.

use std::collections::BTreeSet;

/// Parts of a text between commas that stand in no parentheses; none where these are not pairs.
fn parts(text: &str) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let mut depth = 0_usize;
    let mut start = 0;
    for (at, c) in text.char_indices().chain([(text.len(), ',')]) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                parts.push(text.get(start..at)?.trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    (depth == 0).then_some(parts)
}

/// A name with what stands around it in a declaration without a value: `*b`, `b[8]`, `b(8)`.
fn name_of(part: &str) -> Option<&str> {
    let part = part.trim_start_matches(['*', ' ']);
    let (name, shape) = part.split_at(part.find(['(', '[']).unwrap_or(part.len()));
    let name = name.trim_end();
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_closed = shape.is_empty() || shape.ends_with([')', ']']);
    (is_name && is_closed && !name.is_empty()).then_some(name)
}

/// The names of `b(8), n`; none where more stands there.
pub(crate) fn names(entities: &str) -> Option<Vec<&str>> {
    parts(entities)?.into_iter().map(name_of).collect()
}

/// The list without some names; none where nothing, or everything, would be left, or where more
/// than names and shapes stands there.
pub(crate) fn without(entities: &str, dead: &dyn Fn(&str) -> bool) -> Option<String> {
    let all = parts(entities)?;
    let mut left = Vec::new();
    for part in &all {
        if !dead(name_of(part)?) {
            left.push(*part);
        }
    }
    (!left.is_empty() && left.len() < all.len()).then(|| left.join(", "))
}

/// A declaration of C, `double s[64], *p, x;`, without some names: words of a type, then names
/// with their shapes and no values.
pub(crate) fn without_in_c(text: &str, dead: &BTreeSet<String>) -> Option<String> {
    let inner = text.strip_suffix(';')?;
    if inner.contains(['\n', '=', '{', '}', '"', '\'', '#', '\\', '/', '&', ':', '<']) {
        return None;
    }
    let first = parts(inner)?.first().copied()?;
    let name = name_of_last(first)?;
    // The stars before the first name are its own.
    let typed = inner.get(..name)?.trim_end_matches(['*', ' ', '\t']);
    let is_type = !typed.trim().is_empty()
        && typed.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ' ' | '\t'));
    let list = inner.get(typed.len()..)?;
    let left = without(list, &|name| dead.contains(name)).filter(|_| is_type)?;
    // `(*p)[5]` and functions are read by nobody here.
    (!list.contains('(')).then(|| format!("{typed} {left};"))
}

/// Where the name begins that is the last word before a shape.
fn name_of_last(part: &str) -> Option<usize> {
    let before = part.get(..part.find(['(', '[']).unwrap_or(part.len()))?.trim_end();
    let name = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))?;
    Some(name + 1)
}

/// Where the list begins in a line that declares variables of Fortran.
pub(crate) fn list_in_fortran(line: &str) -> Option<usize> {
    if let Some((before, _)) = line.split_once("::") {
        return Some(before.len() + 2);
    }
    let lower = line.to_ascii_lowercase();
    let start = lower.len() - lower.trim_start().len();
    let words = [
        "double precision",
        "double complex",
        "integer",
        "real",
        "complex",
        "logical",
        "character",
    ];
    let rest = lower.get(start..)?;
    let word = words.iter().find(|word| rest.starts_with(**word))?;
    let mut at = start + word.len();
    let kind = lower.get(at..)?;
    if let Some(size) = kind.strip_prefix('*') {
        at += 1 + size.len() - size.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    } else if kind.starts_with('(') {
        at += kind.find(')')? + 1;
    }
    lower.get(at..)?.starts_with([' ', '\t']).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_of_several() {
        let dead = BTreeSet::from(["s".to_owned(), "q".to_owned()]);
        let c = |text: &str| without_in_c(text, &dead);
        assert_eq!(c("double s[64], x;").as_deref(), Some("double x;"));
        assert_eq!(c("double x, s[64], *y, *q;").as_deref(), Some("double x, *y;"));
        assert_eq!(c("double *s, *x[4];").as_deref(), Some("double *x[4];"));
        assert_eq!(c("unsigned int s[n][f(2, 3)], x[2];"), None);
        for text in
            ["double s[64], q[64];", "double x, y;", "double s, x = 1;", "double s, /* a */ x;"]
        {
            assert_eq!(c(text), None, "{text}");
        }
        let fortran = |line: &str| {
            let at = list_in_fortran(line)?;
            without(line.get(at..)?, &|name| dead.contains(name))
        };
        assert_eq!(fortran("  real :: s(n, 2), x").as_deref(), Some("x"));
        assert_eq!(fortran("      real*8 x(5), s(4)").as_deref(), Some("x(5)"));
        assert_eq!(fortran("      real(8) s, x, q").as_deref(), Some("x"));
        assert_eq!(fortran("      dimension s(4), x(5)"), None);
    }
}

//! Comments and constants of characters in a line of fixed form.

/// How many bytes stand before a comment, and the quote that is open at the end.
pub(super) fn before_comment(text: &str, open: Option<char>) -> (usize, Option<char>) {
    let mut quote = open;
    let mut skipped = 0;
    for (at, c) in text.char_indices() {
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        match (quote, c) {
            (None, '!') => return (at, None),
            (None, 'h' | 'H') => skipped = counted(text.get(..at).unwrap_or("")),
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if c == q => quote = None,
            _ => {}
        }
    }
    (text.len(), quote)
}

/// The same bytes with quotes around constants that are counted (`4Hd'or`), and without what they
/// say: nobody after this knows of such.
pub(super) fn quoted(text: &str, open: Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = open;
    for (at, c) in text.char_indices() {
        if at < out.len() {
            continue;
        }
        let before = text.get(..at).unwrap_or("");
        let count = if quote.is_none() && matches!(c, 'h' | 'H') { counted(before) } else { 0 };
        let rest = text.get(at + 1..).unwrap_or("");
        if count > 0 && rest.chars().count() >= count {
            let digits = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let bytes: usize = rest.chars().take(count).map(char::len_utf8).sum();
            out.truncate(digits);
            out.push('\'');
            out.extend(std::iter::repeat_n('x', (at + bytes).saturating_sub(digits + 1)));
            out.push('\'');
            continue;
        }
        quote = match quote {
            None if matches!(c, '\'' | '"') => Some(c),
            Some(q) if c == q => None,
            other => other,
        };
        out.push(c);
    }
    out
}

/// How many characters the `H` behind a text makes a constant of: `8H DON'T!`, in lists (of a
/// `format`, of `data`, of arguments).
fn counted(before: &str) -> usize {
    let rest = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = before.get(rest.len()..).unwrap_or("");
    if !rest.trim_end().ends_with(['(', ',', '/', '=']) {
        return 0;
    }
    number.parse().unwrap_or(0)
}

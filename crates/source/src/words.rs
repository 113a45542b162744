//! Words of C, as far as they can be told without reading the text.

/// Names and single signs of a text, without comments and strings.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let first = rest.chars().next()?;
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else if first == '"' || first == '\'' {
                quoted(rest, first)
            } else if is_word(first) {
                rest.find(|c: char| !is_word(c)).unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            let start = at;
            at += length;
            let word = rest.get(..length)?;
            let is_nothing = first.is_whitespace()
                || first == '"'
                || first == '\''
                || word.starts_with("//")
                || word.starts_with("/*");
            if !is_nothing {
                return Some((start, word));
            }
        }
    })
}

/// Whether names are made of it: `@` is what the tree puts into some.
pub fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '@'
}

/// How long a literal is, with its quotes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

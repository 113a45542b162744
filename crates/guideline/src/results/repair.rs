//! JSON that ends too early.

/// `text` up to the last object that is a whole element of a list, with everything closed that is
/// open there. What was complete stays as it is.
pub fn closed(text: &str) -> String {
    let (mut open, mut in_text, mut escaped) = (Vec::new(), false, false);
    // Where to cut, and what is open there.
    let mut cut = (0, Vec::new());
    for (at, c) in text.char_indices() {
        if in_text {
            (in_text, escaped) = (escaped || c != '"', !escaped && c == '\\');
            continue;
        }
        match c {
            '"' => in_text = true,
            '{' | '[' => open.push(c),
            '}' | ']' => {
                open.pop();
                if c == '}' && matches!(open.last(), None | Some('[')) {
                    cut = (at + 1, open.clone());
                }
            }
            _ => {}
        }
    }
    let (end, open) = cut;
    let closing = open.iter().rev().map(|&c| if c == '{' { '}' } else { ']' });
    text[..end].chars().chain(closing).collect()
}

#[cfg(test)]
mod tests {
    use super::closed;

    #[test]
    fn whole_elements_stay_and_parts_go() {
        for (text, expected) in [
            (r#"{"a": [{"b": 1}, {"b": 2"#, r#"{"a": [{"b": 1}]}"#),
            (r#"{"a": [{"b": [1, 2]}, {"b": [3"#, r#"{"a": [{"b": [1, 2]}]}"#),
            (r#"{"a": [{"b": "\"}]"}, {"b": "]}"#, r#"{"a": [{"b": "\"}]"}]}"#),
            (r#"{"a": [{"b": 1}]}"#, r#"{"a": [{"b": 1}]}"#),
            (r#"{"a": 1"#, ""),
            ("", ""),
        ] {
            assert_eq!(closed(text), expected, "{text}");
        }
    }
}

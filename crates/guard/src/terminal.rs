//! Text of others on a terminal, which obeys control characters: it renames its window, hides
//! lines, answers as if the user had typed.

use std::borrow::Cow;
use std::fmt::Write;

/// Begin and end the code of a style in text that is not [`shown`] yet: characters that stand for
/// nothing in Unicode.
const STYLE: [char; 2] = ['\u{FDD0}', '\u{FDD1}'];
/// The codes that [`shown`] knows: plain, bold, dim, and six colours. None of them hides text.
const CODES: [&str; 12] =
    ["0", "1", "2", "31", "32", "33", "34", "35", "36", "1;31", "1;32", "1;36"];

/// Whether a character has no place of its own in a line: control characters (tabs and ends of
/// lines too), and those that change the order in which others are shown.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061C}' | '\u{200E}' | '\u{200F}')
        || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Text for people, of several lines: everything hidden but tabs and ends of lines is escaped as
/// in `\u{1b}`.
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// A name within a line: nothing hidden is left, so that it cannot pretend to be a line.
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

fn escaped(text: &str, bad: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&bad) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if bad(c) {
            // To write to a string cannot fail.
            let _ = write!(out, "{}", c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Words in a style, by the number that terminals give it. It works where the text is [`shown`].
#[must_use]
pub fn styled(code: &str, words: &str) -> String {
    let [begin, end] = STYLE;
    format!("{begin}{code}{end}{words}{begin}0{end}")
}

/// Text for people, with the styles that [`styled`] has put into it, or without. Every other
/// control character is escaped.
#[must_use]
pub fn shown(text: &str, colours: bool) -> Cow<'_, str> {
    let [begin, end] = STYLE;
    if !text.contains(begin) {
        return visible(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut parts = text.split(begin);
    out.push_str(&visible(parts.next().unwrap_or_default()));
    for part in parts {
        match part.split_once(end).filter(|(code, _)| CODES.contains(code)) {
            Some((code, words)) => {
                if colours {
                    let _ = write!(out, "\u{1b}[{code}m");
                }
                out.push_str(&visible(words));
            }
            None => {
                let _ = write!(out, "{}", begin.escape_unicode());
                out.push_str(&visible(part));
            }
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_all_others_stay() {
        assert_eq!(
            visible("a\x1b[2Jb\x07\x7f\u{9b}1m\r"),
            "a\\u{1b}[2Jb\\u{7}\\u{7f}\\u{9b}1m\\u{d}"
        );
        assert_eq!(visible("\u{202e}x\u{2066}\u{2069}"), "\\u{202e}x\\u{2066}\\u{2069}");
        let plain = "Gr\u{fc}\u{df}e, \u{4f60}\u{597d}\t\u{1f600}\n";
        assert!(matches!(visible(plain), Cow::Borrowed(text) if text == plain));
        assert_eq!(one_line("a\nerror: b\t"), "a\\u{a}error: b\\u{9}");
    }

    #[test]
    fn styles_are_ours_alone() {
        let text = format!("{} \x1b[1mnot\x1b[0m", styled("1", "bold\x1b]0;x\x07"));
        let plain = "bold\\u{1b}]0;x\\u{7} \\u{1b}[1mnot\\u{1b}[0m";
        assert_eq!(shown(&text, false), plain);
        let coloured = "\x1b[1mbold\\u{1b}]0;x\\u{7}\x1b[0m \\u{1b}[1mnot\\u{1b}[0m";
        assert_eq!(shown(&text, true), coloured);
        // Text that knows how styles are marked cannot hide anything by it.
        assert_eq!(shown("\u{fdd0}8\u{fdd1}secret", true), "\\u{fdd0}8\u{fdd1}secret");
        assert_eq!(shown("\u{fdd0}", true), "\\u{fdd0}");
    }
}

//! Names that a file gives to procedures of its own, also to those that the tree does not know:
//! generic ones, pointers, renamed ones. Procedures of the language are not meant by them any
//! more, wherever they are seen.

use std::collections::BTreeSet;

use commloom_source::tree::Name;
use commloom_source::{Language, Source};

use super::conditional::unmarked_free;
use super::form::Normalized;

/// All of them, found word by word. More than there are, rather than fewer: a component that is
/// assigned with `=>` is among them. Time linear in the text.
pub fn own_procedures(source: &Source) -> BTreeSet<Name> {
    let text = match source.language {
        Language::FortranFixed => Normalized::of_fixed(&source.text).text,
        _ => joined(&unmarked_free(&source.text).text),
    };
    let mut found = BTreeSet::new();
    for line in text.lines() {
        unquoted(line).to_ascii_lowercase().split(';').for_each(|s| names_in(s, &mut found));
    }
    found
}

fn names_in(statement: &str, found: &mut BTreeSet<Name>) {
    let words: Vec<&str> = words(statement).collect();
    let [first, second @ ..] = words.as_slice() else { return };
    let has = |wanted: &str| words.contains(&wanted);
    // Bindings of a type are called as its components are.
    let is_binding = matches!(*first, "procedure" | "generic" | "final" | "module")
        && !["pointer", "subroutine", "function"].into_iter().any(has);
    if is_binding || first.starts_with("end") {
        return;
    }
    // Attributes are not among the names that are listed.
    let (head, list) = statement.split_once("::").unwrap_or((statement, ""));
    let behind = head.trim_start().get(first.len()..).unwrap_or("").trim_start();
    let is_list = match *first {
        "type" => !behind.starts_with('('),
        "procedure" => true,
        _ => self::words(head).any(|word| word == "external"),
    };
    if is_list {
        found.extend(self::words(list).map(str::to_owned));
    }
    match *first {
        "external" if list.is_empty() => found.extend(second.iter().map(|w| (*w).to_owned())),
        "type" if words.len() == 2 => found.extend(second.iter().map(|w| (*w).to_owned())),
        _ => {}
    }
    for pair in words.windows(2) {
        if let ["function" | "subroutine" | "entry" | "interface", name] = pair {
            found.insert((*name).to_owned());
        }
    }
    // `use m, only: here => there`
    for (at, _) in statement.match_indices("=>") {
        let before = statement.get(..at).unwrap_or("").trim_end();
        let start = before.trim_end_matches(is_word).len();
        found.insert(before.get(start..).unwrap_or("").to_owned());
    }
    // A function in one statement, or an element.
    let is_function = behind.starts_with('(')
        && behind.split_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('='));
    if is_function {
        found.insert((*first).to_owned());
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty())
}

/// The same without what stands in quotes.
fn unquoted(text: &str) -> String {
    let mut quote = None;
    let keep = |c: &char| match quote {
        Some(q) => {
            if *c == q {
                quote = None;
            }
            false
        }
        None => {
            quote = matches!(c, '\'' | '"').then_some(*c);
            quote.is_none()
        }
    };
    text.chars().filter(keep).collect()
}

/// Free form with a statement a line, and without comments.
fn joined(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let code = super::conditional::code_before_comment(line, None).0.trim();
        let code = code.strip_prefix('&').unwrap_or(code);
        match code.strip_suffix('&') {
            Some(begun) => out.push_str(begun),
            None => {
                out.push_str(code);
                out.push('\n');
            }
        }
    }
    out
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Name> {
        let source =
            Source { name: "t".into(), language: Language::FortranFree, text: text.into() };
        own_procedures(&source).into_iter().collect()
    }

    #[test]
    fn procedures_have_names_in_many_ways() {
        assert_eq!(found("pure integer function max(a)\nend function max\n"), ["max"]);
        assert_eq!(found("interface min\nmodule procedure m\nend interface min\n"), ["min"]);
        assert_eq!(found("integer, &\n external :: &\n & any ! size\n"), ["any"]);
        assert_eq!(found("use m, only: mod => a, b\n"), ["mod"]);
        assert_eq!(found("procedure(f), pointer :: int\n"), ["int"]);
        assert_eq!(found("merge(a, b) = a + b\n"), ["merge"]);
        assert_eq!(found("type, abstract :: size\nend type\n"), ["size"]);
        assert_eq!(found("type size\nend type\n"), ["size"]);
        assert_eq!(found("type(cell), dimension(max) :: u\nreal, external :: g\n"), ["g"]);
        // Bindings, and what is only called.
        assert_eq!(found("procedure :: size => list_size\ngeneric :: max => a\n"), [""; 0]);
        assert_eq!(found("x = max(1, n)\ncall f(size(u))\nx = 'function max'\n"), [""; 0]);
    }
}

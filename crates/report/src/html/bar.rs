//! Bars of parts, with a key that says the numbers.

use std::fmt::Write;

use crate::numbers::{grouped, permille, time};

/// One part of a bar.
pub struct Part {
    class: &'static str,
    words: String,
    size: u64,
}

impl Part {
    /// So many of something.
    pub fn count(class: &'static str, name: &str, size: u64) -> Part {
        Part { class, words: format!("{} {name}", grouped(size)), size }
    }

    /// So many nanoseconds of something.
    pub fn time(class: &'static str, name: &str, size: u64) -> Part {
        Part { class, words: format!("{} {name}", time(size)), size }
    }
}

/// The parts side by side.
pub fn bar(parts: &[Part]) -> String {
    let whole = parts.iter().fold(0, |all: u64, part| all.saturating_add(part.size));
    bar_of(parts, whole)
}

/// The parts side by side, where so much would fill the bar.
pub fn bar_of(parts: &[Part], whole: u64) -> String {
    let mut out = "<div class=\"bar\" aria-hidden=\"true\">".to_owned();
    for part in parts.iter().filter(|part| part.size > 0) {
        let share = permille(part.size, whole);
        let _ = write!(
            out,
            "<i class=\"{}\" style=\"width:{}.{}%\"></i>",
            part.class,
            share / 10,
            share % 10
        );
    }
    out += "</div>\n<ul class=\"key\">";
    for part in parts {
        let _ = write!(out, "<li><i class=\"{}\"></i>{}</li>", part.class, part.words);
    }
    out + "</ul>\n"
}

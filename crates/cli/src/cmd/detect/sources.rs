//! Lines of the sources of a program that ran.

use std::path::Path;

use commloom_advice::{Advice, Location};
use commloom_guard::Origin;
use commloom_source::Language;

use crate::files::TEXT;

/// Adds to each place the line of its call, where the file is there.
pub fn add_lines(advice: &mut Advice) {
    for place in advice.sent.iter_mut().chain(&mut advice.received) {
        place.line = line(place);
    }
}

fn line(place: &Location) -> Option<String> {
    let frame = place.frames.first()?;
    let (file, line) = (frame.file.as_deref()?, frame.line?);
    // A trace names programs, and those name files: no others than sources are shown.
    Language::of_name(file)?;
    let text = commloom_guard::text(Path::new(file), Origin::Named, TEXT).ok()?;
    statement(&text, usize::try_from(line).ok()?)
}

/// A line of a file, from 1; of a statement of Fortran that is continued there its first one.
fn statement(text: &str, line: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().take(line).map(str::trim).collect();
    let mut first = line.checked_sub(1).filter(|first| *first < lines.len())?;
    while first > 0 && lines[first - 1].ends_with('&') {
        first -= 1;
    }
    Some(lines[first].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_continued_statement_is_shown_by_its_first_line() {
        let text = "x = 1\n  call MPI_Send(a, &\n    b, &\n    c)\n";
        assert_eq!(statement(text, 4).as_deref(), Some("call MPI_Send(a, &"));
        assert_eq!(statement(text, 1).as_deref(), Some("x = 1"));
        assert_eq!(statement(text, 9), None);
        assert_eq!(statement(text, 0), None);
    }
}

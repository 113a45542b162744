//! Blanks that fixed form does without, and those that it does not see: `DO20I=1,N` is the head of
//! a loop, `CALLMPI_SEND(...)` a call, and so is `CALL MPI_` with `SEND(...)` in the next line.
//!
//! The grammar is that of free form, where blanks part words. Those that begin loops are put in,
//! which are common in old programs. Names of MPI are made whole so that nobody passes over the
//! call; the line is spoilt all the same, for people and edits look for the name in the text.

/// Bytes of a statement, with its label or without, before which a blank is missing.
pub(super) fn missing(statement: &str) -> Vec<usize> {
    let lower = statement.to_ascii_lowercase();
    let body = lower.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let Some(rest) = body.strip_prefix("do") else { return Vec::new() };
    let behind_do = lower.len() - rest.len();
    let labelled = rest.trim_start();
    let behind_label = labelled.trim_start_matches(|c: char| c.is_ascii_digit());
    let control = behind_label.trim_start().trim_start_matches(',').trim_start();
    let is_while = control.strip_prefix("while").is_some_and(|condition| {
        condition.trim_start().starts_with('(') && !has_outside(condition, '=')
    });
    let behind_name = control.trim_start_matches(is_word).trim_start();
    let is_counted = control.starts_with(|c: char| c.is_ascii_alphabetic())
        && behind_name.strip_prefix('=').is_some_and(|bounds| has_outside(bounds, ','));
    let mut found = Vec::new();
    if is_while || is_counted {
        if !rest.starts_with([' ', '\t']) {
            found.push(behind_do);
        }
        if behind_label.len() < labelled.len() && behind_label.starts_with(is_word) {
            found.push(lower.len() - behind_label.len());
        }
    }
    found
}

/// The byte of a statement where a name of MPI begins that `call` has grown together with.
pub(super) fn grown_together(statement: &str) -> Option<usize> {
    let lower = statement.to_ascii_lowercase();
    let starts = |at: &usize| !lower.get(..*at).unwrap_or("").ends_with(is_word);
    let at = lower.match_indices("callmpi_").map(|(at, _)| at).find(starts)?;
    Some(at + "call".len())
}

/// Whether a name of MPI begins at the end of a text, and goes on in the next line.
pub(super) fn is_split_name(before: &str, next: &str) -> bool {
    let begun = before.get(before.trim_end_matches(is_word).len()..).unwrap_or("");
    let rest = next.trim_start();
    let rest = rest.get(..rest.len() - rest.trim_start_matches(is_word).len()).unwrap_or("");
    let whole = format!("{begun}{rest}").to_ascii_lowercase();
    !begun.is_empty() && !rest.is_empty() && whole.starts_with("mpi_")
}

/// Whether a character stands outside of parentheses and quotes.
fn has_outside(text: &str, wanted: char) -> bool {
    let mut depth = 0_i64;
    let mut quote = None;
    text.chars().any(|c| {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            (None, c) => return depth == 0 && c == wanted,
            _ => {}
        }
        false
    })
}

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(statement: &str) -> String {
        let mut text = statement.to_owned();
        missing(statement).into_iter().rev().for_each(|at| text.insert(at, ' '));
        text
    }

    #[test]
    fn loops_get_their_blanks() {
        for (without, with) in [
            ("DO20I=1,N", "DO 20 I=1,N"),
            ("10 DO20 I=F(1,2),N", "10 DO 20 I=F(1,2),N"),
            ("DO 20I=1,N", "DO 20 I=1,N"),
            ("DOI=1,N,2", "DO I=1,N,2"),
            ("DOWHILE(I.LT.N)", "DO WHILE(I.LT.N)"),
            ("DO20WHILE (A)", "DO 20 WHILE (A)"),
        ] {
            assert_eq!(spaced(without), with);
        }
        for same in [
            "DO 20 I = 1, N",
            "DO20I=1.5",
            "DOT=F(1,2)",
            "DOT(I)=1",
            "DOUBLE PRECISION X",
            "DOWHILE(I)=2",
            "DO",
            "DO20I='a,b'",
        ] {
            assert_eq!(spaced(same), same);
        }
    }

    #[test]
    fn names_of_mpi_are_found_in_parts() {
        assert_eq!(grown_together("IF(A)CALLMPI_SEND(B)"), Some(9));
        assert_eq!(grown_together("X=RECALLMPI_SEND"), None);
        assert!(is_split_name("CALL MPI_", "SEND(B"));
        assert!(is_split_name("CALL M", "  PI_SEND(B"));
        assert!(!is_split_name("CALL", "MPI_SEND(B"));
        assert!(!is_split_name("CALL F(MPI_BYTE", ", N)"));
    }
}

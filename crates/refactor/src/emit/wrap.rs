//! Statements of Fortran in lines of the file's form.

/// Columns of fixed form.
const FIXED_WIDTH: usize = 72;

/// Columns that generated lines of free form keep to; the standard allows 132.
const FREE_WIDTH: usize = 100;

/// One statement, indented by so many columns (fixed form: at least 6), as lines without line
/// ends.
pub fn wrap(statement: &str, indent: usize, fixed: bool) -> Vec<String> {
    let deeper = statement.len() - statement.trim_start().len();
    let statement = statement.trim_start();
    // A deep indent leaves no room: then there is less of it.
    let indent = (indent + deeper).clamp(if fixed { 6 } else { 0 }, 40);
    let (width, end) = if fixed { (FIXED_WIDTH, "") } else { (FREE_WIDTH, " &") };
    let mut lines = Vec::new();
    let mut rest = statement;
    loop {
        let lead = match (lines.is_empty(), fixed) {
            (true, _) => " ".repeat(indent),
            (false, true) => format!("     &{}", " ".repeat(indent - 2)),
            (false, false) => " ".repeat(indent + 4),
        };
        let room = width.saturating_sub(lead.len());
        if rest.chars().count() <= room {
            lines.push(format!("{lead}{rest}"));
            return lines;
        }
        let cut = break_at(rest, room.saturating_sub(end.len()));
        if cut == rest.len() {
            lines.push(format!("{lead}{rest}"));
            return lines;
        }
        let (line, after) = rest.split_at(cut);
        lines.push(format!("{lead}{}{end}", line.trim_end()));
        rest = after.trim_start();
    }
}

/// The last place within so many characters where a statement may be broken; if there is none, the
/// first one behind.
fn break_at(text: &str, room: usize) -> usize {
    let mut best = None;
    let mut quote = None;
    for (count, (at, c)) in text.char_indices().enumerate() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if c == q => quote = None,
            _ => {}
        }
        let next = at + c.len_utf8();
        if quote.is_none() && (c == ',' || c == ' ') && next < text.len() {
            if count >= room && best.is_some() {
                break;
            }
            best = Some(next);
            if count >= room {
                break;
            }
        }
    }
    best.unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_form_ends_at_column_72() {
        let call = format!(
            "call f({})",
            (0..40).map(|i| format!("argument{i}")).collect::<Vec<_>>().join(", ")
        );
        let lines = wrap(&call, 9, true);
        assert!(lines.len() > 5);
        for line in &lines {
            assert!(line.len() <= 72, "{line}");
        }
        assert!(lines[0].starts_with("         call f(argument0,"));
        assert!(lines[1].starts_with("     &"));
        let joined: String =
            lines.iter().map(|l| l.get(6..).unwrap_or("").trim()).collect::<Vec<_>>().join(" ");
        assert_eq!(joined, call);
    }

    #[test]
    fn free_form_is_continued_at_the_end() {
        let lines = wrap(&format!("x = {}", "a + ".repeat(60)), 2, false);
        assert!(lines.iter().all(|l| l.len() <= 100));
        assert!(lines[0].ends_with('&') && lines[1].starts_with("      a"));
    }

    #[test]
    fn what_has_no_break_stays_whole() {
        assert_eq!(wrap(&"x".repeat(200), 6, true).len(), 1);
    }
}

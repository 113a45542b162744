//! Where program units begin and end, found line by line: a file in which the grammar was left is
//! read unit by unit, so that an error spoils only the unit that it stands in.

use std::ops::Range;

/// A unit without the units in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub kind: PieceKind,
    /// In lower case; empty for a main program without one.
    pub name: String,
    /// Index of the unit that it is in.
    pub parent: Option<usize>,
    /// Bytes of the text, ascending.
    pub ranges: Vec<Range<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    Module,
    Procedure,
}

struct Open {
    index: usize,
    start: usize,
    contains: bool,
}

/// The units of a free-form text, outer ones first. Time linear in the text.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut continued = false;
    let mut interfaces = 0_usize;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let code = code_of(line);
        let was_continued = continued;
        continued = code.ends_with('&');
        if !was_continued && !code.is_empty() && !code.starts_with('#') {
            match line_kind(&code) {
                Line::Interface => interfaces += 1,
                Line::EndInterface => interfaces = interfaces.saturating_sub(1),
                _ if interfaces > 0 => {}
                Line::Begin(kind, name) => {
                    // One that was not ended, and contains nothing.
                    while open.last().is_some_and(|top| !top.contains) {
                        close(&mut open, &mut found, start);
                    }
                    begin(&mut open, &mut found, kind, name, start);
                }
                Line::End(which) => {
                    if which == Some(PieceKind::Module) {
                        while open.last().is_some_and(|top| {
                            found.get(top.index).is_some_and(|p| p.kind != PieceKind::Module)
                        }) {
                            close(&mut open, &mut found, start);
                        }
                    }
                    close(&mut open, &mut found, end);
                }
                Line::Contains => {
                    if let Some(top) = open.last_mut() {
                        top.contains = true;
                    }
                }
                Line::Other => {
                    if open.is_empty() {
                        begin(&mut open, &mut found, PieceKind::Procedure, String::new(), start);
                    }
                }
            }
        }
        start = end;
    }
    while !open.is_empty() {
        close(&mut open, &mut found, start);
    }
    found
}

fn begin(
    open: &mut Vec<Open>,
    found: &mut Vec<Piece>,
    kind: PieceKind,
    name: String,
    start: usize,
) {
    let parent = open.last().map(|top| top.index);
    if let Some(top) = open.last()
        && let Some(piece) = found.get_mut(top.index)
        && top.start < start
    {
        piece.ranges.push(top.start..start);
    }
    open.push(Open { index: found.len(), start, contains: false });
    found.push(Piece { kind, name, parent, ranges: Vec::new() });
}

fn close(open: &mut Vec<Open>, found: &mut [Piece], end: usize) {
    let Some(top) = open.pop() else { return };
    if let Some(piece) = found.get_mut(top.index)
        && top.start < end
    {
        piece.ranges.push(top.start..end);
    }
    if let Some(around) = open.last_mut() {
        around.start = end;
    }
}

enum Line {
    Begin(PieceKind, String),
    End(Option<PieceKind>),
    Contains,
    Interface,
    EndInterface,
    Other,
}

/// The line in lower case without its label and comment.
fn code_of(line: &str) -> String {
    let mut quote = None;
    let mut end = line.len();
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '!') => {
                end = at;
                break;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if c == q => quote = None,
            _ => {}
        }
    }
    let code = line.get(..end).unwrap_or("").trim();
    code.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start().to_ascii_lowercase()
}

fn line_kind(code: &str) -> Line {
    let mut words = code.split(|c: char| !is_word(c)).filter(|w| !w.is_empty());
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    let plain = code.chars().all(|c| is_word(c) || c.is_whitespace());
    let ended = match first {
        "end" => Some(second),
        _ => first.strip_prefix("end"),
    };
    match (ended, first) {
        (Some("interface"), _) => return Line::EndInterface,
        (Some("module" | "submodule"), _) if plain => return Line::End(Some(PieceKind::Module)),
        (Some("" | "subroutine" | "function" | "program" | "procedure"), _) if plain => {
            return Line::End(None);
        }
        (Some("block" | "blockdata"), _) if code.contains("data") && plain => {
            return Line::End(None);
        }
        (_, "contains") if plain && second.is_empty() => return Line::Contains,
        (_, "interface") => return Line::Interface,
        (_, "abstract") if second == "interface" => return Line::Interface,
        (_, "program") if plain && !second.is_empty() => {
            return Line::Begin(PieceKind::Procedure, second.to_owned());
        }
        (_, "module")
            if plain && !matches!(second, "" | "procedure" | "subroutine" | "function") =>
        {
            return Line::Begin(PieceKind::Module, second.to_owned());
        }
        (_, "blockdata") if plain => return Line::Begin(PieceKind::Module, String::new()),
        (_, "block") if plain && second == "data" => {
            return Line::Begin(PieceKind::Module, String::new());
        }
        (_, "submodule") => {
            let name = code.rsplit(')').next().unwrap_or("").trim();
            return Line::Begin(PieceKind::Module, name.to_owned());
        }
        _ => {}
    }
    match procedure_name(code) {
        Some(name) => Line::Begin(PieceKind::Procedure, name),
        None => Line::Other,
    }
}

/// The name in `[prefixes] subroutine name` and `[prefixes] function name`.
fn procedure_name(code: &str) -> Option<String> {
    const PREFIXES: [&str; 15] = [
        "pure",
        "elemental",
        "impure",
        "recursive",
        "non_recursive",
        "module",
        "integer",
        "real",
        "double",
        "precision",
        "complex",
        "logical",
        "character",
        "type",
        "byte",
    ];
    let mut rest = code;
    loop {
        rest = rest.trim_start();
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(length);
        if matches!(word, "subroutine" | "function") {
            let name: String = after.trim_start().chars().take_while(|c| is_word(*c)).collect();
            let behind = after.trim_start().get(name.len()..).unwrap_or("").trim_start();
            let fits =
                behind.is_empty() || behind.starts_with(['(', '&']) || behind.starts_with("bind");
            return (!name.is_empty() && fits).then_some(name);
        }
        if !PREFIXES.contains(&word) {
            return None;
        }
        rest = skip_kind(after);
    }
}

/// Behind `*8`, `(kind=8)`.
fn skip_kind(text: &str) -> &str {
    let mut rest = text.trim_start();
    if let Some(star) = rest.strip_prefix('*') {
        rest = star.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    }
    if rest.starts_with('(') {
        let mut depth = 0_usize;
        for (at, c) in rest.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return rest.get(at + 1..).unwrap_or("");
            }
        }
        return "";
    }
    rest
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_nest() {
        let text = "module m\n integer x\ncontains\n subroutine s(a)\n contains\
            \n  real(8) function f()\n  end function\n end\nend module\nx = 1\nend\n";
        let found = pieces(text);
        let names: Vec<_> = found.iter().map(|p| (p.name.as_str(), p.parent)).collect();
        assert_eq!(names, [("m", None), ("s", Some(0)), ("f", Some(1)), ("", None)]);
        let texts: Vec<String> =
            found.iter().map(|p| p.ranges.iter().map(|r| &text[r.clone()]).collect()).collect();
        assert_eq!(texts[0], "module m\n integer x\ncontains\nend module\n");
        assert_eq!(texts[1], " subroutine s(a)\n contains\n end\n");
        assert_eq!(texts[3], "x = 1\nend\n");
    }

    #[test]
    fn a_unit_that_is_not_ended_ends_at_the_next() {
        let found = pieces("subroutine a\n x = 1\nsubroutine b\nend\n");
        let ranges: Vec<_> = found.iter().map(|p| p.ranges.clone()).collect();
        assert_eq!(ranges.concat(), [0..20, 20..37]);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn words_that_only_look_like_units() {
        for line in [
            "function_value = 2",
            "real function_of",
            "end if",
            "enddo",
            "module = 3",
            "interface_x = 1",
        ] {
            assert!(matches!(line_kind(line), Line::Other), "{line}");
        }
    }
}

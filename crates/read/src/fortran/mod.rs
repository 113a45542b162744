//! Fortran, free and fixed form.
//!
//! Fixed form is made free first ([`form`]); the grammar is that of tree-sitter-fortran. Where it
//! is left anywhere in a file, the file is read again unit by unit ([`pieces`]). What looks like a
//! call may be an element of an array: [`settle`] decides when declarations are known.

mod blanks;
mod blocks;
mod branches;
mod conditional;
mod declarations;
mod expressions;
mod form;
mod loops;
mod marks;
mod pieces;
mod procedures;
mod quotes;
mod reader;
mod records;
mod settle;
mod specifications;
mod statements;
mod types;
mod units;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use commloom_source::tree::{Name, Scope, SyntaxError, Type, Unit};
use commloom_source::{FileId, Language, Source, Span};
use tree_sitter::{Parser, Point, Tree};

use conditional::unmarked_free;
use form::Normalized;
use pieces::{Piece, PieceKind};
use reader::Reader;
use units::{MAIN, Surroundings};

pub use form::card;
pub use procedures::own_procedures;
pub use settle::{Meaning, settle};
pub use types::of_kind;

/// Reads a file; what is in others that it includes or uses is not known yet.
pub fn read(source: &Source, file: FileId) -> Unit {
    let mut normalized = match source.language {
        Language::FortranFixed => Normalized::of_fixed(&source.text),
        _ => unmarked_free(&source.text),
    };
    let length = normalized.text.len();
    let found = pieces::pieces(&normalized.text);
    // Declarations alone, to be included, are no program of the grammar; with an end they are one.
    let is_include = found.len() <= 1 && !ends(&normalized.text);
    if is_include {
        normalized.text.push_str("\nend\n");
    }
    let mut unit = Unit {
        file,
        language: source.language,
        scope: Scope { implicit: true, ..Scope::default() },
        modules: Vec::new(),
        procedures: Vec::new(),
        prototypes: Vec::new(),
        includes: Vec::new(),
        errors: Vec::new(),
    };
    let mut parser = Parser::new();
    if parser.set_language(&tree_sitter_fortran::LANGUAGE.into()).is_err() {
        unit.errors.push(SyntaxError { span: Span { file, start: 0, end: source.text.len() } });
        return unit;
    }
    let mut was_left = false;
    if let Some(tree) = parser.parse(&normalized.text, None) {
        was_left = tree.root_node().has_error();
        let whole = !was_left || is_include;
        unit = read_tree(unit, &normalized, length, &tree, whole);
    }
    if was_left && !is_include {
        unit = read_pieces(unit, &normalized, length, &found, &mut parser);
    }
    settle_in_file(&mut unit, &own_procedures(source));
    unit
}

/// A statement of several lines as one line, without comments, and with single blanks outside of
/// strings.
pub fn one_line(statement: &str, language: Language) -> String {
    let joined = match language {
        Language::FortranFixed => Normalized::of_fixed(&format!("      {statement}")).text,
        _ => {
            let lines = statement
                .lines()
                .map(|l| l.trim().trim_start_matches('&').trim_end_matches('&').trim());
            lines.filter(|l| !l.starts_with('!')).collect::<Vec<_>>().join(" ")
        }
    };
    let mut out = String::with_capacity(joined.len());
    let mut quote = None;
    for c in joined.trim().chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if c == q => quote = None,
            (None, c) if c.is_whitespace() => {
                if !out.ends_with(' ') {
                    out.push(' ');
                }
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    out
}

/// Whether some line ends a unit.
fn ends(text: &str) -> bool {
    text.lines().rev().take(200).any(|line| {
        let line = line.trim().trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let word: String = line.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
        let rest = line.get(word.len()..).unwrap_or("").trim_start();
        match word.to_ascii_lowercase().as_str() {
            "end" => {
                let next: String = rest.chars().take_while(|c| c.is_ascii_alphabetic()).collect();
                let next = next.to_ascii_lowercase();
                rest.is_empty()
                    || rest.starts_with('!')
                    || matches!(next.as_str(), "program" | "subroutine" | "function" | "module")
            }
            "endprogram" | "endsubroutine" | "endfunction" | "endmodule" => true,
            _ => false,
        }
    })
}

fn read_tree(unit: Unit, normalized: &Normalized, length: usize, tree: &Tree, units: bool) -> Unit {
    let mut reader = Reader::new(unit, normalized, length);
    let root = tree.root_node();
    reader.errors(root);
    if units {
        reader.unit(root, &Surroundings::default());
    }
    reader.finish()
}

/// Each unit for itself.
fn read_pieces(
    mut unit: Unit,
    normalized: &Normalized,
    length: usize,
    found: &[Piece],
    parser: &mut Parser,
) -> Unit {
    let rows = Rows::of(&normalized.text);
    let mut around: Vec<Surroundings> = Vec::with_capacity(found.len());
    unit.errors.clear();
    for piece in found {
        let parent = piece.parent.and_then(|p| Some((found.get(p)?, around.get(p)?)));
        let here = match parent {
            Some((outer, of)) if outer.kind == PieceKind::Module => of.clone(),
            Some((outer, of)) => Surroundings { host: Some(outer.name.clone()), ..of.clone() },
            None => Surroundings::default(),
        };
        let ranges: Vec<_> = piece.ranges.iter().map(|r| rows.range(r)).collect();
        let tree = match parser.set_included_ranges(&ranges) {
            Ok(()) => parser.parse(&normalized.text, None),
            Err(_) => None,
        };
        let before = (unit.procedures.len(), unit.modules.len());
        if let Some(tree) = &tree {
            let mut reader = Reader::new(unit, normalized, length);
            let root = tree.root_node();
            reader.errors(root);
            reader.unit(root, &here);
            unit = reader.finish();
        }
        let kinds = here.kinds.clone();
        let is_new = (unit.procedures.len(), unit.modules.len()) != before;
        if piece.kind == PieceKind::Procedure && !is_new {
            let start = piece.ranges.first().map_or(0, |r| r.start);
            let end = piece.ranges.last().map_or(0, |r| r.end);
            let name = if piece.name.is_empty() { MAIN } else { &piece.name };
            let mut reader = Reader::new(unit, normalized, length);
            reader.broken(name, start..end, &here);
            unit = reader.finish();
        }
        around.push(match piece.kind {
            PieceKind::Module => {
                Surroundings { module: Some(piece.name.clone()), host: None, kinds }
            }
            PieceKind::Procedure => Surroundings { kinds, ..here },
        });
    }
    // An error that no unit contains is none of theirs.
    unit
}

/// Rows of bytes, for the grammar's ranges.
struct Rows {
    starts: Vec<usize>,
}

impl Rows {
    fn of(text: &str) -> Rows {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(at, _)| at + 1));
        Rows { starts }
    }

    fn point(&self, byte: usize) -> Point {
        let row = self.starts.partition_point(|&start| start <= byte).saturating_sub(1);
        Point { row, column: byte - self.starts.get(row).copied().unwrap_or(0) }
    }

    fn range(&self, range: &Range<usize>) -> tree_sitter::Range {
        tree_sitter::Range {
            start_byte: range.start,
            end_byte: range.end,
            start_point: self.point(range.start),
            end_point: self.point(range.end),
        }
    }
}

/// Settles all that is known without other files.
fn settle_in_file(unit: &mut Unit, called: &BTreeSet<Name>) {
    let modules: HashMap<Name, HashMap<Name, bool>> =
        unit.modules.iter().map(|(name, scope)| (name.clone(), arrays(scope))).collect();
    let whole: HashMap<Name, HashMap<Name, bool>> = unit
        .procedures
        .iter()
        .filter(|p| p.host.is_none())
        .map(|p| (p.name.clone(), arrays(&p.scope)))
        .collect();
    let scopes = unit.modules.iter().map(|(_, scope)| scope);
    let components: HashSet<Name> = scopes
        .chain(unit.procedures.iter().map(|p| &p.scope))
        .flat_map(|s| &s.records)
        .flat_map(|r| &r.fields)
        .filter(|f| is_array(&f.of))
        .map(|f| format!("%{}", f.name))
        .collect();
    let opens = |scope: &Scope| !scope.includes.is_empty() || !scope.uses.is_empty();
    let open_modules: HashSet<Name> =
        unit.modules.iter().filter(|(_, s)| opens(s)).map(|(n, _)| n.clone()).collect();
    let open_hosts: HashSet<Name> =
        unit.procedures.iter().filter(|p| opens(&p.scope)).map(|p| p.name.clone()).collect();
    for procedure in &mut unit.procedures {
        let own = arrays(&procedure.scope);
        let host = procedure.host.as_ref().and_then(|h| whole.get(h));
        let module = procedure.module.as_ref().and_then(|m| modules.get(m));
        let is_final = !opens(&procedure.scope)
            && !procedure.module.as_ref().is_some_and(|m| open_modules.contains(m))
            && !procedure.host.as_ref().is_some_and(|h| open_hosts.contains(h));
        let meaning = |name: &str| {
            if name.starts_with('%') {
                return if components.contains(name) {
                    Meaning::Array
                } else {
                    Meaning::Undeclared
                };
            }
            let found = [Some(&own), host, module].into_iter().flatten().find_map(|s| s.get(name));
            match found {
                Some(true) => Meaning::Array,
                Some(false) => Meaning::Other,
                None if called.contains(name) => Meaning::Other,
                None => Meaning::Undeclared,
            }
        };
        settle(procedure, &meaning, is_final);
    }
}

/// The variables of a scope, and which are arrays.
fn arrays(scope: &Scope) -> HashMap<Name, bool> {
    scope.variables.iter().map(|v| (v.name.clone(), is_array(&v.of))).collect()
}

/// Whether `name(i)` is an element.
pub fn is_array(of: &Type) -> bool {
    match of {
        Type::Array(..) => true,
        Type::Pointer(inner) => is_array(inner),
        _ => false,
    }
}

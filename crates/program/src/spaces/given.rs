//! Numbers that no file defines: macros of the command that compiles (`-DRADIUS=2`).
//!
//! A name in capitals that no file declares, where all headers are at hand but those of the
//! language, the system and MPI, is a macro. Where it stands in the length of an array, it is a
//! whole number, which one nobody says.

use std::collections::BTreeSet;

use commloom_source::Span;
use commloom_source::tree::{
    Binary, Constant, Dimension, Expression, ExpressionKind as Kind, Name, StatementKind, Type,
    Unit,
};

use super::super::files::Files;
use super::Spaces;

/// Headers that declare no variable in capitals; those of C++ have no ending.
#[rustfmt::skip]
const OF_THE_SYSTEM: &[&str] = &[
    "assert", "complex", "ctype", "errno", "fcntl", "fenv", "float", "getopt", "inttypes", "iso646",
    "limits", "locale", "malloc", "math", "mpi", "omp", "sched", "pthread", "setjmp", "signal",
    "stdalign", "stdarg", "stdbool", "stddef", "stdint", "stdio", "stdlib", "string", "strings",
    "time", "unistd", "wchar", "sys/time", "sys/types", "sys/stat", "sys/mman", "sys/resource",
];

impl Spaces {
    /// Makes constants of these numbers, in the procedures that use them.
    pub(super) fn take_given(&mut self, units: &[Unit], files: &Files) {
        let is_whole: Vec<bool> =
            (0..units.len()).map(|unit| has_all(units, files, unit)).collect();
        for id in 0..self.ids.len() {
            let (number, index) = self.ids[id];
            if units[number].language.is_fortran() || !is_whole[number] {
                continue;
            }
            let mut names: BTreeSet<(Name, Span)> = BTreeSet::new();
            for statement in &units[number].procedures[index].body {
                statement.each(&mut |s| {
                    let StatementKind::Declare(all) = &s.kind else { return };
                    for declaration in all {
                        lengths(&declaration.of, &mut |name, span| {
                            names.insert((name.to_owned(), span));
                        });
                    }
                });
            }
            for (name, span) in names {
                let is_known = self.variable(id, &name).is_some()
                    || self.constant(id, &name).is_some()
                    || self.by_name.contains_key(&name);
                if !is_known && is_in_capitals(&name) {
                    let own = self.layers[id][0].space;
                    let constant = Constant { name: name.clone(), value: any_number(span) };
                    self.spaces[own].constants.insert(name, constant);
                }
            }
        }
    }
}

/// Whether all that a file includes is at hand, or says nothing. What stands in procedures is a
/// part of these.
fn has_all(units: &[Unit], files: &Files, unit: usize) -> bool {
    files.seen_by(unit).iter().all(|&file| {
        let procedures = units.get(file).map_or(&[][..], |unit| &unit.procedures);
        files.directives(file).includes.iter().all(|(name, span)| {
            let is_inside = procedures.iter().any(|procedure| procedure.span.contains(*span));
            let plain = name.strip_suffix(".h").unwrap_or(name);
            let is_of_cpp = !name.contains(['.', '/']);
            let is_silent = is_of_cpp || OF_THE_SYSTEM.contains(&plain);
            is_inside || is_silent || files.find(file, name).is_some()
        })
    })
}

/// Names in the lengths of arrays, where nothing but sums and products stands.
fn lengths(of: &Type, visit: &mut dyn FnMut(&str, Span)) {
    match of {
        Type::Array(element, dimensions) => {
            for dimension in dimensions {
                if let Dimension::Extent(extent) = dimension
                    && is_sum(extent)
                {
                    extent.each(&mut |e| {
                        if let Kind::Name(name) = &e.kind {
                            visit(name, e.span);
                        }
                    });
                }
            }
            lengths(element, visit);
        }
        Type::Pointer(inner) | Type::Reference(inner) => lengths(inner, visit),
        _ => {}
    }
}

fn is_sum(e: &Expression) -> bool {
    match &e.kind {
        Kind::Integer(_) | Kind::Name(_) => true,
        Kind::Binary(Binary::Add | Binary::Subtract | Binary::Multiply, left, right) => {
            is_sum(left) && is_sum(right)
        }
        _ => false,
    }
}

fn is_in_capitals(name: &str) -> bool {
    let is_word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    name.len() > 1 && name != "NULL" && !name.starts_with("MPI") && name.chars().all(is_word)
}

/// One of several numbers, as where an `#if` decides.
fn any_number(span: Span) -> Expression {
    let made = |kind| Box::new(Expression { span, kind });
    let condition = made(Kind::Unknown(Vec::new()));
    let (yes, no) = (made(Kind::Integer(2)), made(Kind::Integer(3)));
    Expression { span, kind: Kind::Choice { condition, yes, no } }
}

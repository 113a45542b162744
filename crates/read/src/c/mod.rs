//! C and C++, by tree-sitter.
//!
//! A file is read in two steps, because what it includes decides what its macros are:
//! [`directives`] of every file first, then [`read`] with all the macros that it sees. Macros are
//! expanded by tokens, where an expression or a statement uses them; names of numbers (`#define N
//! 5`) stay, since they are what a person wants to see in the result.
//!
//! Code that is not counted, not structured or not understood is still there: loops become
//! [`While`](commloom_source::tree::StatementKind::While), `switch` with falling through becomes
//! jumps, and everything else `Unknown` with the names in it.

mod branches;
mod changes;
mod checked;
mod condition;
mod copies;
mod declaration;
mod declarator;
mod directives;
mod evaluated;
mod exceptions;
mod expression;
mod locals;
mod loops;
mod macros;
mod made;
mod names;
mod odd;
mod reader;
mod restart;
mod specifier;
mod splices;
mod statement;
mod switch;
mod token;
mod variables;

use std::collections::BTreeMap;

use commloom_source::tree::{Constant, Expression, ExpressionKind, Scope, Unit};
use commloom_source::{FileId, Language, Source};
use tree_sitter::Parser;

pub use branches::{Group, groups};
pub use condition::Given;
pub use directives::{Define, Directives, directives, directives_given};
pub use macros::Macros;
use reader::{Reader, Shared};

/// Reads a file of which no other is included, or whose headers are not at hand.
pub fn read_alone(source: &Source, file: FileId) -> Unit {
    let directives = directives(&source.text, file);
    read(source, file, &directives, &Macros::new(&directives.defines))
}

/// Reads a file. `directives` are its own, `macros` those of all that it includes too. Any text is
/// read; what the grammar does not accept is in [`Unit::errors`]. Time linear in the text, but for
/// what macros become (at most 4 MiB in a file; later uses are `Unknown`).
pub fn read(source: &Source, file: FileId, directives: &Directives, macros: &Macros) -> Unit {
    let mut unit = Unit {
        file,
        language: source.language,
        scope: Scope { includes: directives.includes.clone(), ..Scope::default() },
        modules: Vec::new(),
        procedures: Vec::new(),
        prototypes: Vec::new(),
        includes: directives.includes.clone(),
        errors: Vec::new(),
    };
    let grammar = match source.language {
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        _ => tree_sitter_c::LANGUAGE,
    };
    let mut parser = Parser::new();
    if parser.set_language(&grammar.into()).is_err() {
        return unit; // The grammar is of another version than the parser: impossible in one build.
    }
    let blanked = macros.without_empty(&source.text);
    let text = blanked.as_deref().unwrap_or(&source.text);
    let made = made::made(macros, text);
    let plain = made::without(text, &made);
    let text = plain.as_str();
    let Some(tree) = parser.parse(text, None) else { return unit };
    let shared = Shared::new(parser, source.language, macros, directives.packs);
    let mut reader = Reader::new(text, file, &shared);
    declaration::file(&mut reader, tree.root_node(), &mut unit);
    made::read(&mut reader, &made, &mut unit);
    constants(&reader, directives, &mut unit.scope);
    splices::spoil(&source.text, file, &mut unit);
    unit
}

/// Names of numbers that the preprocessor knows, each with its value if it has only one. A name
/// that an `#if` decides about, or that is defined several times, is a [choice](open_choice): the
/// name is one number all the same, but which it is nobody says.
fn constants(reader: &Reader<'_>, directives: &Directives, scope: &mut Scope) {
    let mut all: BTreeMap<&str, Vec<&Define>> = BTreeMap::new();
    let is_constant = |define: &&Define| reader.shared.macros.is_constant(&define.name);
    for define in directives.defines.iter().filter(is_constant) {
        all.entry(&define.name).or_default().push(define);
    }
    for (name, defines) in all {
        let values: Vec<Expression> = defines
            .iter()
            .filter_map(|define| expression::snippet(reader, &define.body, define.span))
            .collect();
        let is_open = defines.len() > 1 || defines.iter().any(|define| define.is_conditional);
        if let (Some(first), Some(last)) = (values.first(), values.last()) {
            let value = if is_open { open_choice(first, last) } else { first.clone() };
            scope.constants.push(Constant { name: name.to_owned(), value });
        }
    }
}

/// A value that is one of several by a condition of which nothing is known.
fn open_choice(one: &Expression, other: &Expression) -> Expression {
    let span = one.span;
    let condition = Box::new(Expression { span, kind: ExpressionKind::Unknown(Vec::new()) });
    let (yes, no) = (Box::new(one.clone()), Box::new(other.clone()));
    Expression { span, kind: ExpressionKind::Choice { condition, yes, no } }
}

#[cfg(test)]
mod tests;

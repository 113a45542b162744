//! Types with their kinds.

use std::collections::HashMap;

use commloom_source::tree::{Expression, ExpressionKind, Name, Subscript, Type};
use tree_sitter::Node;

use super::reader::Reader;

/// Values of the constants that a kind can be made of.
pub(super) type Kinds = HashMap<Name, u32>;

/// Kinds that modules of the standard and of MPI give, on the machines of today.
pub(super) fn known_kind(name: &str) -> Option<u32> {
    Some(match name {
        "real32" | "int32" | "c_int" | "c_float" | "c_int32_t" | "mpi_integer_kind"
        | "logical32" => 4,
        "real64" | "int64" | "c_double" | "c_long" | "c_size_t" | "c_int64_t" | "c_long_long"
        | "c_intptr_t" | "mpi_address_kind" | "mpi_offset_kind" | "mpi_count_kind"
        | "c_float_complex" => 8,
        "real128" => 16,
        "int16" | "c_short" | "c_int16_t" => 2,
        "int8" | "c_signed_char" | "c_int8_t" | "c_bool" | "c_char" => 1,
        _ => return None,
    })
}

/// The number that a kind stands for. For reals and integers of every compiler here that is the
/// number of bytes.
pub(super) fn kind_value(value: &Expression, kinds: &Kinds) -> Option<u32> {
    match &value.kind {
        ExpressionKind::Integer(n) => u32::try_from(*n).ok().filter(|n| (1..=32).contains(n)),
        ExpressionKind::Name(name) => kinds.get(name).copied().or_else(|| known_kind(name)),
        ExpressionKind::Call { function, arguments } => {
            let ExpressionKind::Name(function) = &function.kind else { return None };
            kind_function(function, arguments)
        }
        _ => None,
    }
}

/// The type that a number of a named kind has, `real(dp)`, by the value of that name.
pub fn of_kind(named: &str, value: impl Fn(&str) -> Option<u32>) -> Option<Type> {
    let (word, kind) = named.strip_suffix(')')?.split_once('(')?;
    if !["integer", "real", "logical", "complex"].contains(&word) {
        return None;
    }
    let kind = value(kind).or_else(|| known_kind(kind))?;
    let bytes = if word == "complex" { kind.checked_mul(2)? } else { kind };
    Some(Type::Basic(format!("{word}({bytes})"), bytes))
}

/// `kind(1.0d0)`, `selected_real_kind(15, 307)`, `selected_int_kind(9)`
fn kind_function(function: &str, arguments: &[Expression]) -> Option<u32> {
    let argument = arguments.first().map(|a| match &a.kind {
        ExpressionKind::Keyword(_, value) => &value.kind,
        kind => kind,
    })?;
    match (function, argument) {
        ("kind", ExpressionKind::Literal(text)) => {
            let text = text.to_ascii_lowercase();
            match text.rsplit_once('_') {
                Some((_, kind)) => kind.parse().ok().or_else(|| known_kind(kind)),
                None if text.contains('d') => Some(8),
                None => Some(4),
            }
        }
        ("kind", ExpressionKind::Integer(_)) => Some(4),
        ("selected_real_kind", ExpressionKind::Integer(digits)) => match digits {
            0..=6 => Some(4),
            7..=15 => Some(8),
            // 10 or 16: that is the compiler's choice.
            _ => None,
        },
        ("selected_int_kind", ExpressionKind::Integer(digits)) => match digits {
            0..=2 => Some(1),
            3..=4 => Some(2),
            5..=9 => Some(4),
            10..=18 => Some(8),
            _ => None,
        },
        _ => None,
    }
}

impl<'t> Reader<'t> {
    /// The type of a declaration. Kinds of which nothing is known here stay in a name: `real(dp)`.
    pub(super) fn type_of(&mut self, node: Node<'t>, kinds: &Kinds) -> Type {
        match node.kind() {
            "intrinsic_type" => {
                let kind = node.child_by_field_name("kind");
                let word: String = self
                    .children(node)
                    .into_iter()
                    .filter(|c| c.kind() != "kind")
                    .map(|c| self.text(c).to_ascii_lowercase())
                    .collect::<Vec<_>>()
                    .join(" ");
                self.intrinsic(&word, kind, kinds)
            }
            "derived_type" => match node.child_by_field_name("name") {
                Some(name) if name.kind() == "type_name" => Type::Named(self.name(name)),
                _ => Type::Unknown,
            },
            _ => Type::Unknown,
        }
    }

    fn intrinsic(&mut self, word: &str, kind: Option<Node<'t>>, kinds: &Kinds) -> Type {
        let word = word.split_whitespace().collect::<String>();
        if word == "character" {
            return self.character(kind);
        }
        let star = kind.is_some_and(|k| self.text(k).starts_with('*'));
        let argument = kind.and_then(|k| {
            self.arguments(k).into_iter().find_map(|a| match a {
                Subscript::At(value) => Some(value),
                Subscript::Section { .. } => None,
            })
        });
        let argument = argument.map(|a| match a.kind {
            ExpressionKind::Keyword(_, value) => *value,
            _ => a,
        });
        let (name, default) = match word.as_str() {
            "doubleprecision" => return Type::Basic("double precision".into(), 8),
            "doublecomplex" => return Type::Basic("double complex".into(), 16),
            "byte" => return Type::Basic("integer(1)".into(), 1),
            "integer" => ("integer", 4),
            "real" => ("real", 4),
            "logical" => ("logical", 4),
            "complex" => ("complex", 4),
            _ => return Type::Unknown,
        };
        let kind = match &argument {
            // Options of compilers change these, and leave kinds alone.
            None if name == "complex" => return Type::Basic(name.into(), 2 * default),
            None => return Type::Basic(name.into(), default),
            Some(value) => match kind_value(value, kinds) {
                Some(kind) => kind,
                None => {
                    return Type::Named(match &value.kind {
                        ExpressionKind::Name(kind) => format!("{name}({kind})"),
                        _ => format!("{name}(?)"),
                    });
                }
            },
        };
        // `complex*16` says bytes, `complex(8)` the kind of its parts.
        let bytes = match (name, star, argument.is_some()) {
            ("complex", true, true) => kind,
            ("complex", _, _) => kind * 2,
            _ => kind,
        };
        Type::Basic(format!("{name}({bytes})"), bytes)
    }

    /// A character is one byte; of longer ones only constant lengths are known.
    fn character(&mut self, kind: Option<Node<'t>>) -> Type {
        let Some(kind) = kind else { return Type::Basic("character".into(), 1) };
        let text = self.text(kind);
        let digits: String =
            text.chars().filter(|c| !c.is_whitespace() && !"*()".contains(*c)).collect();
        let digits = digits.to_ascii_lowercase();
        let digits = digits.strip_prefix("len=").unwrap_or(&digits);
        match digits.parse::<u32>() {
            Ok(1) => Type::Basic("character".into(), 1),
            Ok(length) => Type::Basic(format!("character({length})"), length),
            Err(_) => Type::Named(format!("character({digits})")),
        }
    }
}

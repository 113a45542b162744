//! Names of a callee and arguments of its call.

use std::collections::HashMap;

use commloom_source::tree::{Expression, ExpressionKind as Kind, Name, Unary};

/// The names that those of one instance get in the expanded body.
#[derive(Default)]
pub(super) struct Renaming {
    pub instance: usize,
    pub of: HashMap<Name, Kind>,
}

impl Renaming {
    pub(super) fn name(&self, name: &str) -> Name {
        match self.of.get(name) {
            Some(Kind::Name(new)) => new.clone(),
            _ => name.to_owned(),
        }
    }
}

/// An argument that can stand for the dummy everywhere.
pub(super) fn actual(argument: &Expression, names: &Renaming) -> Option<Kind> {
    Some(match &argument.kind {
        Kind::Name(name) => names.of.get(name).cloned().unwrap_or_else(|| argument.kind.clone()),
        Kind::Integer(_) => argument.kind.clone(),
        Kind::Unary(Unary::Minus, inner) if matches!(inner.kind, Kind::Integer(_)) => {
            argument.kind.clone()
        }
        Kind::Unary(Unary::Address, inner) => {
            let kind = actual(inner, names).filter(|k| matches!(k, Kind::Name(_)))?;
            let inner = Expression { span: inner.span, kind };
            Kind::Unary(Unary::Address, Box::new(inner))
        }
        _ => return None,
    })
}

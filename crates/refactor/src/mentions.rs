//! Names that statements mention.

use std::collections::BTreeMap;

use commloom_proof::for_each_bound;
use commloom_source::Span;
use commloom_source::tree::{ExpressionKind as Kind, Name, Statement, StatementKind};

/// Where a statement itself, without those in it, mentions which names.
pub(crate) fn mentioned(statement: &Statement, all: &mut BTreeMap<Name, Vec<Span>>) {
    let mut at = |name: &Name, span: Span| all.entry(name.clone()).or_default().push(span);
    for value in statement.expressions() {
        value.each(&mut |e| match &e.kind {
            Kind::Name(name) => at(name, e.span),
            Kind::Unknown(names) => names.iter().for_each(|name| at(name, e.span)),
            _ => {}
        });
    }
    match &statement.kind {
        StatementKind::Loop(counted) => at(&counted.variable, statement.span),
        StatementKind::Unknown(names) => names.iter().for_each(|name| at(name, statement.span)),
        StatementKind::Declare(declared) => {
            for declaration in declared {
                at(&declaration.name, statement.span);
                for_each_bound(&declaration.of, &mut |bound| {
                    bound.each(&mut |e| {
                        if let Kind::Name(name) = &e.kind {
                            at(name, statement.span);
                        }
                    });
                });
            }
        }
        _ => {}
    }
}

//! Names that a procedure has, as text.

use std::collections::BTreeSet;

use commloom_program::{View, is_mpi};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Dimension, Expression, ExpressionKind as Kind, Name, Procedure, StatementKind, Type, Unary,
};

use super::find::{calls_in, has_copies};
use super::found::buffer_name;
use super::touch::Touches;

/// Buffers of calls that no copies are beside.
pub(crate) fn bare_buffers(view: &View<'_>) -> Vec<Name> {
    calls_in(view)
        .iter()
        .filter(|found| found.side.obstacle.is_none() && !has_copies(view, found))
        .filter_map(|found| buffer_name(view, found))
        .collect()
}

/// Whether a procedure calls MPI itself.
pub(crate) fn calls_mpi(view: &View<'_>) -> bool {
    let mut found = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            for expression in s.expressions() {
                expression.each(&mut |e| {
                    if let Kind::Call { function, .. } = &e.kind {
                        let name = function.root().map_or("", String::as_str);
                        let name = view.stands_for(name);
                        found |= is_mpi(name);
                    }
                });
            }
        });
    }
    found
}

/// Variables that a procedure, or what it calls, may write.
pub(crate) fn written_names(view: &View<'_>) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            names.extend(Touches::of(view, s).writes.into_iter().map(|(name, _)| name));
        });
    }
    names
}

/// Variables that get another value themselves, or whose address is taken.
pub(crate) fn assigned_names(procedure: &Procedure) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    let mut target = |e: &Expression| {
        if let Kind::Name(name) = &e.kind {
            names.insert(name.clone());
        }
    };
    for statement in &procedure.body {
        statement.each(&mut |s| {
            match &s.kind {
                StatementKind::Assign { target: to, .. } => target(to),
                StatementKind::Loop(counted) => {
                    target(&Expression { span: s.span, kind: Kind::Name(counted.variable.clone()) })
                }
                StatementKind::Unknown(all) => all.iter().for_each(|name| {
                    target(&Expression { span: s.span, kind: Kind::Name(name.clone()) });
                }),
                _ => {}
            }
            for expression in s.expressions() {
                expression.each(&mut |e| match &e.kind {
                    Kind::Assign { target: to, .. } | Kind::Step { target: to, .. } => target(to),
                    Kind::Unary(Unary::Address, inner) => target(inner),
                    _ => {}
                });
            }
        });
    }
    names
}

/// All names in a procedure, those of its bounds too.
pub(crate) fn names_in(procedure: &Procedure) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            match &s.kind {
                StatementKind::Loop(counted) => drop(names.insert(counted.variable.clone())),
                StatementKind::Unknown(all) => names.extend(all.iter().cloned()),
                StatementKind::Declare(all) => {
                    for declaration in all {
                        names.insert(declaration.name.clone());
                        bound_names(&declaration.of, &mut names);
                    }
                }
                _ => {}
            }
            for expression in s.expressions() {
                expression.each(&mut |e| match &e.kind {
                    Kind::Name(name) => drop(names.insert(name.clone())),
                    Kind::Unknown(all) => names.extend(all.iter().cloned()),
                    _ => {}
                });
            }
        });
    }
    let used = names.clone();
    for variable in procedure.scope.variables.iter().filter(|v| used.contains(&v.name)) {
        bound_names(&variable.of, &mut names);
    }
    names
}

fn bound_names(of: &Type, names: &mut BTreeSet<Name>) {
    for_each_bound(of, &mut |bound| {
        bound.each(&mut |e| {
            if let Kind::Name(name) = &e.kind {
                names.insert(name.clone());
            }
        });
    });
}

/// All bounds of an array.
pub fn for_each_bound(of: &Type, visit: &mut impl FnMut(&Expression)) {
    let Type::Array(inner, dimensions) = of else { return };
    for dimension in dimensions {
        match dimension {
            Dimension::Bounds { lower, upper } => {
                lower.iter().for_each(&mut *visit);
                visit(upper);
            }
            Dimension::Extent(extent) => visit(extent),
            Dimension::AssumedSize { lower } | Dimension::AssumedShape { lower } => {
                lower.iter().for_each(&mut *visit);
            }
        }
    }
    for_each_bound(inner, visit);
}

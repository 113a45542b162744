//! Calls of procedures that stand for MPI's ([`Wrapper`]): which arguments are the buffers, and
//! whether such a call can be written with a datatype.

use commloom_copies::Packing;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_program::{View, Wrapper};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Declaration, Dimension, Expression, ExpressionKind as Kind, StatementKind, Type,
};

use super::calls::{self, Manner, Side};
use super::found::Found;
use super::model::Ledger;

/// The buffers of a call, by the name of what is called in a procedure.
pub(super) fn sides(view: &View<'_>, called: &str) -> Vec<Side> {
    let Some(wrapper) = view.wrapper(called) else {
        return calls::sides(view.stands_for(called));
    };
    let own = calls::sides(wrapper.stands_for().name).into_iter();
    own.filter_map(|side| {
        Some(Side {
            buffer: wrapper.at(side.buffer)?,
            count: wrapper.at(side.count)?,
            datatype: side.datatype.and_then(|at| wrapper.at(at)),
            request: match side.request {
                Some(at) => Some(wrapper.at(at)?),
                None => None,
            },
            manner: match side.manner {
                Manner::Once | Manner::Persistent => side.manner,
                Manner::Broadcast { root, comm } => {
                    Manner::Broadcast { root: wrapper.at(root)?, comm: wrapper.at(comm)? }
                }
                Manner::Parts { root, comm } => Manner::Parts {
                    root: match root {
                        Some(at) => Some(wrapper.at(at)?),
                        None => None,
                    },
                    comm: wrapper.at(comm)?,
                },
            },
            ..side
        })
    })
    .collect()
}

/// Which argument of a call that completes requests has them.
pub(super) fn completes(view: &View<'_>, called: &str) -> Option<usize> {
    match view.wrapper(called) {
        Some(wrapper) => wrapper.at(calls::completes(wrapper.stands_for().name)?),
        None => calls::completes(called),
    }
}

/// The datatype of a call that has no argument for it.
pub(super) fn fixed(
    view: &View<'_>,
    called: &str,
    buffer: usize,
    call: Span,
) -> Option<Expression> {
    let wrapper = view.wrapper(called)?;
    let (_, text) = wrapper.fixed(buffer)?;
    let name = if view.language().is_fortran() { text.to_ascii_lowercase() } else { text.into() };
    Some(Expression { span: call, kind: Kind::Name(name) })
}

/// Whether a call of a wrapper can get a datatype, or become a call of MPI.
pub(super) fn is_writable(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let Some(wrapper) = view.wrapper(&found.function) else { return Ok(()) };
    let refuse = |message: String| Err(Refusal::new(Code::Wrapper, found.call, message));
    let name = &found.function;
    match wrapper.fixed(found.side.buffer) {
        None => {
            if let Some(why) = dislikes(view, found, packing) {
                return refuse(format!("'{name}' cannot be given the array itself: {why}"));
            }
        }
        Some((_, datatype)) => {
            let mpi = wrapper.stands_for().name;
            let (missing, absent) = missing(wrapper, view, found);
            if !missing.is_empty() {
                return refuse(format!(
                    "'{name}' is for {datatype} only, and commloom.toml does not say what {} \
                     of {mpi} is",
                    missing.join(" and ")
                ));
            }
            if let Some((argument, number)) = absent {
                return refuse(format!(
                    "the call has no argument {number}, which commloom.toml gives as {argument} \
                     of {mpi} (a number in quotes is a value)"
                ));
            }
            if is_used(view, found) {
                return refuse(format!(
                    "'{name}' is for {datatype} \
                     only, and what it gives back is used: it need not be what {mpi} gives back"
                ));
            }
        }
    }
    if sees_mpi(view, found.call) {
        return Ok(());
    }
    let what = if view.language().is_fortran() { "`use mpi`" } else { "mpi.h" };
    let message = format!("a type is made here, and {what} cannot be seen from here");
    ledger.need(Code::Wrapper, found.call, message, Fact::MpiKnown)
}

/// Arguments of MPI's procedure that nobody has told, and one that is no argument of the call.
fn missing(
    wrapper: &Wrapper,
    view: &View<'_>,
    found: &Found<'_>,
) -> (Vec<String>, Option<(String, usize)>) {
    let signature = wrapper.stands_for();
    let needed = match view.language().is_fortran()
        && !view.project().has_handles(view.project().real(found.call))
    {
        true => signature.arguments.len() + 1,
        false => signature.arguments.len(),
    };
    let quoted = |at: usize| format!("`{}`", signature.argument(at));
    let missing = (0..needed)
        .filter(|at| wrapper.given(*at).is_none() && wrapper.usual(*at).is_none())
        .map(quoted)
        .collect();
    let absent = (0..=signature.arguments.len()).find_map(|at| {
        let own = wrapper.at(at).filter(|own| found.arguments.get(*own).is_none())?;
        Some((quoted(at), own + 1))
    });
    (missing, absent)
}

/// Whether the statement does something with the call's value.
fn is_used(view: &View<'_>, found: &Found<'_>) -> bool {
    let mut used = true;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if s.span == found.statement && matches!(s.kind, StatementKind::Evaluate(_)) {
                used = false;
            }
        });
    }
    used
}

/// Whether names of MPI are known in a procedure: calls of wrappers do not need them.
fn sees_mpi(view: &View<'_>, call: Span) -> bool {
    let project = view.project();
    let call = project.real(call);
    let Some(unit) = project.units().iter().find(|u| u.file == call.file) else { return false };
    let is_header = |name: &str, header: &str| {
        name.rsplit(['/', '\\']).next().is_some_and(|n| n.eq_ignore_ascii_case(header))
    };
    if !unit.language.is_fortran() {
        // What is included, and what that includes; names without folders will do.
        let mut seen = vec![unit];
        let mut at = 0;
        while let Some(unit) = seen.get(at).copied() {
            for (name, _) in &unit.includes {
                if is_header(name, "mpi.h") {
                    return true;
                }
                let last = name.rsplit(['/', '\\']).next().unwrap_or(name);
                let more = project
                    .units()
                    .iter()
                    .filter(|u| project.source(u.file).is_some_and(|s| is_header(&s.name, last)));
                let new: Vec<_> = more.filter(|u| !seen.iter().any(|s| s.file == u.file)).collect();
                seen.extend(new);
            }
            at += 1;
        }
        return false;
    }
    let Some(procedure) = unit.procedures.iter().rfind(|p| p.span.contains(call)) else {
        return false;
    };
    let host = procedure.host.as_ref();
    let outer = unit.procedures.iter().filter(|p| Some(&p.name) == host).map(|p| &p.scope);
    let module = procedure.module.as_ref();
    let modules = unit.modules.iter().filter(|(name, _)| Some(name) == module).map(|(_, s)| s);
    std::iter::once(&procedure.scope)
        .chain(outer)
        .chain(modules)
        .any(|scope| scope.uses.iter().any(|u| u.module.starts_with("mpi") && !u.only))
        || unit
            .includes
            .iter()
            .any(|(name, at)| procedure.span.contains(*at) && is_header(name, "mpif.h"))
}

/// Why a wrapper's buffer argument, where its declaration is at hand, cannot be what the copies
/// are from.
fn dislikes(view: &View<'_>, found: &Found<'_>, packing: &Packing) -> Option<String> {
    let of = parameter(view, &found.function, found.side.buffer)?;
    let other = |expected: &Type| {
        let Type::Basic(expected, bytes) = expected else { return None };
        packing.touched.iter().find_map(|name| {
            let mut of = view.resolve(&view.variable(name)?.of);
            while let Type::Array(inner, _) | Type::Pointer(inner) | Type::Reference(inner) = of {
                of = view.resolve(&inner);
            }
            (of != Type::Basic(expected.clone(), *bytes))
                .then(|| format!("'{name}' is no array of {expected}"))
        })
    };
    match view.resolve(&of) {
        Type::Array(_, dimensions)
            if dimensions.iter().any(|d| matches!(d, Dimension::AssumedShape { .. })) =>
        {
            Some("it takes an array with its shape".into())
        }
        Type::Array(inner, _) | Type::Pointer(inner) => other(&view.resolve(&inner)),
        Type::Basic(..) => None,
        _ => None,
    }
}

/// The type of an argument of a procedure, where it is declared.
fn parameter(view: &View<'_>, called: &str, at: usize) -> Option<Type> {
    let project = view.project();
    let plain = called.rsplit("::").next().unwrap_or(called);
    let same = |name: &str| name.rsplit("::").next() == Some(plain);
    let of = |d: &Declaration| d.of.clone();
    project.units().iter().find_map(|unit| {
        let body = unit.procedures.iter().find(|p| same(&p.name)).and_then(|p| {
            let name = p.parameters.get(at)?;
            p.scope.variables.iter().find(|d| d.name == *name).map(of)
        });
        body.or_else(|| {
            let prototype = unit.prototypes.iter().find(|p| same(&p.name));
            prototype.and_then(|p| p.parameters.get(at)).map(of)
        })
    })
}

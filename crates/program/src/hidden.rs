//! Memory that procedures whose text is not at hand cannot reach, unless they are given it.
//!
//! In Fortran all that is neither shared nor a pointer or target (Fortran 2018, 15.5.2.13: what a
//! dummy argument stands for is touched through it only). In C locals, and what was allocated for
//! local pointers, whose address is neither stored, nor returned, nor given to a procedure that
//! might keep it.

use std::collections::{BTreeSet, HashSet};

use commloom_source::Language;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Declaration, Expression, ExpressionKind as Kind, Field, Name, StatementKind, Storage,
    Type, Unary,
};

use super::library::is_forgetful;
use super::names::last;
use super::program::Project;
use super::regions::{Pointers, Reach};
use super::types::{is_number, is_number_of_address, is_passive, type_of};
use super::view::View;

/// Of each procedure.
pub(super) fn reach(project: &Project) -> Vec<Reach> {
    let keeps = keeping(project);
    project
        .procedures()
        .map(|id| {
            let view = project.view(id);
            if view.language().is_fortran() {
                return Reach { hidden: fortran(&view), given: BTreeSet::new() };
            }
            let given = given_away(&view, &keeps);
            let pointers = &project.pointers[id.0];
            let hidden = declared(&view)
                .into_iter()
                .filter(|name| is_own(&view, name, pointers, &given))
                .collect();
            Reach { hidden, given }
        })
        .collect()
}

/// Shared variables of C, by their names in the whole project, whose address leaves some
/// procedure, or that others begin with.
pub(super) fn given_globals(project: &Project) -> HashSet<Name> {
    let mut all = HashSet::new();
    for id in project.procedures() {
        let view = project.view(id);
        let reach = project.reach.get(id.0);
        let names = reach.into_iter().flat_map(|reach| &reach.given);
        all.extend(names.filter_map(|name| view.global(name)));
    }
    for unit in project.units().iter().filter(|unit| !unit.language.is_fortran()) {
        let scopes = unit.modules.iter().map(|(module, scope)| (Some(module), scope));
        for (module, scope) in scopes.chain([(None, &unit.scope)]) {
            for value in scope.variables.iter().filter_map(|d| d.value.as_ref()) {
                for name in names(value) {
                    all.extend(module.map(|module| format!("{module}::{name}")));
                    all.insert(name);
                }
            }
        }
    }
    all
}

/// Names that a procedure declares itself.
fn declared(view: &View<'_>) -> BTreeSet<Name> {
    let procedure = view.procedure();
    let mut names: BTreeSet<Name> =
        procedure.scope.variables.iter().map(|d| d.name.clone()).collect();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            if let StatementKind::Declare(all) = &s.kind {
                names.extend(all.iter().map(|d| d.name.clone()));
            }
        });
    }
    names
}

fn fortran(view: &View<'_>) -> HashSet<Name> {
    let procedure = view.procedure();
    let shares = |name: &str| {
        procedure
            .scope
            .equivalences
            .iter()
            .any(|e| e.places.iter().any(|p| p.root().is_some_and(|root| root == name)))
    };
    procedure
        .scope
        .variables
        .iter()
        .filter(|d| {
            matches!(d.storage, Storage::Local | Storage::Argument)
                && d.unaliased
                && !matches!(d.of, Type::Pointer(_) | Type::Unknown)
                && view.global(&d.name).is_none()
                && !shares(&d.name)
        })
        .map(|d| d.name.clone())
        .collect()
}

/// Whether a variable of C is memory that has one name, which was not given away.
fn is_own(view: &View<'_>, name: &str, pointers: &Pointers, given: &BTreeSet<Name>) -> bool {
    let Some(declaration) = view.declared(name) else { return false };
    let leads = pointers.leads(name);
    // A number that is passed by value is the procedure's own, too.
    let is_value = declaration.storage == Storage::Argument
        && matches!(view.resolve(&declaration.of), Type::Basic(..));
    if declaration.storage != Storage::Local && !is_value {
        return false;
    }
    let plain = match view.resolve(&declaration.of) {
        Type::Pointer(_) => leads.is_some_and(BTreeSet::is_empty),
        Type::Basic(..) => leads.is_none(),
        Type::Array(inner, _) => leads.is_none() && matches!(view.resolve(&inner), Type::Basic(..)),
        _ => false,
    };
    plain && !given.contains(name) && !pointers.is_led_to(name)
}

/// Of each procedure, which arguments it may keep the address of.
fn keeping(project: &Project) -> Vec<Vec<bool>> {
    let mut keeps: Vec<Vec<bool>> = project
        .procedures()
        .map(|id| vec![false; project.procedure(id).parameters.len()])
        .collect();
    loop {
        let mut news = false;
        for id in project.procedures() {
            let view = project.view(id);
            if view.language().is_fortran() || keeps[id.0].iter().all(|kept| *kept) {
                continue;
            }
            let given = given_away(&view, &keeps);
            for (index, name) in view.procedure().parameters.iter().enumerate() {
                if !keeps[id.0][index] && given.contains(name) {
                    keeps[id.0][index] = true;
                    news = true;
                }
            }
        }
        if !news {
            return keeps;
        }
    }
}

/// Variables whose address, or what they point to, may be known elsewhere after some statement of
/// a procedure of C.
fn given_away(view: &View<'_>, keeps: &[Vec<bool>]) -> BTreeSet<Name> {
    let mut given = BTreeSet::new();
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            match &s.kind {
                StatementKind::Assign { target, value, .. } => {
                    stored(view, target, value, &mut given)
                }
                StatementKind::Return(Some(value)) => leaks(view, value, &mut given),
                // What pointers are that stay, or lead to one of several, is not followed.
                StatementKind::Declare(all) => {
                    for declared in all {
                        let is_followed = declared.storage == Storage::Local;
                        let value = declared.value.as_ref();
                        if let Some(value) = value.filter(|v| !is_followed || chooses(v)) {
                            leaks(view, value, &mut given);
                        }
                    }
                }
                StatementKind::Unknown(names) => given.extend(names.iter().cloned()),
                _ => {}
            }
            for expression in s.expressions() {
                expression.each(&mut |e| match &e.kind {
                    Kind::Assign { target, value, .. } => stored(view, target, value, &mut given),
                    Kind::Unknown(names) => given.extend(names.iter().cloned()),
                    Kind::Cast(_, inner) if is_number_of_address(view, e) => {
                        leaks(view, inner, &mut given);
                    }
                    Kind::Call { function, arguments } => {
                        called(view, function, arguments, keeps, &mut given);
                    }
                    _ => {}
                });
            }
        });
    }
    // What leads to something that is given away gives it away.
    let pointers = &view.project.pointers[view.id.0];
    let mut waiting: Vec<Name> = given.iter().cloned().collect();
    while let Some(name) = waiting.pop() {
        for to in pointers.leads(&name).into_iter().flatten() {
            if given.insert(to.clone()) {
                waiting.push(to.clone());
            }
        }
    }
    given
}

/// Whether an object of C++ may keep references to what it is made of: one that has such among
/// its components, or of a class with functions of its own, or of a type that is not known.
fn keeps_places(view: &View<'_>, declared: &Declaration) -> bool {
    if view.language() != Language::Cpp {
        return false;
    }
    match view.resolve(&declared.of) {
        Type::Record(name) => {
            let record = view.project.spaces.record(view.id.0, &name);
            let is_kept = |field: &Field| matches!(field.of, Type::Reference(_));
            record.is_none_or(|record| record.fields.iter().any(is_kept))
                || !is_passive(view, &declared.of, 0)
        }
        Type::Named(_) | Type::Unknown => !is_passive(view, &declared.of, 0),
        // By the name of a type: `using r = int &;`.
        Type::Reference(_) => !matches!(declared.of, Type::Reference(_)),
        _ => false,
    }
}

fn chooses(value: &Expression) -> bool {
    let mut found = false;
    value.each(&mut |e| found |= matches!(e.kind, Kind::Choice { .. } | Kind::Unknown(_)));
    found
}

/// An address that is put anywhere but into a local variable leaves.
fn stored(view: &View<'_>, target: &Expression, value: &Expression, given: &mut BTreeSet<Name>) {
    let declared = match &target.kind {
        Kind::Name(name) => view.declared(name),
        _ => None,
    };
    let is_local = declared.is_some_and(|d| {
        matches!(d.storage, Storage::Local | Storage::Argument)
            && !matches!(d.of, Type::Reference(_))
    });
    if declared.is_some_and(|declared| keeps_places(view, declared)) {
        given.extend(names(value));
    } else if !is_local || chooses(value) {
        leaks(view, value, given);
    }
}

/// All whose address a value may be.
fn leaks(view: &View<'_>, value: &Expression, given: &mut BTreeSet<Name>) {
    let is_value = match &value.kind {
        Kind::Integer(_) | Kind::Literal(_) | Kind::SizeOfType(_) | Kind::SizeOfValue(_) => true,
        Kind::Name(name) => {
            view.declared(name).is_some_and(|d| matches!(view.resolve(&d.of), Type::Basic(..)))
        }
        _ => type_of(view, value).is_some_and(|of| is_number(&of)),
    };
    if is_value {
        return;
    }
    match &value.kind {
        Kind::Name(name) => drop(given.insert(name.clone())),
        Kind::Unary(Unary::Address, place) => given.extend(names(place)),
        // No address is a product, or what a comparison says.
        Kind::Binary(operation, ..) if is_arithmetic(*operation) => {}
        _ => given.extend(names(value)),
    }
}

fn is_arithmetic(operation: Binary) -> bool {
    !matches!(
        operation,
        Binary::Add
            | Binary::Subtract
            | Binary::BitAnd
            | Binary::BitOr
            | Binary::BitXor
            | Binary::ShiftLeft
            | Binary::ShiftRight
    )
}

fn names(value: &Expression) -> Vec<Name> {
    let mut all = Vec::new();
    value.each(&mut |e| match &e.kind {
        Kind::Name(name) => all.push(name.clone()),
        Kind::Unknown(inside) => all.extend(inside.iter().cloned()),
        _ => {}
    });
    all
}

fn called(
    view: &View<'_>,
    function: &Expression,
    arguments: &[Expression],
    keeps: &[Vec<bool>],
    given: &mut BTreeSet<Name>,
) {
    if let Kind::Member { base, .. } = &function.kind {
        leaks(view, base, given);
    }
    let name = match &function.kind {
        Kind::Name(name) => name.as_str(),
        Kind::Member { field, .. } => field,
        _ => "",
    };
    let wrapper = view.wrapper(name);
    let is_variable = view.declared(name).is_some();
    let has_body = !is_variable && wrapper.is_none();
    let known = view.project.spaces.by_name.get(last(name)).filter(|_| has_body);
    let forgets = match wrapper {
        Some(wrapper) => is_forgetful(wrapper.stands_for().name),
        None => !is_variable && known.is_none() && is_forgetful(name),
    };
    for (index, argument) in arguments.iter().enumerate() {
        let kept = match known {
            Some(all) => all.iter().any(|&id| keeps[id].get(index).copied().unwrap_or(true)),
            None => !forgets,
        };
        if kept {
            leaks(view, argument, given);
        }
    }
}

//! Names that may be names of the same memory.
//!
//! Nothing depends on the order of statements: a pointer leads to all that it is ever set to in
//! its procedure.

use commloom_source::symbols::Symbols;
use commloom_source::tree::{Declaration, Name, Storage, Type};

use super::library::is_mpi;
use super::regions::{ANYTHING, Pointers};
use super::types::holds_numbers;
use super::view::View;

/// The variables that a name may lead to, itself first.
pub(super) fn targets(view: &View<'_>, name: &str) -> Vec<Name> {
    let mut all = view.pointers().follow(name);
    all.retain(|n| n != name);
    all.insert(0, name.to_owned());
    all
}

/// The variables that a pointer or reference may lead to; none if that is not known.
pub(super) fn pointees(view: &View<'_>, name: &str) -> Option<Vec<Name>> {
    let Some(declaration) = view.declared(name) else { return Some(Vec::new()) };
    if holds_numbers(view, &declaration.of) {
        return Some(Vec::new());
    }
    let pointers = view.pointers();
    let is_array = matches!(view.resolve(&declaration.of), Type::Array(..) | Type::Record(_));
    if !is_array && (pointers.open.contains(name) || !pointers.leads.contains_key(name)) {
        return None;
    }
    let mut all = pointers.follow(name);
    all.retain(|n| n != name);
    (!all.iter().any(|n| n == ANYTHING)).then_some(all)
}

/// Whether memory of one variable may be memory of another one.
pub(super) fn may_alias(view: &View<'_>, one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    // A named number has no memory.
    if view.constant(one).is_some() || view.constant(other).is_some() {
        return false;
    }
    let pointers = view.pointers();
    let (ones, others) = (pointers.follow(one), pointers.follow(other));
    ones.iter().any(|a| others.iter().any(|b| a == b || overlap(view, pointers, a, b)))
}

/// Whether two variables, neither of which is set to anything in the procedure that would say
/// more, may share memory.
fn overlap(view: &View<'_>, pointers: &Pointers, a: &str, b: &str) -> bool {
    if a == ANYTHING || b == ANYTHING {
        return true;
    }
    // Constants of MPI (`MPI_STATUS_IGNORE`, `mpi_comm_world`) are nobody's memory, and the
    // streams of C's library are its own.
    let is_stream =
        |name: &str| ["stdin", "stdout", "stderr"].contains(&name) && view.declared(name).is_none();
    if [a, b].iter().any(|name| is_mpi(name) || is_stream(name)) {
        return false;
    }
    let (Some(a), Some(b)) = (view.declared(a), view.declared(b)) else {
        return !is_another_common(view, a, b);
    };
    if view.language().is_fortran() {
        // Storage may be shared by variables of different types.
        return equivalent(view, &a.name, &b.name)
            || (types_may_alias(view, a, b) && targets_of_pointers(a, b));
    }
    if !types_may_alias(view, a, b) {
        return false;
    }
    if a.unaliased || b.unaliased {
        return false;
    }
    match (is_pointer(a), is_pointer(b)) {
        (true, true) => !(is_alone(view, a) || is_alone(view, b)),
        (true, false) => !is_alone(view, a) && can_be_reached(pointers, a, b),
        (false, true) => !is_alone(view, b) && can_be_reached(pointers, b, a),
        (false, false) => false,
    }
}

/// Whether one is a variable of a common block that this procedure does not name (`/block/name`),
/// and the other one is not.
fn is_another_common(view: &View<'_>, a: &str, b: &str) -> bool {
    let block = |name: &str| {
        name.starts_with('/').then(|| name.split('/').nth(1)).flatten().map(str::to_owned)
    };
    let (hidden, seen) = match (block(a), block(b)) {
        (Some(hidden), None) => (hidden, b),
        (None, Some(hidden)) => (hidden, a),
        _ => return false,
    };
    let Some(declaration) = view.declared(seen) else { return false };
    let is_pointer = matches!(declaration.of, Type::Pointer(_));
    let same_block = view.global(seen).and_then(|g| block(&g)).is_some_and(|own| own == hidden);
    view.language().is_fortran() && !is_pointer && !same_block
}

/// Fortran 2018, 15.5.2.13: what is written through one name may not be touched through another
/// one, unless one is a pointer, or both are dummy arguments with the attribute `target`. A
/// pointer leads to nothing that has neither of both attributes (10.2.2.3).
fn targets_of_pointers(a: &Declaration, b: &Declaration) -> bool {
    let points = |d: &Declaration| matches!(d.of, Type::Pointer(_));
    let dummy = |d: &Declaration| d.storage == Storage::Argument;
    if points(a) || points(b) {
        return !a.unaliased && !b.unaliased;
    }
    dummy(a) && dummy(b) && !a.unaliased && !b.unaliased
}

/// `equivalence`, or a common block that has several forms.
fn equivalent(view: &View<'_>, a: &str, b: &str) -> bool {
    let scope = &view.procedure().scope;
    let together = scope.equivalences.iter().any(|e| {
        let has = |name: &str| e.places.iter().any(|p| p.root().is_some_and(|r| r == name));
        has(a) && has(b)
    });
    let block = view.global(a);
    together || (block.is_some() && block == view.global(b))
}

fn is_pointer(declaration: &Declaration) -> bool {
    matches!(declaration.of, Type::Pointer(_) | Type::Reference(_) | Type::Named(_) | Type::Unknown)
}

/// Whether what a pointer leads to has no other name, but those that are looked at by themselves.
fn is_alone(view: &View<'_>, declaration: &Declaration) -> bool {
    is_fresh(view.pointers(), declaration) || view.is_owner(&declaration.name)
}

/// A local pointer that leads only to memory that was allocated for it, or to named variables
/// (which are looked at by themselves).
fn is_fresh(pointers: &Pointers, declaration: &Declaration) -> bool {
    declaration.storage == Storage::Local
        && pointers.leads.contains_key(&declaration.name)
        && !pointers.open.contains(&declaration.name)
}

/// Whether a pointer that nobody has looked into can lead to a variable. What came as an argument
/// is older than the procedure's own.
fn can_be_reached(pointers: &Pointers, pointer: &Declaration, variable: &Declaration) -> bool {
    match variable.storage {
        Storage::Local | Storage::Argument => {
            let old =
                pointer.storage == Storage::Argument && !pointers.leads.contains_key(&pointer.name);
            !old && pointers.exposed.contains(&variable.name)
        }
        Storage::Kept | Storage::Shared => true,
    }
}

/// Different numeric types share no memory that is used (C11 6.5, paragraph 7); `char` and what is
/// not known may share with all.
fn types_may_alias(view: &View<'_>, a: &Declaration, b: &Declaration) -> bool {
    let (Some(a), Some(b)) = (element(view, &a.of), element(view, &b.of)) else { return true };
    let bytes = |name: &str| name.ends_with("char");
    let unsigned = |name: &str| name.strip_prefix("unsigned ").unwrap_or(name).to_owned();
    bytes(&a) || bytes(&b) || unsigned(&a) == unsigned(&b)
}

/// The number that a variable is made of, behind pointers and arrays; of MPI's own types their
/// name.
fn element(view: &View<'_>, of: &Type) -> Option<String> {
    let mut of = view.resolve(of);
    loop {
        of = match of {
            Type::Pointer(inner) | Type::Reference(inner) | Type::Array(inner, _) => {
                view.resolve(&inner)
            }
            Type::Basic(name, _) => return Some(name),
            Type::Named(name) if name.starts_with("MPI_") => return Some(name),
            _ => return None,
        };
    }
}

//! Scopes of included files, in the scopes that include them.

use commloom_source::Language;
use commloom_source::tree::{Scope, Unit};

use super::files::Files;

/// How far modules use modules, and includes include.
pub(super) const CHAIN_LIMIT: usize = 32;

/// Puts what Fortran includes into the scopes that include it.
pub(super) fn include(units: &mut [Unit], files: &Files) {
    for number in 0..units.len() {
        if !units[number].language.is_fortran() {
            continue;
        }
        let mut scopes: Vec<Scope> = Vec::new();
        let unit = &units[number];
        let all = std::iter::once(&unit.scope)
            .chain(unit.modules.iter().map(|(_, scope)| scope))
            .chain(unit.procedures.iter().map(|p| &p.scope));
        for scope in all {
            let mut whole = scope.clone();
            include_into(&mut whole, number, units, files, 0);
            scopes.push(whole);
        }
        let unit = &mut units[number];
        let slots = std::iter::once(&mut unit.scope)
            .chain(unit.modules.iter_mut().map(|(_, scope)| scope))
            .chain(unit.procedures.iter_mut().map(|p| &mut p.scope));
        for (slot, whole) in slots.zip(scopes) {
            *slot = whole;
        }
    }
}

fn include_into(scope: &mut Scope, from: usize, units: &[Unit], files: &Files, depth: usize) {
    if depth > CHAIN_LIMIT {
        return;
    }
    for (name, _) in std::mem::take(&mut scope.includes) {
        let Some(found) = files.find(from, &name).filter(|&f| f != from) else { continue };
        if !matches!(units[found].language, Language::FortranFixed | Language::FortranFree) {
            continue;
        }
        let mut inner = units[found].scope.clone();
        include_into(&mut inner, found, units, files, depth + 1);
        merge(scope, inner);
    }
}

/// Declarations in several statements are one: `dimension` here, `common` there.
fn merge(scope: &mut Scope, inner: Scope) {
    for variable in inner.variables {
        if !scope.variables.iter().any(|v| v.name == variable.name) {
            scope.variables.push(variable);
        }
    }
    scope.records.extend(inner.records);
    scope.aliases.extend(inner.aliases);
    scope.constants.extend(inner.constants);
    scope.commons.extend(inner.commons);
    scope.acting.extend(inner.acting);
    scope.assigning.extend(inner.assigning);
    scope.has_loose_pointers |= inner.has_loose_pointers;
    scope.equivalences.extend(inner.equivalences);
    scope.uses.extend(inner.uses);
    scope.implicit &= inner.implicit;
}

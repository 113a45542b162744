//! Objects of C++ that do something where they are made or where their scope ends: locks, timers,
//! files. Who takes a copy across such a place reads memory that others may write by then.

use commloom_program::View;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Declaration, Name, Statement, StatementKind, Storage, Type};
use commloom_source::{Language, Span};

use super::flow::Stretch;

/// The declaration of an object that is made in a stretch or goes in it, and whose type may do
/// anything then.
pub(super) fn acts_in(view: &View<'_>, stretch: Stretch) -> Option<Span> {
    if view.language() != Language::Cpp {
        return None;
    }
    acting(view, &view.procedure().body, None, stretch)
}

/// The variable of C among these, or what a pointer among them leads to, whose block ends in a
/// stretch: its memory may be another one's then.
pub(super) fn ends_in(view: &View<'_>, stretch: Stretch, names: &[Name]) -> Option<(Span, Name)> {
    if view.language().is_fortran() {
        return None;
    }
    let all: Vec<Name> =
        names.iter().flat_map(|name| view.targets(name)).chain(names.iter().cloned()).collect();
    ending(view, &view.procedure().body, None, stretch, &all)
}

fn ending(
    view: &View<'_>,
    list: &[Statement],
    block: Option<Span>,
    stretch: Stretch,
    names: &[Name],
) -> Option<(Span, Name)> {
    let ends = block.is_some_and(|block| stretch.has_end_of(block));
    list.iter().find_map(|s| {
        if let StatementKind::Declare(all) = &s.kind {
            let goes = |d: &&Declaration| {
                d.storage != Storage::Kept
                    && !matches!(view.resolve(&d.of), Type::Pointer(_) | Type::Reference(_))
                    && names.contains(&d.name)
            };
            return all.iter().filter(|_| ends).find(goes).map(|d| (s.span, d.name.clone()));
        }
        s.bodies().into_iter().find_map(|body| ending(view, body, Some(s.span), stretch, names))
    })
}

fn acting(
    view: &View<'_>,
    list: &[Statement],
    scope: Option<Span>,
    stretch: Stretch,
) -> Option<Span> {
    list.iter().find_map(|s| {
        if let StatementKind::Declare(all) = &s.kind {
            let touched =
                stretch.has(s.span) || scope.is_some_and(|scope| stretch.has_end_of(scope));
            let acts = |d: &Declaration| !view.is_passive(&d.of);
            return (touched && all.iter().any(acts)).then_some(s.span);
        }
        s.bodies().into_iter().find_map(|body| acting(view, body, Some(s.span), stretch))
    })
}

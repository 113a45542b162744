//! Objects of C++ that do something where they are made or where their scope ends: locks, timers,
//! files. Who takes a copy across such a place reads memory that others may write by then.

use commloom_program::View;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Declaration, ExpressionKind, Name, Statement, StatementKind, Storage, Type,
};
use commloom_source::{Language, Span};

use super::flow::{Stretch, may_follow};

/// The declaration of an object that is made in a stretch or goes in it, and whose type may do
/// anything then.
pub(super) fn acts_in(view: &View<'_>, stretch: Stretch) -> Option<Span> {
    if view.language() != Language::Cpp {
        return None;
    }
    let acts = |declared: &Declaration, at: Span, block: Option<Span>| {
        let is_touched = stretch.has(at) || block.is_some_and(|block| stretch.has_end_of(block));
        is_touched && !view.is_passive(&declared.of)
    };
    declared(&view.procedure().body, None, &acts).map(|(span, _)| span)
}

/// The object of C++ that may lead to a buffer, and does something where its scope ends, if that
/// may be after a place.
pub(super) fn ends_after(view: &View<'_>, from: Span, buffer: &str) -> Option<(Span, Name)> {
    if view.language() != Language::Cpp {
        return None;
    }
    let targets = view.targets(buffer);
    let is_own = view.variable(buffer).is_some_and(|d| d.storage == Storage::Local);
    let is_given = is_own && view.is_given_away(buffer);
    let ends = |declared: &Declaration, _: Span, block: Option<Span>| {
        let leads = || view.targets(&declared.name).iter().skip(1).any(|t| targets.contains(t));
        let is_class = || !matches!(view.resolve(&declared.of), Type::Unknown);
        let is_after =
            |block: Span| block.end > from.start || may_follow(view.procedure(), from, block);
        !view.is_passive(&declared.of)
            && (leads() || is_given && is_class())
            && block.is_none_or(is_after)
    };
    let (span, found) = declared(&view.procedure().body, None, &ends)?;
    Some((span, found.name.clone()))
}

/// The variable of C among these, or what a pointer among them leads to, whose block ends in a
/// stretch: its memory may be another one's then.
pub(super) fn ends_in(view: &View<'_>, stretch: Stretch, names: &[Name]) -> Option<(Span, Name)> {
    if view.language().is_fortran() {
        return None;
    }
    // Each is among its own targets.
    let all: Vec<Name> = names.iter().flat_map(|name| view.targets(name)).collect();
    let ends = |declared: &Declaration, _: Span, block: Option<Span>| {
        block.is_some_and(|block| stretch.has_end_of(block))
            && declared.storage != Storage::Kept
            && !matches!(view.resolve(&declared.of), Type::Pointer(_) | Type::Reference(_))
            && all.contains(&declared.name)
    };
    let (span, found) = declared(&view.procedure().body, None, &ends)?;
    Some((span, found.name.clone()))
}

/// Whether what stands at a place gives memory back, or moves it.
pub(super) fn is_released_at(view: &View<'_>, place: Span) -> bool {
    const RELEASES: &[&str] = &[
        "free",
        "_mm_free",
        "realloc",
        "delete",
        "$deallocate",
        "move_alloc",
        "mpi_free_mem",
        "reset",
        "clear",
        "resize",
        "shrink_to_fit",
        "swap",
    ];
    let mut found = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            for expression in s.expressions() {
                expression.each(&mut |e| {
                    let ExpressionKind::Call { function, .. } = &e.kind else { return };
                    let name = match &function.kind {
                        ExpressionKind::Name(name) => name.rsplit("::").next().unwrap_or(name),
                        ExpressionKind::Member { field, .. } => field.as_str(),
                        _ => return,
                    };
                    let is_there = e.span == place || s.span == place;
                    found |= is_there && RELEASES.contains(&name.to_ascii_lowercase().as_str());
                });
            }
        });
    }
    found
}

/// The first declaration that is looked for, by where it stands and the block around it.
fn declared<'t>(
    list: &'t [Statement],
    block: Option<Span>,
    is_it: &dyn Fn(&Declaration, Span, Option<Span>) -> bool,
) -> Option<(Span, &'t Declaration)> {
    list.iter().find_map(|s| {
        if let StatementKind::Declare(all) = &s.kind {
            return all.iter().find(|d| is_it(d, s.span, block)).map(|d| (s.span, d));
        }
        s.bodies().into_iter().find_map(|body| declared(body, Some(s.span), is_it))
    })
}

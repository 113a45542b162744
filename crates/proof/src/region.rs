//! Statements that can stand under one test, which is then the same for all of them.

use commloom_program::{ProcedureId, Project, View};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, Procedure, Statement, StatementKind};

use super::flow::locate;
use super::touch::Touches;

/// Statements that follow each other in one list.
pub struct Region<'p> {
    /// From the first to the last.
    pub span: Span,
    /// The conditions of all `if` around them.
    pub around: Vec<&'p Expression>,
}

/// The statements from the first to the last of some places, if none of them writes one of the
/// variables, and if all of them can be said twice: they declare nothing for later statements, no
/// jump leads in, and no line of the preprocessor stands among them.
pub fn region<'p>(
    project: &'p Project,
    id: ProcedureId,
    places: &[Span],
    variables: &[&str],
) -> Option<Region<'p>> {
    let view = project.view(id);
    let procedure = project.procedure(id);
    let Neighbours { path, list } = Neighbours::of(procedure, places)?;
    let span = list.first()?.span.to(list.last()?.span);
    let is_split = list.iter().any(|s| !span.contains(s.span));
    let has_lines = procedure.directives.iter().any(|line| span.contains(*line));
    let declares = |s: &Statement| {
        matches!(s.kind, StatementKind::Declare(_))
            && !list.iter().any(|other| other.span != s.span && other.span.contains(s.span))
    };
    if is_split || has_lines || list.iter().any(declares) {
        return None;
    }
    let mut is_plain = true;
    for statement in list {
        statement.each(&mut |s| {
            let jumps = matches!(
                s.kind,
                StatementKind::Label(_) | StatementKind::Goto(_) | StatementKind::Unknown(_)
            );
            is_plain &= !jumps;
        });
        is_plain &= !writes(&view, statement, variables);
    }
    let outside = path.iter().take(path.len().saturating_sub(1));
    let around = outside.filter_map(|(list, at)| match &list.get(*at)?.kind {
        StatementKind::If { condition, .. } => Some(condition),
        _ => None,
    });
    is_plain.then(|| Region { span, around: around.collect() })
}

/// The innermost statements of one list that have some places in them.
pub(super) struct Neighbours<'p> {
    /// The lists around them, from the procedure's body to their own, each with the place of the
    /// next one (or of the first statement) in it.
    pub path: Vec<(&'p [Statement], usize)>,
    /// From the first to the last.
    pub list: &'p [Statement],
}

impl<'p> Neighbours<'p> {
    pub fn of(procedure: &'p Procedure, places: &[Span]) -> Option<Neighbours<'p>> {
        let located: Vec<_> =
            places.iter().map(|at| locate(procedure, *at)).collect::<Option<_>>()?;
        let first = located.first()?;
        let mut depth = 0;
        let is_common = |depth: usize| {
            let (list, at) = first.path.get(depth)?;
            let (inner, _) = first.path.get(depth + 1)?;
            let mut others = located.iter();
            let same = others.all(|other| {
                let here =
                    other.path.get(depth).is_some_and(|(l, a)| std::ptr::eq(*l, *list) && a == at);
                here && other.path.get(depth + 1).is_some_and(|(l, _)| std::ptr::eq(*l, *inner))
            });
            same.then_some(())
        };
        while is_common(depth).is_some() {
            depth += 1;
        }
        let at = |path: &[(&[Statement], usize)]| path.get(depth).map(|(_, at)| *at);
        let all: Vec<usize> = located.iter().map(|one| at(&one.path)).collect::<Option<_>>()?;
        let (begin, end) = (*all.iter().min()?, *all.iter().max()?);
        let mut path: Vec<_> = first.path.iter().take(depth + 1).copied().collect();
        let (list, at) = path.last_mut()?;
        *at = begin;
        Some(Neighbours { list: list.get(begin..=end)?, path })
    }
}

/// Whether a statement, or one in it, may write to one of some variables.
pub(super) fn writes(view: &View<'_>, statement: &Statement, variables: &[&str]) -> bool {
    let mut writes = false;
    statement.each(&mut |s| {
        let touches = Touches::of(view, s);
        let is_written = |name: &&str| {
            view.constant(name).is_none()
                && (touches.writes.iter().any(|(other, _)| view.may_alias(other, name))
                    || (!touches.anything.is_empty() && !view.is_hidden(name)))
        };
        writes |= variables.iter().any(is_written);
    });
    writes
}

//! Which statements only the root of a collective executes, or only the others.

use commloom_copies::Setting;
use commloom_program::View;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::tree::{Expression, Name, Statement, StatementKind};

use super::flow;
use super::found::{Found, buffer_name, touches_of};
use super::model::Ledger;
use super::processes::{Asked, Test, holds, test};
use super::touch::roots;

/// Conditions in one turn of the innermost loop around a call that tell the root from the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Roles {
    tests: Vec<Test>,
    /// The statements with these conditions.
    around: Vec<Span>,
    /// Whether this is the root, as the conditions around the call itself say.
    pub here: Option<bool>,
}

impl Roles {
    pub fn of(view: &View<'_>, found: &Found<'_>, root: &Expression) -> Roles {
        let mut roles = Roles::default();
        let Some(call) = flow::locate(view.procedure(), found.statement) else { return roles };
        let buffer = buffer_name(view, found);
        let has_to_do = |s: &Statement| {
            let mut touched = false;
            s.each(&mut |inner| {
                let touches = touches_of(view, inner, &[]);
                let mut names = touches.reads.iter().chain(&touches.writes);
                touched |= names.any(|(n, _)| buffer.iter().any(|b| view.may_alias(n, b)));
            });
            touched
        };
        let around = call.loops().last();
        let all = match around.map(|l| &l.kind) {
            Some(StatementKind::Loop(counted)) => &counted.body,
            Some(StatementKind::While { body, .. }) => body,
            _ => &view.procedure().body,
        };
        for statement in all {
            statement.each(&mut |s| {
                let StatementKind::If { condition, then, .. } = &s.kind else { return };
                let Some(test) = test(view, condition, root) else { return };
                if !has_to_do(s) {
                    return;
                }
                if s.span.contains(found.statement) {
                    let in_then = then.iter().any(|t| t.span.contains(found.statement));
                    roles.here = Some(test.on_root == in_then);
                }
                roles.tests.push(test);
                roles.around.push(s.span);
            });
        }
        roles
    }

    /// The conditions that are decided on the root, or on the others.
    pub fn given(&self, is_root: bool) -> Setting {
        let given = self.tests.iter().map(|t| (t.condition.clone(), t.on_root == is_root));
        Setting { given: given.collect(), ..Setting::default() }
    }

    /// Whether all these statements stand under such conditions.
    pub fn guard(&self, statements: &[Span]) -> bool {
        statements.iter().all(|s| self.around.iter().any(|a| a.contains(*s)))
    }

    /// That the conditions say what they seem to: they compare the rank with the root, both of
    /// which stay what they are until the last copy.
    pub fn hold(
        &self,
        view: &View<'_>,
        found: &Found<'_>,
        root: &Expression,
        communicator: &Expression,
        copies: &[Span],
        ledger: &Ledger<'_>,
    ) -> Result<(), Refusal> {
        let mut ranks: Vec<&Name> = self.tests.iter().map(|t| &t.rank).collect();
        ranks.sort();
        ranks.dedup();
        let whole = self.tests.iter().map(|t| t.condition.span).chain(copies.iter().copied());
        let whole = whole.fold(found.statement, Span::to);
        let names = roots(root);
        let mut changed = None;
        for statement in &view.procedure().body {
            statement.each(&mut |s| {
                let is_inside = whole.contains(s.span);
                if !is_inside || changed.is_some() {
                    return;
                }
                let touches = touches_of(view, s, &[]);
                let mut read = ranks.iter().copied().chain(&names);
                changed = read
                    .find(|n| touches.writes.iter().any(|(w, _)| view.may_alias(w, n)))
                    .map(|n| (s.span, n.clone()));
            });
        }
        if let Some((span, name)) = changed {
            let message = format!(
                "'{name}' changes between the conditions that tell the root and the copies"
            );
            return Err(Refusal::new(Code::Changed, span, message));
        }
        for rank in ranks {
            holds(view, Asked::Rank, rank, communicator, found.statement, ledger)?;
        }
        Ok(())
    }
}

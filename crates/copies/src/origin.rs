//! The program's own words for an address, with what its variables are in them.

use commloom_source::Span;
use commloom_source::tree::{Expression, ExpressionKind, Type};

use super::integers::Integer;
use super::walk::Walk;
use super::{Copy, Dense, Origin};

impl Walk<'_> {
    /// The words for a place (or, of `memcpy`, for an address) that a statement copies; none where
    /// they do more than to name it, or are those of a macro that stands for more.
    pub(super) fn origin(
        &mut self,
        place: &Expression,
        other: Span,
        statement: Span,
        is_address: bool,
    ) -> Option<Origin> {
        if self.symbols.language().is_fortran() || [statement, other].contains(&place.span) {
            return None;
        }
        let mut names = Vec::new();
        let mut is_plain = true;
        place.each(&mut |e| match &e.kind {
            ExpressionKind::Name(name) if !names.contains(name) => names.push(name.clone()),
            ExpressionKind::Step { .. }
            | ExpressionKind::Assign { .. }
            | ExpressionKind::Call { .. }
            | ExpressionKind::List(_)
            | ExpressionKind::Unknown(_) => is_plain = false,
            _ => {}
        });
        if !is_plain {
            return None;
        }
        let mut values = Vec::new();
        for name in names {
            let Some(declaration) = self.symbols.variable(&name) else { continue };
            let of = self.symbols.resolve(&declaration.of);
            let expression =
                Expression { span: place.span, kind: ExpressionKind::Name(name.clone()) };
            if Integer::of(&of).is_some() {
                values.push((name, self.number(&expression)?));
            } else if matches!(of, Type::Pointer(_)) {
                // A pointer that is set to another place is not the name of that place.
                let leads =
                    self.state.values.keys().any(|p| p.variable == name && p.steps.is_empty());
                if leads {
                    return None;
                }
            }
        }
        Some(Origin { expression: place.clone(), values, is_address })
    }
}

impl Dense {
    /// Forgets the words of copies that do not mean the same any more, for all that `holds` can
    /// mend.
    pub(super) fn keep_origins(&mut self, holds: &mut dyn FnMut(&mut Origin) -> bool) {
        match self {
            Dense::Copy(copy) => {
                let Copy { origin, .. } = copy.as_mut();
                if origin.as_mut().is_some_and(|origin| !holds(origin)) {
                    *origin = None;
                }
            }
            Dense::Loop(_, _, body) => body.keep_origins(holds),
            Dense::Sequence(parts) => parts.iter_mut().for_each(|part| part.keep_origins(holds)),
            Dense::Guard { then, otherwise, .. } => {
                then.keep_origins(holds);
                otherwise.keep_origins(holds);
            }
        }
    }
}

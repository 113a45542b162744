//! Where a request is complete.
//!
//! A call that waits for another element of an array of requests completes nothing here. Which
//! elements `MPI_Waitall` completes is told by constants, by the size of the array, or by a count
//! that is the running index of the requests; where none of these tells it, the last wait of a
//! local array is meant: a correct program completes what it began before it loses the request.

use commloom_program::View;
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, StatementKind, Storage,
};

use super::calls;
use super::flow::{self, Stretch, alike};
use super::found::Found;
use super::overwritten::{is_shared, overwritten};
use super::paths::is_left_or_entered;
use super::pending::{Request, is_another_component, number};
use super::touch::Touches;
use super::wrapped::completes;

/// The statement that completes the request on every path.
pub(super) fn completion(view: &View<'_>, found: &Found<'_>, request: &Expression) -> Option<Span> {
    let procedure = view.procedure();
    let call = flow::locate(procedure, found.statement)?;
    let wanted = Request::of(view, request);
    let mut waits: Vec<(Span, Cover)> = Vec::new();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            for e in s.expressions() {
                let Kind::Call { function, arguments } = &e.kind else { continue };
                let Some(name) = function.root() else { continue };
                let Some(at) = completes(view, name) else { continue };
                let Some(argument) = arguments.get(at) else { continue };
                let many = match counted(view, name) {
                    None => Many::One,
                    Some(at) => at.and_then(|at| arguments.get(at)).map_or(Many::Unknown, Many::Of),
                };
                let stretch = Stretch::between(procedure, found.statement, s.span);
                let cover = wanted.covered(view, argument, many, stretch);
                if cover != Cover::Not {
                    waits.push((s.span, cover));
                }
            }
        });
    }
    waits.sort_by_key(|(s, _)| s.start);
    let reached = |wait: Span| {
        wait.start >= found.statement.end
            && flow::locate(procedure, wait)
                .and_then(|w| flow::surely_reaches(&call, &w))
                .is_some_and(|condition| {
                    condition.is_none_or(|c| {
                        let stretch = Stretch::between(procedure, found.statement, wait);
                        is_unchanged(view, &names(c), stretch)
                    })
                })
            && !is_left_or_entered(procedure, found.statement, wait)
    };
    // What the handle says where it is waited for is what the call has set.
    let is_same = |wait: Span| {
        let stretch = Stretch::between(procedure, found.statement, wait);
        overwritten(view, &wanted, found.statement, stretch).is_none()
    };
    let sure = waits.iter().find(|(w, cover)| *cover == Cover::Sure && reached(*w));
    if let Some((wait, _)) = sure {
        return Some(*wait).filter(|wait| is_same(*wait));
    }
    let is_local = wanted
        .root
        .as_ref()
        .and_then(|root| view.variable(root))
        .is_some_and(|d| d.storage == Storage::Local);
    let is_own = is_local && !wanted.root.as_ref().is_some_and(|root| is_shared(view, root));
    let last = waits.last().map(|(wait, _)| *wait);
    let whole = last.and_then(|wait| in_turns(view, &call, &wanted, wait));
    if let Some(whole) = whole.filter(|whole| reached(*whole) && is_same(*whole)) {
        return Some(whole);
    }
    last.filter(|wait| is_own && reached(*wait) && is_same(*wait))
}

/// The loop that waits for one request in each turn, where another loop of the same turns has
/// begun them: `for (d = 0; d < n; d++) MPI_Wait(&r[d], ...)`.
fn in_turns(
    view: &View<'_>,
    call: &flow::Located<'_>,
    wanted: &Request<'_>,
    wait: Span,
) -> Option<Span> {
    let procedure = view.procedure();
    let at = flow::locate(procedure, wait)?;
    let (begun, waiting) = (call.loops().last()?, at.loops().last()?);
    let (StatementKind::Loop(one), StatementKind::Loop(other)) = (&begun.kind, &waiting.kind)
    else {
        return None;
    };
    let is_counter = |e: Option<&Expression>, name: &Name| {
        e.is_some_and(|e| matches!(&e.kind, Kind::Name(n) if n == name))
    };
    let own = at.path.iter().map(|(list, index)| &list[*index]);
    let mut own = own.skip_while(|s| s.span != waiting.span).skip(1).peekable();
    while own.next_if(|s| matches!(s.kind, StatementKind::Block(_))).is_some() {}
    let statement = own.next()?;
    let waits_for = |e: &Expression| -> bool {
        let Kind::Call { function, arguments } = &e.kind else { return false };
        let name = function.root().map_or("", String::as_str);
        let one = completes(view, name).filter(|_| counted(view, name).is_none());
        one.and_then(|at| arguments.get(at)).is_some_and(|argument| {
            let request = Request::of(view, argument);
            alike(request.base, wanted.base) && is_counter(request.at, &other.variable)
        })
    };
    let is_whole = matches!(&statement.kind,
        StatementKind::Evaluate(value) | StatementKind::Assign { value, .. } if waits_for(value));
    let mut leaves = false;
    waiting.each(&mut |s| {
        leaves |= matches!(
            s.kind,
            StatementKind::Break(_) | StatementKind::Continue(_) | StatementKind::Goto(_)
        );
    });
    let same = alike(&one.first, &other.first)
        && alike(&one.last, &other.last)
        && alike(&one.step, &other.step)
        && one.bound == other.bound;
    let stretch = Stretch::between(procedure, begun.span, waiting.span);
    let bounds = [&one.first, &one.last, &one.step].into_iter().flat_map(names).collect::<Vec<_>>();
    (is_whole
        && !leaves
        && same
        && is_counter(wanted.at, &one.variable)
        && matches!(wanted.base.kind, Kind::Name(_))
        && is_unchanged(view, &bounds, stretch))
    .then_some(waiting.span)
}

/// Whether a call completes a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cover {
    Sure,
    Perhaps,
    Not,
}

/// How many requests a call completes.
#[derive(Clone, Copy)]
enum Many<'e> {
    One,
    Of(&'e Expression),
    Unknown,
}

/// Which argument of a call says how many requests it completes: none if it is one; none in that
/// if there is no such argument.
fn counted(view: &View<'_>, called: &str) -> Option<Option<usize>> {
    let wrapper = view.wrapper(called);
    let name = wrapper.map_or(called, |wrapper| wrapper.stands_for().name);
    let before = calls::completes(name)?.checked_sub(1)?;
    Some(wrapper.map_or(Some(before), |wrapper| wrapper.at(before)))
}

impl Request<'_> {
    /// Whether a call of `MPI_Wait` or `MPI_Waitall` completes it.
    fn covered(
        &self,
        view: &View<'_>,
        argument: &Expression,
        many: Many<'_>,
        stretch: Stretch,
    ) -> Cover {
        let other = Request::of(view, argument);
        if other.root != self.root || self.root.is_none() {
            return Cover::Not;
        }
        if !alike(self.base, other.base) {
            let apart = is_another_component(self.base, other.base);
            return if apart { Cover::Not } else { Cover::Perhaps };
        }
        if !is_unchanged(view, &names(self.base), stretch)
            && !matches!(self.base.kind, Kind::Name(_))
        {
            return Cover::Perhaps;
        }
        let sure = |is_so: bool| if is_so { Cover::Sure } else { Cover::Not };
        let (own, first) = (self.index(view), other.index(view));
        match many {
            Many::Unknown => Cover::Perhaps,
            Many::One => match (own, first, self.at, other.at) {
                (Some(own), Some(first), ..) => sure(own == first),
                (_, _, Some(a), Some(b)) if alike(a, b) => {
                    let same = is_unchanged(view, &names(a), stretch);
                    if same { Cover::Sure } else { Cover::Perhaps }
                }
                _ => Cover::Perhaps,
            },
            Many::Of(count) => {
                let many = number(view, count, 0);
                let size = self.bounds(view).and_then(|(_, size)| size);
                match (own, first, many) {
                    (_, Some(0), Some(many)) if size.is_some_and(|size| many >= size) => {
                        Cover::Sure
                    }
                    (Some(own), Some(first), Some(many)) => {
                        sure(own >= first && own - first < many)
                    }
                    (None, Some(0), None) if self.is_counted(view, count, stretch) => Cover::Sure,
                    _ => Cover::Perhaps,
                }
            }
        }
    }

    /// Whether the request's subscript is the running index that the count is: `&r[n++]` and then
    /// `n`; `n = n + 1`, `r(n)` and then `n`.
    fn is_counted(&self, view: &View<'_>, count: &Expression, stretch: Stretch) -> bool {
        let Some(at) = self.at else { return false };
        let (index, is_below) = match &at.kind {
            Kind::Step { target, by: 1, prefix: false } => (&**target, self.lower == Some(0)),
            _ => (at, self.lower == Some(1)),
        };
        let Kind::Name(name) = &index.kind else { return false };
        let steps = steps(view, name, stretch);
        let is_stepped = steps.is_some_and(|steps| steps > 0) && self.lower == Some(0);
        alike(index, count) && steps.is_some() && (is_below || is_stepped)
    }
}

/// How often a scalar is stepped up in a stretch; none where it changes in another way.
fn steps(view: &View<'_>, name: &str, stretch: Stretch) -> Option<usize> {
    let mut all = Some(0_usize);
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if !stretch.has(s.span) {
                return;
            }
            let touches = Touches::of(view, s);
            let writes = touches.writes.iter().filter(|(n, _)| view.may_alias(n, name)).count();
            let up = ups(s, name);
            let hidden = touches.anything.is_empty() || view.is_hidden(name);
            all = all.filter(|_| writes == up && hidden).map(|n| n.saturating_add(up));
        });
    }
    all
}

/// `n++`, `n += 1`, `n = n + 1`, by themselves or in an expression.
fn ups(statement: &commloom_source::tree::Statement, name: &str) -> usize {
    let is_it = |e: &Expression| matches!(&e.kind, Kind::Name(n) if n == name);
    let up = |operation: &Option<Binary>, target: &Expression, value: &Expression| {
        let positive = |e: &Expression| matches!(e.kind, Kind::Integer(n) if n > 0);
        is_it(target)
            && match (operation, &value.kind) {
                (Some(Binary::Add), _) => positive(value),
                (None, Kind::Binary(Binary::Add, a, b)) => {
                    (is_it(a) && positive(b)) || (positive(a) && is_it(b))
                }
                _ => false,
            }
    };
    let mut count = 0_usize;
    if let StatementKind::Assign { target, operation, value } = &statement.kind {
        count += usize::from(up(operation, target, value));
    }
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            count += usize::from(match &e.kind {
                Kind::Step { target, by, .. } => is_it(target) && *by > 0,
                Kind::Assign { target, operation, value } => up(operation, target, value),
                _ => false,
            });
        });
    }
    count
}

/// Whether nothing in a stretch writes to some variables.
fn is_unchanged(view: &View<'_>, names: &[Name], stretch: Stretch) -> bool {
    names.iter().all(|name| view.constant(name).is_some() || steps(view, name, stretch) == Some(0))
}

fn names(expression: &Expression) -> Vec<Name> {
    let mut all = Vec::new();
    expression.each(&mut |e| {
        if let Kind::Name(name) = &e.kind {
            all.push(name.clone());
        }
    });
    all
}

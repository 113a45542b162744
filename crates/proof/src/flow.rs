//! Where statements stand, and what may be executed between two of them.
//!
//! Programs are trees here; only `goto` leaves them. Where a procedure has one that leads back,
//! everything may come after everything.

use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Procedure, Statement, StatementKind,
};
use commloom_source::{FileId, Span};

/// A statement with the statements around it, the outermost first; each with its place in its
/// list.
pub(super) struct Located<'t> {
    /// Lists from the procedure's body to the one that the statement is in, with the place of the
    /// next one (or of the statement) in each.
    pub path: Vec<(&'t [Statement], usize)>,
}

impl<'t> Located<'t> {
    /// The loops around it, the innermost last.
    pub fn loops(&self) -> impl Iterator<Item = &'t Statement> + '_ {
        let above = &self.path[..self.path.len().saturating_sub(1)];
        above
            .iter()
            .map(|(list, at)| &list[*at])
            .filter(|s| matches!(s.kind, StatementKind::Loop(_) | StatementKind::While { .. }))
    }
}

/// Finds the statement that is no block and that a span lies in.
pub(super) fn locate(procedure: &Procedure, span: Span) -> Option<Located<'_>> {
    let mut path: Vec<(&[Statement], usize)> = Vec::new();
    let mut list: &[Statement] = &procedure.body;
    'down: loop {
        let at = list.iter().position(|s| s.span.contains(span))?;
        path.push((list, at));
        for body in list[at].bodies() {
            if body.iter().any(|s| s.span.contains(span)) {
                list = body;
                continue 'down;
            }
        }
        return Some(Located { path });
    }
}

/// Whether the procedure jumps.
pub(super) fn jumps(procedure: &Procedure) -> bool {
    jumps_behind(procedure, procedure.span.start)
}

/// Whether a jump ends behind a place of the text.
fn jumps_behind(procedure: &Procedure, place: usize) -> bool {
    let mut found = false;
    for statement in &procedure.body {
        statement.each(&mut |s| {
            found |= matches!(s.kind, StatementKind::Goto(_)) && s.span.end > place;
        });
    }
    found
}

/// Whether the text alone does not tell what comes after what: a jump leads back, into a loop, or
/// to where nobody sees. Other jumps, as to the end of a procedure, only leave something out.
fn jumps_back(procedure: &Procedure) -> bool {
    let (mut gotos, mut labels, mut loops) = (Vec::new(), Vec::new(), Vec::new());
    for statement in &procedure.body {
        statement.each(&mut |s| match &s.kind {
            StatementKind::Goto(to) => gotos.extend(to.iter().map(|name| (name, s.span))),
            StatementKind::Label(name) => labels.push((name, s.span)),
            StatementKind::Loop(_) | StatementKind::While { .. } => loops.push(s.span),
            _ => {}
        });
    }
    gotos.into_iter().any(|(name, from)| {
        let mut to = labels.iter().filter(|(label, _)| *label == name).map(|(_, span)| *span);
        let is_plain = |to: Span| {
            let enters = loops.iter().any(|l| l.contains(to) && !l.contains(from));
            from.end <= to.start && !enters
        };
        !(to.next().is_some_and(is_plain) && to.next().is_none())
    })
}

/// The stretch of text that is executed from one place to another one that comes after it, with
/// all of every loop that is around the first and not around the second: its later turns come in
/// between too.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    start: usize,
    end: usize,
    file: FileId,
}

impl Stretch {
    pub fn between(procedure: &Procedure, from: Span, to: Span) -> Stretch {
        let mut stretch = Stretch { start: from.start, end: to.end, file: from.file };
        let located = locate(procedure, from).filter(|_| !jumps_back(procedure));
        let Some(located) = located else {
            return Stretch { file: from.file, ..Stretch::all(procedure) };
        };
        for around in located.loops().filter(|l| !l.span.contains(to)) {
            stretch.start = stretch.start.min(around.span.start);
            stretch.end = stretch.end.max(around.span.end);
        }
        stretch
    }

    /// The stretch from one place to another with all of every loop that is around the second and
    /// not around the first: what is executed before the second is reached for the last time.
    pub fn until(procedure: &Procedure, from: Span, to: Span) -> Stretch {
        let mut stretch = Stretch::between(procedure, from, to);
        let Some(located) = locate(procedure, to) else { return Stretch::all(procedure) };
        for around in located.loops().filter(|l| !l.span.contains(from)) {
            stretch.start = stretch.start.min(around.span.start);
            stretch.end = stretch.end.max(around.span.end);
        }
        stretch
    }

    /// From one place to the end of the procedure, with all of every loop around it.
    pub fn after(procedure: &Procedure, from: Span) -> Stretch {
        let mut stretch = Stretch { start: from.start, ..Stretch::all(procedure) };
        let located = locate(procedure, from).filter(|_| !jumps_back(procedure));
        let Some(located) = located else { return Stretch::all(procedure) };
        if let Some(outermost) = located.loops().next() {
            stretch.start = outermost.span.start;
        }
        stretch
    }

    /// A whole procedure.
    pub fn all(procedure: &Procedure) -> Stretch {
        let span = procedure.span;
        Stretch { start: span.start, end: span.end, file: span.file }
    }

    /// Whether something is in both.
    pub fn meets(self, other: Stretch) -> bool {
        self.file == other.file && self.start < other.end && other.start < self.end
    }

    /// Whether a statement begins in it.
    pub fn has_begin_of(self, span: Span) -> bool {
        span.file == self.file && span.start >= self.start && span.start < self.end
    }

    /// Whether a statement ends in it.
    pub fn has_end_of(self, span: Span) -> bool {
        span.file == self.file && span.end > self.start && span.end <= self.end
    }

    /// Whether a statement (not one around the stretch) lies in it.
    pub fn has(self, span: Span) -> bool {
        span.file == self.file && span.start >= self.start && span.end <= self.end
    }
}

/// Whether something at `later` may be executed after something at `earlier`.
pub(super) fn may_follow(procedure: &Procedure, earlier: Span, later: Span) -> bool {
    if later.start >= earlier.start || jumps_back(procedure) {
        return true;
    }
    locate(procedure, earlier).is_some_and(|l| l.loops().any(|l| l.span.contains(later)))
}

/// Whether each path from the call comes to the other statement, unless the procedure ends: it
/// stands later in a list around the call, or in an `if` with the condition of one that is around
/// the call, in the same branch. That condition must not change in between.
pub(super) fn surely_reaches<'t>(
    call: &Located<'_>,
    other: &Located<'t>,
) -> Option<Option<&'t Expression>> {
    let beside = |list: &[Statement], at: usize| {
        call.path.iter().any(|(l, a)| std::ptr::eq(*l, list) && *a < at)
    };
    let mut path = other.path.as_slice();
    loop {
        let ((list, at), before) = path.split_last()?;
        if beside(list, *at) {
            return Some(None);
        }
        // What is in a block is executed wherever the block is.
        match before.last() {
            Some((around, at)) if matches!(around[*at].kind, StatementKind::Block(_)) => {
                path = before;
            }
            _ => break,
        }
    }
    let [.., (outer, outer_at), (inner, _)] = path else { return None };
    let StatementKind::If { condition, .. } = &outer[*outer_at].kind else { return None };
    let same = call.path.windows(2).any(|pair| {
        let (list, at) = pair[0];
        same_branch(&list[at], pair[1].0, &outer[*outer_at], inner)
    });
    (beside(outer, *outer_at) && same).then_some(Some(condition))
}

/// Whether two expressions are the same but for where they stand.
pub(super) fn alike(one: &Expression, other: &Expression) -> bool {
    let parts = one.parts();
    let others = other.parts();
    let same_kind = match (&one.kind, &other.kind) {
        (Kind::Integer(a), Kind::Integer(b)) => a == b,
        (Kind::Literal(a), Kind::Literal(b)) | (Kind::Name(a), Kind::Name(b)) => a == b,
        (Kind::Member { field: a, .. }, Kind::Member { field: b, .. }) => a == b,
        (Kind::Unary(a, _), Kind::Unary(b, _)) => a == b,
        (Kind::Binary(a, ..), Kind::Binary(b, ..)) => a == b,
        (Kind::Unknown(_), _) | (Kind::Call { .. }, _) | (Kind::Step { .. }, _) => false,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b) && !parts.is_empty(),
    };
    same_kind && parts.len() == others.len() && parts.iter().zip(others).all(|(a, b)| alike(a, b))
}

/// Whether a scalar's value from before may be read after a place: some path comes to a read
/// before it comes to an assignment. `skip` are statements that are going to be removed.
pub fn is_live_after(procedure: &Procedure, place: Span, name: &str, skip: &[Span]) -> bool {
    let Some(located) = locate(procedure, place) else { return true };
    let scan = Scan { name, skip };
    // A jump that was over before does nothing any more.
    let start = located.loops().next().map_or(place.start, |outermost| outermost.span.start);
    if jumps_behind(procedure, start) {
        return procedure.body.iter().any(|s| scan.mentions(s));
    }
    for (list, at) in located.path.iter().rev() {
        match scan.list(&list[at + 1..]) {
            Next::Read => return true,
            Next::Written => return false,
            Next::Nothing => {}
        }
        // The list is the body of what is around it: of a loop, which begins again.
        let around = located.path.iter().find(|(outer, outer_at)| {
            outer[*outer_at].bodies().iter().any(|b| std::ptr::eq(*b, *list))
        });
        if let Some((outer, outer_at)) = around {
            let again = &outer[*outer_at];
            let is_loop =
                matches!(again.kind, StatementKind::Loop(_) | StatementKind::While { .. });
            if is_loop && scan.inside(again) == Next::Read {
                return true;
            }
        }
    }
    false
}

/// The event that happens first to a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Read,
    Written,
    Nothing,
}

struct Scan<'a> {
    name: &'a str,
    skip: &'a [Span],
}

impl Scan<'_> {
    fn skips(&self, statement: &Statement) -> bool {
        self.skip.iter().any(|s| s.contains(statement.span))
    }

    fn list(&self, list: &[Statement]) -> Next {
        for statement in list {
            match self.one(statement) {
                Next::Nothing => {}
                found => return found,
            }
        }
        Next::Nothing
    }

    fn one(&self, statement: &Statement) -> Next {
        if self.skips(statement) {
            return Next::Nothing;
        }
        match &statement.kind {
            StatementKind::Assign { target, operation, value } => {
                let is_target = matches!(&target.kind, Kind::Name(n) if n == self.name);
                let read = value.mentions(self.name)
                    || (target.mentions(self.name) && (!is_target || operation.is_some()));
                match (read, is_target) {
                    (true, _) => Next::Read,
                    (false, true) => Next::Written,
                    (false, false) => Next::Nothing,
                }
            }
            StatementKind::Loop(counted) => {
                let head = [&counted.first, &counted.last, &counted.step];
                if head.iter().any(|e| e.mentions(self.name)) {
                    return Next::Read;
                }
                if counted.variable == self.name {
                    return Next::Written;
                }
                match self.list(&counted.body) {
                    Next::Read => Next::Read,
                    // It may take no turn.
                    _ => Next::Nothing,
                }
            }
            StatementKind::While { condition, body } => {
                if condition.iter().any(|c| c.mentions(self.name)) {
                    return Next::Read;
                }
                match self.list(body) {
                    Next::Read => Next::Read,
                    _ => Next::Nothing,
                }
            }
            StatementKind::If { condition, then, otherwise } => {
                if condition.mentions(self.name) {
                    return Next::Read;
                }
                match (self.list(then), self.list(otherwise)) {
                    (Next::Read, _) | (_, Next::Read) => Next::Read,
                    (Next::Written, Next::Written) => Next::Written,
                    _ => Next::Nothing,
                }
            }
            StatementKind::Block(body) => self.list(body),
            StatementKind::Return(value) => {
                let read = value.iter().any(|v| v.mentions(self.name));
                if read { Next::Read } else { Next::Written }
            }
            StatementKind::Unknown(names) if names.iter().any(|n| n == self.name) => Next::Read,
            _ if statement.expressions().iter().any(|e| e.mentions(self.name)) => Next::Read,
            _ => Next::Nothing,
        }
    }

    /// The turns of a loop after the first.
    fn inside(&self, statement: &Statement) -> Next {
        match &statement.kind {
            StatementKind::Loop(counted) if counted.variable != self.name => {
                self.list(&counted.body)
            }
            StatementKind::While { condition, body } => {
                if condition.iter().any(|c| c.mentions(self.name)) {
                    Next::Read
                } else {
                    self.list(body)
                }
            }
            _ => Next::Nothing,
        }
    }

    fn mentions(&self, statement: &Statement) -> bool {
        let mut found = false;
        statement.each(&mut |s| {
            if !self.skips(s) {
                found |= s.expressions().iter().any(|e| e.mentions(self.name));
            }
        });
        found
    }
}

/// Whether two lists are the same branch of conditions that are the same text.
pub(super) fn same_branch(
    one: &Statement,
    inside: &[Statement],
    other: &Statement,
    within: &[Statement],
) -> bool {
    let (
        StatementKind::If { condition: a, then, .. },
        StatementKind::If { condition: b, then: other_then, .. },
    ) = (&one.kind, &other.kind)
    else {
        return false;
    };
    let by_then = std::ptr::eq(then.as_slice(), inside);
    alike(a, b) && by_then == std::ptr::eq(other_then.as_slice(), within)
}

//! Persistent requests: the datatype is made where the request is, and the copies stand where it
//! is started.
//!
//! `MPI_Send_init` keeps an address, a count and a datatype, once; the copies are made before (or
//! after) each start. So all that the type is made of must have the same values at both places
//! ([`Setting::made_at`](commloom_copies::Setting)), and there must be one start only, with these
//! copies, of a request that nobody else uses.

use std::collections::BTreeSet;

use commloom_copies::{Direction, Packing};
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_program::{View, is_mpi};
use commloom_source::Span;
use commloom_source::symbols::{Symbols, Touched};
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Storage, Type, Unary,
};

use super::calls::{self, completes};
use super::flow::{self, Stretch, alike};
use super::found::{Found, Init, touches_of};
use super::model::Ledger;
use super::requests::{About, Handle, about};
use super::touch::roots;
use super::wrapped::sides;

/// Takes the call to where its request is started: there it happens.
pub(super) fn attach<'p>(view: &View<'p>, found: &mut Found<'p>) {
    found.init = Some(Init { statement: found.statement, call: found.call });
    let request = found.side.request.and_then(|at| found.arguments.get(at));
    match request.ok_or_else(|| unseen(found.call)).and_then(|r| only_start(view, found, r)) {
        Ok(start) => {
            found.statement = start.statement;
            found.call = start.call;
        }
        Err(refusal) => found.problem = Some(refusal),
    }
}

fn unseen(span: Span) -> Refusal {
    Refusal::new(Code::Escapes, span, "which request this is cannot be seen")
}

/// A call that starts a request.
struct Start<'t> {
    statement: Span,
    call: Span,
    /// How many it starts, from which on; none where it is one.
    many: Option<&'t [Expression]>,
}

/// All that the procedure does with one request.
struct Uses<'t> {
    starts: Vec<Start<'t>>,
    /// Calls that complete it; with how many requests, and which, where these are not known to
    /// have it among them.
    waits: Vec<(Span, Option<&'t [Expression]>)>,
    /// The reason why nobody can say when it is started.
    problem: Option<Refusal>,
}

/// The one start of a request that is made, started and completed in one procedure.
fn only_start<'p>(
    view: &View<'p>,
    found: &Found<'p>,
    request: &Expression,
) -> Result<Start<'p>, Refusal> {
    let handle = Handle::of(view, request).ok_or_else(|| unseen(request.span))?;
    let is_own = view.variable(&handle.variable).is_some_and(|d| d.storage == Storage::Local);
    if !is_own {
        let message = "the request is not the procedure's own: others may start it";
        return Err(Refusal::new(Code::Escapes, request.span, message));
    }
    if handle.at.is_none() {
        return Err(unseen(request.span));
    }
    let procedure = view.procedure();
    if flow::jumps(procedure) {
        let message = "the procedure jumps, so that it cannot be seen when the request is started";
        return Err(Refusal::new(Code::Escapes, found.call, message));
    }
    let mut uses = Uses { starts: Vec::new(), waits: Vec::new(), problem: None };
    for statement in &procedure.body {
        statement.each(&mut |s| uses.look(view, s, &handle, found.call));
    }
    if let Some(problem) = uses.problem {
        return Err(problem);
    }
    let mut starts = uses.starts.into_iter();
    let Some(start) = starts.next() else {
        let message = "where the request is started cannot be seen in this procedure";
        return Err(Refusal::new(Code::Escapes, found.call, message));
    };
    if let Some(other) = starts.next() {
        let message = "the request is started in several places";
        let mut refusal = Refusal::new(Code::Escapes, other.call, message);
        refusal.related.push((found.call, "where it is made".into()));
        return Err(refusal);
    }
    if start.statement.start < found.statement.end {
        let message = "the request is started before it is made, in another turn of a loop";
        return Err(Refusal::new(Code::Escapes, start.call, message));
    }
    // Of so many requests as are started, as many are completed: or ours may be pending for
    // longer.
    for (span, many) in &uses.waits {
        let Some(many) = many else { continue };
        let stretch = Stretch::between(procedure, start.statement, *span);
        let same = start.many.is_some_and(|started| {
            started.len() == many.len()
                && started.iter().zip(*many).all(|(a, b)| alike(a, b))
                && !many.iter().any(|e| changes(view, e, &handle.variable, stretch))
        });
        if !same {
            let message = "whether this completes all requests that are started cannot be seen";
            let mut refusal = Refusal::new(Code::Escapes, *span, message);
            refusal.related.push((start.call, "where they are started".into()));
            return Err(refusal);
        }
    }
    Ok(start)
}

/// Whether something that an expression reads, but the requests, is written in a stretch.
fn changes(view: &View<'_>, expression: &Expression, own: &str, stretch: Stretch) -> bool {
    let mut changed = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if stretch.has(s.span) {
                let touches = touches_of(view, s, &[]);
                let mut writes = touches.writes.iter().filter(|(name, _)| name != own);
                changed |= writes.any(|(name, _)| expression.mentions(name));
                changed |= touches.anything.iter().any(|_| {
                    roots(expression)
                        .iter()
                        .any(|name| view.constant(name).is_none() && !view.is_hidden(name))
                });
            }
        });
    }
    changed
}

/// Whether a value is no request that MPI has made: nothing, a number, or several of these.
fn is_null(value: &Expression) -> bool {
    match &value.kind {
        Kind::Name(name) => name.eq_ignore_ascii_case("mpi_request_null"),
        Kind::Integer(_) => true,
        Kind::List(all) => all.iter().all(is_null),
        _ => false,
    }
}

/// Whether a value is memory that nobody has yet.
fn is_new(value: &Expression) -> bool {
    match &value.kind {
        Kind::Cast(_, inner) => is_new(inner),
        Kind::Call { function, .. } => {
            function.root().is_some_and(|f| ["malloc", "calloc"].contains(&f.as_str()))
        }
        _ => false,
    }
}

impl<'t> Uses<'t> {
    fn look(&mut self, view: &View<'_>, statement: &'t Statement, handle: &Handle, own: Span) {
        if let StatementKind::Unknown(names) = &statement.kind
            && names.contains(&handle.variable)
        {
            self.other(statement.span);
        }
        // `r = MPI_REQUEST_NULL`, `r = malloc(...)`: who starts that makes an error.
        if let StatementKind::Assign { target, operation: None, value } = &statement.kind
            && roots(target).contains(&handle.variable)
            && (is_new(value) || is_null(value))
        {
            return;
        }
        for expression in statement.expressions() {
            self.expression(view, statement, expression, handle, own);
        }
    }

    fn expression(
        &mut self,
        view: &View<'_>,
        statement: &Statement,
        expression: &'t Expression,
        handle: &Handle,
        own: Span,
    ) {
        match &expression.kind {
            Kind::Name(name) if *name == handle.variable => self.other(expression.span),
            Kind::Unknown(names) if names.contains(&handle.variable) => {
                self.other(expression.span);
            }
            Kind::Call { function, arguments } => {
                let called = function.root().map_or("", String::as_str);
                // A wrapper's arguments may stand anywhere: it is one of the uses that are not
                // looked at.
                let is_wrapper = view.wrapper(called).is_some() && expression.span != own;
                let name = if is_wrapper { String::new() } else { called.to_ascii_lowercase() };
                let taken =
                    self.call(view, statement, expression, &name, called, arguments, handle, own);
                for (at, argument) in arguments.iter().enumerate() {
                    if Some(at) != taken {
                        self.expression(view, statement, argument, handle, own);
                    }
                }
            }
            _ => {
                for part in expression.parts() {
                    self.expression(view, statement, part, handle, own);
                }
            }
        }
    }

    /// The argument of a call that is a request in a way that is understood.
    #[expect(clippy::too_many_arguments, reason = "a call and the request that is looked for")]
    fn call(
        &mut self,
        view: &View<'_>,
        statement: &Statement,
        call: &'t Expression,
        name: &str,
        called: &str,
        arguments: &'t [Expression],
        handle: &Handle,
        own: Span,
    ) -> Option<usize> {
        let of = |at: usize, count: Option<&Expression>| {
            arguments.get(at).map_or(About::Perhaps, |a| about(view, a, count, handle))
        };
        match name {
            "mpi_start" => {
                match of(0, None) {
                    About::No => {}
                    About::Yes => self.start(statement, call, None),
                    About::Perhaps => self.other(call.span),
                }
                Some(0)
            }
            "mpi_startall" => {
                if of(1, arguments.first()) != About::No {
                    self.start(statement, call, arguments.get(..2));
                }
                Some(1)
            }
            // Memory that is gone has no request that is started.
            "mpi_request_free" | "free" => Some(0),
            _ if completes(name).is_some() => {
                let at = completes(name)?;
                let count = at.checked_sub(1).and_then(|before| arguments.get(before));
                match of(at, count) {
                    About::No => {}
                    About::Yes => self.waits.push((statement.span, None)),
                    About::Perhaps => match count {
                        Some(_) => self.waits.push((statement.span, arguments.get(..at + 1))),
                        None => self.other(call.span),
                    },
                }
                Some(at)
            }
            _ => {
                let at = match call.span == own {
                    true => sides(view, called).first().and_then(|side| side.request)?,
                    false => calls::sides(name).first().and_then(|side| side.request)?,
                };
                if call.span != own && of(at, None) != About::No {
                    let message = "the request is made in several places";
                    self.problem.get_or_insert(Refusal::new(Code::Escapes, call.span, message));
                }
                Some(at)
            }
        }
    }

    fn start(&mut self, statement: &Statement, call: &Expression, many: Option<&'t [Expression]>) {
        self.starts.push(Start { statement: statement.span, call: call.span, many });
    }

    fn other(&mut self, span: Span) {
        let message = "the request is used here in a way that is not looked at";
        self.problem.get_or_insert_with(|| Refusal::new(Code::Escapes, span, message));
    }
}

/// Whether all holds for a persistent request besides the conditions of a pending call at the
/// start.
pub(super) fn lasts(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let Some(init) = found.init else { return Ok(()) };
    let procedure = view.procedure();
    let last = packing.statements.iter().max_by_key(|s| s.end).copied();
    let end = match found.side.direction {
        Direction::Pack => found.statement,
        Direction::Unpack => last.unwrap_or(found.statement),
    };
    if let Some(span) = leaves(view, found.statement, end) {
        let message = "the procedure may be left between the start and its copies";
        return Err(Refusal::new(Code::Escapes, span, message));
    }
    let whole = init.statement.to(end);
    let lines = &procedure.directives;
    if let Some(line) =
        lines.iter().find(|s| s.start < whole.end && whole.start < s.end && s.file == whole.file)
    {
        let message =
            "lines of the preprocessor stand between where the request is made and started";
        return Err(Refusal::new(Code::Preprocessor, *line, message));
    }
    loaded(view, found, packing, ledger)?;
    if view.language().is_fortran() {
        for name in &packing.touched {
            stays(view, name, Stretch::until(procedure, init.statement, end), ledger)?;
        }
    }
    Ok(())
}

/// A place between two statements where a loop around both, or the procedure, may be left or
/// continued.
fn leaves(view: &View<'_>, from: Span, to: Span) -> Option<Span> {
    fn look(
        statements: &[Statement],
        from: Span,
        to: Span,
        inside: bool,
        found: &mut Option<Span>,
    ) {
        for s in statements {
            let between = s.span.start >= from.end && s.span.end <= to.start;
            match &s.kind {
                StatementKind::Return(_) | StatementKind::Goto(_) if between => {
                    found.get_or_insert(s.span);
                }
                StatementKind::Break(name) | StatementKind::Continue(name)
                    if between && (!inside || name.is_some()) =>
                {
                    found.get_or_insert(s.span);
                }
                _ => {}
            }
            let is_loop = matches!(s.kind, StatementKind::Loop(_) | StatementKind::While { .. });
            for body in s.bodies() {
                look(body, from, to, inside || (is_loop && between), found);
            }
        }
    }
    let mut found = None;
    look(&view.procedure().body, from, to, false, &mut found);
    found
}

/// Whether memory that the type reads through pointers may be read where the request is made, even
/// where no start follows.
fn loaded(
    view: &View<'_>,
    found: &Found<'_>,
    packing: &Packing,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    for name in loads(view, found, packing) {
        let message = format!(
            "what '{name}' leads to is read where the request is made, even if it is never started"
        );
        let fact = Fact::SetAtRequest(name);
        ledger.need(Code::Escapes, found.place(), message, fact)?;
    }
    Ok(())
}

/// Pointers and allocated arrays that the type is read through, and the call's own arguments are
/// not.
pub(super) fn loads(view: &View<'_>, found: &Found<'_>, packing: &Packing) -> BTreeSet<Name> {
    let mut names: BTreeSet<Name> = packing.needs.iter().cloned().collect();
    packing.copies.each(&mut |copy| {
        let base = &copy.address.base;
        if !base.steps.is_empty() {
            names.insert(base.variable.clone());
        }
    });
    names.retain(|name| {
        is_followed(view, name) && !found.arguments.iter().any(|a| follows(a, name))
    });
    names
}

/// Whether a variable is read through its address, which may lead nowhere.
fn is_followed(view: &View<'_>, name: &str) -> bool {
    view.variable(name)
        .is_some_and(|d| d.allocatable || matches!(view.resolve(&d.of), Type::Pointer(_)))
}

/// Whether an expression reads what a pointer leads to.
fn follows(expression: &Expression, name: &str) -> bool {
    let mut found = false;
    expression.each(&mut |e| {
        found |= match &e.kind {
            Kind::Element { base, .. } | Kind::Unary(Unary::Dereference, base) => {
                base.root().is_some_and(|root| root == name)
            }
            _ => false,
        };
    });
    found
}

/// The memory of an array of Fortran that is allocated, or pointed to, stays where it is.
fn stays(
    view: &View<'_>,
    name: &Name,
    stretch: Stretch,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    let moves = view.variable(name).is_some_and(|d| {
        d.allocatable || matches!(view.resolve(&d.of), Type::Pointer(_) | Type::Unknown)
    });
    if !moves {
        return Ok(());
    }
    let mut place = None;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if stretch.has(s.span) && place.is_none() && may_move(view, s, name) {
                place = Some(s.span);
            }
        });
    }
    let Some(span) = place else { return Ok(()) };
    let message = format!("'{name}' may get other memory here, and the request keeps its address");
    let fact = Fact::KeepsMemory(name.clone());
    ledger.need(Code::Changed, span, message, fact)
}

/// Whether a statement may allocate an array anew, or let a pointer point elsewhere.
fn may_move(view: &View<'_>, statement: &Statement, name: &Name) -> bool {
    let mut moved = match &statement.kind {
        StatementKind::Unknown(names) => names.iter().any(|n| view.may_alias(n, name)),
        // An array that is assigned as a whole gets the value's shape.
        StatementKind::Assign { target, .. } => {
            matches!(&target.kind, Kind::Name(n) if n == name)
                && view.variable(name).is_some_and(|d| d.allocatable)
        }
        _ => false,
    };
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            let Kind::Call { function, arguments } = &e.kind else { return };
            let called = function.root().map_or("", String::as_str);
            let is_passed = arguments.iter().any(|a| matches!(&a.kind, Kind::Name(n) if n == name));
            let allocates =
                ["$allocate", "$deallocate", "$nullify", "move_alloc"].contains(&called);
            if allocates {
                moved |= arguments.iter().any(|a| roots(a).contains(name));
                return;
            }
            if is_mpi(called) {
                return;
            }
            let effects = view.effects(function, arguments);
            let writes = match &effects.writes {
                Touched::These(names) => names.contains(name),
                Touched::Anything => is_passed || !view.is_hidden(name),
            };
            // Elements are not the array; what is given its elements cannot allocate it, unless it
            // sees it by another way.
            let shared = view.global(name).is_some();
            moved |= writes && (is_passed || shared);
        });
    }
    moved
}

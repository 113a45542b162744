//! All that a program knows of the processes of a communicator: its own rank, and how many there
//! are.

use commloom_program::View;
use commloom_program::fact::Fact;
use commloom_program::refusal::{Code, Refusal};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Statement, Storage, Unary,
};

use super::flow::{self, alike};
use super::found::touches_of;
use super::model::Ledger;
use super::requests::number;
use super::touch::roots;

/// The questions about a communicator that MPI answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Rank,
    Size,
}

impl Asked {
    fn function(self) -> &'static str {
        match self {
            Asked::Rank => "mpi_comm_rank",
            Asked::Size => "mpi_comm_size",
        }
    }
}

/// That a variable has, where a call stands, what MPI has said of the call's communicator; or a
/// person says so.
pub(super) fn holds(
    view: &View<'_>,
    asked: Asked,
    name: &str,
    communicator: &Expression,
    call: Span,
    ledger: &Ledger<'_>,
) -> Result<(), Refusal> {
    if is_seen(view, asked, name, communicator, call) {
        return Ok(());
    }
    let of = text(view, communicator);
    let (message, fact) = match asked {
        Asked::Rank => (
            format!("that '{name}' is the rank in '{of}' cannot be seen here"),
            Fact::Rank(name.to_owned(), of),
        ),
        Asked::Size => (
            format!("that there are '{name}' processes in '{of}' cannot be seen here"),
            Fact::Processes { communicator: of, number: name.to_owned(), is_variable: true },
        ),
    };
    ledger.need(Code::Collective, call, message, fact)
}

/// An expression as the program writes it.
pub(super) fn text(view: &View<'_>, expression: &Expression) -> String {
    if let Kind::Name(name) = &expression.kind {
        return name.clone();
    }
    let span = view.project().real(expression.span);
    let source = view.project().source(span.file);
    source.and_then(|s| s.text.get(span.range())).unwrap_or("the communicator").to_owned()
}

fn is_seen(
    view: &View<'_>,
    asked: Asked,
    name: &str,
    communicator: &Expression,
    call: Span,
) -> bool {
    let Some(declaration) = view.variable(name) else { return false };
    match declaration.storage {
        Storage::Local => is_asked_before(view, asked, name, communicator, call),
        Storage::Shared => is_asked_everywhere(view, asked, name, communicator),
        Storage::Argument | Storage::Kept => false,
    }
}

/// The call in a statement that asks, if it asks for this communicator and puts the answer there.
fn asks(
    statement: &Statement,
    asked: Asked,
    communicator: &Expression,
    is_it: &dyn Fn(&str) -> bool,
) -> bool {
    let mut found = false;
    for expression in statement.expressions() {
        expression.each(&mut |e| {
            let Kind::Call { function, arguments } = &e.kind else { return };
            let is_asking =
                function.root().is_some_and(|f| f.eq_ignore_ascii_case(asked.function()));
            if let (true, [of, to, ..]) = (is_asking, arguments.as_slice()) {
                let to = match &to.kind {
                    Kind::Unary(Unary::Address, inner) => inner,
                    _ => to,
                };
                found |= alike(of, communicator) && matches!(&to.kind, Kind::Name(n) if is_it(n));
            }
        });
    }
    found
}

/// A variable that only one statement writes, which asks and is passed on each way to the call.
fn is_asked_before(
    view: &View<'_>,
    asked: Asked,
    name: &str,
    communicator: &Expression,
    call: Span,
) -> bool {
    let procedure = view.procedure();
    if flow::jumps(procedure) {
        return false;
    }
    let mut writers: Vec<(Span, bool)> = Vec::new();
    for statement in &procedure.body {
        statement.each(&mut |s| {
            let touches = touches_of(view, s, &[]);
            let writes = touches.writes.iter().any(|(n, _)| view.may_alias(n, name))
                || (!touches.anything.is_empty() && !view.is_hidden(name));
            if writes {
                writers.push((s.span, asks(s, asked, communicator, &|n| n == name)));
            }
        });
    }
    let [(writer, true)] = writers.as_slice() else { return false };
    let (Some(there), Some(here)) =
        (flow::locate(procedure, *writer), flow::locate(procedure, call))
    else {
        return false;
    };
    let Some((list, at)) = there.path.last() else { return false };
    let comes_by = here.path.iter().any(|(l, a)| std::ptr::eq(*l, *list) && at < a);
    // The same communicator as then.
    let mut others = false;
    let names = roots(communicator);
    for statement in &procedure.body {
        statement.each(&mut |s| {
            let touches = touches_of(view, s, &[]);
            let is_after = s.span.start > writer.start;
            others |= is_after
                && touches.writes.iter().any(|(n, _)| {
                    names.iter().any(|name| !is_of_mpi(name) && view.may_alias(n, name))
                });
        });
    }
    comes_by && !others
}

/// A variable of the whole program that nobody sets to anything else.
fn is_asked_everywhere(
    view: &View<'_>,
    asked: Asked,
    name: &str,
    communicator: &Expression,
) -> bool {
    let is_constant = matches!(&communicator.kind, Kind::Name(n) if is_of_mpi(n));
    let Some(global) = view.global(name).filter(|_| is_constant) else { return false };
    let project = view.project();
    let mut asking = false;
    for id in project.procedures().filter(|id| !project.is_expanded(*id)) {
        let other = project.view(id);
        let is_it = |n: &str| other.global(n).is_some_and(|g| g == global);
        let mut wrong = false;
        for statement in &other.procedure().body {
            statement.each(&mut |s| {
                let asks = asks(s, asked, communicator, &is_it);
                asking |= asks;
                let touches = touches_of(&other, s, &[]);
                wrong |= !asks && touches.writes.iter().any(|(n, _)| is_it(n));
                wrong |= !touches.anything.is_empty();
            });
        }
        if wrong {
            return false;
        }
    }
    asking
}

fn is_of_mpi(name: &str) -> bool {
    name.get(..9).is_some_and(|p| p.eq_ignore_ascii_case("mpi_comm_"))
}

/// A condition that is true on one process only, or on all but that.
#[derive(Debug, Clone)]
pub(super) struct Test {
    pub condition: Expression,
    /// The variable that is compared.
    pub rank: Name,
    /// Whether it holds on the root; otherwise it holds on all others.
    pub on_root: bool,
}

/// The test of the root that a condition makes, if it compares a variable with it.
pub(super) fn test(view: &View<'_>, condition: &Expression, root: &Expression) -> Option<Test> {
    let is_zero = number(view, root) == Some(0);
    let is_root = |e: &Expression| match (number(view, e), number(view, root)) {
        (Some(a), Some(b)) => a == b,
        _ => alike(e, root),
    };
    let of = |rank: &Expression, on_root: bool| {
        let Kind::Name(name) = &rank.kind else { return None };
        view.variable(name)?;
        Some(Test { condition: condition.clone(), rank: name.clone(), on_root })
    };
    match &condition.kind {
        Kind::Binary(sign @ (Binary::Equal | Binary::NotEqual), left, right) => {
            let on_root = *sign == Binary::Equal;
            if is_root(right) {
                of(left, on_root)
            } else if is_root(left) {
                of(right, on_root)
            } else {
                None
            }
        }
        Kind::Binary(Binary::Greater, left, right) if is_zero && is_root(right) => of(left, false),
        Kind::Unary(Unary::Not, inner) if is_zero && matches!(inner.kind, Kind::Name(_)) => {
            of(inner, true)
        }
        Kind::Name(_) if is_zero => of(condition, false),
        _ => None,
    }
}

//! The fixpoint of what procedures read and write.
//!
//! Nothing depends on the order of statements: a pointer leads to all that it is ever set to in
//! its procedure. Memory that is reached through a variable counts as that variable's.

use std::collections::{BTreeSet, VecDeque};

use commloom_source::Language;
use commloom_source::symbols::{Effects, Symbols, Touched, extracted};
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Type, Unary,
};

use super::library;
use super::makers::is_allocation;
use super::names::last;
use super::operators::{may_act, statement_acts};
use super::program::{ProcedureId, Project};
use super::regions::{ANYTHING, Pointers, Region, Regions, Summary};
use super::sizes::is_plain_record;
use super::touching::{Touching, foreign, roots};
use super::types::{
    holds_numbers, is_forged, is_number, is_number_of_address, is_passive, type_of,
};
use super::view::View;

/// The effects of a procedure by itself: names whose content it reads and writes, and its calls.
#[derive(Default)]
struct Direct<'t> {
    reads: BTreeSet<Name>,
    writes: BTreeSet<Name>,
    calls: Vec<(&'t Expression, &'t [Expression])>,
    pointers: Pointers,
}

impl Direct<'_> {
    fn touches_anything(&mut self) {
        self.reads.insert(ANYTHING.to_owned());
        self.writes.insert(ANYTHING.to_owned());
    }
}

/// The effects of each procedure, and where its pointers lead to. A procedure is looked at again
/// when those of one that it calls were news: as often as calls nest, twice for recursion.
pub(super) fn summaries(project: &Project) -> (Vec<Summary>, Vec<Pointers>) {
    let directs: Vec<Direct<'_>> =
        project.procedures().map(|id| direct(&View::new(project, id))).collect();
    let mut summaries = vec![Summary::default(); directs.len()];
    let mut callers: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); directs.len()];
    // Calls of procedures with a body; what the others do never changes.
    let mut ours: Vec<Vec<(&Expression, &[Expression])>> = Vec::new();
    for (index, direct) in directs.iter().enumerate() {
        let view = View::new(project, ProcedureId(index));
        let pointers = &direct.pointers;
        let mut own = Summary {
            reads: regions(&view, pointers, direct.reads.iter().cloned()),
            writes: regions(&view, pointers, direct.writes.iter().cloned()),
        };
        let mut with_body = Vec::new();
        for &(function, arguments) in &direct.calls {
            match callees(&view, function) {
                Some(all) => {
                    with_body.push((function, arguments));
                    for callee in all {
                        callers[callee].insert(index);
                    }
                }
                None => own.add(&view, pointers, call(&view, pointers, &[], function, arguments)),
            }
        }
        summaries[index] = own;
        ours.push(with_body);
    }
    let mut waiting: VecDeque<usize> = (0..directs.len()).collect();
    let mut waits = vec![true; directs.len()];
    while let Some(index) = waiting.pop_front() {
        waits[index] = false;
        let view = View::new(project, ProcedureId(index));
        let pointers = &directs[index].pointers;
        let mut whole = summaries[index].clone();
        for (function, arguments) in &ours[index] {
            whole.add(&view, pointers, call(&view, pointers, &summaries, function, arguments));
        }
        if whole != summaries[index] {
            summaries[index] = whole;
            for &caller in callers[index].iter().filter(|caller| !waits[**caller]) {
                waiting.push_back(caller);
            }
            callers[index].iter().for_each(|caller| waits[*caller] = true);
        }
    }
    (summaries, directs.into_iter().map(|d| d.pointers).collect())
}

impl Summary {
    /// Adds what a call in the procedure touches.
    fn add(&mut self, view: &View<'_>, pointers: &Pointers, effects: Effects) {
        self.reads.extend(outside(view, pointers, effects.reads));
        self.writes.extend(outside(view, pointers, effects.writes));
    }
}

/// The memory that a call in a procedure may read and write, in names of the procedure.
pub(super) fn of_call(view: &View<'_>, function: &Expression, arguments: &[Expression]) -> Effects {
    call(view, view.pointers(), &view.project.summaries, function, arguments)
}

fn direct<'p>(view: &View<'p>) -> Direct<'p> {
    let mut found = Direct::default();
    if view.procedure().is_unread() || view.has_loose_pointers() {
        found.touches_anything();
    }
    for statement in &view.procedure().body {
        statement.each(&mut |s| one(view, s, &mut found));
    }
    found
}

fn one<'t>(view: &View<'_>, statement: &'t Statement, found: &mut Direct<'t>) {
    if statement_acts(view, statement) {
        found.touches_anything();
    }
    match &statement.kind {
        StatementKind::Assign { target, value, .. } => assigned(view, target, value, found),
        StatementKind::Loop(l) => drop(found.writes.insert(l.variable.clone())),
        StatementKind::Unknown(names) => {
            found.reads.extend(names.iter().cloned());
            found.writes.extend(names.iter().cloned());
            found.pointers.exposed.extend(names.iter().cloned());
            found.pointers.open.extend(names.iter().cloned());
        }
        StatementKind::Declare(all) => {
            for declaration in all {
                // An object may do anything where it is made, and where its scope ends.
                let is_object = matches!(view.resolve(&declaration.of), Type::Record(_));
                if is_object && !is_passive(view, &declaration.of, 0) {
                    found.touches_anything();
                }
                if let (Type::Reference(_), Some(value)) = (&declaration.of, &declaration.value) {
                    // It is another name for a place, whatever is there.
                    found.pointers.open.extend(roots(value));
                    let to = found.pointers.leads.entry(declaration.name.clone()).or_default();
                    to.extend(roots(value));
                    lead(view, &declaration.name, value, found);
                }
            }
        }
        _ => {}
    }
    for expression in statement.expressions() {
        expression.each(&mut |e| inner(view, e, found));
    }
}

fn inner<'t>(view: &View<'_>, e: &'t Expression, found: &mut Direct<'t>) {
    if let Some(into) = extracted(view, e) {
        found.writes.extend(roots(into));
    }
    if may_act(view, e) {
        found.touches_anything();
    }
    match &e.kind {
        Kind::Name(name) => drop(found.reads.insert(name.clone())),
        Kind::Call { function, arguments } => {
            found.calls.push((function, arguments));
            // Who is given a number as an address reaches whatever lies there.
            if arguments.iter().any(|argument| is_forged(view, argument)) {
                found.touches_anything();
            }
            // An array is passed by its address.
            found.pointers.exposed.extend(arguments.iter().flat_map(roots));
        }
        Kind::Assign { target, value, .. } => assigned(view, target, value, found),
        Kind::Step { target, .. } => found.writes.extend(roots(target)),
        Kind::Cast(..) if is_number_of_address(view, e) => found.pointers.exposed.extend(roots(e)),
        Kind::Element { .. } | Kind::Member { .. } | Kind::Unary(Unary::Dereference, _)
            if is_forged(view, e) =>
        {
            found.reads.insert(ANYTHING.to_owned());
        }
        Kind::Unary(Unary::Address, inner) => {
            found.pointers.exposed.extend(roots(inner));
            if let Kind::Name(name) = &inner.kind
                && view
                    .declared(name)
                    .is_some_and(|d| matches!(view.resolve(&d.of), Type::Pointer(_)))
            {
                found.pointers.open.insert(name.clone());
            }
        }
        Kind::Unknown(names) => {
            found.reads.extend(names.iter().cloned());
            found.writes.extend(names.iter().cloned());
            found.pointers.exposed.extend(names.iter().cloned());
            found.pointers.open.extend(names.iter().cloned());
        }
        _ => {}
    }
}

fn assigned(view: &View<'_>, target: &Expression, value: &Expression, found: &mut Direct<'_>) {
    found.writes.extend(roots(target));
    if is_forged(view, target) {
        found.writes.insert(ANYTHING.to_owned());
    }
    for name in roots(target) {
        lead(view, &name, value, found);
    }
}

/// Remembers where a pointer leads to.
fn lead(view: &View<'_>, name: &str, value: &Expression, found: &mut Direct<'_>) {
    if view.declared(name).is_some_and(|d| holds_numbers(view, &d.of)) {
        return;
    }
    let mut to = BTreeSet::new();
    pointed(view, value, &mut to);
    to.remove(name);
    // `*p = 1.0` sets no pointer, but `p = malloc(...)` does, to nothing with a name.
    let sets = !to.is_empty() || is_allocation(view, value);
    // A number may be the address of whatever has become one.
    if is_forged(view, value) {
        found.pointers.open.insert(name.to_owned());
    }
    // What a pointer is set to, another one may lead to that is set where nobody sees.
    found.pointers.exposed.extend(to.iter().cloned());
    if sets {
        found.pointers.leads.entry(name.to_owned()).or_default().extend(to);
    }
}

/// Variables that a value may lead to.
fn pointed(view: &View<'_>, value: &Expression, to: &mut BTreeSet<Name>) {
    let of = type_of(view, value);
    if of.as_ref().is_some_and(|of| is_number(of) || is_plain_record(view, of)) {
        return;
    }
    // An array that is a component, or an element of a larger one, is memory of the variable.
    if matches!(of, Some(Type::Array(..))) {
        return to.extend(roots(value));
    }
    match &value.kind {
        Kind::Name(name) => {
            let is_number =
                view.declared(name).is_some_and(|d| matches!(view.resolve(&d.of), Type::Basic(..)));
            if !is_number && view.constant(name).is_none() {
                to.insert(name.clone());
            }
        }
        Kind::Unary(Unary::Address, inner) => to.extend(roots(inner)),
        Kind::Element { base, .. } | Kind::Member { base, .. } => pointed(view, base, to),
        Kind::Unary(Unary::Dereference, inner) | Kind::Cast(_, inner) => pointed(view, inner, to),
        Kind::Step { target, .. } => pointed(view, target, to),
        Kind::Binary(_, left, right) => {
            pointed(view, left, to);
            pointed(view, right, to);
        }
        Kind::Choice { yes, no, .. } => {
            pointed(view, yes, to);
            pointed(view, no, to);
        }
        Kind::Assign { value, .. } => pointed(view, value, to),
        Kind::List(all) => all.iter().for_each(|one| pointed(view, one, to)),
        Kind::Call { function, arguments } if !is_allocation(view, value) => {
            let name = function.root().map_or("", |n| last(n));
            if library::uses(name, arguments.len(), view.language().is_fortran()).is_some() {
                arguments.iter().for_each(|one| pointed(view, one, to));
            } else {
                // C++ may bind a place to a reference, which the result keeps.
                if view.language() == Language::Cpp {
                    to.extend(arguments.iter().flat_map(roots).filter(|name| {
                        view.declared(name).is_some_and(|d| !is_number(&view.resolve(&d.of)))
                    }));
                }
                to.insert(ANYTHING.to_owned());
            }
        }
        // An object made of pointers has them.
        Kind::Call { function, arguments }
            if function
                .root()
                .is_some_and(|n| ["make_unique", "make_shared"].contains(&last(n))) =>
        {
            arguments.iter().for_each(|one| pointed(view, one, to));
        }
        Kind::Unknown(names) => {
            to.extend(names.iter().cloned());
            to.insert(ANYTHING.to_owned());
        }
        _ => {}
    }
}

/// Names of a procedure as memory outside of it.
fn regions(view: &View<'_>, pointers: &Pointers, names: impl Iterator<Item = Name>) -> Regions {
    let mut found = Regions::default();
    for name in names.flat_map(|name| pointers.follow(&name)).collect::<BTreeSet<_>>() {
        if name == ANYTHING {
            found.all = true;
        } else if let Some(index) = view.procedure().parameters.iter().position(|p| *p == name) {
            found.some.insert(Region::Argument(index));
        } else if let Some(global) = view.global(&name) {
            // What procedures inside of this one see of its own nobody else does.
            if !view.is_seen_inside(&name) {
                found.some.insert(Region::Global(global));
            }
        } else if view.declared(&name).is_none()
            && view.constant(&name).is_none()
            && !view.project.spaces.by_name.contains_key(last(&name))
            && library::uses(&name, 0, view.language().is_fortran()).is_none()
        {
            // Declared in a header that is not at hand, or a global of another file under its own
            // name.
            found.some.insert(Region::Global(name));
        }
    }
    found
}

fn outside(view: &View<'_>, pointers: &Pointers, touched: Touched) -> Regions {
    match touched {
        Touched::Anything => Regions { all: true, ..Regions::default() },
        Touched::These(names) => regions(view, pointers, names.into_iter()),
    }
}

/// The procedures with a body that a call may be of; none where one of a library is called, or
/// nobody knows who.
fn callees(view: &View<'_>, function: &Expression) -> Option<Vec<usize>> {
    let name = called_name(view, function);
    // A component that is called is a pointer to a procedure in C; in Fortran the name need not be
    // the procedure's, and the object is an argument, too.
    let is_method = view.language() == Language::Cpp;
    let is_variable = match &function.kind {
        Kind::Name(n) => view.declared(n).is_some() || view.procedure().parameters.contains(n),
        Kind::Member { .. } => !is_method,
        _ => true,
    };
    // Some programs have an MPI of their own, for one process.
    if is_variable || library::is_mpi(view.stands_for(name)) {
        return None;
    }
    view.project.spaces.called(view.id.0, name)
}

/// The name of what is called: where it was declared.
fn called_name<'e>(view: &View<'e>, function: &'e Expression) -> &'e str {
    match &function.kind {
        Kind::Name(name) => view.project.spaces.renamed(view.id.0, name),
        Kind::Member { field, .. } => field,
        _ => "",
    }
}

fn call(
    view: &View<'_>,
    pointers: &Pointers,
    summaries: &[Summary],
    function: &Expression,
    arguments: &[Expression],
) -> Effects {
    let object = match &function.kind {
        Kind::Member { base, .. } => roots(base),
        _ => Vec::new(),
    };
    let Some(all) = callees(view, function) else {
        return foreign(view, pointers, called_name(view, function), object, arguments);
    };
    let mut reads = Touching::new(view, pointers);
    let mut writes = Touching::new(view, pointers);
    reads.names(object.iter().cloned());
    writes.names(object);
    for id in all {
        let parameters = &view.project.procedure(ProcedureId(id)).parameters;
        reads.regions(&summaries[id].reads, parameters, arguments);
        writes.regions(&summaries[id].writes, parameters, arguments);
    }
    Effects { reads: reads.touched(), writes: writes.touched() }
}

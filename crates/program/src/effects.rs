//! The fixpoint of what procedures read and write.
//!
//! Nothing depends on the order of statements: a pointer leads to all that it is ever set to in
//! its procedure. Memory that is reached through a variable counts as that variable's.

use std::collections::BTreeSet;

use commloom_source::Language;
use commloom_source::symbols::{Effects, Symbols, Touched};
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Intent, Name, Statement, StatementKind, Type, Unary,
};

use super::library::{self, Use};
use super::makers::is_allocation;
use super::names::last;
use super::operators::{may_act, statement_acts};
use super::program::{ProcedureId, Project};
use super::regions::{ANYTHING, Pointers, Region, Regions, Summary};
use super::sizes::is_plain_record;
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

/// The effects of each procedure, and where its pointers lead to. Rounds over all
/// procedures until nothing is new: as many as calls nest, twice for recursion.
pub(super) fn summaries(project: &Project) -> (Vec<Summary>, Vec<Pointers>) {
    let directs: Vec<Direct<'_>> =
        project.procedures().map(|id| direct(&View::new(project, id))).collect();
    let mut summaries = vec![Summary::default(); directs.len()];
    loop {
        let mut news = false;
        for (index, direct) in directs.iter().enumerate() {
            let view = View::new(project, ProcedureId(index));
            let pointers = &direct.pointers;
            let mut whole = Summary {
                reads: regions(&view, pointers, direct.reads.iter().cloned()),
                writes: regions(&view, pointers, direct.writes.iter().cloned()),
            };
            for (function, arguments) in &direct.calls {
                let effects = call(&view, pointers, &summaries, function, arguments);
                whole.reads.extend(outside(&view, pointers, effects.reads));
                whole.writes.extend(outside(&view, pointers, effects.writes));
            }
            news |= summaries[index].reads.extend(whole.reads);
            news |= summaries[index].writes.extend(whole.writes);
        }
        if !news {
            return (summaries, directs.into_iter().map(|d| d.pointers).collect());
        }
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

/// Variables whose memory a place is, or that a value is made of.
fn roots(place: &Expression) -> Vec<Name> {
    match &place.kind {
        Kind::Choice { yes, no, .. } => roots(yes).into_iter().chain(roots(no)).collect(),
        Kind::Unknown(names) => names.clone(),
        Kind::Call { .. } => vec![ANYTHING.to_owned()],
        Kind::Assign { target, .. } => roots(target),
        // `1 + p`
        Kind::Binary(_, left, right) => roots(left).into_iter().chain(roots(right)).collect(),
        Kind::Element { base, .. }
        | Kind::Member { base, .. }
        | Kind::Unary(_, base)
        | Kind::Cast(_, base)
        | Kind::Keyword(_, base)
        | Kind::Step { target: base, .. } => roots(base),
        Kind::Name(name) => vec![name.clone()],
        Kind::List(all) => all.iter().flat_map(roots).collect(),
        _ => Vec::new(),
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

fn call(
    view: &View<'_>,
    pointers: &Pointers,
    summaries: &[Summary],
    function: &Expression,
    arguments: &[Expression],
) -> Effects {
    let name = match &function.kind {
        Kind::Name(name) => name.as_str(),
        Kind::Member { field, .. } => field,
        _ => "",
    };
    let name = match &function.kind {
        Kind::Name(_) => view.project.spaces.renamed(view.id.0, name),
        _ => name,
    };
    let object = match &function.kind {
        Kind::Member { base, .. } => roots(base),
        _ => Vec::new(),
    };
    let called = view.project.spaces.called(view.id.0, name);
    // A component that is called is a pointer to a procedure in C; in Fortran the name need not be
    // the procedure's, and the object is an argument, too.
    let is_method = view.language() == Language::Cpp;
    let is_variable = match &function.kind {
        Kind::Name(n) => view.declared(n).is_some() || view.procedure().parameters.contains(n),
        Kind::Member { .. } => !is_method,
        _ => true,
    };
    // Some programs have an MPI of their own, for one process.
    match called.filter(|_| !is_variable && !library::is_mpi(view.stands_for(name))) {
        Some(all) => {
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
        None => foreign(view, pointers, name, object, arguments),
    }
}

fn is_in_place(argument: &Expression) -> bool {
    matches!(&argument.kind, Kind::Name(name) if name.eq_ignore_ascii_case("mpi_in_place"))
}

/// The effects of a procedure without a body.
fn foreign(
    view: &View<'_>,
    pointers: &Pointers,
    name: &str,
    object: Vec<Name>,
    arguments: &[Expression],
) -> Effects {
    let mut reads = Touching::new(view, pointers);
    let mut writes = Touching::new(view, pointers);
    let is_fortran = view.language().is_fortran();
    let uses = match view.wrapper(name) {
        Some(wrapper) => Some(wrapper.uses(arguments.len())),
        // A generic name of the program's own.
        None if is_fortran && view.project.spaces.own.contains(name) => None,
        None => library::uses(name, arguments.len(), is_fortran),
    };
    match uses {
        Some(uses) => {
            reads.names(object.iter().cloned());
            // Methods of containers of C++ change nothing else; `size` and `data` not even those.
            if !matches!(name, "size" | "data" | "begin" | "end" | "empty") {
                writes.names(object);
            }
            let in_place = arguments.iter().any(is_in_place);
            for (argument, what) in arguments.iter().zip(uses) {
                let names: Vec<Name> = roots(argument);
                // What comes out of the buffer went into it.
                let what = if in_place && what == Use::Writes { Use::Both } else { what };
                let copied =
                    matches!(&argument.kind, Kind::Keyword(keyword, _) if keyword == "source");
                if matches!(what, Use::Reads | Use::Both) || copied {
                    reads.names(names.iter().cloned());
                }
                if matches!(what, Use::Writes | Use::Both) {
                    writes.names(names);
                }
            }
        }
        None => {
            reads.all = true;
            writes.all = true;
            let parameters = view.project.spaces.prototypes.get(last(name));
            let pure = parameters.is_some_and(|p| {
                p.len() == arguments.len() && p.iter().all(|p| p.intent == Some(Intent::In))
            });
            writes.all &= !(pure && is_fortran);
        }
    }
    Effects { reads: reads.touched(), writes: writes.touched() }
}

/// Collects what a call touches.
struct Touching<'v, 'p> {
    view: &'v View<'p>,
    pointers: &'v Pointers,
    all: bool,
    names: BTreeSet<Name>,
}

impl<'v, 'p> Touching<'v, 'p> {
    fn new(view: &'v View<'p>, pointers: &'v Pointers) -> Self {
        Touching { view, pointers, all: false, names: BTreeSet::new() }
    }

    /// The content of variables, and of what they lead to.
    fn names(&mut self, names: impl IntoIterator<Item = Name>) {
        for name in names.into_iter().flat_map(|name| self.pointers.follow(&name)) {
            self.all |= name == ANYTHING;
            self.names.insert(name);
        }
    }

    fn regions(&mut self, regions: &Regions, parameters: &[Name], arguments: &[Expression]) {
        self.all |= regions.all;
        for region in &regions.some {
            match region {
                Region::Argument(index) => {
                    let given = arguments.iter().enumerate().find(|(at, a)| match &a.kind {
                        Kind::Keyword(name, _) => parameters.get(*index) == Some(name),
                        _ => at == index,
                    });
                    if let Some((_, argument)) = given {
                        let by_value = self.is_number(argument);
                        if !by_value {
                            self.names(roots(argument));
                        }
                    }
                }
                Region::Global(global) => {
                    let own = global.rsplit(['/', ':']).next().unwrap_or(global);
                    let seen = self.view.global(own).is_some_and(|g| g == *global);
                    let name = if seen { own } else { global };
                    self.names.insert(name.to_owned());
                    self.block(global);
                }
            }
        }
    }

    /// All variables of a common block that has several forms.
    fn block(&mut self, global: &str) {
        if !(global.starts_with('/') && global.ends_with('/')) {
            return;
        }
        let scope = &self.view.procedure().scope;
        let block = global.trim_matches('/');
        for common in scope.commons.iter().filter(|c| c.name == block) {
            self.names.extend(common.variables.iter().cloned());
        }
    }

    /// Whether a value is passed, which nobody can write to: a number in C.
    fn is_number(&self, argument: &Expression) -> bool {
        if self.view.language().is_fortran() {
            return false;
        }
        match &argument.kind {
            Kind::Name(name) => {
                self.view
                    .declared(name)
                    .is_some_and(|d| matches!(self.view.resolve(&d.of), Type::Basic(..)))
                    && self.view.language() == Language::C
            }
            Kind::Integer(_) | Kind::Literal(_) => true,
            _ => false,
        }
    }

    fn touched(self) -> Touched {
        if self.all { Touched::Anything } else { Touched::These(self.names.into_iter().collect()) }
    }
}

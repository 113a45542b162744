//! Arrays of Fortran's modules and hosts whose bounds are known wherever the arrays are: one
//! `allocate` in the whole program gives them, and what it says never changes while an array has
//! memory.
//!
//! The numbers in the bounds are constants, or variables of modules and hosts that only the
//! procedure with the `allocate` writes, before it: neither is it under a condition, nor does the
//! procedure end, or call another one of the program, between the first of these writes and it. A
//! second execution writes the same variables, and then fails unless the array was given back. So
//! whenever another procedure uses the array, the variables are as they were.

use std::collections::{HashMap, HashSet};

use commloom_source::Span;
use commloom_source::symbols::{Symbols, Touched};
use commloom_source::tree::{
    Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Subscript, Type,
};

use super::program::{ProcedureId, Project};
use super::regions::Allocation;
use super::view::View;

/// The array with its bounds, if a procedure means the same by all names in it.
pub(super) fn seen<'p>(view: &View<'p>, one: &'p Allocation) -> Option<&'p Expression> {
    let first = view.project().view(ProcedureId(one.from));
    let same = |(name, global): &(Name, Option<String>)| match global {
        Some(global) => view.global(name).as_ref() == Some(global),
        None => view.constant(name).is_some() && view.constant(name) == first.constant(name),
    };
    let is_other = !std::ptr::eq(view.procedure(), first.procedure());
    let known = is_other && view.global(&one.name).as_ref() == Some(&one.array);
    (known && one.needs.iter().all(same)).then_some(&one.item)
}

/// Whether a procedure leaves the bounds of its arguments as they are.
pub fn keeps_bounds(called: &str) -> bool {
    let called = called.to_ascii_lowercase();
    called.starts_with("mpi_")
        || matches!(
            called.as_str(),
            "$deallocate" | "$write" | "size" | "lbound" | "ubound" | "shape" | "allocated"
        )
}

/// All of a program. Time linear in it.
pub(super) fn allocations(project: &Project) -> Vec<Allocation> {
    if is_written_unseen(project) {
        return Vec::new();
    }
    let mut facts = Facts::default();
    for id in project.procedures() {
        let view = project.view(id);
        if view.language().is_fortran() {
            for statement in &view.procedure().body {
                statement.each(&mut |s| facts.statement(&view, id, s));
            }
        }
    }
    let once = facts.items.iter().filter(|(array, items)| {
        items.len() == 1 && !facts.disturbed.contains(*array) && !array.starts_with('/')
    });
    once.filter_map(|(array, items)| facts.allocation(project, array, items.first()?)).collect()
}

/// Whether variables may be written without that their names show it: by namelists, or by C.
fn is_written_unseen(project: &Project) -> bool {
    let has = |text: &str, word: &str| text.to_ascii_lowercase().contains(word);
    let has_c = project.units.iter().any(|unit| !unit.language.is_fortran());
    project.sources.iter().filter(|source| source.language.is_fortran()).any(|source| {
        has(&source.text, "namelist")
            || has(&source.text, "equivalence")
            || (has_c && has(&source.text, "bind"))
    })
}

/// Writes to variables of modules and hosts, and allocations.
#[derive(Default)]
struct Facts {
    /// Arrays that are allocated, each time with the statement.
    items: HashMap<String, Vec<(ProcedureId, Span, Expression)>>,
    /// Arrays that may be allocated in other ways.
    disturbed: HashSet<String>,
    writes: HashMap<String, Vec<(ProcedureId, Span)>>,
}

impl Facts {
    fn statement(&mut self, view: &View<'_>, id: ProcedureId, statement: &Statement) {
        let span = statement.span;
        match &statement.kind {
            StatementKind::Assign { target, .. } => {
                if let Kind::Name(name) = &target.kind {
                    self.disturbed.extend(view.global(name));
                }
                self.written(view, id, target.root(), span);
            }
            StatementKind::Loop(counted) => self.written(view, id, Some(&counted.variable), span),
            StatementKind::Unknown(names) => {
                for name in names {
                    self.disturbed.extend(view.global(name));
                    self.written(view, id, Some(name), span);
                }
            }
            _ => {}
        }
        for expression in statement.expressions() {
            expression.each(&mut |e| match &e.kind {
                Kind::Call { function, arguments } => {
                    self.called(view, id, (function, arguments), span);
                }
                Kind::Unknown(names) => {
                    for name in names {
                        self.disturbed.extend(view.global(name));
                        self.written(view, id, Some(name), span);
                    }
                }
                _ => {}
            });
        }
    }

    fn written(&mut self, view: &View<'_>, id: ProcedureId, name: Option<&Name>, span: Span) {
        if let Some(global) = name.and_then(|name| view.global(name)) {
            self.writes.entry(global).or_default().push((id, span));
        }
    }

    fn called(
        &mut self,
        view: &View<'_>,
        id: ProcedureId,
        (function, arguments): (&Expression, &[Expression]),
        span: Span,
    ) {
        let called = function.root().map_or("", String::as_str);
        let effects = view.effects(function, arguments);
        for argument in arguments {
            let inner = match &argument.kind {
                Kind::Keyword(_, inner) => inner,
                _ => argument,
            };
            let Some(name) = inner.root() else { continue };
            match &inner.kind {
                Kind::Element { base, .. } if called == "$allocate" => {
                    if let (Kind::Name(_), Some(array)) = (&base.kind, view.global(name)) {
                        self.items.entry(array).or_default().push((id, span, inner.clone()));
                        continue;
                    }
                }
                Kind::Name(_) if !keeps_bounds(view.stands_for(called)) => {
                    self.disturbed.extend(view.global(name));
                }
                _ => {}
            }
            let writes = match &effects.writes {
                Touched::Anything => true,
                Touched::These(names) => names.contains(name),
            };
            if writes {
                self.written(view, id, Some(name), span);
            }
        }
        // What a procedure with a body writes itself is found there.
        if let Touched::These(names) = &effects.writes
            && !view.project().has_body(called)
        {
            for name in names {
                self.written(view, id, Some(name), span);
            }
        }
    }

    fn allocation(
        &self,
        project: &Project,
        array: &str,
        (id, span, item): &(ProcedureId, Span, Expression),
    ) -> Option<Allocation> {
        let view = project.view(*id);
        let name = item.root()?.clone();
        let declared = view.variable(&name)?;
        let is_plain =
            declared.allocatable && declared.unaliased && matches!(declared.of, Type::Array(..));
        let text = project.source(span.file)?.text.get(span.range())?.to_ascii_lowercase();
        // With `stat=` it may fail, and the program goes on.
        if !is_plain || text.contains("stat") || !leads_on(&view) {
            return None;
        }
        let body = &view.procedure().body;
        let at = body.iter().position(|statement| statement.span == *span)?;
        let mut needs = Vec::new();
        let mut first = at;
        for name in bounds(item)? {
            if view.constant(&name).is_some() {
                needs.push((name, None));
                continue;
            }
            let variable = view.variable(&name)?;
            let is_number = matches!(view.resolve(&variable.of), Type::Basic(..));
            let global = view.global(&name).filter(|global| !global.starts_with('/'))?;
            if !is_number || !variable.unaliased {
                return None;
            }
            for (writer, write) in self.writes.get(&global)? {
                let place = body.iter().position(|statement| statement.span.contains(*write))?;
                if writer != id || place >= at {
                    return None;
                }
                first = first.min(place);
            }
            needs.push((name, Some(global)));
        }
        let between = body.get(first..at)?;
        between.iter().all(|statement| stays(&view, statement)).then(|| Allocation {
            array: array.to_owned(),
            name,
            from: id.0,
            item: item.clone(),
            needs,
        })
    }
}

/// Whether a procedure goes from statement to statement.
fn leads_on(view: &View<'_>) -> bool {
    let mut jumps = view.procedure().has_errors;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            jumps |= matches!(s.kind, StatementKind::Goto(_) | StatementKind::Label(_));
        });
    }
    !jumps
}

/// Whether a statement neither ends the procedure, nor calls another one of the program.
fn stays(view: &View<'_>, statement: &Statement) -> bool {
    let mut stays = true;
    statement.each(&mut |s| {
        stays &= !matches!(s.kind, StatementKind::Return(_) | StatementKind::Unknown(_));
        for expression in s.expressions() {
            expression.each(&mut |e| {
                stays &= match &e.kind {
                    Kind::Call { function, .. } => match &function.kind {
                        Kind::Name(name) => !view.project().has_body(name),
                        _ => false,
                    },
                    Kind::Unknown(_) => false,
                    _ => true,
                };
            });
        }
    });
    stays
}

/// The names in the bounds; none where anything else stands there.
fn bounds(item: &Expression) -> Option<Vec<Name>> {
    let Kind::Element { subscripts, .. } = &item.kind else { return None };
    let mut names = Vec::new();
    let mut plain = true;
    let mut read = |e: &Expression| {
        e.each(&mut |part| match &part.kind {
            Kind::Name(name) => names.push(name.clone()),
            Kind::Integer(_) | Kind::Binary(..) | Kind::Unary(..) => {}
            _ => plain = false,
        });
    };
    for subscript in subscripts {
        match subscript {
            Subscript::At(extent) => read(extent),
            Subscript::Section { first: Some(first), last: Some(last), step: None } => {
                read(first);
                read(last);
            }
            Subscript::Section { .. } => return None,
        }
    }
    plain.then_some(names)
}

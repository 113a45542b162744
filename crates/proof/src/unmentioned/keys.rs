//! Memory by names that hold in the whole program, as far as a report needs them: too much may be
//! taken for one, nothing is proved with it.

use std::collections::{BTreeSet, HashMap};

use commloom_program::{ProcedureId, View, type_of};
use commloom_source::Span;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{
    Binary, Expression, ExpressionKind as Kind, Name, Statement, StatementKind, Type, Unary,
};

/// A variable, or the components of one name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Key {
    /// A variable that all procedures see, by its name in the project.
    Shared(String),
    /// A variable that a procedure declares, its arguments too.
    Own(ProcedureId, Name),
    /// A component that leads to memory, or has an array in it, of whatever object.
    Component(Name),
}

/// Functions of C++ containers that lead to what is in them.
const INTO: &[&str] =
    &["data", "begin", "front", "at", "get", "cbegin", "rbegin", "end", "cend", "back"];

/// Functions of C++'s library that do so, or that fill a container.
const INTO_BY_NAME: &[&str] =
    &["std::begin", "std::data", "std::cbegin", "std::back_inserter", "std::inserter"];

/// One procedure, whose names are to be keys.
#[derive(Clone, Copy)]
pub(super) struct Keyed<'p> {
    pub id: ProcedureId,
    pub view: View<'p>,
}

impl Keyed<'_> {
    /// The memory of a variable.
    pub fn variable(&self, name: &Name) -> Option<Key> {
        self.view.variable(name)?;
        Some(match self.view.global(name) {
            Some(shared) => Key::Shared(shared),
            None => Key::Own(self.id, name.clone()),
        })
    }

    /// The memory that a place is in, or that an address leads to.
    pub fn place(&self, e: &Expression) -> Option<Key> {
        match &e.kind {
            Kind::Name(name) => self.variable(name),
            Kind::Element { base, .. }
            | Kind::Cast(_, base)
            | Kind::Unary(Unary::Dereference | Unary::Address, base)
            | Kind::Keyword(_, base)
            | Kind::Step { target: base, .. } => self.place(base),
            // The values of a comma before the last are dropped.
            Kind::List(all) if !self.view.language().is_fortran() => self.place(all.last()?),
            Kind::Member { base, field } => match type_of(&self.view, e) {
                Some(Type::Basic(..)) => self.place(base),
                _ => Some(Key::Component(field.clone())),
            },
            Kind::Binary(Binary::Add | Binary::Subtract, left, right) => {
                let is_number = matches!(type_of(&self.view, left), Some(Type::Basic(..)));
                if is_number { self.place(right) } else { self.place(left) }
            }
            Kind::Call { function, arguments } => match &function.kind {
                Kind::Member { base, field } if INTO.contains(&field.as_str()) => self.place(base),
                Kind::Name(name) if INTO_BY_NAME.contains(&name.as_str()) => {
                    self.place(arguments.first()?)
                }
                // An object of C++ with subscripts in parentheses.
                Kind::Name(name) if self.view.variable(name).is_some() => self.place(function),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether something is an element in memory, or in Fortran several.
    pub fn is_element(&self, e: &Expression) -> bool {
        match &e.kind {
            Kind::Element { .. } | Kind::Unary(Unary::Dereference, _) => true,
            Kind::Member { .. } => true,
            Kind::Cast(_, inner) => self.is_element(inner),
            Kind::List(all) if !self.view.language().is_fortran() => {
                all.last().is_some_and(|last| self.is_element(last))
            }
            // A local reference is set to an element; one that is given may be any number.
            Kind::Name(name) => {
                let is_given = self.view.procedure().parameters.contains(name);
                self.is_array(e) || (!is_given && self.is_reference(name))
            }
            Kind::Call { function, .. } => match &function.kind {
                Kind::Name(name) => self.view.variable(name).is_some(),
                Kind::Member { field, .. } => field == "at",
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether what is assigned goes to an element, here or of a caller.
    pub fn is_target(&self, e: &Expression) -> bool {
        let is_given = |name: &Name| {
            let is_number = matches!(type_of(&self.view, e), Some(Type::Basic(..)));
            self.view.procedure().parameters.contains(name)
                && (self.is_reference(name) || (self.view.language().is_fortran() && is_number))
        };
        self.is_element(e) || matches!(&e.kind, Kind::Name(name) if is_given(name))
    }

    /// Whether a variable is another name for a number.
    fn is_reference(&self, name: &Name) -> bool {
        let of = self.view.variable(name).map(|d| &d.of);
        matches!(of, Some(Type::Reference(to))
            if matches!(self.view.resolve(to), Type::Basic(..)))
    }

    /// The memory that a procedure gets by an argument: none where it is a number.
    pub fn given(&self, argument: &Expression) -> Option<Key> {
        if self.is_number(argument) { None } else { self.place(argument) }
    }

    /// Whether something is a number by the name of its variable, which leads to no element.
    fn is_number(&self, e: &Expression) -> bool {
        matches!(e.kind, Kind::Name(_))
            && !self.is_target(e)
            && matches!(type_of(&self.view, e), Some(Type::Basic(..)))
    }

    /// Whether a place of Fortran is several elements.
    pub fn is_array(&self, e: &Expression) -> bool {
        let is_section = |e: &Expression| {
            use commloom_source::tree::Subscript;
            matches!(&e.kind, Kind::Element { subscripts, .. }
                if subscripts.iter().any(|s| matches!(s, Subscript::Section { .. })))
        };
        self.view.language().is_fortran()
            && (is_section(e) || matches!(type_of(&self.view, e), Some(Type::Array(..))))
    }
}

/// Which memory pointers are set to, anywhere.
#[derive(Debug, Default)]
pub(super) struct Links {
    leads: HashMap<Key, BTreeSet<Key>>,
    /// The variable that was declared last: what a container is made with stands behind it.
    declared: Option<(Span, Name)>,
}

impl Links {
    /// Remembers what a statement sets pointers to.
    pub fn add(&mut self, at: &Keyed<'_>, statement: &Statement) {
        match &statement.kind {
            StatementKind::Declare(all) => {
                for declaration in all {
                    self.declared = Some((statement.span, declaration.name.clone()));
                    if let Some(value) = &declaration.value {
                        let name = declaration.name.clone();
                        let target = Expression { span: declaration.span, kind: Kind::Name(name) };
                        self.set(at, &target, value);
                    }
                }
            }
            StatementKind::Assign { target, value, operation: None } => self.set(at, target, value),
            StatementKind::Evaluate(value) => {
                let declared = self.declared.take();
                if let Some((_, name)) = declared.filter(|(span, _)| *span == statement.span) {
                    let target = Expression { span: statement.span, kind: Kind::Name(name) };
                    self.set(at, &target, value);
                }
            }
            // The turns of `for (double &x : b)`.
            StatementKind::While { condition: Some(all), body } => {
                let Kind::Unknown(names) = &all.kind else { return };
                let Some(StatementKind::Assign { target, .. }) = body.first().map(|s| &s.kind)
                else {
                    return;
                };
                if let Kind::Name(name) = &target.kind
                    && at.is_reference(name)
                {
                    let all = names.iter().filter_map(|name| at.variable(name));
                    let leads = Key::Own(at.id, name.clone());
                    self.leads.entry(leads).or_default().extend(all);
                }
            }
            _ => {}
        }
    }

    /// Links a variable to what a procedure returns by the name of its own variable.
    fn returned(&mut self, at: &Keyed<'_>, target: &Expression, function: &Expression) {
        let Kind::Name(name) = &function.kind else { return };
        let project = at.view.project();
        let (None, Some(from)) = (at.view.variable(name), at.place(target)) else { return };
        let leads = self.leads.entry(from).or_default();
        for callee in project.all_named(name) {
            let of = Keyed { id: callee, view: project.view(callee) };
            for statement in &of.view.procedure().body {
                statement.each(&mut |s| {
                    if let StatementKind::Return(Some(value)) = &s.kind
                        && matches!(value.kind, Kind::Name(_))
                    {
                        leads.extend(of.given(value));
                    }
                });
            }
        }
    }

    fn set(&mut self, at: &Keyed<'_>, target: &Expression, value: &Expression) {
        if let (Kind::Name(_), Kind::Call { function, .. }) = (&target.kind, &value.kind) {
            self.returned(at, target, function);
        }
        let leads = match &target.kind {
            Kind::Name(name) => at.view.variable(name).is_some_and(|d| {
                let of = at.view.resolve(&d.of);
                matches!(of, Type::Pointer(_) | Type::Reference(_) | Type::Unknown)
            }),
            Kind::Member { .. } => matches!(type_of(&at.view, target), Some(Type::Pointer(_))),
            _ => false,
        };
        let leads = leads && !at.is_number(value);
        if let (true, Some(from), Some(to)) = (leads, at.place(target), at.place(value))
            && from != to
        {
            self.leads.entry(from).or_default().insert(to);
        }
    }

    /// Memory, and all that it leads to.
    pub fn follow(&self, key: &Key) -> BTreeSet<Key> {
        let mut all = BTreeSet::new();
        let mut waiting = vec![key.clone()];
        while let Some(key) = waiting.pop() {
            if all.insert(key.clone()) {
                waiting.extend(self.leads.get(&key).into_iter().flatten().cloned());
            }
        }
        all
    }
}

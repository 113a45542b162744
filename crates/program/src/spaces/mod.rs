//! Tables of names, and which of them each procedure sees.

mod elsewhere;
mod given;
mod layers;
mod meaning;
mod mpi;

use std::collections::{HashMap, HashSet};

use commloom_read::fortran::{Meaning, is_array, settle};
use commloom_source::Span;
use commloom_source::tree::{
    Access, Constant, Declaration, Dimension, ExpressionKind, Name, Record, Scope, StatementKind,
    Storage, Type, Unit, Use,
};

use super::files::Files;
use super::included::include;
use super::library;
use super::names::last;

/// The names of one scope.
#[derive(Debug, Default)]
pub(super) struct Space {
    /// Of a module, with it.
    pub module: Option<Name>,
    variables: HashMap<Name, Declaration>,
    constants: HashMap<Name, Constant>,
    records: HashMap<Name, Record>,
    aliases: HashMap<Name, Type>,
    /// Names of which there are two that differ: nothing is known of them.
    doubtful: HashSet<Name>,
    /// Of each variable in a common block: the block.
    pub commons: HashMap<Name, Name>,
    uses: Vec<Use>,
    access: Access,
    has_loose_pointers: bool,
}

impl Space {
    fn of(scope: &Scope, module: Option<Name>) -> Space {
        let mut space = Space {
            module,
            uses: scope.uses.clone(),
            access: scope.access.clone(),
            has_loose_pointers: scope.has_loose_pointers,
            ..Space::default()
        };
        for variable in &scope.variables {
            space.add(variable);
        }
        for constant in &scope.constants {
            let old = space.constants.insert(constant.name.clone(), constant.clone());
            if old.is_some_and(|old| old.value.kind != constant.value.kind) {
                space.constants.remove(&constant.name);
            }
        }
        for record in &scope.records {
            let mut record = record.clone();
            if let Some(old) = space.records.get(&record.name) {
                record.is_opaque |= *old != record;
            }
            space.records.insert(record.name.clone(), record);
        }
        for (name, of) in &scope.aliases {
            let old = space.aliases.insert(name.clone(), of.clone());
            if old.is_some_and(|old| old != *of) {
                space.aliases.insert(name.clone(), Type::Unknown);
            }
        }
        for common in &scope.commons {
            for variable in &common.variables {
                space.commons.insert(variable.clone(), common.name.clone());
            }
        }
        space
    }

    fn add(&mut self, variable: &Declaration) {
        let name = &variable.name;
        match self.variables.get_mut(name) {
            Some(old) if old.of != variable.of => {
                // `extern double a[];` and `double a[5];`
                let partial = |of: &Type| {
                    matches!(of, Type::Array(_, d)
                    if matches!(d.first(), Some(Dimension::AssumedSize { .. })))
                };
                if partial(&old.of) {
                    old.of = variable.of.clone();
                } else if !partial(&variable.of) {
                    self.doubtful.insert(name.clone());
                }
            }
            Some(_) => {}
            None => drop(self.variables.insert(name.clone(), variable.clone())),
        }
    }
}

/// One space that a procedure looks into, and how names are called there.
#[derive(Debug, Clone)]
struct Layer {
    space: usize,
    /// The names that `use` lets through; none: all, under their names.
    through: Option<Use>,
    /// Whether `use` leads to it, so that what is private is not seen.
    is_used: bool,
}

impl Layer {
    fn own(space: usize) -> Layer {
        Layer { space, through: None, is_used: false }
    }

    /// The name in the space, if it can be seen.
    fn there<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        let Some(through) = &self.through else { return Some(name) };
        match through.names.iter().find(|(here, _)| here == name) {
            Some((_, there)) => Some(there),
            None if through.only => None,
            // What is renamed is not seen under its own name.
            None => (!through.names.iter().any(|(_, there)| there == name)).then_some(name),
        }
    }
}

/// All spaces, and what procedures see.
#[derive(Default)]
pub(super) struct Spaces {
    spaces: Vec<Space>,
    /// Procedures: unit and index in it.
    pub ids: Vec<(usize, usize)>,
    /// Of each procedure, from the inside out; the first is its own.
    layers: Vec<Vec<Layer>>,
    /// Variables of outer scopes whose types mean something else where a procedure sees them.
    otherwise: HashMap<(usize, Name), Declaration>,
    /// The spaces that have a name, once all names are known: procedures of C look into those of
    /// every header.
    having: HashMap<Name, Vec<usize>>,
    /// Procedures by the last part of their names.
    pub by_name: HashMap<Name, Vec<usize>>,
    /// Parameters of procedures without a body at hand.
    pub prototypes: HashMap<Name, Vec<Declaration>>,
    /// Common blocks whose variables have the same names everywhere.
    uniform: HashMap<Name, bool>,
    /// Of each procedure, its own variables that procedures inside of it see.
    inner: HashMap<usize, HashSet<Name>>,
    /// C++: whether operators are functions that belong to no class.
    pub has_free_operators: bool,
    /// Of each procedure inside of another one: that one.
    hosts: HashMap<usize, usize>,
    /// Fortran: names that are given to procedures somewhere, with a body at hand or without.
    pub own: HashSet<Name>,
}

impl Spaces {
    pub fn new(units: &mut [Unit], files: &Files, own: HashSet<Name>) -> Spaces {
        include(units, files);
        let mut made = Spaces { own, ..Spaces::default() };
        made.commons(units);
        let mut modules: HashMap<Name, usize> = HashMap::new();
        let mut open: HashMap<Name, Vec<usize>> = HashMap::new();
        let mut of_unit = Vec::new();
        for unit in units.iter() {
            of_unit.push(made.push(Space::of(&unit.scope, None)));
            for (name, scope) in &unit.modules {
                let space = made.push(Space::of(scope, Some(name.clone())));
                // Namespaces are open: several files add to one.
                open.entry(name.clone()).or_default().push(space);
                modules.entry(name.clone()).or_insert(space);
            }
            for prototype in &unit.prototypes {
                made.prototypes
                    .entry(last(&prototype.name).to_owned())
                    .or_insert_with(|| prototype.parameters.clone());
            }
        }
        for (number, unit) in units.iter().enumerate() {
            let own = made.own_spaces(unit);
            for (index, procedure) in unit.procedures.iter().enumerate() {
                let id = made.ids.len();
                made.ids.push((number, index));
                made.by_name.entry(last(&procedure.name).to_owned()).or_default().push(id);
                // `template <> void f<int>(int)` is called as `f`, too.
                if let Some(generic) = without_arguments(last(&procedure.name)) {
                    made.by_name.entry(generic.to_owned()).or_default().push(id);
                }
                let mut layers = vec![Layer::own(own[index])];
                if unit.language.is_fortran() {
                    let host = procedure
                        .host
                        .as_ref()
                        .and_then(|host| unit.procedures.iter().position(|p| p.name == *host));
                    // Inside out: what a procedure uses hides what its host has.
                    made.follow_uses(&mut layers, &modules);
                    layers.extend(host.map(|h| Layer::own(own[h])));
                    made.follow_uses(&mut layers, &modules);
                    let module = procedure.module.as_ref().and_then(|m| modules.get(m));
                    layers.extend(module.map(|&space| Layer::own(space)));
                    made.follow_uses(&mut layers, &modules);
                    // What the preprocessor defines outside of procedures.
                    layers.push(Layer::own(of_unit[number]));
                } else {
                    made.c_layers(
                        &mut layers,
                        procedure.module.as_deref(),
                        &open,
                        files,
                        number,
                        &of_unit,
                    );
                }
                made.layers.push(layers);
            }
        }
        made.has_free_operators = units.iter().any(|unit| made.has_operators(unit));
        made.settle(units);
        // Numbers that nobody declares are the same everywhere.
        made.look_elsewhere(units, &modules);
        made.take_given(units, files);
        made.look_inside(units);
        made.index();
        made
    }

    /// Notes which spaces have a name.
    fn index(&mut self) {
        for (at, space) in self.spaces.iter().enumerate() {
            let (values, types) = (&space.variables, &space.records);
            let names = values.keys().chain(space.constants.keys());
            for name in names.chain(types.keys()).chain(space.aliases.keys()) {
                match self.having.get_mut(name) {
                    Some(all) if all.last() == Some(&at) => {}
                    Some(all) => all.push(at),
                    None => drop(self.having.insert(name.clone(), vec![at])),
                }
            }
        }
    }

    fn push(&mut self, space: Space) -> usize {
        self.spaces.push(space);
        self.spaces.len() - 1
    }

    /// A space for each procedure: arguments, declarations, also those in its blocks.
    fn own_spaces(&mut self, unit: &Unit) -> Vec<usize> {
        unit.procedures
            .iter()
            .map(|procedure| {
                let mut space = Space::of(&procedure.scope, None);
                for statement in &procedure.body {
                    statement.each(&mut |s| {
                        if let StatementKind::Declare(all) = &s.kind {
                            all.iter().for_each(|d| space.add(d));
                        }
                    });
                }
                self.push(space)
            })
            .collect()
    }

    /// Whether a file has operators that are functions of no class.
    fn has_operators(&self, unit: &Unit) -> bool {
        let is_operator = |name: &str| {
            let rest = last(name).strip_prefix("operator");
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        };
        let is_class = |module: &Name| self.is_record(last(module));
        unit.procedures.iter().any(|procedure| {
            is_operator(&procedure.name) && !procedure.module.as_ref().is_some_and(is_class)
        }) || unit.prototypes.iter().any(|prototype| is_operator(&prototype.name))
    }

    /// Which common blocks are the same everywhere.
    fn commons(&mut self, units: &[Unit]) {
        let mut first: HashMap<&str, &[Name]> = HashMap::new();
        for unit in units {
            let modules = unit.modules.iter().map(|(_, scope)| scope);
            let procedures = unit.procedures.iter().map(|p| &p.scope);
            for scope in modules.chain(procedures) {
                for common in &scope.commons {
                    let known = first.entry(&common.name).or_insert(&common.variables);
                    let same = **known == *common.variables;
                    *self.uniform.entry(common.name.clone()).or_insert(true) &= same;
                }
            }
        }
    }

    /// Decides what is an element and what a call, now that all declarations are at hand; declares
    /// what Fortran declares by itself.
    fn settle(&mut self, units: &mut [Unit]) {
        for id in 0..self.ids.len() {
            let (number, index) = self.ids[id];
            if !units[number].language.is_fortran() {
                continue;
            }
            let meaning = |name: &str| match name.strip_prefix('%') {
                Some(component) => self.component(id, component),
                None => match self.variable(id, name) {
                    Some(variable) if is_array(&variable.of) => Meaning::Array,
                    Some(_) => Meaning::Other,
                    None if self.by_name.contains_key(name) => Meaning::Other,
                    None if self.own.contains(name) => Meaning::Other,
                    None => Meaning::Undeclared,
                },
            };
            settle(&mut units[number].procedures[index], &meaning, true);
            self.declare_implicit(id, &units[number], index);
        }
    }

    /// Which variables of hosts the procedures inside of them name.
    fn look_inside(&mut self, units: &[Unit]) {
        for id in 0..self.ids.len() {
            let (number, index) = self.ids[id];
            let procedure = &units[number].procedures[index];
            let Some(host) = procedure.host.as_ref() else { continue };
            let of_host = |&other: &usize| {
                self.ids[other].0 == number
                    && units[number].procedures[self.ids[other].1].name == *host
            };
            let Some(host) = (0..self.ids.len()).find(of_host) else { continue };
            let host_space = self.layers[host][0].space;
            let mut seen: HashSet<Name> = HashSet::new();
            for statement in &procedure.body {
                statement.each(&mut |s| {
                    if let StatementKind::Loop(l) = &s.kind {
                        seen.insert(l.variable.clone());
                    }
                    if let StatementKind::Unknown(names) = &s.kind {
                        seen.extend(names.iter().cloned());
                    }
                    for expression in s.expressions() {
                        expression.each(&mut |e| match &e.kind {
                            ExpressionKind::Name(name) => drop(seen.insert(name.clone())),
                            ExpressionKind::Unknown(names) => seen.extend(names.iter().cloned()),
                            _ => {}
                        });
                    }
                });
            }
            let is_host = |name: &Name| {
                self.variable_in(id, name)
                    .is_some_and(|(_, space)| std::ptr::eq(space, &self.spaces[host_space]))
            };
            seen.retain(is_host);
            self.hosts.insert(id, host);
            // Also of what was written together from the host and others.
            let name = &units[number].procedures[self.ids[host].1].name;
            for (other, (_, index)) in self.ids.iter().enumerate().filter(|(_, id)| id.0 == number)
            {
                let procedure = &units[number].procedures[*index];
                if procedure.name.trim_end_matches('\'') == name {
                    self.inner.entry(other).or_default().extend(seen.iter().cloned());
                }
            }
        }
    }

    fn component(&self, id: usize, name: &str) -> Meaning {
        let records = self.layers[id].iter().flat_map(|l| self.spaces[l.space].records.values());
        let mut fields = records.flat_map(|r| &r.fields).filter(|f| f.name == name);
        match fields.next() {
            None => Meaning::Undeclared,
            Some(field) if is_array(&field.of) => Meaning::Array,
            Some(_) => Meaning::Other,
        }
    }

    fn declare_implicit(&mut self, id: usize, unit: &Unit, index: usize) {
        let procedure = &unit.procedures[index];
        if !procedure.scope.implicit {
            return;
        }
        let (mut names, mut called) = (Vec::new(), HashSet::new());
        for statement in &procedure.body {
            statement.each(&mut |s| {
                if let StatementKind::Loop(l) = &s.kind {
                    names.push((l.variable.clone(), s.span));
                }
                for expression in s.expressions() {
                    expression.each(&mut |e| match &e.kind {
                        ExpressionKind::Name(name) => names.push((name.clone(), e.span)),
                        // `size(a)`: a function of the language is no variable.
                        ExpressionKind::Call { function, .. } => drop(called.insert(function.span)),
                        _ => {}
                    });
                }
            });
        }
        let is_intrinsic = |name: &Name, span: &Span| {
            called.contains(span) && library::uses(name, 0, true).is_some()
        };
        names.retain(|(name, span)| !is_intrinsic(name, span));
        names.extend(procedure.parameters.iter().map(|p| (p.clone(), procedure.span)));
        for (name, span) in names {
            let known = self.variable(id, &name).is_some()
                || self.constant(id, &name).is_some()
                || self.by_name.contains_key(&name)
                || name.starts_with(['$', '*'])
                || name.starts_with("mpi_");
            if known {
                continue;
            }
            let integer = name.starts_with(|c: char| ('i'..='n').contains(&c));
            let of = if integer { ("integer", 4) } else { ("real", 4) };
            let is_argument = procedure.parameters.contains(&name);
            let declaration = Declaration {
                name,
                span,
                of: Type::Basic(of.0.into(), of.1),
                storage: if is_argument { Storage::Argument } else { Storage::Local },
                intent: None,
                unaliased: true,
                allocatable: false,
                is_volatile: false,
                is_constant: false,
                value: None,
            };
            let own = self.layers[id][0].space;
            self.spaces[own].add(&declaration);
        }
    }
}

/// The name of a template, of one of its specializations.
pub(super) fn without_arguments(name: &str) -> Option<&str> {
    let (generic, _) = name.split_once('<').filter(|_| name.ends_with('>'))?;
    (!generic.is_empty() && !generic.starts_with("operator")).then_some(generic)
}

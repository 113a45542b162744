//! Procedures that are called by pointers: all that any pointer of the name is set to, anywhere.
//! Too many may be taken for meant; nothing is proved with them.

use std::collections::{BTreeSet, HashMap};

use commloom_program::{ProcedureId, Project};
use commloom_source::tree::{Expression, ExpressionKind as Kind, Name, Statement, StatementKind};

/// Procedures by the names of the variables, components and arguments that are set to them.
#[derive(Debug, Default)]
pub(super) struct Meant {
    by_name: HashMap<Name, BTreeSet<ProcedureId>>,
}

impl Meant {
    /// Remembers what a statement sets pointers to.
    pub fn add(&mut self, project: &Project, statement: &Statement) {
        match &statement.kind {
            StatementKind::Assign { target, value, .. } => self.set(project, target, value),
            StatementKind::Declare(all) => {
                for declaration in all {
                    let value = declaration.value.as_ref().and_then(last_name);
                    self.name(project, &declaration.name, value);
                }
            }
            StatementKind::Unknown(names) => {
                for (pointer, value) in pairs(names) {
                    self.name(project, pointer, Some(value));
                }
            }
            _ => {}
        }
        for expression in statement.expressions() {
            expression.each(&mut |e| match &e.kind {
                Kind::Assign { target, value, .. } => self.set(project, target, value),
                Kind::Call { function, arguments } => self.given(project, function, arguments),
                _ => {}
            });
        }
    }

    /// The procedures that a call with some number of arguments may be of.
    pub fn by(
        &self,
        project: &Project,
        function: &Expression,
        arguments: usize,
    ) -> Vec<ProcedureId> {
        let Some(name) = last_name(function) else { return Vec::new() };
        // `pack<2>(...)`
        let name = name.split('<').next().unwrap_or(name);
        let mut all: Vec<ProcedureId> = project.all_named(name).collect();
        if all.len() > 1 {
            all.retain(|id| project.view(*id).procedure().parameters.len() == arguments);
        } else if all.is_empty() {
            all.extend(self.by_name.get(name).into_iter().flatten());
        }
        all
    }

    fn set(&mut self, project: &Project, target: &Expression, value: &Expression) {
        if let Some(pointer) = last_name(target) {
            self.name(project, pointer, last_name(value));
        }
    }

    fn given(&mut self, project: &Project, function: &Expression, arguments: &[Expression]) {
        let Some(name) = last_name(function) else { return };
        for callee in project.all_named(name) {
            let parameters = &project.view(callee).procedure().parameters;
            for (parameter, argument) in parameters.iter().zip(arguments) {
                self.name(project, parameter, last_name(argument));
            }
        }
    }

    fn name(&mut self, project: &Project, pointer: &Name, value: Option<&Name>) {
        for procedure in value.into_iter().flat_map(|value| project.all_named(value)) {
            self.by_name.entry(pointer.clone()).or_default().insert(procedure);
        }
    }
}

/// Each name with each other one.
fn pairs(names: &[Name]) -> impl Iterator<Item = (&Name, &Name)> {
    names.iter().flat_map(|a| names.iter().filter(move |b| *b != a).map(move |b| (a, b)))
}

/// The name that says which function or pointer something is: of a component its own.
fn last_name(e: &Expression) -> Option<&Name> {
    match &e.kind {
        Kind::Name(name) | Kind::Member { field: name, .. } => Some(name),
        Kind::Unary(_, inner)
        | Kind::Cast(_, inner)
        | Kind::Keyword(_, inner)
        | Kind::Element { base: inner, .. } => last_name(inner),
        _ => None,
    }
}

//! Procedures of Fortran that are called where no name says so: by operators, by assignments, by
//! input and output, and where variables end.

use commloom_source::symbols::Symbols;
use commloom_source::tree::{Name, Scope, Type};

use super::names::last;
use super::program::{ProcedureId, Project};
use super::regions::{Acting, Region};

/// Looks at all of a program, once the effects of its procedures are known.
pub(super) fn acting(project: &Project) -> Acting {
    let mut found = Acting::default();
    let scopes: Vec<&Scope> = project
        .units
        .iter()
        .flat_map(|unit| {
            let modules = unit.modules.iter().map(|(_, scope)| scope);
            let procedures = unit.procedures.iter().map(|procedure| &procedure.scope);
            std::iter::once(&unit.scope).chain(modules).chain(procedures)
        })
        .collect();
    let ids = |name: &Name| project.spaces.by_name.get(last(name)).cloned().unwrap_or_default();
    for id in scopes.iter().flat_map(|scope| &scope.acting).flat_map(ids) {
        let writes = &project.summaries[id].writes;
        found.anything |=
            writes.all || writes.some.iter().any(|region| matches!(region, Region::Global(_)));
    }
    for id in scopes.iter().flat_map(|scope| &scope.assigning).flat_map(ids) {
        let view = project.view(ProcedureId(id));
        for name in &view.procedure().parameters {
            let of = view.variable(name).map(|declared| view.resolve(&declared.of));
            match of {
                Some(Type::Record(of) | Type::Named(of)) => drop(found.assigned.insert(of)),
                Some(Type::Array(inner, _)) => {
                    if let Type::Record(of) | Type::Named(of) = view.resolve(&inner) {
                        found.assigned.insert(of);
                    }
                }
                _ => {}
            }
        }
    }
    found
}

impl Project {
    /// Whether operators, assignments, or the end of a variable may touch any memory.
    pub fn acts(&self) -> bool {
        self.acting.anything
    }

    /// Whether a procedure of the program says what an assignment to a type does.
    pub fn is_assigned(&self, of: &Type) -> bool {
        match of {
            Type::Record(name) | Type::Named(name) => self.acting.assigned.contains(name),
            _ => false,
        }
    }
}

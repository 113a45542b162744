//! The project as one procedure sees it.

use commloom_source::Language;
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Declaration, Name, Procedure, Storage, Type, Unit};

use super::program::{ProcedureId, Project};
use super::regions::{Pointers, Reach};
use super::wrappers::Wrapper;

/// One procedure with all that it sees.
#[derive(Clone, Copy)]
pub struct View<'p> {
    pub(super) project: &'p Project,
    pub(super) id: ProcedureId,
}

impl<'p> View<'p> {
    pub(super) fn new(project: &'p Project, id: ProcedureId) -> View<'p> {
        View { project, id }
    }

    /// The whole program.
    pub fn project(&self) -> &'p Project {
        self.project
    }

    /// The procedure.
    pub fn procedure(&self) -> &'p Procedure {
        self.project.procedure(self.id)
    }

    /// The declaration of a name, for as long as the project lives.
    pub fn declaration(&self, name: &str) -> Option<&'p Declaration> {
        self.declared(name)
    }

    /// The procedures that were written into this one, by the marks of their variables.
    pub(crate) fn callees(&self) -> std::collections::HashMap<String, Name> {
        self.project.callees(self.id)
    }

    /// The name in the whole project of a variable that other procedures see; none for locals
    /// and arguments.
    pub fn global(&self, name: &str) -> Option<String> {
        self.project.spaces.global(self.id.0, name)
    }

    /// Whether a variable is the procedure's own, and procedures inside of it see it.
    pub fn is_seen_inside(&self, name: &str) -> bool {
        self.project.spaces.is_seen_inside(self.id.0, name)
    }

    /// The names of MPI that the procedure sees, where it sees only some.
    pub fn names_of_mpi(&self) -> Option<std::collections::HashSet<&'p str>> {
        self.project.spaces.names_of_mpi(self.id.0)
    }

    /// The names of MPI that the procedure sees under other names only.
    pub fn renamed_names_of_mpi(&self) -> std::collections::HashSet<&'p str> {
        self.project.spaces.renamed_names_of_mpi(self.id.0)
    }

    /// Whether a variable is the host's of the procedure.
    pub fn is_of_host(&self, name: &str) -> bool {
        self.project.spaces.host_of(self.id.0, name).is_some()
    }

    /// Whether nobody can see a scalar of the procedure but by its name there: its value is gone
    /// when the procedure ends.
    pub fn is_private(&self, name: &str) -> bool {
        let Some(declaration) = self.declared(name) else { return false };
        if !self.language().is_fortran() {
            let own = matches!(declaration.storage, Storage::Local | Storage::Argument);
            return match self.resolve(&declaration.of) {
                Type::Pointer(_) => own && !self.project.pointers[self.id.0].is_open(name),
                _ => self.is_hidden(name),
            };
        }
        let scope = &self.procedure().scope;
        let shares = scope
            .equivalences
            .iter()
            .any(|e| e.places.iter().any(|p| p.root().is_some_and(|root| root == name)));
        declaration.storage == Storage::Local
            && declaration.unaliased
            && !shares
            && self.global(name).is_none()
    }

    /// Whether the address of a variable of C, or what it points to, may be known elsewhere: it
    /// was returned, stored, or given to somebody who keeps it.
    pub fn is_given_away(&self, name: &str) -> bool {
        let is_given = |reach: &Reach| reach.given.contains(name);
        self.project.reach.get(self.id.0).is_some_and(is_given)
            || self.global(name).is_some_and(|global| self.project.given.contains(&global))
    }

    /// Whether a variable is a pointer of C outside of procedures that alone leads to its memory,
    /// wherever it is used.
    pub fn is_owner(&self, name: &str) -> bool {
        let owned = &self.project.owned;
        !owned.is_empty() && self.global(name).is_some_and(|global| owned.contains(&global))
    }

    /// Whether a namespace or class of C++ has a function of this name, which may hide MPI's.
    pub fn has_own(&self, name: &str) -> bool {
        let all = self.project.spaces.by_name.get(name);
        let is_inside = |id: &usize| self.project.procedure(ProcedureId(*id)).module.is_some();
        self.language() == Language::Cpp && all.is_some_and(|all| all.iter().any(is_inside))
    }

    /// A type's name as it means the same in a function of a class of C++, where members of the
    /// class and of those that it is derived from may have the name. None where that is not known;
    /// elsewhere the name itself.
    pub fn type_in_class(&self, name: &str) -> Option<String> {
        let spaces = &self.project.spaces;
        let module = self.procedure().module.as_deref();
        let is_in_class = module.is_some_and(|module| !spaces.is_namespace(module));
        let is_known =
            spaces.record(self.id.0, name).is_some() || spaces.alias(self.id.0, name).is_some();
        match self.language() == Language::Cpp && is_in_class && is_known {
            true => spaces.qualified(name),
            false => Some(name.to_owned()),
        }
    }

    /// Whether Cray pointers are seen, which lead to any variable.
    pub fn has_loose_pointers(&self) -> bool {
        self.project.spaces.has_loose_pointers(self.id.0)
    }

    /// The wrapper that a procedure's name means here.
    pub fn wrapper(&self, called: &str) -> Option<&'p Wrapper> {
        let wrappers = self.project.wrappers();
        (!wrappers.is_empty()).then(|| wrappers.find(called, self.unit().language)).flatten()
    }

    /// The file that the procedure is in.
    pub(super) fn unit(&self) -> &'p Unit {
        let (unit, _) = self.project.spaces.ids[self.id.0];
        &self.project.units[unit]
    }

    pub(super) fn declared(&self, name: &str) -> Option<&'p Declaration> {
        self.project.spaces.variable(self.id.0, name)
    }

    /// Where the pointers of the procedure lead to.
    pub(super) fn pointers(&self) -> &'p Pointers {
        &self.project.pointers[self.id.0]
    }
}

impl Project {
    /// The project as a procedure sees it.
    pub fn view(&self, id: ProcedureId) -> View<'_> {
        View::new(self, id)
    }
}

//! Procedures that were written together from several ones, beside those of the texts.

use std::collections::{HashMap, HashSet};

use commloom_source::Span;
use commloom_source::tree::{Name, Procedure};

use super::acting::acting;
use super::effects;
use super::files::Files;
use super::hidden;
use super::names::last;
use super::program::{Expanded, ProcedureId, Project};
use super::regions::Acting;
use super::spaces::Spaces;

impl Project {
    /// The procedure of this name, if there is one with a body, and no other.
    pub fn named(&self, name: &str) -> Option<ProcedureId> {
        let mut all = self.all_named(name);
        all.next().filter(|_| all.next().is_none())
    }

    /// The procedures of this name that have a body: several in branches of the preprocessor, in
    /// files of different programs, or where C++ overloads.
    pub fn all_named(&self, name: &str) -> impl Iterator<Item = ProcedureId> {
        self.spaces.by_name.get(last(name)).into_iter().flatten().map(|at| ProcedureId(*at))
    }

    /// Unit and index of a procedure, which stay when others are added.
    pub fn place(&self, id: ProcedureId) -> (usize, usize) {
        self.spaces.ids[id.0]
    }

    /// The project with more procedures, each beside another one and seeing what that sees; with
    /// their numbers.
    pub fn with_procedures(
        &self,
        added: Vec<(ProcedureId, Procedure, HashMap<String, Name>)>,
        real: HashMap<Span, Span>,
        covered: &HashSet<ProcedureId>,
    ) -> (Project, Vec<ProcedureId>) {
        let mut sources = self.sources.clone();
        let files = Files::new(&mut sources, &self.setup.compiled);
        let mut units = self.units.clone();
        let mut places = Vec::new();
        let mut callees = HashMap::new();
        for (beside, procedure, standing) in added {
            let (unit, _) = self.place(beside);
            let place = (unit, units[unit].procedures.len());
            places.push(place);
            callees.insert(place, standing);
            units[unit].procedures.push(procedure);
        }
        let spaces = Spaces::new(&mut units, &files, self.spaces.own.clone());
        let ids = places
            .iter()
            .filter_map(|place| spaces.ids.iter().position(|id| id == place).map(ProcedureId))
            .collect();
        let expanded = Expanded {
            places: places.into_iter().collect(),
            real,
            covered: covered.iter().map(|id| self.place(*id)).collect(),
            callees,
        };
        let mut project = Project {
            sources,
            lines: self.lines.clone(),
            units,
            spaces,
            makers: self.makers.clone(),
            summaries: Vec::new(),
            pointers: Vec::new(),
            reach: Vec::new(),
            given: self.given.clone(),
            owned: self.owned.clone(),
            // What is written in an expanded procedure is not what was looked at.
            allocations: Vec::new(),
            acting: Acting::default(),
            setup: self.setup.clone(),
            nobody: self.nobody.clone(),
            expanded,
        };
        (project.summaries, project.pointers) = effects::summaries(&project);
        project.acting = acting(&project);
        project.reach = hidden::reach(&project);
        (project, ids)
    }

    /// Whether a procedure was written together.
    pub fn is_expanded(&self, id: ProcedureId) -> bool {
        self.expanded.places.contains(&self.place(id))
    }

    /// Whether a procedure of the texts stands in the expanded ones wherever it is called.
    pub fn is_covered(&self, place: (usize, usize)) -> bool {
        self.expanded.covered.contains(&place)
    }

    /// The procedures that were written into one, by the marks of their variables.
    pub(super) fn callees(&self, id: ProcedureId) -> HashMap<String, Name> {
        self.expanded.callees.get(&self.place(id)).cloned().unwrap_or_default()
    }

    /// Where something stands in the texts.
    pub fn real(&self, span: Span) -> Span {
        self.expanded.real.get(&span).copied().unwrap_or(span)
    }
}

//! All files together: what names mean in each procedure, and what each procedure reads and writes.
//!
//! ```text
//! sources -> files (which includes which, in which language) -> units -> inline (functions that are expressions)
//!         -> spaces (tables of names) -> views (what one procedure sees) -> summaries
//! ```
//!
//! A name that is not found may be a macro or a constant of a header that is not at hand; what a procedure without a body does is looked up in
//! [`library`], and otherwise everything that it can reach.

mod compiled;
mod effects;
mod expanded;
mod files;
mod hidden;
mod inline;
mod library;
mod regions;
mod signatures;
mod sizes;
mod spaces;
mod types;
mod view;
mod wrappers;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::read::c::Define;
use crate::read::{c, fortran};
use crate::source::{FileId, Lines, Source, Span};
use crate::tree::{Constant, Expression, ExpressionKind, Name, Procedure, Unit};

use effects::Pointers;
use expanded::Expanded;
use files::Files;
use hidden::Reach;
use regions::Summary;
use spaces::Spaces;

pub use compiled::{Command, Compiled, Unfinished, candidates, joined, response, words};
pub use files::includes;
pub use library::{Use, arguments, arguments_read, is_forgetful};
pub use signatures::Signature;
pub use view::View;
pub use wrappers::{Given, Part, Wrapper, WrapperError, Wrappers};

pub(crate) use wrappers::placeholder;

/// What is known of a program besides its texts.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// Its procedures that stand for those of MPI.
    pub wrappers: Wrappers,
    /// How its files are compiled.
    pub compiled: Compiled,
}

/// A program, or a part of one.
pub struct Project {
    sources: Vec<Source>,
    /// As `sources`.
    lines: Vec<Lines>,
    units: Vec<Unit>,
    spaces: Spaces,
    /// As `spaces.ids`.
    summaries: Vec<Summary>,
    /// As `spaces.ids`.
    pointers: Vec<Pointers>,
    /// What was written together from several procedures.
    expanded: Expanded,
    /// As `spaces.ids`.
    reach: Vec<Reach>,
    setup: Setup,
}

/// Number of a procedure with a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcedureId(pub usize);

impl Project {
    /// Reads all files. An include is taken for the file whose name ends like it, the one in the same folder first; one that is not among the
    /// sources is passed over. Languages are corrected: what a Fortran file includes is Fortran in its form, a header of C++
    /// files only is C++. Time linear in the texts, times the depth of the includes, plus the rounds of the summaries.
    pub fn new(sources: Vec<Source>) -> Project {
        Project::with(sources, Setup::default())
    }

    /// The same, with what else is known.
    pub fn with(mut sources: Vec<Source>, setup: Setup) -> Project {
        let files = Files::new(&mut sources, &setup.compiled);
        let mut units: Vec<Unit> = sources
            .iter()
            .enumerate()
            .map(|(index, source)| {
                let file = file_id(index);
                if source.language.is_fortran() {
                    let mut unit = fortran::read(source, file);
                    macros(&mut unit.scope.constants, &files.given(index));
                    unit
                } else {
                    c::read(
                        source,
                        file,
                        files.directives(index),
                        &files.macros(index, &setup.wrappers),
                    )
                }
            })
            .collect();
        inline::inline(&mut units, &files);
        let spaces = Spaces::new(&mut units, &files);
        let lines = sources.iter().map(|source| Lines::of(&source.text)).collect();
        let mut project = Project {
            sources,
            lines,
            units,
            spaces,
            summaries: Vec::new(),
            pointers: Vec::new(),
            expanded: Expanded::default(),
            reach: Vec::new(),
            setup,
        };
        (project.summaries, project.pointers) = effects::summaries(&project);
        project.reach = hidden::reach(&project);
        project
    }

    /// The texts.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Procedures of the program that stand for those of MPI.
    pub fn wrappers(&self) -> &Wrappers {
        &self.setup.wrappers
    }

    /// Whether handles of MPI are types (`mpi_f08`) where something stands.
    pub(crate) fn has_handles(&self, at: Span) -> bool {
        let procedures = self.spaces.ids.iter().enumerate();
        let around = procedures.filter_map(|(id, &(unit, index))| {
            let span = self.units[unit].procedures[index].span;
            let inside = span.file == at.file && span.start <= at.start && at.end <= span.end;
            inside.then_some((span.end - span.start, id))
        });
        around.min().is_some_and(|(_, id)| self.spaces.has_handles(id))
    }

    /// The text of a file.
    pub fn source(&self, file: FileId) -> Option<&Source> {
        self.sources.get(usize::try_from(file.0).ok()?)
    }

    /// Line and column (in characters), from 1, of a byte of a file. Logarithmic time, and the length of the line.
    pub fn line_column(&self, file: FileId, offset: usize) -> Option<(usize, usize)> {
        let lines = self.lines.get(usize::try_from(file.0).ok()?)?;
        let (line, before) = lines.before(&self.source(file)?.text, offset);
        Some((line + 1, before.chars().count() + 1))
    }

    /// The files as trees, in the order of the sources.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// All procedures that have a body.
    pub fn procedures(&self) -> impl Iterator<Item = ProcedureId> + '_ {
        (0..self.spaces.ids.len()).map(ProcedureId)
    }

    /// A procedure's tree.
    pub fn procedure(&self, id: ProcedureId) -> &Procedure {
        let (unit, index) = self.spaces.ids[id.0];
        &self.units[unit].procedures[index]
    }

    /// Whether a procedure of this name has a body here.
    pub fn has_body(&self, name: &str) -> bool {
        self.spaces.by_name.contains_key(spaces::last(name))
    }

    /// What a procedure sees.
    pub fn view(&self, id: ProcedureId) -> View<'_> {
        View::new(self, id)
    }
}

/// Macros of a file of Fortran that are numbers, with those that its compiler is given. Of several values none is known.
fn macros(constants: &mut Vec<Constant>, given: &[Define]) {
    let plain = given.iter().filter(|define| define.parameters.is_none());
    constants.extend(plain.filter_map(|define| {
        let value = ExpressionKind::Integer(define.body.parse().ok()?);
        let value = Expression { span: define.span, kind: value };
        Some(Constant { name: define.name.to_ascii_lowercase(), value })
    }));
    // What is no number may be another name of a variable: it is no constant.
    let nothing = ExpressionKind::Unknown(Vec::new());
    constants.retain(|constant| constant.value.kind != nothing);
    let mut values: HashMap<Name, Option<i64>> = HashMap::new();
    for constant in constants.iter() {
        // Others are parameters of an included file.
        let ExpressionKind::Integer(value) = constant.value.kind else { continue };
        let known = values.entry(constant.name.clone()).or_insert(Some(value));
        if *known != Some(value) {
            *known = None;
        }
    }
    for constant in constants {
        if values.get(&constant.name) == Some(&None) {
            constant.value.kind = ExpressionKind::Unknown(Vec::new());
        }
    }
}

fn file_id(index: usize) -> FileId {
    // More files than 2^32 do not fit into any memory.
    FileId(u32::try_from(index).unwrap_or(u32::MAX))
}

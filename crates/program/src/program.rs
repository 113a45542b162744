//! A program as the analysis has it: texts, trees, and tables of names.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use commloom_source::tree::{Name, Procedure, Unit};
use commloom_source::{FileId, Lines, Source, Span};

use super::compiled::Compiled;
use super::names::last;
use super::regions::{Acting, Allocation, Pointers, Reach, Summary};
use super::spaces::Spaces;
use super::wrappers::Wrappers;

/// All that is known of a program besides its texts.
#[derive(Debug, Clone, Default)]
pub struct Setup {
    /// Its procedures that stand for those of MPI.
    pub wrappers: Wrappers,
    /// How its files are compiled.
    pub compiled: Compiled,
}

/// A program, or a part of one.
pub struct Project {
    pub(super) sources: Vec<Source>,
    /// As `sources`.
    pub(super) lines: Vec<Lines>,
    pub(super) units: Vec<Unit>,
    pub(super) spaces: Spaces,
    /// Procedures that give memory which nobody else knows.
    pub(super) makers: HashSet<Name>,
    /// As `spaces.ids`.
    pub(super) summaries: Vec<Summary>,
    /// As `spaces.ids`.
    pub(super) pointers: Vec<Pointers>,
    /// The procedures that were written together from several.
    pub(super) expanded: Expanded,
    /// As `spaces.ids`.
    pub(super) reach: Vec<Reach>,
    /// Shared variables of C whose address is known elsewhere.
    pub(super) given: HashSet<Name>,
    /// Pointers of C outside of procedures that alone lead to what they lead to.
    pub(super) owned: HashSet<String>,
    /// Where arrays of modules get their bounds.
    pub(super) allocations: Vec<Allocation>,
    /// Procedures that are called where no name says so.
    pub(super) acting: Acting,
    pub(super) setup: Setup,
    /// Whether nobody (`MPI_PROC_NULL`) can come in anywhere, once that was asked.
    pub(super) nobody: OnceLock<bool>,
}

/// Number of a procedure with a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcedureId(pub usize);

/// Procedures that were written together from several ones.
#[derive(Debug, Default)]
pub(super) struct Expanded {
    /// Unit and index of each.
    pub(super) places: HashSet<(usize, usize)>,
    /// Where what is in them stands in the texts.
    pub(super) real: HashMap<Span, Span>,
    /// Procedures of the texts that stand in them wherever they are called.
    pub(super) covered: HashSet<(usize, usize)>,
    /// The procedures that stand in each, by the marks of their variables.
    pub(super) callees: HashMap<(usize, usize), HashMap<String, Name>>,
}

impl Project {
    /// The texts.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Procedures of the program that stand for those of MPI.
    pub fn wrappers(&self) -> &Wrappers {
        &self.setup.wrappers
    }

    /// Whether handles of MPI are types (`mpi_f08`) where something stands.
    pub fn has_handles(&self, at: Span) -> bool {
        let procedures = self.spaces.ids.iter().enumerate();
        let around = procedures.filter_map(|(id, &(unit, index))| {
            let span = self.units[unit].procedures[index].span;
            span.contains(at).then_some((span.end - span.start, id))
        });
        around.min().is_some_and(|(_, id)| self.spaces.has_handles(id))
    }

    /// Whether a text of the program has a name by which the process that is none comes in. Linear
    /// in all texts, the first time.
    pub fn names_nobody(&self) -> bool {
        *self.nobody.get_or_init(|| {
            self.sources.iter().any(|source| {
                let text = source.text.to_ascii_lowercase();
                ["mpi_proc_null", "cart_shift"].iter().any(|name| text.contains(name))
            })
        })
    }

    /// The text of a file.
    pub fn source(&self, file: FileId) -> Option<&Source> {
        self.sources.get(usize::try_from(file.0).ok()?)
    }

    /// Line and column (in characters), from 1, of a byte of a file. Logarithmic time, and the
    /// length of the line.
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
        self.spaces.by_name.contains_key(last(name))
    }
}

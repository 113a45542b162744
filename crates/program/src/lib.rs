//! All files together: what names mean in each procedure, and what each procedure reads and
//! writes.
//!
//! ```text
//! sources -> files (which includes which, in which language) -> units
//!         -> inline (functions that are expressions) -> spaces (tables of names)
//!         -> views (what one procedure sees) -> summaries
//! ```
//!
//! A name that is not found may be a macro or a constant of a header that is not at hand; what a
//! procedure without a body does is looked up in [`library`], and otherwise everything that it can
//! reach.

#![forbid(unsafe_code)]

mod acting;
mod alias;
mod allocations;
mod compiled;
mod effects;
mod expanded;
pub mod fact;
mod files;
mod hidden;
mod included;
mod inline;
mod library;
mod makers;
mod names;
mod operators;
mod owned;
mod program;
pub mod refusal;
mod regions;
mod settings;
mod signatures;
mod sizes;
mod spaces;
mod symbols;
mod touching;
mod types;
mod view;
mod wrappers;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use commloom_read::c::Define;
use commloom_read::{c, fortran};
use commloom_source::tree::{Constant, Expression, ExpressionKind, Name, Unit};
use commloom_source::{Language, Lines, Source};

use files::{Files, file_id};
use program::Expanded;
use regions::Acting;
use spaces::Spaces;

pub use allocations::keeps_bounds;
pub use compiled::{Command, Compiled, Unfinished, candidates, joined, response, words};
pub use files::includes;
pub use library::{Use, arguments, arguments_read, is_forgetful, is_mpi};
pub use operators::{may_act, statement_acts};
pub use program::{ProcedureId, Project, Setup};
pub use signatures::Signature;
pub use sizes::is_made_with_values;
pub use types::type_of;
pub use view::View;
pub use wrappers::{Given, Part, Wrapper, WrapperError, Wrappers, placeholder};

impl Project {
    /// Reads all files. An include is taken for the file whose name ends like it, the one in the
    /// same folder first; one that is not among the sources is passed over. Languages are
    /// corrected: what cannot be fixed form is free form, what a Fortran file includes is Fortran
    /// in its form, a header of C++ files only is C++. Time linear in the texts, times the depth
    /// of the includes, plus the rounds of the summaries.
    pub fn new(sources: Vec<Source>) -> Project {
        Project::with(sources, Setup::default())
    }

    /// The same, with what else is known.
    pub fn with(mut sources: Vec<Source>, setup: Setup) -> Project {
        for source in &mut sources {
            if source.language == Language::FortranFixed && source.is_free_form() {
                source.language = Language::FortranFree;
            }
        }
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
        let fortran = sources.iter().filter(|source| source.language.is_fortran());
        let own = fortran.flat_map(fortran::own_procedures).collect();
        let spaces = Spaces::new(&mut units, &files, own);
        let lines = sources.iter().map(|source| Lines::of(&source.text)).collect();
        let mut project = Project {
            sources,
            lines,
            units,
            spaces,
            makers: HashSet::new(),
            summaries: Vec::new(),
            pointers: Vec::new(),
            expanded: Expanded::default(),
            reach: Vec::new(),
            given: HashSet::new(),
            owned: HashSet::new(),
            allocations: Vec::new(),
            acting: Acting::default(),
            setup,
            nobody: OnceLock::new(),
        };
        project.makers = makers::makers(&project);
        (project.summaries, project.pointers) = effects::summaries(&project);
        project.acting = acting::acting(&project);
        project.reach = hidden::reach(&project);
        project.given = hidden::given_globals(&project);
        project.owned = owned::owned(&project);
        project.allocations = allocations::allocations(&project);
        project
    }
}

/// Macros of a file of Fortran that are numbers, with those that its compiler is given. Of several
/// values none is known.
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

//! How one call's copies became a datatype, or how far they got: for people who want to see it.
//!
//! Nothing is decided here. Conditions are those that [`crate::legality`] asked, passes those that [`crate::ir`] made, and the example is the datatype at
//! sizes drawn by chance.

mod example;
mod notation;
mod tree;

use std::fmt;

use crate::copies::{Direction, Packing};
use crate::ir::{self, Pass};
use crate::legality::{Judged, Part, Site};
use crate::project::Project;
use crate::source::Span;
use crate::symbols::Symbols;
use crate::verify::Instance;

pub use example::{Array, Example};
use notation::Notation;

/// All that is known of a call.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// Which way the copies go; none where no copies are understood.
    pub direction: Option<Direction>,
    /// The call, and the statements that do nothing but copy, in the order of the texts.
    pub statements: Vec<Span>,
    /// The buffer.
    pub buffer: String,
    /// The copies in the order of the buffer.
    pub copies: Vec<Copied>,
    /// How many bytes they are; none where there is no formula.
    pub length: Option<String>,
    /// From the copies to the datatype.
    pub steps: Vec<Passed>,
    /// The datatype as a tree: depth and words of each node.
    pub tree: Vec<(usize, String)>,
    /// What the call gets in the place of the buffer.
    pub begin: String,
    /// What was asked of the program, and the answers.
    pub conditions: Vec<Judged>,
    /// The datatype at small sizes.
    pub example: Option<Example>,
    /// The datatype at all sizes that were drawn.
    pub instances: Vec<Instance>,
}

/// One copying statement: (iteration box, buffer offset, source address).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// The loops around it, from outside.
    pub loops: Vec<Turn>,
    /// Under which condition, as the program writes it.
    pub condition: Option<String>,
    /// Where in the buffer, in elements: `b[(ny - 2)*(k - 1) + j]`.
    pub buffer: String,
    /// How many bytes.
    pub bytes: String,
    /// Where in the program's memory.
    pub memory: String,
    /// The statement.
    pub span: Span,
}

/// The turns of a loop: `k = 1 .. nz - 2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its variable, or a name that the text does not have.
    pub variable: String,
    /// The variable's first value.
    pub first: String,
    /// Its last value.
    pub last: String,
    /// What is added for each turn, if it is not 1.
    pub step: Option<String>,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Turn { variable, first, last, step } = self;
        write!(f, "{variable} = {first} .. {last}")?;
        step.iter().try_for_each(|step| write!(f, " step {step}"))
    }
}

/// The datatype after one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// What was done; none for the copies as they come.
    pub pass: Option<Pass>,
    /// How often, one after the other.
    pub times: usize,
    /// What it was then.
    pub ty: String,
}

/// Explains a site of a project, in which copies and call stand together.
pub(crate) fn explanation(project: &Project, site: &Site, instances: Vec<Instance>) -> Explanation {
    let view = project.view(site.procedure);
    let part = site.outcome.as_ref().ok().and_then(|rewrite| rewrite.parts.first());
    let packing = part.map(|part| &part.packing).or(site.trail.packing.as_ref());
    let notation = Notation {
        project,
        turns: packing.map_or(&[], |p| &p.turns),
        is_fortran: view.language().is_fortran(),
    };
    let mut explanation = Explanation {
        direction: packing.map(|p| p.direction),
        statements: statements(project, site, part, packing),
        buffer: notation.plain(&site.buffer),
        copies: Vec::new(),
        length: None,
        steps: Vec::new(),
        tree: Vec::new(),
        begin: String::new(),
        conditions: site.trail.conditions.clone(),
        example: None,
        instances,
    };
    // What does not hold is said last.
    explanation.conditions.sort_by_key(|judged| !judged.holds);
    for judged in &mut explanation.conditions {
        for fact in &mut judged.assumed {
            *fact = notation.plain(fact);
        }
    }
    let Some(packing) = packing else { return explanation };
    let element = site.trail.element;
    explanation.copies = notation.copies(packing, element);
    explanation.length = notation.length(packing);
    if let Ok(steps) = ir::steps(&view, packing, element) {
        explanation.steps = steps
            .iter()
            .map(|step| Passed {
                pass: step.pass,
                times: step.times,
                ty: notation.node(&step.datatype.node),
            })
            .collect();
        let made = part.map(|part| &part.made).or(steps.last().map(|step| &step.datatype));
        if let Some(made) = made {
            explanation.begin = notation.begin(made.at.as_ref().map(|at| &at.place));
            explanation.tree = notation.tree(&made.node);
            // What the kind of call adds.
            let ty = notation.node(&made.node);
            if explanation.steps.last().is_some_and(|step| step.ty != ty) {
                let pass = Some(Pass::Extent);
                explanation.steps.push(Passed { pass, times: 1, ty });
            }
        }
    }
    explanation.example = Example::best(&explanation.instances, &notation);
    explanation
}

/// The call and what goes, each once.
fn statements(
    project: &Project,
    site: &Site,
    part: Option<&Part>,
    packing: Option<&Packing>,
) -> Vec<Span> {
    let removed = packing.into_iter().flat_map(|p| &p.statements);
    let call = part.map_or(site.statement, |part| part.statement);
    let mut all: Vec<Span> = removed.chain([&call]).map(|span| project.real(*span)).collect();
    all.sort_by_key(|span| (span.file, span.start, span.end));
    all.dedup();
    all
}

//! How one call's copies became a datatype, or how far they got: for people who want to see it.
//!
//! Nothing is decided here. Conditions are those that [`commloom_proof`] asked, passes those that
//! [`commloom_copies::ir`] made, and the example is the datatype at sizes drawn by chance.

mod example;
mod model;
mod notation;
mod tree;

use commloom_copies::Packing;
use commloom_copies::ir::{self, Pass};
use commloom_copies::verify::Instance;
use commloom_program::Project;
use commloom_proof::{Part, Site};
use commloom_source::Span;
use commloom_source::symbols::Symbols;

pub use model::{Array, Copied, Example, Explanation, Passed, Turn};
use notation::Notation;

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
        settings: 0,
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
            *fact = fact.reworded(|text| notation.plain(text));
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

//! The whole way, for one project: calls, what they send instead, and the edits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use commloom_copies::verify::{Draws, Sample, Sizes, instance, sample, verify};
use commloom_copies::{Packing, Request};
use commloom_program::ProcedureId;
use commloom_program::fact::{Assumptions, Premise};
use commloom_program::refusal::{Code, Refusal};
use commloom_proof::{Across, Explained, Part, Rewrite, Seen, Site, sites_in, unmentioned};
use commloom_source::symbols::Symbols;
use commloom_source::{Source, Span};

use crate::anew::call_of;
use crate::around;
use crate::cards;
use crate::edit::{self, CallPlace};
use crate::emit::{self, Case, Manner, Names};
use crate::explain::{Explanation, explanation};
use crate::finding::Reported;
use crate::guard;
use crate::interfaces::{
    has_error_argument, is_error_read, is_named_twice, last_argument, read_anew, unseen_name,
};
use crate::leftovers;
use crate::settings;
use crate::together;
use crate::withhold::unreadable;
use crate::worth;

pub use crate::finding::{Change, Edit, Finding};
pub use crate::withhold::{changed, withhold};
pub use commloom_program::Project;

/// The facts that are assumed, and how much is checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Facts that a person vouches for, each as a refusal names it.
    pub assume: Vec<String>,
    /// For how many sizes, drawn by chance, the loops are compared with the datatype.
    pub rounds: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options { assume: Vec::new(), rounds: 16 }
    }
}

/// Where copies and call stand together: a procedure, or one into which others were written.
#[derive(Clone, Copy)]
struct Stage<'a> {
    project: &'a Project,
    site: &'a Site,
}

/// Edits of calls that were written already, by the call and its buffer: one that belongs to
/// several findings gets the same text in all of them.
type Written = HashMap<(Span, Span), Vec<Edit>>;

/// All calls with packed buffers, in the order of the files.
pub fn check(project: &Project, options: &Options) -> Vec<Finding> {
    let told = settled(project, options, None).into_iter();
    let mut all: Vec<Finding> = told.map(|(finding, _)| finding).collect();
    withhold(project, &mut all, Code::Text, &mut unreadable);
    all
}

/// The calls that touch a place, each with how it was judged, and its datatype at sizes that are
/// drawn by chance so many times.
pub fn explain(
    project: &Project,
    options: &Options,
    at: Span,
    draws: u32,
) -> Vec<(Finding, Explanation)> {
    let all = settled(project, options, Some((at, draws)));
    all.into_iter().filter_map(|(finding, explanation)| Some((finding, explanation?))).collect()
}

/// The findings of a project, whatever the preprocessor makes of it.
fn settled(project: &Project, options: &Options, explain: Option<(Span, u32)>) -> Vec<Reported> {
    let judge = |project: &Project| findings(project, options, explain);
    let mut all = judge(project);
    settings::decide(project, &mut all, &judge);
    all
}

fn findings(project: &Project, options: &Options, explain: Option<(Span, u32)>) -> Vec<Reported> {
    let assumptions = Assumptions::new(options.assume.iter().cloned());
    let mut names = Names::in_use(project.sources().iter().map(|source| source.text.as_str()));
    let mut written = Written::new();
    let ids: Vec<ProcedureId> = project.procedures().collect();
    let (sites, explained) = sites_in(project, &ids, &assumptions, Explained::default());
    let across = Across::of(project);
    let seen = across
        .as_ref()
        .map_or_else(Vec::new, |a| a.sites(project, &assumptions, explained, &sites));
    let rest = unmentioned(project, sites.iter().chain(seen.iter().map(|seen| &seen.site)));
    let mut findings = Vec::new();
    let mut find = |site: &Site, stage: Stage<'_>| {
        let mut finding = finding(project, site, stage, options, &mut names, &mut written);
        if let Ok(change) = &mut finding.outcome {
            change.sample = stage.sample();
        }
        let packing = stage.site.trail.packing.iter();
        let copies = packing.flat_map(|p| &p.statements).map(|s| stage.project.real(*s));
        let spans: Vec<Span> = copies.chain([finding.site]).collect();
        let is_asked = |at: Span| {
            spans.iter().any(|s| at.file == s.file && at.start < s.end && s.start < at.end)
        };
        let explanation =
            explain.filter(|(at, _)| is_asked(*at)).map(|(_, draws)| stage.explanation(draws));
        findings.push(((finding, parts_of(site)), explanation));
    };
    let is_site = |site: &Site| !rest.described.contains(&(site.statement, site.buffer.clone()));
    for site in sites.iter().filter(|site| is_site(site)) {
        find(site, Stage { project, site });
    }
    for Seen { inside, site } in seen.iter().filter(|seen| is_site(&seen.site)) {
        // The copies are run where they stand together.
        let project = across.as_ref().map_or(project, |across| &across.expanded);
        find(site, Stage { project, site: inside });
    }
    for site in &rest.sites {
        find(site, Stage { project, site });
    }
    findings.sort_by_key(|((finding, _), _)| (finding.site.file, finding.site.start));
    let (mut findings, explanations): (Vec<_>, Vec<_>) = findings.into_iter().unzip();
    let mut all: Vec<&mut Finding> = findings.iter_mut().map(|(finding, _)| finding).collect();
    guard::put(project, &mut all);
    for finding in all {
        if let Ok(change) = &mut finding.outcome {
            let edits = std::mem::take(&mut change.edits);
            change.edits = cards::without(project, leftovers::without(project, edits, false));
        }
    }
    together::settle(&mut findings);
    let findings = findings.into_iter().map(|(finding, _)| finding);
    let kept = |(finding, _): &(Finding, _)| {
        is_kept(project, finding.site) || guard::is_left(project, finding.site)
    };
    findings.zip(explanations).filter(|found| !kept(found)).collect()
}

fn finding(
    project: &Project,
    site: &Site,
    stage: Stage<'_>,
    options: &Options,
    names: &mut Names,
    written: &mut Written,
) -> Finding {
    let outcome = match &site.outcome {
        _ if is_kept(project, site.statement) || guard::is_left(project, site.statement) => {
            Err(Refusal::new(Code::Text, site.statement, "a comment asks to leave it alone"))
        }
        Ok(rewrite) => change(project, site, rewrite, stage, options, names, written),
        Err(refusal) => Err(refusal.clone()),
    };
    let judged = stage.site.trail.conditions.iter();
    let mut assumed: Vec<Premise> = judged.flat_map(|judged| judged.assumed.clone()).collect();
    assumed.extend(site.outcome.iter().flat_map(|rewrite| rewrite.assumed.clone()));
    assumed.sort();
    assumed.dedup();
    Finding {
        site: site.statement,
        outcome,
        assumed,
        function: site.function.clone(),
        buffer: site.buffer.clone(),
        tests: site.outcome.as_ref().map_or_else(|_| Vec::new(), |rewrite| rewrite.tests.clone()),
    }
}

/// Whether a comment asks to leave a call alone: `commloom: keep` on its lines or the one before.
fn is_kept(project: &Project, call: Span) -> bool {
    let Some(text) = project.source(call.file).map(|source| source.text.as_str()) else {
        return false;
    };
    let before = text.get(..call.start).unwrap_or("");
    let line = before.rfind('\n').unwrap_or(0);
    let start = before.get(..line).and_then(|earlier| earlier.rfind('\n')).unwrap_or(0);
    let end = text
        .get(call.end..)
        .and_then(|rest| rest.find('\n'))
        .map_or(text.len(), |at| call.end + at);
    text.get(start..end).is_some_and(|lines| lines.contains(KEEP))
}

fn change(
    project: &Project,
    site: &Site,
    rewrite: &Rewrite,
    stage: Stage<'_>,
    options: &Options,
    names: &mut Names,
    written: &mut Written,
) -> Result<Change, Refusal> {
    let source = project
        .source(site.statement.file)
        .ok_or_else(|| no_text(site.statement, "the file is not at hand"))?;
    let kept = kept(site, rewrite, source)?;
    let (here, elsewhere): (Vec<Span>, Vec<Span>) =
        rewrite.remove.iter().partition(|span| span.file == site.statement.file);
    let mut notes: Vec<String> =
        rewrite.assumed.iter().map(|fact| format!("assumed: {fact}")).collect();
    let mut edits: Vec<Edit> = removed(project, &elsewhere)?;
    for (number, part) in rewrite.parts.iter().enumerate() {
        let beside: Vec<edit::Change> = written
            .iter()
            .filter(|((call, buffer), _)| *call == part.statement && *buffer != part.buffer.span)
            .flat_map(|(_, edits)| edits)
            .map(|edit| edit::Change { range: edit.span.range(), new: edit.text.clone() })
            .collect();
        let made = match written.entry((part.statement, part.buffer.span)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                notes.extend(stage.verified(number, options)?);
                let kept = if number == 0 { kept.as_slice() } else { &[] };
                let made = edits_of(project, site, part, source, &here, kept, names)?;
                if !fits_beside(source, &beside, &made) {
                    let message = "the other buffer of this call is rewritten first";
                    return Err(no_text(part.statement, message));
                }
                place.insert(made)
            }
        };
        for edit in made.iter() {
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
    }
    let first = rewrite.parts.first();
    let summary = first.map_or_else(String::new, |part| {
        let anew = call_of(project, site, part).and_then(|call| call.anew(part, source));
        let said = || source.text.get(part.datatype.span.range()).unwrap_or("?").to_owned();
        let element = anew.map_or_else(said, |anew| anew.element);
        format!("{} of {element}", part.made.node)
    });
    Ok(Change { edits, summary, notes, sample: None })
}

/// The edits that take away statements of other files than the call's.
fn removed(project: &Project, spans: &[Span]) -> Result<Vec<Edit>, Refusal> {
    let mut edits = Vec::new();
    for &span in spans {
        let refuse = |message: String| no_text(span, &message);
        let source =
            project.source(span.file).ok_or_else(|| refuse("the file is not at hand".into()))?;
        let change = edit::remove(source, span).map_err(|error| refuse(error.to_string()))?;
        edits.push(edit_in(span, change));
    }
    Ok(edits)
}

/// The edits for one call.
fn edits_of(
    project: &Project,
    site: &Site,
    part: &Part,
    source: &Source,
    removed: &[Span],
    kept: &[String],
    names: &mut Names,
) -> Result<Vec<Edit>, Refusal> {
    let view = project.view(site.procedure);
    let refuse = |message: String| no_text(part.statement, &message);
    let text_of = |span: Span| source.text.get(span.range()).unwrap_or("");
    let call = text_of(part.call);
    let arguments = [part.buffer.span, part.count.span, part.datatype.span];
    if arguments
        .iter()
        .any(|span| span.start < part.statement.start || span.end > part.statement.end)
    {
        return Err(refuse("the call's arguments come from a macro".into()));
    }
    let wrapped = call_of(project, site, part).filter(|call| call.wrapper().is_some());
    let anew = wrapped.and_then(|call| call.anew(part, source));
    let error = match wrapped {
        Some(wrapped) => wrapped.error(source),
        None => has_error_argument(project, site, part)
            .then(|| last_argument(call))
            .flatten()
            .filter(|name| !is_named_twice(call, name)),
    };
    let manner = Manner {
        handles: project.has_handles(part.statement),
        is_error_read: error.as_ref().is_some_and(|name| is_error_read(&view, name)),
        error,
        case: Case::of(as_written(call, &site.function)),
    };
    let kept_at = kept_at(project, site.procedure, part, source);
    let request = emit::Request {
        datatype: &part.made,
        turns: &part.packing.turns,
        doubts: &part.packing.doubts,
        element: anew.as_ref().map_or_else(|| text_of(part.datatype.span), |anew| &anew.element),
        symbols: &view,
        manner: &manner,
        source: &source.text,
        kept_at,
    };
    let mut text = emit::emit(&request, names).map_err(|error| refuse(error.to_string()))?;
    worth::is_worth_it(part, &text).map_err(refuse)?;
    if view.language().is_fortran() && text.buffer == "MPI_BOTTOM" {
        text.after.extend(read_anew(&view, part, &manner, text.after.first()));
    }
    if let Some(name) = unseen_name(&view, &text, manner.handles, &source.text) {
        return Err(refuse(format!("'{name}' is not among the names of MPI that are used here")));
    }
    let copies = copies_of(part, view.procedure().span);
    text = around::fitted(&view, source, part, &copies, names, text).map_err(refuse)?;
    let place = CallPlace {
        statement: part.statement,
        buffer: part.buffer.span,
        count: part.count.span,
        datatype: part.datatype.span,
        anew,
    };
    let rewrite = edit::Rewrite {
        source,
        call: place,
        text: &text,
        removed,
        kept,
        declarations_at: project.procedure(site.procedure).body_start,
        functions_at: kept_at.map_or(0, |at| at.start),
    };
    let changes = edit::rewrite(&rewrite).map_err(|error| refuse(error.to_string()))?;
    Ok(changes.into_iter().map(|change| edit_in(part.statement, change)).collect())
}

/// A change of the file that this is in.
fn edit_in(place: Span, change: edit::Change) -> Edit {
    let span = Span { start: change.range.start, end: change.range.end, ..place };
    Edit { span, text: change.new }
}

/// The name of a call as the program has it: Fortran's is looked up in lower case.
fn as_written<'t>(call: &'t str, function: &'t str) -> &'t str {
    let at = call.to_ascii_lowercase().find(&function.to_ascii_lowercase());
    at.and_then(|at| call.get(at..at + function.len())).unwrap_or(function)
}

/// Where a call keeps its datatype for the next time; none where one time is enough: a persistent
/// request has its datatype.
fn kept_at(project: &Project, id: ProcedureId, part: &Part, source: &Source) -> Option<Span> {
    let own = project.procedure(id).span;
    let is_once = source.text.get(part.statement.range()).is_none_or(is_init);
    if own.file != part.statement.file || is_once {
        return None;
    }
    if source.language.is_fortran() {
        return Some(own);
    }
    let all = project.procedures().filter(|other| !project.is_expanded(*other));
    let here = all.map(|other| project.procedure(other).span).filter(|span| span.file == own.file);
    edit::functions_at(source, here, own)
}

/// `error = MPI_Send_init(...)`
fn is_init(statement: &str) -> bool {
    statement.split('(').next().is_some_and(|head| head.trim_end().ends_with("_init"))
}

/// Where the copies of a call stand, in its own procedure.
fn copies_of(part: &Part, procedure: Span) -> Vec<Span> {
    let mut all = Vec::new();
    for packing in std::iter::once(&part.packing).chain(&part.unpacking) {
        packing.copies.each(&mut |copy| all.push(copy.span));
    }
    all.retain(|span| procedure.contains(*span));
    all
}

impl Stage<'_> {
    fn part(&self, number: usize) -> Option<&Part> {
        self.site.outcome.as_ref().ok()?.parts.get(number)
    }

    fn request<'p>(&'p self, part: &'p Part, packing: &'p Packing) -> Request<'p> {
        Request {
            procedure: self.project.procedure(self.site.procedure),
            call: part.at,
            buffer: &part.buffer,
            count: Some(&part.count),
            element: part.element,
            direction: packing.direction,
            setting: &packing.setting,
        }
    }

    /// Runs loops and datatype on sizes drawn by chance; says so if the loops could not be run.
    fn verified(&self, number: usize, options: &Options) -> Result<Option<String>, Refusal> {
        let Some(part) = self.part(number) else { return Ok(None) };
        let mut note = None;
        for packing in std::iter::once(&part.packing).chain(&part.unpacking) {
            note = note.or(self.verified_one(part, packing, options)?);
        }
        Ok(note)
    }

    fn verified_one(
        &self,
        part: &Part,
        packing: &Packing,
        options: &Options,
    ) -> Result<Option<String>, Refusal> {
        let view = self.project.view(self.site.procedure);
        let vouched = self.site.outcome.as_ref().is_ok_and(|rewrite| !rewrite.assumed.is_empty());
        let draws = Draws { seed: 1, rounds: options.rounds, vouched };
        match verify(&view, &self.request(part, packing), packing, &part.made, draws) {
            Ok(checked) if checked.equal == 0 && options.rounds > 0 => {
                Ok(Some("the loops could not be run on drawn sizes: proved only".to_owned()))
            }
            Ok(_) => Ok(None),
            Err(mismatch) => {
                Err(Refusal::new(Code::Verification, part.statement, mismatch.to_string()))
            }
        }
    }

    /// The datatype at sizes as programs have them.
    fn sample(&self) -> Option<Sample> {
        let part = self.part(0)?;
        let view = self.project.view(self.site.procedure);
        sample(&view, &self.request(part, &part.packing), &part.packing, &part.made)
    }

    fn explanation(&self, draws: u32) -> Explanation {
        let view = self.project.view(self.site.procedure);
        let instances = self.part(0).map_or_else(Vec::new, |part| {
            let request = self.request(part, &part.packing);
            let drawn = |seed: u32| {
                let seed = u64::from(seed);
                instance(&view, &request, &part.packing, &part.made, seed, Sizes::Lively)
            };
            (0..draws).filter_map(drawn).collect()
        });
        explanation(self.project, self.site, instances)
    }
}

/// In a comment: the call is left alone.
const KEEP: &str = "commloom: keep";

/// Whether both buffers of one call can be rewritten together: where a call becomes a block, or is
/// written anew, they cannot.
fn fits_beside(source: &Source, beside: &[edit::Change], made: &[Edit]) -> bool {
    if beside.is_empty() {
        return true;
    }
    let opens = |text: &str| text.starts_with("then") || text.contains("continue");
    let mut all = beside.to_vec();
    all.extend(made.iter().map(|e| edit::Change { range: e.span.range(), new: e.text.clone() }));
    !all.iter().any(|change| opens(&change.new)) && edit::apply(&source.text, &all).is_ok()
}

/// The calls that are rewritten with this one, each with its buffer.
fn parts_of(site: &Site) -> Vec<(Span, Span)> {
    let parts = site.outcome.as_ref().map_or(&[][..], |rewrite| &rewrite.parts);
    parts.iter().map(|part| (part.statement, part.buffer.span)).collect()
}

fn no_text(span: Span, message: &str) -> Refusal {
    Refusal::new(Code::Text, span, message)
}

/// Assignments that stand for the lasting effects of removed loops.
fn kept(site: &Site, rewrite: &Rewrite, source: &Source) -> Result<Vec<String>, Refusal> {
    let is_fortran = source.language.is_fortran();
    let end = if is_fortran { "" } else { ";" };
    let Some(part) = rewrite.parts.first() else { return Ok(Vec::new()) };
    let doubts = &part.packing.doubts;
    rewrite
        .assign
        .iter()
        .map(|(name, value)| match emit::value(value, is_fortran, doubts) {
            Ok(text) => Ok(format!("{name} = {text}{end}")),
            Err(error) => {
                let why = format!("'{name}' is used later, and its value cannot be written here");
                Err(no_text(site.statement, &format!("{why}: {error}")))
            }
        })
        .collect()
}

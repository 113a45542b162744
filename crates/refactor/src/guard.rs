//! Calls that change only where a relation of sizes holds: `if (nx >= hs) { ... } else { ... }`
//! around all that changes, with the old text as it was in the second branch.

use std::collections::BTreeSet;

use commloom_program::refusal::Refusal;
use commloom_program::{ProcedureId, Project, View};
use commloom_proof::{Region, SizeTest, is_checked, is_signed, region};
use commloom_source::affine::{Atom, Polynomial};
use commloom_source::symbols::Symbols;
use commloom_source::tree::{Expression, Name, StatementKind, Storage};
use commloom_source::{Language, Source, Span};

use crate::edit;
use crate::finding::{Edit, Finding};
use crate::leftovers;

/// Relations that one condition may ask for.
const MOST_RELATIONS: usize = 2;
/// The comment at the beginning of the second branch.
const OVERLAP: &str = "what is sent and what is received overlap here";
/// Columns of Fortran's free form.
const LINE: usize = 132;

/// Puts the changes of each procedure that need a test under one test, together with all others
/// between them; refuses them where that cannot be done.
pub(crate) fn put(project: &Project, findings: &mut [&mut Finding]) {
    for id in project.procedures().filter(|id| !project.is_expanded(*id)) {
        let is_here = |one: &Finding| around(project, one.site) == Some(id);
        for finding in findings.iter_mut().filter(|one| !one.tests.is_empty() && is_here(one)) {
            let tests = std::mem::take(&mut finding.tests);
            let is_open = |test: &SizeTest| !is_asked_before(project, id, finding, test);
            let open = tests.into_iter().filter(is_open).collect();
            finding.tests = open;
        }
        let asks = |one: &Finding| !one.tests.is_empty() && is_here(one);
        let asking: Vec<usize> = (0..findings.len())
            .filter(|at| asks(findings[*at]) && findings[*at].outcome.is_ok())
            .collect();
        if asking.is_empty() {
            continue;
        }
        let guarded =
            Guard::of(project, id, findings, &asking).and_then(|guard| guard.edits(findings));
        for (at, finding) in findings.iter_mut().enumerate() {
            match &guarded {
                Some((condition, all)) => {
                    let Some((_, edits)) = all.iter().find(|(one, _)| *one == at) else { continue };
                    let Ok(change) = &mut finding.outcome else { continue };
                    change.edits.clone_from(edits);
                    change.notes.push(format!("where {condition}; as it was elsewhere"));
                }
                None if asking.contains(&at) => {
                    let refusal = finding.tests.first().map(|test| test.refusal.clone());
                    finding.outcome = Err(refusal.unwrap_or_else(|| unwritten(finding.site)));
                }
                None => {}
            }
        }
    }
}

/// Whether the program itself makes sure of a relation where a finding needs it.
fn is_asked_before(project: &Project, id: ProcedureId, finding: &Finding, test: &SizeTest) -> bool {
    let Some(source) = project.source(finding.site.file) else { return false };
    let own = replaced(finding).map(|span| trimmed(source, span));
    let places: Vec<Span> = own.chain([finding.site, test.with]).collect();
    is_checked(project, id, &places, &test.relation)
}

/// The innermost procedure around a place: Fortran's contain others.
fn around(project: &Project, place: Span) -> Option<ProcedureId> {
    let span = |id: &ProcedureId| project.procedure(*id).span;
    let all = project.procedures().filter(|id| !project.is_expanded(*id));
    all.filter(|id| span(id).contains(place)).min_by_key(|id| span(id).range().len())
}

/// Whether a call stands in the second branch of such a test, and is to stay as it is.
pub(crate) fn is_left(project: &Project, call: Span) -> bool {
    let Some(id) = around(project, call) else { return false };
    let Some(text) = project.source(call.file).map(|source| source.text.as_str()) else {
        return false;
    };
    let mut is_left = false;
    for statement in &project.procedure(id).body {
        statement.each(&mut |s| {
            let StatementKind::If { then, otherwise, .. } = &s.kind else { return };
            let (Some(last), Some(first)) = (then.last(), otherwise.first()) else { return };
            let is_here = otherwise.iter().any(|s| s.span.contains(call));
            let between = text.get(last.span.end..first.span.start).unwrap_or("");
            is_left |= is_here && between.contains(OVERLAP);
        });
    }
    is_left
}

fn unwritten(site: Span) -> Refusal {
    let code = commloom_program::refusal::Code::Text;
    Refusal::new(code, site, "the test that it needs cannot be written")
}

/// Findings by their number, with their edits.
type Guarded = Vec<(usize, Vec<Edit>)>;

/// The changes that stand under one test.
struct Guard<'p> {
    project: &'p Project,
    source: &'p Source,
    condition: String,
    /// Findings that change in it.
    inside: Vec<usize>,
    /// Whole lines.
    lines: Span,
}

/// Whether a variable is declared in these lines that keeps its value from one time to the next:
/// written twice, it would be two.
fn keeps(view: &View<'_>, lines: Span) -> bool {
    let mut keeps = false;
    for statement in &view.procedure().body {
        statement.each(&mut |s| {
            if let StatementKind::Declare(all) = &s.kind {
                keeps |= lines.contains(s.span) && all.iter().any(|d| d.storage == Storage::Kept);
            }
        });
    }
    keeps
}

impl<'p> Guard<'p> {
    fn of(
        project: &'p Project,
        id: ProcedureId,
        findings: &[&mut Finding],
        asking: &[usize],
    ) -> Option<Guard<'p>> {
        let view = project.view(id);
        let tests: Vec<&SizeTest> = asking.iter().flat_map(|at| &findings[*at].tests).collect();
        let (condition, names) = condition(&view, &tests)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let source = project.source(project.procedure(id).span.file)?;
        let mut inside = asking.to_vec();
        let mut places: Vec<Span> = tests.iter().map(|test| test.with).collect();
        loop {
            for at in &inside {
                places.push(findings[*at].site);
                places.extend(replaced(findings[*at]).map(|span| trimmed(source, span)));
            }
            let Region { span, around } = region(project, id, &places, &names)?;
            let asks = |e: &Expression| {
                let text = source.text.get(e.span.range()).unwrap_or("");
                parts(text).any(|part| parts(&condition).any(|own| own == part))
            };
            // The second branch of such a test stays as it is.
            if around.into_iter().any(asks) {
                return None;
            }
            let lines = whole_lines(source, span)?;
            if keeps(&view, lines) {
                return None;
            }
            let touches = |at: &usize| replaced(findings[*at]).any(|edit| lines.contains(edit));
            let all: Vec<usize> = (0..findings.len())
                .filter(|at| findings[*at].outcome.is_ok())
                .filter(|at| inside.contains(at) || touches(at))
                .collect();
            if all.len() == inside.len() {
                return Some(Guard { project, source, condition, inside, lines });
            }
            inside = all;
        }
    }

    /// The condition, and the edits of each finding.
    fn edits(&self, findings: &[&mut Finding]) -> Option<(String, Guarded)> {
        let mut within: Vec<Edit> = Vec::new();
        for at in &self.inside {
            for edit in findings[*at].outcome.iter().flat_map(|change| &change.edits) {
                let is_within = self.lines.contains(edit.span);
                if !is_within && !edit.span.range().is_empty() {
                    return None;
                }
                if is_within && !within.contains(edit) {
                    within.push(edit.clone());
                }
            }
        }
        let typed = self.typed(within)?;
        let frame = self.frame(&typed)?;
        let of = |at: &usize| {
            let own = findings[*at].outcome.iter().flat_map(|change| change.edits.iter());
            let outside = own.filter(|edit| !self.lines.contains(edit.span)).cloned();
            (*at, outside.chain(frame.iter().cloned()).collect())
        };
        Some((self.condition.clone(), self.inside.iter().map(of).collect()))
    }

    /// The text of the lines with all edits, and without what they leave over.
    fn typed(&self, edits: Vec<Edit>) -> Option<String> {
        let all = leftovers::without(self.project, edits, true);
        let start = self.lines.start;
        let within = all.into_iter().filter(|edit| self.lines.contains(edit.span));
        let changes: Vec<edit::Change> = within
            .map(|edit| edit::Change {
                range: edit.span.start - start..edit.span.end - start,
                new: edit.text,
            })
            .collect();
        edit::apply(self.source.text.get(self.lines.range())?, &changes).ok()
    }

    /// The edits that put the lines into the second branch of a test with `typed` in the first.
    fn frame(&self, typed: &str) -> Option<Vec<Edit>> {
        let old = self.source.text.get(self.lines.range())?;
        let is_fortran = self.source.language.is_fortran();
        let end = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let indent = indent_of(old);
        let step = step_of(old);
        let is_plain = |line: &str| !line.trim_start().starts_with('#') && !line.ends_with('\\');
        if !old.lines().chain(typed.lines()).all(is_plain) {
            return None;
        }
        let condition = &self.condition;
        let comment = OVERLAP;
        let (first, middle, last) = if is_fortran {
            (
                format!("{indent}if ({condition}) then{end}"),
                format!("{indent}else{end}{indent}{step}! {comment}{end}"),
                format!("{indent}end if{end}"),
            )
        } else {
            (
                format!("{indent}if ({condition}) {{{end}"),
                format!("{indent}}} else {{{end}{indent}{step}/* {comment} */{end}"),
                format!("{indent}}}{end}"),
            )
        };
        let mut text = first;
        for line in typed.lines() {
            let step = if line.trim().is_empty() { "" } else { step };
            text.push_str(&format!("{step}{line}{end}"));
        }
        text.push_str(&middle);
        let at = |start: usize| Span { start, end: start, ..self.lines };
        let mut edits = Vec::new();
        let mut start = self.lines.start;
        for line in old.split_inclusive('\n') {
            let is_blank = line.trim().is_empty();
            let new = if is_blank { String::new() } else { step.to_owned() };
            let new = if edits.is_empty() { format!("{text}{new}") } else { new };
            if !new.is_empty() {
                edits.push(Edit { span: at(start), text: new });
            }
            start += line.len();
        }
        edits.push(Edit { span: at(self.lines.end), text: last });
        let is_long = |line: &str| line.len() + step.len() > LINE;
        let fits = !is_fortran || !old.lines().chain(text.lines()).any(is_long);
        (fits && self.source.language != Language::FortranFixed).then_some(edits)
    }
}

/// The places of text that a finding takes away or replaces.
fn replaced(finding: &Finding) -> impl Iterator<Item = Span> {
    let edits = finding.outcome.iter().flat_map(|change| &change.edits);
    edits.map(|edit| edit.span).filter(|span| !span.range().is_empty())
}

/// A span without the white space at its ends.
fn trimmed(source: &Source, span: Span) -> Span {
    let text = source.text.get(span.range()).unwrap_or("");
    let start = span.start + (text.len() - text.trim_start().len());
    Span { start, end: start + text.trim().len(), ..span }
}

/// The lines of a span, if nothing else stands on them.
fn whole_lines(source: &Source, span: Span) -> Option<Span> {
    let text = &source.text;
    let start = text.get(..span.start)?.rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(span.end..)?;
    let length = rest.find('\n')? + 1;
    let behind = rest.get(..length)?.trim();
    let is_comment = ["//", "!"].iter().any(|mark| behind.starts_with(mark))
        || (behind.starts_with("/*") && behind.find("*/") == Some(behind.len().saturating_sub(2)));
    let is_alone = text.get(start..span.start)?.trim().is_empty();
    let lines = Span { start, end: span.end + length, ..span };
    (is_alone && (behind.is_empty() || is_comment)).then_some(lines)
}

fn indent_of(text: &str) -> &str {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    line.get(..line.len() - line.trim_start().len()).unwrap_or("")
}

/// One level of indentation, as the text has it.
fn step_of(text: &str) -> &'static str {
    let first = indent_of(text).len();
    let deeper = text.lines().filter(|line| !line.trim().is_empty()).map(indent_of);
    match deeper.map(str::len).filter(|depth| *depth > first).min().map(|depth| depth - first) {
        Some(2) => "  ",
        Some(3) => "   ",
        Some(1) if text.contains('\t') => "\t",
        _ => "    ",
    }
}

/// The parts of a condition, each without white space.
fn parts(condition: &str) -> impl Iterator<Item = String> {
    let squeezed = |part: &str| part.chars().filter(|c| !c.is_whitespace()).collect();
    condition.split("&&").flat_map(|part| part.split(".and.")).map(squeezed)
}

/// The condition that all relations hold, and the variables in it; none where it is no short sum
/// of signed numbers.
fn condition(view: &View<'_>, tests: &[&SizeTest]) -> Option<(String, BTreeSet<Name>)> {
    let mut numbers: Vec<Polynomial> = Vec::new();
    for test in tests {
        if !numbers.contains(&test.relation.number) {
            numbers.push(test.relation.number.clone());
        }
    }
    // Those that others say, too, with the weakest last.
    let mut at = 0;
    while at < numbers.len() {
        let others: Vec<Polynomial> =
            numbers.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, n)| n.clone()).collect();
        let is_said = tests
            .iter()
            .any(|test| test.relation.number == numbers[at] && test.relation.follows(&others));
        if is_said {
            numbers.remove(at);
        } else {
            at += 1;
        }
    }
    if numbers.len() > MOST_RELATIONS {
        return None;
    }
    let mut names = BTreeSet::new();
    let mut versions: Vec<(Name, u32)> = Vec::new();
    let mut texts = Vec::new();
    for number in &numbers {
        texts.push(comparison(view, number, &mut names)?);
        number.any(&mut |atom| {
            if let Atom::Read { place, version } = atom {
                versions.push((place.variable.clone(), *version));
            }
            false
        });
    }
    // One name, one value.
    versions.sort();
    versions.dedup();
    let is_one = versions.windows(2).all(|pair| pair[0].0 != pair[1].0);
    let and = if view.language().is_fortran() { " .and. " } else { " && " };
    is_one.then(|| (texts.join(and), names))
}

/// `a >= b` for `a - b`, in numbers that do not wrap.
fn comparison(view: &View<'_>, number: &Polynomial, names: &mut BTreeSet<Name>) -> Option<String> {
    let mut more: Vec<String> = Vec::new();
    let mut less: Vec<String> = Vec::new();
    let mut rest = 0_i64;
    for (atoms, factor) in number.terms() {
        let [Atom::Read { place, .. }] = atoms else {
            if !atoms.is_empty() {
                return None;
            }
            rest = factor;
            continue;
        };
        let name = &place.variable;
        if !is_signed(view, name) || name.contains(['@', '\'']) {
            return None;
        }
        names.insert(name.clone());
        let many = factor.checked_abs()?;
        let term = if many == 1 { name.clone() } else { format!("{many} * {name}") };
        if factor > 0 { more.push(term) } else { less.push(term) }
    }
    let is_fortran = view.language().is_fortran();
    let is_sum = more.len() + less.len() > 2 || (rest != 0 && rest != -1 && !less.is_empty());
    // One of what is subtracted is compared, a constant if there is one, so that the difference
    // is said as it is.
    let fixed = less.iter().position(|name| view.variable(name).is_none());
    let bound = fixed.or(less.len().checked_sub(1)).map(|at| less.remove(at));
    let mut left = match more.split_first() {
        Some((first, others)) => {
            let wide = if is_sum && !is_fortran { "(long)" } else { "" };
            let mut left = format!("{wide}{first}");
            others.iter().for_each(|term| left.push_str(&format!(" + {term}")));
            left
        }
        None => return None,
    };
    less.iter().for_each(|term| left.push_str(&format!(" - {term}")));
    let (sign, bound) = match (bound, rest) {
        (Some(bound), -1) => (">", bound),
        (Some(bound), 0) => (">=", bound),
        (Some(bound), rest) => {
            let (sign, rest) = if rest < 0 { ("-", rest.checked_neg()?) } else { ("+", rest) };
            left.push_str(&format!(" {sign} {rest}"));
            (">=", bound)
        }
        (None, rest) => (">=", rest.checked_neg()?.to_string()),
    };
    Some(format!("{left} {sign} {bound}"))
}

//! A program in each setting of the preprocessor that decides what some of its names are.
//!
//! Where `#if` gives a name several meanings, nothing is known of it in a program that has all
//! branches. Here every choice of branches is a program of its own, whose texts have blanks in the
//! place of the other branches: everything stays where it is, and what holds in all of these holds
//! however the program is compiled. Groups of one condition go together, as long as no file
//! defines what the condition asks for; others are combined in all ways, also in those that no
//! compiler would meet.

use std::collections::BTreeSet;

use commloom_read::c::{Define, Directives, Group, directives, groups};
use commloom_source::tree::{Name, Type};
use commloom_source::{Source, Span};

use super::files::file_id;
use super::program::Project;

/// Programs that are made of one.
const MOST_SETTINGS: usize = 8;

/// Bytes of text that all of them have together. Each is analysed as a whole, and all are in
/// memory at one time.
const MOST_TEXT: usize = 1 << 22;

/// The lines of the preprocessor of a file.
type Lines = (Directives, Vec<Group>);

/// Groups that are decided together, each with the number of its file.
#[derive(PartialEq)]
struct Choice<'g> {
    groups: Vec<(usize, &'g Group)>,
}

impl Choice<'_> {
    /// The branches that may be compiled; none is one of them where there is no `#else`.
    fn branches(&self) -> Vec<Option<usize>> {
        let Some((_, first)) = self.groups.first() else { return Vec::new() };
        let fails = |at: usize| self.groups.iter().any(|(_, group)| group.branches[at].1);
        let some = (0..first.branches.len()).filter(|at| !fails(*at)).map(Some);
        let none = (!first.has_else()).then_some(None);
        some.chain(none).collect()
    }
}

impl Project {
    /// The program in all settings in which each of the names, and each name that these are
    /// defined by, is defined once at most. Names are passed over that no `#if` decides about, or
    /// where that is not followed: within procedures or other conditions, beside an `#undef`, or
    /// if there were more settings than eight; all are where the program is large. Time: that of
    /// reading the program for each.
    pub fn settings(&self, names: BTreeSet<Name>) -> Vec<Project> {
        let read = |(file, source): (usize, &Source)| match source.language.is_fortran() {
            true => (Directives::default(), Vec::new()),
            false => (directives(&source.text, file_id(file)), groups(&source.text, file_id(file))),
        };
        let all: Vec<Lines> = self.sources.iter().enumerate().map(read).collect();
        let mut choices: Vec<Choice<'_>> = Vec::new();
        for name in names {
            let mut more = self.choices(&all, BTreeSet::from([name])).unwrap_or_default();
            more.retain(|choice| !choices.contains(choice));
            let settings = choices.iter().chain(&more).map(|choice| choice.branches().len());
            if settings.product::<usize>() <= MOST_SETTINGS {
                choices.append(&mut more);
            }
        }
        let mut settings: Vec<Vec<Option<usize>>> = vec![Vec::new()];
        for choice in &choices {
            let branches = choice.branches();
            let with = |before: &Vec<Option<usize>>| {
                branches.iter().map(|b| [before.as_slice(), &[*b]].concat()).collect::<Vec<_>>()
            };
            settings = settings.iter().flat_map(with).collect();
        }
        settings.retain(|setting| !setting.is_empty());
        let text: usize = self.sources.iter().map(|source| source.text.len()).sum();
        if settings.len().saturating_mul(text) > MOST_TEXT {
            return Vec::new();
        }
        let made = settings.iter().map(|setting| {
            let mut sources = self.sources.clone();
            for (choice, branch) in choices.iter().zip(setting) {
                for (file, group) in &choice.groups {
                    blank(&mut sources[*file].text, group, *branch);
                }
            }
            Project::with(sources, self.setup.clone())
        });
        made.collect()
    }

    /// Names that the program has for types of numbers, outside of procedures, each with the type:
    /// macros and `typedef`s of C.
    pub fn type_names(&self) -> Vec<(Name, String)> {
        let mut all = Vec::new();
        for (file, unit) in self.units.iter().enumerate() {
            let aliases = unit.scope.aliases.iter();
            all.extend(aliases.filter_map(|(name, of)| match of {
                Type::Basic(of, _) => Some((name.clone(), of.clone())),
                _ => None,
            }));
            if let Some(source) = self.sources.get(file).filter(|s| !s.language.is_fortran()) {
                let defines = directives(&source.text, file_id(file)).defines.into_iter();
                let plain = defines.filter(|define| define.parameters.is_none());
                all.extend(plain.map(|define| (define.name, define.body)));
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// The choices that decide about names; none where that is not followed.
    fn choices<'g>(&self, all: &'g [Lines], mut names: BTreeSet<Name>) -> Option<Vec<Choice<'g>>> {
        let defines = || all.iter().flat_map(|(directives, _)| &directives.defines);
        loop {
            let named = defines().filter(|define| names.contains(&define.name));
            let inner: Vec<Name> = named.flat_map(Define::names).collect();
            let before = names.len();
            names.extend(inner);
            if names.len() == before {
                break;
            }
        }
        let undefines = || all.iter().flat_map(|(directives, _)| &directives.undefines);
        if undefines().any(|name| names.contains(name)) {
            return None;
        }
        let is_known = |name: &Name| {
            defines().any(|define| define.name == *name) || undefines().any(|other| other == name)
        };
        let mut choices: Vec<Choice<'g>> = Vec::new();
        for (file, (directives, groups)) in all.iter().enumerate() {
            let decides = |group: &&Group| {
                directives.defines.iter().any(|define| {
                    let is_here = define.is_conditional && group.span.contains(define.span);
                    is_here && names.contains(&define.name)
                })
            };
            for group in groups.iter().filter(|group| !group.is_guard).filter(decides) {
                if group.is_inner || !self.is_declarative(file, group) {
                    return None;
                }
                // What a file defines may be another thing in the next group.
                if group.names.iter().any(is_known) {
                    choices.push(Choice { groups: vec![(file, group)] });
                    continue;
                }
                let is_new = |choice: &Choice<'g>| !choice.groups.contains(&(file, group));
                if choices.iter().all(is_new) {
                    choices.push(Choice { groups: self.alike(all, group) });
                }
            }
        }
        Some(choices)
    }

    /// All groups with the conditions of one, also those that decide about types.
    fn alike<'g>(&self, all: &'g [Lines], one: &Group) -> Vec<(usize, &'g Group)> {
        let groups = |(file, (_, groups)): (usize, &'g Lines)| {
            groups.iter().map(move |group| (file, group)).collect::<Vec<_>>()
        };
        let mut found: Vec<(usize, &'g Group)> = all.iter().enumerate().flat_map(groups).collect();
        found.retain(|(file, group)| {
            let is_same = group.conditions == one.conditions && !group.is_inner;
            is_same && self.is_declarative(*file, group)
        });
        found
    }

    /// Whether no statement stands in a group, nor a group in a procedure.
    fn is_declarative(&self, file: usize, group: &Group) -> bool {
        let unit = self.units.get(file);
        let meets = |span: Span| span.start < group.span.end && group.span.start < span.end;
        unit.is_some_and(|unit| !unit.procedures.iter().any(|procedure| meets(procedure.span)))
    }
}

/// Blanks for all of a group but one branch; lines stay lines.
fn blank(text: &mut String, group: &Group, branch: Option<usize>) {
    let kept = branch.and_then(|at| group.branches.get(at)).map(|(span, _)| span.range());
    let mut bytes = std::mem::take(text).into_bytes();
    for at in group.span.range() {
        let is_kept = kept.as_ref().is_some_and(|kept| kept.contains(&at));
        if let Some(byte) = bytes.get_mut(at).filter(|byte| !is_kept && **byte != b'\n') {
            *byte = b' ';
        }
    }
    // Spans end between lines, so that no character is cut.
    *text = String::from_utf8(bytes).unwrap_or_default();
}

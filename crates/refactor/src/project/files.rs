//! Which file includes which, and how each is read.

use std::collections::{BTreeSet, HashMap};

use crate::read::c::{Directives, Macros, directives};
use crate::source::{Language, Source};

use super::{Wrappers, file_id};

/// The includes of a project.
pub(super) struct Files {
    names: Vec<String>,
    /// Of each last part of a name, the files that have it.
    by_last: HashMap<String, Vec<usize>>,
    directives: Vec<Directives>,
    /// Of each file, those that it includes, directly or not, and itself.
    closure: Vec<BTreeSet<usize>>,
}

impl Files {
    /// Finds all includes, and corrects the languages of what is included.
    pub fn new(sources: &mut [Source]) -> Files {
        let names: Vec<String> = sources.iter().map(|s| s.name.replace('\\', "/")).collect();
        let mut by_last: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            by_last.entry(last(name).to_owned()).or_default().push(index);
        }
        let directives: Vec<Directives> =
            sources.iter().enumerate().map(|(i, s)| directives(&s.text, file_id(i))).collect();
        let mut files = Files { names, by_last, directives, closure: Vec::new() };
        let direct: Vec<Vec<usize>> = sources
            .iter()
            .enumerate()
            .map(|(index, source)| {
                let lines = if source.language == Language::C || source.language.is_fortran() {
                    fortran_includes(&source.text)
                } else {
                    Vec::new()
                };
                let c = files.directives[index].includes.iter().map(|(name, _)| name.as_str());
                c.chain(lines).filter_map(|name| files.find(index, name)).collect()
            })
            .collect();
        files.closure = (0..sources.len()).map(|start| closure(&direct, start)).collect();
        files.correct(sources);
        files
    }

    pub fn directives(&self, file: usize) -> &Directives {
        &self.directives[file]
    }

    /// All macros that a file sees; those that stand for procedures of MPI are procedures.
    pub fn macros(&self, file: usize, wrappers: &Wrappers) -> Macros {
        let defines = self.closure[file].iter().flat_map(|&f| &self.directives[f].defines);
        Macros::new(defines.filter(|d| wrappers.find(&d.name, Language::C).is_none()))
    }

    /// The file itself and all that it includes.
    pub fn seen_by(&self, file: usize) -> &BTreeSet<usize> {
        &self.closure[file]
    }

    /// The file that an include in another means.
    pub fn find(&self, from: usize, include: &str) -> Option<usize> {
        let include = include.replace('\\', "/");
        let mut wanted = include.as_str();
        while let Some(rest) = wanted.strip_prefix("./").or_else(|| wanted.strip_prefix("../")) {
            wanted = rest;
        }
        let candidates = self.by_last.get(last(wanted))?;
        let folder = self.names[from].rsplit_once('/').map_or("", |(folder, _)| folder);
        let fits = |&&f: &&usize| {
            self.names[f].strip_suffix(wanted).is_some_and(|b| b.is_empty() || b.ends_with('/'))
        };
        let shared = |f: usize| {
            let common = self.names[f].bytes().zip(folder.bytes()).take_while(|(a, b)| a == b);
            common.count()
        };
        // The nearest one: most of the folder in common, then the shortest name.
        candidates
            .iter()
            .filter(fits)
            .copied()
            .max_by_key(|&f| (shared(f), std::cmp::Reverse(self.names[f].len())))
    }

    /// What Fortran includes is Fortran; a header that no file of C includes, but one of C++, is C++.
    fn correct(&self, sources: &mut [Source]) {
        let before: Vec<Language> = sources.iter().map(|s| s.language).collect();
        for (index, source) in sources.iter_mut().enumerate() {
            let users: Vec<usize> = (0..before.len())
                .filter(|&f| f != index && self.closure[f].contains(&index))
                .collect();
            let by = |language| users.iter().any(|&f| before[f] == language);
            let by_c = users.iter().any(|&f| self.names[f].ends_with(".c"));
            let is_header = self.names[index].ends_with(".h");
            let form = users.iter().map(|&f| before[f]).find(|l| l.is_fortran());
            match form {
                Some(form) if !by_c && !by(Language::Cpp) => source.language = form,
                _ if is_header && by(Language::Cpp) && !by_c => source.language = Language::Cpp,
                _ => {}
            }
        }
    }
}

fn last(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn closure(direct: &[Vec<usize>], start: usize) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    let mut waiting = vec![start];
    while let Some(file) = waiting.pop() {
        if all.insert(file) {
            waiting.extend(&direct[file]);
        }
    }
    all
}

/// `include 'x.h'` of Fortran, at the start of a line.
fn fortran_includes(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim_start();
            let head = line.get(..7).filter(|h| h.eq_ignore_ascii_case("include"))?;
            let rest = line[head.len()..].trim_start();
            let quote = rest.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
            rest[1..].split_once(quote).map(|(name, _)| name)
        })
        .collect()
}

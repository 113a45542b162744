//! Which file includes which, and how each is read.

use std::collections::{BTreeSet, HashMap, HashSet};

use commloom_read::c::{Define, Directives, Given, Macros, directives, directives_given};
use commloom_source::tree::Name;
use commloom_source::{FileId, Language, Source};

use super::compiled::{Command, Compiled, candidates};
use super::wrappers::Wrappers;

/// The includes of a project.
pub(super) struct Files {
    names: Vec<String>,
    /// Of each last part of a name, the files that have it.
    by_last: HashMap<String, Vec<usize>>,
    /// Files by their whole paths, where these are known.
    by_path: HashMap<String, usize>,
    /// Folders of the whole paths.
    folders: Vec<Option<String>>,
    /// All commands that compile files.
    commands: Vec<Command>,
    /// Of each file, those that compile it, or what includes it.
    compiled_by: Vec<BTreeSet<usize>>,
    directives: Vec<Directives>,
    /// Of each file, those that it includes, directly or not, and itself.
    closure: Vec<BTreeSet<usize>>,
}

/// An include: its name as it is written, and whether in angle brackets.
type Include = (String, bool);

impl Files {
    /// Finds all includes, and corrects the languages of what is included.
    pub fn new(sources: &mut [Source], compiled: &Compiled) -> Files {
        let names: Vec<String> = sources.iter().map(|s| s.name.replace('\\', "/")).collect();
        let mut by_last: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, name) in names.iter().enumerate() {
            by_last.entry(last(name).to_owned()).or_default().push(index);
        }
        let paths: Vec<Option<&str>> = sources.iter().map(|s| compiled.path(&s.name)).collect();
        let by_path =
            paths.iter().enumerate().filter_map(|(i, p)| Some(((*p)?.to_owned(), i))).collect();
        let folder = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let mut files = Files {
            names,
            by_last,
            by_path,
            folders: paths.iter().map(|path| path.map(folder)).collect(),
            commands: Vec::new(),
            compiled_by: vec![BTreeSet::new(); sources.len()],
            directives: Vec::new(),
            closure: Vec::new(),
        };
        let mut units = Vec::new();
        for (index, source) in sources.iter().enumerate() {
            for command in compiled.commands(&source.name) {
                units.push((index, files.commands.len()));
                files.commands.push(command.clone());
            }
        }
        files.directives =
            sources.iter().enumerate().map(|(i, s)| directives(&s.text, file_id(i))).collect();
        let mut direct = files.connect(sources, &units);
        if files.commands.iter().any(|command| !command.macros.is_empty()) {
            // Macros that are given decide which includes count.
            files.decide(sources);
            direct = files.connect(sources, &units);
        }
        let compiled: BTreeSet<usize> = units.iter().map(|(file, _)| *file).collect();
        for file in compiled {
            let own = files.given(file);
            files.directives[file].defines.splice(0..0, own);
        }
        files.closure = (0..sources.len()).map(|start| closure(&direct, start)).collect();
        files.correct(sources);
        files
    }

    /// Which file includes which, by the commands of those (`units`) that have some.
    fn connect(&mut self, sources: &[Source], units: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let includes: Vec<Vec<Include>> =
            sources.iter().zip(&self.directives).map(|(source, d)| included(source, d)).collect();
        self.compiled_by = vec![BTreeSet::new(); sources.len()];
        let mut direct: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); sources.len()];
        for &(unit, command) in units {
            let before = self.commands[command].before.clone();
            let first = before.iter().filter_map(|name| self.compiled(unit, name, false, command));
            let mut waiting: Vec<usize> = first.collect();
            direct[unit].extend(&waiting);
            waiting.push(unit);
            while let Some(file) = waiting.pop() {
                if !self.compiled_by[file].insert(command) {
                    continue;
                }
                for (name, angle) in &includes[file] {
                    if let Some(found) = self.compiled(file, name, *angle, command) {
                        direct[file].insert(found);
                        waiting.push(found);
                    }
                }
            }
        }
        let mut all: Vec<Vec<usize>> =
            direct.into_iter().map(|to| to.into_iter().collect()).collect();
        for (file, to) in all.iter_mut().enumerate() {
            if self.compiled_by[file].is_empty() {
                to.extend(includes[file].iter().filter_map(|(name, _)| self.nearest(file, name)));
            }
        }
        all
    }

    /// Reads the lines of the preprocessor again, where all that compile a file give it the same
    /// macros.
    fn decide(&mut self, sources: &[Source]) {
        let undefined: HashSet<Name> =
            self.directives.iter().flat_map(|d| d.undefines.iter().cloned()).collect();
        let given: Vec<Given> = self.commands.iter().map(Command::given).collect();
        for (file, source) in sources.iter().enumerate() {
            let mut all = self.compiled_by[file].iter().map(|command| &given[*command]);
            let Some(first) = all.next() else { continue };
            let mut same = first.clone();
            same.retain(|name, _| !undefined.contains(name));
            for other in all {
                same.retain(|name, body| other.get(name) == Some(body));
            }
            if !same.is_empty() {
                self.directives[file] = directives_given(&source.text, file_id(file), &same);
            }
        }
    }

    /// The file that an include means for a compiler.
    fn compiled(&self, from: usize, include: &str, angle: bool, command: usize) -> Option<usize> {
        let own = self.folders[from].as_deref()?;
        candidates(&self.commands[command], own, include, angle)
            .find_map(|path| self.by_path.get(&path).copied())
    }

    pub fn directives(&self, file: usize) -> &Directives {
        &self.directives[file]
    }

    /// All macros that a file sees; those that stand for procedures of MPI are procedures.
    pub fn macros(&self, file: usize, wrappers: &Wrappers) -> Macros {
        let seen = self.closure[file].iter().flat_map(|&f| &self.directives[f].defines);
        // A header sees what the compiler is given for those that include it.
        let given = self.given(file);
        let all = seen.chain(&given);
        let undefined = self.closure[file].iter().flat_map(|&f| &self.directives[f].undefines);
        let all = all.filter(|d| wrappers.find(&d.name, Language::C).is_none());
        Macros::new(all).without(undefined)
    }

    /// The macros that compilers are given for a file, or for what includes it.
    pub fn given(&self, file: usize) -> Vec<Define> {
        let mut all: Vec<Define> = Vec::new();
        for command in &self.compiled_by[file] {
            let new = self.commands[*command].defines(file_id(file)).into_iter();
            let same = |a: &Define, b: &Define| {
                (&a.name, &a.parameters, &a.body) == (&b.name, &b.parameters, &b.body)
            };
            let new: Vec<Define> =
                new.filter(|d| !all.iter().any(|known| same(known, d))).collect();
            all.extend(new);
        }
        all
    }

    /// The file itself and all that it includes.
    pub fn seen_by(&self, file: usize) -> &BTreeSet<usize> {
        &self.closure[file]
    }

    /// The file that an include (in quotes) in another means.
    pub fn find(&self, from: usize, include: &str) -> Option<usize> {
        match self.compiled_by[from].first() {
            Some(&command) => self.compiled(from, include, false, command),
            None => self.nearest(from, include),
        }
    }

    /// The file whose name ends like an include.
    fn nearest(&self, from: usize, include: &str) -> Option<usize> {
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

    /// A file that Fortran includes is Fortran; a header that no file of C includes, but one of
    /// C++, is C++.
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

/// The names of what a file includes, each with whether it stands in angle brackets.
pub fn includes(source: &Source) -> Vec<(String, bool)> {
    included(source, &directives(&source.text, file_id(0)))
}

fn included(source: &Source, directives: &Directives) -> Vec<Include> {
    let of_c = directives.includes.iter().map(|(name, span)| {
        let line = source.text.get(span.range()).unwrap_or("");
        (name.clone(), line.find(['"', '<']).is_some_and(|at| line[at..].starts_with('<')))
    });
    let mut all: Vec<Include> = of_c.collect();
    if source.language == Language::C || source.language.is_fortran() {
        all.extend(fortran_includes(&source.text).into_iter().map(|name| (name.to_owned(), false)));
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

/// The number of a file.
pub(super) fn file_id(index: usize) -> FileId {
    // More files than 2^32 do not fit into any memory.
    FileId(u32::try_from(index).unwrap_or(u32::MAX))
}

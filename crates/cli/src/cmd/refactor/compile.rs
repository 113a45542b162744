//! `compile_commands.json`: where includes are looked for, and which macros a compiler is given
//! (clang.llvm.org/docs/JSONCompilationDatabase.html).

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use commloom_guard::Origin;
use commloom_layout::text::ParseError;
use commloom_refactor::project::{
    Command, Compiled, candidates, includes, joined, response, words,
};
use commloom_refactor::source::{Language, Source};
use serde::Deserialize;

use crate::failure::Failure;
use crate::files::TEXT;
use crate::input;

/// How the file is called.
const NAME: &str = "compile_commands.json";
/// Response files that name response files.
const DEEPEST: usize = 16;
/// More headers than these are not read.
const MOST: usize = 100_000;
/// Headers below these are nobody's project.
const SYSTEM: [&str; 6] = ["/usr", "/opt", "/lib", "/System", "/Library", "/nix"];

/// The first of them in a folder that was given, or in its `build`.
pub fn find(paths: &[PathBuf]) -> Option<PathBuf> {
    let folders = paths.iter().filter(|path| path.is_dir());
    folders
        .flat_map(|folder| [folder.join(NAME), folder.join("build").join(NAME)])
        .find(|path| path.is_file())
}

/// One compiler's work.
#[derive(Deserialize)]
#[serde(try_from = "Raw")]
struct Entry {
    folder: String,
    file: String,
    compiler: String,
    arguments: Vec<String>,
}

#[derive(Deserialize)]
struct Raw {
    directory: String,
    file: String,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

impl TryFrom<Raw> for Entry {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Entry, String> {
        let Raw { directory: folder, file, arguments, command } = raw;
        let all = match (arguments, command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => {
                words(&command).map_err(|error| format!("of {file}: {error}"))?
            }
            (None, None) => return Err(format!("{file} has neither `arguments` nor `command`")),
        };
        let mut all = all.into_iter();
        let compiler = all.next().unwrap_or_default();
        Ok(Entry { folder, file, compiler, arguments: all.collect() })
    }
}

/// The command that compiles a file, to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileStep {
    /// Where it runs.
    pub folder: String,
    pub compiler: String,
    pub arguments: Vec<String>,
    pub is_fortran: bool,
    /// Whether a person named the file that says so.
    pub is_named: bool,
}

/// The commands of sources, by their names; the first of several.
pub fn works(
    path: &Path,
    sources: &[Source],
    is_named: bool,
) -> Result<HashMap<String, CompileStep>, Failure> {
    let here = std::env::current_dir().map_or_else(|_| String::new(), |here| text_of(&here));
    let home = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let home = whole(&here, &home.display().to_string());
    let mut works = HashMap::new();
    let names: HashMap<String, &Source> =
        sources.iter().map(|source| (whole(&here, &source.name), source)).collect();
    for Entry { folder, file, compiler, arguments } in read(path)? {
        let folder = whole(&home, &folder);
        let Some(source) = names.get(&whole(&folder, &file)) else { continue };
        let is_fortran = source.language.is_fortran();
        let work = CompileStep { folder, compiler, arguments, is_fortran, is_named };
        works.entry(source.name.clone()).or_insert(work);
    }
    Ok(works)
}

/// Reads such a file.
fn read(path: &Path) -> Result<Vec<Entry>, Failure> {
    let input::Source { name, text } = input::file(path)?;
    parse(&text).map_err(|error| Failure::Parse { name, error })
}

fn parse(text: &str) -> Result<Vec<Entry>, ParseError> {
    serde_json::from_str(text).map_err(|error| {
        let line = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let start: usize = line.map(str::len).sum();
        let at = (start + error.column().saturating_sub(1)).min(text.len());
        // What it says ends with the place.
        let whole = error.to_string();
        let message = whole.rsplit_once(" at line ").map_or(whole.as_str(), |(m, _)| m);
        let expected = "expected [{\"directory\": ..., \"file\": ..., \"command\" or \
                        \"arguments\": ...}, ...]";
        ParseError::other(text, at..at + 1, format!("{message}; {expected}"))
    })
}

/// The commands of the sources. Headers that these include, and that lie in the project, are
/// added.
pub fn compiled(path: &Path, sources: &mut Vec<Source>) -> Result<Compiled, Failure> {
    let entries = read(path)?;
    let here = std::env::current_dir().map_or_else(|_| String::new(), |here| text_of(&here));
    let home = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let home = whole(&here, &home.display().to_string());
    let mut reading = Reading {
        roots: roots(&home, &here, sources),
        here,
        names: HashMap::new(),
        exists: HashMap::new(),
        compiled: Compiled::default(),
    };
    for (index, source) in sources.iter().enumerate() {
        let path = whole(&reading.here, &source.name);
        reading.compiled.locate(&source.name, &path);
        reading.names.insert(path, index);
    }
    for entry in entries {
        let folder = whole(&home, &entry.folder);
        let Some(&file) = reading.names.get(&whole(&folder, &entry.file)) else { continue };
        let arguments = expanded(&entry.arguments, &folder, 0);
        let mut command = Command::of(&arguments, &folder);
        for folder in command.quoted.iter_mut().chain(&mut command.folders) {
            *folder = whole("", folder);
        }
        reading.headers(file, &command, sources)?;
        reading.compiled.add(&sources[file].name.clone(), command);
    }
    Ok(reading.compiled)
}

struct Reading {
    here: String,
    /// Whole paths of the sources.
    names: HashMap<String, usize>,
    /// Of whole paths, whether a file of the project that can be read is there.
    exists: HashMap<String, bool>,
    /// Folders of the project.
    roots: Vec<String>,
    compiled: Compiled,
}

impl Reading {
    /// Reads what a file includes.
    fn headers(
        &mut self,
        file: usize,
        command: &Command,
        sources: &mut Vec<Source>,
    ) -> Result<(), Failure> {
        let mut seen: HashSet<usize> = HashSet::new();
        let mut waiting = vec![file];
        let mut first: Vec<(String, bool)> =
            command.before.iter().map(|name| (name.clone(), false)).collect();
        while let Some(at) = waiting.pop() {
            if !seen.insert(at) {
                continue;
            }
            let own = whole(&self.here, &sources[at].name);
            let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let mut all = includes(&sources[at]);
            all.append(&mut first);
            for (name, angle) in all {
                let found =
                    candidates(command, &folder, &name, angle).find(|path| self.is_there(path));
                let Some(path) = found else { continue };
                if let Some(&known) = self.names.get(&path) {
                    waiting.push(known);
                } else if let Some(source) = self.source(&path) {
                    if sources.len() > MOST {
                        let message = format!("more than {MOST} headers are included");
                        return Err(Failure::message(message));
                    }
                    self.compiled.locate(&source.name, &path);
                    self.names.insert(path, sources.len());
                    waiting.push(sources.len());
                    sources.push(source);
                } else {
                    self.exists.insert(path, false);
                }
            }
        }
        Ok(())
    }

    fn is_there(&mut self, path: &str) -> bool {
        if self.names.contains_key(path) {
            return true;
        }
        if let Some(&known) = self.exists.get(path) {
            return known;
        }
        let inside = self.roots.iter().any(|root| is_below(path, root));
        let found = inside && Language::of_name(path).is_some() && Path::new(path).is_file();
        self.exists.insert(path.to_owned(), found);
        found
    }

    /// The text of a header; what is no text in UTF-8 is passed over.
    fn source(&self, path: &str) -> Option<Source> {
        let text = commloom_guard::text(Path::new(path), Origin::Named, TEXT).ok()?;
        let name = path.strip_prefix(&self.here).and_then(|rest| rest.strip_prefix('/'));
        let name = name.unwrap_or(path).to_owned();
        Some(Source { language: Language::of_name(&name)?, name, text })
    }
}

/// Where a project's own files lie: around the commands (beside their `build` folder), and in the
/// repository of the first source. No folders of the system.
fn roots(home: &str, here: &str, sources: &[Source]) -> Vec<String> {
    let (above, last) = home.rsplit_once('/').unwrap_or(("", home));
    let is_build = ["build", "cmake-build", "_build", "out"].iter().any(|b| last.starts_with(b));
    let mut all = vec![if is_build { above.to_owned() } else { home.to_owned() }];
    let first = sources.first().map(|source| PathBuf::from(whole(here, &source.name)));
    let repository = first.iter().flat_map(|path| path.ancestors());
    all.extend(repository.filter(|f| f.join(".git").exists()).take(1).map(text_of));
    all.retain(|root| !root.is_empty() && !SYSTEM.iter().any(|system| is_below(root, system)));
    all
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A path from the root, links followed where there is something.
fn whole(folder: &str, path: &str) -> String {
    let joined = joined(folder, path);
    fs::canonicalize(&joined).map_or(joined, |path| text_of(&path))
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Arguments with what response files say in their places; one that cannot be read stays.
fn expanded(arguments: &[String], folder: &str, depth: usize) -> Vec<String> {
    let mut all = Vec::new();
    for argument in arguments {
        let inside = argument.strip_prefix('@').filter(|_| depth < DEEPEST).and_then(|name| {
            let file = joined(folder, name);
            commloom_guard::text(Path::new(&file), Origin::Named, TEXT).ok()
        });
        match inside {
            Some(text) => all.extend(expanded(&response(&text), folder, depth + 1)),
            None => all.push(argument.clone()),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_are_read() {
        let text = r#"[
            {"directory": "/p", "file": "a.c", "command": "cc '-DA=\"x y\"' -c a.c",
                "output": "a.o"},
            {"directory": "/p", "file": "b.c", "arguments": ["cc", "-DA=x y", "b.c"]}
        ]"#;
        let found = parse(text).unwrap();
        let all: Vec<&[String]> = found.iter().map(|e| e.arguments.as_slice()).collect();
        assert_eq!(all, [vec!["-DA=\"x y\"", "-c", "a.c"], vec!["-DA=x y", "b.c"]]);
    }

    #[test]
    fn errors_have_their_places() {
        for (text, place, message) in [
            ("[\n  {\"directory\": \"/p\",}]", (2, 22), "trailing comma"),
            ("[{\"directory\": \"/p\", \"file\": \"a.c\"}]", (1, 36), "neither `arguments` nor"),
            ("[{\"directory\": \"/p\", \"command\": \"cc\"}]", (1, 37), "missing field `file`"),
            (
                "[{\"directory\": \"/p\", \"file\": \"a.c\",\n\"command\": \"cc 'a\"}]",
                (2, 20),
                "within quotes",
            ),
            ("{}", (1, 1), "expected a sequence"),
            ("[1]", (1, 2), "expected struct"),
            ("", (1, 1), "EOF"),
        ] {
            let error = parse(text).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains(message), "{text}: {error}");
            assert_eq!((error.line(), error.column()), place, "{text}: {error}");
        }
    }
}

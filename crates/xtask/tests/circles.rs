//! Files of a crate do not import each other in a circle: what a file needs stands below it.
//! Import is what a path with `crate::`, `super::` or the name of a submodule leads to, through
//! `use` to the file where the item is. Tests inside a file do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Crates whose files form circles today, with the number of those files. It may only shrink: who
/// cuts a circle lowers it here.
const TODAY: &[(&str, usize)] = &[
    ("capi", 2),
    ("cli", 27),
    ("commgraph", 47),
    ("fuzz-mpi", 4),
    ("guideline", 11),
    ("layout", 11),
    ("mpi", 8),
    ("pack", 12),
    ("plan", 18),
    ("reconstruct", 10),
    ("report", 4),
    ("testkit", 19),
    ("xtask", 8),
];

/// A path of modules, and of an item at its end.
type ItemPath = Vec<String>;

/// One file, as far as it matters here.
struct SourceFile {
    /// Where it stands in the crate.
    module: ItemPath,
    /// Paths in its code, from the root of the crate.
    paths: Vec<ItemPath>,
    /// Names that a `use` brings in, and what they are.
    names: BTreeMap<String, ItemPath>,
}

/// The words and signs of a source, without comments, literals and the tests at its end.
fn tokens(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let letters: Vec<char> = text.chars().collect();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(&letter) = letters.get(at) {
        let next = letters.get(at + 1).copied().unwrap_or_default();
        let find = |from: usize, end: &str| {
            let end: Vec<char> = end.chars().collect();
            let found =
                letters[from.min(letters.len())..].windows(end.len()).position(|w| w == end);
            found.map_or(letters.len(), |found| from + found + end.len())
        };
        if letter == '/' && next == '/' {
            at = find(at, "\n");
        } else if letter == '/' && next == '*' {
            at = find(at + 2, "*/");
        } else if letter == '\'' && (next == '\\' || letters.get(at + 2) == Some(&'\'')) {
            at = find(at + if next == '\\' { 3 } else { 2 }, "'");
        } else if letter == 'r' && (next == '"' || next == '#' && letters.get(at + 2) != Some(&'!'))
        {
            let marks = letters[at + 1..].iter().take_while(|&&c| c == '#').count();
            let is_string = letters.get(at + 1 + marks) == Some(&'"');
            let end = format!("\"{}", "#".repeat(marks));
            at = if is_string { find(at + 2 + marks, &end) } else { at + 1 };
        } else if letter == '"' {
            at += 1;
            while letters.get(at).is_some_and(|&c| c != '"') {
                at += if letters[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
        } else if is_word(letter) {
            let word: String = letters[at..].iter().copied().take_while(|&c| is_word(c)).collect();
            at += word.chars().count();
            tokens.push(word);
        } else if letter == ':' && next == ':' {
            tokens.push("::".to_owned());
            at += 2;
        } else {
            if !letter.is_whitespace() {
                tokens.push(letter.to_string());
            }
            at += 1;
        }
    }
    tokens
}

/// Reads the tree of paths that begins at a token; each path comes with the name it gets. Back
/// comes the token after it.
fn tree(
    tokens: &[String],
    mut at: usize,
    mut path: ItemPath,
    found: &mut Vec<(String, ItemPath)>,
) -> usize {
    let word = |at: usize| tokens.get(at).map_or("", String::as_str);
    loop {
        match word(at) {
            "{" => {
                at += 1;
                while !matches!(word(at), "}" | "") {
                    at = tree(tokens, at, path.clone(), found);
                    at += usize::from(word(at) == ",");
                }
                return at + 1;
            }
            name if name.starts_with(|c: char| c.is_alphabetic() || c == '_') => {
                path.push(name.to_owned());
                at += 1;
            }
            _ => break,
        }
        if word(at) != "::" {
            break;
        }
        at += 1;
    }
    at += usize::from(word(at) == "*");
    if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
        path.pop();
    }
    let mut name = path.last().cloned().unwrap_or_default();
    if word(at) == "as" {
        word(at + 1).clone_into(&mut name);
        at += 2;
    }
    found.push((name, path));
    at
}

impl SourceFile {
    fn read(text: &str, module: ItemPath, children: &BTreeSet<String>) -> SourceFile {
        let tokens = tokens(text);
        let word = |at: usize| tokens.get(at).map_or("", String::as_str);
        let mut file = SourceFile { module, paths: Vec::new(), names: BTreeMap::new() };
        let mut at = 0;
        while at < tokens.len() {
            let before = at.checked_sub(1).map_or("", word);
            let is_use = word(at) == "use";
            let is_local =
                matches!(word(at), "crate" | "super" | "self") || children.contains(word(at));
            if !is_use && (!is_local || word(at + 1) != "::" || matches!(before, "$" | "::" | "."))
            {
                at += 1;
                continue;
            }
            let mut found = Vec::new();
            at = tree(&tokens, at + usize::from(is_use), Vec::new(), &mut found);
            for (name, path) in found {
                let Some(path) = file.absolute(&path, children) else { continue };
                if !is_use {
                    file.paths.push(path);
                    continue;
                }
                // What is only handed on is needed by those who use it.
                let is_handed_on = matches!(before, "pub" | ")");
                if !is_handed_on || tokens.iter().filter(|token| **token == name).count() > 1 {
                    file.paths.push(path.clone());
                }
                file.names.insert(name, path);
            }
        }
        file
    }

    /// A path from the root of the crate; `None` for one that leads out of it.
    fn absolute(&self, path: &[String], children: &BTreeSet<String>) -> Option<ItemPath> {
        let (first, rest) = path.split_first()?;
        let mut from = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => self.module.split_last()?.1.to_vec(),
            child if children.contains(child) => [&self.module[..], &[child.to_owned()]].concat(),
            _ => return None,
        };
        for name in rest {
            match name.as_str() {
                "super" => drop(from.pop()),
                _ => from.push(name.clone()),
            }
        }
        Some(from)
    }
}

/// The file in which an item is, through the `use` of others.
fn place(files: &[SourceFile], path: &[String], depth: usize) -> Option<usize> {
    let lengths = (0..=path.len()).rev();
    let of = |length: usize| files.iter().position(|file| file.module == path[..length]);
    let (length, file) = lengths.filter_map(|length| Some((length, of(length)?))).next()?;
    let (rest, depth) = (&path[length..], depth.checked_sub(1)?);
    match rest.split_first().and_then(|(name, rest)| Some((files[file].names.get(name)?, rest))) {
        Some((to, rest)) => place(files, &[to, rest].concat(), depth).or(Some(file)),
        None => Some(file),
    }
}

/// The files under a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The files of a crate, by their paths below `src`, each with those that it imports.
fn imports(crate_folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let folder = crate_folder.join("src");
    let mut paths = Vec::new();
    sources(&folder, &mut paths);
    paths.sort();
    let below = |path: &Path| path.strip_prefix(&folder).expect("below").to_owned();
    let module = |path: &PathBuf| -> ItemPath {
        let name = below(path).with_extension("");
        let mut parts: ItemPath =
            name.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
            parts.pop();
        }
        parts
    };
    let modules: Vec<ItemPath> = paths.iter().map(module).collect();
    let file = |(path, module): (&PathBuf, &ItemPath)| {
        let is_child = |other: &&ItemPath| other.split_last().is_some_and(|(_, up)| up == module);
        let children = modules.iter().filter(is_child).filter_map(|child| child.last().cloned());
        let text = std::fs::read_to_string(path).expect("a source file");
        SourceFile::read(&text, module.clone(), &children.collect())
    };
    let files: Vec<SourceFile> = paths.iter().zip(&modules).map(file).collect();
    let name = |at: usize| below(&paths[at]).display().to_string();
    let of = |at: usize| {
        let places = files[at].paths.iter().filter_map(|path| place(&files, path, 8));
        places.filter(|&to| to != at).map(name).collect()
    };
    (0..paths.len()).map(|at| (name(at), of(at))).collect()
}

/// The files that import themselves, by way of others.
fn in_circles(imports: &BTreeMap<String, BTreeSet<String>>) -> Vec<&str> {
    let returns = |start: &String| {
        let mut reached = BTreeSet::new();
        let mut left: Vec<&String> = imports[start].iter().collect();
        while let Some(file) = left.pop() {
            if reached.insert(file) {
                left.extend(&imports[file]);
            }
        }
        reached.contains(start)
    };
    imports.keys().filter(|file| returns(file)).map(String::as_str).collect()
}

#[test]
fn files_do_not_import_each_other_in_circles() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut problems = Vec::new();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(crates)
        .expect("crates")
        .map(|entry| entry.expect("a crate").path())
        .collect();
    folders.sort();
    for folder in folders.iter().filter(|folder| folder.join("src").is_dir()) {
        let name = folder.file_name().expect("a name").to_string_lossy();
        let imports = imports(folder);
        let files = in_circles(&imports);
        let today = TODAY.iter().find(|(listed, _)| *listed == name).map_or(0, |(_, count)| *count);
        if files.len() > today {
            let count = files.len();
            problems
                .push(format!("{name}: {count} files, {today} are listed: {}", files.join(" ")));
        }
    }
    assert!(problems.is_empty(), "in circles:\n{}", problems.join("\n"));
}

#[test]
fn the_layers_of_the_preload_import_only_what_is_below() {
    let interpose = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interpose");
    let below = |layer: &str| match layer {
        "node" | "record" | "replace" => vec!["runtime"],
        "accelerate" => vec!["runtime", "node"],
        "preload" => vec!["runtime", "node", "accelerate", "record", "replace"],
        _ => Vec::new(),
    };
    for (file, imported) in imports(&interpose).iter().filter(|(file, _)| *file != "lib.rs") {
        let layer = |file: &str| file.split('/').next().unwrap_or_default().to_owned();
        let allowed = below(&layer(file));
        for other in imported {
            let to = layer(other);
            assert!(to == layer(file) || allowed.contains(&to.as_str()), "{file} imports {other}");
        }
    }
}

#[test]
fn paths_are_followed_to_the_file_of_the_item() {
    let read = |text: &str, module: &[&str], children: &[&str]| {
        let own = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        SourceFile::read(text, own(module), &own(children).into_iter().collect())
    };
    let files = [
        read("pub use a::Item; mod a; mod b;", &[], &["a", "b"]),
        read(
            "struct Item; // crate::b::Other\nfn f() { \"crate::b::x\"; $crate::b::y() }",
            &["a"],
            &[],
        ),
        read("use super::{Item, a::{self, Item as Same}}; fn g() { crate::a::f() }", &["b"], &[]),
    ];
    let imports = |file: usize| -> BTreeSet<usize> {
        files[file].paths.iter().filter_map(|path| place(&files, path, 8)).collect()
    };
    assert!(imports(0).is_empty(), "what is only handed on");
    assert!(imports(1).is_empty(), "comments, literals and macros");
    assert_eq!(imports(2), BTreeSet::from([1]), "never the root, through which it came");
    assert_eq!(files[2].names["Same"], ["a", "Item"]);
}

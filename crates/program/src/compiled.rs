//! How the files of a program are compiled, where somebody has written that down
//! (`compile_commands.json`): where includes are looked for, and which macros the compiler is
//! given.

use std::collections::HashMap;

use commloom_read::c::{Define, Given, directives};
use commloom_source::FileId;
use commloom_source::tree::Name;

/// The command that compiles a file, as far as it tells of its text. Folders are whole paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// `-iquote`: for `#include "..."` only.
    pub quoted: Vec<String>,
    /// `-I`, then `-isystem` and `-idirafter`.
    pub folders: Vec<String>,
    /// `-include`: files before the first line.
    pub before: Vec<String>,
    /// `-D`, as lines of the preprocessor; what `-U` takes away is gone.
    pub macros: Vec<(Name, String)>,
}

/// Options with an argument of their own that says nothing here.
const OTHERS: [&str; 14] = [
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-x",
    "-arch",
    "-isysroot",
    "-Xclang",
    "-Xlinker",
    "-J",
    "-module",
    "-target",
    "-T",
    "-Xpreprocessor",
];

impl Command {
    /// Of the arguments of a compiler, without its name, in a folder.
    pub fn of(arguments: &[String], folder: &str) -> Command {
        let mut command = Command::default();
        let (mut system, mut after) = (Vec::new(), Vec::new());
        let mut rest = arguments.iter().map(String::as_str);
        while let Some(argument) = rest.next() {
            let mut value = |option: &str| {
                let own = argument.strip_prefix(option)?;
                if own.is_empty() { rest.next() } else { Some(own) }
            };
            if OTHERS.contains(&argument) {
                value(argument);
            } else if let Some(path) = value("-iquote") {
                command.quoted.push(joined(folder, path));
            } else if let Some(path) = value("-isystem") {
                system.push(joined(folder, path));
            } else if let Some(path) = value("-idirafter") {
                after.push(joined(folder, path));
            } else if let Some(path) = value("-include") {
                command.before.push(path.to_owned());
            } else if let Some(path) = value("-I") {
                command.folders.push(joined(folder, path));
            } else if let Some(text) = value("-D") {
                let (name, body) = text.split_once('=').unwrap_or((text, "1"));
                command.undefine(name);
                command.macros.push((name.to_owned(), body.to_owned()));
            } else if let Some(name) = value("-U") {
                command.undefine(name);
            }
        }
        command.folders.extend(system);
        command.folders.extend(after);
        command
    }

    fn undefine(&mut self, name: &str) {
        let plain = |name: &str| name.split('(').next().unwrap_or(name).trim().to_owned();
        self.macros.retain(|(known, _)| plain(known) != plain(name));
    }

    /// Its macros as the lines of a file would define them.
    pub(super) fn defines(&self, file: FileId) -> Vec<Define> {
        self.macros
            .iter()
            .flat_map(|(name, body)| directives(&format!("#define {name} {body}"), file).defines)
            .collect()
    }

    /// The bodies of macros without arguments.
    pub(super) fn given(&self) -> Given {
        self.macros.iter().cloned().collect()
    }
}

/// The commands of a program, by the names of its sources.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    paths: HashMap<String, String>,
    commands: HashMap<String, Vec<Command>>,
}

impl Compiled {
    /// Where a source lies: its whole path.
    pub fn locate(&mut self, name: &str, path: &str) {
        self.paths.insert(name.to_owned(), joined("", path));
    }

    /// A command that compiles a source; it may have several.
    pub fn add(&mut self, name: &str, command: Command) {
        let all = self.commands.entry(name.to_owned()).or_default();
        if !all.contains(&command) {
            all.push(command);
        }
    }

    /// Whether no command is known.
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// The whole path of a source.
    pub(super) fn path(&self, name: &str) -> Option<&str> {
        self.paths.get(name).map(String::as_str)
    }

    /// The commands for a source.
    pub(super) fn commands(&self, name: &str) -> &[Command] {
        self.commands.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Where an include may lie, in the order in which a compiler looks. `angle`: `#include <...>`,
/// which is not looked for in the file's own folder.
pub fn candidates<'a>(
    command: &'a Command,
    own: &'a str,
    include: &'a str,
    angle: bool,
) -> impl Iterator<Item = String> + 'a {
    let near = std::iter::once(own).chain(command.quoted.iter().map(String::as_str));
    let near = near.filter(move |_| !angle);
    near.chain(command.folders.iter().map(String::as_str))
        .map(move |folder| joined(folder, include))
}

/// A path below a folder, unless it is a whole one, without `.` and `..`.
pub fn joined(folder: &str, path: &str) -> String {
    let (folder, path) = (folder.replace('\\', "/"), path.replace('\\', "/"));
    let is_whole = path.starts_with('/') || path.as_bytes().get(1) == Some(&b':');
    let whole = if is_whole || folder.is_empty() { path } else { format!("{folder}/{path}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => drop(parts.pop()),
            ".." if whole.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let start = if whole.starts_with('/') { "/" } else { "" };
    format!("{start}{}", parts.join("/"))
}

/// A command that ends within quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the command ends within quotes")]
pub struct Unfinished;

/// The words of a command, as a POSIX shell has them (nothing is expanded).
///
/// # Errors
/// Quotes that are not closed.
pub fn words(command: &str) -> Result<Vec<String>, Unfinished> {
    split(command, true)
}

/// The words of a response file (`@file`), as GCC and Clang read it: a backslash counts in quotes
/// of both kinds. What is not closed ends with the file.
pub fn response(text: &str) -> Vec<String> {
    split(text, false).unwrap_or_default()
}

fn split(text: &str, is_shell: bool) -> Result<Vec<String>, Unfinished> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some('\''), _) if is_shell => word.get_or_insert_default().push(c),
            (Some('"'), '\\') if is_shell => {
                let next = rest.next();
                // Elsewhere it is a backslash.
                if !matches!(next, Some('"' | '\\' | '$' | '`' | '\n')) {
                    word.get_or_insert_default().push('\\');
                }
                word.get_or_insert_default().extend(next.filter(|n| *n != '\n'));
            }
            (_, '\\') => word.get_or_insert_default().extend(rest.next().filter(|n| *n != '\n')),
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() && is_shell {
        return Err(Unfinished);
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let found = words(r#"cc -DA='"x y"' "-DB=\"q\" \z" -I a\ b '' c"#).unwrap();
        assert_eq!(found, ["cc", "-DA=\"x y\"", "-DB=\"q\" \\z", "-I", "a b", "", "c"]);
        assert_eq!(words("cc 'a"), Err(Unfinished));
        assert_eq!(words("  "), Ok(Vec::new()));
    }

    #[test]
    fn words_of_response_files_have_backslashes_everywhere() {
        assert_eq!(response("-DA=\\\"x\\\"\n'-DB=\\'' \"c d"), ["-DA=\"x\"", "-DB='", "c d"]);
    }

    #[test]
    fn options_may_stand_apart_from_what_they_say() {
        let all: Vec<String> = "-I inc -I../up -iquote q -isystem /s -D N=5 -DF(x)=x+1 -DX -DY=2 \
            -UX -UF -o -Ino -DN=6 -include c.h -Iinc/./more a.c"
            .split(' ')
            .map(str::to_owned)
            .collect();
        let found = Command::of(&all, "/p/build");
        assert_eq!(found.folders, ["/p/build/inc", "/p/up", "/p/build/inc/more", "/s"]);
        assert_eq!(found.quoted, ["/p/build/q"]);
        assert_eq!(found.before, ["c.h"]);
        let macros: Vec<String> = found.macros.iter().map(|(n, b)| format!("{n}:{b}")).collect();
        assert_eq!(macros, ["Y:2", "N:6"]);
    }

    #[test]
    fn paths_have_no_dots() {
        for (folder, path, expected) in [
            ("/a/b", "../c/./d.h", "/a/c/d.h"),
            ("/a", "/x/../y", "/y"),
            ("/", "../../a", "/a"),
            ("", "../a/b/../c", "../a/c"),
            ("r", "../../s", "../s"),
        ] {
            assert_eq!(joined(folder, path), expected);
        }
    }

    #[test]
    fn the_first_folder_wins() {
        let command = Command::of(&["-Ix".to_owned(), "-iquotey".to_owned()], "/p");
        let quoted: Vec<String> = candidates(&command, "/p/src", "h.h", false).collect();
        assert_eq!(quoted, ["/p/src/h.h", "/p/y/h.h", "/p/x/h.h"]);
        let angle: Vec<String> = candidates(&command, "/p/src", "h.h", true).collect();
        assert_eq!(angle, ["/p/x/h.h"]);
    }
}

//! Where a shared variable is named in text that the tree does not have as its name. In C: in
//! classes inside of others, friends, lambdas and values outside of procedures, arguments by
//! default, qualified (`::g`), or in arguments of templates. In Fortran: in lists and bounds.

use std::collections::HashSet;

use commloom_program::Project;
use commloom_source::tree::{Declaration, ExpressionKind, Scope, Unit};
use commloom_source::words::words;
use commloom_source::{FileId, Source, Span};

/// The first such place, of a variable by its name in the whole project. A word that follows a
/// type declares another variable of the name: a member, a parameter. Linear in the texts that
/// have it.
pub(super) fn unread(project: &Project, global: &str) -> Option<Span> {
    let name = global.rsplit("::").next().unwrap_or(global);
    let files = (0..).map(FileId).zip(project.sources()).zip(project.units());
    let mut files = files.filter(|((_, s), _)| !s.language.is_fortran() && s.text.contains(name));
    files.find_map(|((file, source), unit)| mention(project, (file, source, unit), name))
}

fn mention(
    project: &Project,
    (file, source, unit): (FileId, &Source, &Unit),
    name: &str,
) -> Option<Span> {
    // Where the tree has the name.
    let mut known: HashSet<usize> = HashSet::new();
    let procedures = project.procedures().filter(|id| !project.is_expanded(*id));
    for procedure in procedures.map(|id| project.view(id).procedure()) {
        if procedure.span.file != file || procedure.is_unread() {
            continue;
        }
        for statement in &procedure.body {
            statement.each(&mut |s| {
                for expression in s.expressions() {
                    expression.each(&mut |e| {
                        if matches!(&e.kind, ExpressionKind::Name(n) if plain(n) == name) {
                            known.insert(e.span.start);
                        }
                    });
                }
            });
        }
    }
    let scopes: Vec<&Scope> =
        unit.modules.iter().map(|(_, scope)| scope).chain([&unit.scope]).collect();
    let declares = |span: Span| {
        let own = |d: &&Declaration| d.name == name && d.span.contains(span);
        scopes
            .iter()
            .any(|scope| scope.variables.iter().find(own).is_some_and(|d| !names_itself(d, name)))
    };
    let mut before = ["", ""];
    for (start, word) in words(&source.text) {
        let span = Span { file, start, end: start + word.len() };
        if word == name
            && !is_declared(before)
            && !known.contains(&start)
            && !declares(span)
            && !is_directive(&source.text, start)
        {
            return Some(span);
        }
        before = [before[1], word];
    }
    None
}

/// `t@2` is the second `t` of a procedure.
fn plain(name: &str) -> &str {
    name.split('@').next().unwrap_or(name)
}

/// Whether a variable's value is made of itself.
fn names_itself(declaration: &Declaration, name: &str) -> bool {
    let mut found = false;
    if let Some(value) = &declaration.value {
        value.each(&mut |e| found |= matches!(&e.kind, ExpressionKind::Name(n) if n == name));
    }
    found
}

/// Whether a name behind these two words is one that is declared, or a member of what they name.
fn is_declared(before: [&str; 2]) -> bool {
    const NO_TYPES: [&str; 9] =
        ["return", "case", "else", "do", "throw", "co_return", "not", "and", "or"];
    let is_type = |word: &str| {
        let is_name = word.starts_with(|c: char| c.is_alphabetic() || c == '_');
        (is_name && !NO_TYPES.contains(&word)) || word == ">"
    };
    match before {
        [_, "." | "sizeof"] | ["-", ">"] | ["sizeof", "("] => true,
        [word, "*" | "&"] => is_type(word),
        [_, word] => is_type(word),
    }
}

/// Whether this stands in a line for the preprocessor: where a macro is used, it was read.
fn is_directive(text: &str, at: usize) -> bool {
    let mut lines = text.get(..at).unwrap_or("").rsplit('\n');
    let mut line = lines.next().unwrap_or("");
    for above in lines {
        if !above.ends_with('\\') {
            break;
        }
        line = above;
    }
    line.trim_start().starts_with('#')
}

/// The first place where a shared variable of Fortran is named in a `namelist`, made equivalent to
/// another one, or asked for in a declaration. Linear in the texts that have it.
pub(super) fn declared_elsewhere(project: &Project, global: &str) -> Option<Span> {
    let name = global.rsplit(['/', ':']).find(|part| !part.is_empty()).unwrap_or(global);
    let files = (0..).map(FileId).zip(project.sources());
    let mut files = files.filter(|(_, source)| source.language.is_fortran());
    files.find_map(|(file, source)| {
        let mut statement = String::new();
        let mut start = 0;
        for line in source.text.split_inclusive('\n') {
            let code = line.split('!').next().unwrap_or("").trim().to_ascii_lowercase();
            let goes_on = statement.ends_with('&');
            if !goes_on {
                statement.clear();
            }
            statement.truncate(statement.trim_end_matches('&').len());
            statement.push_str(&code);
            let span = Span { file, start, end: start + line.trim_end().len() };
            start += line.len();
            if names(&statement, name) {
                return Some(span);
            }
        }
        None
    })
}

/// Whether a statement that declares something has the name in a list, a bound or a value.
fn names(statement: &str, name: &str) -> bool {
    let lists = ["namelist", "equivalence"].iter().any(|word| statement.starts_with(word));
    let declares = statement.contains("::") && !statement.starts_with("use");
    if !lists && !declares {
        return false;
    }
    let (mut depth, mut last) = (0_i32, "");
    for (_, word) in words(statement) {
        if word == name && (lists || depth > 0 || last == ">" || last == "=") {
            return true;
        }
        match word {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        last = word;
    }
    false
}

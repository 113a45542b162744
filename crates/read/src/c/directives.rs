//! Lines of the preprocessor: what a file defines and includes.
//!
//! They are found without a grammar, so that a file whose syntax is broken still tells its
//! constants.

use commloom_source::tree::Name;
use commloom_source::{FileId, Span};

use super::condition::{self, Given};
use super::token::{Kind, tokens};

/// The lines of the preprocessor in one file. All branches count, but for
/// branches with an `#error`, which no compiler gets through, and those that macros given to the
/// compiler decide.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directives {
    /// In the order of the file.
    pub defines: Vec<Define>,
    /// `#include`, as it is written: with its quotes or angle brackets removed.
    pub includes: Vec<(String, Span)>,
    /// Names that `#undef` takes away.
    pub undefines: Vec<Name>,
    /// Whether a `#pragma pack` changes the layout of structures.
    pub packs: bool,
}

/// `#define name(parameters) body`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Define {
    /// The name that is defined.
    pub name: Name,
    /// Its parameters, where it has parentheses; the last is `...` where any number may follow.
    pub parameters: Option<Vec<Name>>,
    /// Its meaning: tokens, with single blanks where there was white space.
    pub body: String,
    /// The line.
    pub span: Span,
    /// Whether the line counts only where a condition of the preprocessor holds: the name may have
    /// been given another meaning before, or by the compiler's command.
    pub is_conditional: bool,
}

impl Define {
    /// The names in its meaning.
    pub fn names(&self) -> Vec<Name> {
        let names = tokens(&self.body).filter(|token| token.kind == Kind::Name);
        names.map(|token| token.text.to_owned()).collect()
    }
}

/// Reads the lines of the preprocessor. Linear.
pub fn directives(text: &str, file: FileId) -> Directives {
    directives_given(text, file, &Given::new())
}

/// The same for a compiler that was given macros.
pub fn directives_given(text: &str, file: FileId, given: &Given) -> Directives {
    let mut found = Directives::default();
    let mut branches = Vec::new();
    each_directive(text, file, &mut |directive, span| {
        branch(directive, given, &mut branches, &mut found);
        let known = found.defines.len();
        one(directive, span, &mut found);
        if let Some(define) = found.defines.get_mut(known) {
            settle(define, &mut branches);
        }
    });
    found
}

/// Calls `visit` with each line of the preprocessor, from behind its `#`.
pub(super) fn each_directive(text: &str, file: FileId, visit: &mut dyn FnMut(&str, Span)) {
    let mut in_comment = false;
    let mut start = 0;
    while start < text.len() {
        let end = logical_line_end(text, start);
        let line = &text[start..end];
        let outside = if in_comment { after_comment(line) } else { Some(0) };
        if let Some(from) = outside {
            let rest = &line[from..];
            if let Some(directive) = rest.trim_start().strip_prefix('#') {
                visit(directive, Span { file, start, end });
            }
            in_comment = leaves_comment_open(rest);
        }
        start = end + 1;
    }
}

/// Where the line that starts at `start` ends, with those that a backslash joins to it.
pub(super) fn logical_line_end(text: &str, start: usize) -> usize {
    let mut at = start;
    loop {
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        let line = text[at..end].strip_suffix('\r').unwrap_or(&text[at..end]);
        if !line.ends_with('\\') || end == text.len() {
            return end;
        }
        at = end + 1;
    }
}

fn after_comment(line: &str) -> Option<usize> {
    line.find("*/").map(|at| at + 2)
}

/// Whether a block comment that starts in the line goes on after it.
fn leaves_comment_open(line: &str) -> bool {
    if !line.contains("/*") {
        return false;
    }
    // A marker after the line would be a token, unless it is in a comment or string.
    let marked = format!("{line}\n@");
    tokens(&marked).last().is_none_or(|last| last.text != "@")
}

/// The word of a directive, and what follows it.
pub(super) fn word(directive: &str) -> (&str, &str) {
    let text = directive.trim_start();
    text.split_at(text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len()))
}

/// A branch of `#if` that is open.
struct Branch {
    /// The number of definitions before it.
    defines: usize,
    includes: usize,
    fails: bool,
    /// Whether it, or one before it in its group, is compiled for sure.
    taken: bool,
    /// Whether it is compiled for sure: nothing in it depends on a condition.
    is_sure: bool,
    /// Of `#ifndef NAME`, as long as nothing is defined in it.
    guard: Option<Name>,
}

/// Tells whether a definition depends on a condition. The guard around a header is none, since who
/// reads the file defines it himself.
fn settle(define: &mut Define, branches: &mut [Branch]) {
    if let Some(branch) = branches.last_mut() {
        let guard = branch.guard.take();
        branch.is_sure |= define.body.is_empty() && guard.as_ref() == Some(&define.name);
    }
    define.is_conditional = branches.iter().any(|branch| !branch.is_sure);
}

/// Opens and closes branches; forgets what stands in those that do not compile.
fn branch(directive: &str, given: &Given, branches: &mut Vec<Branch>, found: &mut Directives) {
    let (word, rest) = word(directive);
    if word == "error" {
        branches.iter_mut().next_back().into_iter().for_each(|branch| branch.fails = true);
    }
    let mut taken = false;
    if matches!(word, "elif" | "elifdef" | "elifndef" | "else" | "endif")
        && let Some(branch) = branches.pop()
    {
        taken = branch.taken;
        if branch.fails {
            found.defines.truncate(branch.defines);
            found.includes.truncate(branch.includes);
        }
    }
    if matches!(word, "if" | "ifdef" | "ifndef" | "elif" | "elifdef" | "elifndef" | "else") {
        let (defines, includes) = (found.defines.len(), found.includes.len());
        let holds = condition::holds(word, rest, given);
        let fails = taken || holds == Some(false);
        let is_sure = !fails && holds == Some(true);
        taken |= holds == Some(true);
        let guard = matches!(word, "ifndef")
            .then(|| tokens(rest).next().map(|name| name.text.to_owned()))
            .flatten();
        branches.push(Branch { defines, includes, fails, taken, is_sure, guard });
    }
}

fn one(directive: &str, span: Span, found: &mut Directives) {
    let mut words = tokens(directive).peekable();
    match words.next().map(|t| t.text) {
        Some("define") => {
            let Some(name) = words.next_if(|t| t.kind == Kind::Name) else { return };
            let parameters = match words.next_if(|t| t.text == "(" && !t.spaced) {
                None => None,
                Some(_) => {
                    let mut names = Vec::new();
                    for token in words.by_ref() {
                        match token.text {
                            ")" => break,
                            "." => names.push("...".to_owned()),
                            name if token.kind == Kind::Name => names.push(name.to_owned()),
                            _ => {}
                        }
                    }
                    names.dedup();
                    Some(names)
                }
            };
            let mut body = String::new();
            for token in words {
                if token.spaced && !body.is_empty() {
                    body.push(' ');
                }
                body.push_str(token.text);
            }
            let name = name.text.to_owned();
            found.defines.push(Define { name, parameters, body, span, is_conditional: false });
        }
        Some("include" | "import") => {
            let argument =
                directive.trim_start().trim_start_matches(|c: char| c.is_alphabetic()).trim_start();
            let close = match argument.chars().next() {
                Some('"') => '"',
                Some('<') => '>',
                _ => return,
            };
            if let Some((name, _)) = argument[1..].split_once(close) {
                found.includes.push((name.to_owned(), span));
            }
        }
        Some("undef") => {
            let name = words.next_if(|t| t.kind == Kind::Name);
            found.undefines.extend(name.map(|token| token.text.to_owned()));
        }
        Some("pragma") => found.packs |= words.next().is_some_and(|t| t.text == "pack"),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Directives {
        directives(text, FileId(0))
    }

    #[test]
    fn constants_macros_and_includes() {
        let found = read(
            "#include <mpi.h>\n # include \"a/b.h\" // why\n#define N 5 /* five */\n\
             #define IDX(i, j) ((i)*N \\\n  + (j))\n#define NOT (x)\n#pragma pack(1)\n",
        );
        let includes: Vec<&str> = found.includes.iter().map(|i| i.0.as_str()).collect();
        assert_eq!(includes, ["mpi.h", "a/b.h"]);
        let all: Vec<(&str, Option<usize>, &str)> = found
            .defines
            .iter()
            .map(|d| (d.name.as_str(), d.parameters.as_ref().map(Vec::len), d.body.as_str()))
            .collect();
        assert_eq!(
            all,
            [("N", None, "5"), ("IDX", Some(2), "((i)*N + (j))"), ("NOT", None, "(x)")]
        );
        assert!(found.packs);
    }

    #[test]
    fn comments_and_strings_hide_lines() {
        let found = read("/* a\n#define A 1\n*/ #define B 2\nx = \"/*\";\n#define C 3\n");
        let names: Vec<&str> = found.defines.iter().map(|d| d.name.as_str()).collect();
        assert_eq!(names, ["B", "C"]);
    }

    #[test]
    fn branches_that_do_not_compile_define_nothing() {
        let found = read(
            "#ifndef A\n#define A\n#ifdef B\n#define M(n) old(n)\n#error no\n#else\n\
             #define M(n) malloc(n)\n#endif\n#define C 1\n#endif\n#else\n#error\n",
        );
        let bodies: Vec<&str> = found.defines.iter().map(|d| d.body.as_str()).collect();
        assert_eq!(bodies, ["", "malloc(n)", "1"]);
    }

    #[test]
    fn given_macros_decide_branches() {
        let text = "#ifndef N\n#define N 4\n#else\n#define M 1\n#endif\n#if N > 9\n#define A 1\n\
            #elif N > 7\n#include \"b.h\"\n#else\n#define C 1\n#endif\n";
        let given = Given::from([("N".to_owned(), "8".to_owned())]);
        let found = directives_given(text, FileId(0), &given);
        let names: Vec<&str> = found.defines.iter().map(|d| d.name.as_str()).collect();
        assert_eq!((names, found.includes.len()), (vec!["M"], 1));
        assert_eq!(read(text).defines.len(), 4);
    }

    #[test]
    fn what_depends_on_a_condition_is_told_apart() {
        let found = read(
            "#ifndef FILE_H\n#define FILE_H\n#define A 1\n#ifndef B\n#define B A\n#endif\n\
             #if X\n#define C 1\n#else\n#define C 2\n#endif\n#define D 1\n#endif\n#define E 1\n",
        );
        let all: Vec<&str> =
            found.defines.iter().filter(|d| d.is_conditional).map(|d| d.name.as_str()).collect();
        assert_eq!(all, ["B", "C", "C"]);
    }

    #[test]
    fn broken_lines_are_passed_over() {
        for text in ["#define", "#define (", "#include", "#include <x", "#", "#define A(", "\\"] {
            read(text);
        }
    }
}

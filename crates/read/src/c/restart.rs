//! Where procedures begin in a text that the grammar does not accept.
//!
//! A parenthesis that is not closed can hide all that follows from the grammar. Layout tells more
//! then: a line that begins like a procedure, not deeper than the one before it, begins one.

use std::ops::Range;

use commloom_source::tree::Name;

use super::directives::logical_line_end;
use super::token::{Kind, Token, tokens};

/// Tokens from the start of a line to the brace of a procedure's body.
const LONGEST_HEAD: usize = 512;
/// Those before its first parenthesis.
const LONGEST_NAME: usize = 48;
/// Namespaces in namespaces; more are not looked at.
const DEEPEST: usize = 32;

/// A procedure, as far as its head says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// Its name; of a method without its class.
    pub name: Name,
    /// The namespaces and classes around it.
    pub path: Option<Name>,
    /// From the head to the next one.
    pub range: Range<usize>,
}

/// All procedures of a text. Time linear in it.
pub(super) fn heads(text: &str) -> Vec<Head> {
    let mut scan = Scan {
        text,
        all: placed(text),
        heads: Vec::new(),
        levels: Vec::new(),
        open: None,
        is_ended: true,
    };
    scan.run();
    scan.heads
}

/// A token, with its distance from the start of the line if it is the first there.
struct Placed<'t> {
    token: Token<'t>,
    indent: Option<usize>,
}

/// The tokens without lines of the preprocessor.
fn placed(text: &str) -> Vec<Placed<'_>> {
    let mut all: Vec<Placed<'_>> = Vec::new();
    let mut skipped = 0;
    let mut end = 0;
    let mut line = 0;
    for token in tokens(text) {
        let gap = text.get(end..token.start).unwrap_or("");
        let newline = gap.rfind('\n').map(|at| end + at + 1);
        line = newline.unwrap_or(line);
        let is_first = newline.is_some() || end == 0;
        end = token.start + token.text.len();
        if token.start < skipped {
            continue;
        }
        if is_first && token.text == "#" {
            skipped = logical_line_end(text, token.start);
            continue;
        }
        let indent = is_first.then(|| token.start - line);
        all.push(Placed { token, indent });
    }
    all
}

struct Scan<'t> {
    text: &'t str,
    all: Vec<Placed<'t>>,
    heads: Vec<Head>,
    /// Namespaces and classes that are open, each with where its line begins; blocks of `extern
    /// "C"` have no name.
    levels: Vec<(Option<Name>, usize)>,
    /// Where the line of the procedure begins that is open.
    open: Option<usize>,
    /// Whether the range of the last head is known.
    is_ended: bool,
}

/// The construct that begins with a line.
enum Start {
    /// A procedure, whose body begins at a token, or whose head is broken.
    Procedure(Name, usize, bool),
    /// Something that procedures can be in.
    Level(Option<Name>, usize),
}

impl Scan<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while let Some(placed) = self.all.get(at) {
            let (token, indent) = (placed.token, placed.indent);
            at += 1;
            let Some(indent) = indent else { continue };
            if token.text == "}" {
                match self.open {
                    Some(open) if indent <= open => self.open = None,
                    Some(_) => {}
                    None if self.levels.last().is_some_and(|(_, level)| indent <= *level) => {
                        self.levels.pop();
                        self.end(token.start);
                    }
                    None => {}
                }
                continue;
            }
            if token.kind != Kind::Name || self.open.is_some_and(|open| indent > open) {
                continue;
            }
            match self.start(at - 1) {
                Some(Start::Procedure(name, body, is_whole)) => {
                    self.end(token.start);
                    let path: Vec<&str> =
                        self.levels.iter().filter_map(|(name, _)| name.as_deref()).collect();
                    let path = (!path.is_empty()).then(|| path.join("::"));
                    let range = token.start..self.text.len();
                    self.heads.push(Head { name, path, range });
                    self.is_ended = false;
                    self.open = Some(indent);
                    if is_whole {
                        at = body + 1;
                        if let Some(end) = self.closed(body) {
                            self.open = None;
                            at = end;
                        }
                    }
                }
                Some(Start::Level(name, brace)) => {
                    self.end(token.start);
                    self.open = None;
                    at = brace + 1;
                    match self.closed(brace) {
                        Some(end) => at = end,
                        None if self.levels.len() < DEEPEST => self.levels.push((name, indent)),
                        None => {}
                    }
                }
                None => {}
            }
        }
        self.end(self.text.len());
    }

    /// The last head's range ends here.
    fn end(&mut self, at: usize) {
        if let Some(last) = self.heads.last_mut().filter(|_| !self.is_ended) {
            last.range.end = last.range.start + trimmed(&self.text[last.range.start..at]);
        }
        self.is_ended = true;
    }

    /// Behind what a brace opens, if it is closed on the same line.
    fn closed(&self, brace: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (at, placed) in self.all.iter().enumerate().skip(brace) {
            if placed.indent.is_some() && at > brace {
                break;
            }
            match placed.token.text {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }

    fn text_at(&self, at: usize) -> &str {
        self.all.get(at).map_or("", |placed| placed.token.text)
    }

    /// The construct that begins at the first token of a line.
    fn start(&self, first: usize) -> Option<Start> {
        let mut at = first;
        let limit = first + LONGEST_HEAD;
        while self.text_at(at) == "template" {
            at = self.angles(at + 1, limit)?;
        }
        match self.text_at(at) {
            "extern" if self.all.get(at + 1)?.token.kind == Kind::Text => {
                if self.text_at(at + 2) == "{" {
                    return Some(Start::Level(None, at + 2));
                }
                at += 2;
            }
            "namespace" | "class" | "struct" | "union" => {
                if let Some(level) = self.level(at, limit) {
                    return Some(level);
                }
            }
            _ => {}
        }
        self.procedure(at, limit)
    }

    /// `namespace a::b {`, `class A : public B {`
    fn level(&self, first: usize, limit: usize) -> Option<Start> {
        let mut name = None;
        let mut takes_name = true;
        for at in first + 1..limit {
            let placed = self.all.get(at)?;
            match placed.token.text {
                "{" => return Some(Start::Level(name, at)),
                ";" | "(" | ")" | "=" | "}" | "*" => return None,
                ":" => takes_name = self.text_at(at - 1) == ":" || self.text_at(at + 1) == ":",
                text if takes_name && placed.token.kind == Kind::Name => {
                    let before: Option<Name> = name.filter(|_| self.text_at(at - 1) == ":");
                    name = Some(before.map_or_else(|| text.into(), |b| format!("{b}::{text}")));
                }
                _ => {}
            }
        }
        None
    }

    /// `static double *f(int n) {`, `A::A(int n) : n(n) {`; of one whose parentheses have a brace
    /// in them only the beginning.
    fn procedure(&self, first: usize, limit: usize) -> Option<Start> {
        let mut names = 0_usize;
        let mut is_qualified = false;
        let mut name: Option<&str> = None;
        let mut at = first;
        // Up to the parenthesis.
        loop {
            let placed = self.all.get(at).filter(|_| at < first + LONGEST_NAME)?;
            let text = placed.token.text;
            match placed.token.kind {
                Kind::Name if is_no_head(text) => return None,
                Kind::Name => {
                    names += 1;
                    name = Some(text);
                }
                Kind::Sign => match text {
                    "(" => break,
                    "*" | "&" | "~" | "[" | "]" => {}
                    ":" if self.text_at(at + 1) == ":" || self.text_at(at - 1) == ":" => {
                        is_qualified = true;
                    }
                    "<" => {
                        at = self.angles(at, limit)?;
                        continue;
                    }
                    _ => return None,
                },
                Kind::Number | Kind::Text => return None,
            }
            at += 1;
        }
        let name = name?;
        if names < 2 && !is_qualified {
            return None;
        }
        let whole = |body| Some(Start::Procedure(name.to_owned(), body, true));
        let broken = Some(Start::Procedure(name.to_owned(), at, false));
        let mut depth = 0_usize;
        while at < limit {
            let Some(placed) = self.all.get(at) else { return broken };
            match placed.token.text {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                "{" if depth == 0 => return whole(at),
                "{" | "}" => return broken,
                ";" if depth == 0 => return None,
                ";" => return broken,
                "=" if depth == 0 => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Behind `<...>`.
    fn angles(&self, first: usize, limit: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in first..limit {
            match self.text_at(at) {
                "<" => depth += 1,
                ">" => depth = depth.checked_sub(1)?,
                "" | ";" | "{" | "}" => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(at + 1);
            }
        }
        None
    }
}

/// Words that begin something else than a procedure.
fn is_no_head(word: &str) -> bool {
    matches!(
        word,
        "if" | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "return"
            | "goto"
            | "break"
            | "continue"
            | "sizeof"
            | "throw"
            | "try"
            | "catch"
            | "new"
            | "delete"
            | "using"
            | "typedef"
            | "public"
            | "private"
            | "protected"
    )
}

/// The length without empty lines and lines of the preprocessor at the end: they belong to what
/// follows.
fn trimmed(text: &str) -> usize {
    let mut rest = text;
    loop {
        let line = rest.trim_end();
        let start = line.rfind('\n').map_or(0, |n| n + 1);
        if start == 0 || !line[start..].trim_start().starts_with('#') {
            return line.len();
        }
        rest = &line[..start];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        heads(text)
            .into_iter()
            .map(|head| {
                let path = head.path.map_or_else(String::new, |path| format!("{path}::"));
                format!("{path}{}: {}", head.name, text[head.range].lines().count())
            })
            .collect()
    }

    #[test]
    fn procedures_begin_where_lines_begin_like_them() {
        let text = "#include <x.h>\nint f(int);\nstatic int *f(int a)\n{\n  if (a) {\n  }\n}\n\n\
            #define A(x) {\nvoid\ng(void) { return; }\nint v = h(3);\nstruct s { int a; };\n\
            struct s *k(struct s *p) {\n  for (;;) {\n  int q(int x);\n}\n#ifdef X\n\
            void l(void) {\n}\n#endif\n";
        assert_eq!(found(text), ["f: 5", "g: 3", "k: 4", "l: 2"]);
    }

    #[test]
    fn what_is_not_closed_ends_at_the_next_one() {
        assert_eq!(
            found(
                "void a( {\n  x = 1;\n}\nvoid b(int x {\n}\nvoid c(void) {\n  while (1) {\n\
                 void d(void)\n{\n}\n"
            ),
            ["a: 3", "b: 2", "c: 2", "d: 3"]
        );
        assert_eq!(found("void a(\nvoid b(void) { }\n"), ["a: 1", "b: 1"]);
    }

    #[test]
    fn levels_are_those_of_the_layout() {
        let text = "namespace a {\nnamespace b::c {\nvoid f() {\n}\nclass K : public L<int> {\
            \n  int n;\n  void g(int q) { }\n  K() : n(0) { }\
            \n  template <class T> int h(T t) const {\n  }\n};\n}\nvoid a::b::K::m() {\n}\n}\n\
            extern \"C\" {\nvoid e(void) {\n}\n}\nextern \"C\" void z(void) { }\n";
        assert_eq!(
            found(text),
            ["a::b::c::f: 2", "a::b::c::K::g: 2", "a::b::c::K::h: 2", "a::m: 2", "e: 2", "z: 1"]
        );
    }

    #[test]
    fn anything_ends_in_linear_time() {
        for text in [
            "a b(",
            "a b <",
            "void f(int x",
            "template <",
            "class A : ",
            "\n}",
            "x\n",
            "namespace a {\nvoid f() {\n}\n",
        ] {
            heads(&text.repeat(100_000));
        }
        heads("void f(\n\u{e9}\u{e000}\"");
    }
}

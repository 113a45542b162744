//! Where functions are put that a procedure calls.

use commloom_source::{Source, Span};

use super::line::Lines;

/// The place for functions that this procedure of C or C++ calls: before the first procedure of
/// the file, so that all of it can share them, if that one stands in no block, both in no branch
/// of the preprocessor, and nothing is included between them; else before `own` itself. `all` are
/// the procedures of the file. None where the blocks of the file do not end. Linear in the text.
pub fn functions_at(source: &Source, all: impl Iterator<Item = Span>, own: Span) -> Option<Span> {
    // Where a block has no end, nobody knows what stands in it.
    if !is_outside_blocks(&source.text) {
        return None;
    }
    let lines = Lines::of(&source.text);
    let at = |start: usize| Span { file: own.file, start, end: start };
    let first = all.map(|span| span.start).min().unwrap_or(own.start);
    let first = above(lines, first);
    let before = source.text.get(..first).unwrap_or("");
    let between = source.text.get(first..own.start).unwrap_or("");
    let includes = |text: &str| text.lines().any(|line| directive(line) == Some("include"));
    let until_own = source.text.get(..own.start).unwrap_or("");
    let is_shared = includes(before)
        && !includes(between)
        && is_outside_blocks(before)
        && [before, until_own].into_iter().all(is_outside_branches);
    Some(at(if is_shared { first } else { above(lines, own.start) }))
}

/// The start of the line of a procedure, or of the comment and the lines of its head above it.
fn above(lines: Lines<'_>, start: usize) -> usize {
    let mut at = lines.start(start);
    while let Some(range) = lines.previous(at) {
        let line = lines.text.get(range.clone()).unwrap_or("").trim();
        if line.ends_with("*/") {
            let comment = lines.text.get(..range.end).and_then(|text| text.rfind("/*"));
            match comment {
                Some(open) if lines.before(open).trim().is_empty() => at = lines.start(open),
                _ => break,
            }
        } else if line.starts_with("//") {
            at = range.start;
        } else if line.is_empty() || line.starts_with('#') || line.ends_with([';', '{', '}', ':']) {
            break;
        } else {
            at = range.start;
        }
    }
    at
}

/// Whether the end of a text is in no branch of the preprocessor.
fn is_outside_branches(text: &str) -> bool {
    let one = |line| match directive(line) {
        Some("if" | "ifdef" | "ifndef") => 1_i64,
        Some("endif") => -1,
        _ => 0,
    };
    text.lines().map(one).sum::<i64>() == 0
}

/// Whether it is in no block.
fn is_outside_blocks(text: &str) -> bool {
    let one = |(_, word)| i64::from(word == "{") - i64::from(word == "}");
    commloom_source::words::words(text).map(one).sum::<i64>() == 0
}

fn directive(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix('#')?.split_whitespace().next()
}

#[cfg(test)]
mod tests {
    use commloom_source::{FileId, Language};

    use super::*;

    /// The text before the place for functions of `f`, of a file with procedures `a` and `f`.
    fn before(text: &str) -> &str {
        let span = |name: &str| {
            let start = text.find(name).expect("a procedure");
            Span { file: FileId(0), start, end: start + name.len() }
        };
        let source = Source { name: "t.cpp".into(), language: Language::Cpp, text: text.into() };
        let all = ["void a()", "void f()"].map(span);
        let at = functions_at(&source, all.into_iter(), span("void f()"));
        &text[..at.expect("a place").start]
    }

    #[test]
    fn a_file_shares_them_before_its_first_procedure_and_what_belongs_to_it() {
        let include = "#include <mpi.h>\nint n;\n\n";
        for head in ["", "/* f(x);\n * a */\n", "// a;\n", "template <class T>\nstatic\n"] {
            let text = format!("{include}{head}void a() {{}}\nvoid f() {{}}\n");
            assert_eq!(before(&text), include, "{head}");
        }
    }

    #[test]
    fn they_stay_with_their_procedure_where_others_may_not_see_them() {
        for (open, close) in [
            ("#ifdef A\n", "#endif\n"),
            ("namespace a {\n", "}\n"),
            ("struct A {\n  public:\n", "};\n"),
            ("", "#include <late.h>\n"),
        ] {
            let text =
                format!("#include <mpi.h>\n{open}void a() {{}}\n{close}\n// f\nvoid f() {{}}\n");
            assert_eq!(before(&text), &text[..text.find("// f").unwrap()], "{open}{close}");
        }
        let text = "#include <mpi.h>\nvoid a() {}\n#ifdef A\n// f\nvoid f() {}\n#endif\n";
        assert_eq!(before(text), &text[..text.find("// f").unwrap()], "where MPI may not be");
        let text = "void a() {}\n\nvoid f() {}\n";
        assert_eq!(before(text), "void a() {}\n\n", "nothing is included before");
    }
}

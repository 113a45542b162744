//! The changes that replace packing code.

use std::ops::Range;

use commloom_read::fortran::one_line;
use commloom_source::{Language, Source, Span};

use crate::anew::{Anew, MARKS};
use crate::emit::{Text, wrap};

use super::Change;
use super::line::Lines;

/// Where a call and its arguments stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallPlace {
    /// The whole statement; in C with what takes its result and the semicolon.
    pub statement: Span,
    /// The buffer argument.
    pub buffer: Span,
    /// The count argument.
    pub count: Span,
    /// The datatype argument.
    pub datatype: Span,
    /// The call of another procedure that it becomes, instead of getting other arguments.
    pub(crate) anew: Option<Anew>,
}

/// One call that gets a datatype instead of a packed buffer.
#[derive(Debug, Clone)]
pub struct Rewrite<'a> {
    /// The file.
    pub source: &'a Source,
    /// The call.
    pub call: CallPlace,
    /// The text that is written for it.
    pub text: &'a Text,
    /// Statements that are not needed any more.
    pub removed: &'a [Span],
    /// Statements that stand for the removed ones' lasting effects (`n = 5`); they go before the
    /// call.
    pub kept: &'a [String],
    /// Fortran: where declarations end.
    pub declarations_at: usize,
    /// C: where functions are put.
    pub functions_at: usize,
}

/// Why a text is not changed, though a datatype exists.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// `a = 1; call mpi_send(...)` in Fortran.
    #[error("several statements share the line")]
    SharedLine {
        /// Which.
        span: Span,
    },
    /// `else if (MPI_Send(...) != MPI_SUCCESS)`: nothing can be written before it.
    #[error(
        "the call stands in a condition, and nothing can be written before it: give it a \
             statement of its own"
    )]
    Head {
        /// Which.
        span: Span,
    },
    /// `return MPI_Send(...);`: nothing behind it is executed.
    #[error(
        "the call's value is returned, and nothing can free its type behind it: assign it first"
    )]
    Returned {
        /// Which.
        span: Span,
    },
    /// A directive belongs to the statement that follows it.
    #[error("a directive stands before the statement")]
    Directive {
        /// Which statement.
        span: Span,
    },
}

/// The change that takes a statement away that stands apart from the call.
pub fn remove(source: &Source, span: Span) -> Result<Change, EditError> {
    Editor::of(source).remove(span)
}

/// The changes of the file for one call. Those of several calls can be applied together.
pub fn rewrite(rewrite: &Rewrite<'_>) -> Result<Vec<Change>, EditError> {
    let editor = Editor::of(rewrite.source);
    let mut changes = Vec::new();
    for span in rewrite.removed {
        changes.push(editor.remove(*span)?);
    }
    if editor.fortran {
        editor.fortran_call(rewrite, &mut changes)?;
    } else {
        editor.c_call(rewrite, &mut changes)?;
    }
    Ok(changes)
}

/// Whether a line is a directive: `#pragma`, `!$omp`, `c$acc`.
pub fn is_directive(language: Language, line: &str) -> bool {
    let line = line.trim().to_ascii_lowercase();
    if !language.is_fortran() {
        return line.starts_with("#pragma") || line.starts_with("_pragma");
    }
    // A statement under OpenMP, which stands for itself.
    let marked = ["!$", "c$", "*$"].iter().find_map(|mark| line.strip_prefix(mark));
    if marked.is_some_and(|rest| rest.starts_with([' ', '\t'])) {
        return false;
    }
    ["!$", "c$", "*$", "!dir$", "cdir$", "!dec$", "!gcc$"].iter().any(|d| line.starts_with(d))
}

pub(super) struct Editor<'t> {
    pub(super) lines: Lines<'t>,
    pub(super) fixed: bool,
    fortran: bool,
    language: Language,
    /// Whether lines of fixed form are continued by an `&` in column 73 too, so that free form
    /// reads them.
    both: bool,
}

impl<'t> Editor<'t> {
    fn of(source: &'t Source) -> Editor<'t> {
        let fixed = source.language == Language::FortranFixed;
        let is_marked = |line: &str| line.chars().nth(72) == Some('&');
        Editor {
            lines: Lines::of(&source.text),
            fixed,
            both: fixed && source.text.lines().any(is_marked),
            fortran: source.language.is_fortran(),
            language: source.language,
        }
    }

    /// Takes a statement away, with its lines where nothing else is on them.
    fn remove(&self, span: Span) -> Result<Change, EditError> {
        let range = span.range();
        let before = self.lines.before(range.start);
        let behind = self.behind(range.end).trim();
        if before.trim().is_empty() && self.follows_directive(range.start) {
            return Err(EditError::Directive { span });
        }
        // The body of a control statement cannot be nothing.
        let needed = if self.fortran {
            !before.trim().is_empty() && !before.trim_end().ends_with(';')
        } else {
            self.is_controlled(range.start)
        };
        if needed {
            return Ok(Change { range, new: if self.fortran { "continue" } else { ";" }.into() });
        }
        if self.fortran && (behind.starts_with(';') || before.trim_end().ends_with(';')) {
            return Err(EditError::SharedLine { span });
        }
        if before.trim().is_empty() && behind.is_empty() {
            let start = self.lines.start(range.start);
            return Ok(Change { range: start..self.lines.next(range.end), new: String::new() });
        }
        let space = self.lines.behind(range.end);
        let blanks = space.len() - space.trim_start().len();
        Ok(Change { range: range.start..range.end + blanks, new: String::new() })
    }

    /// Whether the line before is a directive.
    fn follows_directive(&self, at: usize) -> bool {
        let Some(line) = self.lines.previous(at).and_then(|r| self.lines.text.get(r)) else {
            return false;
        };
        // The end of a construct says nothing of what follows.
        let word = line.trim().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
        is_directive(self.language, line) && !word.to_ascii_lowercase().starts_with("end")
    }

    /// Whether a statement of C is the body of an `if` or loop without braces, or has a label.
    fn is_controlled(&self, at: usize) -> bool {
        let mut rest = self.lines.text.get(..at).unwrap_or("").trim_end();
        loop {
            let line = rest.get(rest.rfind('\n').map_or(0, |n| n + 1)..).unwrap_or("");
            if let Some(without) = rest.strip_suffix("*/") {
                rest = without.get(..without.rfind("/*").unwrap_or(0)).unwrap_or("").trim_end();
            } else if let Some(comment) = line.find("//") {
                rest = rest.get(..rest.len() - line.len() + comment).unwrap_or("").trim_end();
            } else if line.trim_start().starts_with('#') {
                rest = rest.get(..rest.len() - line.len()).unwrap_or("").trim_end();
            } else {
                return !rest.is_empty() && !rest.ends_with([';', '{', '}']);
            }
        }
    }

    fn arguments(rewrite: &Rewrite<'_>) -> Vec<(Range<usize>, String)> {
        let Text { buffer, count, datatype, .. } = rewrite.text;
        let call = &rewrite.call;
        if let Some(Anew { span, text, .. }) = &call.anew {
            let new = MARKS.into_iter().zip([buffer, count, datatype]);
            let text = new.fold(text.clone(), |text, (mark, own)| text.replace(mark, own));
            return vec![(span.range(), text)];
        }
        vec![
            (call.buffer.range(), buffer.clone()),
            (call.count.range(), count.clone()),
            (call.datatype.range(), datatype.clone()),
        ]
    }

    fn c_call(&self, rewrite: &Rewrite<'_>, out: &mut Vec<Change>) -> Result<(), EditError> {
        let span = rewrite.call.statement;
        let range = span.range();
        if self.lines.before(range.start).trim().is_empty() && self.follows_directive(range.start) {
            return Err(EditError::Directive { span });
        }
        let arguments = Self::arguments(rewrite).into_iter();
        out.extend(arguments.map(|(range, new)| Change { range, new }));
        let text = rewrite.text;
        let outer = self.lines.indent(range.start);
        let braces = self.is_controlled(range.start) && !text.before.is_empty();
        let is_head = self.lines.text.get(range.clone()).is_some_and(|s| s.ends_with(')'));
        if is_head && (braces || !text.after.is_empty()) {
            return Err(EditError::Head { span });
        }
        let is_returned = self.lines.text.get(range.clone()).is_some_and(|s| {
            s.strip_prefix("return")
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        });
        if is_returned && !text.after.is_empty() {
            return Err(EditError::Returned { span });
        }
        let indent = if braces { format!("{outer}    ") } else { outer.to_owned() };
        let newline = format!("{}{indent}", self.lines.end);
        out.extend(self.functions(&text.functions, rewrite.functions_at));
        let mut before = String::new();
        if braces {
            before.push('{');
            before.push_str(&newline);
        }
        for line in text.declarations.iter().chain(rewrite.kept).chain(&text.before) {
            before.push_str(line);
            before.push_str(&newline);
        }
        let mut after = String::new();
        for line in &text.after {
            after.push_str(&newline);
            after.push_str(line);
        }
        if braces {
            after.push_str(&format!("{}{outer}}}", self.lines.end));
        }
        let arguments = [&text.buffer, &text.count, &text.datatype];
        let mut written = text.functions.iter().chain(arguments).map(String::as_str);
        let is_offset = |text: &str| text.contains("offsetof(");
        if written.any(is_offset) || is_offset(&before) {
            out.extend(self.header("stddef.h", "cstddef"));
        }
        if !before.is_empty() {
            out.push(Change { range: range.start..range.start, new: before });
        }
        if !after.is_empty() {
            let at = self.after_comment(range.end, &["//", "/*"]);
            out.push(Change { range: at..at, new: after });
        }
        Ok(())
    }

    /// Functions before a procedure, at the start of a line, each a change of its own: calls share
    /// them. A blank line parts them from what stands before. The first, which the others call,
    /// goes to the end of the line before, so that they come after it in whatever order changes at
    /// one place are made.
    fn functions(&self, all: &[String], at: usize) -> Vec<Change> {
        let Lines { text, end } = self.lines;
        let line = self.lines.behind(at);
        let indent = line.get(..line.len() - line.trim_start().len()).unwrap_or("");
        let is_blank = |range: Range<usize>| text.get(range).is_some_and(|l| l.trim().is_empty());
        let is_apart = self.lines.previous(at).is_none_or(is_blank);
        let written = |function: &String| {
            let lines = function.lines();
            let lines = lines.map(|l| format!("{}{l}", if l.is_empty() { "" } else { indent }));
            lines.collect::<Vec<_>>().join(end)
        };
        let before = at.checked_sub(end.len()).filter(|b| text.get(*b..at) == Some(end));
        let one = |(number, function): (usize, &String)| {
            let function = written(function);
            let (at, new) = match before.filter(|_| number == 0) {
                Some(before) if is_apart => (before, format!("{end}{function}{end}")),
                Some(before) => (before, format!("{end}{end}{function}")),
                None if is_apart => (at, format!("{function}{end}{end}")),
                None => (at, format!("{end}{function}{end}")),
            };
            Change { range: at..at, new }
        };
        all.iter().enumerate().map(one).collect()
    }

    /// The header that the text needs, before the first one of the file, unless it is there.
    fn header(&self, name: &str, other_name: &str) -> Option<Change> {
        let mut first = None;
        let mut at = 0;
        for line in self.lines.text.split_inclusive('\n') {
            if let Some(directive) = line.trim_start().strip_prefix('#')
                && let Some(what) = directive.trim_start().strip_prefix("include")
            {
                let what = what.trim();
                if [name, other_name].iter().any(|n| what.starts_with(&format!("<{n}>"))) {
                    return None;
                }
                first.get_or_insert(at);
            }
            at += line.len();
        }
        let at = first.unwrap_or(0);
        Some(Change { range: at..at, new: format!("#include <{name}>{}", self.lines.end) })
    }

    fn fortran_call(&self, rewrite: &Rewrite<'_>, out: &mut Vec<Change>) -> Result<(), EditError> {
        let span = rewrite.call.statement;
        let range = span.range();
        let before = self.lines.before(range.start);
        let behind = self.behind(range.end).trim();
        if behind.starts_with(';') || before.trim_end().ends_with(';') {
            return Err(EditError::SharedLine { span });
        }
        self.declarations(rewrite, out)?;
        let text = rewrite.text;
        let label = before.trim();
        let is_label = !label.is_empty() && label.chars().all(|c| c.is_ascii_digit());
        let is_controlled = !label.is_empty() && !is_label;
        let start_line = self.lines.start(range.start);
        let column = if is_controlled {
            self.lines.indent(range.start).len() + 3
        } else {
            before.chars().count()
        };
        let statements = |list: &mut dyn Iterator<Item = &String>| {
            let mut all = String::new();
            for statement in list {
                for line in self.wrap(statement, column) {
                    all.push_str(&line);
                    all.push_str(self.lines.end);
                }
            }
            all
        };
        let first = statements(&mut rewrite.kept.iter().chain(&text.before));
        let last = statements(&mut text.after.iter());
        self.changed_call(rewrite, column, is_controlled, out);
        if first.is_empty() && last.is_empty() {
            return Ok(());
        }
        if is_controlled {
            // `if (x) call f` becomes a block.
            let lead = " ".repeat(column.max(if self.fixed { 6 } else { 0 }));
            let new = format!("then{}{first}{lead}", self.lines.end);
            out.push(Change { range: range.start..range.start, new });
        } else if is_label {
            if self.follows_directive(range.start) {
                return Err(EditError::Directive { span });
            }
            // Who goes to the label must pass what comes before the call.
            let width = before.len();
            let new =
                format!("{before}continue{}{first}{}", self.lines.end, " ".repeat(width.max(6)));
            out.push(Change { range: start_line..range.start, new });
        } else {
            if self.follows_directive(range.start) {
                return Err(EditError::Directive { span });
            }
            out.push(Change { range: start_line..start_line, new: first });
        }
        let at = self.after_comment(range.end, &["!"]);
        if at == range.end && !behind.is_empty() {
            return Err(EditError::SharedLine { span });
        }
        let mut new = format!("{}{last}", self.lines.end);
        if is_controlled {
            let outer = self.lines.indent(range.start).len().max(if self.fixed { 6 } else { 0 });
            new.push_str(&format!("{}end if", " ".repeat(outer)));
        } else {
            new.truncate(new.len() - self.lines.end.len());
        }
        out.push(Change { range: at..at, new });
        Ok(())
    }

    /// The arguments alone where the lines stay short enough, else the whole call in new lines.
    fn changed_call(
        &self,
        rewrite: &Rewrite<'_>,
        column: usize,
        is_controlled: bool,
        out: &mut Vec<Change>,
    ) {
        let range = rewrite.call.statement.range();
        let arguments = Self::arguments(rewrite);
        let width = if self.fixed { 72 } else { 132 };
        let shift = |at: usize| at.saturating_sub(range.start);
        let inside: Vec<Change> = arguments
            .iter()
            .map(|(r, new)| Change { range: shift(r.start)..shift(r.end), new: new.clone() })
            .collect();
        let call = self.lines.text.get(range.clone()).unwrap_or("");
        let changed = super::apply(call, &inside).unwrap_or_else(|_| call.to_owned());
        let first_column =
            if is_controlled { column } else { self.columns(self.lines.before(range.start)) };
        // What stands past the last column is no part of the call: shorter arguments would draw
        // the `&` of lines that are of both forms into it.
        let behind = if self.fixed { self.behind_statement(&range) } else { Vec::new() };
        let fits = behind.is_empty()
            && changed.lines().enumerate().all(|(at, line)| {
                self.columns(line.trim_end()) + if at == 0 { first_column } else { 0 } <= width
            });
        if fits {
            out.extend(arguments.into_iter().map(|(range, new)| Change { range, new }));
            return;
        }
        let language = if self.fixed { Language::FortranFixed } else { Language::FortranFree };
        // Long arguments would be cut at column 72: marks stand for them while lines are joined.
        let marked: Vec<Change> = inside
            .iter()
            .zip(MARKS)
            .map(|(change, mark)| Change { range: change.range.clone(), new: mark.to_string() })
            .collect();
        let cut = behind
            .iter()
            .map(|r| Change { range: shift(r.start)..shift(r.end), new: String::new() });
        let marked: Vec<Change> = marked.into_iter().chain(cut).collect();
        let joined = super::apply(call, &marked).unwrap_or_else(|_| call.to_owned());
        let mut statement = one_line(&joined, language);
        for (mark, (_, new)) in MARKS.into_iter().zip(&arguments) {
            statement = statement.replace(mark, new);
        }
        let lines = self.wrap(&statement, column);
        let text = lines.join(self.lines.end);
        out.push(Change { range, new: text.trim_start().to_owned() });
    }

    /// A statement as lines in the manner of the file.
    fn wrap(&self, statement: &str, column: usize) -> Vec<String> {
        let mut lines = wrap(statement, column, self.fixed);
        if self.both
            && let Some((_, continued)) = lines.split_last_mut()
        {
            continued.iter_mut().for_each(|line| *line = format!("{line:<72}&"));
        }
        lines
    }

    fn declarations(&self, rewrite: &Rewrite<'_>, out: &mut Vec<Change>) -> Result<(), EditError> {
        let text = rewrite.text;
        if text.declarations.is_empty() {
            return Ok(());
        }
        let place = rewrite.declarations_at;
        let before = self.lines.before(place).trim();
        if !before.chars().all(|c| c.is_ascii_digit()) {
            return Err(EditError::SharedLine { span: rewrite.call.statement });
        }
        let mut at = self.lines.start(place);
        // The mark of a statement that may be a comment is not its beginning.
        let mark = self.lines.behind(place).strip_prefix("!$");
        let mark = mark.map_or(0, |rest| 2 + rest.len() - rest.trim_start().len());
        let indent = self.lines.before(place).chars().count() + mark;
        while let Some(line) = self.lines.previous(at)
            && self.lines.text.get(line.clone()).is_some_and(|l| is_directive(self.language, l))
        {
            at = line.start;
        }
        let mut new = String::new();
        for declaration in &text.declarations {
            for line in self.wrap(declaration, indent) {
                new.push_str(&line);
                new.push_str(self.lines.end);
            }
        }
        // At the end of the line before: what is written before a call that is the first statement
        // comes after all declarations.
        let end = self.lines.end;
        if let Some(line) = self.lines.previous(at)
            && self.lines.text.get(..at).is_some_and(|t| t.ends_with(end))
        {
            new.truncate(new.len() - end.len());
            let at = at - end.len();
            debug_assert!(line.start <= at);
            out.push(Change { range: at..at, new: format!("{end}{new}") });
        } else {
            out.push(Change { range: at..at, new });
        }
        Ok(())
    }
}

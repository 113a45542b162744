//! Lines that are statements under an option of the compiler, and comments else: `!$` of OpenMP
//! (OpenMP 5.2, section 3.3) in both forms, and lines of fixed form with a `D` in column 1
//! (`-fd-lines-as-code` and the like).
//!
//! Nobody but the compiler knows which of both they are, so each is read as a statement that may
//! be executed or not, as what stands in an `#if`. Where such a line is only a part of something
//! (a continued line of another statement, an `else`), there are two programs in one text, which
//! is [torn](super::form::Normalized::torn).

use std::ops::Range;

use commloom_source::tree::{Expression, ExpressionKind, Statement, StatementKind};
use tree_sitter::Node;

use super::form::Normalized;
use super::reader::Reader;

/// A statement that may be a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Conditional {
    /// Its bytes in the normalized text, without a comment behind it.
    pub range: Range<usize>,
    /// The bytes of the original, from the mark on.
    pub original: Range<usize>,
}

/// A line of fixed form whose mark became blanks, where it has one.
pub(super) fn unmarked_fixed(line: &str) -> Option<String> {
    let marks = ["!$", "c$", "C$", "*$", "d", "D"];
    let mark = marks.into_iter().find(|mark| line.starts_with(mark))?;
    let rest = line.get(mark.len()..).unwrap_or("");
    Some(format!("{}{rest}", " ".repeat(mark.len())))
}

/// Free form in which the marks became blanks. Time linear in the text.
pub(super) fn unmarked_free(text: &str) -> Normalized {
    let mut out = Normalized::of_plain(String::with_capacity(text.len()));
    // Whether the statement before goes on, and whether it is a conditional one.
    let mut open: Option<bool> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let is_marked = is_conditional(line.trim_start(), open.is_some());
        let blank = if is_marked { "  " } else { "" };
        let rest = line.get(indent + blank.len()..).unwrap_or("");
        let code = code_before_comment(rest);
        out.text.push_str(line.get(..indent).unwrap_or(""));
        out.text.push_str(blank);
        out.text.push_str(rest);
        let at = start + indent;
        let end = at + blank.len() + code.trim_end().len();
        let is_code = !code.trim().is_empty() && !code.starts_with('#');
        match open {
            _ if !is_code => {}
            Some(before) if before != is_marked => out.torn.push(at..end),
            Some(true) => {
                if let Some(last) = out.conditional.last_mut() {
                    last.range.end = end;
                    last.original.end = end;
                }
            }
            None if is_marked => {
                let first = at + blank.len() + (code.len() - code.trim_start().len());
                let original = at..end;
                out.conditional.push(Conditional { range: first..end, original });
            }
            _ => {}
        }
        if is_code {
            open = code.trim_end().ends_with('&').then_some(is_marked);
        }
        start += line.len();
    }
    out
}

/// Whether a line of free form, without its indent, begins with the mark of OpenMP: `!$omp` and
/// `!$acc` are directives, and no statements.
pub(super) fn is_conditional(line: &str, continues: bool) -> bool {
    let Some(rest) = line.strip_prefix("!$") else { return false };
    rest.starts_with([' ', '\t']) || (continues && rest.starts_with('&'))
}

pub(super) fn code_before_comment(line: &str) -> &str {
    let mut quote = None;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '!') => return line.get(..at).unwrap_or(""),
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if c == q => quote = None,
            _ => {}
        }
    }
    line
}

impl<'t> Reader<'t> {
    /// The conditional line that a node is the statement of.
    pub(super) fn conditional_line(&self, node: Node<'t>) -> Option<&'t Conditional> {
        let all = &self.normalized.conditional;
        let at = all.partition_point(|c| c.range.start < node.start_byte());
        all.get(at).filter(|c| c.range.start == node.start_byte())
    }

    /// Statements as they are executed, or not.
    pub(super) fn perhaps(&self, line: &Conditional, then: Vec<Statement>) -> Statement {
        let span = self.span_of_original(line.original.clone());
        let condition = Expression { span, kind: ExpressionKind::Unknown(Vec::new()) };
        let kind = StatementKind::If { condition, then, otherwise: Vec::new() };
        Statement { span, kind }
    }

    /// Conditional lines in a unit, without those of units in it.
    pub(super) fn conditional_lines(
        &self,
        unit: Node<'t>,
        inside: &[Node<'t>],
    ) -> Vec<&'t Conditional> {
        let is_in = |node: &Node<'t>, c: &Conditional| node.byte_range().contains(&c.range.start);
        let all = self.normalized.conditional.iter();
        all.filter(|c| is_in(&unit, c) && !inside.iter().any(|node| is_in(node, c))).collect()
    }

    /// Whether a conditional line is a whole statement, or declaration.
    pub(super) fn is_whole(&self, unit: Node<'t>, line: &Conditional) -> bool {
        let Conditional { range, .. } = line;
        let Some(node) = unit.descendant_for_byte_range(range.start, range.end) else {
            return false;
        };
        let text = self.text(node).trim_end();
        node.start_byte() == range.start
            && node.start_byte() + text.len() <= range.end
            && matches!(
                node.kind(),
                "assignment_statement"
                    | "pointer_association_statement"
                    | "subroutine_call"
                    | "call_expression"
                    | "keyword_statement"
                    | "if_statement"
                    | "read_statement"
                    | "write_statement"
                    | "print_statement"
                    | "open_statement"
                    | "close_statement"
                    | "inquire_statement"
                    | "file_position_statement"
                    | "allocate_statement"
                    | "deallocate_statement"
                    | "nullify_statement"
                    | "stop_statement"
                    | "variable_declaration"
                    | "use_statement"
                    | "include_statement"
            )
    }
}

//! Lines that are statements under an option of the compiler, and comments else: `!$` of OpenMP
//! (OpenMP 5.2, section 3.3) in both forms, and lines of fixed form with a `D` in column 1
//! (`-fd-lines-as-code` and the like).
//!
//! Nobody but the compiler knows which of both they are, so each is read as a statement that may
//! be executed or not, as what stands in an `#if`. Where such a line is only a part of something
//! (a continued line of another statement, an `else`), there are two programs in one text, which
//! is [torn](super::form::Normalized::torn).

use commloom_source::tree::{Expression, ExpressionKind, Statement, StatementKind};
use tree_sitter::Node;

use super::blanks::{is_split_name, is_word};
use super::form::Normalized;
use super::marks::Conditional;
use super::reader::Reader;

/// Free form in which the marks became blanks, and names of MPI that stand in two lines are whole.
/// Time linear in the text.
pub(super) fn unmarked_free(text: &str) -> Normalized {
    let mut out = Normalized::of_plain(String::with_capacity(text.len()));
    // Of a statement that goes on: whether it is a conditional one, and where its `&` stands.
    let mut open: Option<(bool, usize)> = None;
    let mut quote = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        let is_marked = is_conditional(line.trim_start(), open.is_some());
        let blank = if is_marked { "  " } else { "" };
        let rest = line.get(indent + blank.len()..).unwrap_or("");
        let (code, still_open) = code_before_comment(rest, quote);
        let is_code = !code.trim().is_empty() && !code.starts_with('#');
        let original = start + indent;
        let next = rest.strip_prefix('&').filter(|_| quote.is_none());
        if let (Some((_, mark)), Some(next)) = (open, next)
            && is_split_name(out.text.get(..mark).unwrap_or(""), next)
            && next.starts_with(is_word)
        {
            out.torn.push(original..original + rest.trim_end().len());
            out.cut_back(mark, original + 1);
            out.text.push_str(next);
        } else {
            out.text.push_str(line.get(..indent).unwrap_or(""));
            out.text.push_str(blank);
            out.text.push_str(rest);
        }
        // The code's end in the text, which ends with the line.
        let end = out.text.len() - (rest.len() - code.trim_end().len());
        let whole = original..original + blank.len() + code.trim_end().len();
        match open {
            _ if !is_code => {}
            Some((before, _)) if before != is_marked => out.torn.push(whole),
            Some((true, _)) => {
                if let Some(last) = out.conditional.last_mut() {
                    last.range.end = end;
                    last.original.end = whole.end;
                }
            }
            None if is_marked => {
                let range = end - code.trim().len()..end;
                out.conditional.push(Conditional { range, original: whole });
            }
            _ => {}
        }
        if is_code {
            let goes_on = code.trim_end().ends_with('&');
            open = goes_on.then(|| (is_marked, end.saturating_sub(1)));
            quote = still_open.filter(|_| goes_on);
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

/// The line without a comment, and the quote that is open at its end; one may be at its beginning.
pub(super) fn code_before_comment(line: &str, open: Option<char>) -> (&str, Option<char>) {
    let mut quote = open;
    for (at, c) in line.char_indices() {
        match (quote, c) {
            (None, '!') => return (line.get(..at).unwrap_or(""), None),
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if c == q => quote = None,
            _ => {}
        }
    }
    (line, quote)
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

//! Fixed form becomes free form, with the way back to the original places.
//!
//! Fixed form (Fortran 2018, section 6.3.3): a statement stands in columns 7 to 72, its label in
//! columns 1 to 5, and a character in column 6 continues the line before. The normalized text has
//! one line for a statement, however long, and no comments; blanks are kept as they are, so that
//! code which leaves out blanks between words is not understood (and refused), never
//! misunderstood.

use std::ops::Range;

use super::conditional::{Conditional, unmarked_fixed, unmarked_free};

/// Past the last column of fixed form.
const LAST_COLUMN: usize = 72;

/// The first column of a statement, from 0.
const FIRST_COLUMN: usize = 6;

/// A text that the free-form grammar reads, and where its bytes come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Normalized {
    /// Free form.
    pub text: String,
    /// Starts of pieces in `text` and in the original, ascending in `text`; within a piece both
    /// advance together.
    pieces: Vec<(usize, usize)>,
    /// Places of the original where a statement goes on past column 72, which compilers ignore and
    /// people overlook.
    pub cut: Vec<Range<usize>>,
    /// Statements that may be comments, ascending.
    pub conditional: Vec<Conditional>,
    /// Lines of the original that continue a statement, where either the line is a comment perhaps,
    /// or what it continues: with options of the compiler the text becomes another one.
    pub torn: Vec<Range<usize>>,
}

impl Normalized {
    /// Free form is what it is, but for marks of conditional lines. Fixed form: see the module.
    pub(super) fn of_free(text: &str) -> Normalized {
        unmarked_free(text)
    }

    /// A text whose bytes are where they are in the original.
    pub(super) fn of_plain(text: String) -> Normalized {
        let (cut, conditional, torn) = Default::default();
        Normalized { text, pieces: vec![(0, 0)], cut, conditional, torn }
    }

    /// Time linear in the text.
    pub(super) fn of_fixed(text: &str) -> Normalized {
        let mut writer = Writer {
            out: Normalized {
                pieces: Vec::new(),
                ..Normalized::of_plain(String::with_capacity(text.len()))
            },
            open: false,
            conditional: None,
            string: None,
            full: false,
        };
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            writer.line(line.trim_end_matches(['\n', '\r']), start);
            start += line.len();
        }
        writer.close(start);
        writer.out
    }

    /// The place in the original of a byte of the normalized text. Time O(log n).
    pub(super) fn original(&self, offset: usize) -> usize {
        let after = self.pieces.partition_point(|&(normalized, _)| normalized <= offset);
        match after.checked_sub(1).and_then(|i| self.pieces.get(i)) {
            Some(&(normalized, original)) => original + (offset - normalized),
            None => 0,
        }
    }

    /// The same for a range; its end lies behind its last byte, not before the byte that follows.
    pub(super) fn original_range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.original(range.start);
        match range.end.checked_sub(1) {
            Some(last) if last >= range.start => start..self.original(last) + 1,
            _ => start..start,
        }
    }
}

struct Writer {
    out: Normalized,
    /// Whether a statement was begun that later lines may continue.
    open: bool,
    /// Where a conditional statement was begun that later lines may continue: in the text, and in
    /// the original.
    conditional: Option<Conditional>,
    /// The quote of a string that goes on in the next line.
    string: Option<char>,
    /// Whether the last line had a character in column 72.
    full: bool,
}

/// The kind of a line, by its first columns.
enum Kind {
    Comment,
    Preprocessor,
    /// Statement in the line from this byte on, label before it.
    Initial(usize),
    /// Text from this byte on.
    Continuation(usize),
    /// Not fixed form.
    Foreign,
}

impl Writer {
    fn line(&mut self, line: &str, start: usize) {
        let unmarked = unmarked_fixed(line);
        let is_marked = unmarked.is_some();
        let line = unmarked.as_deref().unwrap_or(line);
        match kind_of(line) {
            // A mark before what no option makes a statement.
            Kind::Preprocessor | Kind::Foreign if is_marked => {}
            Kind::Comment => {}
            Kind::Preprocessor | Kind::Foreign => {
                self.close(start);
                self.copy(line, 0..line.len(), start);
                self.newline(start + line.len());
            }
            Kind::Initial(body) => {
                self.close(start);
                let field = line.get(..body).unwrap_or("");
                let label = field.trim();
                let at = self.out.text.len();
                self.conditional = is_marked
                    .then(|| Conditional { range: at..at, original: start..start + line.len() });
                if !label.is_empty() {
                    let at = field.len() - field.trim_start().len();
                    self.copy(line, at..at + label.len(), start);
                    self.piece(start + at + label.len());
                    self.out.text.push(' ');
                }
                self.open = true;
                self.body(line, body, start);
            }
            Kind::Continuation(body) => {
                match &mut self.conditional {
                    Some(open) if is_marked => open.original.end = start + line.len(),
                    None if !is_marked => {}
                    _ => self.out.torn.push(start..start + line.len()),
                }
                if self.string.is_none() && !self.full {
                    self.piece(start + body.saturating_sub(1));
                    self.out.text.push(' ');
                }
                self.open = true;
                self.body(line, body, start);
            }
        }
    }

    /// Columns 7 to 72, without a comment.
    fn body(&mut self, line: &str, body: usize, start: usize) {
        // A tab in the label field counts as if it went to column 7, as in gfortran.
        let limit = floor(line, body + (LAST_COLUMN - FIRST_COLUMN));
        let statement = line.get(body..limit).unwrap_or("");
        let (length, string) = before_comment(statement, self.string);
        let code = statement.get(..length).unwrap_or("");
        if !code.is_empty() {
            self.piece(start + body);
            self.out.text.push_str(&quoted(code, self.string));
        }
        let commented = length < statement.len();
        if string.is_some() {
            let missing = (LAST_COLUMN - FIRST_COLUMN).saturating_sub(statement.chars().count());
            self.piece(start + body + length);
            self.out.text.extend(std::iter::repeat_n(' ', missing));
        }
        self.string = string;
        self.full = limit < line.len() || statement.chars().count() == LAST_COLUMN - FIRST_COLUMN;
        let rest = line.get(limit..).unwrap_or("");
        if !commented && string.is_none() && goes_on(rest) {
            self.out.cut.push(start + limit..start + line.len());
        }
    }

    fn copy(&mut self, line: &str, range: Range<usize>, start: usize) {
        if let Some(text) = line.get(range.clone())
            && !text.is_empty()
        {
            self.piece(start + range.start);
            self.out.text.push_str(text);
        }
    }

    /// The text that is written next comes from there.
    fn piece(&mut self, original: usize) {
        self.out.pieces.push((self.out.text.len(), original));
    }

    fn close(&mut self, next: usize) {
        if let Some(mut closed) = self.conditional.take() {
            let text = self.out.text.get(closed.range.start..).unwrap_or("");
            let first = closed.range.start + (text.len() - text.trim_start().len());
            closed.range = first..first + text.trim().len();
            self.out.conditional.push(closed);
        }
        if self.open {
            self.newline(next.saturating_sub(1));
        }
        self.open = false;
        self.string = None;
        self.full = false;
    }

    fn newline(&mut self, original: usize) {
        self.piece(original);
        self.out.text.push('\n');
    }
}

fn kind_of(line: &str) -> Kind {
    let Some(first) = line.chars().next() else { return Kind::Comment };
    if first == '#' {
        return Kind::Preprocessor;
    }
    if matches!(first, 'c' | 'C' | '*' | '!') || line.trim().is_empty() {
        return Kind::Comment;
    }
    for (column, (at, c)) in line.char_indices().enumerate() {
        match c {
            '\t' => {
                let body = at + 1;
                let next = line.get(body..).and_then(|rest| rest.chars().next());
                return match next {
                    Some('1'..='9') => Kind::Continuation(body + 1),
                    _ => Kind::Initial(body),
                };
            }
            _ if column == FIRST_COLUMN - 1 => {
                let body = at + c.len_utf8();
                return if c == ' ' || c == '0' {
                    Kind::Initial(body)
                } else {
                    Kind::Continuation(body)
                };
            }
            '!' => return Kind::Comment,
            ' ' | '0'..='9' => {}
            _ => return Kind::Foreign,
        }
    }
    // Shorter than six columns: a label, or nothing.
    Kind::Initial(line.len())
}

/// How many bytes stand before a comment, and the quote that is open at the end.
fn before_comment(text: &str, open: Option<char>) -> (usize, Option<char>) {
    let mut quote = open;
    let mut skipped = 0;
    for (at, c) in text.char_indices() {
        if skipped > 0 {
            skipped -= 1;
            continue;
        }
        match (quote, c) {
            (None, '!') => return (at, None),
            (None, 'h' | 'H') => skipped = counted(text.get(..at).unwrap_or("")),
            (None, '\'' | '"') => quote = Some(c),
            (Some(q), c) if c == q => quote = None,
            _ => {}
        }
    }
    (text.len(), quote)
}

/// The same bytes with quotes around constants that are counted (`4Hd'or`), and without what they
/// say: nobody after this knows of such.
fn quoted(text: &str, open: Option<char>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote = open;
    for (at, c) in text.char_indices() {
        if at < out.len() {
            continue;
        }
        let before = text.get(..at).unwrap_or("");
        let count = if quote.is_none() && matches!(c, 'h' | 'H') { counted(before) } else { 0 };
        let rest = text.get(at + 1..).unwrap_or("");
        if count > 0 && rest.chars().count() >= count {
            let digits = before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let bytes: usize = rest.chars().take(count).map(char::len_utf8).sum();
            out.truncate(digits);
            out.push('\'');
            out.extend(std::iter::repeat_n('x', (at + bytes).saturating_sub(digits + 1)));
            out.push('\'');
            continue;
        }
        quote = match quote {
            None if matches!(c, '\'' | '"') => Some(c),
            Some(q) if c == q => None,
            other => other,
        };
        out.push(c);
    }
    out
}

/// How many characters the `H` behind a text makes a constant of: `8H DON'T!`, in lists (of a
/// `format`, of `data`, of arguments).
fn counted(before: &str) -> usize {
    let rest = before.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = before.get(rest.len()..).unwrap_or("");
    if !rest.trim_end().ends_with(['(', ',', '/', '=']) {
        return 0;
    }
    number.parse().unwrap_or(0)
}

/// Whether what stands past column 72 looks like code: not blank, no comment, no `&` of code for
/// both forms, and no card number.
fn goes_on(rest: &str) -> bool {
    let rest = rest.trim();
    let is_card = rest.len() <= 8
        && rest.chars().all(char::is_alphanumeric)
        && rest.ends_with(|c: char| c.is_ascii_digit());
    !(rest.is_empty() || rest.starts_with('!') || rest == "&" || is_card)
}

/// The last border of characters that is not past `at`.
fn floor(text: &str, at: usize) -> usize {
    if at >= text.len() {
        return text.len();
    }
    (0..=at).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fixed: &str, free: &str) {
        let normalized = Normalized::of_fixed(fixed);
        assert_eq!(normalized.text, free);
        // Every byte that is not made up is where it comes from.
        for (at, byte) in normalized.text.bytes().enumerate() {
            if !byte.is_ascii_whitespace() {
                assert_eq!(fixed.as_bytes().get(normalized.original(at)), Some(&byte), "at {at}");
            }
        }
    }

    #[test]
    fn statements_of_several_lines_become_one() {
        check(
            "c comment\n      call f(a,\n     >       b)\n* another\n\n      end\n",
            "call f(a,        b)\nend\n",
        );
    }

    #[test]
    fn comments_stand_between_continuations() {
        check("      x = 1\nc no\n     &    + 2 ! yes\n", "x = 1     + 2 \n");
    }

    #[test]
    fn labels_and_tabs() {
        check(
            "      do 10 i=1,n\n 10   continue\n\tx = 1\n\t1 + 2\n20\ty = 2\n",
            "do 10 i=1,n\n10 continue\nx = 1  + 2\n20 y = 2\n",
        );
    }

    #[test]
    fn a_quote_hides_a_comment_and_goes_on() {
        let text = format!("      s = 'a ! b{}\n     &c'\n", " ".repeat(10));
        let free = format!("s = 'a ! b{}c'\n", " ".repeat(56));
        check(&text, &free);
    }

    #[test]
    fn column_72_ends_a_statement() {
        let line = format!("      x = 1{}+ 2\n", " ".repeat(61));
        let normalized = Normalized::of_fixed(&line);
        assert_eq!(normalized.text.trim_end(), "x = 1");
        assert_eq!(normalized.cut, vec![72..75]);
        let card = format!("      x = 1{}ABC00010\n", " ".repeat(61));
        assert!(Normalized::of_fixed(&card).cut.is_empty());
    }

    #[test]
    fn counted_constants_are_strings() {
        let text = Normalized::of_fixed("   90 FORMAT(8H DO I=1!,I3,5H don') ! end\n      x=h!\n");
        assert_eq!(text.text, "90 FORMAT('xxxxxxxx',I3,'xxxxx') \nx=h\n");
        check("      y = 3*h ! no\n", "y = 3*h \n");
    }

    #[test]
    fn preprocessor_lines_stay() {
        check("#ifdef A\n      x = 1\n#endif\n", "#ifdef A\nx = 1\n#endif\n");
    }
}

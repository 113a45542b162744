//! Fixed form becomes free form, with the way back to the original places.
//!
//! Fixed form (Fortran 2018, section 6.3.3): a statement stands in columns 7 to 72, its label in
//! columns 1 to 5, and a character in column 6 continues the line before. The normalized text has
//! one line for a statement, however long, and no comments; blanks are kept as they are, so that
//! code which leaves out blanks between words is not understood (and refused), never
//! misunderstood.

use std::ops::Range;

use super::blanks::{grown_together, is_split_name, is_word, missing};
use super::marks::{Conditional, unmarked_fixed};
use super::quotes::{before_comment, quoted};

/// Past the last column of fixed form.
const LAST_COLUMN: usize = 72;

/// The last column of a card.
const LAST_COLUMN_OF_CARDS: usize = 80;

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
    /// Lines of the original that continue a statement, where either the line is a comment
    /// perhaps, or what it continues: with options of the compiler the text becomes another one.
    pub torn: Vec<Range<usize>>,
}

impl Normalized {
    /// A text whose bytes are where they are in the original.
    pub(super) fn of_plain(text: String) -> Normalized {
        let (cut, conditional, torn) = Default::default();
        Normalized { text, pieces: vec![(0, 0)], cut, conditional, torn }
    }

    /// Takes back the end of the text, and goes on with that of another place.
    pub(super) fn cut_back(&mut self, length: usize, original: usize) {
        self.text.truncate(length);
        self.pieces.retain(|&(normalized, _)| normalized < length);
        self.pieces.push((length, original));
    }

    /// Time linear in the text.
    pub(super) fn of_fixed(text: &str) -> Normalized {
        let mut writer = Writer {
            out: Normalized {
                pieces: Vec::new(),
                ..Normalized::of_plain(String::with_capacity(text.len()))
            },
            open: false,
            begun: 0,
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
    /// Where it begins in the text.
    begun: usize,
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
                self.begun = at;
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
                self.open = true;
                let next = line.get(body..).unwrap_or("");
                if self.string.is_none() && is_split_name(self.out.text.trim_end(), next) {
                    self.out.torn.push(start + body..start + line.len());
                    self.whole_name(line, body, start);
                    return;
                }
                if self.string.is_none() && !self.full {
                    self.piece(start + body.saturating_sub(1));
                    self.out.text.push(' ');
                }
                self.body(line, body, start);
            }
        }
    }

    /// A line that begins with the rest of a name, without the blanks between the two parts.
    fn whole_name(&mut self, line: &str, body: usize, start: usize) {
        let at = self.out.text.trim_end().len();
        self.out.cut_back(at, start + body);
        self.body(line, body, start);
        let next = self.out.text.get(at..).unwrap_or("");
        let blanks = next.len() - next.trim_start().len();
        self.out.text.replace_range(at..at + blanks, "");
        for piece in &mut self.out.pieces {
            if piece.0 == at {
                piece.1 += blanks;
            } else if piece.0 > at {
                piece.0 -= blanks;
            }
        }
    }

    /// A blank before a byte of the text.
    fn insert(&mut self, at: usize) {
        let original = self.out.original(at);
        self.out.text.insert(at, ' ');
        for piece in self.out.pieces.iter_mut().filter(|piece| piece.0 >= at) {
            piece.0 += 1;
        }
        let place = self.out.pieces.partition_point(|piece| piece.0 <= at);
        if self.out.pieces.get(place).is_none_or(|piece| piece.0 != at + 1) {
            self.out.pieces.insert(place, (at + 1, original));
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
        if !commented && string.is_none() && goes_on(statement, rest) {
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
        let statement = self.out.text.get(self.begun..).filter(|_| self.open).unwrap_or("");
        let mut blanks = missing(statement);
        if let Some(at) = grown_together(statement) {
            let at_original = self.out.original(self.begun + at);
            self.out.torn.push(at_original..at_original + 1);
            blanks.push(at);
        }
        for at in blanks.into_iter().rev() {
            self.insert(self.begun + at);
        }
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

/// Whether what stands past column 72 looks like code: not blank, no comment, no `&` of code for
/// both forms, and no name or number of a card.
fn goes_on(before: &str, rest: &str) -> bool {
    let text = rest.trim();
    !(text.is_empty() || text.starts_with('!') || text == "&" || is_card(before, rest))
}

/// Whether columns 73 to 80 have the name or the number of a card, which no compiler reads that
/// ends its lines there. A word may be code of those that do not, if what stands before could be
/// the beginning of the word: numbers are not.
fn is_card(before: &str, rest: &str) -> bool {
    let text = rest.trim();
    let is_apart = !before.ends_with(is_word) || rest.starts_with(' ');
    !text.is_empty()
        && text.len() <= LAST_COLUMN_OF_CARDS - LAST_COLUMN
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ')
        && (is_apart || text.ends_with(|c: char| c.is_ascii_digit()))
}

/// Where the name or number of a card begins in a line of fixed form: what stands there is no part
/// of the program, and stays in its columns or goes.
pub fn card(line: &str) -> Option<usize> {
    let (Kind::Initial(body) | Kind::Continuation(body)) = kind_of(line) else { return None };
    let limit = floor(line, body + (LAST_COLUMN - FIRST_COLUMN));
    let (before, rest) = line.split_at(limit);
    let statement = before.get(body..).unwrap_or("");
    let is_commented = before_comment(statement, None).0 < statement.len();
    (!is_commented && is_card(before, rest)).then_some(limit)
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
        for card in ["ABC00010", "00000010", "SUB 10", " MAIN", "PROGRAM"] {
            let line = format!("      x = 1{}{card}", " ".repeat(61));
            assert!(Normalized::of_fixed(&line).cut.is_empty(), "{card}");
            assert_eq!(super::card(&line), Some(72), "{card}");
        }
        // Words that may go on.
        let line = format!("      x = {}sum", "a".repeat(62));
        assert!(!Normalized::of_fixed(&line).cut.is_empty());
        assert_eq!(super::card(&line), None);
        assert_eq!(super::card(&format!("      x = 1 !{}ABC00010", " ".repeat(59))), None);
    }

    #[test]
    fn counted_constants_are_strings() {
        let text = Normalized::of_fixed("   90 FORMAT(8H DO I=1!,I3,5H don') ! end\n      x=h!\n");
        assert_eq!(text.text, "90 FORMAT('xxxxxxxx',I3,'xxxxx') \nx=h\n");
        check("      y = 3*h ! no\n", "y = 3*h \n");
    }

    #[test]
    fn loops_need_no_blanks() {
        check("      DO20I=1,N\n   20 X=I\n", "DO 20 I=1,N\n20 X=I\n");
        check("      DO 5 I\n     &=1,\n     &N\n", "DO 5 I =1, N\n");
    }

    #[test]
    fn names_of_mpi_are_made_whole() {
        check("      CALL MPI_ \n     &  SEND(A)\n", "CALL MPI_SEND(A)\n");
        check("      CALLMPI_SEND(A)\n", "CALL MPI_SEND(A)\n");
        assert_eq!(Normalized::of_fixed("      CALL MPI_\n     &SEND(A)\n").torn.len(), 1);
    }

    #[test]
    fn preprocessor_lines_stay() {
        check("#ifdef A\n      x = 1\n#endif\n", "#ifdef A\nx = 1\n#endif\n");
    }
}

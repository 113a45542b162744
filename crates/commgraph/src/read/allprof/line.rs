//! A line of a trace, cut into fields.

use std::ops::Range;

use commloom_layout::text::ParseError;

/// A call: its name, and the fields after it, each with its place. The first field is the start
/// time, the last the end.
pub(super) struct Line<'a> {
    text: &'a str,
    pub name: &'a str,
    /// The name.
    pub span: Range<usize>,
    fields: Vec<(&'a str, Range<usize>)>,
}

/// The calls of a trace. Comments and blank lines are left out.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Result<Line<'_>, ParseError>> {
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let here = start;
        start += line.len();
        let words = line.trim();
        if words.is_empty() || words.starts_with('#') {
            return None;
        }
        Some(Line::of(text, here + (line.len() - line.trim_start().len()), words))
    })
}

impl<'a> Line<'a> {
    fn of(text: &'a str, start: usize, words: &'a str) -> Result<Line<'a>, ParseError> {
        let mut at = start;
        let mut fields = words.split(':').map(|field| {
            let span = at..at + field.len();
            at = span.end + 1;
            (field.trim(), span)
        });
        let (name, span) = fields.next().unwrap_or(("", start..start));
        if !name.starts_with("MPI_") && !name.starts_with("NBC_") {
            let message = "expected a call such as `MPI_Send:...`, a comment `#` or nothing";
            return Err(ParseError::other(text, start..start + words.len(), message));
        }
        Ok(Line { text, name, span, fields: fields.collect() })
    }

    /// Refuses a call without all of its arguments: a trace that was cut off, or of another
    /// tracer.
    pub(super) fn has(&self, arguments: usize) -> Result<(), ParseError> {
        let found = self.fields.len();
        match found == arguments + 2 {
            true => Ok(()),
            false => {
                let message = format!(
                    "{} has {} fields: its start, {arguments} arguments, its end; here are {found}",
                    self.name,
                    arguments + 2
                );
                let end = self.fields.last().map_or(self.span.end, |(_, span)| span.end);
                Err(ParseError::other(self.text, self.span.start..end, message))
            }
        }
    }

    /// How many arguments there are.
    pub(super) fn arguments(&self) -> usize {
        self.fields.len().saturating_sub(2)
    }

    /// Argument `k`, from 1.
    pub(super) fn field(&self, k: usize) -> (&'a str, Range<usize>) {
        self.fields.get(k).cloned().unwrap_or(("", self.span.clone()))
    }

    /// Argument `k` as a number.
    pub(super) fn number<T: std::str::FromStr>(
        &self,
        k: usize,
        what: &str,
    ) -> Result<T, ParseError> {
        let (words, span) = self.field(k);
        words.parse().map_err(|_| self.error(span, format!("expected {what}, found `{words}`")))
    }

    /// Argument `k` as three numbers.
    pub(super) fn three(&self, k: usize, what: &str) -> Result<[u64; 3], ParseError> {
        let (words, span) = self.field(k);
        let mut parts = words.split(',').map(|n| n.trim().parse().ok());
        match (parts.next().flatten(), parts.next().flatten(), parts.next().flatten(), parts.next())
        {
            (Some(a), Some(b), Some(c), None) => Ok([a, b, c]),
            _ => Err(self.error(span, format!("expected {what}, found `{words}`"))),
        }
    }

    pub(super) fn error(&self, span: Range<usize>, message: impl Into<String>) -> ParseError {
        ParseError::other(self.text, span, message)
    }
}

//! Where the operations of a graph stand in the text that they were read from.

use std::ops::Range;

use crate::error::Named;
use crate::ids::Process;
use crate::number::at;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Which of the texts, where a program has several: one for each process. Otherwise 0.
    pub text: usize,
    /// The bytes.
    pub span: Range<usize>,
}

/// The place of every operation of a graph. 24 bytes an operation.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// Process, and the bytes: by process, then by the order of creation.
    spans: Vec<(u32, usize, usize)>,
    /// Whether each process has a text of its own.
    separate: bool,
}

/// Places that are being noted.
#[derive(Debug, Default)]
pub(super) struct Noted(Vec<(u32, usize, usize)>);

impl Noted {
    /// Notes where the next operation of a process stands.
    pub(super) fn push(&mut self, process: Process, span: &Range<usize>) {
        self.0.push((process.0, span.start, span.end));
    }

    /// All of them, in one text, or in one for each process. O(n) where they were noted process by
    /// process.
    pub(super) fn finish(mut self, separate: bool) -> Places {
        if !self.0.is_sorted_by_key(|(process, _, _)| *process) {
            self.0.sort_by_key(|(process, _, _)| *process);
        }
        Places { spans: self.0, separate }
    }
}

impl Places {
    /// Where an operation stands. O(log n).
    #[must_use]
    pub fn get(&self, process: Process, index: u32) -> Option<Place> {
        let first = self.spans.partition_point(|(p, _, _)| *p < process.0);
        let (owner, start, end) = *self.spans.get(first.checked_add(at(index))?)?;
        let text = if self.separate { at(process.0) } else { 0 };
        (owner == process.0).then_some(Place { text, span: start..end })
    }

    /// Where the operation that an error names stands.
    #[must_use]
    pub fn of(&self, operation: &Named) -> Option<Place> {
        self.get(operation.process, operation.index)
    }
}

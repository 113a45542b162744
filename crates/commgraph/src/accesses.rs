//! Who wrote and who read each byte of one process last, while its operations go by in order.

use crate::operation::NONE;
use crate::segments::{Segment, Segments};

/// The last accesses to a range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Last {
    /// The operation that wrote it, or [`NONE`]: it holds what it held at the start.
    pub writer: u32,
    /// The operations that read it since: a list in [`Accesses`], or [`NONE`].
    readers: u32,
}

const UNTOUCHED: Last = Last { writer: NONE, readers: NONE };

/// The memory of one process. Made once and cleared for each process.
#[derive(Debug)]
pub(crate) struct Accesses {
    segments: Segments<Last>,
    /// Linked lists of readers: an operation and the rest of the list. When a segment is cut, its
    /// parts share the list.
    readers: Vec<(u32, u32)>,
    found: Vec<Segment<Last>>,
}

impl Accesses {
    pub(crate) fn new() -> Self {
        Accesses { segments: Segments::new(), readers: Vec::new(), found: Vec::new() }
    }

    /// Forgets everything and gets ready for a process with so many operations.
    pub(crate) fn clear(&mut self, operations: usize) {
        self.segments.clear(operations);
        self.readers.clear();
    }

    /// What `start..end` holds, in order and without gaps.
    pub(crate) fn look(&mut self, start: u64, end: u64) -> &[Segment<Last>] {
        self.found.clear();
        self.segments.look(start, end, &mut self.found);
        self.fill_gaps(start, end);
        &self.found
    }

    /// Notes that `by` reads `start..end`; `conflict` hears of each earlier write there.
    pub(crate) fn read(
        &mut self,
        (start, end): (u64, u64),
        by: u32,
        mut conflict: impl FnMut(u32, u64, u64),
    ) {
        self.found.clear();
        self.segments.take(start, end, &mut self.found);
        self.fill_gaps(start, end);
        for segment in &self.found {
            let Last { writer, readers } = segment.value;
            if writer != NONE {
                conflict(writer, segment.start, segment.end);
            }
            let list =
                u32::try_from(self.readers.len()).expect("memory holds fewer than 2^32 reads");
            self.readers.push((by, readers));
            self.segments.put(Segment { value: Last { writer, readers: list }, ..*segment });
        }
    }

    /// Notes that `by` writes `start..end`; `conflict` hears of each earlier access there. Where
    /// something was read since it was written, only the reads count: they are after the write.
    pub(crate) fn write(
        &mut self,
        (start, end): (u64, u64),
        by: u32,
        mut conflict: impl FnMut(u32, u64, u64),
    ) {
        self.found.clear();
        self.segments.take(start, end, &mut self.found);
        for segment in &self.found {
            let Last { writer, mut readers } = segment.value;
            if readers == NONE && writer != NONE {
                conflict(writer, segment.start, segment.end);
            }
            while readers != NONE {
                let (reader, rest) = self.readers[crate::number::at(readers)];
                // A reduction has read its destination itself, and heard of the writer then.
                if reader != by {
                    conflict(reader, segment.start, segment.end);
                }
                readers = rest;
            }
        }
        self.segments.put(Segment { start, end, value: Last { writer: by, readers: NONE } });
    }

    /// Notes that `by` writes `start..end`, where nobody asks about conflicts.
    pub(crate) fn overwrite(&mut self, start: u64, end: u64, by: u32) {
        self.found.clear();
        self.segments.take(start, end, &mut self.found);
        self.segments.put(Segment { start, end, value: Last { writer: by, readers: NONE } });
    }

    /// Everything that was written or read, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = Segment<Last>> + '_ {
        self.segments.all()
    }

    /// Puts untouched segments between those in `found`.
    fn fill_gaps(&mut self, start: u64, end: u64) {
        let covered: u64 = self.found.iter().map(|s| s.end - s.start).sum();
        if start >= end || covered == end - start {
            return;
        }
        if self.found.is_empty() {
            self.found.push(Segment { start, end, value: UNTOUCHED });
            return;
        }
        let known = std::mem::take(&mut self.found);
        let mut at = start;
        for segment in known {
            if at < segment.start {
                self.found.push(Segment { start: at, end: segment.start, value: UNTOUCHED });
            }
            self.found.push(segment);
            at = segment.end;
        }
        if at < end {
            self.found.push(Segment { start: at, end, value: UNTOUCHED });
        }
    }
}

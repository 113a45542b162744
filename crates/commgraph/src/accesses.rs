//! Who wrote and who read each byte of one process last, while its operations go by in order.

use crate::buffer::Footprint;
use crate::number::{at, id};
use crate::operation::NONE;
use crate::segments::{Segment, SegmentValue, Segments, Whole};

/// The last accesses to a range of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Last {
    /// The operation that wrote it, or [`NONE`]: it holds what it held at the start.
    pub writer: u32,
    /// The operations that read it since: a list in [`Accesses`], or [`NONE`].
    readers: u32,
    /// Where the range starts in what was written.
    pub from: u64,
}

impl SegmentValue for Last {
    fn after(self, skipped: u64) -> Self {
        Last { from: self.from.wrapping_add(skipped), ..self }
    }
}

impl Last {
    /// The mark of bytes that nobody touched. `from` means nothing.
    pub(crate) const UNTOUCHED: Last = Last { writer: NONE, readers: NONE, from: 0 };
}

/// The memory of one process. Made once and cleared for each process.
#[derive(Debug)]
pub(crate) struct Accesses {
    segments: Segments<Last>,
    /// Linked lists of readers: an operation and the rest of the list. When a segment is cut, its
    /// parts share the list.
    readers: Vec<(u32, u32)>,
    found: Vec<Segment<Last>>,
    /// Where the last look ended.
    near: usize,
}

impl Accesses {
    pub(crate) fn new() -> Self {
        Accesses { segments: Segments::new(), readers: Vec::new(), found: Vec::new(), near: 0 }
    }

    /// Forgets everything and gets ready for a process with so many operations.
    pub(crate) fn clear(&mut self, operations: usize) {
        self.segments.clear(operations);
        self.readers.clear();
    }

    /// The segments of `start..end`, in order and without gaps.
    pub(crate) fn look(&mut self, start: u64, end: u64) -> &[Segment<Last>] {
        self.found.clear();
        self.segments.look_near(&mut self.near, start, end, &mut self.found);
        fill_gaps(&mut self.found, start, end);
        &self.found
    }

    /// The one segment that holds all of `start..end`; `None` where that may be several things.
    #[inline]
    pub(crate) fn one(&self, start: u64, end: u64) -> Option<Last> {
        match self.segments.whole(start, end) {
            Whole::Unknown => Some(Last::UNTOUCHED),
            Whole::Known(last) => Some(last),
            Whole::Parts => None,
        }
    }

    /// Notes that `by` reads a place; `conflict` hears of each earlier write there.
    pub(crate) fn read(
        &mut self,
        place: Footprint,
        by: u32,
        mut conflict: impl FnMut(u32, u64, u64),
    ) {
        let readers = &mut self.readers;
        let mut noted = |segment: &Segment<Last>| {
            let Last { writer, readers: earlier, .. } = segment.value;
            if writer != NONE {
                conflict(writer, segment.start, segment.end);
            }
            let list = id(readers.len());
            readers.push((by, earlier));
            Segment { value: Last { readers: list, ..segment.value }, ..*segment }
        };
        match place {
            Footprint::Typed { layout, .. } if layout.is_disjoint() => {
                let mut whole = Vec::new();
                self.segments.update(
                    |each| place.ascending(|s| each(s.start, s.end, ())),
                    |(start, end, ()), found, new| {
                        whole.clear();
                        whole.extend_from_slice(found);
                        fill_gaps(&mut whole, start, end);
                        new.extend(whole.iter().map(&mut noted));
                    },
                );
            }
            place => place.packed(|s| {
                self.found.clear();
                self.segments.take(s.start, s.end, &mut self.found);
                fill_gaps(&mut self.found, s.start, s.end);
                self.found.iter().for_each(|segment| self.segments.put(noted(segment)));
            }),
        }
    }

    /// Notes that `by` writes a place; `conflict` hears of each earlier access there. Where
    /// something was read since it was written, only the reads count: they are after the write.
    pub(crate) fn write(
        &mut self,
        place: Footprint,
        by: u32,
        mut conflict: impl FnMut(u32, u64, u64),
    ) {
        let readers = &self.readers;
        let mut heard = |segment: &Segment<Last>| {
            let Last { writer, readers: mut list, .. } = segment.value;
            if list == NONE && writer != NONE {
                conflict(writer, segment.start, segment.end);
            }
            while list != NONE {
                let (reader, rest) = readers[at(list)];
                // A reduction has read its destination itself, and heard of the writer then.
                if reader != by {
                    conflict(reader, segment.start, segment.end);
                }
                list = rest;
            }
        };
        match place {
            Footprint::Range { start, end } => {
                self.found.clear();
                self.segments.take(start, end, &mut self.found);
                self.found.iter().for_each(&mut heard);
                self.segments.put(Segment { start, end, value: written(by, 0) });
            }
            Footprint::Typed { .. } => self.segments.update(
                |each| place.ascending(|s| each(s.start, s.end, s.offset)),
                |(start, end, offset), found, new| {
                    found.iter().for_each(&mut heard);
                    new.push(Segment { start, end, value: written(by, offset) });
                },
            ),
        }
    }

    /// Notes that `by` writes a place, where nobody asks about conflicts.
    pub(crate) fn overwrite(&mut self, place: Footprint, by: u32) {
        match place {
            Footprint::Range { start, end } => {
                self.found.clear();
                self.segments.take(start, end, &mut self.found);
                self.segments.put(Segment { start, end, value: written(by, 0) });
            }
            Footprint::Typed { .. } => self.segments.update(
                |each| place.ascending(|s| each(s.start, s.end, s.offset)),
                |(start, end, offset), _, new| {
                    new.push(Segment { start, end, value: written(by, offset) });
                },
            ),
        }
    }

    /// Everything that was written or read, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = Segment<Last>> + '_ {
        self.segments.all()
    }
}

fn written(by: u32, from: u64) -> Last {
    Last { writer: by, readers: NONE, from }
}

/// Puts untouched segments between those in `found`.
fn fill_gaps(found: &mut Vec<Segment<Last>>, start: u64, end: u64) {
    let covered: u64 = found.iter().map(|s| s.end - s.start).sum();
    if start >= end || covered == end - start {
        return;
    }
    if found.is_empty() {
        found.push(Segment { start, end, value: Last::UNTOUCHED });
        return;
    }
    let known = std::mem::take(found);
    let mut at = start;
    for segment in known {
        if at < segment.start {
            found.push(Segment { start: at, end: segment.start, value: Last::UNTOUCHED });
        }
        found.push(segment);
        at = segment.end;
    }
    if at < end {
        found.push(Segment { start: at, end, value: Last::UNTOUCHED });
    }
}

//! A second place for the memory that the messages of a region move: the schedule runs there, before the program has called
//! anything, and what it finds and leaves in the program's memory is looked at message by message.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::BTreeMap;

use crate::recording::foreign::read_all;

/// Bytes that a region's messages may touch in one process, with the gaps of their layouts.
const MOST: u64 = 256 << 20;
/// What begins together in the program's memory begins together here.
const ALIGN: usize = 64;

/// Bytes of the program, first and past the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub start: u64,
    pub end: u64,
}

/// A range, and where its double is.
#[derive(Debug)]
struct Piece {
    range: Range,
    offset: usize,
}

/// The memory.
#[derive(Debug)]
pub(super) struct Shadow {
    /// In order, with gaps between them.
    pieces: Vec<Piece>,
    /// What is read from the program before a run.
    sent: Vec<Range>,
    memory: *mut u8,
    layout: Layout,
}

// SAFETY: it owns its memory; only one thread of a process calls MPI at a time where regions are replaced.
unsafe impl Send for Shadow {}
// SAFETY: as above.
unsafe impl Sync for Shadow {}

impl Shadow {
    /// Memory for these ranges, of which the second are sent; `None` where that is too much.
    pub fn new(all: Vec<Range>, sent: Vec<Range>) -> Option<Shadow> {
        let (mut pieces, mut length) = (Vec::new(), 0_usize);
        for range in joined(all) {
            pieces.push(Piece { range, offset: length });
            let bytes = usize::try_from(range.end - range.start).ok()?;
            length = length.checked_add(bytes)?.checked_next_multiple_of(ALIGN)?;
        }
        if u64::try_from(length).ok()? > MOST {
            return None;
        }
        let layout = Layout::from_size_align(length.max(ALIGN), ALIGN).ok()?;
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc_zeroed(layout) };
        (!memory.is_null()).then(|| Shadow { pieces, sent: joined(sent), memory, layout })
    }

    /// The double of an address, if all of the range is there.
    pub fn double(&self, range: Range) -> Option<*mut u8> {
        let next = self.pieces.partition_point(|piece| piece.range.start <= range.start);
        let piece = self.pieces.get(next.checked_sub(1)?)?;
        let inside = usize::try_from(range.start - piece.range.start).ok()?;
        // SAFETY: inside the memory.
        (range.end <= piece.range.end).then(|| unsafe { self.memory.add(piece.offset + inside) })
    }

    /// Takes over what the program would send now. What cannot be read stays as it is: it will turn out to be other bytes.
    pub fn read(&self) {
        for range in &self.sent {
            let Some(into) = self.double(*range) else { continue };
            let length = length(*range);
            // SAFETY: so much of our memory is there, and nobody else uses it.
            let into = unsafe { std::slice::from_raw_parts_mut(into, length) };
            let _whole = read_all(range.start, into);
        }
    }

    /// Whether the program's memory is the same there.
    ///
    /// # Safety
    /// The program's memory can be read.
    pub unsafe fn is_same(&self, ranges: &[Range]) -> bool {
        ranges.iter().all(|range| {
            let (Some(own), Ok(start)) = (self.double(*range), usize::try_from(range.start)) else {
                return false;
            };
            let (theirs, length) = (std::ptr::with_exposed_provenance::<u8>(start), length(*range));
            // SAFETY: passed on; ours is as long.
            unsafe {
                std::slice::from_raw_parts(own, length)
                    == std::slice::from_raw_parts(theirs, length)
            }
        })
    }

    /// Puts what has come into the program's memory.
    ///
    /// # Safety
    /// The program's memory can be written.
    pub unsafe fn write(&self, ranges: &[Range]) {
        for range in ranges {
            if let (Some(own), Ok(start)) = (self.double(*range), usize::try_from(range.start)) {
                let theirs = std::ptr::with_exposed_provenance_mut::<u8>(start);
                // SAFETY: passed on; ours is as long, and elsewhere.
                unsafe { std::ptr::copy_nonoverlapping(own, theirs, length(*range)) };
            }
        }
    }
}

impl Drop for Shadow {
    fn drop(&mut self) {
        // SAFETY: it was allocated with this layout.
        unsafe { dealloc(self.memory, self.layout) };
    }
}

fn length(range: Range) -> usize {
    usize::try_from(range.end - range.start).unwrap_or(0)
}

/// The same bytes, in order, with gaps between the ranges.
fn joined(mut ranges: Vec<Range>) -> Vec<Range> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range> = Vec::new();
    for range in ranges.into_iter().filter(|range| range.start < range.end) {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Bytes that earlier messages have read or written.
#[derive(Debug, Default)]
pub(super) struct Touched(BTreeMap<u64, u64>);

impl Touched {
    pub fn has(&self, range: Range) -> bool {
        let before = self.0.range(..range.end).next_back();
        range.start < range.end && before.is_some_and(|(_, end)| *end > range.start)
    }

    pub fn add(&mut self, range: Range) {
        if range.start >= range.end {
            return;
        }
        let Range { mut start, mut end } = range;
        while let Some((first, last)) = self.0.range(..=end).next_back().map(|(a, b)| (*a, *b))
            && last >= start
        {
            self.0.remove(&first);
            (start, end) = (start.min(first), end.max(last));
        }
        self.0.insert(start, end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> Range {
        let start = u64::try_from(bytes.as_ptr().expose_provenance()).unwrap();
        Range { start, end: start + u64::try_from(bytes.len()).unwrap() }
    }

    #[test]
    fn what_is_read_is_the_same_until_the_program_changes_it() {
        let mut memory = vec![3_u8; 300];
        let all = of(&memory);
        let part = |a: u64, b: u64| Range { start: all.start + a, end: all.start + b };
        let shadow = Shadow::new(vec![part(0, 100), part(90, 200)], vec![part(0, 100)]).unwrap();
        assert_eq!(shadow.double(part(150, 250)), None, "not all of it is there");
        shadow.read();
        let of_300 = memory.as_mut_ptr();
        // SAFETY: memory of this test, for all of what follows.
        unsafe {
            assert!(shadow.is_same(&[part(0, 10), part(20, 100)]));
            assert!(!shadow.is_same(&[part(90, 101)]), "it was not sent, and not read");
            of_300.add(30).write(4);
            assert!(shadow.is_same(&[part(0, 30)]) && !shadow.is_same(&[part(0, 31)]));
            shadow.double(part(150, 151)).unwrap().write(9);
            shadow.write(&[part(149, 152)]);
            assert_eq!([of_300.add(149).read(), of_300.add(150).read()], [0, 9]);
        }
    }

    #[test]
    fn what_is_gone_is_no_failure_and_too_much_is_none() {
        let gone = Range { start: 64, end: 4000 };
        let shadow = Shadow::new(vec![gone], vec![gone]).unwrap();
        shadow.read();
        assert!(Shadow::new(vec![Range { start: 0, end: MOST + 1 }], Vec::new()).is_none());
        assert!(Shadow::new(Vec::new(), Vec::new()).is_some(), "a process without messages");
    }

    #[test]
    fn bytes_that_were_touched_are_known() {
        let mut touched = Touched::default();
        let range = |start, end| Range { start, end };
        touched.add(range(10, 20));
        touched.add(range(30, 40));
        assert!(!touched.has(range(20, 30)) && !touched.has(range(0, 10)));
        assert!(
            touched.has(range(19, 21)) && touched.has(range(5, 50)) && touched.has(range(12, 13))
        );
        assert!(!touched.has(range(15, 15)));
        touched.add(range(15, 35));
        assert_eq!(touched.0, BTreeMap::from([(10, 40)]));
        touched.add(range(0, 5));
        assert!(touched.has(range(4, 6)) && !touched.has(range(5, 10)));
    }
}

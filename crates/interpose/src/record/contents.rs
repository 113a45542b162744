//! Which bytes of a buffer an earlier event knew, and were not changed since: copies of what was
//! received, sent and summed are kept, the newest up to a number of bytes, and compared where a
//! later send overlaps the same memory.
//!
//! Two buffers of any layouts overlap in *pieces*. A program sends and receives the same buffers
//! again and again, so that the pieces of two buffers are found once. Memory that a later event
//! knew is compared with that one alone: an old halo often has the same values.

use std::ops::Range;

use commloom_trace::Origin;
use rustc_hash::FxHashMap;

use super::layout::{Data, SKETCH};
use super::overlap::{Overlap, Pair, PairKey, Piece, joined, without};
pub(crate) use super::slot::How;
use super::slot::{ALIKE, Newest, ORIGINS, Slot, equal_parts, is_sum};

/// Contents of memory, by slot. Slots are used again.
pub(crate) struct Contents {
    slots: Vec<Slot>,
    /// Their memory, side by side: every send looks through all of it.
    bounds: Vec<Range<u64>>,
    by_buffer: FxHashMap<(usize, usize), usize>,
    pieces: FxHashMap<PairKey, Pair>,
    bytes: usize,
    limit: usize,
    clock: u64,
}

/// Bytes that an event knew.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    pub event: u64,
    pub data: &'a Data,
    pub bytes: &'a [u8],
}

/// Buffers that are remembered at most: every send looks at the bounds of all.
const BUFFERS: usize = 1024;
/// Pairs of buffers whose pieces are remembered.
const PAIRS: usize = 4096;

impl Contents {
    /// At most so many bytes are kept.
    pub fn new(limit: usize) -> Contents {
        Contents {
            slots: Vec::new(),
            bounds: Vec::new(),
            by_buffer: FxHashMap::default(),
            pieces: FxHashMap::default(),
            bytes: 0,
            limit,
            clock: 0,
        }
    }

    /// Bytes that are kept at most.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Room for this many bytes that this event knows in this buffer; `None` where they are more
    /// than all that is kept. The caller fills it.
    pub fn keep(
        &mut self,
        data: &Data,
        how: How,
        event: u64,
        length: usize,
    ) -> Option<&mut Vec<u8>> {
        let slot = self.slot_for(data, length)?;
        let kept = &mut self.slots[slot];
        (kept.how, kept.event, kept.is_whole, kept.length) = (how, event, true, length);
        kept.bytes.resize(length, 0);
        Some(&mut kept.bytes)
    }

    /// The same of a message of which only a sketch is known.
    pub fn keep_sketch(
        &mut self,
        data: &Data,
        how: How,
        event: u64,
        (length, sketch): (usize, &[u8]),
    ) {
        let Some(slot) = self.slot_for(data, sketch.len()) else { return };
        let kept = &mut self.slots[slot];
        if kept.is_whole {
            kept.bytes = Vec::with_capacity(SKETCH);
        }
        (kept.how, kept.event, kept.is_whole, kept.length) = (how, event, false, length);
        kept.bytes.clear();
        kept.bytes.extend_from_slice(sketch);
    }

    /// The slot of a buffer, with room for so many bytes.
    fn slot_for(&mut self, data: &Data, length: usize) -> Option<usize> {
        let bounds = data.bounds()?;
        self.clock += 1;
        let known = self.by_buffer.get(&data.key()).copied();
        if length > self.limit {
            // What was there is not there any more.
            known.into_iter().for_each(|slot| self.clear(slot));
            return None;
        }
        let before = known.map_or(0, |slot| self.slots[slot].bytes.len());
        while self.bytes - before + length > self.limit {
            let oldest = self.oldest(known)?;
            self.clear(oldest);
        }
        let slot = match known {
            Some(slot) => slot,
            None => {
                let slot = self.free_slot(data, bounds);
                self.by_buffer.insert(data.key(), slot);
                slot
            }
        };
        let kept = &mut self.slots[slot];
        self.bytes = self.bytes - kept.bytes.len() + length;
        kept.stamp = self.clock;
        Some(slot)
    }

    /// The newest buffers of this many bytes that are known so, a few, newest first. Those of
    /// which a later event knew something else are left out.
    pub fn newest(&self, how: How, length: usize) -> Vec<Kept<'_>> {
        let kept = |slot: usize| {
            let Slot { event, data, bytes, .. } = &self.slots[slot];
            Kept { event: *event, data, bytes }
        };
        let found = self.newest_slots(how, length, |kept| kept.is_whole);
        found.iter().filter(|&&slot| self.is_newest(slot)).map(|&slot| kept(slot)).collect()
    }

    /// Those of so many bytes that are known so, newest first; perhaps only by a sketch.
    fn newest_slots(&self, how: How, length: usize, fits: impl Fn(&Slot) -> bool) -> Newest {
        let mut newest = Newest::default();
        for (slot, kept) in self.slots.iter().enumerate() {
            let is_alike = kept.length == length && kept.how == how && !kept.bytes.is_empty();
            if !is_alike || !fits(kept) {
                continue;
            }
            let is_newer = |&other: &usize| self.slots[other].stamp > kept.stamp;
            let place = newest.iter().take_while(|other| is_newer(other)).count();
            newest.insert(place, slot);
        }
        newest
    }

    /// Whether no later event knew anything of the memory between the first and last byte of a
    /// slot.
    fn is_newest(&self, slot: usize) -> bool {
        let (own, stamp) = (&self.bounds[slot], self.slots[slot].stamp);
        let mut later =
            self.slots.iter().zip(&self.bounds).filter(|(other, _)| other.stamp > stamp);
        !later.any(|(_, other)| other.start < own.end && own.start < other.end)
    }

    /// Where the bytes of a message come from, by their place in it.
    pub fn origins(&mut self, data: &Data, bytes: &[u8]) -> Vec<Origin> {
        let mut origins = Vec::new();
        let Some(bounds) = data.bounds() else { return origins };
        let meets = |other: &Range<u64>| other.start < bounds.end && bounds.start < other.end;
        let mut near: Vec<usize> = (0..self.bounds.len())
            .filter(|&slot| meets(&self.bounds[slot]) && !self.slots[slot].bytes.is_empty())
            .collect();
        near.sort_unstable_by_key(|&slot| std::cmp::Reverse(self.slots[slot].stamp));
        let mut written = Vec::new();
        for (nth, &slot) in near.iter().enumerate() {
            let Some(Overlap { pieces, is_edge }) = self.overlap(data, slot) else { continue };
            let received = &self.slots[slot];
            if is_edge && received.how == How::Computed {
                continue;
            }
            let clipped: Vec<Piece> =
                pieces.iter().filter_map(|piece| piece.within(received.length)).collect();
            if received.is_whole {
                let fresh =
                    if written.is_empty() { clipped.clone() } else { without(&clipped, &written) };
                for piece in fresh {
                    equal_parts(piece, bytes, received, &mut origins);
                }
            }
            if nth + 1 < near.len() {
                written = joined(&written, &clipped);
            }
        }
        origins.sort_unstable_by_key(|origin| origin.at);
        origins.truncate(ORIGINS);
        origins
    }

    /// Where a message and what lies in a slot overlap.
    fn overlap(&mut self, data: &Data, slot: usize) -> Option<Overlap> {
        let other = self.slots[slot].data.clone();
        self.pair(data, slot).pieces.get_or_init(|| Overlap::new(data, &other)).clone()
    }

    /// The kept comparison of a message with a slot.
    fn pair(&mut self, data: &Data, slot: usize) -> &Pair {
        let other = &self.slots[slot].data;
        let key = [data.key(), other.key()];
        if self.pieces.len() >= PAIRS && !self.pieces.contains_key(&key) {
            self.pieces.clear();
        }
        self.pieces.entry(key).or_insert_with(|| Pair::new(data, other))
    }

    /// Whether some of what is sent is what an earlier event knew, as far as the probes tell; the
    /// length of that message.
    ///
    /// # Safety
    /// The buffer may be read, and nobody writes it meanwhile.
    pub unsafe fn resembles(&mut self, data: &Data) -> Option<usize> {
        let bounds = data.bounds()?;
        for slot in 0..self.bounds.len() {
            let other = &self.bounds[slot];
            if other.start >= bounds.end || bounds.start >= other.end {
                continue;
            }
            let shared = self.pair(data, slot).shared;
            // SAFETY: these probes lie in the buffer.
            if shared.count_ones() >= ALIKE && unsafe { self.slots[slot].is_unchanged(shared) } {
                return Some(self.slots[slot].length);
            }
        }
        None
    }

    /// Whether what is sent is the sum of two that are known, as far as the probes tell: `sketch`
    /// is what lies there.
    pub fn adds_up(&self, data: &Data, length: usize, sketch: &[u8]) -> bool {
        let Some(element) = data.content.element else { return false };
        let [known, came] =
            [How::Computed, How::Received].map(|how| self.newest_slots(how, length, |_| true));
        let probes = data.content.probes();
        known.iter().any(|&own| {
            let own = &self.slots[own];
            came.iter().any(|&came| is_sum(element, probes, sketch, [own, &self.slots[came]]))
        })
    }

    fn oldest(&self, but: Option<usize>) -> Option<usize> {
        let kept = |&slot: &usize| !self.slots[slot].bytes.is_empty() && Some(slot) != but;
        (0..self.slots.len()).filter(kept).min_by_key(|&slot| self.slots[slot].stamp)
    }

    fn clear(&mut self, slot: usize) {
        let Slot { data, bytes, .. } = &mut self.slots[slot];
        self.by_buffer.remove(&data.key());
        self.bytes -= bytes.len();
        *bytes = Vec::new();
        self.bounds[slot] = 0..0;
    }

    /// A slot for a buffer that has none: a cleared one, a new one, or that of the oldest message.
    fn free_slot(&mut self, data: &Data, bounds: Range<u64>) -> usize {
        let slot = match self.slots.iter().position(|slot| slot.bytes.is_empty()) {
            Some(cleared) => {
                self.clear(cleared);
                cleared
            }
            None if self.slots.len() < BUFFERS => {
                self.slots.push(Slot {
                    data: data.clone(),
                    how: How::Received,
                    event: 0,
                    bytes: Vec::new(),
                    is_whole: false,
                    length: 0,
                    stamp: 0,
                });
                self.bounds.push(0..0);
                self.slots.len() - 1
            }
            None => {
                let oldest = self.oldest(None).unwrap_or(0);
                self.clear(oldest);
                oldest
            }
        };
        self.slots[slot].data = data.clone();
        self.bounds[slot] = bounds;
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::layout::{Content, Layout};
    use std::sync::Arc;

    fn content(text: &str, count: u64) -> Arc<Content> {
        let ty: commloom_layout::Type = text.parse().expect("a type");
        Arc::new(Layout::new(ty)).content(count, &commloom_pack::detect()).expect("small")
    }

    fn bytes(count: u64) -> Arc<Content> {
        content("leaf(MPI_BYTE)", count)
    }

    fn at(address: usize, content: &Arc<Content>) -> Data {
        Data { address, content: content.clone(), is_hidden: false }
    }

    fn origin([at, length, receive, from]: [u64; 4]) -> Origin {
        Origin { at, length, receive, from }
    }

    const HERE: usize = 1 << 20;

    #[test]
    fn what_is_passed_on_has_an_origin_and_what_was_changed_has_none() {
        let mut received = Contents::new(1 << 12);
        let whole = bytes(256);
        let data: Vec<u8> = (0..=255).collect();
        received.keep(&at(HERE, &whole), How::Received, 7, 256).unwrap().copy_from_slice(&data);
        assert_eq!(received.origins(&at(HERE, &whole), &data), [origin([0, 256, 7, 0])]);
        assert_eq!(received.origins(&at(HERE + 100, &whole), &data), [], "other bytes are there");
        let shifted: Vec<u8> = (100..=255).chain(0..100).collect();
        let found = received.origins(&at(HERE + 100, &whole), &shifted);
        assert_eq!(found, [origin([0, 156, 7, 100])]);
        let mut changed = data.clone();
        changed[70] ^= 1;
        let found = received.origins(&at(HERE, &whole), &changed);
        assert_eq!(found, [origin([0, 64, 7, 0]), origin([128, 128, 7, 128])]);
        assert_eq!(received.origins(&at(HERE + 4096, &whole), &data), [], "elsewhere");
    }

    #[test]
    fn the_newest_message_that_wrote_a_byte_is_its_origin() {
        let mut received = Contents::new(1 << 12);
        let (whole, half) = (bytes(128), bytes(64));
        received.keep(&at(HERE, &whole), How::Received, 1, 128).unwrap().fill(5);
        received.keep(&at(HERE + 32, &half), How::Received, 2, 64).unwrap().fill(5);
        let found = received.origins(&at(HERE, &whole), &[5; 128]);
        assert_eq!(found, [origin([0, 32, 1, 0]), origin([32, 64, 2, 0]), origin([96, 32, 1, 96])]);
        // The later message was changed since: what came before it is no origin either.
        received.keep(&at(HERE + 32, &half), How::Received, 3, 64).unwrap().fill(6);
        let found = received.origins(&at(HERE, &whole), &[5; 128]);
        assert_eq!(found, [origin([0, 32, 1, 0]), origin([96, 32, 1, 96])]);
    }

    #[test]
    fn columns_that_came_leave_in_one_piece() {
        let mut received = Contents::new(1 << 12);
        let column = content("vec(8, 64, leaf(MPI_DOUBLE))", 1);
        let data: Vec<u8> = (0..64).collect();
        received.keep(&at(HERE, &column), How::Received, 4, 64).unwrap().copy_from_slice(&data);
        let same = content("hvector(4, 2, 128, resized(0, 64, MPI_DOUBLE))", 1);
        assert_eq!(received.origins(&at(HERE, &same), &data), [origin([0, 64, 4, 0])]);
        // A row meets it in one element.
        let found = received.origins(
            &at(HERE + 56, &bytes(24)),
            &[[0; 8], [8, 9, 10, 11, 12, 13, 14, 15], [0; 8]].concat(),
        );
        assert_eq!(found, [origin([8, 8, 4, 8])]);
    }

    /// Memory of so many numbers, its address, and a buffer of all of them.
    fn numbers(count: u64, salt: f64) -> (Vec<f64>, Data) {
        let memory: Vec<f64> =
            (0..count).scan(salt, |x, _| Some(std::mem::replace(x, *x + 0.37))).collect();
        let address = memory.as_ptr().expose_provenance();
        (memory, at(address, &content("leaf(MPI_DOUBLE)", count)))
    }

    fn sketch(data: &Data) -> Vec<u8> {
        let mut sketch = Vec::new();
        // SAFETY: the tests have the memory, in one thread.
        unsafe { data.sketch(data.content.bytes, &mut sketch) };
        sketch
    }

    #[test]
    fn a_few_places_tell_what_was_not_changed() {
        for is_whole in [false, true] {
            let mut contents = Contents::new(1 << 16);
            let (mut memory, data) = numbers(400, 1.0);
            let bytes: Vec<u8> = memory.iter().flat_map(|x| x.to_ne_bytes()).collect();
            match contents.keep(&data, How::Received, 1, 3200).filter(|_| is_whole) {
                Some(kept) => kept.copy_from_slice(&bytes),
                None => contents.keep_sketch(&data, How::Received, 1, (3200, &sketch(&data))),
            }
            // SAFETY: the memory is there.
            let mut resembles = |data: &Data| unsafe { contents.resembles(data) };
            let half = at(data.address, &content("leaf(MPI_DOUBLE)", 200));
            let columns = at(data.address, &content("vec(200, 16, leaf(MPI_DOUBLE))", 1));
            let first = at(data.address, &content("leaf(MPI_DOUBLE)", 8));
            assert_eq!(resembles(&data), Some(3200));
            assert_eq!(resembles(&half), Some(3200));
            assert_eq!(resembles(&columns), None, "a probe is longer than its runs");
            assert_eq!(resembles(&first), None, "one probe says nothing");
            memory[20..].iter_mut().for_each(|x| *x += 1.0);
            assert_eq!(resembles(&data), None);
            memory.fill(3.0);
        }
    }

    #[test]
    fn one_number_everywhere_says_nothing() {
        let mut contents = Contents::new(1 << 16);
        let (mut memory, data) = numbers(400, 1.0);
        memory.fill(0.25);
        contents.keep_sketch(&data, How::Received, 1, (3200, &sketch(&data)));
        // SAFETY: the memory is there.
        assert_eq!(unsafe { contents.resembles(&data) }, None);
    }

    #[test]
    fn sums_are_told_by_a_few_places() {
        for is_whole in [false, true] {
            let mut contents = Contents::new(1 << 16);
            let [(own, a), (came, b), (mut sum, c)] = [0.1, 0.2, 0.0].map(|s| numbers(400, s));
            for (data, how) in [(&a, How::Computed), (&b, How::Received)] {
                match contents.keep(data, how, 1, 3200).filter(|_| is_whole) {
                    // SAFETY: the memory is there.
                    Some(kept) => unsafe { data.copy(0..3200, kept) },
                    None => contents.keep_sketch(data, how, 1, (3200, &sketch(data))),
                }
            }
            for (sum, (a, b)) in sum.iter_mut().zip(own.iter().zip(&came)) {
                *sum = a + b;
            }
            assert!(contents.adds_up(&c, 3200, &sketch(&c)));
            sum[180] += 1.0;
            assert!(!contents.adds_up(&c, 3200, &sketch(&c)));
        }
    }

    #[test]
    fn faces_of_a_grid_share_no_probes() {
        for n in [16, 20, 32, 64, 100, 128] {
            let (cell, line, plane) = (8, 8 * (n + 2), 8 * (n + 2) * (n + 2));
            let face = |outer: u64, inner: u64| {
                content(&format!("vec({n}, {outer}, vec({n}, {inner}, leaf(MPI_DOUBLE)))"), 1)
            };
            let faces = [(plane, line, cell), (plane, cell, line), (line, cell, plane)];
            let mut all = Vec::new();
            for (outer, inner, across) in faces {
                for far in [0, (n - 1) * across] {
                    all.push(at(HERE + usize::try_from(far).unwrap(), &face(outer, inner)));
                }
            }
            for (i, one) in all.iter().enumerate() {
                for (k, other) in all.iter().enumerate().filter(|(k, _)| *k != i) {
                    let shared = Pair::new(one, other).shared.count_ones();
                    assert!(shared < ALIKE, "{n}, faces {i} and {k}: {shared}");
                }
            }
        }
    }

    #[test]
    fn faces_of_a_grid_that_share_an_edge_have_nothing_in_common() {
        let mut contents = Contents::new(1 << 16);
        let face = content("leaf(MPI_DOUBLE)", 400);
        contents.keep(&at(HERE, &face), How::Computed, 1, 3200).unwrap().fill(7);
        let edge = at(HERE + 8 * 370, &face);
        assert_eq!(contents.origins(&edge, &[7; 3200]), []);
        contents.keep(&at(HERE, &face), How::Received, 2, 3200).unwrap().fill(7);
        assert_eq!(contents.origins(&edge, &[7; 3200]), [origin([0, 240, 2, 2960])]);
    }

    #[test]
    fn the_oldest_is_forgotten_and_what_is_too_long_is_not_kept() {
        let mut received = Contents::new(100);
        let some = bytes(60);
        received.keep(&at(HERE, &some), How::Received, 1, 60).unwrap().fill(1);
        received.keep(&at(HERE + 100, &some), How::Received, 2, 60).unwrap().fill(2);
        assert_eq!(received.origins(&at(HERE, &some), &[1; 60]), []);
        assert_eq!(received.origins(&at(HERE + 100, &some), &[2; 60]), [origin([0, 60, 2, 0])]);
        assert!(received.keep(&at(HERE + 100, &bytes(101)), How::Received, 3, 101).is_none());
        // A message shorter than its buffer.
        received.keep(&at(HERE, &some), How::Received, 4, 10).unwrap().fill(3);
        assert_eq!(received.origins(&at(HERE, &some), &[3; 60]), [origin([0, 10, 4, 0])]);
        let newest = received.newest(How::Received, 10);
        assert_eq!(
            newest.iter().map(|k| (k.event, k.bytes)).collect::<Vec<_>>(),
            [(4, &[3; 10][..])]
        );
        assert!(received.newest(How::Computed, 10).is_empty());
    }
}

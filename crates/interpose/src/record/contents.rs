//! Which bytes of a buffer an earlier event knew, and were not changed since: copies of what was received, sent and
//! summed are kept, the newest up to a number of bytes, and compared where a later send overlaps the same memory.
//!
//! Two buffers of any layouts overlap in *pieces*. A program sends and receives the same buffers again and again, so
//! that the pieces of two buffers are found once. Memory that a later event knew is compared with that one
//! alone: an old halo often has the same values.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use commloom_trace::{Operator, Origin};
use rustc_hash::FxHashMap;

use super::attention::SHORT;
use super::element::{CERTAIN, Element};
use super::layout::{Content, Data, Probe, Run, SKETCH};

/// What was in memory, by slot. Slots are used again.
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

/// How bytes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Received,
    /// Sent, or combined from what was received.
    Computed,
}

struct Slot {
    data: Data,
    how: How,
    /// Number of the event that knew it.
    event: u64,
    /// The bytes, or what lay at the places of a sketch.
    bytes: Vec<u8>,
    is_whole: bool,
    /// Bytes of the message.
    length: usize,
    /// When that was, among the others.
    stamp: u64,
}

/// The newest slots of some kind, in order.
struct Newest {
    slots: [usize; NEWEST],
    count: usize,
}

impl Newest {
    fn iter(&self) -> std::slice::Iter<'_, usize> {
        self.slots[..self.count].iter()
    }
}

/// Bytes that an event knew.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    pub event: u64,
    pub data: &'a Data,
    pub bytes: &'a [u8],
}

/// Both buffers: address and content.
type PairKey = [(usize, usize); 2];

/// Where two buffers overlap.
struct Pair {
    /// Found out when a whole message is compared; `None` where a layout has too many runs.
    pieces: OnceCell<Option<Overlap>>,
    /// Probes of the other buffer that lie in the one that is sent, bit by bit.
    shared: u32,
    /// They keep the key its own.
    _contents: [Arc<Content>; 2],
}

#[derive(Clone)]
struct Overlap {
    pieces: Arc<[Piece]>,
    /// They are little of both: what is the same there says nothing.
    is_edge: bool,
}

/// Bytes that a send and a received message have in common, by their places in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    at: u64,
    from: u64,
    length: u64,
}

/// Buffers that are remembered at most: every send looks at the bounds of all.
const BUFFERS: usize = 1024;
/// Pairs of buffers whose pieces are remembered.
const PAIRS: usize = 4096;
/// Parts of two long messages that are less than one of so many are edges: the faces of a grid have them in common.
const EDGE: u64 = 8;
/// Probes that have to be unchanged for a message to be something known.
const ALIKE: u32 = 2;
/// Newest messages of a kind that are tried as operands.
const NEWEST: usize = 4;
/// Origins of one message beyond which the others are taken for computed.
const ORIGINS: usize = 4096;
/// Where a piece has changed in part, it is compared in blocks of so many bytes: single equal bytes say nothing.
const BLOCK: usize = 64;
/// Blocks of a long piece that are compared first. Where all of them have changed, everything is taken to have changed.
const SAMPLES: usize = 16;

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

    /// Room for this many bytes that this event knows in this buffer; `None` where they are more than all that is kept.
    /// The caller fills it.
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

    /// The newest buffers of this many bytes that are known so, a few, newest first. Those of which a later event knew
    /// something else are left out.
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
        let mut newest = Newest { slots: [0; NEWEST], count: 0 };
        for (slot, kept) in self.slots.iter().enumerate() {
            let is_alike = kept.length == length && kept.how == how && !kept.bytes.is_empty();
            if !is_alike || !fits(kept) {
                continue;
            }
            let is_newer = |&other: &usize| self.slots[other].stamp > kept.stamp;
            let place = newest.iter().take_while(|other| is_newer(other)).count();
            if place < NEWEST {
                newest.count = (newest.count + 1).min(NEWEST);
                newest.slots[place..newest.count].rotate_right(1);
                newest.slots[place] = slot;
            }
        }
        newest
    }

    /// Whether no later event knew anything of the memory between the first and last byte of a slot.
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

    /// What is known of a message and what lies in a slot.
    fn pair(&mut self, data: &Data, slot: usize) -> &Pair {
        let other = &self.slots[slot].data;
        let key = [data.key(), other.key()];
        if self.pieces.len() >= PAIRS && !self.pieces.contains_key(&key) {
            self.pieces.clear();
        }
        self.pieces.entry(key).or_insert_with(|| Pair::new(data, other))
    }

    /// Whether some of what is sent is what an earlier event knew, as far as the probes tell; the length of that message.
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

    /// Whether what is sent is the sum of two that are known, as far as the probes tell: `sketch` is what lies there.
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

impl Slot {
    /// So many bytes at the probe with this number, which lies there among the bytes of the message.
    fn at_probe(&self, nth: usize, at: u64, length: usize) -> Option<&[u8]> {
        let start = match self.is_whole {
            true => usize::try_from(at).ok()?,
            false => self.data.content.probes().get(nth).filter(|own| own.at == at)?.place,
        };
        self.bytes.get(start..start.checked_add(length)?)
    }

    /// Whether memory is what it was at enough of these probes, and that says something: not one number everywhere.
    ///
    /// # Safety
    /// What lies at these probes may be read, and nobody writes it meanwhile.
    unsafe fn is_unchanged(&self, shared: u32) -> bool {
        let mut alike = 0;
        let mut first: Option<&[u8]> = None;
        let mut is_uniform = true;
        for (nth, probe) in self.data.content.probes().iter().enumerate() {
            if shared >> nth & 1 == 0 {
                continue;
            }
            // SAFETY: passed on.
            let now = unsafe { self.data.at(probe) };
            if self.at_probe(nth, probe.at, now.len()) != Some(now) {
                continue;
            }
            alike += 1;
            for word in now.chunks(8) {
                is_uniform &= *first.get_or_insert(word) == word;
            }
        }
        alike >= ALIKE && !is_uniform
    }
}

impl Pair {
    fn new(data: &Data, other: &Data) -> Pair {
        let probes = other.content.probes().iter().zip(0u32..);
        let inside = probes.filter(|(probe, _)| data.covers(other, probe));
        Pair {
            pieces: OnceCell::new(),
            shared: inside.fold(0, |bits, (_, nth)| bits | 1 << nth),
            _contents: [data.content.clone(), other.content.clone()],
        }
    }
}

impl Overlap {
    fn new(data: &Data, other: &Data) -> Option<Overlap> {
        let pieces: Arc<[Piece]> = overlap(data, other)?.into();
        let common: u64 = pieces.iter().map(|piece| piece.length).sum();
        let is_long = |size: u64| usize::try_from(size).is_ok_and(|size| size > SHORT);
        let is_edge = |size: u64| is_long(size) && common < size / EDGE;
        let is_edge = [data, other].iter().all(|data| is_edge(data.content.bytes));
        Some(Overlap { pieces, is_edge })
    }
}

impl Piece {
    /// What of it has come with a message of so many bytes, which may be shorter than its buffer.
    fn within(self, received: usize) -> Option<Piece> {
        let there = u64::try_from(received).unwrap_or(u64::MAX).checked_sub(self.from)?;
        (there > 0).then_some(Piece { length: self.length.min(there), ..self })
    }
}

/// The pieces of two buffers by their place in the first; `None` where a layout has too many runs. Linear in the
/// runs.
fn overlap(send: &Data, received: &Data) -> Option<Vec<Piece>> {
    let mut pieces: Vec<Piece> = Vec::new();
    if send.key() == received.key() {
        pieces.push(Piece { at: 0, from: 0, length: send.content.bytes });
        return Some(pieces);
    }
    let base = |data: &Data| i128::try_from(data.address).unwrap_or(i128::MAX);
    let (sent, kept) = (send.content.runs()?, received.content.runs()?);
    let span = |base: i128, run: &Run| {
        let start = base + i128::from(run.displacement);
        start..start + i128::from(run.length)
    };
    let (mut s, mut k) = (0, 0);
    while let (Some(a), Some(b)) = (sent.get(s), kept.get(k)) {
        let (ours, theirs) = (span(base(send), a), span(base(received), b));
        let (start, end) = (ours.start.max(theirs.start), ours.end.min(theirs.end));
        if start < end {
            let place = |at: u64, from: i128| at + u64::try_from(start - from).unwrap_or(0);
            pieces.push(Piece {
                at: place(a.at, ours.start),
                from: place(b.at, theirs.start),
                length: u64::try_from(end - start).unwrap_or(0),
            });
        }
        if ours.end <= theirs.end { s += 1 } else { k += 1 }
    }
    pieces.sort_unstable_by_key(|piece| piece.at);
    pieces.dedup_by(|next, piece| {
        let follows = (piece.at + piece.length, piece.from + piece.length) == (next.at, next.from);
        if follows {
            piece.length += next.length;
        }
        follows
    });
    Some(pieces)
}

/// Pieces without the bytes that later messages have written; both by place.
fn without(pieces: &[Piece], written: &[Range<u64>]) -> Vec<Piece> {
    let mut left = Vec::new();
    let mut first = 0;
    for piece in pieces {
        let end = piece.at + piece.length;
        let part = |range: Range<u64>| Piece {
            at: range.start,
            from: piece.from + (range.start - piece.at),
            length: range.end - range.start,
        };
        while written.get(first).is_some_and(|range| range.end <= piece.at) {
            first += 1;
        }
        let mut at = piece.at;
        for range in written[first..].iter().take_while(|range| range.start < end) {
            if range.start > at {
                left.push(part(at..range.start));
            }
            at = at.max(range.end);
        }
        if at < end {
            left.push(part(at..end));
        }
    }
    left
}

/// Ranges and pieces together, in order and apart.
fn joined(written: &[Range<u64>], pieces: &[Piece]) -> Vec<Range<u64>> {
    let new = pieces.iter().map(|piece| piece.at..piece.at + piece.length);
    let mut all: Vec<Range<u64>> = written.iter().cloned().chain(new).collect();
    all.sort_unstable_by_key(|range| range.start);
    all.dedup_by(|next, range| {
        let meets = next.start <= range.end;
        if meets {
            range.end = range.end.max(next.end);
        }
        meets
    });
    all
}

/// The parts of a piece that are the same in both messages.
fn equal_parts(piece: Piece, sent: &[u8], received: &Slot, origins: &mut Vec<Origin>) {
    let range = |at: u64| {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        at..at.saturating_add(usize::try_from(piece.length).unwrap_or(usize::MAX))
    };
    let (Some(a), Some(b)) = (sent.get(range(piece.at)), received.bytes.get(range(piece.from)))
    else {
        return;
    };
    let mut found = |start: usize, end: usize| {
        let [start, end] = [start, end].map(|n| u64::try_from(n).unwrap_or(u64::MAX));
        let (at, from, length) = (piece.at + start, piece.from + start, end - start);
        let follows = |last: &&mut Origin| {
            last.receive == received.event
                && (last.at + last.length, last.from + last.length) == (at, from)
        };
        if let Some(last) = origins.last_mut().filter(follows) {
            last.length += length;
        } else if origins.len() < 2 * ORIGINS {
            origins.push(Origin { at, length, receive: received.event, from });
        }
    };
    if a == b {
        return found(0, a.len());
    }
    if !any_block(a, b) {
        return;
    }
    let mut start = 0;
    for (x, y) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
        if x == y {
            found(start, start + x.len());
        }
        start += x.len();
    }
}

/// Whether a sketch is the sum of what two slots have at the same probes, and that is no accident.
fn is_sum(element: Element, probes: &[Probe], sketch: &[u8], slots: [&Slot; 2]) -> bool {
    let size = element.size();
    let mut evidence = 0;
    for (nth, probe) in probes.iter().enumerate() {
        let operands = slots.map(|slot| slot.at_probe(nth, probe.at, size));
        let (Some(now), [Some(a), Some(b)]) =
            (sketch.get(probe.place..probe.place + size), operands)
        else {
            return false;
        };
        if !element.adds(now, a, b) {
            return false;
        }
        evidence += element.evidence(Operator::Sum, a, &[b]);
    }
    evidence >= CERTAIN
}

/// Whether a block is the same in both, of those that are looked at.
fn any_block(a: &[u8], b: &[u8]) -> bool {
    let blocks = a.len().div_ceil(BLOCK);
    let same = |block: usize| {
        let range = block * BLOCK..a.len().min((block + 1) * BLOCK);
        a[range.clone()] == b[range]
    };
    (0..blocks).step_by((blocks / SAMPLES).max(1)).any(same)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::layout::Layout;

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

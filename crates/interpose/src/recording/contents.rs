//! Which bytes of a buffer an earlier event knew, and were not changed since: copies of what was received, sent and
//! summed are kept, the newest up to a number of bytes, and compared where a later send overlaps the same memory.
//!
//! Two buffers of any layouts overlap in *pieces*. A program sends and receives the same buffers again and again, so
//! that the pieces of two buffers are found once. Memory that a later event knew is compared with that one
//! alone: an old halo often has the same values.

use std::ops::Range;
use std::sync::Arc;

use commloom_trace::Origin;
use rustc_hash::FxHashMap;

use super::layout::{Content, Data, Run};

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
    bytes: Vec<u8>,
    /// When that was, among the others.
    stamp: u64,
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
    pieces: Option<Arc<[Piece]>>,
    /// They keep the key its own.
    _contents: [Arc<Content>; 2],
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
            None => self.free_slot(data, bounds),
        };
        self.by_buffer.insert(data.key(), slot);
        let stamp = self.clock;
        let kept = &mut self.slots[slot];
        self.bytes = self.bytes - kept.bytes.len() + length;
        (kept.how, kept.event, kept.stamp) = (how, event, stamp);
        kept.bytes.resize(length, 0);
        Some(&mut kept.bytes)
    }

    /// The newest buffers of this many bytes that are known so, at most `most`, newest first. Those of which a later
    /// event knew something else are left out.
    pub fn newest(&self, how: How, length: usize, most: usize) -> Vec<Kept<'_>> {
        let fits =
            |&slot: &usize| self.slots[slot].bytes.len() == length && self.slots[slot].how == how;
        let mut found: Vec<usize> = (0..self.slots.len()).filter(fits).collect();
        found.sort_unstable_by_key(|&slot| std::cmp::Reverse(self.slots[slot].stamp));
        found.truncate(most);
        found.retain(|&slot| self.is_newest(slot));
        let kept = |slot: usize| {
            let Slot { event, data, bytes, .. } = &self.slots[slot];
            Kept { event: *event, data, bytes }
        };
        found.into_iter().map(kept).collect()
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
            let Some(pieces) = self.pieces(data, slot) else { continue };
            let received = &self.slots[slot];
            let clipped: Vec<Piece> =
                pieces.iter().filter_map(|piece| piece.within(&received.bytes)).collect();
            let fresh =
                if written.is_empty() { clipped.clone() } else { without(&clipped, &written) };
            for piece in fresh {
                equal_parts(piece, bytes, received, &mut origins);
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
    fn pieces(&mut self, data: &Data, slot: usize) -> Option<Arc<[Piece]>> {
        let other = &self.slots[slot].data;
        let key = [data.key(), other.key()];
        if let Some(pair) = self.pieces.get(&key) {
            return pair.pieces.clone();
        }
        let found = overlap(data, other).map(Arc::from);
        let contents = [data.content.clone(), other.content.clone()];
        if self.pieces.len() >= PAIRS {
            self.pieces.clear();
        }
        self.pieces.insert(key, Pair { pieces: found.clone(), _contents: contents });
        found
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
                let (data, bytes, how) = (data.clone(), Vec::new(), How::Received);
                self.slots.push(Slot { data, how, event: 0, bytes, stamp: 0 });
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

impl Piece {
    /// What of it has come with a message that may be shorter than its buffer.
    fn within(self, received: &[u8]) -> Option<Piece> {
        let there = u64::try_from(received.len()).unwrap_or(u64::MAX).checked_sub(self.from)?;
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
    use crate::recording::layout::Layout;

    fn content(text: &str, count: u64) -> Arc<Content> {
        let ty: commloom_layout::Type = text.parse().expect("a type");
        Arc::new(Layout::new(ty)).content(count, &commloom_pack::detect()).expect("small")
    }

    fn bytes(count: u64) -> Arc<Content> {
        content("leaf(MPI_BYTE)", count)
    }

    fn at(address: usize, content: &Arc<Content>) -> Data {
        Data { address, content: content.clone() }
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
        let newest = received.newest(How::Received, 10, 4);
        assert_eq!(
            newest.iter().map(|k| (k.event, k.bytes)).collect::<Vec<_>>(),
            [(4, &[3; 10][..])]
        );
        assert!(received.newest(How::Computed, 10, 4).is_empty());
    }
}

//! Where two buffers of any layouts overlap: the bytes that both have in common, in pieces.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use super::attention::SHORT;
use super::layout::{Content, Data, Run};

/// Both buffers: address and content.
pub(super) type PairKey = [(usize, usize); 2];

/// Where two buffers overlap.
pub(super) struct Pair {
    /// Found out when a whole message is compared; `None` where a layout has too many runs.
    pub pieces: OnceCell<Option<Overlap>>,
    /// Probes of the other buffer that lie in the one that is sent, bit by bit.
    pub shared: u32,
    /// They keep the key its own.
    _contents: [Arc<Content>; 2],
}

#[derive(Clone)]
pub(super) struct Overlap {
    pub pieces: Arc<[Piece]>,
    /// They are little of both: what is the same there says nothing.
    pub is_edge: bool,
}

/// Bytes that a send and a received message have in common, by their places in both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    pub at: u64,
    pub from: u64,
    pub length: u64,
}

/// Parts of two long messages that are less than one of so many are edges: the faces of a grid
/// have them in common.
const EDGE: u64 = 8;

impl Pair {
    pub fn new(data: &Data, other: &Data) -> Pair {
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
    pub fn new(data: &Data, other: &Data) -> Option<Overlap> {
        let pieces: Arc<[Piece]> = overlap(data, other)?.into();
        let common: u64 = pieces.iter().map(|piece| piece.length).sum();
        let is_long = |size: u64| usize::try_from(size).is_ok_and(|size| size > SHORT);
        let is_edge = |size: u64| is_long(size) && common < size / EDGE;
        let is_edge = [data, other].iter().all(|data| is_edge(data.content.bytes));
        Some(Overlap { pieces, is_edge })
    }
}

impl Piece {
    /// The part of it that has come with a message of so many bytes, which may be shorter than its
    /// buffer.
    pub fn within(self, received: usize) -> Option<Piece> {
        let there = u64::try_from(received).unwrap_or(u64::MAX).checked_sub(self.from)?;
        (there > 0).then_some(Piece { length: self.length.min(there), ..self })
    }
}

/// The pieces of two buffers by their place in the first; `None` where a layout has too many runs.
/// Linear in the runs.
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
pub(super) fn without(pieces: &[Piece], written: &[Range<u64>]) -> Vec<Piece> {
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
pub(super) fn joined(written: &[Range<u64>], pieces: &[Piece]) -> Vec<Range<u64>> {
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

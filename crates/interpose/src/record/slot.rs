//! One buffer as an event knew it, and how it is compared with memory and with other messages.

use commloom_trace::{Operator, Origin};

use super::element::{CERTAIN, Element};
use super::layout::{Data, Probe};
use super::overlap::Piece;

/// How bytes are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Received,
    /// Sent, or combined from what was received.
    Computed,
}

pub(super) struct Slot {
    pub data: Data,
    pub how: How,
    /// Number of the event that knew it.
    pub event: u64,
    /// The bytes, or what lay at the places of a sketch.
    pub bytes: Vec<u8>,
    pub is_whole: bool,
    /// Bytes of the message.
    pub length: usize,
    /// When that was, among the others.
    pub stamp: u64,
}

/// Newest messages of a kind that are tried as operands.
const NEWEST: usize = 4;

/// The newest slots of some kind, in order.
#[derive(Default)]
pub(super) struct Newest {
    slots: [usize; NEWEST],
    count: usize,
}

impl Newest {
    pub fn iter(&self) -> std::slice::Iter<'_, usize> {
        self.slots[..self.count].iter()
    }

    /// Puts a slot behind so many newer ones, if there is room.
    pub fn insert(&mut self, place: usize, slot: usize) {
        if place < NEWEST {
            self.count = (self.count + 1).min(NEWEST);
            self.slots[place..self.count].rotate_right(1);
            self.slots[place] = slot;
        }
    }
}

/// Probes that have to be unchanged for a message to be something known.
pub(super) const ALIKE: u32 = 2;
/// Origins of one message beyond which the others are taken for computed.
pub(super) const ORIGINS: usize = 4096;
/// Where a piece has changed in part, it is compared in blocks of so many bytes: single equal
/// bytes say nothing.
const BLOCK: usize = 64;
/// Blocks of a long piece that are compared first. Where all of them have changed, everything is
/// taken to have changed.
const SAMPLES: usize = 16;

impl Slot {
    /// So many bytes at the probe with this number, which lies there among the bytes of the
    /// message.
    fn at_probe(&self, nth: usize, at: u64, length: usize) -> Option<&[u8]> {
        let start = match self.is_whole {
            true => usize::try_from(at).ok()?,
            false => self.data.content.probes().get(nth).filter(|own| own.at == at)?.place,
        };
        self.bytes.get(start..start.checked_add(length)?)
    }

    /// Whether memory is what it was at enough of these probes, and that says something: not one
    /// number everywhere.
    ///
    /// # Safety
    /// What lies at these probes may be read, and nobody writes it meanwhile.
    pub unsafe fn is_unchanged(&self, shared: u32) -> bool {
        let mut alike = 0;
        let mut first: Option<&[u8]> = None;
        let mut is_uniform = true;
        for (nth, probe) in self.data.content.probes().iter().enumerate() {
            if shared >> nth & 1 == 0 {
                continue;
            }
            // SAFETY: this probe is one of those that the caller may read.
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

/// The parts of a piece that are the same in both messages.
pub(super) fn equal_parts(piece: Piece, sent: &[u8], received: &Slot, origins: &mut Vec<Origin>) {
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
pub(super) fn is_sum(element: Element, probes: &[Probe], sketch: &[u8], slots: [&Slot; 2]) -> bool {
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

//! The events of a process, as the bytes of their records: some 20 for each, where an [`Event`]
//! takes 150. Programs with millions of messages are analysed in memory.

use std::sync::Arc;

use crate::block::Block;
use crate::bytes::In;
use crate::event::{Action, Event, Site};
use crate::header::VERSION;
use crate::operation::{Encoder, kind};
use crate::record::{Known, Shared, later};
use crate::write::BLOCK;

/// Events by their numbers, in order; some numbers may be missing. They are made when they are
/// asked for.
#[derive(Debug, Clone, Default)]
pub struct Events {
    /// By number.
    blocks: Vec<Records>,
}

/// The kind of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind(u8);

#[allow(missing_docs)] // Those of [`Action`].
impl Kind {
    pub const COLLECTIVE: Kind = Kind(kind::COLLECTIVE);
    pub const COUNTED: Kind = Kind(kind::COUNTED);
    pub const HELD: Kind = Kind(kind::HELD);
    pub const MARK: Kind = Kind(kind::MARK);
    pub const PROBED: Kind = Kind(kind::PROBED);
    pub const RECEIVE: Kind = Kind(kind::RECEIVE);
    pub const SEND: Kind = Kind(kind::SEND);
    pub const SUMMED: Kind = Kind(kind::SUMMED);
    pub const THREADS: Kind = Kind(kind::THREADS);
}

/// Every so many records the time is kept: of the others it is the sum of what lies between.
const MARK: usize = 16;

/// The records of a block. All of them were read once, so that they make sense.
#[derive(Debug, Clone)]
struct Records {
    /// The number of its first event.
    first: u64,
    bytes: Box<[u8]>,
    /// Where the record of each event is in the bytes.
    at: Vec<u32>,
    /// The time before every [`MARK`]th event.
    times: Vec<u64>,
    shared: Shared,
    /// A bit for each kind that is there.
    kinds: u32,
}

impl Records {
    /// Of the bytes of a block. `None` where they make no sense.
    fn read(first: u64, bytes: Vec<u8>, version: u64, known: &mut Known) -> Option<Records> {
        let (mut at, mut times, mut shared) = (Vec::new(), Vec::new(), Shared::default());
        let mut kinds = 0;
        let (mut input, mut time) = (In(&bytes), 0);
        loop {
            shared.define(&mut input, known, version)?;
            if input.is_empty() {
                break;
            }
            if at.len() % MARK == 0 {
                times.push(time);
            }
            at.push(u32::try_from(bytes.len() - input.0.len()).ok()?);
            kinds |= bit(*input.0.first()?);
            time = shared.event(&mut input, time)?.time;
        }
        at.shrink_to_fit();
        times.shrink_to_fit();
        Some(Records { first, bytes: bytes.into(), at, times, shared, kinds })
    }

    fn record(&self, index: usize) -> Option<&[u8]> {
        self.bytes.get(usize::try_from(*self.at.get(index)?).ok()?..)
    }

    /// The time of the event before this one.
    fn time_before(&self, index: usize) -> Option<u64> {
        let mark = index / MARK;
        let mut between = (mark * MARK..index).map(|earlier| later(self.record(earlier)?));
        between.try_fold(*self.times.get(mark)?, |time, later| time.checked_add(later?))
    }

    /// The events of these kinds: number in the block, and record.
    fn only(&self, kinds: u32) -> impl Iterator<Item = (usize, &[u8])> {
        let events = if self.kinds & kinds == 0 { 0..0 } else { 0..self.at.len() };
        let all = events.filter_map(|index| Some((index, self.record(index)?)));
        all.filter(move |(_, record)| record.first().is_some_and(|kind| bit(*kind) & kinds != 0))
    }

    #[inline]
    fn event(&self, index: usize, before: u64) -> Option<Event> {
        self.shared.event(&mut In(self.record(index)?), before)
    }

    /// Past its last event.
    fn end(&self) -> u64 {
        self.first.saturating_add(number(self.at.len()))
    }
}

impl Events {
    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|block| block.at.len()).sum()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The event of this number; `None` where it was lost. O(log n).
    #[must_use]
    pub fn get(&self, number: u64) -> Option<Event> {
        let (block, index) = self.find(number)?;
        block.event(index, block.time_before(index)?)
    }

    /// The action of the event of this number: what takes long of an event is its time. O(log n).
    #[must_use]
    pub fn action(&self, number: u64) -> Option<Action> {
        let (block, index) = self.find(number)?;
        block.shared.action(block.record(index)?)
    }

    /// The site of the event of this number, if it is known. O(log n).
    #[must_use]
    pub fn site(&self, number: u64) -> Option<&Arc<Site>> {
        let (block, index) = self.find(number)?;
        block.shared.site(block.record(index)?)
    }

    /// The first one, with its number.
    #[must_use]
    pub fn first(&self) -> Option<(u64, Event)> {
        self.iter().next()
    }

    /// The last one, with its number.
    #[must_use]
    pub fn last(&self) -> Option<(u64, Event)> {
        let last = self.end().checked_sub(1)?;
        Some((last, self.get(last)?))
    }

    /// All of them, with their numbers.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        self.since(0)
    }

    /// Those from this number on. O(log n) before the first.
    #[must_use]
    pub fn since(&self, number: u64) -> Iter<'_> {
        let block = self.blocks.partition_point(|block| block.end() <= number);
        let there = self.blocks.get(block);
        let skipped = there.map_or(0, |block| number.saturating_sub(block.first));
        let index = usize::try_from(skipped).unwrap_or(0);
        let time = there.and_then(|block| block.time_before(index)).unwrap_or(0);
        Iter { blocks: &self.blocks[block..], index, time }
    }

    /// Those of some kinds. Linear in the events of blocks that have such, and takes little for
    /// others.
    pub fn only(&self, kinds: &[Kind]) -> impl Iterator<Item = (u64, Event)> {
        let kinds = kinds.iter().fold(0, |all, kind| all | bit(kind.0));
        self.blocks.iter().flat_map(move |block| {
            block.only(kinds).filter_map(|(index, _)| {
                let event = block.event(index, block.time_before(index)?)?;
                Some((block.first.saturating_add(number(index)), event))
            })
        })
    }

    /// Where in the program events of a kind are, one after the other, as far as that is known.
    pub fn sites(&self, kind: Kind) -> impl Iterator<Item = Option<&Arc<Site>>> {
        let sites = move |block| Records::only(block, bit(kind.0));
        self.blocks
            .iter()
            .flat_map(move |block| sites(block).map(|(_, record)| block.shared.site(record)))
    }

    fn find(&self, number: u64) -> Option<(&Records, usize)> {
        let past = self.blocks.partition_point(|block| block.first <= number);
        let block = &self.blocks[past.checked_sub(1)?];
        Some((block, usize::try_from(number - block.first).ok()?))
    }

    /// The number that the next event has if none is missing.
    pub(crate) fn end(&self) -> u64 {
        self.blocks.last().map_or(0, Records::end)
    }

    /// Takes the events of a block, all of them or none: `None` where it does not begin at
    /// [`end`](Self::end) or later, or is not what was written.
    pub(crate) fn take(
        &mut self,
        block: &Block<'_>,
        version: u64,
        known: &mut Known,
    ) -> Option<()> {
        if block.first < self.end() {
            return None;
        }
        let records = Records::read(block.first, block.unpack()?, version, known)?;
        if u32::try_from(records.at.len()) != Ok(block.events) {
            return None;
        }
        self.blocks.extend((!records.at.is_empty()).then_some(records));
        Some(())
    }
}

/// Events with their numbers. See [`Events::iter`].
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    blocks: &'a [Records],
    /// The next event in the first block, and the time of the one before it.
    index: usize,
    time: u64,
}

impl Iterator for Iter<'_> {
    type Item = (u64, Event);

    #[inline]
    fn next(&mut self) -> Option<(u64, Event)> {
        let block = self.blocks.first()?;
        let event = block.event(self.index, self.time)?;
        let number = block.first.saturating_add(number(self.index));
        (self.index, self.time) = (self.index + 1, event.time);
        if self.index == block.at.len() {
            (self.blocks, self.index, self.time) = (&self.blocks[1..], 0, 0);
        }
        Some((number, event))
    }
}

impl<'a> IntoIterator for &'a Events {
    type Item = (u64, Event);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// Events that were not read. Their numbers go up; so do their times, of which an earlier one is
/// taken for the same.
impl FromIterator<(u64, Event)> for Events {
    fn from_iter<I: IntoIterator<Item = (u64, Event)>>(events: I) -> Events {
        let (mut all, mut known) = (Events::default(), Known::default());
        let (mut encoder, mut bytes, mut first, mut next) = (Encoder::default(), Vec::new(), 0, 0);
        let mut close = |first, bytes: &mut Vec<u8>, encoder: &mut Encoder| {
            encoder.clear();
            let bytes = std::mem::take(bytes);
            if !bytes.is_empty() {
                let records = Records::read(first, bytes, VERSION, &mut known);
                all.blocks.push(records.expect("what was written is read"));
            }
        };
        for (number, event) in events {
            if number != next || bytes.len() >= BLOCK {
                close(first, &mut bytes, &mut encoder);
                first = number;
            }
            encoder.write(&event, &mut bytes);
            next = number + 1;
        }
        close(first, &mut bytes, &mut encoder);
        all
    }
}

impl PartialEq for Events {
    fn eq(&self, other: &Events) -> bool {
        self.iter().eq(other)
    }
}

impl Eq for Events {}

fn bit(kind: u8) -> u32 {
    1_u32.checked_shl(kind.into()).unwrap_or(0)
}

fn number(value: usize) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

//! The graph of a part: its messages, in the memory that [`Memory`] makes of the addresses of each
//! process.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use commloom_layout::Basic;
use commloom_trace::{Action, NOT_LOOKED_AT, Operator, Origin, Sum, Summed, Trace};

use crate::buffer::Buffer;
use crate::builder::{Builder, Dependencies, Handle};
use crate::error::BuildError;
use crate::graph::Graph;
use crate::ids::{Communicator, Process, Tag};
use crate::number::{at, id};
use crate::operation::{Combine, Reduction};
use crate::recorded::cut::{Operation, TracePart, What, operations, receive_event};
use crate::recorded::landed::Landed;
use crate::recorded::layouts::{Layouts, Memo};
use crate::recorded::links::Links;
use crate::recorded::memory::{Memory, Stretch, VERSION};
use crate::recorded::model::{Message, MessageNumbers, Place, RecordError, action, trios};
use crate::recorded::scratch::{Partial, Scratch, Write};

/// The treatment of a message of which a part was sent before, from the same memory, and the rest
/// is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resent {
    /// That part is what it was.
    Kept,
    /// All of it is new: a buffer was packed again, and something in it is left over from the last
    /// time.
    New,
}

/// A graph of a part.
pub(super) struct Built {
    pub graph: Graph,
    /// The messages of its operations.
    pub messages: MessageNumbers,
    /// Whether [`Resent`] makes a difference.
    pub is_resent: bool,
    /// Whether [`Partial`] does.
    pub has_partial: bool,
}

/// The graph. Near-linear in the events.
pub(super) fn build(
    traces: &[&Trace],
    part: &TracePart,
    resent: Resent,
    partial: Partial,
) -> Result<Built, RecordError> {
    let mut builder = Builder::new(id(traces.len()), Dependencies::Automatic);
    let mut layouts = Layouts::default();
    let links = Links::of(traces, &part.messages, &part.sums);
    let (mut all, mut is_resent, mut has_partial) = (Vec::new(), false, false);
    let consumed = consumed(traces, part);
    trios(traces, &part.messages).into_iter().for_each(|three| builder.together(three));
    for (process, own) in operations(traces.len(), part).iter().enumerate() {
        let mut maker = Maker {
            traces,
            part,
            process: id(process),
            builder: &mut builder,
            layouts: &mut layouts,
            links: &links,
            landed: Landed::default(),
            memory: Memory::default(),
            sums: HashMap::new(),
            waiting: HashMap::new(),
            empty: Vec::new(),
            gate: None,
            made: HashMap::new(),
            sent: HashMap::new(),
            messages: Vec::new(),
            consumed: &consumed,
            scratch: Scratch::default(),
            resent,
            is_resent: false,
        };
        for (_, step) in steps(traces, part, own) {
            match step {
                Step::Begin(operation) => maker.add(operation)?,
                Step::Add { send, buffer, sum } => maker.sent_sum(send, &buffer, &sum)?,
                Step::Arrive(receive) => maker.arrive(receive),
            }
        }
        has_partial |= maker.scratch.declare(Process(id(process)), maker.builder, partial)?;
        is_resent |= maker.is_resent;
        all.push(maker.messages);
    }
    Ok(Built { graph: builder.finish()?, messages: all, is_resent, has_partial })
}

/// Whether each message is combined with something where it has come to, and nothing else is known
/// of it.
fn consumed(traces: &[&Trace], part: &TracePart) -> Vec<bool> {
    let posted: HashSet<(u32, u64)> = part
        .sums
        .iter()
        .filter_map(|place| {
            let Action::Summed(summed) = action(traces, *place)? else { return None };
            Some((place.process, receive_event(traces, place.process, summed.receive)))
        })
        .collect();
    let is = |m: &Message| posted.contains(&(m.receive.process, m.receive.event));
    part.messages.iter().map(is).collect()
}

/// The step of a process at an event.
enum Step<'o> {
    /// It sends, posts a receive, or combines something.
    Begin(&'o Operation),
    /// It adds up what is sent later. That happens when the last summand is there: afterwards
    /// their buffers may be used again.
    Add { send: u64, buffer: commloom_trace::Buffer, sum: Sum },
    /// A message without bytes has come. What is sent from now on has waited for it.
    Arrive(u64),
}

/// The steps of a process, in order of their events.
fn steps<'o>(traces: &[&Trace], part: &TracePart, own: &'o [Operation]) -> Vec<(u64, Step<'o>)> {
    let mut steps = Vec::with_capacity(own.len());
    for operation in own {
        steps.push((operation.event, Step::Begin(operation)));
        match operation.what {
            What::Receive(message) if part.messages[at(message)].bytes == 0 => {
                let arrival = part.messages[at(message)].arrival.event;
                steps.push((arrival, Step::Arrive(operation.event)));
            }
            What::Send(message) => {
                let action = action(traces, part.messages[at(message)].send);
                if let Some(Action::Send { buffer, sum: Some(sum), .. }) = action {
                    let last = sum.receive.max(sum.before);
                    steps.push((last, Step::Add { send: operation.event, buffer, sum }));
                }
            }
            _ => {}
        }
    }
    // What begins at an event is there for what is added at it.
    steps.sort_by_key(|(event, step)| (*event, !matches!(step, Step::Begin(_))));
    steps
}

/// Address, count and layout of a buffer.
type Key = (u64, u64, Arc<str>);

/// Makes the operations of one process.
struct Maker<'a, 't> {
    traces: &'a [&'t Trace],
    part: &'a TracePart,
    process: u32,
    builder: &'a mut Builder,
    layouts: &'a mut Layouts,
    links: &'a Links,
    landed: Landed,
    memory: Memory,
    /// Where the sums are that are sent later, by the event of their send.
    sums: HashMap<u64, Buffer>,
    /// Receives of messages without bytes that are posted, by event; those that have come since
    /// the last send; and the operation that waits for all before.
    waiting: HashMap<u64, Handle>,
    empty: Vec<Handle>,
    gate: Option<Handle>,
    /// Memory and buffer of each operation so far, by event.
    made: HashMap<u64, (Memo, Buffer)>,
    /// The stretches that were sent from the same buffer before, and from which versions.
    sent: HashMap<Key, (u64, Vec<Stretch>)>,
    messages: Vec<Option<u32>>,
    consumed: &'a [bool],
    scratch: Scratch,
    resent: Resent,
    is_resent: bool,
}

impl Maker<'_, '_> {
    fn add(&mut self, operation: &Operation) -> Result<(), RecordError> {
        let place = Place { process: self.process, event: operation.event };
        let Some(action) = action(self.traces, place) else { return Ok(()) };
        match (operation.what, &action) {
            (What::Send(message), Action::Send { buffer, hash, origins, .. }) => {
                let bytes = self.part.messages[at(message)].bytes;
                let memo = self.memo(buffer, bytes)?;
                let buffer = match self.sums.remove(&place.event) {
                    Some(sum) => {
                        let now = self.memory.stretches(memo.range.clone());
                        self.sent.insert(key(buffer), (*hash, now));
                        sum
                    }
                    None => self.source(&memo, key(buffer), *hash, origins),
                };
                Ok(self.send(place.event, message, memo, buffer)?)
            }
            (What::Receive(message), Action::Receive { buffer, .. }) => {
                let ends = &self.part.messages[at(message)];
                let memo = self.memo(buffer, ends.bytes)?;
                let buffer = self.target(&memo, self.links.used[at(message)]);
                let is_operand = self.consumed[at(message)];
                self.scratch.written(&buffer, Write::Message { is_operand });
                self.made.insert(place.event, (memo, buffer.clone()));
                let (process, from) = (Process(self.process), Process(ends.send.process));
                // Every message has a tag of its own: they are joined already.
                let tag = Tag(message.cast_signed());
                let receive = self.builder.receive(process, buffer, from, tag, Communicator(0))?;
                if ends.bytes == 0 {
                    self.waiting.insert(place.event, receive);
                }
                self.messages.push(Some(message));
                Ok(())
            }
            (What::Sum, Action::Summed(summed)) => {
                let memo = self.memo(&summed.buffer, summed.buffer.bytes)?;
                let Some(reduction) = reduction(summed.operator, &summed.element) else {
                    return Ok(());
                };
                if self.is_message_itself(summed, &memo) {
                    return Ok(());
                }
                let Some(other) = self.other(summed, &memo) else { return Ok(()) };
                let made = (summed.receive, reduction);
                let Some(into) = self.combine(made, other, &memo)? else { return Ok(()) };
                self.sent.insert(
                    key(&summed.buffer),
                    (summed.hash, self.memory.stretches(memo.range.clone())),
                );
                self.made.insert(place.event, (memo, into));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn memo(&mut self, buffer: &commloom_trace::Buffer, bytes: u64) -> Result<Memo, RecordError> {
        let memo = self.layouts.memo(buffer, bytes);
        let origin = memo.typed.as_ref().map_or(0, |(at, ..)| at.0);
        let past = memo.range.end.max(origin);
        match past > VERSION {
            true => Err(RecordError::Far { process: self.process, past }),
            false => Ok(memo),
        }
    }

    fn send(
        &mut self,
        event: u64,
        message: u32,
        memo: Memo,
        buffer: Buffer,
    ) -> Result<(), BuildError> {
        self.scratch.sent(&buffer, self.consumed[at(message)]);
        self.made.insert(event, (memo, buffer.clone()));
        let (process, to) =
            (Process(self.process), Process(self.part.messages[at(message)].receive.process));
        let tag = Tag(message.cast_signed());
        let gate = self.gate()?;
        let send = self.builder.send(process, buffer, to, tag, Communicator(0))?;
        if let Some(gate) = gate {
            self.builder.depend(send, gate)?;
        }
        self.messages.push(Some(message));
        Ok(())
    }

    /// Whether what lay where the result is was the message: the program has doubled it in place,
    /// for instance. That is no sum of the message and of something else, and the message stays
    /// what it was until then.
    fn is_message_itself(&mut self, summed: &Summed, memo: &Memo) -> bool {
        let posted = receive_event(self.traces, self.process, summed.receive);
        let Some((from_memo, from)) = self.made.get(&posted) else { return false };
        let (from_range, range) = (&from_memo.range, &memo.range);
        let is_there = from_range.start < range.end && range.start < from_range.end;
        let is_itself = summed.other.is_none() && is_there;
        if is_itself {
            self.scratch.written(from, Write::Message { is_operand: false });
        }
        is_itself
    }

    /// The operand of a sum that was not received: what lay where the result is, or what an
    /// earlier event had.
    fn other(&mut self, summed: &Summed, memo: &Memo) -> Option<(Memo, Buffer)> {
        match summed.other {
            Some(event) => self.made.get(&event).cloned(),
            None => {
                let key = key(&summed.buffer);
                let buffer = self.source(memo, key, summed.before, &summed.origins);
                Some((memo.clone(), buffer))
            }
        }
    }

    /// Combines what was received with the other operand; where the result is in the graph. `None`
    /// where the message is not in it, or both are the same memory.
    fn combine(
        &mut self,
        (receive, reduction): (u64, Reduction),
        (other, own): (Memo, Buffer),
        memo: &Memo,
    ) -> Result<Option<Buffer>, BuildError> {
        let posted = receive_event(self.traces, self.process, receive);
        let Some((from_memo, from)) = self.made.get(&posted).cloned() else { return Ok(None) };
        if from_memo.bytes != memo.bytes || other.bytes != memo.bytes {
            return Ok(None);
        }
        let process = Process(self.process);
        let (from, into) = if other.range == memo.range {
            (from, own)
        } else if from_memo.range == memo.range {
            (own, from)
        } else {
            let version = self.memory.fresh();
            self.memory.set(memo.range.clone(), version);
            let into = memo.at(version);
            self.builder.copy_buffer(process, own, into.clone())?;
            self.messages.push(None);
            (from, into)
        };
        match self.builder.reduce_buffer(process, from.clone(), into.clone(), reduction) {
            // Memory is added to itself: nothing says which of its contents are meant.
            Err(BuildError::Overlap { .. }) => {
                self.scratch.written(&from, Write::Message { is_operand: false });
                return Ok(None);
            }
            made => made?,
        };
        self.scratch.written(&into, Write::Sum);
        self.messages.push(None);
        Ok(Some(into))
    }

    /// The sum that is sent later: what was known before plus what was received, where both are in
    /// the graph.
    fn sent_sum(
        &mut self,
        send: u64,
        buffer: &commloom_trace::Buffer,
        sum: &Sum,
    ) -> Result<(), BuildError> {
        let memo = self.layouts.memo(buffer, buffer.bytes);
        if let (Some(other), Some(reduction)) =
            (self.made.get(&sum.before).cloned(), reduction(Operator::Sum, &sum.element))
        {
            let into = self.combine((sum.receive, reduction), other, &memo)?;
            self.sums.extend(into.map(|into| (send, into)));
        }
        Ok(())
    }

    /// A message without bytes has come.
    fn arrive(&mut self, receive: u64) {
        self.empty.extend(self.waiting.remove(&receive));
    }

    /// An operation that has waited for all messages without bytes, if there were any: their
    /// addresses say nothing about who waits for them.
    fn gate(&mut self) -> Result<Option<Handle>, BuildError> {
        if !self.empty.is_empty() {
            let gate = self.builder.nothing(Process(self.process))?;
            self.messages.push(None);
            for on in self.empty.drain(..).chain(self.gate) {
                self.builder.depend(gate, on)?;
            }
            self.gate = Some(gate);
        }
        Ok(self.gate)
    }

    /// Where a message goes: to the version that is there. To a new one where there are several,
    /// or where it overwrites what nobody has passed on: the program has looked at that in
    /// between.
    fn target(&mut self, memo: &Memo, used: bool) -> Buffer {
        let stretches = self.memory.stretches(memo.range.clone());
        let one = one_version(&stretches).filter(|_| !self.landed.unused(&memo.range));
        let version = one.unwrap_or_else(|| self.memory.fresh());
        self.landed.add(&memo.range, used);
        self.memory.set(memo.range.clone(), version);
        memo.at(version)
    }

    /// Where the bytes of a message are from.
    fn source(&mut self, memo: &Memo, key: Key, hash: u64, origins: &[Origin]) -> Buffer {
        let now = self.memory.stretches(memo.range.clone());
        let again = hash != NOT_LOOKED_AT
            && self.sent.get(&key).is_some_and(|last| *last == (hash, now.clone()));
        let mut stretches = Vec::new();
        let mut new = None;
        let unchanged =
            if again { vec![(memo.range.clone(), false)] } else { self.unchanged(memo, origins) };
        let unchanged = self.without_resent(&now, unchanged);
        // Nothing of it is from elsewhere: it stays in one piece.
        if unchanged.is_empty() && now.iter().any(|stretch| stretch.version.is_some()) {
            let version = self.memory.fresh();
            self.memory.set(memo.range.clone(), version);
            self.sent.insert(key, (hash, self.memory.stretches(memo.range.clone())));
            return memo.at(version);
        }
        for stretch in split(&now, &unchanged) {
            let kept = unchanged.iter().any(|range| range.contains(&stretch.range.start));
            let version = match stretch.version {
                Some(version) if kept => version,
                Some(_) => *new.get_or_insert_with(|| self.memory.fresh()),
                None => 0,
            };
            self.memory.set(stretch.range.clone(), version);
            stretches.push(Stretch { version: Some(version), ..stretch });
        }
        let buffer = match one_version(&stretches) {
            Some(version) => memo.at(version),
            None => {
                memo.scattered(&stretches).filter(|_| memo.typed.is_none()).unwrap_or_else(|| {
                    let version = self.memory.fresh();
                    self.memory.set(memo.range.clone(), version);
                    memo.at(version)
                })
            }
        };
        self.sent.insert(key, (hash, self.memory.stretches(memo.range.clone())));
        buffer
    }

    /// The stretches without those taken for unchanged in a buffer, by [`Resent`].
    fn without_resent(&mut self, now: &[Stretch], all: Vec<(Range<u64>, bool)>) -> Vec<Range<u64>> {
        let ranges: Vec<Range<u64>> = all.iter().map(|(range, _)| range.clone()).collect();
        if !all.iter().any(|(_, is_sent)| *is_sent) {
            return ranges;
        }
        let is_changed = |s: &Stretch| {
            s.version.is_some() && !ranges.iter().any(|range| range.contains(&s.range.start))
        };
        if !split(now, &ranges).iter().any(is_changed) {
            return ranges;
        }
        self.is_resent = true;
        match self.resent {
            Resent::Kept => ranges,
            Resent::New => all.into_iter().filter(|(_, s)| !s).map(|(range, _)| range).collect(),
        }
    }

    /// The parts of a sent range that came with messages of this graph and lie where they came to,
    /// or were sent from there before (`true`).
    fn unchanged(&self, memo: &Memo, origins: &[Origin]) -> Vec<(Range<u64>, bool)> {
        let origin = |o: &Origin| {
            let place = Place { process: self.process, event: o.receive };
            let is_sent = matches!(action(self.traces, place), Some(Action::Send { .. }));
            let posted = receive_event(self.traces, self.process, o.receive);
            let (from, _) = self.made.get(&posted)?;
            let same_place = match (&memo.typed, &from.typed) {
                (None, None) => {
                    memo.range.start.checked_add(o.at) == from.range.start.checked_add(o.from)
                }
                (own, other) => own == other && o.length == memo.bytes,
            };
            let start = memo.range.start.checked_add(o.at)?;
            let end =
                if memo.typed.is_none() { start.checked_add(o.length)? } else { memo.range.end };
            same_place.then_some((start..end, is_sent))
        };
        origins.iter().filter_map(origin).collect()
    }
}

fn key(buffer: &commloom_trace::Buffer) -> Key {
    (buffer.address, buffer.count, buffer.layout.clone())
}

fn reduction(operator: Operator, element: &str) -> Option<Reduction> {
    let combine = Combine::by_mpi_name(operator.mpi_name())?;
    Some(Reduction { combine, element: Basic::by_name(element)? })
}

/// The version of all stretches, where there is only one; untouched ones have the first.
fn one_version(stretches: &[Stretch]) -> Option<u64> {
    let mut versions = stretches.iter().map(|s| s.version.unwrap_or(0));
    let first = versions.next().unwrap_or(0);
    versions.all(|version| version == first).then_some(first)
}

/// The stretches, cut where the ranges begin and end.
fn split(stretches: &[Stretch], ranges: &[Range<u64>]) -> Vec<Stretch> {
    let mut cuts: Vec<u64> = ranges.iter().flat_map(|range| [range.start, range.end]).collect();
    cuts.sort_unstable();
    let mut out = Vec::new();
    for stretch in stretches {
        let mut from = stretch.range.start;
        let first = cuts.partition_point(|cut| *cut <= from);
        for &cut in cuts[first..].iter().take_while(|cut| **cut < stretch.range.end) {
            if cut > from {
                out.push(Stretch { range: from..cut, version: stretch.version });
                from = cut;
            }
        }
        out.push(Stretch { range: from..stretch.range.end, version: stretch.version });
    }
    out
}

//! The graph of a part: its messages, in the memory that [`Memory`] makes of the addresses of each process.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use commloom_layout::{Basic, Type, mpi, text};
use commloom_trace::{Action, Origin, Sum, Trace};

use crate::buffer::Buffer;
use crate::builder::{Builder, Dependencies};
use crate::error::BuildError;
use crate::graph::Graph;
use crate::ids::{Address, Bytes, Communicator, Process, Tag};
use crate::number::{at, id};
use crate::operation::{Combine, Reduction};
use crate::recorded::cut::{Operation, Part, operations, receive_event};
use crate::recorded::event;
use crate::recorded::memory::{Memory, Stretch, shift};

/// By process, the message of each operation.
pub(super) type Messages = Vec<Vec<Option<u32>>>;

/// The graph, and what its operations are. Near-linear in the events.
pub(super) fn build(traces: &[&Trace], part: &Part) -> Result<(Graph, Messages), BuildError> {
    let mut builder = Builder::new(id(traces.len()), Dependencies::Automatic);
    let mut layouts = Layouts::default();
    let mut all = Vec::new();
    for (process, own) in operations(traces.len(), &part.messages).iter().enumerate() {
        let mut maker = Maker {
            traces,
            part,
            process: id(process),
            builder: &mut builder,
            layouts: &mut layouts,
            memory: Memory::default(),
            made: HashMap::new(),
            sent: HashMap::new(),
            messages: Vec::new(),
        };
        for operation in own {
            maker.add(operation)?;
        }
        all.push(maker.messages);
    }
    Ok((builder.finish()?, all))
}

/// Types by their text. One that is not known is taken for bytes without gaps.
#[derive(Default)]
struct Layouts(HashMap<Arc<str>, Option<Type>>);

/// The memory of an operation, as the program has it.
#[derive(Clone)]
struct Memo {
    range: Range<u64>,
    bytes: u64,
    /// What is in the range, where that is not one run.
    typed: Option<(Address, u64, Type)>,
}

impl Layouts {
    fn memo(&mut self, buffer: &commloom_trace::Buffer, bytes: u64) -> Memo {
        let parse = || text::parse(&buffer.layout).ok();
        let ty = self.0.entry(buffer.layout.clone()).or_insert_with(parse).clone();
        let dense =
            |start: u64| Memo { range: start..start.saturating_add(bytes), bytes, typed: None };
        let Some(all) = ty.as_ref().and_then(|ty| mpi::contiguous(buffer.count, ty).ok()) else {
            return dense(buffer.address);
        };
        let Some(start) = buffer.address.checked_add_signed(all.true_lb()) else {
            return dense(buffer.address);
        };
        if all.runs() <= 1 {
            return dense(start);
        }
        let length = u64::try_from(all.true_ub() - all.true_lb()).unwrap_or(bytes);
        let typed = ty.map(|ty| (Address(buffer.address), buffer.count, ty));
        Memo { range: start..start.saturating_add(length), bytes, typed }
    }
}

impl Memo {
    /// In the graph, all of one version.
    fn at(&self, version: u64) -> Buffer {
        let shift = shift(version);
        match &self.typed {
            None => Buffer::Range(Address(self.range.start + shift), Bytes(self.bytes)),
            Some((at, count, ty)) => {
                Buffer::Typed { at: Address(at.0 + shift), count: *count, ty: ty.clone() }
            }
        }
    }

    /// In the graph, each stretch with its own version. `None` where that cannot be said.
    fn scattered(&self, stretches: &[Stretch]) -> Option<Buffer> {
        let length = |s: &Stretch| s.range.end - s.range.start;
        let place = |s: &Stretch| i64::try_from(s.range.start + shift(s.version.unwrap_or(0))).ok();
        let lengths: Vec<u64> = stretches.iter().map(length).collect();
        let places: Vec<i64> = stretches.iter().map(place).collect::<Option<_>>()?;
        let ty = mpi::hindexed(&lengths, &places, &Type::leaf(Basic::BYTE)).ok()?;
        Some(Buffer::Typed { at: Address(0), count: 1, ty })
    }
}

/// Address, count and layout of a buffer.
type Key = (u64, u64, Arc<str>);

/// Makes the operations of one process.
struct Maker<'a, 't> {
    traces: &'a [&'t Trace],
    part: &'a Part,
    process: u32,
    builder: &'a mut Builder,
    layouts: &'a mut Layouts,
    memory: Memory,
    /// Memory and buffer of each operation so far, by event.
    made: HashMap<u64, (Memo, Buffer)>,
    /// What was sent from the same buffer before, and from which versions.
    sent: HashMap<Key, (u64, Vec<Stretch>)>,
    messages: Vec<Option<u32>>,
}

impl Maker<'_, '_> {
    fn add(&mut self, operation: &Operation) -> Result<(), BuildError> {
        let message = &self.part.messages[at(operation.message)];
        let place = if operation.is_send { message.send } else { message.receive };
        let Some(event) = event(self.traces, place) else { return Ok(()) };
        // Every message has a tag of its own: they are joined already.
        let tag = Tag(operation.message.cast_signed());
        let process = Process(self.process);
        match &event.action {
            Action::Send { buffer, hash, origins, sum, .. } => {
                let memo = self.layouts.memo(buffer, message.bytes);
                let key = (buffer.address, buffer.count, buffer.layout.clone());
                let buffer = match self.summed(sum.as_ref(), &memo)? {
                    Some(buffer) => buffer,
                    None => self.source(&memo, key, *hash, origins),
                };
                self.made.insert(place.event, (memo, buffer.clone()));
                let to = Process(message.receive.process);
                self.builder.send(process, buffer, to, tag, Communicator(0))?;
            }
            Action::Receive { buffer, .. } => {
                let memo = self.layouts.memo(buffer, message.bytes);
                let buffer = self.target(&memo);
                self.made.insert(place.event, (memo, buffer.clone()));
                let from = Process(message.send.process);
                self.builder.receive(process, buffer, from, tag, Communicator(0))?;
            }
            _ => return Ok(()),
        }
        self.messages.push(Some(operation.message));
        Ok(())
    }

    /// Where a message goes: to the version that is there, or to a new one where there are several.
    fn target(&mut self, memo: &Memo) -> Buffer {
        let stretches = self.memory.stretches(memo.range.clone());
        let version = one_version(&stretches).unwrap_or_else(|| self.memory.fresh());
        self.memory.set(memo.range.clone(), version);
        memo.at(version)
    }

    /// Where the bytes of a message are from.
    fn source(&mut self, memo: &Memo, key: Key, hash: u64, origins: &[Origin]) -> Buffer {
        let now = self.memory.stretches(memo.range.clone());
        let again = self.sent.get(&key).is_some_and(|last| *last == (hash, now.clone()));
        let mut stretches = Vec::new();
        let mut new = None;
        let unchanged =
            if again { vec![memo.range.clone()] } else { self.unchanged(memo, origins) };
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

    /// The parts of a sent range that came with messages of this graph and lie where they came to.
    fn unchanged(&self, memo: &Memo, origins: &[Origin]) -> Vec<Range<u64>> {
        let origin = |o: &Origin| {
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
            same_place.then_some(start..end)
        };
        origins.iter().filter_map(origin).collect()
    }

    /// The sum that is sent, if it is one: what was sent before plus what was received, where both are in the
    /// graph.
    fn summed(&mut self, sum: Option<&Sum>, memo: &Memo) -> Result<Option<Buffer>, BuildError> {
        let Some(sum) = sum else { return Ok(None) };
        let posted = receive_event(self.traces, self.process, sum.receive);
        let (Some((from_memo, from)), Some((into_memo, into)), Some(element)) =
            (self.made.get(&posted), self.made.get(&sum.before), Basic::by_name(&sum.element))
        else {
            return Ok(None);
        };
        if into_memo.range != memo.range || from_memo.bytes != memo.bytes {
            return Ok(None);
        }
        let reduction = Reduction { combine: Combine::Sum, element };
        let (from, into) = (from.clone(), into.clone());
        self.builder.reduce_buffer(Process(self.process), from, into.clone(), reduction)?;
        self.messages.push(None);
        Ok(Some(into))
    }
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

//! Events as bytes, within one block: a record for each, and records before them that define what
//! they share.

use std::sync::Arc;

use crate::bytes::Out;
use crate::event::{Action, Buffer, Communicator, Event, Mode, Operator, Origin, Site, Stay};
use crate::table::Table;

/// First bytes of records.
pub(crate) mod kind {
    pub const SITE: u8 = 0;
    pub const NAME: u8 = 1;
    pub const COMMUNICATOR: u8 = 2;
    pub const SEND: u8 = 16;
    pub const RECEIVE: u8 = 17;
    pub const SENT: u8 = 18;
    pub const RECEIVED: u8 = 19;
    pub const DROPPED: u8 = 20;
    pub const COLLECTIVE: u8 = 21;
    pub const NEW_COMMUNICATOR: u8 = 22;
    pub const MARK: u8 = 23;
    pub const LIMIT: u8 = 24;
    pub const SUMMED: u8 = 25;
    pub const PROBED: u8 = 26;
    pub const COUNTED: u8 = 27;
    pub const HELD: u8 = 28;
    pub const THREADS: u8 = 29;
}

pub(crate) const MODES: [Mode; 4] =
    [Mode::Standard, Mode::Buffered, Mode::Synchronous, Mode::Ready];

/// The definitions in the records of a block so far, and the time.
#[derive(Default)]
pub(crate) struct Encoder {
    sites: Table<Site>,
    names: Table<str>,
    communicators: Table<Communicator>,
    time: u64,
}

impl Encoder {
    /// A new block begins.
    pub fn clear(&mut self) {
        self.sites.clear();
        self.names.clear();
        self.communicators.clear();
        self.time = 0;
    }

    /// Appends an event with the definitions that it needs, and says how many bytes those take.
    /// Linear in its bytes.
    pub fn write(&mut self, event: &Event, bytes: &mut Vec<u8>) -> usize {
        let before = bytes.len();
        let mut out = Out(bytes);
        let site = event.site.as_ref().map_or(0, |site| self.site(site, &mut out) + 1);
        let shared = self.define(&event.action, &mut out);
        let defined = out.0.len() - before;
        let later = event.time.max(self.time);
        out.0.push(kind_of(&event.action));
        out.number(later - self.time);
        out.number(site);
        self.time = later;
        put_action(&event.action, &shared, &mut out);
        defined
    }

    /// Writes the definitions of what an action shares with others.
    #[inline]
    fn define(&mut self, action: &Action, out: &mut Out<'_>) -> Shared {
        let mut shared = Shared::default();
        match action {
            Action::Send { communicator, buffer, sum, .. } => {
                shared.communicator = self.communicator(communicator, out);
                shared.layout = self.name(&buffer.layout, out);
                if let Some(sum) = sum {
                    shared.name = self.name(&sum.element, out);
                }
            }
            Action::Receive { communicator, buffer, .. } => {
                shared.communicator = self.communicator(communicator, out);
                shared.layout = self.name(&buffer.layout, out);
            }
            Action::Collective(collective) => {
                shared.name = self.name(&collective.name, out);
                shared.communicator = self.communicator(&collective.communicator, out);
            }
            Action::Communicator(communicator) | Action::Probed { communicator, .. } => {
                shared.communicator = self.communicator(communicator, out);
            }
            Action::Summed(summed) => {
                shared.layout = self.name(&summed.buffer.layout, out);
                shared.name = self.name(&summed.element, out);
            }
            Action::Sent { .. }
            | Action::Received { .. }
            | Action::Dropped { .. }
            | Action::Counted { .. }
            | Action::Held(_)
            | Action::Mark(_)
            | Action::Threads
            | Action::Limit => {}
        }
        shared
    }

    fn site(&mut self, site: &Arc<Site>, out: &mut Out<'_>) -> u64 {
        let (number, new) = self.sites.number(site);
        if new {
            out.0.push(kind::SITE);
            out.string(&site.module);
            out.number(site.offset);
        }
        number
    }

    fn name(&mut self, name: &Arc<str>, out: &mut Out<'_>) -> u64 {
        let (number, new) = self.names.number(name);
        if new {
            out.0.push(kind::NAME);
            out.string(name);
        }
        number
    }

    fn communicator(&mut self, communicator: &Arc<Communicator>, out: &mut Out<'_>) -> u64 {
        let (number, new) = self.communicators.number(communicator);
        if new {
            out.0.push(kind::COMMUNICATOR);
            out.number(communicator.number);
            for group in [&communicator.members, &communicator.remote] {
                out.length(group.len());
                // Most groups are ranks with one distance: small differences.
                let mut last = 0;
                for &rank in group {
                    out.signed(i64::from(rank) - last);
                    last = i64::from(rank);
                }
            }
        }
        number
    }
}

/// The numbers of what an action shares with others; 0 where it has no such thing.
#[derive(Default)]
struct Shared {
    communicator: u64,
    layout: u64,
    /// Of an element, or of a call.
    name: u64,
}

#[inline]
fn kind_of(action: &Action) -> u8 {
    match action {
        Action::Send { .. } => kind::SEND,
        Action::Receive { .. } => kind::RECEIVE,
        Action::Sent { .. } => kind::SENT,
        Action::Received { .. } => kind::RECEIVED,
        Action::Dropped { .. } => kind::DROPPED,
        Action::Collective(_) => kind::COLLECTIVE,
        Action::Communicator(_) => kind::NEW_COMMUNICATOR,
        Action::Summed(_) => kind::SUMMED,
        Action::Probed { .. } => kind::PROBED,
        Action::Counted { .. } => kind::COUNTED,
        Action::Held(_) => kind::HELD,
        Action::Mark(_) => kind::MARK,
        Action::Threads => kind::THREADS,
        Action::Limit => kind::LIMIT,
    }
}

/// Source and tag that are asked for, and the communicator.
#[inline]
fn put_wanted(from: Option<u32>, tag: Option<i32>, shared: &Shared, out: &mut Out<'_>) {
    out.number(from.map_or(0, |from| u64::from(from) + 1));
    out.0.push(u8::from(tag.is_some()));
    if let Some(tag) = tag {
        out.signed(i64::from(tag));
    }
    out.number(shared.communicator);
}

/// Source, tag and bytes.
#[inline]
fn put_envelope((source, tag, bytes): (u32, i32, u64), out: &mut Out<'_>) {
    out.number(u64::from(source));
    out.signed(i64::from(tag));
    out.number(bytes);
}

#[inline]
fn put_action(action: &Action, shared: &Shared, out: &mut Out<'_>) {
    match action {
        Action::Send { mode, to, tag, buffer, hash, origins, sum, .. } => {
            out.0.push(place(&MODES, mode));
            out.number(u64::from(*to));
            out.signed(i64::from(*tag));
            out.number(shared.communicator);
            put_buffer(buffer, shared.layout, out);
            out.fixed(*hash);
            put_origins(origins, out);
            match sum {
                Some(sum) => {
                    out.number(shared.name + 1);
                    out.number(sum.receive);
                    out.number(sum.before);
                }
                None => out.number(0),
            }
        }
        Action::Receive { from, tag, buffer, .. } => {
            put_wanted(*from, *tag, shared, out);
            put_buffer(buffer, shared.layout, out);
        }
        Action::Sent { send } => out.number(*send),
        Action::Received { receive, what } => {
            out.number(*receive);
            put_envelope((what.from, what.tag, what.bytes), out);
            out.fixed(what.hash);
        }
        Action::Dropped { receive } => out.number(*receive),
        Action::Collective(collective) => {
            out.number(shared.name);
            out.number(shared.communicator);
            out.number(collective.root.map_or(0, |root| u64::from(root) + 1));
            out.number(collective.gives);
            out.number(collective.gets);
        }
        Action::Communicator(_) => out.number(shared.communicator),
        Action::Probed { from, tag, waits, takes, found: (source, its, bytes), .. } => {
            put_wanted(*from, *tag, shared, out);
            out.0.push(u8::from(*waits) | u8::from(*takes) << 1);
            put_envelope((*source, *its, *bytes), out);
        }
        Action::Counted { source, tag, bytes } => put_envelope((*source, *tag, *bytes), out),
        Action::Summed(summed) => {
            out.0.push(place(&Operator::ALL, &summed.operator));
            out.number(shared.name);
            out.number(summed.receive);
            out.number(summed.other.map_or(0, |other| other.saturating_add(1)));
            put_buffer(&summed.buffer, shared.layout, out);
            out.fixed(summed.before);
            put_origins(&summed.origins, out);
            out.fixed(summed.hash);
        }
        Action::Held(held) => {
            let or_none = |event: Option<u64>| event.map_or(0, |event| event.saturating_add(1));
            let Stay { send, since, before, until, after } = *held;
            for number in [send, since, or_none(before), until, or_none(after)] {
                out.number(number);
            }
        }
        Action::Mark(level) => out.signed(i64::from(*level)),
        Action::Threads | Action::Limit => {}
    }
}

fn put_buffer(buffer: &Buffer, layout: u64, out: &mut Out<'_>) {
    for number in [buffer.address, buffer.count, layout, buffer.bytes] {
        out.number(number);
    }
}

fn put_origins(origins: &[Origin], out: &mut Out<'_>) {
    out.length(origins.len());
    for origin in origins {
        for number in [origin.at, origin.length, origin.receive, origin.from] {
            out.number(number);
        }
    }
}

/// A value as its place in a short list.
fn place<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|other| other == value).map_or(0, |at| at.to_le_bytes()[0])
}

//! Events as bytes, within one block: a record for each, and records before them that define what
//! they share.

use std::sync::Arc;

use crate::bytes::{In, Out};
use crate::event::{
    Action, Buffer, Collective, Communicator, Event, Mode, Operator, Origin, Received, Site, Sum,
    Summed,
};
use crate::table::Table;

/// First bytes of records.
mod kind {
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
}

const MODES: [Mode; 4] = [Mode::Standard, Mode::Buffered, Mode::Synchronous, Mode::Ready];

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
            | Action::Mark(_)
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
        Action::Mark(_) => kind::MARK,
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
        Action::Mark(level) => out.signed(i64::from(*level)),
        Action::Limit => {}
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

/// The records of a block.
pub(crate) struct Decoder<'a> {
    input: In<'a>,
    sites: Vec<Arc<Site>>,
    names: Vec<Arc<str>>,
    communicators: Vec<Arc<Communicator>>,
    time: u64,
    version: u64,
}

impl<'a> Decoder<'a> {
    /// Of a file of this version.
    pub fn new(bytes: &'a [u8], version: u64) -> Self {
        Decoder {
            version,
            input: In(bytes),
            sites: Vec::new(),
            names: Vec::new(),
            communicators: Vec::new(),
            time: 0,
        }
    }

    /// The next event. `None` at the end, or where the bytes make no sense.
    pub fn event(&mut self) -> Option<Event> {
        while !self.input.is_empty() {
            match self.input.byte()? {
                kind::SITE => {
                    let module = self.input.string()?.to_owned();
                    let offset = self.input.number()?;
                    self.sites.push(Arc::new(Site { module, offset }));
                }
                kind::NAME => self.names.push(self.input.string()?.into()),
                kind::COMMUNICATOR => {
                    let communicator = self.new_communicator()?;
                    self.communicators.push(Arc::new(communicator));
                }
                kind => {
                    self.time = self.time.checked_add(self.input.number()?)?;
                    let site = match self.input.small::<usize>()? {
                        0 => None,
                        at => Some(self.sites.get(at - 1)?.clone()),
                    };
                    let action = self.action(kind)?;
                    return Some(Event { time: self.time, site, action });
                }
            }
        }
        None
    }

    fn action(&mut self, kind: u8) -> Option<Action> {
        Some(match kind {
            kind::SEND => Action::Send {
                mode: *MODES.get(usize::from(self.input.byte()?))?,
                to: self.input.small()?,
                tag: self.tag()?,
                communicator: self.communicator()?,
                buffer: self.buffer()?,
                hash: self.input.fixed()?,
                origins: self.origins()?,
                sum: self.sum()?,
            },
            kind::RECEIVE => Action::Receive {
                from: self.rank_or_none()?,
                tag: self.tag_or_none()?,
                communicator: self.communicator()?,
                buffer: self.buffer()?,
            },
            kind::SENT => Action::Sent { send: self.input.number()? },
            kind::RECEIVED => {
                let receive = self.input.number()?;
                let (from, tag, bytes) = self.envelope()?;
                let hash = self.input.fixed()?;
                Action::Received { receive, what: Received { from, tag, bytes, hash } }
            }
            kind::DROPPED => Action::Dropped { receive: self.input.number()? },
            kind::COLLECTIVE => Action::Collective(Collective {
                name: self.name()?,
                communicator: self.communicator()?,
                root: self.rank_or_none()?,
                gives: self.input.number()?,
                gets: self.input.number()?,
            }),
            kind::NEW_COMMUNICATOR => Action::Communicator(self.communicator()?),
            kind::SUMMED => Action::Summed(Summed {
                operator: *Operator::ALL.get(usize::from(self.input.byte()?))?,
                element: self.name()?,
                receive: self.input.number()?,
                other: self.input.number()?.checked_sub(1),
                buffer: self.buffer()?,
                before: self.input.fixed()?,
                origins: self.origins()?,
                hash: self.input.fixed()?,
            }),
            kind::PROBED => {
                let (from, tag) = (self.rank_or_none()?, self.tag_or_none()?);
                let (communicator, how) = (self.communicator()?, self.input.byte()?);
                let (waits, takes) = (how & 1 != 0, how & 2 != 0);
                Action::Probed { from, tag, communicator, waits, takes, found: self.envelope()? }
            }
            kind::COUNTED => {
                let (source, tag, bytes) = self.envelope()?;
                Action::Counted { source, tag, bytes }
            }
            kind::MARK => Action::Mark(self.tag()?),
            kind::LIMIT => Action::Limit,
            _ => return None,
        })
    }

    fn tag(&mut self) -> Option<i32> {
        i32::try_from(self.input.signed()?).ok()
    }

    fn tag_or_none(&mut self) -> Option<Option<i32>> {
        match self.input.byte()? {
            0 => Some(None),
            _ => self.tag().map(Some),
        }
    }

    /// Source, tag and bytes.
    fn envelope(&mut self) -> Option<(u32, i32, u64)> {
        Some((self.input.small()?, self.tag()?, self.input.number()?))
    }

    fn rank_or_none(&mut self) -> Option<Option<u32>> {
        let coded = self.input.number()?;
        match coded.checked_sub(1) {
            None => Some(None),
            Some(rank) => Some(Some(u32::try_from(rank).ok()?)),
        }
    }

    fn name(&mut self) -> Option<Arc<str>> {
        self.names.get(self.input.small::<usize>()?).cloned()
    }

    fn communicator(&mut self) -> Option<Arc<Communicator>> {
        self.communicators.get(self.input.small::<usize>()?).cloned()
    }

    fn buffer(&mut self) -> Option<Buffer> {
        Some(Buffer {
            address: self.input.number()?,
            count: self.input.number()?,
            layout: self.name()?,
            bytes: self.input.number()?,
        })
    }

    fn origins(&mut self) -> Option<Vec<Origin>> {
        let mut origins = Vec::new();
        for _ in 0..self.input.length()? {
            origins.push(Origin {
                at: self.input.number()?,
                length: self.input.number()?,
                receive: self.input.number()?,
                from: self.input.number()?,
            });
        }
        Some(origins)
    }

    fn sum(&mut self) -> Option<Option<Sum>> {
        let Some(element) = self.input.small::<usize>()?.checked_sub(1) else { return Some(None) };
        let element = self.names.get(element)?.clone();
        Some(Some(Sum { element, receive: self.input.number()?, before: self.input.number()? }))
    }

    fn new_communicator(&mut self) -> Option<Communicator> {
        let mut number = self.input.number()?;
        if self.version < 2 && number != 0 {
            number |= Communicator::PRIVATE;
        }
        let mut groups = [Vec::new(), Vec::new()];
        for group in &mut groups {
            let mut last = 0i64;
            for _ in 0..self.input.length()? {
                last = last.checked_add(self.input.signed()?)?;
                group.push(u32::try_from(last).ok()?);
            }
        }
        let [members, remote] = groups;
        Some(Communicator { number, members, remote })
    }
}

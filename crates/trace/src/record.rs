//! Reads what [`operation`](crate::operation) writes: definitions and events.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use crate::bytes::In;
use crate::event::{
    Action, Buffer, Collective, Communicator, Event, Operator, Origin, Received, Site, Stay, Sum,
    Summed,
};
use crate::operation::{MODES, kind};

/// The values that the events of a block share, by number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared {
    sites: Vec<Arc<Site>>,
    names: Vec<Arc<str>>,
    communicators: Vec<Arc<Communicator>>,
}

/// The values that the blocks of a file share: each defines them again.
#[derive(Default)]
pub(crate) struct Known {
    sites: HashSet<Arc<Site>, FxBuildHasher>,
    names: HashSet<Arc<str>, FxBuildHasher>,
    communicators: HashSet<Arc<Communicator>, FxBuildHasher>,
}

/// The one of equal values that is kept.
fn one<T: ?Sized + Eq + Hash>(known: &mut HashSet<Arc<T>, FxBuildHasher>, new: Arc<T>) -> Arc<T> {
    if let Some(one) = known.get(&*new) {
        return one.clone();
    }
    known.insert(new.clone());
    new
}

impl Shared {
    /// Takes all definitions from the front. `None` where the bytes make no sense.
    pub fn define(&mut self, input: &mut In<'_>, known: &mut Known, version: u64) -> Option<()> {
        while let Some(&first) = input.0.first() {
            match first {
                kind::SITE => {
                    input.byte()?;
                    let module = input.string()?.to_owned();
                    let site = Site { module, offset: input.number()? };
                    self.sites.push(one(&mut known.sites, Arc::new(site)));
                }
                kind::NAME => {
                    input.byte()?;
                    self.names.push(one(&mut known.names, input.string()?.into()));
                }
                kind::COMMUNICATOR => {
                    input.byte()?;
                    let communicator = Arc::new(communicator(input, version)?);
                    self.communicators.push(one(&mut known.communicators, communicator));
                }
                _ => break,
            }
        }
        Some(())
    }

    /// Takes an event from the front; the one before it was at this time. `None` where the bytes
    /// make no sense.
    pub fn event(&self, input: &mut In<'_>, before: u64) -> Option<Event> {
        let start = Start::of(input)?;
        let time = before.checked_add(start.later)?;
        let site = match start.site {
            0 => None,
            at => Some(self.sites.get(at - 1)?.clone()),
        };
        Some(Event { time, site, action: Record { input, shared: self }.action(start.kind)? })
    }

    /// The action of a record that makes sense.
    pub fn action(&self, record: &[u8]) -> Option<Action> {
        let input = &mut In(record);
        let Start { kind, .. } = Start::of(input)?;
        Record { input, shared: self }.action(kind)
    }

    /// The site of a record that makes sense.
    pub fn site(&self, record: &[u8]) -> Option<&Arc<Site>> {
        self.sites.get(Start::of(&mut In(record))?.site.checked_sub(1)?)
    }
}

/// The beginning of each event.
struct Start {
    kind: u8,
    later: u64,
    /// 0 where it is not known, else one more than its number.
    site: usize,
}

impl Start {
    #[inline]
    fn of(input: &mut In<'_>) -> Option<Start> {
        Some(Start { kind: input.byte()?, later: input.number()?, site: input.small()? })
    }
}

/// By how much later an event is than the one before, from its record.
pub(crate) fn later(record: &[u8]) -> Option<u64> {
    Some(Start::of(&mut In(record))?.later)
}

fn communicator(input: &mut In<'_>, version: u64) -> Option<Communicator> {
    let mut number = input.number()?;
    if version < 2 && number != 0 {
        number |= Communicator::PRIVATE;
    }
    let mut groups = [Vec::new(), Vec::new()];
    for group in &mut groups {
        let mut last = 0i64;
        for _ in 0..input.length()? {
            last = last.checked_add(input.signed()?)?;
            group.push(u32::try_from(last).ok()?);
        }
    }
    let [members, remote] = groups;
    Some(Communicator { number, members, remote })
}

/// The rest of the record of an event.
struct Record<'i, 'a> {
    input: &'i mut In<'a>,
    shared: &'i Shared,
}

impl Record<'_, '_> {
    #[inline]
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
            kind::HELD => Action::Held(Stay {
                send: self.input.number()?,
                since: self.input.number()?,
                before: self.input.number()?.checked_sub(1),
                until: self.input.number()?,
                after: self.input.number()?.checked_sub(1),
            }),
            kind::MARK => Action::Mark(self.tag()?),
            kind::THREADS => Action::Threads,
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
        self.shared.names.get(self.input.small::<usize>()?).cloned()
    }

    fn communicator(&mut self) -> Option<Arc<Communicator>> {
        self.shared.communicators.get(self.input.small::<usize>()?).cloned()
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
        let element = self.shared.names.get(element)?.clone();
        Some(Some(Sum { element, receive: self.input.number()?, before: self.input.number()? }))
    }
}

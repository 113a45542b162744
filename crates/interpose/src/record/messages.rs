//! The events of messages: what is sent and what has come, with their content.

use std::hash::Hasher;
use std::ops::Range;
use std::sync::Arc;

use commloom_mpi::{Abi, Status};
use commloom_trace::{
    Action, Communicator, NOT_LOOKED_AT, Operator, Origin, Received as What, Site, Sum,
};
use twox_hash::XxHash3_64;

use super::attention::SHORT;
use super::contents::{How, Kept};
use super::element::{CERTAIN, LIKELY};
use super::held::Key;
use super::layout::Data;
use super::recorder::{Inner, Inside};
use super::requests::{Receive, Send, UnderWay};
use super::watch::Armed;

/// Bytes of a message that are hashed at a time, where it is longer than all that is kept.
const CHUNK: usize = 1 << 18;
/// One of so many bytes of a message has to be known for that to say something.
const PART: usize = 8;

impl<A: Abi> Inside<A> {
    /// Records that a message is sent; the number of the event.
    ///
    /// # Safety
    /// The buffer can be read.
    pub unsafe fn sends(&self, send: &Send) -> Option<u64> {
        let site = self.site();
        let mut inner = self.lock();
        let key = Key {
            is_send: true,
            buffer: send.data.key(),
            peer: Some(send.to),
            tag: Some(send.tag),
        };
        inner.looks_at_held(site.as_ref(), key, &send.data);
        // SAFETY: the buffer of a send can be read until the send is complete.
        let (hash, origins, sum) = unsafe { inner.content(site.as_ref(), &send.data) };
        let Send { mode, to, tag, ref communicator, ref data } = *send;
        let (communicator, buffer) = (communicator.clone(), data.buffer());
        let action = Action::Send { mode, to, tag, communicator, buffer, hash, origins, sum };
        inner.push(site, action)
    }

    /// Records that a receive is posted; the number of the event.
    pub fn receives(&self, receive: &Receive) -> Option<u64> {
        let site = self.site();
        let Receive { from, tag, communicator, data } = receive;
        let (communicator, buffer) = (communicator.clone(), data.buffer());
        let action = Action::Receive { from: *from, tag: *tag, communicator, buffer };
        let mut inner = self.lock();
        inner.looks_at_held(
            site.as_ref(),
            Key { is_send: false, buffer: data.key(), peer: *from, tag: *tag },
            data,
        );
        inner.watch.overwritten(data);
        inner.push(site, action)
    }

    /// Records that what was under way is complete with this status; without one it has failed.
    ///
    /// # Safety
    /// The buffer of a receive can be read, and holds what has come.
    pub unsafe fn completes(&self, done: UnderWay, status: Option<&A::Status>) -> Option<()> {
        let site = self.site();
        let (number, receive) = match done {
            UnderWay::Send(send) => {
                if status.is_some() {
                    self.lock().push(site, Action::Sent { send });
                }
                return Some(());
            }
            UnderWay::Receive(number, receive) => (number, receive),
        };
        let is_cancelled = |status: &A::Status| self.runtime.mpi().cancelled(status) == Ok(true);
        let status = status.filter(|status| !is_cancelled(status));
        let came = status.and_then(|status| self.came(status, &receive.communicator));
        let mut inner = self.lock();
        match came {
            Some((from, tag, bytes)) => {
                // SAFETY: what has arrived can be read.
                unsafe { inner.received(site, (number, &receive.data), from, tag, bytes) }
            }
            None => inner.push(site, Action::Dropped { receive: number }),
        };
        Some(())
    }

    /// The content of a status: source in the world, tag, bytes. `None` where nothing has come.
    ///
    /// Whether the message was cancelled is asked of receives alone: MPICH's probes do not write
    /// that part of a status, and what was there before is in it.
    pub(super) fn came(
        &self,
        status: &A::Status,
        communicator: &Communicator,
    ) -> Option<(u32, i32, u64)> {
        let from = in_world(communicator, status.source())?;
        let bytes = self.runtime.mpi().status_bytes(status).ok().flatten()?;
        Some((from, status.tag(), bytes))
    }
}

/// The rank in the world of a peer: in the other group of an intercommunicator.
pub(super) fn in_world(communicator: &Communicator, rank: i32) -> Option<u32> {
    let Communicator { members, remote, .. } = communicator;
    let group = if remote.is_empty() { members } else { remote };
    group.get(usize::try_from(rank).ok()?).copied()
}

/// Whether a good part of what is sent is known, and it is not one number everywhere.
fn says_something(bytes: &[u8], origins: &[Origin]) -> bool {
    let known: u64 = origins.iter().map(|origin| origin.length).sum();
    let first = bytes.first_chunk::<8>();
    let is_uniform = || bytes.as_chunks::<8>().0.iter().all(|word| Some(word) == first);
    usize::try_from(known).is_ok_and(|known| known >= bytes.len() / PART)
        && known > 0
        && !is_uniform()
}

impl<A: Abi> Inner<A> {
    /// The hash of the bytes that are about to be sent, where they come from, and whether they are
    /// a sum.
    ///
    /// # Safety
    /// The buffer can be read.
    unsafe fn content(
        &mut self,
        site: Option<&Arc<Site>>,
        data: &Data,
    ) -> (u64, Vec<Origin>, Option<Sum>) {
        let bytes = data.content.bytes;
        if bytes == 0 || data.bounds().is_none() {
            return (XxHash3_64::oneshot(&[]), Vec::new(), None);
        }
        if data.is_hidden {
            return (NOT_LOOKED_AT, Vec::new(), None);
        }
        // SAFETY: the buffer can be read.
        if !unsafe { self.looks_at(site, data) } {
            // SAFETY: the buffer can be read.
            unsafe { self.sketches(data, How::Computed, bytes) };
            return (NOT_LOOKED_AT, Vec::new(), None);
        }
        let Some(length) = self.kept_length(bytes) else {
            // SAFETY: the buffer can be read.
            return (unsafe { self.hash_in_chunks(data, bytes) }, Vec::new(), None);
        };
        let mut scratch = std::mem::take(&mut self.scratch);
        // SAFETY: the buffer can be read, and nobody writes it while it is being sent.
        let bytes = match unsafe { data.slice(0..bytes) } {
            Some(bytes) => bytes,
            None => {
                scratch.resize(length, 0);
                // SAFETY: the buffer can be read.
                unsafe { data.copy(0..bytes, &mut scratch) };
                scratch.as_slice()
            }
        };
        let hash = XxHash3_64::oneshot(bytes);
        let origins = self.contents.origins(data, bytes);
        let whole = |o: &Origin| usize::try_from(o.length) == Ok(length);
        let sum = if origins.iter().any(whole) { None } else { self.sum(data, bytes) };
        if sum.is_some() || says_something(bytes, &origins) {
            self.attention.wake(length);
        }
        let event = self.output.next();
        if let Some(kept) = self.contents.keep(data, How::Computed, event, length) {
            kept.copy_from_slice(bytes);
        }
        self.scratch = scratch;
        (hash, origins, sum)
    }

    /// Looks at what lies in the buffers of messages when the next one is sent or posted.
    fn looks_at_held(&mut self, site: Option<&Arc<Site>>, key: Key, data: &Data) {
        if self.held.ends_before(&key) {
            self.turn_ends(site);
        }
        let event = self.output.next();
        self.held.message(key, data, event);
    }

    /// Records how long messages were in their buffers, where no more of them belong together.
    pub(super) fn turn_ends(&mut self, site: Option<&Arc<Site>>) {
        for seen in self.held.ends() {
            self.push(site.cloned(), seen);
        }
    }

    /// Whether a message that is sent is looked at: where that is not its turn, where it is
    /// something known after all.
    ///
    /// # Safety
    /// The buffer can be read.
    unsafe fn looks_at(&mut self, site: Option<&Arc<Site>>, data: &Data) -> bool {
        let length = usize::try_from(data.content.bytes).unwrap_or(usize::MAX);
        let wants = self.attention.wants(site, length);
        if length <= SHORT {
            return true;
        }
        // SAFETY: the buffer can be read, and nobody writes it while it is being sent.
        let Some(known) = (unsafe { self.contents.resembles(data) }) else { return wants };
        self.attention.wake(known);
        self.attention.wake(length);
        true
    }

    /// Keeps what lies at some places of a message. Where that makes a sum, the next ones are
    /// looked at.
    ///
    /// # Safety
    /// The buffer can be read.
    unsafe fn sketches(&mut self, data: &Data, how: How, bytes: u64) {
        let Ok(length) = usize::try_from(bytes) else { return };
        let mut sketch = std::mem::take(&mut self.scratch);
        // SAFETY: the buffer can be read.
        unsafe { data.sketch(bytes, &mut sketch) };
        if how == How::Computed && self.contents.adds_up(data, length, &sketch) {
            self.attention.wake(length);
        }
        self.contents.keep_sketch(data, how, self.output.next(), (length, &sketch));
        self.scratch = sketch;
    }

    /// The sum of an earlier content of a buffer and what has come since: from the same buffer, or
    /// from another where that can be no accident.
    fn sum(&self, data: &Data, bytes: &[u8]) -> Option<Sum> {
        let element = data.content.element?;
        let before = self.contents.newest(How::Computed, bytes.len());
        if before.is_empty() {
            return None;
        }
        let came = self.contents.newest(How::Received, bytes.len());
        let pairs = before.iter().flat_map(|own| came.iter().map(move |came| (own, came)));
        let adds = |(own, came): &(&Kept<'_>, &Kept<'_>)| {
            let is_same = own.data.key() == data.key() && came.event > own.event;
            let enough = if is_same { LIKELY } else { CERTAIN };
            element.is(Operator::Sum, bytes, own.bytes, &[came.bytes])
                && element.evidence(Operator::Sum, own.bytes, &[came.bytes]) >= enough
        };
        let (own, came) = pairs.into_iter().find(adds)?;
        Some(Sum { element: element.name.into(), receive: came.event, before: own.event })
    }

    /// Records what has come, and keeps it.
    ///
    /// # Safety
    /// The buffer can be read.
    unsafe fn received(
        &mut self,
        site: Option<Arc<Site>>,
        (receive, data): (u64, &Data),
        from: u32,
        tag: i32,
        bytes: u64,
    ) -> Option<u64> {
        let there = bytes.min(data.content.bytes);
        let event = self.output.next();
        let mut armed = None;
        let length = usize::try_from(there).ok()?;
        let is_nothing = there == 0 || data.bounds().is_none();
        let element = data.content.element.filter(|_| !is_nothing && !data.is_hidden);
        let element = element.filter(|_| self.watch.wants(site.as_ref(), length));
        let hash = if is_nothing {
            XxHash3_64::oneshot(&[])
        } else if data.is_hidden {
            NOT_LOOKED_AT
        } else if !self.attention.wants(site.as_ref(), length) && element.is_none() {
            // SAFETY: what has arrived can be read.
            unsafe { self.sketches(data, How::Received, there) };
            NOT_LOOKED_AT
        } else {
            match self.contents.keep(data, How::Received, event, length) {
                Some(kept) => {
                    // SAFETY: what has arrived can be read.
                    unsafe { data.copy(0..there, kept) };
                    if let Some(element) = element {
                        let (site, data, bytes) = (site.clone(), data.clone(), kept.clone());
                        armed = Some(Armed { event, from, site, element, data, bytes });
                    }
                    XxHash3_64::oneshot(kept)
                }
                // SAFETY: what has arrived can be read.
                None => unsafe { self.hash_in_chunks(data, there) },
            }
        };
        let number =
            self.push(site, Action::Received { receive, what: What { from, tag, bytes, hash } });
        if let Some(message) = armed.filter(|_| number.is_some()) {
            self.arm(message);
        }
        number
    }

    /// The length of a message that is looked at as a whole.
    fn kept_length(&self, bytes: u64) -> Option<usize> {
        usize::try_from(bytes).ok().filter(|&length| length <= self.contents.limit())
    }

    /// The hash of a message of any length.
    ///
    /// # Safety
    /// The buffer can be read.
    unsafe fn hash_in_chunks(&mut self, data: &Data, bytes: u64) -> u64 {
        let mut hasher = XxHash3_64::new();
        let step = u64::try_from(CHUNK).unwrap_or(u64::MAX);
        let mut start = 0;
        while start < bytes {
            let range: Range<u64> = start..bytes.min(start.saturating_add(step));
            start = range.end;
            // SAFETY: the buffer can be read.
            if let Some(bytes) = unsafe { data.slice(range.clone()) } {
                hasher.write(bytes);
                continue;
            }
            self.scratch.resize(usize::try_from(range.end - range.start).unwrap_or(0), 0);
            // SAFETY: the buffer can be read.
            unsafe { data.copy(range, &mut self.scratch) };
            hasher.write(&self.scratch);
        }
        hasher.finish()
    }
}

//! Sends and receives in a region.

use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use commloom_mpi::{Abi, RawHandle};

use super::super::channels::{Owner, Way};
use super::super::group::Reason;
use super::super::message::{Brings, message};
use super::super::{Inner, Place, Replace};
use super::flags::{Decided, Run, Sends, Waits};
use super::signature::{Call, Given};
use super::{CALLS, Data, Expected, Follow};
use crate::count::CallCount;
use crate::state::Preload;

/// Buffer, count, datatype.
type Elements<A, N> = (*const c_void, N, <A as Abi>::Datatype);
/// Communicator, peer, tag.
type Where<A> = (<A as Abi>::Comm, c_int, c_int);
/// How often a send waits in vain for its receive before it does not wait any more.
const VAIN: u8 = 2;

impl<A: Abi> Preload<A> {
    /// The program sends a message: what of it is sent.
    #[inline]
    pub(crate) fn sends<N: CallCount>(
        &'static self,
        waits: Waits,
        elements: Elements<A, N>,
        (comm, peer, tag): Where<A>,
    ) -> Sends {
        let Some(replace) = self.replace() else { return Sends::All };
        if !replace.in_region.load(Ordering::Relaxed) {
            self.uses(Way::Out, comm, peer, tag);
            return Sends::All;
        }
        let sends = self.shield(|| {
            let follow = replace.follow(self, (Way::Out, waits), elements, (comm, peer, tag));
            match follow {
                Follow::Run { region, index, run, data } => {
                    // SAFETY: the program sends from these buffers.
                    unsafe { replace.decide_on(region, index, run, &data) }
                }
                Follow::Others | Follow::AsItIs { .. } => Sends::All,
            }
        });
        sends.unwrap_or(Sends::All)
    }

    /// The program receives a message, and waits for it. Whether it is there, with its status.
    ///
    /// # Safety
    /// As the MPI call.
    #[inline]
    pub(crate) unsafe fn receives<N: CallCount>(
        &'static self,
        elements: Elements<A, N>,
        (comm, peer, tag): Where<A>,
        status: *mut A::Status,
    ) -> bool {
        let Some(replace) = self.replace() else { return false };
        if !replace.in_region.load(Ordering::Relaxed) {
            self.uses(Way::In, comm, peer, tag);
            return false;
        }
        let way = (Way::In, Waits::InCall);
        let there = self.shield(|| {
            let follow = replace.follow(self, way, elements, (comm, peer, tag));
            let Follow::Run { index, run, data, .. } = follow else { return false };
            let announced = data.announce(index, run, Waits::InCall);
            // SAFETY: passed on.
            announced && unsafe { replace.take(index, run, &data, status) }
        });
        there.unwrap_or(false)
    }

    /// The program begins to receive a message. `Some` where its region has to know of the request: [`Preload::posted`].
    #[inline]
    pub(crate) fn expects<N: CallCount>(
        &'static self,
        elements: Elements<A, N>,
        (comm, peer, tag): Where<A>,
    ) -> Option<Expected> {
        let replace = self.replace()?;
        if !replace.in_region.load(Ordering::Relaxed) {
            self.uses(Way::In, comm, peer, tag);
            return None;
        }
        let way = (Way::In, Waits::Posted);
        let follow = self.shield(|| replace.follow(self, way, elements, (comm, peer, tag)));
        match follow? {
            Follow::Others => None,
            Follow::AsItIs { region } => Some(Expected::as_it_is(region)),
            Follow::Run { region, index, run, data } => {
                Some(Expected::of_run(region, (index, run, data)))
            }
        }
    }

    /// `MPI_Sendrecv` in a run of a region: what it returns; `None` where it goes as it is.
    ///
    /// # Safety
    /// As the MPI call.
    pub(crate) unsafe fn exchanges<N: CallCount>(
        &'static self,
        (out, to): (Elements<A, N>, Where<A>),
        (into, from): (Elements<A, N>, Where<A>),
        status: *mut A::Status,
    ) -> Option<c_int> {
        let replace = self.replace()?;
        if !replace.in_region.load(Ordering::Relaxed) {
            self.uses(Way::Out, to.0, to.1, to.2);
            self.uses(Way::In, from.0, from.1, from.2);
            return None;
        }
        self.shield(|| {
            let sends = replace.follow(self, (Way::Out, Waits::InCall), out, to);
            let receives = replace.follow(self, (Way::In, Waits::InCall), into, from);
            // The library's functions of this table count in integers.
            let fits = [out.1, into.1].map(|count| c_int::try_from(count.wide()));
            let [Ok(sent), Ok(room)] = fits else {
                sends.gives_up();
                return None;
            };
            let Follow::Run { index, run, data, .. } = receives else {
                sends.gives_up();
                return None;
            };
            let announced = data.announce(index, run, Waits::InCall);
            let sends = match sends {
                Follow::Run { region, index, run, data } => {
                    // SAFETY: the program sends from these buffers.
                    unsafe { replace.decide_on(region, index, run, &data) }
                }
                _ if to.1 == A::CONSTANTS.proc_null => Sends::Nothing,
                Follow::Others | Follow::AsItIs { .. } => Sends::All,
            };
            if !announced && sends == Sends::All {
                return None;
            }
            let (out, into) = ((out.0, sent, out.2), (into.0, room, into.2));
            // SAFETY: passed on.
            Some(unsafe {
                replace.exchange(
                    (out, to, sends),
                    (into, from, announced.then_some(&*data)),
                    (index, run),
                    status,
                )
            })
        })
        .flatten()
    }
}

impl Follow {
    /// A message that goes as it is although its region runs.
    fn gives_up(&self) {
        if let Follow::Run { index, run, data, .. } = self
            && let Some(flag) = data.messages[*index].flag
        {
            flag.decide(*run, false);
        }
    }
}

impl Data {
    /// A receive waits. `false` where its message comes from the library.
    pub(super) fn announce(&self, index: usize, run: Run, waits: Waits) -> bool {
        self.messages[index].flag.is_some_and(|flag| flag.announce(run, waits))
    }

    pub(super) fn decided(&self, index: usize, run: Run) -> Decided {
        self.messages[index].flag.map_or(Decided::Sent, |flag| flag.decided(run))
    }

    /// Puts what has come where it belongs.
    ///
    /// # Safety
    /// The program receives into these buffers.
    pub(super) unsafe fn write(&self, index: usize) {
        // SAFETY: passed on.
        unsafe { self.shadow.write(&self.messages[index].ranges) };
    }

    pub(super) fn brings(&self, index: usize) -> Brings {
        let moved = &self.messages[index];
        let bytes = moved.ranges.iter().map(|range| range.end - range.start).sum();
        Brings::Message { source: moved.channel.peer, tag: moved.channel.tag, bytes }
    }
}

impl<A: Abi> Replace<A> {
    fn follow<N: CallCount>(
        &self,
        state: &Preload<A>,
        (way, waits): (Way, Waits),
        (buffer, count, datatype): Elements<A, N>,
        (comm, peer, tag): Where<A>,
    ) -> Follow {
        if peer == A::CONSTANTS.proc_null {
            return Follow::Others;
        }
        let place = self.place(way, comm, peer, tag);
        let mut inner = self.lock();
        let follow = match place {
            None => Follow::Others,
            Some(Place::Several(wild)) => {
                inner.uses_wildly(wild);
                Follow::Others
            }
            Some(Place::One(channel)) => {
                let epoch = state.epoch.load(Ordering::Acquire);
                let (at, count, bits) = (buffer.addr(), count.wide(), datatype.to_bits());
                let given = Given { channel, waits, at, count, datatype: bits, epoch };
                let decode = || message(self.mpi, channel, buffer, count, datatype);
                // Where there are GPUs a buffer may have become one of theirs.
                let of_gpu = self.gpus.are_there()
                    && decode().is_none_or(|message| message.is_of_gpu(self.gpus));
                let follow = match of_gpu {
                    true => Follow::Others,
                    false => inner.follow(given, decode),
                };
                if matches!(follow, Follow::Others) {
                    inner.uses(channel);
                }
                follow
            }
        };
        self.follows(&inner);
        follow
    }

    /// Decides on a message of a run, and waits a little for its receive, if that is called for.
    ///
    /// # Safety
    /// The program sends this message.
    unsafe fn decide_on(&self, region: usize, index: usize, run: Run, data: &Data) -> Sends {
        let moved = &data.messages[index];
        let Some(flag) = moved.flag else { return Sends::All };
        // SAFETY: passed on.
        let same = unsafe { data.shadow.is_same(&moved.ranges) };
        let waits = moved.waits == Waits::InCall && moved.vain.load(Ordering::Relaxed) < VAIN;
        if same && waits {
            let mut patience = self.patience();
            while !flag.is_awaited(run) && patience() {}
            match flag.is_awaited(run) {
                true => moved.vain.store(0, Ordering::Relaxed),
                false => {
                    moved.vain.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        let sends = flag.decide(run, same);
        if sends != Sends::All {
            let mut inner = self.lock();
            inner.regions.list[region].left_out += 1;
            if let Some(open) = &mut inner.regions.open {
                open.left_out += 1;
            }
        }
        sends
    }

    /// Waits until the sender of a message has decided; whether it is there, with its status.
    ///
    /// # Safety
    /// The program receives this message, and its call waits for it.
    unsafe fn take(&self, index: usize, run: Run, data: &Data, status: *mut A::Status) -> bool {
        let mut patience = self.patience();
        let decided = loop {
            match data.decided(index, run) {
                // As long as the library would wait.
                Decided::NotYet => {
                    patience();
                }
                decided => break decided,
            }
        };
        if decided != Decided::LeftOut {
            return false;
        }
        // SAFETY: passed on.
        unsafe {
            data.write(index);
            data.brings(index).write::<A>(self.mpi, status, false);
        }
        true
    }

    /// Both messages of `MPI_Sendrecv`, of which at least one is not only the library's.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn exchange(
        &self,
        (out, to, sends): (Elements<A, c_int>, Where<A>, Sends),
        (into, from, data): (Elements<A, c_int>, Where<A>, Option<&Data>),
        (index, run): (usize, Run),
        status: *mut A::Status,
    ) -> c_int {
        let own = &self.mpi.own;
        let mut request = self.mpi.handles.request_null;
        let count = if sends == Sends::Empty { 0 } else { out.1 };
        // SAFETY: passed on; the request is completed before this returns.
        unsafe {
            if sends != Sends::Nothing {
                let code = (own.isend)(out.0, count, out.2, to.1, to.2, to.0, &raw mut request);
                if code != A::CONSTANTS.success {
                    return code;
                }
            }
            let there = data.is_some_and(|data| self.take(index, run, data, status));
            let mut code = A::CONSTANTS.success;
            if !there {
                let into_buffer = into.0.cast_mut();
                code = (own.recv)(into_buffer, into.1, into.2, from.1, from.2, from.0, status);
            }
            let ignored = A::CONSTANTS.status_ignore_ptr();
            let sent = (own.wait)(&raw mut request, ignored);
            if code == A::CONSTANTS.success { sent } else { code }
        }
    }
}

impl<A: Abi> Inner<A> {
    /// A call of the program, in an open region.
    fn follow(
        &mut self,
        given: Given,
        decode: impl FnOnce() -> Option<super::super::message::Message>,
    ) -> Follow {
        let Some(open) = &mut self.regions.open else { return Follow::Others };
        let index = open.region;
        let region = &mut self.regions.list[index];
        if !region.learnt {
            let message = if region.calls.len() < CALLS { decode() } else { None };
            let Some(message) = message else {
                self.leave(index, Reason::Unfit("a message that cannot be described"));
                return Follow::Others;
            };
            if !self.channels.claim(&[given.channel], Owner::Region(index)) {
                self.leave(index, Reason::Shared);
                return Follow::Others;
            }
            region.calls.push(Call::new(given, message));
            region.waits_for(&given);
            return Follow::AsItIs { region: index };
        }
        let position = open.position;
        let same = region.calls.get_mut(position).is_some_and(|call| call.is(&given, decode));
        if !same {
            self.leave(index, Reason::Changed);
            return Follow::Others;
        }
        open.position += 1;
        region.waits_for(&given);
        match (open.run, &region.data) {
            (Some(run), Some(data)) => {
                Follow::Run { region: index, index: position, run, data: Arc::clone(data) }
            }
            _ => Follow::AsItIs { region: index },
        }
    }
}

impl<A: Abi> super::Region<A> {
    /// Counts requests that its passes have made.
    fn waits_for(&mut self, given: &Given) {
        if (given.channel.way, given.waits) == (Way::In, Waits::Posted) {
            self.waiting += 1;
        }
    }
}

//! The operations behind the program's requests.
//!
//! An entry is made after the call that made the request, and taken out after the one that
//! completed it. A library may give the handle to somebody else in between, in another thread, and
//! MPICH gives one handle to all sends that are complete at once: a handle has a queue, and what
//! was put in first comes out first.

use std::collections::VecDeque;
use std::sync::Arc;

use commloom_mpi::Abi;
use commloom_trace::{Collective, Communicator, Mode};
use rustc_hash::FxHashMap;

use super::layout::Data;

/// A message to be sent.
#[derive(Clone)]
pub(crate) struct Send {
    pub mode: Mode,
    pub to: u32,
    pub tag: i32,
    pub communicator: Arc<Communicator>,
    pub data: Data,
}

/// A message to be received.
#[derive(Clone)]
pub(crate) struct Receive {
    /// Ranks in the world; `None` for wildcards.
    pub from: Option<u32>,
    pub tag: Option<i32>,
    pub communicator: Arc<Communicator>,
    pub data: Data,
}

/// A message that a probe has found: the arguments of the probe.
#[derive(Clone)]
pub(crate) struct Probed {
    pub communicator: Arc<Communicator>,
    pub from: Option<u32>,
    pub tag: Option<i32>,
}

/// An operation under way, with the number of its event.
#[derive(Clone)]
pub(crate) enum UnderWay {
    Send(u64),
    Receive(u64, Receive),
}

/// The operation of a persistent request, at each start.
#[derive(Clone)]
pub(crate) enum Template {
    Send(Send),
    Receive(Receive),
    Collective(Collective),
}

pub(crate) enum Entry {
    Once(UnderWay),
    Persistent(Template, Option<UnderWay>),
    /// The program knows that it is complete, and the request is still there
    /// (`MPI_Request_get_status`).
    Told,
}

pub(crate) struct Requests<A: Abi> {
    queues: FxHashMap<A::Request, VecDeque<Entry>>,
}

impl<A: Abi> Default for Requests<A> {
    fn default() -> Self {
        Requests { queues: FxHashMap::default() }
    }
}

impl<A: Abi> Requests<A> {
    pub fn len(&self) -> usize {
        self.queues.len()
    }

    pub fn insert(&mut self, request: A::Request, entry: Entry) {
        self.queues.entry(request).or_default().push_back(entry);
    }

    /// The operation of a persistent request.
    pub fn template(&self, request: A::Request) -> Option<&Template> {
        match self.queues.get(&request)?.front()? {
            Entry::Persistent(template, _) => Some(template),
            Entry::Once(_) | Entry::Told => None,
        }
    }

    /// A persistent request was started.
    pub fn started(&mut self, request: A::Request, now: UnderWay) {
        if let Some(Entry::Persistent(_, active)) =
            self.queues.get_mut(&request).and_then(VecDeque::front_mut)
        {
            *active = Some(now);
        }
    }

    /// The library has given a persistent request another handle when it was started (Open MPI,
    /// where the last message has not left its buffers).
    pub fn renamed(&mut self, before: A::Request, now: A::Request) {
        if let Some(entry) = self.remove(before) {
            self.insert(now, entry);
        }
    }

    /// A request is complete: what it stood for. Persistent ones stay.
    pub fn complete(&mut self, request: A::Request) -> Option<UnderWay> {
        if let Some(Entry::Persistent(_, active)) =
            self.queues.get_mut(&request).and_then(VecDeque::front_mut)
        {
            return active.take();
        }
        match self.remove(request)? {
            Entry::Once(under_way) => Some(under_way),
            Entry::Persistent(..) | Entry::Told => None,
        }
    }

    /// The same for a request that stays as it is.
    pub fn told(&mut self, request: A::Request) -> Option<UnderWay> {
        match self.queues.get_mut(&request)?.front_mut()? {
            Entry::Persistent(_, active) => active.take(),
            entry => match std::mem::replace(entry, Entry::Told) {
                Entry::Once(under_way) => Some(under_way),
                Entry::Persistent(..) | Entry::Told => None,
            },
        }
    }

    /// The program has let go of a request.
    pub fn remove(&mut self, request: A::Request) -> Option<Entry> {
        let queue = self.queues.get_mut(&request)?;
        let entry = queue.pop_front();
        if queue.is_empty() {
            self.queues.remove(&request);
        }
        entry
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_mpi::{Mpich, RawHandle};

    #[test]
    fn one_handle_for_several_sends_completes_them_in_order() {
        let mut requests = Requests::<Mpich>::default();
        let request = <Mpich as Abi>::Request::from_bits;
        for number in 0..3 {
            requests.insert(request(1), Entry::Once(UnderWay::Send(number)));
        }
        for number in 0..3 {
            let done = requests.complete(request(1));
            assert!(matches!(done, Some(UnderWay::Send(n)) if n == number));
        }
        assert!(requests.complete(request(1)).is_none());
        assert_eq!(requests.len(), 0);
    }

    #[test]
    fn a_request_that_was_told_of_is_complete_once() {
        let mut requests = Requests::<Mpich>::default();
        let request = <Mpich as Abi>::Request::from_bits(1);
        requests.insert(request, Entry::Once(UnderWay::Send(5)));
        assert!(requests.told(request).is_some());
        assert!(requests.told(request).is_none());
        assert!(requests.complete(request).is_none());
        assert_eq!(requests.len(), 0);
    }
}

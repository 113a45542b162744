//! A plan on its way: requests, their completion, and what is noted.

use std::ffi::c_int;

use commloom_mpi::{Abi, RawHandle, Status};

use super::{Plan, Planned, Receiving};
use crate::completion::{blank, complete, note_status};
use crate::memory::Memory;
use crate::message::{Endpoint, Mode, Sending};
use crate::number::{int, length};
use crate::outcome::Outcome;
use crate::session::{Face, Session};
use crate::watch;

/// The buffers of a message on one rank.
pub(super) struct Sides {
    pub(super) send: Option<Memory>,
    pub(super) recv: Option<Memory>,
}

/// A request, and what it is for.
struct Pending<A: Abi> {
    request: A::Request,
    message: usize,
    is_receive: bool,
}

/// A plan on its way.
pub(super) struct Run<'r, A: Abi> {
    session: &'r Session<A>,
    plan: &'r Plan<'r, A>,
    native: bool,
    memories: Vec<Sides>,
    persistent: Vec<Pending<A>>,
    active: Vec<Pending<A>>,
    buffered: Option<Vec<u8>>,
}

impl<'r, A: Abi> Run<'r, A> {
    pub(super) fn new(session: &'r Session<A>, plan: &'r Plan<'r, A>, native: bool) -> Self {
        let me = session.rank;
        let rounds = length(plan.rounds);
        let buffered: usize = plan
            .messages
            .iter()
            .filter(|m| m.message.from == me && m.sending.mode() == Mode::Buffered)
            .map(|m| (m.message.send.places.len() + 8192) * rounds)
            .sum();
        let mut run = Run {
            session,
            plan,
            native,
            memories: plan.memories(me, 0),
            persistent: Vec::new(),
            active: Vec::new(),
            buffered: (buffered > 0).then(|| vec![0; buffered]),
        };
        if let Some(buffer) = &mut run.buffered {
            session.attach(buffer);
        }
        for at in 0..plan.messages.len() {
            run.make_persistent(at);
        }
        run
    }

    /// The persistent requests of a message on this rank, not started.
    fn make_persistent(&mut self, at: usize) {
        let m = &self.plan.messages[at];
        if self.receives(at) && m.receiving == Receiving::Persistent {
            let mut request = self.session.mpi.handles.request_null;
            // SAFETY: the buffers live until the request is freed.
            let code = unsafe { self.receiver(at).recv_init(&mut request) };
            self.session.mpi.check("MPI_Recv_init", code).expect("right arguments");
            self.persistent.push(Pending { request, message: at, is_receive: true });
        }
        if self.sends(at) && matches!(m.sending, Sending::Persistent(_)) {
            let pending = self.send_request(at);
            self.persistent.push(pending);
        }
    }

    /// A call for a message that this rank sends, with a request.
    fn send_request(&mut self, at: usize) -> Pending<A> {
        let (session, sending) = (self.session, self.plan.messages[at].sending);
        let mut request = session.mpi.handles.request_null;
        // SAFETY: the buffers live until all ranks are through and requests are freed.
        let code = unsafe { self.sender(at).send(sending, &mut request) };
        session.mpi.check("a request to send", code).expect("right arguments");
        Pending { request, message: at, is_receive: false }
    }

    fn sends(&self, at: usize) -> bool {
        self.plan.messages[at].message.from == self.session.rank
    }

    fn receives(&self, at: usize) -> bool {
        self.plan.messages[at].message.to == self.session.rank
    }

    fn sender(&mut self, at: usize) -> Endpoint<'_, A> {
        let memory = self.memories[at].send.as_mut().expect("a buffer of this rank");
        self.plan.messages[at].message.sender(self.session, self.native, memory)
    }

    fn receiver(&mut self, at: usize) -> Endpoint<'_, A> {
        let Planned { message, any_source, any_tag, .. } = &self.plan.messages[at];
        let memory = self.memories[at].recv.as_mut().expect("a buffer of this rank");
        let mut end = message.receiver(self.session, self.native, memory);
        if *any_source {
            end.peer = A::CONSTANTS.any_source;
        }
        if *any_tag {
            end.tag = A::CONSTANTS.any_tag;
        }
        end
    }

    /// The face that made a request.
    fn face_of(&self, pending: &Pending<A>) -> Face {
        let m = &self.plan.messages[pending.message].message;
        match pending.is_receive {
            _ if self.native => Face::Native,
            true => m.recv_face,
            false => m.send_face,
        }
    }

    /// The face that must handle requests which are handled by one call.
    fn together(&self, all: &[Pending<A>], otherwise: Face) -> Face {
        let is_wrapped = |p: &Pending<A>| self.face_of(p) == Face::Wrapped;
        if all.iter().any(is_wrapped) { Face::Wrapped } else { otherwise }
    }

    /// Every message once.
    pub(super) fn round(&mut self, out: &mut Outcome, round: u64) {
        if round > 0 {
            self.refill(round);
        }
        self.start(true);
        let messages = &self.plan.messages;
        for (at, m) in messages.iter().enumerate() {
            if self.receives(at) && m.receiving == Receiving::Irecv {
                self.irecv(at);
            }
        }
        // Receives that are there before their messages, in half of the operations.
        let apart = Face::is_whole() && self.plan.seed.is_multiple_of(2);
        if apart || messages.iter().any(|m| m.sending.mode() == Mode::Ready) {
            self.session.barrier();
        }
        self.start(false);
        for (at, m) in messages.iter().enumerate() {
            if self.sends(at) && matches!(m.sending, Sending::NonBlocking(_)) {
                self.isend(at);
            }
        }
        // In one order on all ranks: whoever blocks waits for somebody who is not behind.
        for (at, m) in messages.iter().enumerate() {
            if self.sends(at) && matches!(m.sending, Sending::Blocking(_)) {
                let mut none = self.session.mpi.handles.request_null;
                // SAFETY: the call blocks.
                let code = unsafe { self.sender(at).send(m.sending, &mut none) };
                out.fact(format!("message {at} sent"), self.session.class(code));
            }
            if self.receives(at) && !m.receiving.is_early() {
                self.recv(out, at);
            }
        }
        self.complete(out);
        for (at, sides) in self.memories.iter().enumerate() {
            for (side, memory) in [("sent", &sides.send), ("received", &sides.recv)] {
                if let Some(memory) = memory {
                    out.memory(format!("message {at}, round {round}, {side}"), memory.clone());
                }
            }
        }
    }

    /// New bytes in the same buffers: persistent requests know their addresses.
    fn refill(&mut self, round: u64) {
        let fresh = self.plan.memories(self.session.rank, round);
        for (old, new) in self.memories.iter_mut().zip(fresh) {
            for (old, new) in [(&mut old.send, new.send), (&mut old.recv, new.recv)] {
                if let (Some(old), Some(new)) = (old, new) {
                    old.assign(&new);
                }
            }
        }
    }

    /// Starts the persistent receives, or the persistent sends.
    fn start(&mut self, receives: bool) {
        let (session, startall) = (self.session, self.plan.startall);
        let (mut now, later) = std::mem::take(&mut self.persistent)
            .into_iter()
            .partition::<Vec<_>, _>(|p| p.is_receive == receives);
        self.persistent = later;
        if startall && !now.is_empty() {
            let face = self.together(&now, Face::Native);
            let mut requests: Vec<A::Request> = now.iter().map(|p| p.request).collect();
            let f = session.functions(face);
            // SAFETY: inactive persistent requests.
            let code = unsafe { (f.startall)(int(requests.len()), requests.as_mut_ptr()) };
            self.started("MPI_Startall", code);
            for (pending, request) in now.iter_mut().zip(requests) {
                pending.request = request;
            }
        } else {
            for pending in &mut now {
                let f = session.functions(self.face_of(pending));
                // SAFETY: an inactive persistent request.
                let code = unsafe { (f.start)(&raw mut pending.request) };
                self.started("MPI_Start", code);
            }
        }
        self.active.append(&mut now);
    }

    /// Inactive requests were started. MPICH 4.0 alone takes one for active now and then that
    /// `MPI_Testall` has completed together with others.
    fn started(&self, call: &'static str, code: c_int) {
        if let Err(error) = self.session.mpi.check(call, code) {
            watch::refused(&error);
        }
    }

    fn irecv(&mut self, at: usize) {
        let mut request = self.session.mpi.handles.request_null;
        // SAFETY: the buffers live until all requests are complete.
        let code = unsafe { self.receiver(at).irecv(&mut request) };
        self.session.mpi.check("MPI_Irecv", code).expect("right arguments");
        self.active.push(Pending { request, message: at, is_receive: true });
    }

    fn isend(&mut self, at: usize) {
        let mut pending = self.send_request(at);
        if self.plan.release {
            let f = self.session.functions(self.face_of(&pending));
            // SAFETY: a live request; the buffer is kept until all ranks are through.
            let code = unsafe { (f.request_free)(&raw mut pending.request) };
            self.session.mpi.check("MPI_Request_free", code).expect("a live request");
        } else {
            self.active.push(pending);
        }
    }

    fn recv(&mut self, out: &mut Outcome, at: usize) {
        let (session, m) = (self.session, &self.plan.messages[at]);
        let what = format!("message {at}");
        let mut end = self.receiver(at);
        let (from, tag, comm) = (end.peer, end.tag, session.comm);
        let mut found = blank::<A>();
        let mut message = A::Message::from_bits(0);
        match m.receiving {
            Receiving::Probe => {
                let probe = session.functions(end.face).probe;
                // SAFETY: a writable status.
                let code = unsafe { probe(from, tag, comm, &raw mut found) };
                out.fact(format!("{what} probed"), session.class(code));
            }
            Receiving::Iprobe => session.iprobe(from, tag, comm, &mut found),
            Receiving::Mrecv | Receiving::Imrecv => {
                message = session.mprobe(
                    Face::beside(end.face == Face::Native),
                    (from, tag),
                    comm,
                    &mut found,
                );
            }
            _ => {}
        }
        if m.receiving != Receiving::Recv {
            let arriving = m.message.arriving();
            note_status(session, out, &format!("{what} probed"), &found, arriving);
        }
        // What was probed is received by what the probe said, as programs do.
        if matches!(m.receiving, Receiving::Probe | Receiving::Iprobe) {
            (end.peer, end.tag) = (found.source(), found.tag());
        }
        let mut status = blank::<A>();
        let given = (!m.ignore).then_some(&mut status);
        let mut request = session.mpi.handles.request_null;
        let code = match m.receiving {
            Receiving::Mrecv => end.mrecv(&mut message, given),
            // SAFETY: the buffers live until all requests are complete.
            Receiving::Imrecv => unsafe { end.imrecv(&mut message, &mut request) },
            _ => end.recv(given),
        };
        out.fact(format!("{what} received"), session.class(code));
        if m.receiving == Receiving::Imrecv {
            self.active.push(Pending { request, message: at, is_receive: true });
        } else if !m.ignore {
            note_status(session, out, &what, &status, m.message.arriving());
        }
    }

    /// Completes all requests of this rank with one kind of call.
    fn complete(&mut self, out: &mut Outcome) {
        let (session, plan) = (self.session, self.plan);
        let active = std::mem::take(&mut self.active);
        let otherwise = if self.native { Face::Native } else { plan.complete_face };
        let face = self.together(&active, otherwise);
        let null = session.mpi.handles.request_null;
        let nulls = std::iter::repeat_n(null, plan.nulls);
        let mut requests: Vec<A::Request> = active.iter().map(|p| p.request).chain(nulls).collect();
        let statuses = complete(session, out, face, plan.how, &mut requests, plan.ignore);
        for ((mut pending, request), status) in active.into_iter().zip(requests).zip(statuses) {
            let m = &plan.messages[pending.message];
            if let (true, Some(status)) = (pending.is_receive, status) {
                let what = format!("message {}", pending.message);
                note_status(session, out, &what, &status, m.message.arriving());
            }
            let is_persistent = match pending.is_receive {
                true => m.receiving == Receiving::Persistent,
                false => matches!(m.sending, Sending::Persistent(_)),
            };
            if is_persistent {
                pending.request = request;
                self.persistent.push(pending);
            }
        }
    }

    /// Lets go of everything.
    pub(super) fn end(mut self, out: &mut Outcome) {
        for mut pending in std::mem::take(&mut self.persistent) {
            let f = self.session.functions(self.face_of(&pending));
            // SAFETY: an inactive persistent request.
            let code = unsafe { (f.request_free)(&raw mut pending.request) };
            out.fact("MPI_Request_free", self.session.class(code));
            let null = pending.request == self.session.mpi.handles.request_null;
            out.fact("the freed request is null", null);
        }
        if self.plan.fenced() {
            self.session.barrier();
        }
        if let Some(buffer) = self.buffered.take() {
            self.session.detach();
            drop(buffer);
        }
    }
}

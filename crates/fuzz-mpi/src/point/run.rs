//! A plan on its way: requests, their completion, and what is noted.

use std::ffi::c_int;

use commloom_mpi::{Abi, Status};

use super::{Message, Mode, Plan, Receiving, Sending};
use crate::completion::{blank, complete, note_status};
use crate::large::sized;
use crate::memory::Memory;
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
    persistent: bool,
    face: Face,
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
            .filter(|m| m.from == me && m.sending.mode() == Mode::Buffered)
            .map(|m| (m.send.places.len() + 8192) * rounds)
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

    fn face(&self, planned: Face) -> Face {
        if self.native { Face::Native } else { planned }
    }

    /// The persistent requests of a message on this rank, not started.
    fn make_persistent(&mut self, at: usize) {
        let (session, m) = (self.session, &self.plan.messages[at]);
        let comm = session.comm;
        if m.to == session.rank && m.receiving == Receiving::Persistent {
            let face = self.face(m.recv_face);
            let memory = self.memories[at].recv.as_mut().expect("a buffer of this rank");
            let a = m.recv.arguments(session, face, memory);
            let f = session.functions(face);
            let mut request = session.mpi.handles.request_null;
            let (from, tag) = (source_of(m), tag_of(m));
            // SAFETY: the buffer lives until the request is freed.
            let code = unsafe {
                sized!(
                    f,
                    recv_init,
                    recv_init_c,
                    m.recv.large,
                    (a.buffer),
                    a.count,
                    (a.handle, from, tag, comm, &raw mut request)
                )
            };
            session.mpi.check("MPI_Recv_init", code).expect("right arguments");
            a.returned(session);
            self.persistent.push(Pending {
                request,
                message: at,
                is_receive: true,
                persistent: true,
                face,
            });
        }
        let Sending::Persistent(mode) = m.sending else { return };
        if m.from == session.rank {
            let face = self.face(m.send_face);
            let memory = self.memories[at].send.as_mut().expect("a buffer of this rank");
            let a = m.send.arguments(session, face, memory);
            let f = session.functions(face);
            let mut request = session.mpi.handles.request_null;
            let (large, to, tag, r) = (m.send.large, int(m.to), m.tag, &raw mut request);
            // SAFETY: the buffer lives until the request is freed.
            let code = unsafe {
                match mode {
                    Mode::Standard => sized!(
                        f,
                        send_init,
                        send_init_c,
                        large,
                        (a.buffer.cast_const()),
                        a.count,
                        (a.handle, to, tag, comm, r)
                    ),
                    Mode::Synchronous => sized!(
                        f,
                        ssend_init,
                        ssend_init_c,
                        large,
                        (a.buffer.cast_const()),
                        a.count,
                        (a.handle, to, tag, comm, r)
                    ),
                    Mode::Buffered => sized!(
                        f,
                        bsend_init,
                        bsend_init_c,
                        large,
                        (a.buffer.cast_const()),
                        a.count,
                        (a.handle, to, tag, comm, r)
                    ),
                    Mode::Ready => sized!(
                        f,
                        rsend_init,
                        rsend_init_c,
                        large,
                        (a.buffer.cast_const()),
                        a.count,
                        (a.handle, to, tag, comm, r)
                    ),
                }
            };
            session.mpi.check("MPI_Send_init", code).expect("right arguments");
            a.returned(session);
            self.persistent.push(Pending {
                request,
                message: at,
                is_receive: false,
                persistent: true,
                face,
            });
        }
    }

    /// Every message once.
    pub(super) fn round(&mut self, out: &mut Outcome, round: u64) {
        if round > 0 {
            self.refill(round);
        }
        self.start(true);
        for at in 0..self.plan.messages.len() {
            let m = &self.plan.messages[at];
            if m.to == self.session.rank && m.receiving == Receiving::Irecv {
                self.irecv(at);
            }
        }
        if self.plan.messages.iter().any(|m| m.sending.mode() == Mode::Ready) {
            self.session.barrier();
        }
        self.start(false);
        for at in 0..self.plan.messages.len() {
            let m = &self.plan.messages[at];
            if let Sending::NonBlocking(mode) = m.sending
                && m.from == self.session.rank
            {
                self.isend(at, mode);
            }
        }
        // In one order on all ranks: whoever blocks waits for somebody who is not behind.
        for at in 0..self.plan.messages.len() {
            let m = &self.plan.messages[at];
            if let Sending::Blocking(mode) = m.sending
                && m.from == self.session.rank
            {
                self.send(out, at, mode);
            }
            if m.to == self.session.rank && !m.receiving.is_early() {
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
            let face = together(now.iter());
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
                let f = session.functions(pending.face);
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
        let (session, m) = (self.session, &self.plan.messages[at]);
        let face = self.face(m.recv_face);
        let f = session.functions(face);
        let memory = self.memories[at].recv.as_mut().expect("a buffer of this rank");
        let a = m.recv.arguments(session, face, memory);
        let mut request = session.mpi.handles.request_null;
        let (from, tag) = (source_of(m), tag_of(m));
        // SAFETY: the buffer lives until the request is complete.
        let code = unsafe {
            sized!(
                f,
                irecv,
                irecv_c,
                m.recv.large,
                (a.buffer),
                a.count,
                (a.handle, from, tag, session.comm, &raw mut request)
            )
        };
        session.mpi.check("MPI_Irecv", code).expect("right arguments");
        a.returned(session);
        let is_receive = true;
        self.active.push(Pending { request, message: at, is_receive, persistent: false, face });
    }

    fn isend(&mut self, at: usize, mode: Mode) {
        let (session, m) = (self.session, &self.plan.messages[at]);
        let face = self.face(m.send_face);
        let f = session.functions(face);
        let memory = self.memories[at].send.as_mut().expect("a buffer of this rank");
        let a = m.send.arguments(session, face, memory);
        let mut request = session.mpi.handles.request_null;
        let (large, buffer) = (m.send.large, a.buffer.cast_const());
        let (to, tag, comm, r) = (int(m.to), m.tag, session.comm, &raw mut request);
        // SAFETY: the buffer lives until the request is complete.
        let code = unsafe {
            match mode {
                Mode::Standard => sized!(
                    f,
                    isend,
                    isend_c,
                    large,
                    (buffer),
                    a.count,
                    (a.handle, to, tag, comm, r)
                ),
                Mode::Synchronous => sized!(
                    f,
                    issend,
                    issend_c,
                    large,
                    (buffer),
                    a.count,
                    (a.handle, to, tag, comm, r)
                ),
                Mode::Buffered => sized!(
                    f,
                    ibsend,
                    ibsend_c,
                    large,
                    (buffer),
                    a.count,
                    (a.handle, to, tag, comm, r)
                ),
                Mode::Ready => sized!(
                    f,
                    irsend,
                    irsend_c,
                    large,
                    (buffer),
                    a.count,
                    (a.handle, to, tag, comm, r)
                ),
            }
        };
        session.mpi.check("MPI_Isend", code).expect("right arguments");
        a.returned(session);
        if self.plan.release {
            // SAFETY: a live request; the buffer is kept until all ranks are through.
            let code = unsafe { (f.request_free)(&raw mut request) };
            session.mpi.check("MPI_Request_free", code).expect("a live request");
            return;
        }
        let is_receive = false;
        self.active.push(Pending { request, message: at, is_receive, persistent: false, face });
    }

    fn send(&mut self, out: &mut Outcome, at: usize, mode: Mode) {
        let (session, m) = (self.session, &self.plan.messages[at]);
        let face = self.face(m.send_face);
        let f = session.functions(face);
        let memory = self.memories[at].send.as_mut().expect("a buffer of this rank");
        let a = m.send.arguments(session, face, memory);
        let (large, buffer) = (m.send.large, a.buffer.cast_const());
        let (to, tag, comm) = (int(m.to), m.tag, session.comm);
        // SAFETY: the buffer holds the elements.
        let code = unsafe {
            match mode {
                Mode::Standard => {
                    sized!(f, send, send_c, large, (buffer), a.count, (a.handle, to, tag, comm))
                }
                Mode::Synchronous => {
                    sized!(f, ssend, ssend_c, large, (buffer), a.count, (a.handle, to, tag, comm))
                }
                Mode::Buffered => {
                    sized!(f, bsend, bsend_c, large, (buffer), a.count, (a.handle, to, tag, comm))
                }
                Mode::Ready => {
                    sized!(f, rsend, rsend_c, large, (buffer), a.count, (a.handle, to, tag, comm))
                }
            }
        };
        a.returned(session);
        out.fact(format!("message {at} sent"), session.class(code));
    }

    fn recv(&mut self, out: &mut Outcome, at: usize) {
        let (session, m) = (self.session, &self.plan.messages[at]);
        let face = self.face(m.recv_face);
        let f = session.functions(face);
        let (from, tag, comm) = (source_of(m), tag_of(m), session.comm);
        let what = format!("message {at}");
        let mut found = blank::<A>();
        let mut message = None;
        match m.receiving {
            Receiving::Probe => {
                // SAFETY: a writable status.
                let code = unsafe { (f.probe)(from, tag, comm, &raw mut found) };
                out.fact(format!("{what} probed"), session.class(code));
            }
            Receiving::Iprobe => session.iprobe(from, tag, comm, &mut found),
            Receiving::Mrecv | Receiving::Imrecv => {
                message = Some(session.mprobe(from, tag, comm, &mut found));
            }
            _ => {}
        }
        if m.receiving != Receiving::Recv {
            note_status(session, out, &format!("{what} probed"), &found, m.arriving());
        }
        let memory = self.memories[at].recv.as_mut().expect("a buffer of this rank");
        let a = m.recv.arguments(session, face, memory);
        let mut status = blank::<A>();
        let given = if m.ignore { A::CONSTANTS.status_ignore_ptr() } else { &raw mut status };
        let mut request = session.mpi.handles.request_null;
        // SAFETY: the buffer holds the elements; the message was just found.
        let code = unsafe {
            match (m.receiving, &mut message) {
                (Receiving::Mrecv, Some(message)) => {
                    let handle = &raw mut *message;
                    sized!(
                        f,
                        mrecv,
                        mrecv_c,
                        m.recv.large,
                        (a.buffer),
                        a.count,
                        (a.handle, handle, given)
                    )
                }
                (Receiving::Imrecv, Some(message)) => {
                    let handle = &raw mut *message;
                    sized!(
                        f,
                        imrecv,
                        imrecv_c,
                        m.recv.large,
                        (a.buffer),
                        a.count,
                        (a.handle, handle, &raw mut request)
                    )
                }
                // What was probed is received by what the probe said, as programs do.
                (Receiving::Probe | Receiving::Iprobe, _) => {
                    let (from, tag) = (found.source(), found.tag());
                    sized!(
                        f,
                        recv,
                        recv_c,
                        m.recv.large,
                        (a.buffer),
                        a.count,
                        (a.handle, from, tag, comm, given)
                    )
                }
                _ => sized!(
                    f,
                    recv,
                    recv_c,
                    m.recv.large,
                    (a.buffer),
                    a.count,
                    (a.handle, from, tag, comm, given)
                ),
            }
        };
        a.returned(session);
        out.fact(format!("{what} received"), session.class(code));
        if m.receiving == Receiving::Imrecv {
            let is_receive = true;
            self.active.push(Pending { request, message: at, is_receive, persistent: false, face });
        } else if !m.ignore {
            note_status(session, out, &what, &status, m.arriving());
        }
    }

    /// Completes all requests of this rank with one kind of call.
    fn complete(&mut self, out: &mut Outcome) {
        let (session, plan) = (self.session, self.plan);
        let active = std::mem::take(&mut self.active);
        let face = match together(active.iter()) {
            Face::Native => self.face(plan.complete_face),
            Face::Wrapped => Face::Wrapped,
        };
        let null = session.mpi.handles.request_null;
        let nulls = std::iter::repeat_n(null, plan.nulls);
        let mut requests: Vec<A::Request> = active.iter().map(|p| p.request).chain(nulls).collect();
        let statuses = complete(session, out, face, plan.how, &mut requests, plan.ignore);
        for ((mut pending, request), status) in active.into_iter().zip(requests).zip(statuses) {
            let m = &plan.messages[pending.message];
            if let (true, Some(status)) = (pending.is_receive, status) {
                let what = format!("message {}", pending.message);
                note_status(session, out, &what, &status, m.arriving());
            }
            if pending.persistent {
                pending.request = request;
                self.persistent.push(pending);
            }
        }
    }

    /// Lets go of everything.
    pub(super) fn end(mut self, out: &mut Outcome) {
        for pending in &mut self.persistent {
            let f = self.session.functions(pending.face);
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

/// By which face requests must be handled that are handled by one call.
fn together<'q, A: Abi>(mut all: impl Iterator<Item = &'q Pending<A>>) -> Face {
    if all.any(|p| p.face == Face::Wrapped) { Face::Wrapped } else { Face::Native }
}

fn source_of<A: Abi>(m: &Message<A>) -> c_int {
    if m.any_source { A::CONSTANTS.any_source } else { int(m.from) }
}

fn tag_of<A: Abi>(m: &Message<A>) -> c_int {
    if m.any_tag { A::CONSTANTS.any_tag } else { m.tag }
}

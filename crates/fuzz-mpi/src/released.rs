//! Requests that the program lets go with `MPI_Request_free` while they are active. That a message
//! has arrived, the program knows by another one; then it looks at the buffer, uses it for
//! something else, and looks again.

use commloom_mpi::Abi;
use commloom_testkit::Rng;

use crate::census::Census;
use crate::completion::{Completion, complete};
use crate::memory::{Memory, mix};
use crate::message::{Message, Mode, Sending};
use crate::number::int;
use crate::outcome::Outcome;
use crate::part::{Part, random_pair};
use crate::session::{Face, Session};
use crate::specimen::Specimen;

/// Which side lets its request go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Receiver,
    Sender,
}

/// How the request came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    NonBlocking,
    /// Made, started, and let go; perhaps started and completed once before.
    Persistent {
        used: bool,
    },
}

/// How the receiver hears that the message is there, or the sender that it may use its buffer
/// again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// A message without data.
    Message,
    Barrier,
}

/// The event while the buffer is used for something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meanwhile {
    /// `MPI_Test` of nothing.
    Test,
    Barrier,
    /// Another message of the same kind arrives in the same buffer, or leaves it.
    Message(Completion),
}

/// One request that is let go.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    message: Message<'p, A>,
    side: Side,
    form: Form,
    mode: Mode,
    /// The request is there before the message, or may be.
    early: bool,
    proof: Proof,
    meanwhile: Meanwhile,
}

/// How often the library is given the time to move data before the buffer is looked at.
const LOOKS: usize = 300;

impl<'p, A: Abi> Plan<'p, A> {
    /// A random plan, the same on all ranks; of at least two.
    pub fn random(
        rng: &mut Rng,
        session: &Session<A>,
        all: &[&'p Specimen<A>],
        operation: u64,
    ) -> Self {
        let (send, recv) = random_pair(rng, all);
        let from = rng.usize(0..session.ranks);
        let (seed, tag) = (rng.u64(..), int(operation % 900) * 32);
        let to = (from + rng.usize(1..session.ranks)) % session.ranks;
        let side = if rng.u32(0..3) == 0 { Side::Sender } else { Side::Receiver };
        let form = match rng.u32(0..3) {
            0 => Form::Persistent { used: rng.bool() },
            _ => Form::NonBlocking,
        };
        let mode = if rng.bool() { Mode::Synchronous } else { Mode::Standard };
        let early = rng.bool();
        let proof = if rng.bool() { Proof::Message } else { Proof::Barrier };
        let meanwhile = match rng.u32(0..4) {
            0 => Meanwhile::Test,
            1 => Meanwhile::Barrier,
            _ => Meanwhile::Message(Completion::random(rng)),
        };
        let (send_face, recv_face) = (Face::random(rng, 4), Face::random(rng, 4));
        let message = Message { from, to, tag, send, recv, send_face, recv_face };
        Plan { seed, message, side, form, mode, early, proof, meanwhile }
    }

    /// The first message of a persistent request that is completed as usual, the one whose request
    /// is let go, and what uses the buffer after it.
    fn rounds(&self) -> std::ops::Range<u64> {
        let first = if self.form == (Form::Persistent { used: true }) { 0 } else { 1 };
        let last = if matches!(self.meanwhile, Meanwhile::Message(_)) { 3 } else { 2 };
        first..last
    }

    fn memory(&self, part: &Part<A>, side: u64, round: u64) -> Memory {
        Memory::holding([part.places.as_slice()], mix(&[self.seed, side, round]))
    }

    fn arrived(&self, round: u64) -> Memory {
        let Message { send, recv, .. } = &self.message;
        let mut memory = self.memory(recv, 1, round);
        memory.scatter(&recv.places, &self.memory(send, 0, round).gather(&send.places));
        memory
    }

    /// The content that the buffers of a rank must have.
    pub fn expected(&self, rank: usize) -> Vec<Memory> {
        let Message { from, to, .. } = self.message;
        let after = |round| match rank == to {
            true => self.arrived(round),
            false => self.buffer(rank, round),
        };
        if rank != to && rank != from {
            return Vec::new();
        }
        let mut right: Vec<Memory> = self.rounds().map(after).collect();
        if rank == self.freed() && !matches!(self.meanwhile, Meanwhile::Message(_)) {
            right.push(self.buffer(rank, 2));
        }
        right
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        let mut out = Outcome::default();
        if session.rank == self.freed() {
            self.free(session, &mut out, native);
        } else if session.rank == self.message.to || session.rank == self.message.from {
            self.accompany(session, &mut out, native);
        } else {
            (0..self.barriers()).for_each(|_| session.barrier());
        }
        // The buffer lives until nobody can use it any more.
        session.barrier();
        out
    }

    /// The rank that lets its request go.
    fn freed(&self) -> usize {
        if self.side == Side::Receiver { self.message.to } else { self.message.from }
    }

    /// Barriers of all ranks: before the message, after it, meanwhile.
    fn barriers(&self) -> usize {
        usize::from(self.early)
            + usize::from(self.proof == Proof::Barrier)
            + usize::from(self.meanwhile == Meanwhile::Barrier)
    }

    /// The buffer of a rank before a round, with what it sends then.
    fn buffer(&self, rank: usize, round: u64) -> Memory {
        if rank == self.message.to {
            self.memory(&self.message.recv, 1, round)
        } else {
            self.memory(&self.message.send, 0, round)
        }
    }

    /// The side that lets its request go.
    fn free(&self, session: &Session<A>, out: &mut Outcome, native: bool) {
        let face = self.face(session, native);
        let f = session.functions(face);
        let (me, rounds) = (session.rank, self.rounds());
        let mut memory = self.buffer(me, rounds.start);
        let mut request;
        if let Form::Persistent { used } = self.form {
            request = self.request(session, out, native, &mut memory, true);
            if used {
                // SAFETY: an inactive persistent request.
                out.fact("MPI_Start", session.class(unsafe { (f.start)(&raw mut request) }));
                let requests = std::slice::from_mut(&mut request);
                complete(session, out, face, Completion::Wait, requests, true);
                out.memory("the buffer of the first message", memory.clone());
                memory.assign(&self.buffer(me, 1));
            }
            // SAFETY: an inactive persistent request.
            out.fact("MPI_Start", session.class(unsafe { (f.start)(&raw mut request) }));
        } else {
            request = self.request(session, out, native, &mut memory, false);
        }
        // SAFETY: a live request.
        let code = unsafe { (f.request_free)(&raw mut request) };
        out.fact("MPI_Request_free", session.class(code));
        out.fact("the freed request is null", request == session.mpi.handles.request_null);
        if self.early {
            session.barrier();
        }
        let other = self.message.from + self.message.to - me;
        self.prove(session, face, Some(other));
        out.memory("the buffer of the request", memory.clone());
        memory.assign(&self.buffer(me, 2));
        match self.meanwhile {
            Meanwhile::Test => {
                let (mut none, mut flag) = (session.mpi.handles.request_null, 0);
                let ignored = A::CONSTANTS.status_ignore_ptr();
                // SAFETY: no request, a writable flag.
                let code = unsafe { (f.test)(&raw mut none, &raw mut flag, ignored) };
                out.fact("MPI_Test", session.class(code));
            }
            Meanwhile::Barrier => session.barrier(),
            Meanwhile::Message(how) => {
                let mut requests = [self.request(session, out, native, &mut memory, false)];
                complete(session, out, face, how, &mut requests, true);
            }
        }
        out.memory("the buffer, used again", memory);
    }

    /// The other side, with calls that block.
    fn accompany(&self, session: &Session<A>, out: &mut Outcome, native: bool) {
        let me = session.rank;
        for round in self.rounds() {
            if round == 1 && self.early {
                session.barrier();
            }
            let mut memory = self.buffer(me, round);
            self.block(session, out, native, &mut memory);
            out.memory(format!("the buffer of message {round}"), memory);
            if round == 1 {
                self.prove(session, self.face(session, native), None);
                if self.meanwhile == Meanwhile::Barrier {
                    session.barrier();
                }
            }
        }
    }

    /// Tells that the message is over, or hears of it from another rank.
    fn prove(&self, session: &Session<A>, face: Face, from: Option<usize>) {
        let f = session.functions(face);
        let (byte, tag, comm) = (session.mpi.handles.byte, self.message.tag + 1, session.comm);
        match (self.proof, from) {
            (Proof::Barrier, _) => session.barrier(),
            (Proof::Message, None) => {
                let nothing = std::ptr::null();
                // SAFETY: a message without data reads no memory.
                let code = unsafe { (f.send)(nothing, 0, byte, int(self.freed()), tag, comm) };
                session.mpi.check("MPI_Send", code).expect("right arguments");
            }
            (Proof::Message, Some(other)) => {
                let ignored = A::CONSTANTS.status_ignore_ptr();
                let nothing = std::ptr::null_mut();
                // SAFETY: a message without data writes no memory, and the status is the one to
                // ignore.
                let code = unsafe { (f.recv)(nothing, 0, byte, int(other), tag, comm, ignored) };
                session.mpi.check("MPI_Recv", code).expect("right arguments");
            }
        }
        if from.is_some() {
            // The data itself may come a moment later.
            let (source, tag, ignored) =
                (A::CONSTANTS.any_source, self.message.tag + 2, A::CONSTANTS.status_ignore_ptr());
            let mut flag = 0;
            for _ in 0..LOOKS {
                // SAFETY: a writable flag.
                let code = unsafe { (f.iprobe)(source, tag, comm, &raw mut flag, ignored) };
                session.mpi.check("MPI_Iprobe", code).expect("right arguments");
                std::thread::yield_now();
            }
        }
    }

    /// The face of the calls of this rank.
    fn face(&self, session: &Session<A>, native: bool) -> Face {
        match session.rank == self.message.to {
            _ if native => Face::Native,
            true => self.message.recv_face,
            false => self.message.send_face,
        }
    }

    /// A request of this rank: non-blocking, or persistent and not started.
    fn request(
        &self,
        session: &Session<A>,
        out: &mut Outcome,
        native: bool,
        memory: &mut Memory,
        persistent: bool,
    ) -> A::Request {
        let (message, mode) = (&self.message, self.mode);
        let mut request = session.mpi.handles.request_null;
        // SAFETY: the buffer lives until all ranks are through with the operation.
        let code = unsafe {
            match (session.rank == message.to, persistent) {
                (true, false) => message.receiver(session, native, memory).irecv(&mut request),
                (true, true) => message.receiver(session, native, memory).recv_init(&mut request),
                (false, _) => {
                    let sending = match persistent {
                        true => Sending::Persistent(mode),
                        false => Sending::NonBlocking(mode),
                    };
                    message.sender(session, native, memory).send(sending, &mut request)
                }
            }
        };
        out.succeeds("the request", session.class(code));
        request
    }

    /// One message with a call that blocks.
    fn block(&self, session: &Session<A>, out: &mut Outcome, native: bool, memory: &mut Memory) {
        let code = if session.rank == self.message.to {
            self.message.receiver(session, native, memory).recv(None)
        } else {
            let mut none = session.mpi.handles.request_null;
            let end = self.message.sender(session, native, memory);
            // SAFETY: the call blocks.
            unsafe { end.send(Sending::Blocking(self.mode), &mut none) }
        };
        out.succeeds("the message", session.class(code));
    }

    /// Counts the calls of both ranks.
    pub fn count(&self, census: &mut Census) {
        let Message { send, recv, send_face, recv_face, .. } = &self.message;
        let (face, part, name) = match (self.side, self.form) {
            (Side::Receiver, Form::NonBlocking) => (recv_face, recv, "Irecv".to_owned()),
            (Side::Receiver, Form::Persistent { .. }) => (recv_face, recv, "Recv_init".to_owned()),
            (Side::Sender, Form::NonBlocking) => {
                (send_face, send, Sending::NonBlocking(self.mode).name())
            }
            (Side::Sender, Form::Persistent { .. }) => {
                (send_face, send, Sending::Persistent(self.mode).name())
            }
        };
        census.call(*face, "Request_free", false);
        census.call(*face, &name, part.large);
    }

    /// For people.
    pub fn text(&self) -> String {
        let Message { from, to, send, recv, send_face, recv_face, .. } = &self.message;
        format!(
            "a request that the {:?} lets go: {:?}, {:?}, early {}, proven by {:?}, meanwhile \
             {:?}\n  {from} ({send_face:?}) sends {}\n  {to} ({recv_face:?}) receives {}",
            self.side,
            self.form,
            self.mode,
            self.early,
            self.proof,
            self.meanwhile,
            send.text(),
            recv.text()
        )
    }
}

//! Messages that are longer than the receiver said, or that end in the middle of an element,
//! however they are received and completed; and one behind them that is as it should be.
//!
//! The standard leaves open what the buffer holds after a truncated receive. What the library
//! alone leaves there each time is what programs see, so that it is the measure; what differs from
//! time to time is not judged. Open MPI writes past the end of contiguous receives: buffers have
//! room for the whole message.

use std::ffi::c_int;

use commloom_mpi::{Abi, Status};
use commloom_testkit::Rng;

use crate::census::Census;
use crate::completion::{Completion, blank, note_origin, note_status, until};
use crate::large::sized;
use crate::memory::{Memory, mix};
use crate::number::int;
use crate::outcome::Outcome;
use crate::part::{MESSAGE, Part, random_pair};
use crate::session::{Face, Session};
use crate::specimen::{Signature, Specimen};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    Send,
    Ssend,
    Isend,
    Issend,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Receiving {
    Recv,
    Mrecv,
    Sendrecv,
    Irecv,
    Imrecv,
    Persistent,
}

impl Receiving {
    const ALL: [Receiving; 6] = [
        Receiving::Recv,
        Receiving::Mrecv,
        Receiving::Sendrecv,
        Receiving::Irecv,
        Receiving::Imrecv,
        Receiving::Persistent,
    ];

    fn name(self) -> &'static str {
        match self {
            Receiving::Recv => "Recv",
            Receiving::Mrecv => "Mrecv",
            Receiving::Sendrecv => "Sendrecv",
            Receiving::Irecv => "Irecv",
            Receiving::Imrecv => "Imrecv",
            Receiving::Persistent => "Recv_init",
        }
    }

    fn has_request(self) -> bool {
        matches!(self, Receiving::Irecv | Receiving::Imrecv | Receiving::Persistent)
    }
}

/// A message that does not fit, and perhaps one that does.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    tag: c_int,
    from: usize,
    to: usize,
    sent: Part<'p, A>,
    received: Part<'p, A>,
    good: Option<(Part<'p, A>, Part<'p, A>)>,
    sending: Sending,
    receiving: Receiving,
    /// The receive is posted before anything is sent; else it is posted when the message is there.
    early: bool,
    send_face: Face,
    recv_face: Face,
    how: Completion,
    ignore: bool,
}

/// How a request ended.
struct End<A: Abi> {
    class: Option<i64>,
    status: Option<A::Status>,
}

impl<'p, A: Abi> Plan<'p, A> {
    /// A random plan, the same on all ranks; of at least two.
    pub fn random(
        rng: &mut Rng,
        session: &Session<A>,
        all: &[&'p Specimen<A>],
        bytes: &'p Specimen<A>,
        operation: u64,
    ) -> Self {
        let whole = session.quirks.partial_elements_differ;
        let (sent, received) = loop {
            let (sent, received) = random_misfit(rng, all, bytes, whole);
            if !session.quirks.empty_receives_take_all || !received.places.is_empty() {
                break (sent, received);
            }
        };
        let from = rng.usize(0..session.ranks);
        let receiving = Receiving::ALL[rng.usize(0..Receiving::ALL.len())];
        let early = receiving.has_request() && receiving != Receiving::Imrecv && rng.bool();
        // Whether the message or the receive was first may change what is seen: neither is left to
        // chance.
        let sending = match rng.u32(0..4) {
            0 if early => Sending::Ssend,
            1 if early => Sending::Send,
            0 | 2 => Sending::Issend,
            _ => Sending::Isend,
        };
        Plan {
            seed: rng.u64(..),
            tag: int(operation % 900) * 32,
            from,
            to: (from + rng.usize(1..session.ranks)) % session.ranks,
            sent,
            received,
            good: rng.bool().then(|| random_pair(rng, all)),
            sending,
            receiving,
            early,
            send_face: Face::random(rng, 4),
            recv_face: Face::random(rng, 4),
            how: match Completion::random(rng) {
                Completion::Waitall if session.quirks.waitall_misses_failures => Completion::Wait,
                how => how,
            },
            ignore: rng.u32(0..4) == 0,
        }
    }

    /// The content that the buffers must have, as far as that is said: those of the message that
    /// fits.
    pub fn expected(&self, rank: usize) -> Vec<Memory> {
        let Some((sent, received)) = &self.good else { return Vec::new() };
        let source = self.memory(sent, 2);
        match rank {
            rank if rank == self.from => vec![source],
            rank if rank == self.to => {
                let mut memory = self.memory(received, 3);
                memory.scatter(&received.places, &source.gather(&sent.places));
                vec![memory]
            }
            _ => Vec::new(),
        }
    }

    fn memory(&self, part: &Part<A>, side: u64) -> Memory {
        Memory::holding([part.places.as_slice()], mix(&[self.seed, side]))
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        let mut out = Outcome::default();
        let face = |planned| if native { Face::Native } else { planned };
        if session.rank == self.from {
            self.send(session, &mut out, face(self.send_face));
        } else if session.rank == self.to {
            self.receive(session, &mut out, face(self.recv_face));
        } else if self.early {
            session.barrier();
        }
        out
    }

    fn send(&self, session: &Session<A>, out: &mut Outcome, face: Face) {
        if self.early {
            session.barrier();
        }
        let f = session.functions(face);
        let mut buffer = self.memory(&self.sent, 0);
        let a = self.sent.arguments(session, face, &mut buffer);
        let (to, tag, comm) = (int(self.to), self.tag, session.comm);
        let (data, n, large, handle) = (a.buffer.cast_const(), a.count, self.sent.large, a.handle);
        let mut request = session.mpi.handles.request_null;
        let r = &raw mut request;
        // SAFETY: the buffer holds the elements until the request is complete. Whether the sender
        // hears of the failure is not said.
        unsafe {
            match self.sending {
                Sending::Send => sized!(f, send, send_c, large, (data), n, (handle, to, tag, comm)),
                Sending::Ssend => {
                    sized!(f, ssend, ssend_c, large, (data), n, (handle, to, tag, comm))
                }
                Sending::Isend => {
                    sized!(f, isend, isend_c, large, (data), n, (handle, to, tag, comm, r))
                }
                Sending::Issend => {
                    sized!(f, issend, issend_c, large, (data), n, (handle, to, tag, comm, r))
                }
            };
        }
        a.returned(session);
        if let Some((sent, _)) = &self.good {
            let mut buffer = self.memory(sent, 2);
            let a = sent.arguments(session, face, &mut buffer);
            let data = a.buffer.cast_const();
            // SAFETY: the buffer holds the elements.
            let code = unsafe {
                sized!(f, send, send_c, sent.large, (data), a.count, (a.handle, to, tag + 1, comm))
            };
            a.returned(session);
            out.fact("the message behind it sent", session.class(code));
            out.memory("the message behind it", buffer);
        }
        // SAFETY: a live request or none.
        unsafe { (f.wait)(&raw mut request, A::CONSTANTS.status_ignore_ptr()) };
        out.memory("sent", buffer);
    }

    fn receive(&self, session: &Session<A>, out: &mut Outcome, face: Face) {
        // What is too much may begin where an element would, also where there is none.
        let layout = &self.received.specimen.layout;
        let element = [layout.true_lb(), layout.true_ub()];
        let places = [self.received.places.as_slice(), &element];
        let seed = mix(&[self.seed, 1]);
        let before = Memory::with_room(places, self.sent.places.len(), seed);
        let mut memory = before.clone();
        let mut good = self.good.as_ref().map(|(_, part)| (part, self.memory(part, 3)));
        let null = session.mpi.handles.request_null;
        // The one that does not fit, the one that does, and none.
        let mut requests = [null; 3];
        let f = session.functions(face);
        let comm = session.comm;
        let a = self.received.arguments(session, face, &mut memory);
        let (from, tag, r) = (int(self.from), self.tag, requests.as_mut_ptr());
        let mut status = blank::<A>();
        let given = if self.ignore { A::CONSTANTS.status_ignore_ptr() } else { &raw mut status };
        let mut found = blank::<A>();
        let mut message = match self.receiving {
            Receiving::Mrecv | Receiving::Imrecv => {
                Some(session.mprobe(from, tag, comm, &mut found))
            }
            _ => None,
        };
        if message.is_none() && !self.early {
            session.iprobe(from, tag, comm, &mut found);
        }
        if !self.early {
            let arriving = (Some(self.sent.places.len()), self.received.specimen);
            note_status(session, out, "probed", &found, arriving);
        }
        let m = message.as_mut().map_or(std::ptr::null_mut(), std::ptr::from_mut);
        let (b, n, handle, large) = (a.buffer, a.count, a.handle, self.received.large);
        // SAFETY: the buffer holds the elements, and what the library writes past them, until the
        // requests are complete; the message was just found.
        let code = unsafe {
            match self.receiving {
                Receiving::Recv => {
                    sized!(f, recv, recv_c, large, (b), n, (handle, from, tag, comm, given))
                }
                Receiving::Mrecv => sized!(f, mrecv, mrecv_c, large, (b), n, (handle, m, given)),
                Receiving::Sendrecv => {
                    let (nobody, nothing) = (A::CONSTANTS.proc_null, std::ptr::null());
                    let (n, byte) = (int(n), session.mpi.handles.byte);
                    (f.sendrecv)(
                        nothing, 0, byte, nobody, tag, b, n, handle, from, tag, comm, given,
                    )
                }
                Receiving::Irecv => {
                    sized!(f, irecv, irecv_c, large, (b), n, (handle, from, tag, comm, r))
                }
                Receiving::Imrecv => sized!(f, imrecv, imrecv_c, large, (b), n, (handle, m, r)),
                Receiving::Persistent => {
                    sized!(f, recv_init, recv_init_c, large, (b), n, (handle, from, tag, comm, r))
                }
            }
        };
        a.returned(session);
        let class = session.class(code);
        out.fact(self.receiving.name(), class);
        if self.receiving == Receiving::Persistent {
            // SAFETY: an inactive persistent request.
            let code = unsafe { (f.start)(r) };
            out.fact("MPI_Start", session.class(code));
        }
        if let Some((part, memory)) = &mut good {
            let a = part.arguments(session, face, memory);
            // SAFETY: the buffer holds the elements until the request is complete.
            let code = unsafe {
                let (handle, tag, r) = (a.handle, tag + 1, r.add(1));
                sized!(
                    f,
                    irecv,
                    irecv_c,
                    part.large,
                    (a.buffer),
                    a.count,
                    (handle, from, tag, comm, r)
                )
            };
            a.returned(session);
            out.fact("MPI_Irecv", session.class(code));
        }
        if self.early {
            session.barrier();
        }
        let mut ends = self.settle(session, face, &mut requests);
        if !self.receiving.has_request() {
            ends[0] = End { class: Some(class), status: (!self.ignore).then_some(status) };
        }
        let too_long = [self.sent.places.len() > self.received.places.len(), false];
        let parts = [
            Some((None, self.received.specimen)),
            self.good.as_ref().map(|(sent, part)| (Some(sent.places.len()), part.specimen)),
        ];
        for (at, (end, arriving)) in ends.into_iter().zip(parts).enumerate() {
            let Some(arriving) = arriving else { continue };
            let what = format!("request {at}");
            if let Some(class) = end.class {
                out.fact(format!("{what} completed"), class);
            }
            match end.status {
                // What it counts where the receive has failed is not said, also where the call
                // does not say that it has (MPI_Waitsome of MPICH 5, for a persistent one).
                Some(status) if too_long[at] || end.class.is_some_and(|class| class != 0) => {
                    note_origin(out, &what, &status);
                    let class = session.class(status.error());
                    out.fact(format!("{what}: class of the error field"), class);
                }
                Some(status) => note_status(session, out, &what, &status, arriving),
                None => {}
            }
        }
        for (at, request) in requests.iter_mut().enumerate() {
            out.fact(format!("request {at} is null"), *request == null);
            if *request != null {
                // SAFETY: a live request.
                let code = unsafe { (f.request_free)(request) };
                out.fact("MPI_Request_free", session.class(code));
            }
        }
        if let Some((_, memory)) = good {
            out.memory("the message behind it", memory);
        }
        // Between the elements, before them and behind them nobody has to write.
        let places = &self.received.places;
        let bytes = memory.gather(places);
        let elements: Vec<i64> = (0..i64::try_from(bytes.len()).expect("in memory")).collect();
        let mut inside = Memory::holding([elements.as_slice()], 0);
        inside.scatter(&elements, &bytes);
        if !(too_long[0] && session.quirks.truncation_varies) {
            out.memory("the elements", inside);
        }
        let zeros = vec![0; places.len()];
        let (mut beside, mut before) = (memory, before);
        beside.scatter(places, &zeros);
        before.scatter(places, &zeros);
        // Open MPI writes to the memory of a receive that has no elements.
        if !places.is_empty() || !session.quirks.empty_receives_spill {
            out.spared("beside the elements", beside, before);
        }
    }

    /// Completes all requests, whatever fails on the way. When each one completes is a matter of
    /// time: only how it ended counts.
    fn settle(
        &self,
        session: &Session<A>,
        face: Face,
        requests: &mut [A::Request; 3],
    ) -> [End<A>; 3] {
        let f = session.functions(face);
        let null = session.mpi.handles.request_null;
        let persistent = self.receiving == Receiving::Persistent;
        let mut ends: [End<A>; 3] = [const { End { class: None, status: None } }; 3];
        let first = requests.as_mut_ptr();
        let mut statuses = [blank::<A>(); 3];
        let mut indices = [-1; 3];
        let in_status = i64::from(A::CONSTANTS.err_in_status);
        let pending = A::CONSTANTS.err_pending;
        let all = statuses.as_mut_ptr();
        // SAFETY: three requests that are live or null, as many statuses and indices.
        unsafe {
            match self.how {
                Completion::Waitall | Completion::Testall => {
                    let mut flag = 0;
                    let code = match self.how {
                        Completion::Waitall => (f.waitall)(3, first, all),
                        _ => until(&mut flag, |flag| (f.testall)(3, first, flag, all)),
                    };
                    let class = session.class(code);
                    for (end, status) in ends.iter_mut().zip(statuses) {
                        let own = if class == in_status { status.error() } else { code };
                        if own != pending {
                            *end = End { class: Some(session.class(own)), status: Some(status) };
                        }
                    }
                }
                Completion::Waitany | Completion::Testany => {
                    for _ in 0..3 {
                        let (mut index, mut flag) = (-1, 0);
                        let code = match self.how {
                            Completion::Waitany => (f.waitany)(3, first, &raw mut index, all),
                            _ => until(&mut flag, |flag| {
                                (f.testany)(3, first, &raw mut index, flag, all)
                            }),
                        };
                        let Ok(at) = usize::try_from(index) else { break };
                        let class = Some(session.class(code));
                        ends[at] = End { class, status: Some(statuses[0]) };
                        statuses[0] = blank::<A>();
                    }
                }
                Completion::Waitsome | Completion::Testsome => {
                    for _ in 0..3 {
                        let mut done = 0;
                        let code = loop {
                            let place = indices.as_mut_ptr();
                            let code = match self.how {
                                Completion::Waitsome => {
                                    (f.waitsome)(3, first, &raw mut done, place, all)
                                }
                                _ => (f.testsome)(3, first, &raw mut done, place, all),
                            };
                            if done != 0 || code != A::CONSTANTS.success {
                                break code;
                            }
                            std::thread::yield_now();
                        };
                        let Ok(done) = usize::try_from(done) else { break };
                        let class = session.class(code);
                        for (place, &at) in indices[..done.min(3)].iter().enumerate() {
                            let status = statuses[place];
                            let own = if class == in_status { status.error() } else { code };
                            let Ok(at) = usize::try_from(at) else { continue };
                            ends[at] =
                                End { class: Some(session.class(own)), status: Some(status) };
                        }
                        statuses = [blank::<A>(); 3];
                    }
                }
                Completion::Wait | Completion::Test | Completion::GetStatus => {}
            }
            // One after the other, what is left.
            for (at, end) in ends.iter_mut().enumerate() {
                let request = first.add(at);
                if *request == null || (persistent && end.class.is_some()) {
                    continue;
                }
                let mut status = blank::<A>();
                let (mut flag, s) = (0, &raw mut status);
                let code = match self.how {
                    Completion::Test => until(&mut flag, |flag| (f.test)(request, flag, s)),
                    Completion::GetStatus => {
                        until(&mut flag, |flag| (f.request_get_status)(*request, flag, s));
                        status = blank::<A>();
                        (f.wait)(request, &raw mut status)
                    }
                    _ => (f.wait)(request, s),
                };
                if end.class.is_none() {
                    *end = End { class: Some(session.class(code)), status: Some(status) };
                }
            }
            // A call for several requests sets the error field of a good one where another fails,
            // a call for one does not, and which are completed together is a matter of time.
            if self.how.takes_several() {
                let good = Some(session.class(A::CONSTANTS.success));
                for end in ends.iter_mut().filter(|end| end.class == good) {
                    if let Some(status) = &mut end.status {
                        status.set_error(A::CONSTANTS.success);
                    }
                }
            }
        }
        ends
    }

    /// Counts the calls of both ranks.
    pub fn count(&self, census: &mut Census) {
        let name = match self.sending {
            Sending::Send => "Send",
            Sending::Ssend => "Ssend",
            Sending::Isend => "Isend",
            Sending::Issend => "Issend",
        };
        census.call(self.send_face, name, self.sent.large);
        census.call(self.recv_face, self.receiving.name(), self.received.large);
        if self.receiving.has_request() || self.good.is_some() {
            census.call(self.recv_face, self.how.name(), false);
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let good = self.good.as_ref().map_or_else(String::new, |(sent, received)| {
            format!("\n  behind it {}\n    into {}", sent.text(), received.text())
        });
        format!(
            "a message {} -> {} that does not fit, completed by {:?}, early {}, statuses ignored {}\n  {:?} \
             ({:?}) of {} ({} bytes)\n    {:?} ({:?}) of {} ({} bytes){good}",
            self.from,
            self.to,
            self.how,
            self.early,
            self.ignore,
            self.sending,
            self.send_face,
            self.sent.text(),
            self.sent.places.len(),
            self.receiving,
            self.recv_face,
            self.received.text(),
            self.received.places.len()
        )
    }
}

/// Two sides of a message of which the receiver has room for fewer elements, or which ends in the
/// middle of one (`whole`: not where it would fit).
fn random_misfit<'p, A: Abi>(
    rng: &mut Rng,
    all: &[&'p Specimen<A>],
    bytes: &'p Specimen<A>,
    whole: bool,
) -> (Part<'p, A>, Part<'p, A>) {
    loop {
        let (sent, received) = random_pair(rng, all);
        let room = u64::try_from(received.places.len()).expect("in memory");
        if rng.u32(0..3) == 0 {
            // Bytes: any number of them, also such that fit but are no whole number of elements.
            let n = match rng.u32(0..3) {
                0 => rng.u64(0..=room),
                1 => room + rng.u64(1..40),
                _ => rng.u64(0..=room * 3),
            };
            let n = match received.specimen.signature {
                Signature::One(basic) if whole && n < room => n - n % basic.size(),
                Signature::Mixed(_) if whole && n < room => {
                    n - n % received.specimen.layout.size().max(1)
                }
                _ => n,
            };
            if n > 0 && n <= MESSAGE && room > 0 {
                return (Part::new(rng, bytes, n), received);
            }
            continue;
        }
        let elements = sent.count * sent.specimen.layout.elements();
        let most = elements.saturating_sub(1) / received.specimen.layout.elements().max(1);
        let least = if rng.u32(0..6) == 0 { 1 } else { 2 };
        if elements >= least && !received.places.is_empty() {
            let fewer = if rng.bool() { most } else { rng.u64(0..=most) };
            return (sent, Part::new(rng, received.specimen, fewer));
        }
    }
}

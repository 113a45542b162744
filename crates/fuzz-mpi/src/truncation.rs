//! Messages that are longer than the receiver said, or that end in the middle of an element,
//! however they are received and completed; and one behind them that is as it should be.
//!
//! The standard leaves open what the buffer holds after a truncated receive. What the library
//! alone leaves there each time is what programs see, so that it is the measure; what differs from
//! time to time is not judged. Open MPI writes past the end of contiguous receives: buffers have
//! room for the whole message.

use commloom_mpi::{Abi, RawHandle, Status};
use commloom_testkit::Rng;

use crate::census::Census;
use crate::completion::{Completion, blank, get_status, note_origin, note_status};
use crate::memory::{Memory, mix};
use crate::message::{Endpoint, Message, Mode, Sending};
use crate::number::int;
use crate::outcome::Outcome;
use crate::part::{MESSAGE, Part, random_pair};
use crate::session::{Face, Session};
use crate::specimen::{Signature, Specimen};

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
    message: Message<'p, A>,
    good: Option<Message<'p, A>>,
    sending: Sending,
    receiving: Receiving,
    /// The receive is posted before anything is sent; else it is posted when the message is there.
    early: bool,
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
        let misfit = loop {
            let misfit = random_misfit(rng, all, bytes, whole);
            if !session.quirks.empty_receives_take_all || !misfit.1.places.is_empty() {
                break misfit;
            }
        };
        let from = rng.usize(0..session.ranks);
        let receiving = Receiving::ALL[rng.usize(0..Receiving::ALL.len())];
        let early = receiving.has_request() && receiving != Receiving::Imrecv && rng.bool();
        // Whether the message or the receive was first may change what is seen: neither is left to
        // chance.
        let sending = match rng.u32(0..4) {
            0 if early => Sending::Blocking(Mode::Synchronous),
            1 if early => Sending::Blocking(Mode::Standard),
            0 | 2 => Sending::NonBlocking(Mode::Synchronous),
            _ => Sending::NonBlocking(Mode::Standard),
        };
        let (seed, tag) = (rng.u64(..), int(operation % 900) * 32);
        let to = (from + rng.usize(1..session.ranks)) % session.ranks;
        let good = rng.bool().then(|| random_pair(rng, all));
        let (send_face, recv_face) = (Face::random(rng, 4), Face::random(rng, 4));
        let between =
            |tag, (send, recv)| Message { from, to, tag, send, recv, send_face, recv_face };
        Plan {
            seed,
            message: between(tag, misfit),
            good: good.map(|pair| between(tag + 1, pair)),
            sending,
            receiving,
            early,
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
        let Some(good) = &self.good else { return Vec::new() };
        let source = self.memory(&good.send, 2);
        match rank {
            rank if rank == good.from => vec![source],
            rank if rank == good.to => {
                let mut memory = self.memory(&good.recv, 3);
                memory.scatter(&good.recv.places, &source.gather(&good.send.places));
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
        if session.rank == self.message.from {
            self.send(session, &mut out, native);
        } else if session.rank == self.message.to {
            self.receive(session, &mut out, native);
        } else if self.early {
            session.barrier();
        }
        out
    }

    fn send(&self, session: &Session<A>, out: &mut Outcome, native: bool) {
        if self.early {
            session.barrier();
        }
        let mut buffer = self.memory(&self.message.send, 0);
        let end = self.message.sender(session, native, &mut buffer);
        let f = session.functions(end.face);
        let mut request = session.mpi.handles.request_null;
        // SAFETY: the buffer lives until the request is complete. Whether the sender hears of the
        // failure is not said.
        unsafe { end.send(self.sending, &mut request) };
        if let Some(good) = &self.good {
            let mut buffer = self.memory(&good.send, 2);
            let mut none = session.mpi.handles.request_null;
            let end = good.sender(session, native, &mut buffer);
            // SAFETY: the call blocks.
            let code = unsafe { end.send(Sending::Blocking(Mode::Standard), &mut none) };
            out.fact("the message behind it sent", session.class(code));
            out.memory("the message behind it", buffer);
        }
        // SAFETY: a live request or none.
        unsafe { (f.wait)(&raw mut request, A::CONSTANTS.status_ignore_ptr()) };
        out.memory("sent", buffer);
    }

    fn receive(&self, session: &Session<A>, out: &mut Outcome, native: bool) {
        let Message { send, recv, recv_face, .. } = &self.message;
        let face = if native { Face::Native } else { *recv_face };
        // What is too much may begin where an element would, also where there is none.
        let element = [recv.specimen.layout.true_lb(), recv.specimen.layout.true_ub()];
        let places = [recv.places.as_slice(), &element];
        let before = Memory::with_room(places, send.places.len(), mix(&[self.seed, 1]));
        let mut memory = before.clone();
        // The one that does not fit, the one that does, and none.
        let mut requests = [session.mpi.handles.request_null; 3];
        let end = self.message.receiver(session, native, &mut memory);
        let first = self.post(end, out, &mut requests[0]);
        let mut behind = None;
        if let Some(good) = &self.good {
            let memory = behind.insert(self.memory(&good.recv, 3));
            // SAFETY: the buffer lives until the request is complete.
            let code = unsafe { good.receiver(session, native, memory).irecv(&mut requests[1]) };
            out.fact("MPI_Irecv", session.class(code));
        }
        if self.early {
            session.barrier();
        }
        let mut ends = self.settle(session, face, &mut requests);
        if !self.receiving.has_request() {
            ends[0] = first;
        }
        self.note(session, out, ends);
        let f = session.functions(face);
        for (at, request) in requests.iter_mut().enumerate() {
            out.fact(format!("request {at} is null"), *request == session.mpi.handles.request_null);
            if *request != session.mpi.handles.request_null {
                // SAFETY: a live request.
                let code = unsafe { (f.request_free)(request) };
                out.fact("MPI_Request_free", session.class(code));
            }
        }
        if let Some(memory) = behind {
            out.memory("the message behind it", memory);
        }
        self.compare(session, out, memory, before);
    }

    /// Makes the receive that is too short. Its end, where it has no request.
    fn post(&self, end: Endpoint<A>, out: &mut Outcome, request: &mut A::Request) -> End<A> {
        let (session, f) = (end.session, end.session.functions(end.face));
        let (from, tag, comm) = (end.peer, end.tag, session.comm);
        let mut found = blank::<A>();
        let mut message = A::Message::from_bits(0);
        match self.receiving {
            Receiving::Mrecv | Receiving::Imrecv => {
                message = session.mprobe(
                    Face::beside(end.face == Face::Native),
                    (from, tag),
                    comm,
                    &mut found,
                );
            }
            _ if !self.early => session.iprobe(from, tag, comm, &mut found),
            _ => {}
        }
        if !self.early {
            note_status(session, out, "probed", &found, self.message.arriving());
        }
        let mut status = blank::<A>();
        let given = (!self.ignore).then_some(&mut status);
        // SAFETY: the buffer, with what the library writes past the elements, lives until all
        // requests are complete.
        let code = unsafe {
            match self.receiving {
                Receiving::Recv => end.recv(given),
                Receiving::Mrecv => end.mrecv(&mut message, given),
                Receiving::Sendrecv => end.sendrecv(given),
                Receiving::Irecv => end.irecv(request),
                Receiving::Imrecv => end.imrecv(&mut message, request),
                Receiving::Persistent => end.recv_init(request),
            }
        };
        let class = session.class(code);
        out.fact(self.receiving.name(), class);
        if self.receiving == Receiving::Persistent {
            // SAFETY: an inactive persistent request.
            let code = unsafe { (f.start)(request) };
            out.fact("MPI_Start", session.class(code));
        }
        End { class: Some(class), status: (!self.ignore).then_some(status) }
    }

    /// Notes how the receives ended.
    fn note(&self, session: &Session<A>, out: &mut Outcome, ends: [End<A>; 3]) {
        let Message { send, recv, .. } = &self.message;
        let too_long = [send.places.len() > recv.places.len(), false];
        let parts = [Some((None, recv.specimen)), self.good.as_ref().map(|good| good.arriving())];
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
    }

    /// Notes the buffer of the receive that is too short.
    fn compare(&self, session: &Session<A>, out: &mut Outcome, memory: Memory, before: Memory) {
        let Message { send, recv, .. } = &self.message;
        // Between the elements, before them and behind them nobody has to write.
        let bytes = memory.gather(&recv.places);
        let elements: Vec<i64> = (0..i64::try_from(bytes.len()).expect("in memory")).collect();
        let mut inside = Memory::holding([elements.as_slice()], 0);
        inside.scatter(&elements, &bytes);
        let is_too_long = send.places.len() > recv.places.len();
        if !(is_too_long && session.quirks.truncation_varies) {
            out.memory("the elements", inside);
        }
        let zeros = vec![0; recv.places.len()];
        let (mut beside, mut before) = (memory, before);
        beside.scatter(&recv.places, &zeros);
        before.scatter(&recv.places, &zeros);
        let has_gaps = recv.places.windows(2).any(|pair| pair[1] != pair[0] + 1);
        if has_gaps || !is_too_long || !session.quirks.receives_spill {
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
        let null = session.mpi.handles.request_null;
        let mut ends: [End<A>; 3] = [const { End { class: None, status: None } }; 3];
        let mut statuses = [blank::<A>(); 3];
        let in_status = i64::from(A::CONSTANTS.err_in_status);
        let pending = A::CONSTANTS.err_pending;
        let f = session.functions(face);
        let end = |class, code, status: A::Status| {
            let own = if class == in_status { status.error() } else { code };
            End { class: Some(session.class(own)), status: Some(status) }
        };
        match self.how {
            Completion::Waitall | Completion::Testall => {
                let code = self.how.all(f, requests, statuses.as_mut_ptr());
                let class = session.class(code);
                for (known, status) in ends.iter_mut().zip(statuses) {
                    if (if class == in_status { status.error() } else { code }) != pending {
                        *known = end(class, code, status);
                    }
                }
            }
            Completion::Waitany | Completion::Testany => {
                for _ in 0..3 {
                    let mut status = blank::<A>();
                    let (index, code) = self.how.any(f, requests, &raw mut status);
                    let Ok(at) = usize::try_from(index) else { break };
                    ends[at] = End { class: Some(session.class(code)), status: Some(status) };
                }
            }
            Completion::Waitsome | Completion::Testsome => {
                for _ in 0..3 {
                    statuses = [blank::<A>(); 3];
                    let (done, code) = self.how.some(f, requests, statuses.as_mut_ptr());
                    let Some(done) = done else { break };
                    let class = session.class(code);
                    for (at, status) in done.into_iter().zip(statuses) {
                        let Ok(at) = usize::try_from(at) else { continue };
                        ends[at] = end(class, code, status);
                    }
                }
            }
            Completion::Wait | Completion::Test | Completion::GetStatus => {}
        }
        // One after the other, what is left.
        for (request, known) in requests.iter_mut().zip(&mut ends) {
            let is_inactive = self.receiving == Receiving::Persistent && known.class.is_some();
            if *request == null || is_inactive {
                continue;
            }
            let mut status = blank::<A>();
            if self.how == Completion::GetStatus {
                get_status(f, *request, &raw mut status);
                status = blank::<A>();
            }
            let code = self.how.one(f, request, &raw mut status);
            if known.class.is_none() {
                *known = End { class: Some(session.class(code)), status: Some(status) };
            }
        }
        // A call for several requests sets the error field of a good one where another fails, a
        // call for one does not, and which are completed together is a matter of time.
        if self.how.takes_several() {
            let good = Some(session.class(A::CONSTANTS.success));
            for end in ends.iter_mut().filter(|end| end.class == good) {
                if let Some(status) = &mut end.status {
                    status.set_error(A::CONSTANTS.success);
                }
            }
        }
        ends
    }

    /// Counts the calls of both ranks.
    pub fn count(&self, census: &mut Census) {
        let Message { send, recv, send_face, recv_face, .. } = &self.message;
        census.call(*send_face, &self.sending.name(), send.large);
        census.call(*recv_face, self.receiving.name(), recv.large);
        if self.receiving.has_request() || self.good.is_some() {
            census.call(*recv_face, self.how.name(), false);
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let good = self.good.as_ref().map_or_else(String::new, |good| {
            format!("\n  behind it {}\n    into {}", good.send.text(), good.recv.text())
        });
        let Message { from, to, send, recv, send_face, recv_face, .. } = &self.message;
        format!(
            "a message {from} -> {to} that does not fit, completed by {:?}, early {}, statuses \
             ignored {}\n  {:?} ({send_face:?}) of {} ({} bytes)\n    {:?} ({recv_face:?}) of {} \
             ({} bytes){good}",
            self.how,
            self.early,
            self.ignore,
            self.sending,
            send.text(),
            send.places.len(),
            self.receiving,
            recv.text(),
            recv.places.len()
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

//! Calls that must fail, with the same class as in the library alone: arguments that are wrong, and
//! messages that are longer than the receiver said.

use commloom_mpi::{Abi, Functions};
use commloom_testkit::Rng;

use crate::census::Census;
use crate::completion::{Completion, blank, complete};
use crate::memory::{Memory, mix};
use crate::number::int;
use crate::outcome::Outcome;
use crate::part::random_pair;
use crate::session::{Face, Session};
use crate::specimen::Specimen;

/// What is wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    NegativeCount,
    NoType,
    NoSuchRank,
    NegativeTag,
}

impl Mistake {
    /// Whether calls without a peer notice it.
    fn is_of_data(self) -> bool {
        matches!(self, Mistake::NegativeCount | Mistake::NoType)
    }
}

/// What fails.
enum Failure<'p, A: Abi> {
    /// Each rank for itself: nothing is sent.
    Arguments(Mistake),
    /// From one rank to another: so many elements sent, fewer received.
    Truncated {
        from: usize,
        to: usize,
        sent: (&'p Specimen<A>, u64),
        received: (&'p Specimen<A>, u64),
        waited: bool,
    },
}

/// Bytes of a message that is too long for its receiver, at most.
const TRUNCATED: usize = 4000;

/// A failure, and through which face each rank makes it.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    tag: i32,
    failure: Failure<'p, A>,
    specimen: &'p Specimen<A>,
    faces: Vec<Face>,
    how: Completion,
}

impl<'p, A: Abi> Plan<'p, A> {
    /// A random plan, the same on all ranks.
    pub fn random(
        rng: &mut Rng,
        session: &Session<A>,
        all: &[&'p Specimen<A>],
        operation: u64,
    ) -> Self {
        let mistakes =
            [Mistake::NegativeCount, Mistake::NoType, Mistake::NoSuchRank, Mistake::NegativeTag];
        let failure = if session.ranks > 1 && rng.bool() {
            let (sent, received) = loop {
                let (sent, received) = random_pair(rng, all);
                let elements = sent.count * sent.specimen.layout.elements();
                let fewer = elements.saturating_sub(1) / received.specimen.layout.elements().max(1);
                // Open MPI 4.1 alone writes past the end where a long message meets no elements.
                if fewer > 0 && sent.places.len() <= TRUNCATED {
                    break ((sent.specimen, sent.count), (received.specimen, fewer));
                }
            };
            let from = rng.usize(0..session.ranks);
            let to = (from + rng.usize(1..session.ranks)) % session.ranks;
            Failure::Truncated { from, to, sent, received, waited: rng.bool() }
        } else {
            Failure::Arguments(mistakes[rng.usize(0..mistakes.len())])
        };
        Plan {
            seed: rng.u64(..),
            tag: int(operation % 900) * 32,
            failure,
            specimen: all[rng.usize(0..all.len())],
            faces: (0..session.ranks)
                .map(|_| if rng.u32(0..5) < 4 { Face::Wrapped } else { Face::Native })
                .collect(),
            how: match Completion::random(rng) {
                Completion::Waitall if session.quirks.waitall_misses_failures => Completion::Wait,
                how => how,
            },
        }
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        let mut out = Outcome::default();
        let face = if native { Face::Native } else { self.faces[session.rank] };
        match self.failure {
            Failure::Arguments(mistake) => self.arguments(session, &mut out, face, mistake),
            Failure::Truncated { from, to, sent, received, waited } => {
                if session.rank == from {
                    self.send(session, face, to, sent);
                } else if session.rank == to {
                    self.truncated(session, &mut out, face, from, received, waited);
                }
            }
        }
        out
    }

    fn arguments(&self, session: &Session<A>, out: &mut Outcome, face: Face, mistake: Mistake) {
        let f: &Functions<A> = session.functions(face);
        let places = self.specimen.places(1, 0);
        let mut memory = Memory::holding([places.as_slice()], self.seed);
        let (mut count, mut handle) = (1, self.specimen.handle);
        let (mut rank, mut tag) = (int(session.rank), self.tag);
        match mistake {
            Mistake::NegativeCount => count = -1,
            Mistake::NoType => handle = session.mpi.handles.datatype_null,
            Mistake::NoSuchRank => rank = int(session.ranks),
            Mistake::NegativeTag => tag = -77,
        }
        let (buffer, comm) = (memory.address(), session.comm);
        let mut status = blank::<A>();
        let null = session.mpi.handles.request_null;
        let mut request = null;
        let (r, s) = (&raw mut request, &raw mut status);
        // SAFETY: the buffer holds an element; the library refuses what is wrong.
        unsafe {
            let sent = buffer.cast_const();
            let code = (f.send)(sent, count, handle, rank, tag, comm);
            out.fact("MPI_Send", session.class(code));
            let code = (f.isend)(sent, count, handle, rank, tag, comm, r);
            out.fact("MPI_Isend", session.class(code));
            let code = (f.recv)(buffer, count, handle, rank, tag, comm, s);
            out.fact("MPI_Recv", session.class(code));
            let code = (f.irecv)(buffer, count, handle, rank, tag, comm, r);
            out.fact("MPI_Irecv", session.class(code));
            let code = (f.send_init)(sent, count, handle, rank, tag, comm, r);
            out.fact("MPI_Send_init", session.class(code));
            if code == A::CONSTANTS.success {
                (f.request_free)(r);
            }
            let code = (f.recv_init)(buffer, count, handle, rank, tag, comm, r);
            out.fact("MPI_Recv_init", session.class(code));
            if code == A::CONSTANTS.success {
                (f.request_free)(r);
            }
            if mistake.is_of_data() {
                let mut bytes = vec![0u8; places.len()];
                let mut at = 0;
                let (b, n) = (bytes.as_mut_ptr().cast(), int(bytes.len()));
                let code = (f.pack)(sent, count, handle, b, n, &raw mut at, comm);
                out.fact("MPI_Pack", session.class(code));
                let code = (f.unpack)(b, n, &raw mut at, buffer, count, handle, comm);
                out.fact("MPI_Unpack", session.class(code));
                let code = (f.bcast)(buffer, count, handle, 0, comm);
                out.fact("MPI_Bcast", session.class(code));
            }
        }
        out.memory("the buffer", memory);
    }

    fn send(
        &self,
        session: &Session<A>,
        face: Face,
        to: usize,
        (specimen, count): (&Specimen<A>, u64),
    ) {
        let places = specimen.places(count, 0);
        let mut memory = Memory::holding([places.as_slice()], mix(&[self.seed, 0]));
        let f = session.functions(face);
        let (buffer, to) = (memory.address().cast_const(), int(to));
        // SAFETY: the buffer holds the elements. Whether the sender hears of the failure is not said.
        unsafe { (f.send)(buffer, int(count), specimen.handle, to, self.tag, session.comm) };
    }

    fn truncated(
        &self,
        session: &Session<A>,
        out: &mut Outcome,
        face: Face,
        from: usize,
        (specimen, count): (&Specimen<A>, u64),
        waited: bool,
    ) {
        let places = specimen.places(count, 0);
        let mut memory = Memory::holding([places.as_slice()], mix(&[self.seed, 1]));
        let f = session.functions(face);
        let (buffer, n, from) = (memory.address(), int(count), int(from));
        let (handle, tag, comm) = (specimen.handle, self.tag, session.comm);
        if waited {
            let mut requests = [session.mpi.handles.request_null; 2];
            // SAFETY: the buffer holds the elements until the request is complete.
            let code =
                unsafe { (f.irecv)(buffer, n, handle, from, tag, comm, requests.as_mut_ptr()) };
            out.fact("MPI_Irecv", session.class(code));
            complete(session, out, face, self.how, &mut requests, false);
        } else {
            let ignored = A::CONSTANTS.status_ignore_ptr();
            // SAFETY: the buffer holds the elements.
            let code = unsafe { (f.recv)(buffer, n, handle, from, tag, comm, ignored) };
            out.fact("MPI_Recv", session.class(code));
        }
        // What lies in the elements now is not said; the gaps are untouched.
        memory.scatter(&places, &vec![0; places.len()]);
        out.memory("the gaps", memory);
    }

    /// Counts the calls of all ranks.
    pub fn count(&self, census: &mut Census) {
        match &self.failure {
            Failure::Arguments(mistake) => {
                let mut names = vec!["Send", "Isend", "Recv", "Irecv", "Send_init", "Recv_init"];
                if mistake.is_of_data() {
                    names.extend(["Pack", "Unpack", "Bcast"]);
                }
                for (face, name) in
                    self.faces.iter().flat_map(|f| names.iter().map(move |n| (f, n)))
                {
                    census.call(*face, name, false);
                }
            }
            Failure::Truncated { from, to, waited, .. } => {
                census.call(self.faces[*from], "Send", false);
                census.call(self.faces[*to], if *waited { "Irecv" } else { "Recv" }, false);
                if *waited {
                    census.call(self.faces[*to], self.how.name(), false);
                }
            }
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        match &self.failure {
            Failure::Arguments(mistake) => {
                format!("wrong arguments: {mistake:?}, {:?}, {}", self.faces, self.specimen.text)
            }
            Failure::Truncated { from, to, sent, received, waited } => format!(
                "a message {from} -> {to} that is too long, waited for {waited} by {:?}, {:?}\n  \
                 {} elements of {}\n  into {} of {}",
                self.how, self.faces, sent.1, sent.0.text, received.1, received.0.text
            ),
        }
    }
}

//! Calls with wrong arguments: they must fail, with the same class as in the library alone.

use commloom_mpi::{Abi, Functions};
use commloom_testkit::Rng;

use crate::census::Census;
use crate::completion::blank;
use crate::memory::Memory;
use crate::number::int;
use crate::outcome::Outcome;
use crate::session::{Face, Session};
use crate::specimen::Specimen;

/// The mistake in a call.
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

/// A mistake, and through which face each rank makes it.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    tag: i32,
    mistake: Mistake,
    specimen: &'p Specimen<A>,
    faces: Vec<Face>,
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
        Plan {
            seed: rng.u64(..),
            tag: int(operation % 900) * 32,
            mistake: mistakes[rng.usize(0..mistakes.len())],
            specimen: all[rng.usize(0..all.len())],
            faces: (0..session.ranks).map(|_| Face::random(rng, 4)).collect(),
        }
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        let mut out = Outcome::default();
        let face = if native { Face::Native } else { self.faces[session.rank] };
        // Each rank for itself: nothing is sent.
        self.arguments(session, &mut out, face);
        out
    }

    fn arguments(&self, session: &Session<A>, out: &mut Outcome, face: Face) {
        let mistake = self.mistake;
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

    /// Counts the calls of all ranks.
    pub fn count(&self, census: &mut Census) {
        let mut names = vec!["Send", "Isend", "Recv", "Irecv", "Send_init", "Recv_init"];
        if self.mistake.is_of_data() {
            names.extend(["Pack", "Unpack", "Bcast"]);
        }
        for (face, name) in self.faces.iter().flat_map(|f| names.iter().map(move |n| (f, n))) {
            census.call(*face, name, false);
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        format!("wrong arguments: {:?}, {:?}, {}", self.mistake, self.faces, self.specimen.text)
    }
}

//! Every rank sends to one rank and receives from one, in one call.

use commloom_mpi::Abi;
use commloom_testkit::Rng;

use crate::census::Census;
use crate::completion::{blank, note_status};
use crate::large::sized;
use crate::memory::{Memory, mix};
use crate::number::{int, wide};
use crate::outcome::Outcome;
use crate::part::{Part, random_count, random_pair};
use crate::session::{Face, Session};
use crate::specimen::Specimen;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    Sendrecv,
    SendrecvReplace,
}

/// One message from each rank to the one `step` behind it.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    step: usize,
    tag: i32,
    call: Call,
    /// The data that goes from a rank, and the type that the next one receives it as. Where it is
    /// replaced, what each rank receives has the type and count of what it sends.
    pairs: Vec<(Part<'p, A>, Part<'p, A>)>,
    faces: Vec<Face>,
    ignore: bool,
}

impl<'p, A: Abi> Plan<'p, A> {
    /// A random plan, the same on all ranks.
    pub fn random(
        rng: &mut Rng,
        session: &Session<A>,
        all: &[&'p Specimen<A>],
        operation: u64,
    ) -> Self {
        let call = if rng.bool() { Call::Sendrecv } else { Call::SendrecvReplace };
        let n = session.ranks;
        let pairs = if call == Call::SendrecvReplace {
            let specimen = loop {
                let one = all[rng.usize(0..all.len())];
                if one.receivable > 0 {
                    break one;
                }
            };
            let count = random_count(rng, specimen).min(specimen.receivable);
            let part = |rng: &mut Rng| Part::new(rng, specimen, count);
            (0..n).map(|_| (part(rng), part(rng))).collect()
        } else {
            (0..n).map(|_| random_pair(rng, all)).collect()
        };
        Plan {
            seed: rng.u64(..),
            step: rng.usize(0..n),
            tag: int(operation % 900) * 32,
            call,
            pairs,
            faces: (0..n).map(|_| Face::random(rng, 3)).collect(),
            ignore: rng.u32(0..4) == 0,
        }
    }

    fn source(&self, rank: usize) -> usize {
        (rank + self.pairs.len() - self.step) % self.pairs.len()
    }

    fn sent(&self, rank: usize) -> Memory {
        let seed = mix(&[self.seed, u64::try_from(rank).expect("few"), 0]);
        Memory::holding([self.pairs[rank].0.places.as_slice()], seed)
    }

    fn room(&self, rank: usize) -> Memory {
        let seed = mix(&[self.seed, u64::try_from(rank).expect("few"), 1]);
        Memory::holding([self.pairs[self.source(rank)].1.places.as_slice()], seed)
    }

    /// The content that the buffers of a rank must have.
    pub fn expected(&self, rank: usize) -> Vec<Memory> {
        let source = self.source(rank);
        let bytes = self.sent(source).gather(&self.pairs[source].0.places);
        if self.call == Call::SendrecvReplace {
            let mut memory = self.sent(rank);
            memory.scatter(&self.pairs[rank].0.places, &bytes);
            return vec![memory];
        }
        let mut memory = self.room(rank);
        memory.scatter(&self.pairs[source].1.places, &bytes);
        vec![self.sent(rank), memory]
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        let mut out = Outcome::default();
        let me = session.rank;
        let face = if native { Face::Native } else { self.faces[me] };
        let f = session.functions(face);
        let (from, to) = (int(self.source(me)), int((me + self.step) % session.ranks));
        let (mut sent, mut room) = (self.sent(me), self.room(me));
        let s = self.pairs[me].0.arguments(session, face, &mut sent);
        let recv = &self.pairs[self.source(me)].1;
        let r = recv.arguments(session, face, &mut room);
        let (tag, comm, large) = (self.tag, session.comm, self.pairs[me].0.large);
        let mut status = blank::<A>();
        let given = if self.ignore { A::CONSTANTS.status_ignore_ptr() } else { &raw mut status };
        // SAFETY: both buffers hold the elements.
        let code = unsafe {
            let sb = s.buffer.cast_const();
            match (self.call, f.sendrecv_c.filter(|_| large)) {
                (Call::Sendrecv, Some(call)) => {
                    let (sn, rn) = (wide(s.count), wide(r.count));
                    call(sb, sn, s.handle, to, tag, r.buffer, rn, r.handle, from, tag, comm, given)
                }
                (Call::Sendrecv, None) => {
                    let (sn, rn, call) = (s.small(), r.small(), f.sendrecv);
                    call(sb, sn, s.handle, to, tag, r.buffer, rn, r.handle, from, tag, comm, given)
                }
                (Call::SendrecvReplace, _) => sized!(
                    f,
                    sendrecv_replace,
                    sendrecv_replace_c,
                    large,
                    (s.buffer),
                    s.count,
                    (s.handle, to, tag, from, tag, comm, given)
                ),
            }
        };
        s.returned(session);
        r.returned(session);
        out.succeeds("exchanged", session.class(code));
        let replaces = self.call == Call::SendrecvReplace;
        let received = if replaces { &self.pairs[me].0 } else { recv }.specimen;
        if !self.ignore {
            let bytes = Some(self.pairs[self.source(me)].0.places.len());
            note_status(session, &mut out, "received", &status, (bytes, received));
        }
        out.memory("sent", sent);
        if !replaces {
            out.memory("received", room);
        }
        out
    }

    /// Counts the calls of all ranks.
    pub fn count(&self, census: &mut Census) {
        let name = match self.call {
            Call::Sendrecv => "Sendrecv",
            Call::SendrecvReplace => "Sendrecv_replace",
        };
        for (face, (send, _)) in self.faces.iter().zip(&self.pairs) {
            census.call(*face, name, send.large);
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{:?} to the rank {} further, status ignored {}",
            self.call, self.step, self.ignore
        );
        for (rank, (send, recv)) in self.pairs.iter().enumerate() {
            text += &format!(
                "\n  rank {rank} ({:?}) sends {}\n    received as {}",
                self.faces[rank],
                send.text(),
                recv.text()
            );
        }
        text
    }
}

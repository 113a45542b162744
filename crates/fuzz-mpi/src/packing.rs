//! `MPI_Pack`, `MPI_Unpack` and `MPI_Pack_size`, on every rank for itself.

use std::ffi::c_int;

use commloom_mpi::Abi;
use commloom_testkit::Rng;

use crate::census::Census;
use crate::memory::{Memory, mix};
use crate::number::{int, length, wide};
use crate::outcome::Outcome;
use crate::part::{Manner, Part, random_pair};
use crate::session::{Face, Session};
use crate::specimen::Specimen;

/// Pack with one face, unpack with another.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    from: Part<'p, A>,
    to: Part<'p, A>,
    /// Bytes before the packed data.
    start: usize,
    /// Bytes that the packed buffer is too small, or more than are needed.
    room: i64,
    faces: [Face; 2],
}

impl<'p, A: Abi> Plan<'p, A> {
    /// A random plan, the same on all ranks.
    pub fn random(rng: &mut Rng, session: &Session<A>, all: &[&'p Specimen<A>]) -> Self {
        let (mut from, mut to) = random_pair(rng, all);
        for side in [&mut from, &mut to] {
            if side.manner == Manner::Absolute && session.quirks.pack_refuses_bottom {
                side.manner = Manner::Plain;
            }
        }
        let room = match rng.u32(0..8) {
            0 => -rng.i64(1..=wide(from.places.len()).max(1)),
            1 => rng.i64(1..60),
            _ => 0,
        };
        let mut face = || Face::random(rng, 4);
        let faces = [face(), face()];
        let start = if rng.bool() { 0 } else { rng.usize(1..70) };
        Plan { seed: rng.u64(..), from, to, start, room, faces }
    }

    fn memories(&self) -> (Memory, Memory, Memory) {
        let places: Vec<i64> = (0..wide(self.start + self.from.places.len())).collect();
        let one = |places: &[i64], n| Memory::holding([places], mix(&[self.seed, n]));
        (one(&self.from.places, 0), one(&places, 1), one(&self.to.places, 2))
    }

    /// The content that the buffers must have; nothing is said about buffers that are too small.
    pub fn expected(&self) -> Vec<Memory> {
        let (from, mut packed, mut to) = self.memories();
        if self.room < 0 {
            return Vec::new();
        }
        let bytes = from.gather(&self.from.places);
        let start = wide(self.start);
        let places: Vec<i64> = (start..start + wide(bytes.len())).collect();
        packed.scatter(&places, &bytes);
        if self.matching() {
            to.scatter(&self.to.places, &bytes);
        }
        vec![from, packed, to]
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        let mut out = Outcome::default();
        let (mut from, mut packed, mut to) = self.memories();
        let faces = if native { [Face::Native; 2] } else { self.faces };
        let end = wide(self.start + self.from.places.len()) + self.room;
        let limit = end.max(0);
        let comm = session.comm;
        let mut size = 0;
        let f = session.functions(faces[0]);
        let handle = self.from.specimen.handle;
        // SAFETY: a live handle.
        let code = unsafe { (f.pack_size)(int(self.from.count), handle, comm, &raw mut size) };
        out.fact("MPI_Pack_size", session.class(code));
        out.fact("the size", size);

        let a = self.from.arguments(session, faces[0], &mut from);
        let (mut at, mut large_at) = (int(self.start), wide(self.start));
        // SAFETY: `from` holds the elements, `packed` at least as many bytes as said: the margin
        // of the buffers is longer than what the limit goes past them.
        let code = unsafe {
            match f.pack_c.filter(|_| self.from.large) {
                Some(call) => {
                    let n = wide(a.count);
                    call(a.buffer, n, a.handle, packed.address(), limit, &raw mut large_at, comm)
                }
                None => {
                    let (n, limit) = (a.small(), int(limit));
                    (f.pack)(a.buffer, n, a.handle, packed.address(), limit, &raw mut at, comm)
                }
            }
        };
        a.returned(session);
        out.fact("MPI_Pack", session.class(code));
        let position = if self.from.large { large_at } else { at.into() };
        let what = "the position after MPI_Pack";
        match code == A::CONSTANTS.success {
            true => out.prescribed(what, position, wide(self.start + self.from.places.len())),
            false => out.fact(what, position),
        }

        let f = session.functions(faces[1]);
        // Only what was packed can be unpacked: where that failed, everything may be there or not.
        if code == A::CONSTANTS.success && self.room >= 0 && self.matching() {
            self.unpack(session, &mut out, faces[1], f, (&mut packed, limit), &mut to);
        }
        if self.room >= 0 {
            out.memory("what was packed", from);
            out.memory("the packed bytes", packed);
            out.memory("what was unpacked", to);
        }
        out
    }

    /// Whether all that was packed is unpacked: what is left over cannot be, in MPI.
    fn matching(&self) -> bool {
        self.from.places.len() == self.to.places.len()
    }

    fn unpack(
        &self,
        session: &Session<A>,
        out: &mut Outcome,
        face: Face,
        f: &commloom_mpi::Functions<A>,
        (packed, limit): (&mut Memory, i64),
        to: &mut Memory,
    ) {
        let comm = session.comm;
        let b = self.to.arguments(session, face, to);
        let (mut at, mut large_at): (c_int, i64) = (int(self.start), wide(self.start));
        // SAFETY: the packed buffer is as long as its limit, and `to` has memory for all that is
        // unpacked.
        let code = unsafe {
            let packed = packed.address().cast_const();
            match f.unpack_c.filter(|_| self.to.large) {
                Some(call) => {
                    let n = wide(b.count);
                    call(packed, limit, &raw mut large_at, b.buffer, n, b.handle, comm)
                }
                None => {
                    let (n, limit) = (b.small(), int(limit));
                    (f.unpack)(packed, limit, &raw mut at, b.buffer, n, b.handle, comm)
                }
            }
        };
        b.returned(session);
        out.fact("MPI_Unpack", session.class(code));
        let position = if self.to.large { large_at } else { at.into() };
        out.fact("the position after MPI_Unpack", position);
    }

    /// Counts the calls of all ranks.
    pub fn count(&self, census: &mut Census, ranks: usize) {
        for _ in 0..ranks {
            census.call(self.faces[0], "Pack", self.from.large);
            if self.room >= 0 && self.matching() {
                census.call(self.faces[1], "Unpack", self.to.large);
            }
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let room = length(wide(self.start + self.from.places.len()).max(0));
        format!(
            "pack ({:?}) {}\n  from byte {} on into {room} + {} bytes, unpack ({:?}) {}",
            self.faces[0],
            self.from.text(),
            self.start,
            self.room,
            self.faces[1],
            self.to.text()
        )
    }
}

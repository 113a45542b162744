//! Every rank puts into the window of one rank and is put into by one, in one epoch after the
//! other.

use std::ffi::{c_int, c_void};
use std::ptr;

use commloom_mpi::{Abi, RawHandle};
use commloom_testkit::Rng;

use crate::census::Census;
use crate::memory::{Memory, mix};
use crate::number::{aint, int, wide};
use crate::outcome::Outcome;
use crate::part::{Manner, Part, random_pair};
use crate::session::{Face, Session};
use crate::specimen::Specimen;

/// How an epoch ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    Fence,
    Groups,
}

/// Where the memory of a window comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Create,
    Allocate,
}

/// Puts from each rank to the one `step` behind it.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    step: usize,
    made: Made,
    /// Of each epoch.
    ends: Vec<Ends>,
    /// Elements of a rank, and of the window that they are put into.
    pairs: Vec<(Part<'p, A>, Part<'p, A>)>,
    /// Displacement units of the windows, which divide the place of their origins.
    units: Vec<u64>,
}

impl<'p, A: Abi> Plan<'p, A> {
    /// A random plan, the same on all ranks.
    pub fn random(rng: &mut Rng, session: &Session<A>, all: &[&'p Specimen<A>]) -> Self {
        let n = session.ranks;
        // Those between fences go to the library as long as nobody looks for them.
        let epochs = rng.usize(1..6);
        let ends = |rng: &mut Rng| if rng.u32(0..3) > 0 { Ends::Fence } else { Ends::Groups };
        Plan {
            seed: rng.u64(..),
            step: rng.usize(0..n),
            made: if rng.bool() { Made::Create } else { Made::Allocate },
            ends: (0..epochs).map(|_| ends(rng)).collect(),
            pairs: (0..n).map(|_| equal_pair(rng, all)).collect(),
            units: (0..n).map(|_| [1, 4, 8, 64][rng.usize(0..4)]).collect(),
        }
    }

    fn source(&self, rank: usize) -> usize {
        (rank + self.pairs.len() - self.step) % self.pairs.len()
    }

    /// The elements that a rank puts in an epoch.
    fn origin(&self, rank: usize, epoch: usize) -> Memory {
        let number = |n: usize| u64::try_from(n).expect("few");
        let seed = mix(&[self.seed, number(rank), number(epoch) + 1]);
        Memory::holding([self.pairs[rank].0.places.as_slice()], seed)
    }

    fn target(&self, rank: usize) -> Memory {
        let seed = mix(&[self.seed, u64::try_from(rank).expect("few"), 0]);
        Memory::holding([self.pairs[self.source(rank)].1.places.as_slice()], seed)
    }

    /// The content that the buffers of a rank must have.
    pub fn expected(&self, rank: usize) -> Vec<Memory> {
        let (source, last) = (self.source(rank), self.ends.len() - 1);
        let bytes = self.origin(source, last).gather(&self.pairs[source].0.places);
        let mut memory = self.target(rank);
        memory.scatter(&self.pairs[source].1.places, &bytes);
        vec![self.origin(rank, last), memory]
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        // Who passes a fence by cannot take part in others of the window.
        let face = if native { Face::Native } else { Face::Wrapped };
        let mut out = Outcome::default();
        let mut room = self.target(session.rank);
        let open = self.open(session, face, &mut room);
        let mut sent = self.origin(session.rank, 0);
        let mut before = None;
        for (epoch, ends) in self.ends.iter().enumerate() {
            sent.assign(&self.origin(session.rank, epoch));
            let begun = if before == Some(Ends::Fence) && *ends == Ends::Fence {
                A::CONSTANTS.success
            } else {
                open.edge(session, *ends, true)
            };
            out.succeeds("an epoch begins", session.class(begun));
            self.put(session, face, (&mut sent, open.window), &mut out);
            out.succeeds("an epoch ends", session.class(open.edge(session, *ends, false)));
            before = Some(*ends);
        }
        if self.made == Made::Allocate {
            let to = room.all_mut();
            // SAFETY: the epochs are over, and the library has given so many bytes there.
            unsafe { ptr::copy_nonoverlapping(open.base.cast(), to.as_mut_ptr(), to.len()) };
        }
        open.close(session);
        out.memory("put", sent);
        out.memory("window", room);
        out
    }

    /// A window of the planned kind, with the content of this memory.
    fn open(&self, session: &Session<A>, face: Face, room: &mut Memory) -> Open<A> {
        let (f, mpi) = (session.functions(face), &session.mpi);
        let (mut window, mut base) = (A::Win::from_bits(0), ptr::null_mut::<c_void>());
        let (bytes, unit) = (aint(room.all().len()), int(self.units[session.rank]));
        let (info, comm) = (session.info_null(), session.comm);
        // SAFETY: the window is the memory, which the caller keeps, or of the library.
        let code = unsafe {
            match self.made {
                Made::Create => {
                    base = room.all_mut().as_mut_ptr().cast();
                    let make = f.win_create.expect("MPI 2");
                    make(base, bytes, unit, info, comm, &raw mut window)
                }
                Made::Allocate => {
                    let make = f.win_allocate.expect("MPI 3");
                    let at = (&raw mut base).cast();
                    make(bytes, unit, info, comm, at, &raw mut window)
                }
            }
        };
        mpi.check("a window", code).expect("all ranks come");
        if self.made == Made::Allocate {
            let from = room.all();
            // SAFETY: the library has given so many bytes there.
            unsafe { ptr::copy_nonoverlapping(from.as_ptr(), base.cast(), from.len()) };
        }
        let mut group = A::Group::from_bits(0);
        // SAFETY: a live communicator, and a writable place.
        let code = unsafe { (mpi.own.comm_group)(comm, &raw mut group) };
        mpi.check("MPI_Comm_group", code).expect("a live communicator");
        Open { window, base, group, face }
    }

    /// The puts of one epoch.
    fn put(
        &self,
        session: &Session<A>,
        face: Face,
        (sent, window): (&mut Memory, A::Win),
        out: &mut Outcome,
    ) {
        let f = session.functions(face);
        let me = session.rank;
        let target = (me + self.step) % session.ranks;
        let at = aint(self.target(target).origin()) / aint(self.units[target]);
        let s = self.pairs[me].0.arguments(session, face, sent);
        // Of the buffer nobody asks.
        let r = self.pairs[me].1.arguments(session, face, &mut Memory::holding([], 0));
        let (buffer, to) = (s.buffer.cast_const(), int(target));
        // SAFETY: both sides hold the elements.
        let code = unsafe {
            match f.put_c.filter(|_| self.pairs[me].0.large) {
                Some(put) => {
                    let (sn, rn) = (wide(s.count), wide(r.count));
                    put(buffer, sn, s.handle, to, at, rn, r.handle, window)
                }
                None => {
                    let put = f.put.expect("MPI 2");
                    put(buffer, s.small(), s.handle, to, at, r.small(), r.handle, window)
                }
            }
        };
        s.returned(session);
        r.returned(session);
        out.succeeds("put", session.class(code));
    }

    /// Counts the calls of all ranks.
    pub fn count(&self, census: &mut Census) {
        for (from, _) in &self.pairs {
            for _ in &self.ends {
                census.call(Face::Wrapped, "Put", from.large);
            }
        }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = format!(
            "puts to the rank {} further, epochs end by {:?}, window by {:?}",
            self.step, self.ends, self.made
        );
        for (rank, (from, to)) in self.pairs.iter().enumerate() {
            text += &format!(
                "\n  rank {rank} (unit {}) puts {}\n    there {}",
                self.units[rank],
                from.text(),
                to.text()
            );
        }
        text
    }
}

/// A window of all ranks.
struct Open<A: Abi> {
    window: A::Win,
    base: *mut c_void,
    /// All of them.
    group: A::Group,
    face: Face,
}

impl<A: Abi> Open<A> {
    /// Makes the calls with which an epoch begins, or those with which it ends.
    fn edge(&self, session: &Session<A>, ends: Ends, begins: bool) -> c_int {
        let f = session.functions(self.face);
        let window = self.window;
        // SAFETY: a live window, in which all ranks make the same calls.
        unsafe {
            match (ends, begins) {
                (Ends::Fence, _) => f.win_fence.expect("MPI 2")(0, window),
                (Ends::Groups, true) => {
                    let posted = f.win_post.expect("MPI 2")(self.group, 0, window);
                    posted.max(f.win_start.expect("MPI 2")(self.group, 0, window))
                }
                (Ends::Groups, false) => {
                    let complete = f.win_complete.expect("MPI 2")(window);
                    complete.max(f.win_wait.expect("MPI 2")(window))
                }
            }
        }
    }

    fn close(mut self, session: &Session<A>) {
        let free = session.functions(self.face).win_free.expect("MPI 2");
        // SAFETY: handles of our own.
        let code = unsafe {
            (session.mpi.own.group_free)(&raw mut self.group).max(free(&raw mut self.window))
        };
        session.mpi.check("MPI_Win_free", code).expect("all ranks come");
    }
}

/// Two sides of a put: of the same elements, in a window that begins somewhere.
fn equal_pair<'p, A: Abi>(rng: &mut Rng, all: &[&'p Specimen<A>]) -> (Part<'p, A>, Part<'p, A>) {
    loop {
        let (from, mut to) = random_pair(rng, all);
        if from.places.len() == to.places.len() {
            if to.manner == Manner::Absolute {
                to.manner = Manner::Plain;
            }
            return (from, to);
        }
    }
}

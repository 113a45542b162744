//! Collectives in all forms, every rank with types of its own.

mod call;
mod side;
mod which;

use std::fmt::Write as _;

use commloom_mpi::Abi;
use commloom_testkit::Rng;

use crate::census::{Census, non_blocking};
use crate::completion::{Completion, complete};
use crate::memory::{Memory, mix};
use crate::outcome::Outcome;
use crate::session::{Face, Session};
use crate::specimen::{Signature, Specimen};

use call::Call;
use side::{CollectiveBuffers, Side};
use which::{Amounts, Flow, Places, Which};

/// Blocking, `MPI_I*` or `MPI_*_init`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Blocking,
    NonBlocking,
    Persistent,
}

/// One collective, with what every rank gives and takes.
pub struct Plan<'p, A: Abi> {
    seed: u64,
    which: Which,
    form: Form,
    root: usize,
    topology: Option<usize>,
    flow: Flow,
    ranks: Vec<Rank<'p, A>>,
    rounds: u64,
    how: Completion,
    ignore: bool,
}

/// The part of one rank.
struct Rank<'p, A: Abi> {
    send: Side<'p, A>,
    recv: Side<'p, A>,
    /// It says `MPI_IN_PLACE`.
    in_place: bool,
    /// It sends from the array that it receives into, as halos are.
    one_array: bool,
    /// It calls the large-count form.
    large: bool,
    face: Face,
}

/// Bytes of one block, about, at most.
const BLOCK: u64 = 40_000;

impl<'p, A: Abi> Plan<'p, A> {
    /// A random plan, the same on all ranks.
    pub fn random(rng: &mut Rng, session: &Session<A>, all: &[&'p Specimen<A>]) -> Self {
        loop {
            if let Some(plan) = Self::attempt(rng, session, all) {
                return plan;
            }
        }
    }

    /// `None` where the types that were drawn do not go together.
    fn attempt(rng: &mut Rng, session: &Session<A>, all: &[&'p Specimen<A>]) -> Option<Self> {
        let n = session.ranks;
        let which = Which::ALL[rng.usize(0..Which::ALL.len())];
        let root = rng.usize(0..n);
        let topology = which.of_neighbors().then(|| rng.usize(0..session.topologies.len()));
        let persistent = session.mpi.own.bcast_init.is_some();
        let form = match rng.u32(0..4) {
            0 | 1 => Form::Blocking,
            2 if persistent => Form::Persistent,
            _ => Form::NonBlocking,
        };
        let flow = Flow::of(which, session, root, topology);
        let lost = form != Form::Blocking
            && match which {
                Which::Alltoall => session.quirks.plain_ialltoall_fails_in_place,
                Which::Alltoallv | Which::Alltoallw => session.quirks.ialltoall_fails_in_place,
                _ => false,
            };
        let together = which.exchanges_in_place() && !lost && rng.u32(0..4) == 0;
        // Each rank chooses the algorithm of MPI_Allgatherv by the size of its type (Open MPI), or
        // cuts the blocks by the extent (MPICH).
        let alike = which == Which::Allgatherv
            || which == Which::Gather && session.quirks.gather_needs_one_type;
        let least = if session.quirks.collectives_need_extents { 0 } else { i64::MIN };
        let usable: Vec<&Specimen<A>> =
            all.iter().copied().filter(|s| s.layout.extent() >= least).collect();
        let mut types = Types::new(rng, &usable, alike)?;
        let drawn: Vec<[Vec<&Specimen<A>>; 2]> = (0..n)
            .map(|r| {
                [
                    types.draw(rng, which.send_places(), flow.sends[r].len()),
                    types.draw(rng, which.recv_places(), flow.receives[r].len()),
                ]
            })
            .collect();
        let least = u64::from(which.of_neighbors() && session.quirks.skips_empty_neighbors);
        let amounts = amounts(rng, which, n, together, least);
        let unit = types.unit;
        let elements = |s: usize, r: usize| unit * amounts[s][r];
        let mut ranks = Vec::new();
        for (r, [sending, receiving]) in drawn.into_iter().enumerate() {
            // Blocks that nobody gets, or that nobody sends.
            let (unsent, unreceived) = match which.amounts() {
                Amounts::Equal => (elements(0, 0), elements(0, 0)),
                Amounts::OfSender => (elements(r, 0), unit),
                Amounts::Any => (unit, unit),
            };
            let sent = |to: &Vec<usize>| to.first().map_or(unsent, |&to| elements(r, to));
            let given: Vec<u64> = flow.sends[r].iter().map(sent).collect();
            let taken: Vec<u64> = flow.receives[r]
                .iter()
                .map(|from| from.map_or(unreceived, |(s, _)| elements(s, r)))
                .collect();
            let recv = Side::new(rng, which.recv_places(), receiving, &taken, true)?;
            let in_place = together
                || !which.exchanges_in_place()
                    && which.takes_in_place(r == root)
                    && rng.u32(0..4) == 0;
            let mut send = Side::new(rng, which.send_places(), sending, &given, false)?;
            let one_array = which == Which::NeighborAlltoallw && rng.u32(0..3) == 0;
            if one_array {
                send.follow(rng, &recv);
            }
            let face = Face::random(rng, 3);
            ranks.push(Rank { send, recv, in_place, one_array, large: rng.u32(0..4) == 0, face });
        }
        let lost = form == Form::Persistent && session.quirks.loses_persistent_collectives;
        Some(Plan {
            seed: rng.u64(..),
            which,
            form,
            root,
            topology,
            flow,
            ranks,
            rounds: if form == Form::Persistent && !lost { rng.u64(1..4) } else { 1 },
            how: if lost { Completion::waiting(rng) } else { Completion::random(rng) },
            ignore: rng.bool(),
        })
    }

    fn buffers(&self, rank: usize, round: u64) -> CollectiveBuffers {
        let seed = |side| mix(&[self.seed, u64::try_from(rank).expect("few"), side, round]);
        let Rank { send, recv, one_array, .. } = &self.ranks[rank];
        let sent_too = one_array.then_some(send);
        CollectiveBuffers { send: send.memory(None, seed(0)), recv: recv.memory(sent_too, seed(1)) }
    }

    /// The packed bytes of a block, before the operation.
    fn block(&self, s: usize, t: usize, r: usize, round: u64) -> Vec<u8> {
        let buffers = self.buffers(s, round);
        let rank = &self.ranks[s];
        if rank.in_place && self.which.exchanges_in_place() {
            // What was received from a rank is sent to it; allgather sends the own block.
            let at = if self.flow.sends[s].len() == 1 { s } else { r };
            return buffers.recv.gather(&rank.recv.blocks[at].places);
        }
        let array = if rank.one_array { &buffers.recv } else { &buffers.send };
        array.gather(&rank.send.blocks[t].places)
    }

    /// The content that the buffers of a rank must have, in the order of [`Plan::perform`].
    pub fn expected(&self, rank: usize) -> Vec<Memory> {
        let mut right = Vec::new();
        for round in 0..self.rounds {
            let CollectiveBuffers { send, mut recv } = self.buffers(rank, round);
            let mine = &self.ranks[rank];
            for (j, from) in self.flow.receives[rank].iter().enumerate() {
                let Some((s, t)) = *from else { continue };
                // Gather and scatter leave the root's own block where it is.
                if s == rank && mine.in_place {
                    continue;
                }
                recv.scatter(&mine.recv.blocks[j].places, &self.block(s, t, rank, round));
            }
            right.extend([send, recv]);
        }
        right
    }

    /// Makes the operation with the library alone, or as planned.
    pub fn perform(&self, session: &Session<A>, native: bool) -> Outcome {
        let mut out = Outcome::default();
        let mine = &self.ranks[session.rank];
        let face = if native { Face::Native } else { mine.face };
        let mut buffers = self.buffers(session.rank, 0);
        let call = Call::new(session, self, &mut buffers);
        let mut requests = [session.mpi.handles.request_null];
        let code = call.make(session, self, face, &mut requests[0]);
        out.succeeds("the collective", session.class(code));
        let f = session.functions(face);
        for round in 0..self.rounds {
            if round > 0 {
                let fresh = self.buffers(session.rank, round);
                buffers.send.assign(&fresh.send);
                buffers.recv.assign(&fresh.recv);
            }
            if self.form == Form::Persistent {
                // SAFETY: an inactive persistent request.
                let code = unsafe { (f.start)(&raw mut requests[0]) };
                out.fact("MPI_Start", session.class(code));
            }
            if self.form != Form::Blocking {
                complete(session, &mut out, face, self.how, &mut requests, self.ignore);
            }
            out.memory(format!("round {round}, sent"), buffers.send.clone());
            out.memory(format!("round {round}, received"), buffers.recv.clone());
        }
        if self.form == Form::Persistent {
            // SAFETY: an inactive persistent request.
            let code = unsafe { (f.request_free)(&raw mut requests[0]) };
            out.fact("MPI_Request_free", session.class(code));
        }
        out
    }

    /// Counts the calls of all ranks.
    pub fn count(&self, census: &mut Census) {
        let name = match self.form {
            Form::Blocking => self.which.name().to_owned(),
            Form::NonBlocking => non_blocking(self.which.name()),
            Form::Persistent => format!("{}_init", self.which.name()),
        };
        for rank in &self.ranks {
            census.call(rank.face, &name, rank.large);
            for _ in 0..self.rounds {
                if self.form == Form::Persistent {
                    census.call(rank.face, "Start", false);
                }
                if self.form != Form::Blocking {
                    census.call(rank.face, self.how.name(), false);
                }
            }
        }
    }

    /// For people.
    pub fn text(&self, session: &Session<A>) -> String {
        let topology = self.topology.map_or("", |t| session.topologies[t].name);
        let mut text = format!(
            "{:?} {:?} {topology}, root {}, {} rounds, completed by {:?}",
            self.form, self.which, self.root, self.rounds, self.how
        );
        for (r, rank) in self.ranks.iter().enumerate() {
            let in_place = match (rank.in_place, rank.one_array) {
                (true, _) => ", in place",
                (_, true) => ", in one array",
                _ => "",
            };
            let large = if rank.large { ", large counts" } else { "" };
            let _ = write!(
                text,
                "\n  rank {r} ({:?}{in_place}{large})\n    sends {}\n    receives {}",
                rank.face,
                rank.send.text(),
                rank.recv.text()
            );
        }
        text
    }
}

/// Types with a common signature, and the number of elements that is a multiple of all of them.
struct Types<'p, A: Abi> {
    first: &'p Specimen<A>,
    same: Vec<&'p Specimen<A>>,
    unit: u64,
}

impl<'p, A: Abi> Types<'p, A> {
    /// Types to draw from, all of one size and extent if need be.
    fn new(rng: &mut Rng, all: &[&'p Specimen<A>], alike: bool) -> Option<Self> {
        let measures = |s: &Specimen<A>| (s.layout.size(), s.layout.extent());
        let small: Vec<&Specimen<A>> =
            all.iter().copied().filter(|s| s.layout.size() <= BLOCK).collect();
        if small.is_empty() {
            return None;
        }
        let first = small[rng.usize(0..small.len())];
        let same: Vec<&Specimen<A>> = small
            .into_iter()
            .filter(|s| s.signature == first.signature)
            .filter(|s| !alike || measures(s) == measures(first))
            .collect();
        let unit = if first.signature == Signature::Empty { 0 } else { first.layout.elements() };
        Some(Types { first, same, unit })
    }

    /// A type per block, or one for all.
    fn draw(&mut self, rng: &mut Rng, places: Places, blocks: usize) -> Vec<&'p Specimen<A>> {
        if places == Places::Typed {
            return (0..blocks).map(|_| self.one(rng)).collect();
        }
        vec![self.one(rng); blocks]
    }

    fn one(&mut self, rng: &mut Rng) -> &'p Specimen<A> {
        let wanted = self.same[rng.usize(0..self.same.len())];
        if self.unit == 0 {
            return wanted;
        }
        let unit = lcm(self.unit, wanted.layout.elements());
        let element = wanted.layout.size() / wanted.layout.elements();
        if unit * element > BLOCK {
            return self.first;
        }
        self.unit = unit;
        wanted
    }
}

/// How many units go from each rank to each.
fn amounts(rng: &mut Rng, which: Which, n: usize, symmetric: bool, least: u64) -> Vec<Vec<u64>> {
    let mut one = || [0, 1, 1, 1, 2, 3][rng.usize(0..6)].max(least);
    let mut table = vec![vec![0; n]; n];
    match which.amounts() {
        Amounts::Equal => {
            let same = one();
            table.iter_mut().flatten().for_each(|amount| *amount = same);
        }
        Amounts::OfSender => {
            for row in &mut table {
                row.fill(one());
            }
        }
        Amounts::Any => {
            table.iter_mut().flatten().for_each(|amount| *amount = one());
            if symmetric {
                for s in 0..n {
                    let (before, rest) = table.split_at_mut(s);
                    for (r, row) in before.iter().enumerate() {
                        rest[0][r] = row[s];
                    }
                }
            }
        }
    }
    table
}

fn lcm(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

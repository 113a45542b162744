//! The work of each process to get what a graph makes: MPI calls for the collectives that were
//! found, messages for the rest.
//!
//! A [`Schedule`] has one [`Program`] for each process. All programs have equally many [`Phase`]s;
//! a process goes on to the next phase when it has done its part of one, and takes part in them in
//! one order. So nobody waits for a later phase of another process, and inside a phase nobody
//! waits in a circle: a collective call is one step, and messages are started as soon as what they
//! wait for is there ([`safe`] makes copies of those that could hold each other up).
//!
//! Transfers in single static form all read what memory held at the start. Phases run one after
//! the other; so a collective that reads what another one overwrites goes first, and where that is
//! impossible it reads a copy that was made at the start ([`hazards`]).

mod compile;
mod contained;
mod ends;
mod form;
mod hazards;
mod near;
mod order;
mod plain;
mod rest;
mod safe;
mod strict;
mod teams;

use serde::{Deserialize, Serialize};

pub use compile::{Compiled, Mode, Replace, ScheduleOptions, compile};
pub use teams::Seat;

pub(crate) use compile::alone_nearby;
pub(crate) use order::Completion;
pub(crate) use plain::messages_alone;
pub(crate) use safe::copy_held_sends;

use crate::detect::{Addresses, Kind};
use crate::number::at;
use crate::operation::Reduction;

/// A place in the memory of a process, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Place {
    /// An address of the program.
    Memory(u64),
    /// So far into memory of [`Program::scratch`] bytes that whoever runs the program provides.
    Scratch(u64),
}

impl Place {
    /// The place `n` bytes further on, modulo 2^64.
    #[must_use]
    pub fn plus(self, n: u64) -> Place {
        match self {
            Place::Memory(at) => Place::Memory(at.wrapping_add(n)),
            Place::Scratch(at) => Place::Scratch(at.wrapping_add(n)),
        }
    }
}

/// The jobs of one process for a graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Whose program it is.
    pub process: u32,
    /// How many processes there are.
    pub processes: u32,
    /// Bytes of memory that it needs besides that of the graph.
    pub scratch: u64,
    /// One after the other; as many as every other process has.
    pub phases: Vec<Phase>,
    /// How the processes are divided into teams, once for each number that [`Call::team`] may be.
    pub seats: Vec<Option<Seat>>,
    /// The form of buffers with gaps, in the order of their bytes in messages.
    pub layouts: Vec<Vec<Strip>>,
}

/// Bytes of a layout that follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strip {
    /// Where they are, in bytes from where the buffer starts.
    pub displacement: i64,
    /// How many.
    pub length: u64,
}

impl Program {
    /// The bytes of a layout; 0 for one that the program does not have.
    pub(crate) fn size_of(&self, layout: u32) -> u64 {
        let strips = self.layouts.get(at(layout)).into_iter().flatten();
        strips.map(|strip| strip.length).sum()
    }

    /// The jobs of a phase; none where it is a call.
    pub(crate) fn jobs(&self, phase: usize) -> &[Job] {
        match self.phases.get(phase) {
            Some(Phase::Jobs(jobs)) => jobs,
            Some(Phase::Call(_)) | None => &[],
        }
    }
}

/// A step that a process finishes before it starts the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Jobs, each as soon as those that it waits for are done. None: the process takes no part in
    /// this phase.
    Jobs(Vec<Job>),
    /// A collective call.
    Call(Box<Call>),
}

/// Something to do in a phase.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The task.
    pub task: Task,
    /// The jobs of this phase that are done before, by their places in it.
    pub after: Vec<u32>,
}

impl Job {
    pub(crate) fn new(task: Task) -> Job {
        Job { task, after: Vec::new() }
    }
}

/// The task of a job; lengths in bytes. No two messages of a phase have the same two processes and
/// tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // The fields are those of the operations of a graph.
pub enum Task {
    /// Done when `from` may be written again.
    Send { from: Place, length: u64, to: u32, tag: u32 },
    /// Done when the message is there. It has just this length.
    Receive { into: Place, length: u64, from: u32, tag: u32 },
    /// The two ranges may overlap: as if by way of a third place.
    Copy { from: Place, into: Place, length: u64 },
    /// Copies the strips of a layout to one range.
    Pack { from: Place, layout: u32, into: Place },
    /// The reverse.
    Unpack { from: Place, into: Place, layout: u32 },
    /// `into = into (operation) from`, element by element.
    Reduce { from: Place, into: Place, length: u64, reduction: Reduction },
    /// A place where dependencies meet.
    Nothing,
}

/// A collective call, as MPI has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The function.
    pub kind: Kind,
    /// Who takes part: those that sit at one table in this division of [`Program::seats`]; `None`:
    /// all.
    pub team: Option<u32>,
    /// Of a rooted one: a rank in the team.
    pub root: Option<u32>,
    /// The buffer that the process gives.
    pub send: Side,
    /// The buffer that it gets. A broadcast has one buffer: the root's is `send`, those of the
    /// others are `receive`.
    pub receive: Side,
    /// Of a reduction.
    pub reduction: Option<Reduction>,
}

/// One of the two buffers of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// It means nothing at this process.
    Nothing,
    /// `MPI_IN_PLACE`.
    InPlace,
    /// One block.
    Block {
        /// Where it starts.
        at: Place,
        /// Its form.
        shape: Shape,
    },
    /// A block for each rank.
    Row {
        /// Where that of rank 0 starts.
        at: Place,
        /// How far it is to the next, in bytes.
        step: u64,
        /// The form of each.
        shape: Shape,
    },
    /// A block for each rank, anywhere.
    Blocks {
        /// The place that `offsets` are counted from.
        at: Place,
        /// By rank, where the block starts, in bytes from `at`.
        offsets: Addresses,
        /// By rank, the bytes of a piece of the block; 0: no block.
        lengths: Addresses,
        /// The form of a block; `shape.length` is the longest.
        shape: Shape,
    },
}

impl Side {
    /// Whether the buffer starts there.
    pub(crate) fn is_at(&self, place: Place) -> bool {
        match self {
            Side::Nothing | Side::InPlace => false,
            Side::Block { at, .. } | Side::Row { at, .. } | Side::Blocks { at, .. } => *at == place,
        }
    }
}

/// The pieces of a block: pieces of one length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// How many.
    pub pieces: u32,
    /// By piece, how far from the start of the block it starts, in bytes.
    pub offsets: Addresses,
    /// How long each is, in bytes.
    pub length: u64,
}

impl Shape {
    /// One piece.
    #[must_use]
    pub fn bytes(length: u64) -> Shape {
        Shape { pieces: 1, offsets: Addresses::Affine { start: 0, step: 0 }, length }
    }

    /// Bytes of all pieces together.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.length.saturating_mul(u64::from(self.pieces))
    }
}

/// The programs of all processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// By process.
    pub programs: Vec<Program>,
}

impl Schedule {
    /// The number of phases.
    #[must_use]
    pub fn phases(&self) -> usize {
        self.programs.first().map_or(0, |program| program.phases.len())
    }

    /// The jobs of every process in one phase; none where a process has a call there.
    pub(crate) fn jobs(&self, phase: usize) -> Vec<&[Job]> {
        self.programs.iter().map(|program| program.jobs(phase)).collect()
    }

    /// Takes phases out in which nobody does anything.
    pub(crate) fn drop_empty_phases(&mut self) {
        let empty: Vec<bool> = (0..self.phases())
            .map(|phase| {
                let idle = |program: &Program| {
                    matches!(&program.phases[phase], Phase::Jobs(jobs) if jobs.is_empty())
                };
                self.programs.iter().all(idle)
            })
            .collect();
        for program in &mut self.programs {
            let mut empty = empty.iter();
            program.phases.retain(|_| empty.next() != Some(&true));
        }
    }

    /// The teams that make calls in a phase: by rank, the process and its call.
    pub(crate) fn teams(&self, phase: usize) -> Vec<Vec<(u32, &Call)>> {
        let seat = |program: &Program, call: &Call| {
            let division = call.team.and_then(|team| program.seats.get(at(team)).copied());
            division.flatten().unwrap_or(Seat { table: 0, rank: program.process })
        };
        let mut all: Vec<(Option<u32>, Seat, (u32, &Call))> = self
            .calls(phase)
            .map(|(process, call)| {
                (call.team, seat(&self.programs[at(process)], call), (process, call))
            })
            .collect();
        all.sort_by_key(|(division, seat, _)| (*division, seat.table, seat.rank));
        all.chunk_by(|a, b| (a.0, a.1.table) == (b.0, b.1.table))
            .map(|team| team.iter().map(|(_, _, member)| *member).collect())
            .collect()
    }

    /// The calls that make up the phase, with the processes that make them.
    pub(crate) fn calls(&self, phase: usize) -> impl Iterator<Item = (u32, &Call)> {
        self.programs.iter().filter_map(move |program| match program.phases.get(phase) {
            Some(Phase::Call(call)) => Some((program.process, &**call)),
            _ => None,
        })
    }
}

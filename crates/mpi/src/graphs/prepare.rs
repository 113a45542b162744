//! A program, made ready: addresses, persistent requests, datatypes and communicators.

use std::ffi::{c_int, c_void};
use std::ptr;

use commloom_commgraph::execute::Executor;
use commloom_commgraph::schedule::{Job, Phase, Place, Program, Task};

use super::GraphsError;
use super::call::{ReadyCall, handles, number_of};
use crate::abi::{Abi, RawHandle};
use crate::encode::contiguous;
use crate::error::MpiError;
use crate::mpi::Mpi;
use crate::owned::OwnedDatatype;

/// Runs programs on a communicator that nobody else uses. The memory of a graph is that of the
/// process.
#[derive(Clone, Copy)]
pub struct OnMpi<'m, A: Abi> {
    pub(super) mpi: &'m Mpi<A>,
    pub(super) comm: A::Comm,
}

impl<'m, A: Abi> Executor for OnMpi<'m, A> {
    type Source = Program;
    type Ready = ReadyProgram<'m, A>;
    type Memory<'a> = ();
    type Error = GraphsError;

    /// Collective over the communicator: teams get communicators of their own.
    fn prepare(&self, program: &Program) -> Result<ReadyProgram<'m, A>, GraphsError> {
        ReadyProgram::of(*self, program)
    }

    fn run(&self, ready: &mut ReadyProgram<'m, A>, (): ()) -> Result<(), GraphsError> {
        ready.run()
    }
}

/// Memory beside that of the graph, aligned for everything.
struct Scratch(Box<[u128]>);

impl Scratch {
    fn new(bytes: u64) -> Result<Scratch, GraphsError> {
        let limit = u64::try_from(isize::MAX).unwrap_or(u64::MAX) / 2;
        let too_large =
            GraphsError::TooLarge { what: "scratch memory in bytes", given: bytes, limit };
        let words = usize::try_from(bytes.min(limit + 1).div_ceil(16)).unwrap_or(usize::MAX);
        let mut memory = Vec::new();
        if bytes > limit || memory.try_reserve_exact(words).is_err() {
            return Err(too_large);
        }
        memory.resize(words, 0);
        Ok(Scratch(memory.into_boxed_slice()))
    }
}

/// A program, ready to run.
pub struct ReadyProgram<'m, A: Abi> {
    pub(super) mpi: &'m Mpi<A>,
    pub(super) phases: Vec<ReadyPhase<'m, A>>,
    /// Of each division of the processes, the team that this process is in.
    teams: Vec<A::Comm>,
    /// The memory that places in scratch memory point into.
    #[expect(dead_code, reason = "only pointers look at it")]
    scratch: Scratch,
}

pub(super) enum ReadyPhase<'m, A: Abi> {
    Jobs(ReadyJobs<'m, A>),
    Call(ReadyCall<'m, A>),
}

/// Jobs, with everything that a run needs.
pub(super) struct ReadyJobs<'m, A: Abi> {
    pub mpi: &'m Mpi<A>,
    pub jobs: Vec<ReadyJob<A>>,
    /// Persistent requests; those of messages between other processes than this one.
    pub requests: Vec<A::Request>,
    /// The job of each request.
    pub job_of: Vec<usize>,
    /// By job, how many jobs it waits for, and who waits for it.
    pub waits: Vec<u32>,
    pub next: Vec<Vec<u32>>,
    /// The state that changes in a run: how many each still waits for, jobs to start, and what a
    /// wait says.
    pub left: Vec<u32>,
    pub open: Vec<usize>,
    pub indices: Vec<c_int>,
    /// Datatypes of messages whose length is past a C integer.
    types: Vec<OwnedDatatype<'m, A>>,
}

pub(super) enum ReadyJob<A: Abi> {
    /// A persistent request, by its number.
    Message(usize),
    Copy {
        from: *const u8,
        into: *mut u8,
        length: usize,
    },
    /// One after the other.
    Copies(Vec<(*const u8, *mut u8, usize)>),
    Reduce {
        from: *const c_void,
        into: *mut c_void,
        count: c_int,
        element: A::Datatype,
        op: A::Op,
    },
    Nothing,
}

// SAFETY: the pointers are looked at only in `run`, for which the caller has the value alone;
// where MPI may be called from is the duty of the caller of `Mpi::new`.
unsafe impl<A: Abi> Send for ReadyProgram<'_, A> {}

impl<'m, A: Abi> ReadyProgram<'m, A> {
    fn of(on: OnMpi<'m, A>, program: &Program) -> Result<Self, GraphsError> {
        let OnMpi { mpi, comm } = on;
        let mut scratch = Scratch::new(program.scratch)?;
        let base = scratch.0.as_mut_ptr().cast::<u8>();
        let mut teams = Vec::new();
        for seat in &program.seats {
            let (color, key) = match seat {
                Some(seat) => (number("team", seat.table)?, number("rank", seat.rank)?),
                None => (A::CONSTANTS.undefined, 0),
            };
            let mut team = mpi.handles.comm_null;
            // SAFETY: the communicator is ours, `team` is writable.
            let code = unsafe { (mpi.own.comm_split)(comm, color, key, &raw mut team) };
            mpi.check("MPI_Comm_split", code)?;
            teams.push(team);
        }
        let place = |place: Place| match place {
            Place::Memory(at) => ptr::with_exposed_provenance_mut(usize::try_from(at).unwrap_or(0)),
            Place::Scratch(at) => base.wrapping_add(usize::try_from(at).unwrap_or(0)),
        };
        // From here on, drop frees what was made.
        let mut ready = ReadyProgram { mpi, phases: Vec::new(), teams, scratch };
        for phase in &program.phases {
            ready.phases.push(match phase {
                Phase::Jobs(jobs) => ReadyPhase::Jobs(ReadyJobs::of(on, program, jobs, &place)?),
                Phase::Call(call) => {
                    let team = call.team.and_then(|team| usize::try_from(team).ok());
                    let team = team.and_then(|team| ready.teams.get(team)).copied();
                    let comm = team.unwrap_or(comm);
                    ReadyPhase::Call(ReadyCall::of(mpi, comm, call, &place)?)
                }
            });
        }
        Ok(ready)
    }
}

impl<'m, A: Abi> ReadyJobs<'m, A> {
    fn of(
        on: OnMpi<'m, A>,
        program: &Program,
        jobs: &[Job],
        place: &dyn Fn(Place) -> *mut u8,
    ) -> Result<Self, GraphsError> {
        let mpi = on.mpi;
        let mut ready = ReadyJobs {
            mpi,
            jobs: Vec::with_capacity(jobs.len()),
            requests: Vec::new(),
            job_of: Vec::new(),
            waits: jobs.iter().map(|job| u32::try_from(job.after.len()).unwrap_or(0)).collect(),
            next: vec![Vec::new(); jobs.len()],
            left: vec![0; jobs.len()],
            open: Vec::with_capacity(jobs.len()),
            indices: Vec::new(),
            types: Vec::new(),
        };
        for (number, job) in (0_u32..).zip(jobs) {
            for on in &job.after {
                let next = usize::try_from(*on).ok().and_then(|on| ready.next.get_mut(on));
                let unsupported = || GraphsError::Unsupported { what: format!("job {on}") };
                next.ok_or_else(unsupported)?.push(number);
            }
            let job = match job.task {
                Task::Nothing => ReadyJob::Nothing,
                Task::Copy { from, into, length } => ReadyJob::Copy {
                    from: place(from).cast_const(),
                    into: place(into),
                    length: usize::try_from(length).unwrap_or(0),
                },
                Task::Pack { from, layout, into } => {
                    let copies = strips(program, layout).scan(place(into), |packed, strip| {
                        let (displacement, length) = strip?;
                        let here = place(from).wrapping_offset(displacement).cast_const();
                        let copy = (here, *packed, length);
                        *packed = packed.wrapping_add(length);
                        Some(copy)
                    });
                    ReadyJob::Copies(copies.collect())
                }
                Task::Unpack { from, into, layout } => {
                    let packed = place(from).cast_const();
                    let copies = strips(program, layout).scan(packed, |packed, strip| {
                        let (displacement, length) = strip?;
                        let copy = (*packed, place(into).wrapping_offset(displacement), length);
                        *packed = packed.wrapping_add(length);
                        Some(copy)
                    });
                    ReadyJob::Copies(copies.collect())
                }
                Task::Reduce { from, into, length, reduction } => {
                    let (element, op) = handles(mpi, reduction)?;
                    let count = number_of("elements", length / reduction.element.size())?;
                    let (from, into) = (place(from).cast_const().cast(), place(into).cast());
                    ReadyJob::Reduce { from, into, count, element, op }
                }
                Task::Send { from, length, to, tag } => {
                    ready.message(on, (place(from), length), (to, tag), true)?
                }
                Task::Receive { into, length, from, tag } => {
                    ready.message(on, (place(into), length), (from, tag), false)?
                }
            };
            ready.jobs.push(job);
        }
        ready.indices = vec![0; ready.requests.len()];
        Ok(ready)
    }

    fn message(
        &mut self,
        OnMpi { mpi, comm }: OnMpi<'m, A>,
        (buffer, length): (*mut u8, u64),
        (peer, tag): (u32, u32),
        sends: bool,
    ) -> Result<ReadyJob<A>, GraphsError> {
        let (count, datatype) = match c_int::try_from(length) {
            Ok(count) => (count, mpi.handles.byte),
            Err(_) => {
                let whole = contiguous(mpi, length, mpi.handles.byte)?;
                let handle = whole.handle();
                self.types.push(whole);
                (1, handle)
            }
        };
        let (peer, tag) = (number("rank", peer)?, number("tag", tag)?);
        let mut request = mpi.handles.request_null;
        // SAFETY: the program of a graph names memory that its process owns while the graph runs;
        // until the request is started, nothing is read or written.
        let (call, code) = unsafe {
            let (buffer, request) = (buffer.cast(), &raw mut request);
            match sends {
                true => (
                    "MPI_Send_init",
                    (mpi.own.send_init)(buffer, count, datatype, peer, tag, comm, request),
                ),
                false => (
                    "MPI_Recv_init",
                    (mpi.own.recv_init)(buffer, count, datatype, peer, tag, comm, request),
                ),
            }
        };
        mpi.check(call, code)?;
        self.job_of.push(self.jobs.len());
        self.requests.push(request);
        Ok(ReadyJob::Message(self.requests.len() - 1))
    }
}

impl<A: Abi> Drop for ReadyJobs<'_, A> {
    fn drop(&mut self) {
        if self.mpi.finalized().unwrap_or(true) {
            return;
        }
        for request in &mut self.requests {
            // SAFETY: a persistent request of ours, not active: runs end when all of theirs have
            // completed.
            let code = unsafe { (self.mpi.own.request_free)(request) };
            // Nobody is there to be told.
            let _ = self.mpi.check("MPI_Request_free", code);
        }
    }
}

impl<A: Abi> Drop for ReadyProgram<'_, A> {
    /// Collective where there are teams.
    fn drop(&mut self) {
        if self.mpi.finalized().unwrap_or(true) {
            return;
        }
        for team in &mut self.teams {
            if team.to_bits() != self.mpi.handles.comm_null.to_bits() {
                // SAFETY: a communicator of ours; nothing is under way on it.
                let code = unsafe { (self.mpi.own.comm_free)(team) };
                let _ = self.mpi.check("MPI_Comm_free", code);
            }
        }
    }
}

/// Displacement and length of each strip of a layout; `None` for one that lies in no memory.
fn strips(program: &Program, layout: u32) -> impl Iterator<Item = Option<(isize, usize)>> {
    let layout = usize::try_from(layout).ok().and_then(|layout| program.layouts.get(layout));
    layout.into_iter().flatten().map(|strip| {
        let displacement = isize::try_from(strip.displacement).ok()?;
        Some((displacement, usize::try_from(strip.length).ok()?))
    })
}

/// A rank or tag as a C integer.
fn number(what: &'static str, n: u32) -> Result<c_int, GraphsError> {
    number_of(what, u64::from(n))
}

/// The largest tag of a communicator.
pub(super) fn largest_tag<A: Abi>(mpi: &Mpi<A>) -> Result<u64, MpiError> {
    // MPI guarantees this much (MPI 4.1, section 9.1.2).
    Ok(mpi.tag_ub()?.and_then(|tag| u64::try_from(tag).ok()).unwrap_or(32767))
}

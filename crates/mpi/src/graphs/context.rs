//! A communicator of our own, and the graphs that were compiled on it.

use std::ffi::c_int;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex};

use commloom_commgraph::cost::{LogGp, Seconds};
use commloom_commgraph::execute::Executor;
use commloom_commgraph::schedule::{self, Phase, Program, ScheduleOptions, Task};
use commloom_commgraph::{Part, Process};
use serde::{Deserialize, Serialize};

use super::packet::{bytes, value};
use super::prepare::{ReadyProgram, largest_tag};
use super::tree::Tree;
use super::{GraphsError, OnMpi};
use crate::abi::Abi;
use crate::error::MpiError;
use crate::mpi::Mpi;

/// Compiled graphs of a communicator that are kept; the one that was not compiled again for
/// longest goes.
const KEPT: usize = 64;

/// A duplicate of a communicator of the program, on which graphs are compiled and run.
///
/// All methods but [`Context::part`] are collective. Dropping it is, too; after `MPI_Finalize`
/// that frees nothing.
pub struct Context<'m, A: Abi> {
    mpi: &'m Mpi<A>,
    comm: A::Comm,
    rank: usize,
    size: usize,
    tags: u64,
    machine: LogGp,
    /// The one compiled last is the last.
    cache: Vec<Entry<'m, A>>,
    /// How many graphs were compiled so far: the same at every rank.
    compiled: i64,
}

/// A graph that was compiled. Entries of one number belong together at all ranks.
struct Entry<'m, A: Abi> {
    number: i64,
    key: u64,
    part: Part,
    options: ScheduleOptions,
    compiled: Shared<'m, A>,
}

/// A compiled graph; the cache holds it too.
type Shared<'m, A> = Arc<Mutex<Compiled<'m, A>>>;

/// A graph, ready to run on this rank.
pub struct Compiled<'m, A: Abi> {
    on: OnMpi<'m, A>,
    ready: ReadyProgram<'m, A>,
    summary: Summary,
}

/// The outcome of compiling a graph, the same at every rank.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The calls of the schedule: MPI's names in lower case, without `MPI_`.
    pub calls: Vec<String>,
    /// The operations found, called or not.
    pub found: Vec<String>,
    /// Transfers and results that are part of nothing that was found.
    pub left: u64,
    /// Messages of the schedule.
    pub messages: u64,
    /// The time of the graph as it is, by the cost model.
    pub plain: Seconds,
    /// The time of the schedule.
    pub predicted: Seconds,
}

impl<A: Abi> Compiled<'_, A> {
    /// Runs it once. Collective, as the messages and calls in it are.
    ///
    /// # Errors
    /// As MPI; memory is then in any state.
    pub fn run(&mut self) -> Result<(), GraphsError> {
        self.on.run(&mut self.ready, ())
    }

    /// The outcome of compiling it.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}

impl<'m, A: Abi> Context<'m, A> {
    /// Duplicates a communicator; errors on the duplicate are returned, not handled by the
    /// program's handler.
    ///
    /// # Errors
    /// As MPI.
    pub fn new(mpi: &'m Mpi<A>, of: A::Comm) -> Result<Self, GraphsError> {
        if mpi.is_inter(of)? {
            return Err(GraphsError::Unsupported { what: "an intercommunicator".to_owned() });
        }
        let mut comm = mpi.handles.comm_null;
        // SAFETY: the caller of `Mpi::new` answers for the handle; `comm` is writable.
        let code = unsafe { (mpi.own.comm_dup)(of, &raw mut comm) };
        mpi.check("MPI_Comm_dup", code)?;
        // SAFETY: the communicator is ours.
        let code = unsafe { (mpi.own.comm_set_errhandler)(comm, mpi.handles.errors_return) };
        mpi.check("MPI_Comm_set_errhandler", code)?;
        let number = |n: c_int| usize::try_from(n).unwrap_or(0);
        Ok(Context {
            mpi,
            comm,
            rank: number(mpi.rank(comm)?),
            size: number(mpi.size(comm)?),
            tags: largest_tag(mpi)?,
            machine: LogGp::default(),
            cache: Vec::new(),
            compiled: 0,
        })
    }

    /// An empty part of a graph, for this rank.
    #[must_use]
    pub fn part(&self) -> Part {
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Part::new(Process(number(self.rank)), number(self.size))
    }

    /// The costs of this machine and communicator, for [`ScheduleOptions::machine`].
    #[must_use]
    pub fn machine(&self) -> LogGp {
        self.machine
    }

    /// Measures what things cost between the first and the last rank; all ranks then know it.
    ///
    /// # Errors
    /// As MPI.
    pub fn measure(&mut self) -> Result<LogGp, GraphsError> {
        self.machine = super::measure::measure(&self.tree())?.unwrap_or(self.machine);
        Ok(self.machine)
    }

    /// Compiles the graph whose parts the ranks give. If every rank gives what it gave for an
    /// earlier graph, that one comes back: one reduction of two numbers is all that costs.
    ///
    /// # Errors
    /// The same kind at every rank: what is wrong with the graph, or that it cannot be run here.
    pub fn compile(
        &mut self,
        part: &Part,
        options: ScheduleOptions,
    ) -> Result<Shared<'m, A>, GraphsError> {
        let key = key(part, &options);
        let same = |e: &Entry<'m, A>| e.key == key && e.part == *part && e.options == options;
        let known = self.cache.iter().position(same);
        let number = known.map_or(0, |known| self.cache[known].number);
        if let (Some(known), true) = (known, self.agree(number)?) {
            let entry = self.cache.remove(known);
            let compiled = Arc::clone(&entry.compiled);
            self.cache.push(entry);
            return Ok(compiled);
        }
        let compiled = Arc::new(Mutex::new(self.compile_anew(part, options)?));
        self.compiled += 1;
        if self.cache.len() == KEPT {
            self.cache.remove(0);
        }
        let number = self.compiled;
        let (part, shared) = (part.clone(), Arc::clone(&compiled));
        self.cache.push(Entry { number, key, part, options, compiled: shared });
        Ok(compiled)
    }

    fn compile_anew(
        &self,
        part: &Part,
        options: ScheduleOptions,
    ) -> Result<Compiled<'m, A>, GraphsError> {
        let tree = self.tree();
        let parts = tree.gather(bytes(part))?;
        let programs = match self.rank {
            0 => compiled(&parts, options, self.tags),
            _ => Vec::new(),
        };
        let mine = tree.scatter(programs)?;
        let answer: Answer = value(&mine, 0)?;
        let (program, summary) = answer.map_err(GraphsError::Graph)?;
        let on = OnMpi { mpi: self.mpi, comm: self.comm };
        let ready = on.prepare(&program);
        // Nobody may run what another could not prepare.
        let everywhere = self.agree(i64::from(ready.is_ok()))?;
        let ready = ready?;
        if !everywhere {
            return Err(GraphsError::Elsewhere);
        }
        Ok(Compiled { on, ready, summary })
    }

    fn tree(&self) -> Tree<'m, A> {
        Tree { mpi: self.mpi, comm: self.comm, rank: self.rank, size: self.size }
    }

    /// Whether all ranks give the same number.
    fn agree(&self, number: i64) -> Result<bool, GraphsError> {
        let mine = [number, -number];
        let mut least = [0_i64; 2];
        let missing = || GraphsError::Missing { name: "MPI_LONG_LONG_INT or MPI_MIN".to_owned() };
        let handles = &self.mpi.handles;
        let element = handles.datatype("MPI_LONG_LONG_INT").ok_or_else(missing)?;
        let op = handles.operation("MPI_MIN").ok_or_else(missing)?;
        let (from, into) = (mine.as_ptr().cast(), least.as_mut_ptr().cast());
        // SAFETY: two numbers in each buffer; the communicator is ours.
        let code = unsafe { (self.mpi.own.allreduce)(from, into, 2, element, op, self.comm) };
        self.mpi.check("MPI_Allreduce", code)?;
        Ok(least[0] == -least[1])
    }
}

impl<A: Abi> Drop for Context<'_, A> {
    fn drop(&mut self) {
        self.cache.clear();
        if !self.mpi.finalized().unwrap_or(true) {
            // SAFETY: the communicator is ours; nothing is under way on it.
            let code = unsafe { (self.mpi.own.comm_free)(&raw mut self.comm) };
            // Nobody is there to be told.
            let _: Result<(), MpiError> = self.mpi.check("MPI_Comm_free", code);
        }
    }
}

/// The answer that rank 0 sends to each rank.
type Answer = Result<(Program, Summary), String>;

/// The programs of all ranks, as bytes.
fn compiled(parts: &[Vec<u8>], options: ScheduleOptions, tags: u64) -> Vec<Vec<u8>> {
    match programs(parts, options, tags) {
        Ok((programs, summary)) => programs
            .into_iter()
            .map(|program| bytes(&Answer::Ok((program, summary.clone()))))
            .collect(),
        Err(reason) => {
            let answer = bytes(&Answer::Err(reason.to_string()));
            vec![answer; parts.len()]
        }
    }
}

fn programs(
    parts: &[Vec<u8>],
    options: ScheduleOptions,
    limit: u64,
) -> Result<(Vec<Program>, Summary), GraphsError> {
    let parts: Vec<Part> =
        parts.iter().enumerate().map(|(rank, part)| value(part, rank)).collect::<Result<_, _>>()?;
    let graph = Part::join(&parts)?;
    let compiled =
        schedule::compile(&graph, options).map_err(|e| GraphsError::Graph(e.to_string()))?;
    let detection = &compiled.analysis.detection;
    let name = |place: &usize| detection.collectives[*place].kind.name().to_owned();
    let all: Vec<usize> = (0..detection.collectives.len()).collect();
    let programs = compiled.schedule.programs;
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let jobs = programs.iter().flat_map(|program| &program.phases).flat_map(|phase| match phase {
        Phase::Jobs(jobs) => jobs.as_slice(),
        Phase::Call(_) => &[],
    });
    let tags = jobs.filter_map(|job| match job.task {
        Task::Send { tag, .. } => Some(u64::from(tag)),
        _ => None,
    });
    let (mut messages, mut largest) = (0, 0);
    tags.for_each(|tag| (messages, largest) = (messages + 1, tag.max(largest)));
    if largest > limit {
        return Err(GraphsError::TooLarge { what: "tag of a message", given: largest, limit });
    }
    let summary = Summary {
        calls: compiled.calls.iter().map(name).collect(),
        found: all.iter().map(name).collect(),
        left: count(detection.left.len() + detection.left_reduced.len()),
        messages,
        plain: compiled.plain,
        predicted: compiled.predicted,
    };
    Ok((programs, summary))
}

/// A number for the part of a graph and how it is compiled. Equal ones are compared.
fn key(part: &Part, options: &ScheduleOptions) -> u64 {
    let mut hasher = DefaultHasher::new();
    part.hash(&mut hasher);
    format!("{options:?}").hash(&mut hasher);
    hasher.finish()
}

//! The functions of the library.

#![allow(non_camel_case_types, non_snake_case)] // The names are those of the paper.

use std::ffi::{c_char, c_int, c_void};

use commloom_commgraph::part::{Memory, Step};
use commloom_commgraph::schedule::{Mode, Replace, ScheduleOptions};
use commloom_commgraph::{Address, Buffer, Bytes, Process, Tag};

use crate::error::{Failure, cDAG_Error, guarded, last};
use crate::library::host;
use crate::objects::{self, Graph, lock};

/// A graph: what one process sends, receives and computes. Its id is 0 where it could not be made.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct cDAG_graph {
    /// Its number.
    pub id: u64,
}

/// A compiled graph. Its id is 0 where it could not be made.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct cDAG_Schedule {
    /// Its number.
    pub id: u64,
}

/// An operation of a graph, or a negative error code.
pub type cDAG_Op = i64;

/// The options of `cDAG_Set`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum cDAG_Option {
    /// 0: what messages do to memory is kept (the default). 1: also for whom each process waits.
    CDAG_STRICT = 0,
    /// 0: collectives replace messages where the cost model says that it pays (the default). 1:
    /// wherever it is possible. 2: nowhere.
    CDAG_REPLACE = 1,
    /// Which part of the blocks of a scatterv, gatherv or alltoallv must be there, in per cent;
    /// 100 is the default.
    CDAG_DENSITY = 2,
    /// 1: also collective operations of some of the processes are looked for; they get
    /// communicators of their own. 0 is the default.
    CDAG_SUBSETS = 3,
}

/// An empty graph on MPI_COMM_WORLD. The first one is collective.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_CreateGraph() -> cDAG_graph {
    create(|| Ok(host()?.world()))
}

/// An empty graph on any intracommunicator. The first one on it is collective: it is duplicated
/// once.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_CreateGraphOn(communicator: usize) -> cDAG_graph {
    create(|| Ok(communicator))
}

fn create(communicator: impl FnOnce() -> Result<usize, Failure>) -> cDAG_graph {
    let work = || {
        let context = host()?.context(communicator()?)?;
        let communicator = objects::context(context)?;
        let part = lock(&communicator).part();
        let graph = Graph { context, part, options: ScheduleOptions::default() };
        Ok(cDAG_graph { id: objects::add_graph(graph) })
    };
    guarded(work, |_| cDAG_graph { id: 0 })
}

/// This process sends `size` bytes to another (or to itself). Messages of two processes match in
/// the order in which they are added. It does not communicate: cDAG_Run does.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Send(
    graph: cDAG_graph,
    buffer: *const c_void,
    size: usize,
    destination: c_int,
) -> cDAG_Op {
    add(graph, || send(range(buffer, size)?, destination, 0))
}

/// This process receives up to `size` bytes from another (or from itself).
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Recv(
    graph: cDAG_graph,
    buffer: *mut c_void,
    size: usize,
    source: c_int,
) -> cDAG_Op {
    add(graph, || receive(range(buffer, size)?, source, 0))
}

/// As cDAG_Send, of elements of an MPI datatype, and with a tag: only messages of one tag match.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_SendType(
    graph: cDAG_graph,
    buffer: *const c_void,
    count: i64,
    datatype: usize,
    destination: c_int,
    tag: c_int,
) -> cDAG_Op {
    add(graph, || send(typed(buffer, count, datatype)?, destination, tag))
}

/// As cDAG_Recv, of elements of an MPI datatype, and with a tag.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_RecvType(
    graph: cDAG_graph,
    buffer: *mut c_void,
    count: i64,
    datatype: usize,
    source: c_int,
    tag: c_int,
) -> cDAG_Op {
    add(graph, || receive(typed(buffer, count, datatype)?, source, tag))
}

/// This process copies `size` bytes; the two ranges do not overlap.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Copy(
    graph: cDAG_graph,
    from: *const c_void,
    into: *mut c_void,
    size: usize,
) -> cDAG_Op {
    add(graph, || Ok(Step::Copy { from: range(from, size)?, into: range(into, size)? }))
}

/// This process computes `into = into (operation) from` for `count` elements of a predefined
/// datatype, with a predefined operation. Such operations are taken to be associative and
/// commutative: sums of floating-point numbers may come out in another order.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Reduce(
    graph: cDAG_graph,
    from: *const c_void,
    into: *mut c_void,
    count: i64,
    datatype: usize,
    operation: usize,
) -> cDAG_Op {
    let step = || {
        let reduction = host()?.reduction(datatype, operation)?;
        let size = reduction.element.size().checked_mul(natural("count", count)?);
        let size = size.and_then(|size| usize::try_from(size).ok());
        let size = size.ok_or_else(|| argument(format!("{count} elements are too many")))?;
        Ok(Step::Reduce { from: range(from, size)?, into: range(into, size)?, reduction })
    };
    add(graph, step)
}

/// An operation that does nothing: a place where dependencies meet.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Nothing(graph: cDAG_graph) -> cDAG_Op {
    add(graph, || Ok(Step::Nothing))
}

/// `operation` starts when `before` is done. Operations on overlapping buffers of one process
/// depend on each other without being told, in the order in which they are added.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Depend(graph: cDAG_graph, operation: cDAG_Op, before: cDAG_Op) -> c_int {
    let place = |op: cDAG_Op| {
        u32::try_from(op).map_err(|_| argument(format!("{op} is no operation of a graph")))
    };
    done(|| {
        let (of, on) = (place(operation)?, place(before)?);
        objects::with_graph(graph.id, |graph| Ok(graph.part.depend(of, on)?))
    })
}

/// Nobody reads these bytes of this process after the graph has run: scratch memory. Say so where
/// you can: what ends up there else counts as a result.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Dead(graph: cDAG_graph, start: *const c_void, size: usize) -> c_int {
    done(|| {
        let (start, size) = (Address(address(start)), Bytes(wide(size)));
        objects::with_graph(graph.id, |graph| Ok(graph.part.dead(start, size)?))
    })
}

/// Sets an option of a graph, to the same at every process.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Set(graph: cDAG_graph, option: c_int, value: c_int) -> c_int {
    done(|| {
        objects::with_graph(graph.id, |graph| {
            let options = &mut graph.options;
            let unknown = || argument(format!("option {option} has no value {value}"));
            match (option, value) {
                (0, 0) => options.mode = Mode::Data,
                (0, 1) => options.mode = Mode::Strict,
                (1, 0) => options.replace = Replace::IfCheaper,
                (1, 1) => options.replace = Replace::Always,
                (1, 2) => options.replace = Replace::Never,
                (2, 0..=100) => options.detection.density = f64::from(value) / 100.0,
                (3, 0 | 1) => options.detection.subsets = value == 1,
                _ => return Err(unknown()),
            }
            Ok(())
        })
    })
}

/// Measures what messages cost on a communicator, for the cost model of the graphs that are
/// compiled on it later. Collective; takes some milliseconds.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Measure(communicator: usize) -> c_int {
    done(|| {
        let context = objects::context(host()?.context(communicator)?)?;
        lock(&context).measure()
    })
}

/// Compiles a graph: finds the collective operations in it. Collective over its communicator;
/// options must be the same everywhere. A graph that was compiled before comes back at once. The
/// graph may be freed, or compiled again with more operations.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_CompileGraph(graph: cDAG_graph) -> cDAG_Schedule {
    let work = || {
        let (context, part, options) = objects::with_graph(graph.id, |graph| {
            Ok((graph.context, graph.part.clone(), graph.options))
        })?;
        host()?;
        let communicator = objects::context(context)?;
        let mut communicator = lock(&communicator);
        let options = ScheduleOptions { machine: communicator.machine(), ..options };
        let schedule = communicator.compile(&part, options)?;
        Ok(cDAG_Schedule { id: objects::add_schedule(objects::Compiled { context, schedule }) })
    };
    guarded(work, |_| cDAG_Schedule { id: 0 })
}

/// Runs a schedule: when it is back, this process has what it gets, and may write what it gives.
/// Collective, and any number of times. After an error of MPI, memory is in any state.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Run(schedule: cDAG_Schedule) -> c_int {
    done(|| {
        let compiled = objects::schedule(schedule.id)?;
        host()?;
        objects::context(compiled.context)?;
        lock(&compiled.schedule).run()
    })
}

/// Writes what a schedule does, as text that ends with a zero byte, to `text`, of which at most
/// `size` bytes. Back comes the number of bytes of the whole text, without the zero.
///
/// # Safety
/// `size` bytes can be written at `text`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cDAG_Describe(
    schedule: cDAG_Schedule,
    text: *mut c_char,
    size: usize,
) -> i64 {
    let work = || {
        let compiled = objects::schedule(schedule.id)?;
        let schedule = lock(&compiled.schedule);
        let summary = schedule.summary();
        let calls = match summary.calls.is_empty() {
            true => "no calls".to_owned(),
            false => summary.calls.join(" "),
        };
        let found = match summary.found.is_empty() {
            true => "nothing".to_owned(),
            false => summary.found.join(" "),
        };
        Ok(format!(
            "calls: {calls}; messages: {}; found: {found}; left: {}; predicted: {} instead of {}",
            summary.messages, summary.left, summary.predicted, summary.plain
        ))
    };
    let write = |line: String| {
        if size > 0 && !text.is_null() {
            let length = line.len().min(size - 1);
            // SAFETY: `size` bytes can be written there, the caller says; `length` and a zero are
            // no more.
            unsafe {
                std::ptr::copy_nonoverlapping(line.as_ptr().cast(), text, length);
                *text.add(length) = 0;
            }
        }
        i64::try_from(line.len()).unwrap_or(i64::MAX)
    };
    guarded(|| work().map(write), i64::from)
}

/// Frees a graph. Its schedules stay.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_Free(graph: cDAG_graph) -> c_int {
    done(|| objects::drop_graph(graph.id))
}

/// Frees a schedule. What it was compiled to is kept with the communicator, for the next graph
/// that is the same.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_FreeSchedule(schedule: cDAG_Schedule) -> c_int {
    done(|| objects::drop_schedule(schedule.id))
}

/// Why the last function that failed in this thread did. The text stays until the next one fails.
#[unsafe(no_mangle)]
pub extern "C" fn cDAG_LastError() -> *const c_char {
    last()
}

// What they have in common ----------------------------------------------------------------------

fn done(work: impl FnOnce() -> Result<(), Failure>) -> c_int {
    guarded(|| work().map(|()| cDAG_Error::CDAG_OK as c_int), |code| code)
}

fn add(graph: cDAG_graph, step: impl FnOnce() -> Result<Step, Failure>) -> cDAG_Op {
    let work = || {
        // MPI may be asked for it: not under a lock.
        let step = step()?;
        objects::with_graph(graph.id, |graph| Ok(i64::from(graph.part.add(step)?)))
    };
    guarded(work, i64::from)
}

fn send(from: Memory, destination: c_int, tag: c_int) -> Result<Step, Failure> {
    Ok(Step::Send { from, to: process(destination)?, tag: Tag(tag) })
}

fn receive(into: Memory, source: c_int, tag: c_int) -> Result<Step, Failure> {
    Ok(Step::Receive { into, from: process(source)?, tag: Tag(tag) })
}

fn process(rank: c_int) -> Result<Process, Failure> {
    u32::try_from(rank).map(Process).map_err(|_| argument(format!("{rank} is no rank")))
}

fn range(buffer: *const c_void, size: usize) -> Result<Memory, Failure> {
    if buffer.is_null() && size > 0 {
        return Err(argument(format!("{size} bytes at a null pointer")));
    }
    Ok(Memory(Buffer::Range(Address(address(buffer)), Bytes(wide(size)))))
}

fn typed(buffer: *const c_void, count: i64, datatype: usize) -> Result<Memory, Failure> {
    let (count, ty) = (natural("count", count)?, host()?.layout(datatype)?);
    Ok(Memory(Buffer::Typed { at: Address(address(buffer)), count, ty }))
}

/// The address of memory that a schedule will touch.
fn address(buffer: *const c_void) -> u64 {
    wide(buffer.expose_provenance())
}

fn wide(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

fn natural(what: &str, n: i64) -> Result<u64, Failure> {
    u64::try_from(n).map_err(|_| argument(format!("{what} is {n}: it must not be negative")))
}

fn argument(text: String) -> Failure {
    Failure::new(cDAG_Error::CDAG_ERR_ARGUMENT, text)
}

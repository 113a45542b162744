//! Graphs, schedules and communicators, by number. Numbers are never given twice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use commloom_commgraph::part::Part;
use commloom_commgraph::schedule::ScheduleOptions;

use crate::error::{Failure, cDAG_Error};
use crate::host::{Compiles, Schedule};

/// A graph that is being built.
#[derive(Debug)]
pub(crate) struct Graph {
    pub context: u64,
    pub part: Part,
    pub options: ScheduleOptions,
}

/// A communicator's context. It is locked while MPI is called for it: a communicator belongs to
/// one thread at a time.
pub(crate) type Communicator = Arc<Mutex<Box<dyn Compiles>>>;

/// A schedule, and the context that it was compiled on.
#[derive(Clone)]
pub(crate) struct Compiled {
    pub context: u64,
    pub schedule: Schedule,
}

#[derive(Default)]
struct Objects {
    last: u64,
    graphs: HashMap<u64, Graph>,
    schedules: HashMap<u64, Compiled>,
    contexts: HashMap<u64, Communicator>,
}

static OBJECTS: Mutex<Option<Objects>> = Mutex::new(None);

/// Locked for the moment: never while MPI is called.
fn with<T>(work: impl FnOnce(&mut Objects) -> T) -> T {
    let mut objects = lock(&OBJECTS);
    work(objects.get_or_insert_default())
}

/// A panic of another thread leaves no object half changed.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Objects {
    fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

fn unknown(what: &str, number: u64) -> Failure {
    let text = format!("there is no {what} {number}: it was never made, or has been freed");
    Failure::new(cDAG_Error::CDAG_ERR_HANDLE, text)
}

pub(crate) fn add_context(context: Box<dyn Compiles>) -> u64 {
    with(|objects| {
        let number = objects.next();
        objects.contexts.insert(number, Arc::new(Mutex::new(context)));
        number
    })
}

/// Forgets a context. `leak`: without freeing what belongs to it.
pub(crate) fn drop_context(number: u64, leak: bool) {
    let context = with(|objects| objects.contexts.remove(&number));
    if leak {
        std::mem::forget(context);
    }
}

pub(crate) fn context(number: u64) -> Result<Communicator, Failure> {
    let known = with(|objects| objects.contexts.get(&number).cloned());
    known.ok_or_else(|| {
        let text = "the communicator of the graph has been freed";
        Failure::new(cDAG_Error::CDAG_ERR_HANDLE, text)
    })
}

pub(crate) fn add_graph(graph: Graph) -> u64 {
    with(|objects| {
        let number = objects.next();
        objects.graphs.insert(number, graph);
        number
    })
}

pub(crate) fn with_graph<T>(
    number: u64,
    work: impl FnOnce(&mut Graph) -> Result<T, Failure>,
) -> Result<T, Failure> {
    with(|objects| match objects.graphs.get_mut(&number) {
        Some(graph) => work(graph),
        None => Err(unknown("graph", number)),
    })
}

pub(crate) fn drop_graph(number: u64) -> Result<(), Failure> {
    let graph = with(|objects| objects.graphs.remove(&number));
    graph.map(drop).ok_or_else(|| unknown("graph", number))
}

pub(crate) fn add_schedule(compiled: Compiled) -> u64 {
    with(|objects| {
        let number = objects.next();
        objects.schedules.insert(number, compiled);
        number
    })
}

pub(crate) fn schedule(number: u64) -> Result<Compiled, Failure> {
    let known = with(|objects| objects.schedules.get(&number).cloned());
    known.ok_or_else(|| unknown("schedule", number))
}

pub(crate) fn drop_schedule(number: u64) -> Result<(), Failure> {
    let schedule = with(|objects| objects.schedules.remove(&number));
    schedule.map(drop).ok_or_else(|| unknown("schedule", number))
}

//! The operations of one process, before they are joined with those of the others.

use serde::{Deserialize, Serialize};

use crate::builder::{Builder, Dependencies, Handle};
use crate::error::BuildError;
use crate::graph::Graph;
use crate::ids::{Address, Bytes, Process};
use crate::number::{at, id};
use crate::operation::Action;

/// What one process adds to a graph. Plain data: to be sent, hashed and compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    process: u32,
    processes: u32,
    operations: Vec<Action>,
    /// Dependent operation, and what it waits for.
    edges: Vec<(u32, u32)>,
    dead: Vec<(Address, Bytes)>,
}

impl Part {
    /// A part without operations.
    #[must_use]
    pub fn new(process: Process, processes: u32) -> Part {
        Part {
            process: process.0,
            processes,
            operations: Vec::new(),
            edges: Vec::new(),
            dead: Vec::new(),
        }
    }

    /// The number of operations.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.operations.len()
    }

    /// Adds an operation; back comes its place among those of the process.
    ///
    /// # Errors
    /// As the calls of [`Builder`].
    pub fn add(&mut self, action: Action) -> Result<u32, BuildError> {
        // What a builder refuses is refused here, where the process can be told.
        insert(&mut Builder::new(self.processes, Dependencies::Explicit), self.process(), action)?;
        self.operations.push(action);
        Ok(id(self.operations.len() - 1))
    }

    /// `of` starts when `on` has completed.
    ///
    /// # Errors
    /// [`BuildError::Unknown`] where there is no such operation.
    pub fn depend(&mut self, of: u32, on: u32) -> Result<(), BuildError> {
        let operations = self.operations.len();
        match [of, on].into_iter().find(|given| at(*given) >= operations) {
            Some(given) => Err(BuildError::Unknown { given, operations }),
            None => {
                self.edges.push((of, on));
                Ok(())
            }
        }
    }

    /// Nobody reads these bytes after the graph has run.
    ///
    /// # Errors
    /// [`BuildError::Wraps`].
    pub fn dead(&mut self, start: Address, length: Bytes) -> Result<(), BuildError> {
        let mut builder = Builder::new(self.processes, Dependencies::Explicit);
        builder.dead(self.process(), start, length)?;
        self.dead.push((start, length));
        Ok(())
    }

    /// The graph of the parts of all processes, in their order, with automatic dependencies.
    ///
    /// # Errors
    /// [`BuildError`], also where the parts are not those of processes 0, 1, ...
    pub fn join(parts: &[Part]) -> Result<Graph, BuildError> {
        let processes = id(parts.len());
        let mut builder = Builder::new(processes, Dependencies::Automatic);
        for (process, part) in (0..).zip(parts) {
            if (part.process, part.processes) != (process, processes) {
                return Err(BuildError::Process { given: Process(part.process), processes });
            }
            let handles: Vec<Handle> = part
                .operations
                .iter()
                .map(|action| insert(&mut builder, Process(process), *action))
                .collect::<Result<_, _>>()?;
            for (of, on) in &part.edges {
                let handle = |place: &u32| {
                    let unknown = BuildError::Unknown { given: *place, operations: handles.len() };
                    handles.get(at(*place)).copied().ok_or(unknown)
                };
                builder.depend(handle(of)?, handle(on)?)?;
            }
            for (start, length) in &part.dead {
                builder.dead(Process(process), *start, *length)?;
            }
        }
        builder.finish()
    }

    fn process(&self) -> Process {
        Process(self.process)
    }
}

fn insert(builder: &mut Builder, process: Process, action: Action) -> Result<Handle, BuildError> {
    match action {
        Action::Send { at, length, to, tag, communicator } => {
            builder.send(process, (at, length), to, tag, communicator)
        }
        Action::Receive { at, length, from, tag, communicator } => {
            builder.receive(process, (at, length), from, tag, communicator)
        }
        Action::Copy { from, to, length } => builder.copy(process, from, to, length),
        Action::Reduce { from, into, length, reduction } => {
            builder.reduce(process, from, into, length, reduction)
        }
        Action::Nothing => builder.nothing(process),
    }
}

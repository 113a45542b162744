//! The operations of one process, before they are joined with those of the others.

use std::str::FromStr;

use commloom_layout::Type;
use serde::{Deserialize, Serialize};

use crate::buffer::Buffer;
use crate::builder::{Builder, Dependencies, Handle};
use crate::error::BuildError;
use crate::graph::Graph;
use crate::ids::{Address, Bytes, Communicator, Process, Tag};
use crate::number::{at, id};
use crate::operation::Reduction;

/// An operation, with its buffers. As those of [`Builder`].
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // The fields are those of the calls of `Builder`.
pub enum Step {
    Send { from: Memory, to: Process, tag: Tag },
    Receive { into: Memory, from: Process, tag: Tag },
    Copy { from: Memory, into: Memory },
    Reduce { from: Memory, into: Memory, reduction: Reduction },
    Nothing,
}

/// A buffer that can be sent to another process.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Wire", try_from = "Wire")]
pub struct Memory(pub Buffer);

/// A buffer as it is sent: a type in the text notation.
#[derive(Clone, Serialize, Deserialize)]
enum Wire {
    Range(u64, u64),
    Typed(u64, u64, String),
}

impl From<Memory> for Wire {
    fn from(Memory(buffer): Memory) -> Wire {
        match buffer {
            Buffer::Range(at, length) => Wire::Range(at.0, length.0),
            Buffer::Typed { at, count, ty } => Wire::Typed(at.0, count, ty.to_string()),
        }
    }
}

impl TryFrom<Wire> for Memory {
    type Error = String;

    fn try_from(wire: Wire) -> Result<Memory, String> {
        Ok(Memory(match wire {
            Wire::Range(at, length) => Buffer::Range(Address(at), Bytes(length)),
            Wire::Typed(at, count, ty) => {
                let ty = Type::from_str(&ty).map_err(|e| e.to_string())?;
                Buffer::Typed { at: Address(at), count, ty }
            }
        }))
    }
}

/// The operations that one process adds to a graph. Plain data: to be sent, hashed and compared.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    process: u32,
    processes: u32,
    operations: Vec<Step>,
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
    pub fn add(&mut self, step: Step) -> Result<u32, BuildError> {
        // What a builder refuses is refused here, where the process can be told.
        insert(&mut Builder::new(self.processes, Dependencies::Explicit), self.process(), &step)?;
        self.operations.push(step);
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
                .map(|step| insert(&mut builder, Process(process), step))
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

fn insert(builder: &mut Builder, process: Process, step: &Step) -> Result<Handle, BuildError> {
    let zero = Communicator(0);
    match step {
        Step::Send { from, to, tag } => builder.send(process, from.0.clone(), *to, *tag, zero),
        Step::Receive { into, from, tag } => {
            builder.receive(process, into.0.clone(), *from, *tag, zero)
        }
        Step::Copy { from, into } => builder.copy_buffer(process, from.0.clone(), into.0.clone()),
        Step::Reduce { from, into, reduction } => {
            builder.reduce_buffer(process, from.0.clone(), into.0.clone(), *reduction)
        }
        Step::Nothing => builder.nothing(process),
    }
}

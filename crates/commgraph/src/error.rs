//! Why a graph cannot be built, or has no meaning. Every error names the operations.

use std::fmt;

use commloom_layout::LayoutError;
use thiserror::Error;

use crate::ids::{Address, Bytes, Communicator, LayoutId, Process, Tag};
use crate::operation::Action;

/// An operation as messages name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// Whose operation it is.
    pub process: Process,
    /// Its place among the operations of that process, in the order of creation, from 0.
    pub index: u32,
    /// Its action.
    pub action: Action,
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Named { process, index, action } = self;
        write!(f, "operation {index} of process {process} (")?;
        match action {
            Action::Send { at, length, layout, to, tag, communicator } => {
                let (typed, envelope) = (typed(*layout), envelope(*tag, *communicator));
                write!(f, "send {length} bytes at {at}{typed} to {to}, {envelope}")
            }
            Action::Receive { at, length, layout, from, tag, communicator } => {
                let (typed, envelope) = (typed(*layout), envelope(*tag, *communicator));
                write!(f, "receive {length} bytes at {at}{typed} from {from}, {envelope}")
            }
            Action::Copy { from, to, length, layouts } => {
                let (a, b) = (typed(layouts.from), typed(layouts.into));
                write!(f, "copy {length} bytes from {from}{a} to {to}{b}")
            }
            Action::Reduce { from, into, length, layouts, reduction } => {
                let element = reduction.element.name();
                let (a, b) = (typed(layouts.from), typed(layouts.into));
                write!(f, "reduce {length} bytes of {element} from {from}{a} into {into}{b}")
            }
            Action::Nothing => f.write_str("nothing"),
        }?;
        f.write_str(")")
    }
}

fn typed(layout: Option<LayoutId>) -> &'static str {
    if layout.is_some() { " (in pieces)" } else { "" }
}

fn envelope(tag: Tag, communicator: Communicator) -> String {
    match communicator {
        Communicator(0) => format!("tag {tag}"),
        other => format!("tag {tag}, communicator {other}"),
    }
}

/// Why an operation cannot be part of a graph.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A process that the graph does not have.
    #[error("process {given} does not exist: the graph has {processes}")]
    Process {
        /// The process named.
        given: Process,
        /// How many there are.
        processes: u32,
    },
    /// A buffer that ends past the last address.
    #[error("{length} bytes at {at} end past the last address of 64 bits")]
    Wraps {
        /// Where it starts.
        at: Address,
        /// How long it is.
        length: Bytes,
    },
    /// Source and destination of a copy or reduction overlap.
    #[error("the {length} bytes at {from} and at {to} overlap")]
    Overlap {
        /// Start of the source.
        from: Address,
        /// Start of the destination.
        to: Address,
        /// Length of both.
        length: Bytes,
    },
    /// Buffers of a copy or reduction with different numbers of bytes.
    #[error("a source of {from} bytes and a destination of {into}")]
    Lengths {
        /// Bytes of the source.
        from: Bytes,
        /// Bytes of the destination.
        into: Bytes,
    },
    /// A buffer that is written, with a layout in which a byte is there twice.
    #[error("the layout of the {length} bytes at {at} has a byte twice, and cannot be written")]
    Twice {
        /// Where its origin is.
        at: Address,
        /// The bytes of a message with it.
        length: Bytes,
    },
    /// Elements of a type that do not fit into 64 bits together.
    #[error("{0}")]
    Layout(#[from] LayoutError),
    /// A reduction of a part of an element.
    #[error("{length} bytes are no whole number of elements of {element} bytes")]
    Element {
        /// Length of the buffers.
        length: Bytes,
        /// Size of an element.
        element: u64,
    },
    /// An operation handle of another graph.
    #[error("operation handle {given} does not exist: the graph has {operations} operations")]
    Unknown {
        /// The handle.
        given: u32,
        /// How many operations there are so far.
        operations: usize,
    },
    /// A dependency between operations of two processes.
    #[error(
        "an operation of process {of} cannot depend on one of process {on}: dependencies are local"
    )]
    Across {
        /// The dependent operation's process.
        of: Process,
        /// The other's process.
        on: Process,
    },
    /// More of something than the graph can number.
    #[error("{given} {what}: at most {limit} can be numbered")]
    TooMany {
        /// The name of the numbers that are too many.
        what: &'static str,
        /// How many there would be.
        given: u64,
        /// How many there may be.
        limit: u64,
    },
}

/// Why a graph has no meaning: no run of it ends, or runs differ.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// A message without its other side.
    #[error(
        "{operation} has no partner: of its kind there are {sends} sends and {receives} receives"
    )]
    Unmatched {
        /// The first operation without a partner.
        operation: Named,
        /// Sends with its processes, communicator and tag.
        sends: u32,
        /// Receives with its processes, communicator and tag.
        receives: u32,
    },
    /// A message that is longer than the buffer that receives it.
    #[error("message truncated: {receive} has no room for {send}")]
    Truncated {
        /// The longer one.
        send: Box<Named>,
        /// The shorter one.
        receive: Box<Named>,
    },
    /// Operations that wait for each other.
    #[error("deadlock: {}", Circle(.operations))]
    Cycle {
        /// Each waits for the next, the last for the first.
        operations: Vec<Named>,
    },
    /// Two accesses to the same bytes, one of them a write, in no order.
    #[error("data race on {length} bytes at {at}: nothing orders {first} and {second}")]
    Race {
        /// One of them.
        first: Box<Named>,
        /// The other.
        second: Box<Named>,
        /// Where both are.
        at: Address,
        /// How many bytes both touch from there on.
        length: Bytes,
    },
    /// The addresses of a transfer would be more than the analysis can number.
    #[error("{what}: {given}, at most {limit}")]
    TooLarge {
        /// The name of the numbers that are too many.
        what: &'static str,
        /// How much there is.
        given: u64,
        /// How much there may be.
        limit: u64,
    },
}

impl GraphError {
    /// The operations that the error names.
    #[must_use]
    pub fn operations(&self) -> Vec<Named> {
        match self {
            GraphError::Unmatched { operation, .. } => vec![*operation],
            GraphError::Truncated { send, receive } => vec![**send, **receive],
            GraphError::Cycle { operations } => operations.clone(),
            GraphError::Race { first, second, .. } => vec![**first, **second],
            GraphError::TooLarge { .. } => Vec::new(),
        }
    }
}

struct Circle<'a>(&'a [Named]);

impl fmt::Display for Circle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Enough to see what happens; the error value has all of them.
        const SHOWN: usize = 8;
        for operation in self.0.iter().take(SHOWN) {
            write!(f, "{operation} waits for ")?;
        }
        match self.0.len().checked_sub(SHOWN) {
            None | Some(0) => f.write_str("the first one"),
            Some(more) => write!(f, "{more} more operations and, through them, the first one"),
        }
    }
}

/// Refuses more of something than there may be.
pub(crate) fn limit(what: &'static str, given: u64, limit: u64) -> Result<(), BuildError> {
    if given <= limit { Ok(()) } else { Err(BuildError::TooMany { what, given, limit }) }
}

//! The parts of a recorded program: events, messages, and what is wrong with them.

use std::collections::HashSet;
use std::sync::Arc;

use commloom_trace::{Action, Site, Trace};
use thiserror::Error;

use crate::error::BuildError;
use crate::number::at;

/// An event of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Rank in the world.
    pub process: u32,
    /// Its number in the trace.
    pub event: u64,
}

/// A message that was sent and has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its send.
    pub send: Place,
    /// Where the receive was posted.
    pub receive: Place,
    /// Where the program knew that it had come.
    pub arrival: Place,
    /// Bytes of data.
    pub bytes: u64,
    /// Who sent it.
    pub sender: Option<Arc<Site>>,
    /// Who received it.
    pub receiver: Option<Arc<Site>>,
}

/// By process, the message of each operation.
pub(super) type MessageNumbers = Vec<Vec<Option<u32>>>;

/// Something in the traces that does not go together. The rest is analysed without it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Oddity {
    /// A message without its other end.
    #[error("{count} messages from process {from} to process {to} have no {missing} in the traces")]
    Unmatched {
        /// Who sent them.
        from: u32,
        /// Who received them.
        to: u32,
        /// `send` or `receive`.
        missing: &'static str,
        /// How many.
        count: u64,
    },
    /// Both ends of a message were recorded with other bytes.
    #[error(
        "event {} of process {} and event {} of process {} should be one message, but their bytes \
         differ",
        send.event, send.process, receive.event, receive.process
    )]
    Differs {
        /// Its send.
        send: Place,
        /// Its receive.
        receive: Place,
    },
    /// Messages that are sent in one part and received in another.
    #[error("{count} messages cross the borders of phases and were left out")]
    Crossing {
        /// How many.
        count: u64,
    },
}

/// Why traces are not analysed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RecordError {
    /// Not all processes are there.
    #[error("the program had {ranks} processes, but there is no trace of process {missing}")]
    Missing {
        /// In the world.
        ranks: u32,
        /// The first one.
        missing: u32,
    },
    /// A process is there twice, or one that cannot be.
    #[error("two traces are of process {rank}, or the program has only {ranks} processes")]
    Twice {
        /// Which.
        rank: u32,
        /// In the world of the first trace.
        ranks: u32,
    },
    /// Memory where versions of other memory would be.
    #[error(
        "process {process} has a buffer up to address {past:#x}; only those below 2^48 are analysed"
    )]
    Far {
        /// Which process.
        process: u32,
        /// The end of the buffer.
        past: u64,
    },
    /// A graph cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// The action of an event; `None` where it was lost.
pub(super) fn action(traces: &[&Trace], place: Place) -> Option<Action> {
    traces.get(at(place.process))?.events.action(place.event)
}

/// And where in the program, if that is known.
pub(super) fn site<'t>(traces: &[&'t Trace], place: Place) -> Option<&'t Arc<Site>> {
    traces.get(at(place.process))?.events.site(place.event)
}

/// The communicators of three processes that have messages.
pub(super) fn trios(traces: &[&Trace], messages: &[Message]) -> HashSet<[u32; 3]> {
    let of = |message: &Message| match action(traces, message.send)? {
        Action::Send { communicator, .. } => communicator.members.as_slice().try_into().ok(),
        _ => None,
    };
    messages.iter().filter_map(of).collect()
}

//! The recorded events.

use std::sync::Arc;

/// Where in the program a call was made: a return address.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site {
    /// The file that was mapped there.
    pub module: String,
    /// Bytes from where that file begins in memory.
    pub offset: u64,
}

/// In place of the rank in the world of a process that is not in this world, as those that
/// `MPI_Comm_spawn` starts.
pub const NO_RANK: u32 = u32::MAX;

/// The processes of a communicator.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Communicator {
    /// 0 for the world. All members have the same number for the same communicator, unless it is
    /// [private](Communicator::is_private). Different communicators have different ones, but for a
    /// chance of 2^-63.
    pub number: u64,
    /// Ranks in the world, by rank in the communicator.
    pub members: Vec<u32>,
    /// The other group, where it is an intercommunicator; else empty.
    pub remote: Vec<u32>,
}

impl Communicator {
    /// Set in numbers that only this process knows: nothing says how the communicator was made
    /// (`MPI_Comm_spawn`).
    pub const PRIVATE: u64 = 1 << 63;

    /// Whether the number means nothing to the other members.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.number & Communicator::PRIVATE != 0
    }
}

/// Memory of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    /// Where it begins.
    pub address: u64,
    /// Elements.
    pub count: u64,
    /// The layout of an element, in commloom's notation; empty where it is not known.
    pub layout: Arc<str>,
    /// Bytes of data.
    pub bytes: u64,
}

/// How a message is sent (MPI 4.1, section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The names are MPI's.
pub enum Mode {
    Standard,
    Buffered,
    Synchronous,
    Ready,
}

/// Bytes of a buffer that an earlier event knew, and that were not changed since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    /// Where they are among the bytes of the buffer.
    pub at: u64,
    /// How many.
    pub length: u64,
    /// The number of the event that brought them ([`Action::Received`], [`Action::Summed`]), or
    /// that has sent them from the same memory before ([`Action::Send`]).
    pub receive: u64,
    /// Where they were among the bytes of that event.
    pub from: u64,
}

/// All elements of a sent buffer are the sum, bit by bit, of what this process had there before
/// and of what it received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sum {
    /// The basic type of the elements, by its MPI name.
    pub element: Arc<str>,
    /// The number of the event [`Action::Received`].
    pub receive: u64,
    /// The number of the event [`Action::Send`] that sent what was there before.
    pub before: u64,
}

/// How two values become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // The names are MPI's.
pub enum Operator {
    Sum,
    Product,
    Min,
    Max,
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 4] = [Operator::Sum, Operator::Product, Operator::Min, Operator::Max];

    /// The name of the operation in MPI.
    #[must_use]
    pub fn mpi_name(self) -> &'static str {
        match self {
            Operator::Sum => "MPI_SUM",
            Operator::Product => "MPI_PROD",
            Operator::Min => "MPI_MIN",
            Operator::Max => "MPI_MAX",
        }
    }
}

/// The program has combined a message that has come with something that it had itself, element by
/// element. The recorder saw both and the result, which is equal bit by bit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summed {
    /// How two elements became one.
    pub operator: Operator,
    /// The basic type of the elements, by its MPI name.
    pub element: Arc<str>,
    /// The number of the event [`Action::Received`] that brought one operand.
    pub receive: u64,
    /// The number of the event ([`Action::Send`], [`Action::Summed`]) that had the other operand;
    /// `None` where that lay in `buffer`.
    pub other: Option<u64>,
    /// Where the result is.
    pub buffer: Buffer,
    /// Of the bytes of the other operand.
    pub before: u64,
    /// Which of its bytes earlier events knew, where it lay in `buffer`.
    pub origins: Vec<Origin>,
    /// Of the bytes of the result.
    pub hash: u64,
}

/// Stands for the hash of bytes that were not looked at: they may be the same as any others.
pub const NOT_LOOKED_AT: u64 = 0;

/// The facts about a message that has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Received {
    /// Rank in the world.
    pub from: u32,
    /// Its tag.
    pub tag: i32,
    /// Bytes of data.
    pub bytes: u64,
    /// Of those bytes, in the order of the type map, or [`NOT_LOOKED_AT`].
    pub hash: u64,
}

/// A collective operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collective {
    /// By its name in MPI, as `MPI_Bcast`.
    pub name: Arc<str>,
    /// On this communicator.
    pub communicator: Arc<Communicator>,
    /// Rank in the world.
    pub root: Option<u32>,
    /// The bytes that this process gives, in all.
    pub gives: u64,
    /// The bytes that this process gets, in all.
    pub gets: u64,
}

/// The buffer of a message before it was sent, and after, as far as it was seen. The recorder
/// looks at such buffers whenever the program sends something or posts a receive, where it knows
/// them from the last time that the program did the same. All numbers are of events
/// [`Action::Send`] and [`Action::Receive`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// The message.
    pub send: u64,
    /// The first of the events at which its bytes were there, as they were sent then, and at all
    /// others up to the send.
    pub since: u64,
    /// The one before that, if there was something else then: the bytes were not there yet.
    pub before: Option<u64>,
    /// The last of the events, from the send on, at which they were still there.
    pub until: u64,
    /// The one after that, if there was something else then.
    pub after: Option<u64>,
}

/// The action of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// A message is sent. It stays under way until the [`Action::Sent`] of the same operation.
    Send {
        /// How.
        mode: Mode,
        /// Rank in the world.
        to: u32,
        /// Its tag.
        tag: i32,
        /// On this communicator.
        communicator: Arc<Communicator>,
        /// From here.
        buffer: Buffer,
        /// Of the bytes, in the order of the type map, or [`NOT_LOOKED_AT`].
        hash: u64,
        /// Which of its bytes came from others.
        origins: Vec<Origin>,
        /// Whether it is a sum.
        sum: Option<Sum>,
    },
    /// A receive is posted.
    Receive {
        /// Rank in the world; `None` for `MPI_ANY_SOURCE`.
        from: Option<u32>,
        /// `None` for `MPI_ANY_TAG`.
        tag: Option<i32>,
        /// On this communicator.
        communicator: Arc<Communicator>,
        /// To here.
        buffer: Buffer,
    },
    /// The buffer of a send may be used again.
    Sent {
        /// The number of the event [`Action::Send`].
        send: u64,
    },
    /// A message has come, and the program knows.
    Received {
        /// The number of the event [`Action::Receive`].
        receive: u64,
        /// The message that came.
        what: Received,
    },
    /// A receive was cancelled, or failed.
    Dropped {
        /// The number of the event [`Action::Receive`].
        receive: u64,
    },
    /// A collective operation begins.
    Collective(Collective),
    /// A communicator was made.
    Communicator(Arc<Communicator>),
    /// The received bytes were combined with those that were there. Noticed at the first call
    /// after it was done.
    Summed(Summed),
    /// A probe has found a message: the program may know its source, tag and length before it
    /// receives it.
    Probed {
        /// Rank in the world that was asked for; `None` for `MPI_ANY_SOURCE`.
        from: Option<u32>,
        /// The tag that was asked for; `None` for `MPI_ANY_TAG`.
        tag: Option<i32>,
        /// On this communicator.
        communicator: Arc<Communicator>,
        /// Whether the call waits for a message: `MPI_Probe`, `MPI_Mprobe`.
        waits: bool,
        /// Whether only `MPI_Mrecv` receives it now: `MPI_Mprobe`, `MPI_Improbe`.
        takes: bool,
        /// Rank in the world of its source, its tag, and its bytes of data.
        found: (u32, i32, u64),
    },
    /// The program asks how long the message of a status is: `MPI_Get_count` and the like.
    Counted {
        /// Rank in the communicator of the message, which a status does not name.
        source: u32,
        /// Its tag.
        tag: i32,
        /// Bytes of data.
        bytes: u64,
    },
    /// How long a message was in its buffer.
    Held(Stay),
    /// `MPI_Pcontrol` with this level.
    Mark(i32),
    /// Another thread than before has made a call, the first time that there are two: the order of
    /// what follows need not be the program's.
    Threads,
    /// From here on nothing is recorded, because a limit was reached.
    Limit,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds since the recorder started.
    pub time: u64,
    /// Who called.
    pub site: Option<Arc<Site>>,
    /// The action.
    pub action: Action,
}

//! Calls that send and receive messages, as values. An exported function makes one of its
//! arguments, and a layer lets it go on with the same data, or with other data in their place.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Aint};
use commloom_trace::Mode;

use crate::runtime::count::CallCount;

/// The data of a message (MPI 4.1, section 3.2.2).
#[derive(Debug, Clone, Copy)]
pub struct MessageData<A: Abi, N> {
    /// Where they are; a send only reads them.
    pub buffer: *mut c_void,
    /// Elements.
    pub count: N,
    /// Their datatype.
    pub datatype: A::Datatype,
}

/// The envelope of a message as the program gives it (MPI 4.1, section 3.2.3).
#[derive(Debug, Clone, Copy)]
pub struct Envelope<A: Abi> {
    /// Destination, or source: perhaps `MPI_ANY_SOURCE`.
    pub rank: c_int,
    /// Of a receive perhaps `MPI_ANY_TAG`.
    pub tag: c_int,
    /// Where both are.
    pub comm: A::Comm,
}

/// A message that a call sends.
#[derive(Debug, Clone, Copy)]
pub struct OutgoingMessage<A: Abi, N> {
    /// By which function.
    pub mode: Mode,
    /// The program's.
    pub data: MessageData<A, N>,
    /// Where it goes.
    pub to: Envelope<A>,
}

/// A message that a call receives.
#[derive(Debug, Clone, Copy)]
pub struct IncomingMessage<A: Abi, N> {
    /// The program's.
    pub data: MessageData<A, N>,
    /// Which one it is.
    pub from: MessageSource<A>,
}

/// Which message is received.
#[derive(Debug, Clone, Copy)]
pub enum MessageSource<A: Abi> {
    /// One with such an envelope.
    Any(Envelope<A>),
    /// The one that a probe has found (MPI 4.1, section 3.8.2).
    Matched(*mut A::Message),
}

/// A call that asks for a message, which others receive later.
pub struct ProbeCall<A: Abi> {
    /// Source and tag, which may be wildcards.
    pub from: Envelope<A>,
    /// Whether it waits for a message.
    pub waits: bool,
    /// Where the handle of the message is after `MPI_Mprobe` or `MPI_Improbe`, which take it as a
    /// receive does.
    pub message: Option<*const A::Message>,
    /// For the status of the message, as the program has given it.
    pub status: *mut A::Status,
}

impl<A: Abi> Envelope<A> {
    /// Whether its message goes nowhere, or comes from nobody (MPI 4.1, section 3.10).
    #[inline]
    pub(crate) fn is_of_nobody(&self) -> bool {
        self.rank == A::CONSTANTS.proc_null
    }
}

impl<A: Abi> MessageSource<A> {
    /// Whether it comes from nobody.
    #[inline]
    pub(crate) fn is_nobody(&self) -> bool {
        self.envelope().is_some_and(|envelope| envelope.is_of_nobody())
    }

    /// The envelope, where the call has one.
    pub(crate) fn envelope(&self) -> Option<Envelope<A>> {
        match *self {
            MessageSource::Any(envelope) => Some(envelope),
            MessageSource::Matched(_) => None,
        }
    }
}

/// Who looks after messages: the accelerator, or the recorder in its place. `next` is the
/// library's function, with the data and the place for the status that the layer wants.
pub trait MessageLayer<A: Abi>: Copy {
    /// `MPI_Send` and its modes.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn send<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int;

    /// `MPI_Isend` and its modes.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn isend<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int;

    /// `MPI_Recv` and `MPI_Mrecv`.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn recv<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int;

    /// `MPI_Irecv` and `MPI_Imrecv`.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn irecv<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int;

    /// `MPI_Sendrecv`.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn sendrecv<N: CallCount>(
        self,
        messages: (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int;

    /// `MPI_Sendrecv_replace`: both messages have the same data, and `next` takes the second.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn sendrecv_replace<N: CallCount>(
        self,
        messages: (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        status: *mut A::Status,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Status) -> c_int,
    ) -> c_int {
        // SAFETY: the arguments are the caller's promise.
        unsafe { self.sendrecv(messages, status, next) }
    }

    /// `MPI_Isendrecv` and `MPI_Isendrecv_replace`.
    fn isendrecv<N: CallCount>(
        self,
        messages: (OutgoingMessage<A, N>, IncomingMessage<A, N>),
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>, MessageData<A, N>, *mut A::Request) -> c_int,
    ) -> c_int {
        next(messages.0.data, messages.1.data, request)
    }

    /// `MPI_Probe` and its like; `found` says whether there is a message, after a call that has
    /// succeeded.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn probe(
        self,
        call: ProbeCall<A>,
        next: impl FnOnce(*mut A::Status) -> c_int,
        found: impl FnOnce() -> bool,
    ) -> c_int;

    /// `MPI_Get_count` and its like.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn counts(self, _status: *const A::Status, next: impl FnOnce() -> c_int) -> c_int {
        next()
    }
}

/// Who looks after persistent requests (MPI 4.1, section 3.9), as [`MessageLayer`] for messages.
pub trait PersistentLayer<A: Abi>: Copy {
    /// `MPI_Send_init` and its modes.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn send_init<N: CallCount>(
        self,
        message: OutgoingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int;

    /// `MPI_Recv_init`.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn recv_init<N: CallCount>(
        self,
        message: IncomingMessage<A, N>,
        request: *mut A::Request,
        next: impl FnOnce(MessageData<A, N>) -> c_int,
    ) -> c_int;

    /// `MPI_Start` of one request, and `MPI_Startall` of so many; `next` gets those to start.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn start(
        self,
        requests: (c_int, *mut A::Request),
        next: impl FnOnce(*mut A::Request) -> c_int,
    ) -> c_int;
}

/// A call of `MPI_Put`.
pub struct PutCall<A: Abi, N> {
    /// At the origin.
    pub origin: MessageData<A, N>,
    /// In the window's group.
    pub rank: c_int,
    /// In displacement units of the target.
    pub displacement: Aint,
    /// Elements of the target.
    pub target: (N, A::Datatype),
    /// Of the program.
    pub window: A::Win,
}

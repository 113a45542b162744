//! A message between two ranks, and the calls that send and receive it.

use std::ffi::c_int;

use commloom_mpi::Abi;

use crate::census::non_blocking;
use crate::large::sized;
use crate::memory::Memory;
use crate::number::int;
use crate::part::Part;
use crate::session::{Face, Session};
use crate::specimen::Specimen;

/// The modes of sending (MPI 4.1, section 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Standard,
    Synchronous,
    Buffered,
    Ready,
}

/// The calls that send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    Blocking(Mode),
    NonBlocking(Mode),
    Persistent(Mode),
}

impl Sending {
    pub fn mode(self) -> Mode {
        let (Sending::Blocking(mode) | Sending::NonBlocking(mode) | Sending::Persistent(mode)) =
            self;
        mode
    }

    /// The name of the call, without `MPI_`.
    pub fn name(self) -> String {
        let name = match self.mode() {
            Mode::Standard => "Send",
            Mode::Synchronous => "Ssend",
            Mode::Buffered => "Bsend",
            Mode::Ready => "Rsend",
        };
        match self {
            Sending::Blocking(_) => name.to_owned(),
            Sending::NonBlocking(_) => non_blocking(name),
            Sending::Persistent(_) => format!("{name}_init"),
        }
    }
}

/// A message from one rank to another.
pub struct Message<'p, A: Abi> {
    pub from: usize,
    pub to: usize,
    pub tag: c_int,
    pub send: Part<'p, A>,
    pub recv: Part<'p, A>,
    pub send_face: Face,
    pub recv_face: Face,
}

impl<A: Abi> Message<'_, A> {
    /// The bytes that are sent, and what they are received as.
    pub fn arriving(&self) -> (Option<usize>, &Specimen<A>) {
        (Some(self.send.places.len()), self.recv.specimen)
    }

    /// The message as its sender has it, with the library alone or as planned.
    pub fn sender<'c>(
        &'c self,
        session: &'c Session<A>,
        native: bool,
        memory: &'c mut Memory,
    ) -> Endpoint<'c, A> {
        let face = if native { Face::Native } else { self.send_face };
        Endpoint { session, face, part: &self.send, memory, peer: int(self.to), tag: self.tag }
    }

    /// The message as its receiver has it.
    pub fn receiver<'c>(
        &'c self,
        session: &'c Session<A>,
        native: bool,
        memory: &'c mut Memory,
    ) -> Endpoint<'c, A> {
        let face = if native { Face::Native } else { self.recv_face };
        Endpoint { session, face, part: &self.recv, memory, peer: int(self.from), tag: self.tag }
    }
}

/// One end of a message: its elements in memory, the rank at the other end, and the tag.
pub struct Endpoint<'c, A: Abi> {
    pub session: &'c Session<A>,
    pub face: Face,
    pub part: &'c Part<'c, A>,
    pub memory: &'c mut Memory,
    pub peer: c_int,
    pub tag: c_int,
}

/// Makes a call: its functions for C ints and for large counts, and its arguments behind the type.
macro_rules! call {
    ($end:ident, [$plain:ident $large:ident], ($($after:expr),*)) => {{
        let a = $end.part.arguments($end.session, $end.face, $end.memory);
        let (f, large) = ($end.session.functions($end.face), $end.part.large);
        // SAFETY: the memory holds the elements until the call has returned; until its request is
        // complete, the caller has promised.
        let code = unsafe {
            sized!(f, $plain, $large, large, (a.buffer), a.count, (a.handle, $($after),*))
        };
        a.returned($end.session);
        code
    }};
}

/// Sends with the functions of a mode.
macro_rules! send {
    ($end:ident, $mode:ident, $standard:tt $synchronous:tt $buffered:tt $ready:tt, $after:tt) => {
        match $mode {
            Mode::Standard => call!($end, $standard, $after),
            Mode::Synchronous => call!($end, $synchronous, $after),
            Mode::Buffered => call!($end, $buffered, $after),
            Mode::Ready => call!($end, $ready, $after),
        }
    };
}

impl<A: Abi> Endpoint<'_, A> {
    /// Sends. A call that blocks leaves the request as it is.
    ///
    /// # Safety
    /// The memory lives until the request is complete, and freed if it is persistent.
    pub unsafe fn send(self, sending: Sending, request: &mut A::Request) -> c_int {
        let (to, tag, comm, r) = (self.peer, self.tag, self.session.comm, &raw mut *request);
        match sending {
            Sending::Blocking(mode) => send!(self, mode,
                [send send_c] [ssend ssend_c] [bsend bsend_c] [rsend rsend_c],
                (to, tag, comm)),
            Sending::NonBlocking(mode) => send!(self, mode,
                [isend isend_c] [issend issend_c] [ibsend ibsend_c] [irsend irsend_c],
                (to, tag, comm, r)),
            Sending::Persistent(mode) => send!(self, mode,
                [send_init send_init_c] [ssend_init ssend_init_c]
                [bsend_init bsend_init_c] [rsend_init rsend_init_c],
                (to, tag, comm, r)),
        }
    }

    /// `MPI_Recv`, with the status to ignore if there is no other.
    pub fn recv(self, status: Option<&mut A::Status>) -> c_int {
        let (from, tag, comm) = (self.peer, self.tag, self.session.comm);
        call!(self, [recv recv_c], (from, tag, comm, given::<A>(status)))
    }

    /// `MPI_Sendrecv` that sends to nobody.
    pub fn sendrecv(self, status: Option<&mut A::Status>) -> c_int {
        let session = self.session;
        let a = self.part.arguments(session, self.face, self.memory);
        let (n, b, ty, from, tag) = (int(a.count), a.buffer, a.handle, self.peer, self.tag);
        let (byte, comm, nobody) = (session.mpi.handles.byte, session.comm, A::CONSTANTS.proc_null);
        let (call, status) = (session.functions(self.face).sendrecv, given::<A>(status));
        // SAFETY: the memory holds the elements.
        let code = unsafe {
            call(std::ptr::null(), 0, byte, nobody, tag, b, n, ty, from, tag, comm, status)
        };
        a.returned(session);
        code
    }

    /// `MPI_Mrecv`.
    pub fn mrecv(self, message: &mut A::Message, status: Option<&mut A::Status>) -> c_int {
        call!(self, [mrecv mrecv_c], (message, given::<A>(status)))
    }

    /// `MPI_Imrecv`.
    ///
    /// # Safety
    /// The memory lives until the request is complete.
    pub unsafe fn imrecv(self, message: &mut A::Message, request: &mut A::Request) -> c_int {
        call!(self, [imrecv imrecv_c], (message, request))
    }

    /// `MPI_Irecv`.
    ///
    /// # Safety
    /// The memory lives until the request is complete.
    pub unsafe fn irecv(self, request: &mut A::Request) -> c_int {
        let (from, tag, comm) = (self.peer, self.tag, self.session.comm);
        call!(self, [irecv irecv_c], (from, tag, comm, request))
    }

    /// `MPI_Recv_init`.
    ///
    /// # Safety
    /// The memory lives until the request is freed.
    pub unsafe fn recv_init(self, request: &mut A::Request) -> c_int {
        let (from, tag, comm) = (self.peer, self.tag, self.session.comm);
        call!(self, [recv_init recv_init_c], (from, tag, comm, request))
    }
}

/// A status as an argument.
fn given<A: Abi>(status: Option<&mut A::Status>) -> *mut A::Status {
    status.map_or(A::CONSTANTS.status_ignore_ptr(), std::ptr::from_mut)
}

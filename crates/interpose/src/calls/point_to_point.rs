//! Blocking and non-blocking sends and receives (MPI 4.1, sections 3.2 to 3.10).

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Status};

use crate::incoming::Incoming;
use crate::outgoing::Outgoing;
use crate::pending::Held;
use crate::state::Preload;

/// The prototype of `MPI_Send` and `MPI_Ssend`.
type SendFunction<A> = unsafe extern "C" fn(
    *const c_void,
    c_int,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
) -> c_int;

/// `MPI_Send`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn send<A: Abi>(
    state: &'static Preload<A>,
    buffer: *const c_void,
    count: c_int,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
) -> c_int {
    let next = state.mpi().next.send;
    // SAFETY: passed on.
    unsafe { blocking_send(state, next, (buffer, count, datatype), destination, tag, comm) }
}

/// `MPI_Ssend`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn ssend<A: Abi>(
    state: &'static Preload<A>,
    buffer: *const c_void,
    count: c_int,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
) -> c_int {
    let next = state.mpi().next.ssend;
    // SAFETY: passed on.
    unsafe { blocking_send(state, next, (buffer, count, datatype), destination, tag, comm) }
}

unsafe fn blocking_send<A: Abi>(
    state: &'static Preload<A>,
    next: SendFunction<A>,
    (buffer, count, datatype): (*const c_void, c_int, A::Datatype),
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let out = Outgoing::of(state, buffer, count, datatype, destination);
        let (b, c, d) = out.arguments(buffer, count, datatype);
        let code = next(b, c, d, destination, tag, comm);
        out.done(state);
        code
    }
}

/// `MPI_Isend`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn isend<A: Abi>(
    state: &'static Preload<A>,
    buffer: *const c_void,
    count: c_int,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let out = Outgoing::of(state, buffer, count, datatype, destination);
        let (b, c, d) = out.arguments(buffer, count, datatype);
        let code = (state.mpi().next.isend)(b, c, d, destination, tag, comm, request);
        match out {
            Outgoing::Packed(packed, _) if code == A::CONSTANTS.success => {
                state.hold(*request, Held::Send(packed));
            }
            out => out.done(state),
        }
        code
    }
}

/// `MPI_Recv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn recv<A: Abi>(
    state: &'static Preload<A>,
    buffer: *mut c_void,
    count: c_int,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    status: *mut A::Status,
) -> c_int {
    let mut own = A::Status::empty();
    let mut incoming = Incoming::of(state, buffer, count, datatype, source);
    let status = incoming.status(status, &raw mut own);
    let (b, c, d) = incoming.arguments(buffer, count, datatype);
    // SAFETY: passed on.
    unsafe {
        let code = (state.mpi().next.recv)(b, c, d, source, tag, comm, status);
        land(state, incoming, code, status);
        code
    }
}

/// `MPI_Irecv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn irecv<A: Abi>(
    state: &'static Preload<A>,
    buffer: *mut c_void,
    count: c_int,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    let mut incoming = Incoming::of(state, buffer, count, datatype, source);
    let (b, c, d) = incoming.arguments(buffer, count, datatype);
    // SAFETY: passed on.
    unsafe {
        let code = (state.mpi().next.irecv)(b, c, d, source, tag, comm, request);
        match incoming {
            Incoming::Packed(landing) if code == A::CONSTANTS.success => {
                state.hold(*request, Held::Receive(landing));
            }
            Incoming::Packed(landing) => landing.done(state),
            Incoming::Unseen(waiting) => waiting.done(),
            Incoming::Native | Incoming::Substitute(..) => {}
        }
        code
    }
}

/// `MPI_Sendrecv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn sendrecv<A: Abi>(
    state: &'static Preload<A>,
    send_buffer: *const c_void,
    send_count: c_int,
    send_datatype: A::Datatype,
    destination: c_int,
    send_tag: c_int,
    buffer: *mut c_void,
    count: c_int,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let out = Outgoing::of(state, send_buffer, send_count, send_datatype, destination);
        let mut own = A::Status::empty();
        let mut incoming = Incoming::of(state, buffer, count, datatype, source);
        let status = incoming.status(status, &raw mut own);
        let (sb, sc, sd) = out.arguments(send_buffer, send_count, send_datatype);
        let (b, c, d) = incoming.arguments(buffer, count, datatype);
        let code = (state.mpi().next.sendrecv)(
            sb,
            sc,
            sd,
            destination,
            send_tag,
            b,
            c,
            d,
            source,
            tag,
            comm,
            status,
        );
        out.done(state);
        land(state, incoming, code, status);
        code
    }
}

/// After a blocking receive: unpacks if it succeeded.
///
/// # Safety
/// The library has written `status` if the receive was packed and succeeded.
unsafe fn land<A: Abi>(
    state: &Preload<A>,
    incoming: Incoming<A>,
    code: c_int,
    status: *const A::Status,
) {
    match incoming {
        Incoming::Packed(landing) => {
            if code == A::CONSTANTS.success {
                // SAFETY: passed on.
                unsafe { landing.unpack(state, &*status) };
            }
            landing.done(state);
        }
        Incoming::Unseen(waiting) => waiting.done(),
        Incoming::Native | Incoming::Substitute(..) => {}
    }
}

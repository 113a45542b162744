//! Blocking and non-blocking sends and receives (MPI 4.1, sections 3.2 to 3.11). The four modes of a
//! send differ in the library's function only, and so do the two widths of counts.
//!
//! `MPI_Isendrecv` and `MPI_Isendrecv_replace` are not wrapped: MPICH 4 and 5 complete them with a status
//! that does not say how much has arrived.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Status};

use crate::count::CallCount;
use crate::incoming::{Incoming, When};
use crate::outgoing::Outgoing;
use crate::pending::Held;
use crate::replace::{Sends, Waits, Way};
use crate::state::Preload;

/// The prototype of `MPI_Send` and its modes.
pub type Send<A, N> = unsafe extern "C" fn(
    *const c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
) -> c_int;

/// The prototype of `MPI_Isend` and its modes.
pub type Isend<A, N> = unsafe extern "C" fn(
    *const c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Request,
) -> c_int;

/// The prototype of `MPI_Recv`.
pub type Recv<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Irecv`.
pub type Irecv<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Request,
) -> c_int;

/// The prototype of `MPI_Sendrecv`.
pub type Sendrecv<A, N> = unsafe extern "C" fn(
    *const c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Sendrecv_replace`.
pub type SendrecvReplace<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    c_int,
    c_int,
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Mrecv`.
pub type Mrecv<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Imrecv`.
pub type Imrecv<A, N> = unsafe extern "C" fn(
    *mut c_void,
    N,
    <A as Abi>::Datatype,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Request,
) -> c_int;

/// The prototype of `MPI_Mprobe`.
pub type Mprobe<A> = unsafe extern "C" fn(
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Status,
) -> c_int;

/// The prototype of `MPI_Improbe`.
pub type Improbe<A> = unsafe extern "C" fn(
    c_int,
    c_int,
    <A as Abi>::Comm,
    *mut c_int,
    *mut <A as Abi>::Message,
    *mut <A as Abi>::Status,
) -> c_int;

/// `MPI_Send` and its modes.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn send<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Send<A, N>,
    buffer: *const c_void,
    count: N,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
) -> c_int {
    let sends = state.sends(Waits::InCall, (buffer, count, datatype), (comm, destination, tag));
    // SAFETY: passed on.
    unsafe {
        match sends {
            Sends::All => {}
            Sends::Empty => return next(buffer, N::default(), datatype, destination, tag, comm),
            Sends::Nothing => return A::CONSTANTS.success,
        }
        let (out, watch) = Outgoing::watched(state, buffer, count, datatype, destination);
        let (b, c, d) = out.arguments(buffer, count, datatype);
        let code = next(b, c, d, destination, tag, comm);
        if let Some(watch) = watch {
            watch.done();
        }
        out.done(state);
        code
    }
}

/// `MPI_Isend` and its modes.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn isend<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Isend<A, N>,
    buffer: *const c_void,
    count: N,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    let sends = state.sends(Waits::Posted, (buffer, count, datatype), (comm, destination, tag));
    // SAFETY: passed on.
    unsafe {
        // What is not sent is sent to nobody: the program gets a request.
        let nobody = A::CONSTANTS.proc_null;
        let none = N::default();
        match sends {
            Sends::All => {}
            Sends::Empty => return next(buffer, none, datatype, destination, tag, comm, request),
            Sends::Nothing => return next(buffer, none, datatype, nobody, tag, comm, request),
        }
        let out = Outgoing::of(state, buffer, count, datatype, destination);
        let (b, c, d) = out.arguments(buffer, count, datatype);
        let code = next(b, c, d, destination, tag, comm, request);
        out.wait_for(state, code, request, Held::Send);
        code
    }
}

/// `MPI_Recv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn recv<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Recv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on.
    if unsafe {
        state.receives((buffer.cast_const(), count, datatype), (comm, source, tag), status)
    } {
        return A::CONSTANTS.success;
    }
    let mut own = A::Status::empty();
    let mut incoming =
        Incoming::of(state, buffer, count, datatype, (source, Some(comm)), When::InCall);
    let status = incoming.status(status, &raw mut own);
    let (b, c, d) = incoming.arguments(buffer, count, datatype);
    // SAFETY: passed on.
    unsafe {
        let code = next(b, c, d, source, tag, comm, status);
        incoming.land(state, code, status)
    }
}

/// `MPI_Irecv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn irecv<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Irecv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    let expected = state.expects((buffer.cast_const(), count, datatype), (comm, source, tag));
    if let Some(expected) = expected {
        // SAFETY: passed on.
        return unsafe {
            let code = next(buffer, count, datatype, source, tag, comm, request);
            state.posted(expected, code, request);
            code
        };
    }
    let mut incoming =
        Incoming::of(state, buffer, count, datatype, (source, Some(comm)), When::Later);
    let (b, c, d) = incoming.arguments(buffer, count, datatype);
    // SAFETY: passed on.
    unsafe {
        let code = next(b, c, d, source, tag, comm, request);
        incoming.wait_for(state, code, request, Held::Receive);
        code
    }
}

/// `MPI_Sendrecv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn sendrecv<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Sendrecv<A, N>,
    send_buffer: *const c_void,
    send_count: N,
    send_datatype: A::Datatype,
    destination: c_int,
    send_tag: c_int,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    status: *mut A::Status,
) -> c_int {
    let out = ((send_buffer, send_count, send_datatype), (comm, destination, send_tag));
    let into = ((buffer.cast_const(), count, datatype), (comm, source, tag));
    // SAFETY: passed on.
    unsafe {
        if let Some(code) = state.exchanges(out, into, status) {
            return code;
        }
        let out = Outgoing::of(state, send_buffer, send_count, send_datatype, destination);
        let mut own = A::Status::empty();
        let mut incoming =
            Incoming::of(state, buffer, count, datatype, (source, Some(comm)), When::InCall);
        let status = incoming.status(status, &raw mut own);
        let (sb, sc, sd) = out.arguments(send_buffer, send_count, send_datatype);
        let (b, c, d) = incoming.arguments(buffer, count, datatype);
        let code = next(sb, sc, sd, destination, send_tag, b, c, d, source, tag, comm, status);
        out.done(state);
        incoming.land(state, code, status)
    }
}

/// `MPI_Sendrecv_replace`: one buffer holds the packed bytes of both messages, as in the program.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn sendrecv_replace<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: SendrecvReplace<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    destination: c_int,
    send_tag: c_int,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    status: *mut A::Status,
) -> c_int {
    state.uses(Way::Out, comm, destination, send_tag);
    state.uses(Way::In, comm, source, tag);
    let peer = if source == A::CONSTANTS.proc_null { destination } else { source };
    let mut own = A::Status::empty();
    // SAFETY: passed on.
    unsafe {
        let mut exchange = Incoming::replacing(state, buffer, count, datatype, (peer, comm));
        let status = exchange.status(status, &raw mut own);
        let (b, c, d) = exchange.arguments(buffer, count, datatype);
        let code = next(b, c, d, destination, send_tag, source, tag, comm, status);
        exchange.land(state, code, status)
    }
}

/// `MPI_Mrecv`: the message was found by `MPI_Mprobe` or `MPI_Improbe`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn mrecv<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Mrecv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    message: *mut A::Message,
    status: *mut A::Status,
) -> c_int {
    let mut own = A::Status::empty();
    let mut incoming =
        Incoming::of(state, buffer, count, datatype, (A::CONSTANTS.any_source, None), When::InCall);
    let status = incoming.status(status, &raw mut own);
    let (b, c, d) = incoming.arguments(buffer, count, datatype);
    // SAFETY: passed on.
    unsafe {
        let code = next(b, c, d, message, status);
        incoming.land(state, code, status)
    }
}

/// `MPI_Imrecv`.
///
/// # Safety
/// As the MPI call.
pub unsafe fn imrecv<A: Abi, N: CallCount>(
    state: &'static Preload<A>,
    next: Imrecv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    message: *mut A::Message,
    request: *mut A::Request,
) -> c_int {
    let mut incoming =
        Incoming::of(state, buffer, count, datatype, (A::CONSTANTS.any_source, None), When::Later);
    let (b, c, d) = incoming.arguments(buffer, count, datatype);
    // SAFETY: passed on.
    unsafe {
        let code = next(b, c, d, message, request);
        incoming.wait_for(state, code, request, Held::Receive);
        code
    }
}

/// `MPI_Mprobe`: takes a message as a receive does.
///
/// # Safety
/// As the MPI call.
pub unsafe fn mprobe<A: Abi>(
    state: &'static Preload<A>,
    next: Mprobe<A>,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    message: *mut A::Message,
    status: *mut A::Status,
) -> c_int {
    state.uses(Way::In, comm, source, tag);
    // SAFETY: passed on.
    unsafe { next(source, tag, comm, message, status) }
}

/// `MPI_Improbe`, likewise.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn improbe<A: Abi>(
    state: &'static Preload<A>,
    next: Improbe<A>,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    flag: *mut c_int,
    message: *mut A::Message,
    status: *mut A::Status,
) -> c_int {
    state.uses(Way::In, comm, source, tag);
    // SAFETY: passed on.
    unsafe { next(source, tag, comm, flag, message, status) }
}

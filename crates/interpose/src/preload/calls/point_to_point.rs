//! Blocking and non-blocking sends and receives (MPI 4.1, sections 3.2 to 3.11). The four modes of a
//! send differ in the library's function only, and so do the two widths of counts.
//!
//! The walk of one `MPI_Send` of a derived type, from its handle to the call, each function once.
//! Files are those of `accelerate`; what is indented runs only until it is known.
//!
//! ```text
//! handle    send                           here            the call of the program
//!           Outgoing::watched              outgoing.rs     what the library gets instead
//!           Accelerator::message           lookup.rs       table of the thread: handle and count
//!             Accelerator::recorded_message  committed.rs  the record that hangs on the handle
//!             Record::message                committed.rs  is it worth while to analyse the type?
//! layout      Record::analyse                committed.rs  once a handle: decode it
//!             Layouts::get                   layouts.rs    once a layout: its normal form
//!             KnownLayout::message           layouts.rs    once a layout and count
//! strategy    Message::new                   message.rs    plan, shape, expected times
//!             choose                         strategy.rs   native, equivalent datatype, or packed
//!           Message::elements_to_send      message.rs      this strategy, or the one on trial
//! call      Departure::pack                departure.rs    packs into a buffer of ours
//!           next                           the library     its function of the same name
//!           Outgoing::done                 outgoing.rs     the buffer goes back
//! ```
//!
//! `MPI_Isendrecv` and `MPI_Isendrecv_replace` are not wrapped: MPICH 4 and 5 complete them with a status
//! that does not say how much has arrived.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Status};

use crate::accelerate::incoming::Incoming;
use crate::accelerate::outgoing::Outgoing;
use crate::accelerate::pending::Held;
use crate::preload::state::Preload;
use crate::replace::Way;
use crate::runtime::count::CallCount;
use crate::runtime::outcome::When;
use crate::runtime::prototypes::{
    Improbe, Imrecv, Irecv, Isend, Mprobe, Mrecv, Recv, Send, Sendrecv, SendrecvReplace,
};

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
    state.replacement.uses(Way::Out, comm, destination, tag);
    // SAFETY: passed on.
    unsafe {
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
    state.replacement.uses(Way::Out, comm, destination, tag);
    // SAFETY: passed on.
    unsafe {
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
    state.replacement.uses(Way::In, comm, source, tag);
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
    state.replacement.uses(Way::In, comm, source, tag);
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
    state.replacement.uses(Way::Out, comm, destination, send_tag);
    state.replacement.uses(Way::In, comm, source, tag);
    // SAFETY: passed on.
    unsafe {
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
    state.replacement.uses(Way::Out, comm, destination, send_tag);
    state.replacement.uses(Way::In, comm, source, tag);
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
    state.replacement.uses(Way::In, comm, source, tag);
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
    state.replacement.uses(Way::In, comm, source, tag);
    // SAFETY: passed on.
    unsafe { next(source, tag, comm, flag, message, status) }
}

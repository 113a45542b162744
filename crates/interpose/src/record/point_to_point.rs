//! Blocking and non-blocking sends and receives, and the probes that find a message for `MPI_Mrecv`.
//!
//! `MPI_Isendrecv` and partitioned communication are not recorded; see book/src/how-to/record.md.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Status};
use commloom_trace::Mode;

use super::messages::in_world;
use super::recorder::{Inside, Recorder};
use super::requests::{Entry, Probed, Receive, Send as Sending, UnderWay};
use crate::runtime::count::CallCount;
use crate::runtime::prototypes::{
    Improbe, Imrecv, Irecv, Isend, Mprobe, Mrecv, Recv, Send, Sendrecv, SendrecvReplace,
};
use crate::runtime::statuses::Statuses;

/// The mode of a function by its name in MPI.
pub(super) fn mode(name: &str) -> Mode {
    match name.strip_prefix('I').unwrap_or(name).as_bytes() {
        [b'B' | b'b', ..] => Mode::Buffered,
        [b'S' | b's', b's', ..] => Mode::Synchronous,
        [b'R' | b'r', ..] => Mode::Ready,
        _ => Mode::Standard,
    }
}

/// Buffer, count and datatype.
type Elements<A> = (*const c_void, i64, <A as Abi>::Datatype);

impl<A: Abi> Inside<A> {
    /// Whether a message has a peer at all.
    fn is_peer(rank: c_int) -> bool {
        rank != A::CONSTANTS.proc_null
    }

    pub(super) fn has_pending(&self) -> bool {
        self.recorder.pending.load(std::sync::atomic::Ordering::Acquire) > 0
    }

    /// A message to be sent; `None` where there is none, or the library will refuse it.
    pub(super) fn send(
        &self,
        mode: Mode,
        (buffer, count, datatype): Elements<A>,
        destination: c_int,
        tag: c_int,
        comm: A::Comm,
    ) -> Option<Sending> {
        if !Self::is_peer(destination) {
            return None;
        }
        let communicator = self.communicator(comm)?;
        let to = in_world(&communicator, destination)?;
        Some(Sending { mode, to, tag, communicator, data: self.data(buffer, count, datatype)? })
    }

    /// A message to be received, likewise.
    pub(super) fn receive(
        &self,
        (buffer, count, datatype): (*mut c_void, i64, A::Datatype),
        source: c_int,
        tag: c_int,
        comm: A::Comm,
    ) -> Option<Receive> {
        let Probed { communicator, from, tag } = self.probed(source, tag, comm)?;
        let data = self.data(buffer.cast_const(), count, datatype)?;
        Some(Receive { from, tag, communicator, data })
    }

    /// Source and tag, which may be wildcards.
    fn probed(&self, source: c_int, tag: c_int, comm: A::Comm) -> Option<Probed> {
        if !Self::is_peer(source) {
            return None;
        }
        let communicator = self.communicator(comm)?;
        let from = match source {
            any if any == A::CONSTANTS.any_source => None,
            rank => Some(in_world(&communicator, rank)?),
        };
        Some(Probed { communicator, from, tag: (tag != A::CONSTANTS.any_tag).then_some(tag) })
    }

    /// Records that a message is sent.
    ///
    /// # Safety
    /// As the MPI call.
    unsafe fn begins_send(
        &self,
        name: &'static str,
        elements: Elements<A>,
        destination: c_int,
        tag: c_int,
        comm: A::Comm,
    ) -> Option<UnderWay> {
        self.shield(|| {
            let send = self.send(mode(name), elements, destination, tag, comm)?;
            // SAFETY: passed on.
            unsafe { self.sends(&send) }.map(UnderWay::Send)
        })
    }

    /// After a blocking call that returned `code`.
    ///
    /// # Safety
    /// The library has written the status if it succeeded; the buffer of a receive can be read.
    unsafe fn returns(&self, done: Option<UnderWay>, code: c_int, status: Option<A::Status>) {
        if let Some(done) = done {
            let status = status.filter(|_| code == A::CONSTANTS.success);
            // SAFETY: passed on.
            self.shield(|| unsafe { self.completes(done, status.as_ref()) });
        }
    }

    /// After a call that made a request and returned `code`.
    ///
    /// # Safety
    /// The library has written the request if it succeeded.
    unsafe fn waits(&self, now: Option<UnderWay>, code: c_int, request: *const A::Request) {
        let Some(now) = now else { return };
        if code == A::CONSTANTS.success {
            // SAFETY: passed on.
            let request = unsafe { *request };
            self.lock().requests.insert(request, Entry::Once(now));
        } else {
            // SAFETY: nothing has come.
            unsafe { self.returns(Some(now), code, None) };
        }
    }

    /// Remembers which message a probe has found.
    ///
    /// # Safety
    /// The library has written the message.
    unsafe fn notes(
        &self,
        (source, tag, comm): (c_int, c_int, A::Comm),
        message: *const A::Message,
    ) {
        self.shield(|| {
            let probed = self.probed(source, tag, comm)?;
            // SAFETY: passed on.
            let message = unsafe { *message };
            self.lock().messages.insert(message, probed)
        });
    }

    /// The message that a handle stands for, as it is received.
    fn found(
        &self,
        probed: Option<Probed>,
        (buffer, count, datatype): (*mut c_void, i64, A::Datatype),
    ) -> Option<UnderWay> {
        let Probed { communicator, from, tag } = probed.filter(|_| self.active)?;
        self.shield(|| {
            let data = self.data(buffer.cast_const(), count, datatype)?;
            self.posted(Receive { from, tag, communicator, data })
        })
    }
}

/// `MPI_Send` and its modes.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn send<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    name: &'static str,
    next: Send<A, N>,
    buffer: *const c_void,
    count: N,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let call = || next(buffer, count, datatype, destination, tag, comm);
        let Some(inside) = recorder.enter_active() else { return call() };
        let elements = (buffer, count.wide(), datatype);
        let sent = inside.begins_send(name, elements, destination, tag, comm);
        let code = call();
        inside.returns(sent, code, Some(A::Status::empty()));
        code
    }
}

/// `MPI_Isend` and its modes.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn isend<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    name: &'static str,
    next: Isend<A, N>,
    buffer: *const c_void,
    count: N,
    datatype: A::Datatype,
    destination: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let call = || next(buffer, count, datatype, destination, tag, comm, request);
        let Some(inside) = recorder.enter_active() else { return call() };
        let elements = (buffer, count.wide(), datatype);
        let sent = inside.begins_send(name, elements, destination, tag, comm);
        let code = call();
        inside.waits(sent, code, request);
        code
    }
}

/// `MPI_Recv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn recv<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
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
    unsafe {
        let call = |status| next(buffer, count, datatype, source, tag, comm, status);
        let Some(inside) = recorder.enter_active() else { return call(status) };
        let elements = (buffer, count.wide(), datatype);
        let come = inside
            .shield(|| inside.receive(elements, source, tag, comm).and_then(|r| inside.posted(r)));
        let mut statuses = Statuses::new::<A>(status, 1);
        let code = call(statuses.as_mut_ptr());
        inside.returns(come, code, statuses.get(0));
        code
    }
}

/// `MPI_Irecv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn irecv<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: Irecv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let call = || next(buffer, count, datatype, source, tag, comm, request);
        let Some(inside) = recorder.enter_active() else { return call() };
        let elements = (buffer, count.wide(), datatype);
        let come = inside
            .shield(|| inside.receive(elements, source, tag, comm).and_then(|r| inside.posted(r)));
        let code = call();
        inside.waits(come, code, request);
        code
    }
}

/// `MPI_Sendrecv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn sendrecv<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
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
    // SAFETY: passed on.
    unsafe {
        let sends = (send_buffer, send_count.wide(), send_datatype);
        let receives = (buffer, count.wide(), datatype);
        let peers = ((destination, send_tag), (source, tag), comm);
        exchanged(recorder, (sends, receives), peers, status, |status| {
            next(
                send_buffer,
                send_count,
                send_datatype,
                destination,
                send_tag,
                buffer,
                count,
                datatype,
                source,
                tag,
                comm,
                status,
            )
        })
    }
}

/// `MPI_Sendrecv_replace`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn sendrecv_replace<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
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
    // SAFETY: passed on.
    unsafe {
        let elements = (buffer, count.wide(), datatype);
        let sends = (buffer.cast_const(), count.wide(), datatype);
        let peers = ((destination, send_tag), (source, tag), comm);
        exchanged(recorder, (sends, elements), peers, status, |status| {
            next(buffer, count, datatype, destination, send_tag, source, tag, comm, status)
        })
    }
}

/// A call that sends and receives: peers and tags of both, and `call` with the place for the status.
///
/// # Safety
/// As the MPI call.
unsafe fn exchanged<A: Abi>(
    recorder: &'static Recorder<A>,
    (sends, receives): (Elements<A>, (*mut c_void, i64, A::Datatype)),
    ((destination, send_tag), (source, tag), comm): ((c_int, c_int), (c_int, c_int), A::Comm),
    status: *mut A::Status,
    call: impl FnOnce(*mut A::Status) -> c_int,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(inside) = recorder.enter_active() else { return call(status) };
        let sent = inside.begins_send("Send", sends, destination, send_tag, comm);
        let come = inside
            .shield(|| inside.receive(receives, source, tag, comm).and_then(|r| inside.posted(r)));
        let mut statuses = Statuses::new::<A>(status, 1);
        let code = call(statuses.as_mut_ptr());
        inside.returns(come, code, statuses.get(0));
        inside.returns(sent, code, Some(A::Status::empty()));
        code
    }
}

/// `MPI_Mprobe`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn mprobe<A: Abi>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: Mprobe<A>,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    message: *mut A::Message,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(inside) = recorder.enter() else {
            return next(source, tag, comm, message, status);
        };
        let code = next(source, tag, comm, message, status);
        if code == A::CONSTANTS.success {
            inside.notes((source, tag, comm), message);
        }
        code
    }
}

/// `MPI_Improbe`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn improbe<A: Abi>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: Improbe<A>,
    source: c_int,
    tag: c_int,
    comm: A::Comm,
    flag: *mut c_int,
    message: *mut A::Message,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(inside) = recorder.enter() else {
            return next(source, tag, comm, flag, message, status);
        };
        let code = next(source, tag, comm, flag, message, status);
        if code == A::CONSTANTS.success && *flag != 0 {
            inside.notes((source, tag, comm), message);
        }
        code
    }
}

/// `MPI_Mrecv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn mrecv<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: Mrecv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    message: *mut A::Message,
    status: *mut A::Status,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(inside) = recorder.enter() else {
            return next(buffer, count, datatype, message, status);
        };
        // Taken out before: afterwards the handle may be another's.
        let probed = inside.lock().messages.remove(&*message);
        let come = inside.found(probed, (buffer, count.wide(), datatype));
        let mut statuses = Statuses::new::<A>(status, 1);
        let code = next(buffer, count, datatype, message, statuses.as_mut_ptr());
        inside.returns(come, code, statuses.get(0));
        code
    }
}

/// `MPI_Imrecv`.
///
/// # Safety
/// As the MPI call.
#[expect(clippy::too_many_arguments, reason = "the signature is MPI's")]
pub unsafe fn imrecv<A: Abi, N: CallCount>(
    recorder: &'static Recorder<A>,
    _name: &'static str,
    next: Imrecv<A, N>,
    buffer: *mut c_void,
    count: N,
    datatype: A::Datatype,
    message: *mut A::Message,
    request: *mut A::Request,
) -> c_int {
    // SAFETY: passed on.
    unsafe {
        let Some(inside) = recorder.enter() else {
            return next(buffer, count, datatype, message, request);
        };
        let probed = inside.lock().messages.remove(&*message);
        let come = inside.found(probed, (buffer, count.wide(), datatype));
        let code = next(buffer, count, datatype, message, request);
        inside.waits(come, code, request);
        code
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_told_by_name() {
        for (name, expected) in [
            ("Send", Mode::Standard),
            ("Isend", Mode::Standard),
            ("Send_init", Mode::Standard),
            ("Bsend", Mode::Buffered),
            ("Ibsend", Mode::Buffered),
            ("Ssend_init", Mode::Synchronous),
            ("Issend", Mode::Synchronous),
            ("Irsend", Mode::Ready),
        ] {
            assert_eq!(mode(name), expected, "{name}");
        }
    }
}

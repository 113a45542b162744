//! All ways to complete requests, and what a status says.

use std::ffi::c_int;

use commloom_mpi::{Abi, Functions, Status};
use commloom_testkit::Rng;

use crate::number::{int, length};
use crate::outcome::Outcome;
use crate::session::{Face, Session};
use crate::specimen::{Signature, Specimen};

/// Which calls complete the requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completion {
    Wait,
    Test,
    Waitall,
    Testall,
    Waitany,
    Testany,
    Waitsome,
    Testsome,
    /// `MPI_Request_get_status` until it is complete, then `MPI_Wait`.
    GetStatus,
}

impl Completion {
    const ALL: [Completion; 9] = [
        Completion::Wait,
        Completion::Test,
        Completion::Waitall,
        Completion::Testall,
        Completion::Waitany,
        Completion::Testany,
        Completion::Waitsome,
        Completion::Testsome,
        Completion::GetStatus,
    ];

    /// The name of the call, without `MPI_`.
    pub fn name(self) -> &'static str {
        match self {
            Completion::Wait => "Wait",
            Completion::Test => "Test",
            Completion::Waitall => "Waitall",
            Completion::Testall => "Testall",
            Completion::Waitany => "Waitany",
            Completion::Testany => "Testany",
            Completion::Waitsome => "Waitsome",
            Completion::Testsome => "Testsome",
            Completion::GetStatus => "Request_get_status",
        }
    }

    /// One that waits for all requests.
    pub fn waiting(rng: &mut Rng) -> Completion {
        if rng.bool() { Completion::Wait } else { Completion::Waitall }
    }

    /// Whether one call may complete more than one request.
    pub fn takes_several(self) -> bool {
        use Completion::{Testall, Testsome, Waitall, Waitsome};
        matches!(self, Waitall | Testall | Waitsome | Testsome)
    }

    /// Any of them.
    pub fn random(rng: &mut Rng) -> Completion {
        Completion::ALL[rng.usize(0..Completion::ALL.len())]
    }

    /// Completes one request; the code. Calls for several requests leave it to `MPI_Wait`.
    pub fn one<A: Abi>(
        self,
        f: &Functions<A>,
        request: &mut A::Request,
        status: *mut A::Status,
    ) -> c_int {
        // SAFETY: a request that is live or null; a status of the caller, or the one to ignore.
        unsafe {
            match self {
                Completion::Test => until(|flag| (f.test)(request, flag, status)),
                _ => (f.wait)(request, status),
            }
        }
    }

    /// `MPI_Waitall`, or `MPI_Testall` until it is so; the code. A status for each request, or
    /// those to ignore.
    pub fn all<A: Abi>(
        self,
        f: &Functions<A>,
        requests: &mut [A::Request],
        statuses: *mut A::Status,
    ) -> c_int {
        let (count, first) = (int(requests.len()), requests.as_mut_ptr());
        // SAFETY: requests that are live or null, and as many statuses.
        unsafe {
            match self {
                Completion::Waitall => (f.waitall)(count, first, statuses),
                _ => until(|flag| (f.testall)(count, first, flag, statuses)),
            }
        }
    }

    /// `MPI_Waitany`, or `MPI_Testany` until there is one; its index, and the code.
    pub fn any<A: Abi>(
        self,
        f: &Functions<A>,
        requests: &mut [A::Request],
        status: *mut A::Status,
    ) -> (c_int, c_int) {
        let (count, first, mut index) = (int(requests.len()), requests.as_mut_ptr(), -1);
        let at = &raw mut index;
        // SAFETY: requests that are live or null, and a status.
        let code = unsafe {
            match self {
                Completion::Waitany => (f.waitany)(count, first, at, status),
                _ => until(|flag| (f.testany)(count, first, at, flag, status)),
            }
        };
        (index, code)
    }

    /// `MPI_Waitsome`, or `MPI_Testsome` until there is one; the indices, if any request was
    /// active, and the code.
    pub fn some<A: Abi>(
        self,
        f: &Functions<A>,
        requests: &mut [A::Request],
        statuses: *mut A::Status,
    ) -> (Option<Vec<c_int>>, c_int) {
        let (count, first) = (int(requests.len()), requests.as_mut_ptr());
        let (mut done, mut indices) = (0, vec![-1; requests.len()]);
        let (n, at) = (&raw mut done, indices.as_mut_ptr());
        let code = loop {
            // SAFETY: requests that are live or null, as many statuses and indices.
            let code = unsafe {
                match self {
                    Completion::Waitsome => (f.waitsome)(count, first, n, at, statuses),
                    _ => (f.testsome)(count, first, n, at, statuses),
                }
            };
            if done != 0 || code != A::CONSTANTS.success {
                break code;
            }
            std::thread::yield_now();
        };
        // MPI_UNDEFINED is negative in every ABI.
        let done = usize::try_from(done).ok();
        let indices = done.map(|done| {
            indices.truncate(done);
            indices
        });
        (indices, code)
    }
}

/// An error field that no library writes.
const UNTOUCHED: c_int = 7777;

/// A status that tells whether it was written to, as one on a program's stack is: whatever was
/// there before. MPICH's probes leave the mark of cancelled messages in it.
pub fn blank<A: Abi>() -> A::Status {
    let mut status = A::Status::empty();
    // SAFETY: statuses of all ABIs are integers, which may have any bits.
    unsafe { (&raw mut status).write_bytes(0xa5, 1) };
    status.set_error(UNTOUCHED);
    status
}

/// Notes what a status says of where a message came from.
pub fn note_origin<S: Status>(out: &mut Outcome, what: &str, status: &S) {
    out.fact(format!("{what}: source"), status.source());
    out.fact(format!("{what}: tag"), status.tag());
}

/// Notes what a status of a receive says, to a program that received so many bytes as elements of
/// this type; `None` where it is not said how many.
pub fn note_status<A: Abi>(
    session: &Session<A>,
    out: &mut Outcome,
    what: &str,
    status: &A::Status,
    (bytes, specimen): (Option<usize>, &Specimen<A>),
) {
    let (mpi, handle) = (&session.mpi, specimen.handle);
    note_origin(out, what, status);
    out.fact(format!("{what}: error field"), status.error());
    let (mut count, mut elements, mut cancelled) = (0, 0, 0);
    // SAFETY: a status that a call filled in, a live type, writable places.
    unsafe {
        let code = (mpi.own.get_count)(status, handle, &raw mut count);
        out.fact(format!("{what}: MPI_Get_count"), session.class(code));
        let lost = session.quirks.elements_crash
            && (matches!(specimen.signature, Signature::Mixed(_))
                || specimen.text.contains("array"));
        if !lost {
            let code = (mpi.own.get_elements)(status, handle, &raw mut elements);
            out.fact(format!("{what}: MPI_Get_elements"), session.class(code));
        }
        (mpi.own.test_cancelled)(status, &raw mut cancelled);
    }
    let what_count = format!("{what}: count");
    let bytes = bytes.map(|bytes| u64::try_from(bytes).expect("in memory"));
    let size = specimen.layout.size();
    match bytes.filter(|bytes| bytes.checked_rem(size) == Some(0)) {
        Some(bytes) => {
            let elements = bytes / size;
            out.prescribed(&what_count, count.into(), elements.cast_signed());
        }
        None => out.fact(what_count, count),
    }
    out.fact(format!("{what}: elements"), elements);
    out.fact(format!("{what}: cancelled"), cancelled);
}

/// Completes all requests; the statuses by position, `None` where the call gave none. Requests are
/// null or inactive afterwards.
pub fn complete<A: Abi>(
    session: &Session<A>,
    out: &mut Outcome,
    face: Face,
    how: Completion,
    requests: &mut [A::Request],
    ignore: bool,
) -> Vec<Option<A::Status>> {
    // Where MPICH sees errors in statuses that have none, a program without a world ends.
    let how = match how {
        several
            if several.takes_several()
                && session.is_of_session()
                && session.quirks.misreads_statuses =>
        {
            Completion::Wait
        }
        how => how,
    };
    let (f, success) = (session.functions(face), A::CONSTANTS.success);
    let mut given: Vec<Option<A::Status>> = vec![None; requests.len()];
    let mut statuses = vec![blank::<A>(); requests.len()];
    let all = if ignore { A::CONSTANTS.statuses_ignore_ptr() } else { statuses.as_mut_ptr() };
    let mut one = blank::<A>();
    let single = if ignore { A::CONSTANTS.status_ignore_ptr() } else { &raw mut one };
    match how {
        Completion::Wait | Completion::Test | Completion::GetStatus => {
            for (at, (request, given)) in requests.iter_mut().zip(&mut given).enumerate() {
                one = blank::<A>();
                if how == Completion::GetStatus {
                    let code = get_status(f, *request, single);
                    out.fact("MPI_Request_get_status", session.class(code));
                }
                let code = how.one(f, request, single);
                out.fact(format!("request {at} completed"), session.class(code));
                *given = (!ignore).then_some(one);
            }
        }
        Completion::Waitall | Completion::Testall => {
            let code = how.all(f, requests, all);
            out.fact("all requests completed", session.class(code));
            if !ignore {
                given = statuses.iter().copied().map(Some).collect();
            }
        }
        Completion::Waitany | Completion::Testany => loop {
            one = blank::<A>();
            let (index, code) = how.any(f, requests, single);
            if index == A::CONSTANTS.undefined {
                out.fact("no request is left", session.class(code));
                break;
            }
            if code != success {
                out.fact(format!("request {index} completed"), session.class(code));
                break;
            }
            given[length(index)] = (!ignore).then_some(one);
        },
        Completion::Waitsome | Completion::Testsome => loop {
            statuses.fill(blank::<A>());
            let (done, code) = how.some(f, requests, all);
            let Some(done) = done.filter(|_| code == success) else {
                out.fact("no request is left", session.class(code));
                break;
            };
            for (&at, status) in done.iter().zip(&statuses) {
                given[length(at)] = (!ignore).then_some(*status);
            }
        },
    }
    for (at, request) in requests.iter().enumerate() {
        let null = *request == session.mpi.handles.request_null;
        out.fact(format!("request {at} is null"), null);
    }
    given
}

/// `MPI_Request_get_status` until the request is complete; the code.
pub fn get_status<A: Abi>(f: &Functions<A>, request: A::Request, status: *mut A::Status) -> c_int {
    // SAFETY: a request that is live or null; a status of the caller, or the one to ignore.
    until(|flag| unsafe { (f.request_get_status)(request, flag, status) })
}

/// Repeats a test until its flag is set or it fails; the last code.
fn until(mut test: impl FnMut(*mut c_int) -> c_int) -> c_int {
    let mut flag = 0;
    loop {
        let code = test(&raw mut flag);
        // MPI_SUCCESS is 0 in every ABI.
        if flag != 0 || code != 0 {
            return code;
        }
        std::thread::yield_now();
    }
}

//! The calls that complete requests (MPI 4.1, sections 3.7.3 to 3.7.6), all by one rule: what
//! waits for the requests is taken out of the table, the library does its work, and then every
//! request that the library has set to `MPI_REQUEST_NULL` is finished with its status; the others
//! go back. Persistent requests keep their handles: whether one is complete is told by flag, index
//! or code.

use std::ffi::c_int;

use commloom_mpi::{Abi, Status};

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::pending::Held;
use crate::runtime::outcome::Outcome;
use crate::runtime::statuses::{Answer, Statuses, Tells};

/// The requests of one call that something waits for, by position.
pub(crate) struct Claimed<A: Abi> {
    requests: *mut A::Request,
    count: usize,
    entries: Vec<(usize, A::Request, Held<A>)>,
    /// The requests for the library, where others stand in for some of them.
    asked: Option<Vec<A::Request>>,
}

impl<A: Abi> Claimed<A> {
    /// Takes out what waits for `count` requests; `None` when there is nothing.
    ///
    /// # Safety
    /// `requests` points to `count` requests, as in the MPI call.
    pub unsafe fn take(
        state: &Accelerator<A>,
        requests: *mut A::Request,
        count: c_int,
    ) -> Option<Self> {
        if state.pending.is_empty() || requests.is_null() {
            return None;
        }
        state.finish_freed_sends();
        let count = usize::try_from(count).ok()?;
        // SAFETY: inside the array.
        let requests_of = (0..count).map(|i| unsafe { *requests.add(i) });
        let entries = state.pending.take_all(requests_of.clone());
        let mut asked = None;
        for (position, _, held) in &entries {
            if let Held::StandIn(other) = held {
                asked.get_or_insert_with(|| Vec::from_iter(requests_of.clone()))[*position] =
                    other.request();
            }
        }
        (!entries.is_empty()).then_some(Claimed { requests, count, entries, asked })
    }

    /// The requests for the library.
    pub fn asked(&mut self) -> *mut A::Request {
        self.asked.as_mut().map_or(self.requests, Vec::as_mut_ptr)
    }

    /// The call has completed some: the program sees what the library has made of its requests.
    /// Those that others stood in for are persistent, and stay, unless the library has freed the
    /// other one.
    ///
    /// # Safety
    /// The array is still there.
    unsafe fn hand_back(&mut self, null: A::Request) {
        let Some(mut asked) = self.asked.take() else { return };
        for (position, request, held) in &self.entries {
            match held {
                Held::StandIn(_) if asked[*position] != null => asked[*position] = *request,
                _ => {}
            }
        }
        for (at, request) in asked.into_iter().enumerate() {
            // SAFETY: inside the array.
            unsafe { *self.requests.add(at) = request };
        }
    }

    /// Finishes what is complete after the call returned `code`, and gives the code for the
    /// program. `place` says where among the statuses that of the request at a position is, if the
    /// call has completed it and filled one in; after other errors than `MPI_ERR_IN_STATUS` it
    /// only tells which request a call has completed that completes one of several.
    ///
    /// # Safety
    /// The array is still there; the buffers of completed receives can be written.
    pub unsafe fn settle(
        mut self,
        state: &Accelerator<A>,
        code: c_int,
        (statuses, tells): (&mut Statuses<A::Status>, Tells),
        place: &dyn Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int {
        let answer = Answer::of(state, code);
        let place = |position| place(position, &answer);
        // SAFETY: the library has written those that have places.
        let status_of =
            |statuses: &Statuses<_>, position| unsafe { statuses.get(place(position)?) };
        let null = state.mpi().handles.request_null;
        // SAFETY: the caller's promise.
        unsafe { self.hand_back(null) };
        let (requests, count) = (self.requests, self.count);
        let mut cuts = Vec::new();
        for (position, request, held) in self.entries {
            // SAFETY: inside the array.
            let is_gone = unsafe { *requests.add(position) } == null;
            if held.is_persistent() {
                let status = || status_of(statuses, position);
                // An error of a call that completes one of several is that of the one at its
                // index.
                let alone = count == 1 || tells == Tells::Code && place(position).is_some();
                if let Some(outcome) = answer.of_persistent(state, alone, status) {
                    if let Held::StandIn(_) = held {
                        state.pending.remove(request);
                    }
                    // SAFETY: the request is complete; the program's buffer is writable until the
                    // call returns.
                    let cut = held.moved().and_then(|it| unsafe { it.complete(state, &outcome) });
                    cuts.extend(cut.map(|cut| (position, cut)));
                }
                if is_gone {
                    // SAFETY: the library has freed it in this call.
                    unsafe { state.has_lost(request, held) };
                }
                continue;
            }
            if !is_gone {
                put_back(state, request, held);
                continue;
            }
            let is_beside = matches!(held, Held::Beside(_));
            let mut outcome = answer.of_request(state, || status_of(statuses, position));
            // SAFETY: the library has completed the request.
            let cut = unsafe { held.finish(state, &mut outcome) };
            cuts.extend(cut.map(|cut| (position, cut)));
            if is_beside {
                // SAFETY: the library has written those that have places.
                unsafe { tell(statuses, place(position), outcome) };
            }
        }
        // SAFETY: the library has written those that have places.
        unsafe { statuses.fail(state, (code, tells), &cuts, (0..count).map(place)) }
    }

    /// The same after a call that tells which requests are complete but leaves them to be
    /// completed: from now on the program may use their buffers.
    ///
    /// # Safety
    /// As for [`Claimed::settle`].
    pub unsafe fn deliver(
        self,
        state: &Accelerator<A>,
        code: c_int,
        (statuses, tells): (&mut Statuses<A::Status>, Tells),
        place: &dyn Fn(usize, &Answer) -> Option<usize>,
    ) -> c_int {
        let answer = Answer::of(state, code);
        let place = |position| place(position, &answer);
        // SAFETY: the library has written those that have places.
        let status_of =
            |statuses: &Statuses<_>, position| unsafe { statuses.get(place(position)?) };
        let count = self.count;
        let mut cuts = Vec::new();
        for (position, request, held) in self.entries {
            let status = || status_of(statuses, position);
            // Whoever completes a receive gets to know how it went: it stays there.
            let held = match held {
                Held::Persistent(_) | Held::StandIn(_) => {
                    if let Some(outcome) = answer.of_persistent(state, count == 1, status) {
                        // SAFETY: complete; the program's buffer is writable until the call
                        // returns.
                        let cut =
                            held.moved().and_then(|it| unsafe { it.deliver(state, &outcome) });
                        cuts.extend(cut.map(|cut| (position, cut)));
                    }
                    continue;
                }
                Held::Receive(mut landing) => {
                    if let Some(outcome) = answer.of_persistent(state, count == 1, status) {
                        // SAFETY: complete; the program's buffer is writable until the call
                        // returns.
                        let cut = unsafe { landing.ended(state, &outcome) };
                        cuts.extend(cut.map(|cut| (position, cut)));
                    }
                    put_back(state, request, Held::Receive(landing));
                    continue;
                }
                Held::Beside(mut beside) => {
                    if let Some(mut outcome) = answer.of_persistent(state, count == 1, status) {
                        // SAFETY: complete; the program's buffer is writable until the call
                        // returns. The library has written those that have places.
                        unsafe {
                            let cut = beside.ended(state, &mut outcome);
                            cuts.extend(cut.map(|cut| (position, cut)));
                            tell(statuses, place(position), outcome);
                        }
                    }
                    put_back(state, request, Held::Beside(beside));
                    continue;
                }
                held => held,
            };
            match answer.status(status) {
                // SAFETY: the library has completed the request.
                Some(status) => unsafe {
                    held.finish(state, &mut Outcome::Arrived(status));
                },
                None => put_back(state, request, held),
            }
        }
        // SAFETY: the library has written those that have places.
        unsafe { statuses.fail(state, (code, tells), &cuts, (0..count).map(place)) }
    }
}

/// Gives the program the status that an outcome has.
///
/// # Safety
/// As for [`Statuses::set`].
unsafe fn tell<S: Status>(statuses: &mut Statuses<S>, place: Option<usize>, outcome: Outcome<S>) {
    if let (Outcome::Arrived(status), Some(place)) = (outcome, place) {
        // SAFETY: the caller's promise.
        unsafe { statuses.set(place, status) };
    }
}

/// The request is not complete yet.
fn put_back<A: Abi>(state: &Accelerator<A>, request: A::Request, held: Held<A>) {
    if let Some(other) = state.pending.insert(request, held) {
        // SAFETY: complete, see `Pending::insert`.
        unsafe { other.superseded(state) };
    }
}

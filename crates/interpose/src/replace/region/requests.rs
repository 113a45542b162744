//! Requests of receives in a region.

use std::ffi::c_int;
use std::sync::Arc;

use commloom_mpi::Abi;

use super::super::Replace;
use super::super::channels::Way;
use super::super::group::Reason;
use super::super::message::Brings;
use super::Data;
use super::flags::{Decided, Run, Waits};
use crate::pending::Held;
use crate::state::Preload;

/// A request of a receive, which its region waits for.
#[derive(Clone)]
pub(crate) struct Expected {
    region: usize,
    /// `None` where it was made as the program has it.
    of: Option<(usize, Run, Arc<Data>)>,
    /// The sender knew that it waits before it sent anything.
    announced: bool,
    /// What was left out has been put into the program's memory.
    written: bool,
}

impl Expected {
    pub(super) fn as_it_is(region: usize) -> Expected {
        Expected { region, of: None, announced: false, written: false }
    }

    pub(super) fn of_run(region: usize, of: (usize, Run, Arc<Data>)) -> Expected {
        Expected { region, of: Some(of), announced: false, written: false }
    }

    /// The library has completed it with this status; what the program's shall say instead, if anything.
    ///
    /// # Safety
    /// The program's buffer can be written.
    pub unsafe fn completed<A: Abi>(
        &mut self,
        state: &Preload<A>,
        status: &A::Status,
    ) -> Option<A::Status> {
        let (index, run, data) = self.of.as_ref().filter(|_| self.announced)?;
        if data.decided(*index, *run) != Decided::LeftOut {
            return None;
        }
        if !self.written {
            // SAFETY: passed on.
            unsafe { data.write(*index) };
            self.written = true;
        }
        let Brings::Message { bytes, .. } = data.brings(*index) else { return None };
        let mut status = *status;
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let written = state.mpi().set_status_bytes(&mut status, bytes);
        written.is_ok().then_some(status)
    }

    /// The request is gone.
    pub fn done<A: Abi>(self, state: &Preload<A>) {
        if let Some(replace) = state.replace.get() {
            let mut inner = replace.lock();
            if let Some(region) = inner.regions.list.get_mut(self.region) {
                region.waiting = region.waiting.saturating_sub(1);
            }
        }
    }
}

impl<A: Abi> Preload<A> {
    /// The library has posted the receive, if `code` says so.
    ///
    /// # Safety
    /// The library has written `request` if it succeeded.
    pub(crate) unsafe fn posted(
        &'static self,
        mut expected: Expected,
        code: c_int,
        request: *const A::Request,
    ) {
        if code != A::CONSTANTS.success {
            expected.done(self);
            return;
        }
        if let Some((index, run, data)) = &expected.of {
            expected.announced = data.announce(*index, *run, Waits::Posted);
        }
        // SAFETY: passed on.
        self.hold(unsafe { *request }, Held::Expected(Box::new(expected)));
    }

    /// The program cancels a request. Whether that comes too late, because its message is on its way.
    pub(crate) fn is_past_cancelling(&'static self, request: A::Request) -> bool {
        let Some(expected) = self.pending.expected(request) else { return false };
        let Some(replace) = self.replace() else { return false };
        self.shield(|| replace.withdraw(&expected)).unwrap_or(false)
    }
}

impl<A: Abi> Replace<A> {
    /// Takes back a receive, and before it all later ones of its channel, because these would get its message.
    fn withdraw(&self, expected: &Expected) -> bool {
        let mut inner = self.lock();
        inner.leave(expected.region, Reason::Shared);
        self.follows(&inner);
        drop(inner);
        let Some((index, run, data)) = &expected.of else { return false };
        let channel = data.messages[*index].channel;
        debug_assert_eq!(channel.way, Way::In);
        let later = data.messages.iter().skip(index + 1).rev();
        for flag in later.filter(|moved| moved.channel == channel).filter_map(|moved| moved.flag) {
            flag.withdraw(*run);
        }
        !data.messages[*index].flag.is_some_and(|flag| flag.withdraw(*run))
    }
}

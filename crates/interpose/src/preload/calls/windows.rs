//! Windows (MPI 4.1, chapter 12). All calls go to the library as they are, but for puts that go
//! [aside](crate::accelerate::put). What they say of epochs is noted where processes share memory.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Aint, RawHandle};

use crate::accelerate::epochs::Epoch;
use crate::accelerate::rounds::{self, Lap};
use crate::accelerate::windows::{Window, WindowMemory};
use crate::preload::state::Preload;
use crate::runtime::sync::lock;

/// The memory of a window, as the program says.
#[derive(Debug, Clone, Copy)]
pub enum Memory {
    /// It begins here.
    At(*mut c_void),
    /// The library says where it begins, here.
    Found(*mut c_void),
}

/// A call for the processes of a group.
#[derive(Debug, Clone, Copy)]
pub enum Meeting {
    /// `MPI_Win_start`.
    Start,
    /// `MPI_Win_post`.
    Post,
}

impl<A: Abi> Preload<A> {
    /// After a call that makes a window: so many bytes, in units of so many.
    ///
    /// # Safety
    /// The arguments are those of the MPI call, which gave back `code`.
    pub unsafe fn window_made(
        &'static self,
        code: c_int,
        comm: A::Comm,
        (memory, bytes, unit): (Memory, Aint, Aint),
        new: *const A::Win,
    ) {
        let may_share = code == A::CONSTANTS.success && self.config().puts_aside();
        let Some(present) = self.neighbours.sharing().filter(|_| may_share) else { return };
        self.shield(|| {
            let Ok(members) = self.mpi().members(comm) else { return };
            let members = members.local;
            if members.contains(&None) {
                return;
            }
            let base = match memory {
                Memory::At(base) => base,
                // SAFETY: after success the library has written it.
                Memory::Found(at) => unsafe { at.cast::<*mut c_void>().read_unaligned() },
            };
            // Others count their windows of these processes by it, whether it is used or not.
            let is_memory = !base.is_null() && self.gpus.refuse(base, 0..1).is_none();
            let bytes = u64::try_from(bytes).ok().filter(|_| is_memory).unwrap_or(0);
            let unit = u64::try_from(unit).unwrap_or(1);
            let memory = WindowMemory { base: base.cast(), bytes };
            // SAFETY: after success the library has written it.
            let handle = unsafe { *new }.to_bits();
            self.windows.insert(handle, present, members, (memory, unit));
        });
    }

    /// A window is about to be freed.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn window_goes(&'static self, window: *const A::Win) {
        if !window.is_null() {
            // SAFETY: the program's handle.
            self.windows.remove(unsafe { *window }.to_bits());
        }
    }

    /// `MPI_Win_fence`.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn window_fenced(
        &'static self,
        handle: A::Win,
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        let Some(window) = self.windows.get(handle.to_bits()) else { return next() };
        let lap = rounds::completing();
        let ended = lock(&window.state).epochs.fence();
        let progress = || self.mpi().progress(self.mpi().handles.comm_world);
        let mut landed = A::CONSTANTS.success;
        if window.shared.comes_to_fence(ended, progress) {
            let all = (0..window.members.len()).map(|rank| (rank, Epoch::Fenced(ended)));
            // SAFETY: all have come to the fence, and none has passed it.
            landed = unsafe { self.puts_land(&window, all) };
        }
        let code = next();
        self.epoch_is_over(handle, &window, (lap, code));
        if code == A::CONSTANTS.success { landed } else { code }
    }

    /// `MPI_Win_wait`, or `MPI_Win_test` that `is_over` tells to be true.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn exposure_ends(
        &'static self,
        handle: A::Win,
        next: impl FnOnce() -> c_int,
        is_over: impl FnOnce() -> bool,
    ) -> c_int {
        let Some(window) = self.windows.get(handle.to_bits()) else { return next() };
        let lap = rounds::completing();
        let code = next();
        let mut landed = A::CONSTANTS.success;
        if code == A::CONSTANTS.success && is_over() {
            let ended = lock(&window.state).epochs.wait();
            // SAFETY: the origins are done, and others only begin when this process says so.
            landed = unsafe { self.puts_land(&window, ended.into_iter()) };
        }
        self.epoch_is_over(handle, &window, (lap, code));
        if code == A::CONSTANTS.success { landed } else { code }
    }

    /// `MPI_Win_complete`.
    pub fn access_completes(&'static self, handle: A::Win, next: impl FnOnce() -> c_int) -> c_int {
        let Some(window) = self.windows.get(handle.to_bits()) else { return next() };
        let lap = rounds::completing();
        let code = next();
        lock(&window.state).epochs.access_ends();
        self.epoch_is_over(handle, &window, (lap, code));
        code
    }

    /// A call that may end an epoch returns this code.
    fn epoch_is_over(&'static self, handle: A::Win, window: &Window, (lap, code): (Lap, c_int)) {
        rounds::completed(lap, || std::mem::take(&mut lock(&window.state).puts));
        self.answered(handle, code);
    }

    /// `MPI_Win_start` or `MPI_Win_post`. Their processes are known before the call.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn window_meets(
        &'static self,
        meeting: Meeting,
        (handle, group): (A::Win, A::Group),
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        let Some(window) = self.windows.get(handle.to_bits()) else { return next() };
        let ranks = self.shield(|| window.ranks(&self.mpi().group_members(group).ok()?));
        match (ranks.flatten(), meeting) {
            (Some(ranks), Meeting::Start) => lock(&window.state).epochs.start(ranks),
            (Some(ranks), Meeting::Post) => lock(&window.state).epochs.post(ranks),
            // The others count an epoch that this process knows nothing of.
            (None, _) => self.windows.remove(handle.to_bits()),
        }
        let code = next();
        self.answered(handle, code);
        code
    }

    /// `MPI_Win_lock` and `MPI_Win_lock_all`: what is put from now on does not wait for the
    /// target.
    pub fn window_locks(&'static self, window: A::Win) {
        if let Some(window) = self.windows.get(window.to_bits()) {
            lock(&window.state).epochs.access_ends();
        }
    }

    /// The library's answer to a call about epochs. After a failure nobody knows which ones are
    /// open: all goes to the library.
    fn answered(&'static self, window: A::Win, code: c_int) {
        if code != A::CONSTANTS.success {
            self.windows.remove(window.to_bits());
        }
    }
}

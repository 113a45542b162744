//! Windows (MPI 4.1, chapter 12). All calls go to the library as they are, but for puts that go
//! [aside](crate::accelerate::put). What they say of epochs is noted where processes share memory.

use std::ffi::{c_int, c_void};

use commloom_mpi::{Abi, Aint, RawHandle};

use crate::accelerate::epochs::Epoch;
use crate::accelerate::rounds::{self, Lap};
use crate::accelerate::windows::{Window, WindowMemory};
use crate::preload::state::Preload;
use crate::runtime::sync::lock;

/// All assertions of `MPI_Win_fence`, as MPICH and the standard ABI number them, and Open MPI.
const ASSERTIONS: c_int = 0x7C00 | 0x1F;

/// `MPI_MODE_NOSUCCEED`: nothing is put up to the next fence.
const NO_SUCCEED: c_int = 0x4000 | 0x10;

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

    /// `MPI_Win_free`, in which callbacks may still use the window, and which the library may
    /// refuse.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn window_goes(
        &'static self,
        window: *const A::Win,
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        // SAFETY: the program's handle.
        let handle = (!window.is_null()).then(|| unsafe { *window }.to_bits());
        let known = handle.and_then(|handle| Some((handle, self.windows.get(handle)?)));
        let code = next();
        if let Some((handle, gone)) = known.filter(|_| code == A::CONSTANTS.success) {
            self.windows.remove(handle, &gone);
        }
        code
    }

    /// `MPI_Win_fence`. One that fails is none: it is not counted, also where the error handler
    /// does not come back.
    ///
    /// # Safety
    /// As the MPI call.
    pub unsafe fn window_fenced(
        &'static self,
        (handle, asserted): (A::Win, c_int),
        next: impl FnOnce() -> c_int,
    ) -> c_int {
        let Some(window) = self.windows.get(handle.to_bits()) else { return next() };
        let lap = rounds::completing();
        let ended = lock(&window.state).epochs.next_fence();
        let land = || {
            let progress = || self.mpi().progress(self.mpi().handles.comm_world);
            if !window.shared.comes_to_fence(ended, progress) {
                return A::CONSTANTS.success;
            }
            let all = (0..window.members.len()).map(|rank| (rank, Epoch::Fenced(ended)));
            // SAFETY: all have come to the fence. None has passed it, or this process has, too.
            unsafe { self.puts_land(&window, all) }
        };
        // Most libraries refuse other assertions at once, and wait for nobody.
        let is_usual = asserted & !ASSERTIONS == 0;
        let mut landed = if is_usual { land() } else { A::CONSTANTS.success };
        let code = next();
        if code == A::CONSTANTS.success {
            if !is_usual {
                landed = land();
            }
            lock(&window.state).epochs.fence(asserted & NO_SUCCEED == 0);
        }
        epoch_is_over(&window, lap);
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
        epoch_is_over(&window, lap);
        if code == A::CONSTANTS.success { landed } else { code }
    }

    /// `MPI_Win_complete`.
    pub fn access_completes(&'static self, handle: A::Win, next: impl FnOnce() -> c_int) -> c_int {
        let Some(window) = self.windows.get(handle.to_bits()) else { return next() };
        let lap = rounds::completing();
        let code = next();
        if code == A::CONSTANTS.success {
            lock(&window.state).epochs.access_ends();
        }
        epoch_is_over(&window, lap);
        code
    }

    /// `MPI_Win_start` or `MPI_Win_post`. It counts when the library has taken it.
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
        let code = next();
        if code == A::CONSTANTS.success {
            let ranks = self.shield(|| window.ranks(&self.mpi().group_members(group).ok()?));
            match (ranks.flatten(), meeting) {
                (Some(ranks), Meeting::Start) => lock(&window.state).epochs.start(ranks),
                (Some(ranks), Meeting::Post) => lock(&window.state).epochs.post(ranks),
                // The others count an epoch that this process knows nothing of.
                (None, _) => self.windows.remove(handle.to_bits(), &window),
            }
        }
        code
    }

    /// `MPI_Win_lock` and `MPI_Win_lock_all`: what is put from now on does not wait for the
    /// target.
    pub fn window_locks(&'static self, window: A::Win) {
        if let Some(window) = self.windows.get(window.to_bits()) {
            lock(&window.state).epochs.access_ends();
        }
    }
}

/// A call that may end an epoch is over.
fn epoch_is_over(window: &Window, lap: Lap) {
    rounds::completed(lap, || std::mem::take(&mut lock(&window.state).puts));
}

//! A communicator with a number.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex};

use commloom_mpi::graphs::Context;
use commloom_mpi::{Abi, Mpi};

use crate::runtime::attributes::no_copy;

/// Groups of one communicator that can be replaced, each with a ballot of its own.
pub(super) const GROUPS: usize = 16;
/// Communicators with numbers. MPICH has 2048 in all, and each of these takes up to three.
pub(super) const COMMUNICATORS: usize = 64;

/// A communicator of the program.
pub(super) struct Comm<A: Abi> {
    pub rank: u32,
    pub size: u64,
    /// How many groups it has.
    pub groups: usize,
    /// A communicator of our own with the same processes in the same order.
    pub own: A::Comm,
    /// Made when the first group is compiled.
    pub context: Option<SharedContext<A>>,
}

/// Where graphs of its processes are compiled and run.
pub(super) type SharedContext<A> = Arc<Mutex<Context<'static, A>>>;

/// A key for the numbers.
pub(super) fn keyval<A: Abi>(mpi: &Mpi<A>) -> Option<c_int> {
    // SAFETY: the functions look at nothing that they are given but the place of the flag.
    unsafe { mpi.comm_create_keyval(no_copy::<A::Comm, A>, deleted::<A>, std::ptr::null_mut()) }
        .ok()
}

/// The number is all there is.
unsafe extern "C" fn deleted<A: Abi>(
    _comm: A::Comm,
    _keyval: c_int,
    _value: *mut c_void,
    _state: *mut c_void,
) -> c_int {
    A::CONSTANTS.success
}

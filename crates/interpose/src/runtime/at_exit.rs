//! Work when the process ends, also without `MPI_Finalize`; not by forked children.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once};

use crate::runtime::sync::lock;

/// Something that has to be brought to an end.
pub(crate) trait Ends: Sync {
    fn end(&self);
}

static LIST: Mutex<Vec<&'static dyn Ends>> = Mutex::new(Vec::new());
static REGISTERED: Once = Once::new();
/// This process is a copy of the one that the program started as.
static FORKED: AtomicBool = AtomicBool::new(false);

/// Whether this is a forked child.
pub(crate) fn is_forked() -> bool {
    FORKED.load(Ordering::Relaxed)
}

/// Calls this when the process ends. The last one that came is the first that ends.
pub(crate) fn add(ends: &'static dyn Ends) {
    lock(&LIST).push(ends);
    REGISTERED.call_once(|| {
        // Where these are refused, a forked child writes too, or what ends is lost.
        // SAFETY: the functions only touch atomics and what a lock guards, and do not unwind.
        unsafe {
            libc::atexit(at_exit);
            libc::pthread_atfork(None, None, Some(forked));
        }
    });
}

extern "C" fn forked() {
    FORKED.store(true, Ordering::Relaxed);
}

extern "C" fn at_exit() {
    if is_forked() {
        return;
    }
    let list = std::mem::take(&mut *lock(&LIST));
    for ends in list.into_iter().rev() {
        // Nothing unwinds into C.
        let _ = catch_unwind(AssertUnwindSafe(|| ends.end()));
    }
}

//! Locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. A panic of ours under a lock was contained and counted; the data are still used, because
/// every critical section leaves them consistent after each step.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

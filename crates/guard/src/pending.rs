//! Temporary files and folders that exist now, for a process that a signal ends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

static PENDING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn pending() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    // A set is whole after each operation on it.
    PENDING.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn add(path: &Path) {
    pending().insert(path.to_owned());
}

pub(crate) fn done(path: &Path) {
    pending().remove(path);
}

/// Removes what is temporary. For a thread that ends the process after a signal: others may still
/// write there, so a folder that fills up again is removed again.
pub fn remove_all() {
    for path in std::mem::take(&mut *pending()) {
        for _ in 0..20 {
            let removed = match path.symlink_metadata() {
                Ok(data) if data.is_dir() => std::fs::remove_dir_all(&path),
                Ok(_) => std::fs::remove_file(&path),
                Err(_) => Ok(()),
            };
            if removed.is_ok() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

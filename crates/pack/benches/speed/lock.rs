//! Taking turns with others who measure on this machine.

use std::fs::File;
use std::path::Path;

/// A file that is locked while something is measured.
pub struct Lock(File);

/// Releases the lock when it is dropped.
pub struct Held<'a>(&'a File);

impl Lock {
    /// Opens the file, which need not be there.
    pub fn new(file: &Path) -> Result<Lock, String> {
        let opened = File::options().create(true).append(true).open(file);
        opened.map(Lock).map_err(|e| format!("{}: {e}", file.display()))
    }

    /// Waits until nobody else holds it.
    pub fn hold(&self) -> Result<Held<'_>, String> {
        self.0.lock().map_err(|e| format!("the lock: {e}"))?;
        Ok(Held(&self.0))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // If it cannot be released, it is when the process ends.
        let _ = self.0.unlock();
    }
}

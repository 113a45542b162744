//! [`ProgramBorder`]: between our code and the program's.
//!
//! A library calls the program's error handler inside of a call, and a handler in C++ may throw,
//! or one in C jump: the exported functions, and those of the library, let that pass
//! (`extern "C-unwind"`). What our own code may throw does not: it ends the process, as without
//! the program it would.

/// Stands in an exported function as long as its work lasts.
#[derive(Debug)]
#[must_use]
pub struct ProgramBorder(());

impl ProgramBorder {
    /// The work begins.
    #[inline]
    #[allow(clippy::new_without_default)]
    pub fn new() -> ProgramBorder {
        ProgramBorder(())
    }

    /// The work has returned.
    #[inline]
    pub fn passed(self) {
        std::mem::forget(self);
    }
}

impl Drop for ProgramBorder {
    /// Something passes: it is the program's, unless this thread panics.
    #[cold]
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}

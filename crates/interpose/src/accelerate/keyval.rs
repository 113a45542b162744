//! The key of the attribute that hangs on the program's datatypes.

use std::ffi::c_int;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::runtime::sync::lock;

/// The attribute key: not made yet, made, or refused by the library.
pub(crate) struct Keyval(AtomicI64, Mutex<()>);

const NOT_MADE: i64 = i64::MIN;
const REFUSED: i64 = i64::MAX;

impl Keyval {
    pub const fn new() -> Self {
        Keyval(AtomicI64::new(NOT_MADE), Mutex::new(()))
    }

    pub fn get(&self) -> Option<c_int> {
        c_int::try_from(self.0.load(Ordering::Acquire)).ok()
    }

    /// The key, made now by `make` if it is not there; `None` where the library refuses.
    pub fn get_or_make(&self, make: impl FnOnce() -> Option<c_int>) -> Option<c_int> {
        if let Some(made) = self.get() {
            return Some(made);
        }
        let _one = lock(&self.1);
        if self.0.load(Ordering::Acquire) == NOT_MADE {
            self.0.store(make().map_or(REFUSED, i64::from), Ordering::Release);
        }
        self.get()
    }

    /// Takes the key, to be freed before the library ends: the next life makes another one.
    pub fn take(&self) -> Option<c_int> {
        c_int::try_from(self.0.swap(NOT_MADE, Ordering::AcqRel)).ok()
    }
}

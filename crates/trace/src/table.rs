//! Values that events share (sites, layouts, communicators) are written once a block, before the
//! first event that has them.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// Numbers for shared values, in the order in which they come.
pub(crate) struct Table<T: ?Sized>(FxHashMap<usize, (u64, Arc<T>)>);

impl<T: ?Sized> Default for Table<T> {
    fn default() -> Self {
        Table(FxHashMap::default())
    }
}

impl<T: ?Sized> Table<T> {
    /// The number of a value, and whether it is a new one. The table keeps it alive, so that its
    /// address stays its own.
    pub fn number(&mut self, value: &Arc<T>) -> (u64, bool) {
        let next = u64::try_from(self.0.len()).unwrap_or(u64::MAX);
        let mut new = false;
        let entry = self.0.entry(Arc::as_ptr(value).cast::<u8>().addr()).or_insert_with(|| {
            new = true;
            (next, value.clone())
        });
        (entry.0, new)
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}

//! The files of the program of which something has to be known.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use commloom_mpi::Abi;

use crate::accelerate::departure::Departure;
use crate::accelerate::file_reading::FileReading;
use crate::runtime::sync::lock;

/// Both kinds of them.
pub(crate) struct Files<A: Abi> {
    /// Those with a view of another data representation.
    pub converted: FileTable<A, ()>,
    /// Split collectives under way: at most one for each file (MPI 4.1, section 14.4.5).
    split: FileTable<A, SplitAccess<A>>,
}

/// A few files, each with a value. Where there is none, a look costs one load.
pub(crate) struct FileTable<A: Abi, T> {
    number: AtomicUsize,
    entries: Mutex<Vec<(A::File, T)>>,
}

/// The packed memory of a split collective.
pub(crate) enum SplitAccess<A: Abi> {
    /// The library still reads it.
    Write(Departure<A>),
    /// The library still writes it.
    Read(FileReading<A>),
}

impl<A: Abi, T> FileTable<A, T> {
    const fn new() -> Self {
        FileTable { number: AtomicUsize::new(0), entries: Mutex::new(Vec::new()) }
    }

    pub fn has(&self, file: A::File) -> bool {
        self.number.load(Ordering::Acquire) > 0
            && lock(&self.entries).iter().any(|(other, _)| *other == file)
    }

    /// Adds an entry; gives the one that the file had.
    pub fn insert(&self, file: A::File, value: T) -> Option<T> {
        let mut entries = lock(&self.entries);
        let old = entries.iter().position(|(other, _)| *other == file);
        let old = old.map(|at| entries.swap_remove(at).1);
        entries.push((file, value));
        self.number.store(entries.len(), Ordering::Release);
        old
    }

    pub fn remove(&self, file: A::File) -> Option<T> {
        if self.number.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut entries = lock(&self.entries);
        let at = entries.iter().position(|(other, _)| *other == file)?;
        let (_, value) = entries.swap_remove(at);
        self.number.store(entries.len(), Ordering::Release);
        Some(value)
    }
}

impl<A: Abi> Files<A> {
    pub const fn new() -> Self {
        Files { converted: FileTable::new(), split: FileTable::new() }
    }

    /// A split collective has begun. One that the program has never ended may still be the
    /// library's: its memory is lost.
    pub fn begin(&self, file: A::File, access: SplitAccess<A>) {
        if let Some(lost) = self.split.insert(file, access) {
            std::mem::forget(lost);
        }
    }

    /// The packed memory of the split collective that is about to end.
    pub fn end(&self, file: A::File) -> Option<SplitAccess<A>> {
        self.split.remove(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_mpi::{Mpich, RawHandle};

    #[test]
    fn each_file_has_one_value_until_it_is_closed() {
        let table = FileTable::<Mpich, u32>::new();
        let file = <Mpich as Abi>::File::from_bits;
        assert!(!table.has(file(8)) && table.remove(file(8)).is_none());
        assert_eq!((table.insert(file(8), 1), table.insert(file(16), 2)), (None, None));
        assert_eq!(table.insert(file(8), 3), Some(1));
        assert!(table.has(file(8)) && table.has(file(16)) && !table.has(file(24)));
        assert_eq!((table.remove(file(8)), table.remove(file(8))), (Some(3), None));
        assert_eq!((table.remove(file(16)), table.has(file(16))), (Some(2), false));
    }
}

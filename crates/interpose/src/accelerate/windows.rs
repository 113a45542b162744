//! The windows of the program whose processes share memory, by handle.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use commloom_plan::Plan;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::accelerate::epochs::Epochs;
use crate::accelerate::put_ways::PutWays;
use crate::node::present::Present;
use crate::node::puts::OwnPuts;
use crate::node::shared_window::SharedWindow;
use crate::runtime::sync::lock;

/// Layouts of others that are remembered at once.
const LAYOUTS: usize = 256;

/// All of them.
pub(crate) struct Windows {
    number: AtomicUsize,
    by_handle: Mutex<FxHashMap<usize, Arc<Window>>>,
    /// How many windows each group of processes has made.
    made: Mutex<FxHashMap<u64, u64>>,
    /// The layouts that others have put into windows here, by notation.
    layouts: Mutex<FxHashMap<Box<[u8]>, Plan>>,
    pub own: OwnPuts,
}

/// One window.
pub(crate) struct Window {
    pub shared: SharedWindow,
    /// Ranks in the world, by rank in the window.
    pub members: Vec<Option<u32>>,
    /// The part of this process.
    pub memory: WindowMemory,
    pub state: Mutex<WindowState>,
}

/// Memory of the program that others put something into.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WindowMemory {
    pub base: *mut u8,
    pub bytes: u64,
}

// SAFETY: an address, of memory that is the window's until it is freed; who touches it is settled
// by the epochs.
unsafe impl Send for WindowMemory {}
// SAFETY: as for `Send`.
unsafe impl Sync for WindowMemory {}

/// The part of a window that changes while it is in use.
#[derive(Default)]
pub(crate) struct WindowState {
    pub epochs: Epochs,
    /// Puts of rounds that the end of the epoch completes.
    pub puts: usize,
    /// The time of packing for others to unpack.
    pub given: Duration,
    /// How puts into it go.
    pub ways: PutWays,
}

impl Windows {
    pub const fn new() -> Self {
        Windows {
            number: AtomicUsize::new(0),
            by_handle: Mutex::new(FxHashMap::with_hasher(FxBuildHasher)),
            made: Mutex::new(FxHashMap::with_hasher(FxBuildHasher)),
            layouts: Mutex::new(FxHashMap::with_hasher(FxBuildHasher)),
            own: OwnPuts::new(),
        }
    }

    /// The window of a handle. Where there is none, a look costs one load.
    #[inline]
    pub fn get(&self, handle: usize) -> Option<Arc<Window>> {
        if self.number.load(Ordering::Relaxed) == 0 {
            return None;
        }
        lock(&self.by_handle).get(&handle).cloned()
    }

    /// The number of the window that these processes have made now. They make those of one group
    /// in the same order, since each of these calls waits for all of them (MPI 4.1, section 12.2).
    fn name(&self, members: &[Option<u32>]) -> u64 {
        let group = FxBuildHasher.hash_one(members);
        let mut made = lock(&self.made);
        let number = made.entry(group).or_default();
        *number += 1;
        FxBuildHasher.hash_one((group, *number)) | 1
    }

    /// A window is there: opens it to the others of this machine.
    pub fn insert(
        &self,
        handle: usize,
        present: &Present,
        members: Vec<Option<u32>>,
        (memory, unit): (WindowMemory, u64),
    ) {
        let name = self.name(&members);
        let open = (name, memory.bytes, unit);
        let Some(shared) = present.open_window(&members, open) else { return };
        let window = Window { shared, members, memory, state: Mutex::default() };
        let mut by_handle = lock(&self.by_handle);
        // A tool between the program and the library has made it in our name.
        if let Some(before) = by_handle.insert(handle, Arc::new(window)) {
            before.shared.close();
        }
        self.number.store(by_handle.len(), Ordering::Relaxed);
    }

    /// A window is gone. The library may have given its handle to the next one.
    pub fn remove(&self, handle: usize, window: &Arc<Window>) {
        let mut by_handle = lock(&self.by_handle);
        if by_handle.get(&handle).is_some_and(|known| Arc::ptr_eq(known, window)) {
            by_handle.remove(&handle);
            window.shared.close();
        }
        self.number.store(by_handle.len(), Ordering::Relaxed);
    }

    /// The plan of a layout of others, remembered or made now.
    pub fn layout(&self, notation: &[u8], make: impl FnOnce() -> Option<Plan>) -> Option<Plan> {
        let known = lock(&self.layouts).get(notation).cloned();
        if known.is_some() {
            return known;
        }
        let plan = make()?;
        let mut layouts = lock(&self.layouts);
        if layouts.len() >= LAYOUTS {
            layouts.clear();
        }
        layouts.insert(notation.into(), plan.clone());
        Some(plan)
    }
}

impl Window {
    /// The rank in the window of each of these ranks in the world.
    pub fn ranks(&self, world: &[Option<u32>]) -> Option<Vec<usize>> {
        let rank = |one: &Option<u32>| self.members.iter().position(|other| other == one);
        world.iter().map(|one| one.and_then(|_| rank(one))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_give_windows_the_same_names_whatever_else_they_make() {
        let (one, two) = (Windows::new(), Windows::new());
        let (all, some) = ([Some(0), Some(1), Some(2)], [Some(1), Some(2)]);
        let names = [one.name(&all), one.name(&all)];
        assert_eq!(two.name(&all), names[0]);
        let other = two.name(&some);
        assert_eq!(two.name(&all), names[1]);
        assert_eq!(names.len(), 2);
        assert!(names[0] != names[1] && !names.contains(&other));
    }
}

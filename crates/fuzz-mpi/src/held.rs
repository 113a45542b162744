//! The memory that a process holds.

use std::ffi::CStr;

/// Memory of this process at one moment, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Handed out by `malloc`, or mapped by the preload, and not given back yet: by whom is the
    /// same, the preload, the MPI library or the program. Free memory that allocators keep does
    /// not count, so that nothing settles here: what grows leaks.
    pub allocated: u64,
    /// Of these, what the preload keeps for later messages: it grows to a bound.
    pub kept: u64,
    /// Resident pages, after the free ones went back to the system.
    pub resident: u64,
}

impl Held {
    /// Looks, and gives free memory back. Takes milliseconds.
    pub fn now() -> Held {
        // SAFETY: both take any state of the heap, with any number of threads.
        let heap = unsafe {
            libc::malloc_trim(0);
            libc::mallinfo2()
        };
        // In the arenas, and by mmap.
        let allocated = heap.uordblks + heap.hblkhd;
        Held {
            allocated: u64::try_from(allocated).unwrap_or(u64::MAX) + asked(c"commloom_mapped"),
            kept: asked(c"commloom_kept"),
            resident: resident(),
        }
    }

    /// The memory that must not grow.
    pub fn needed(&self) -> u64 {
        self.allocated.saturating_sub(self.kept)
    }
}

/// The number that the preload gives by this function; nothing where none is there.
pub fn asked(function: &CStr) -> u64 {
    // SAFETY: a C string.
    let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, function.as_ptr()) };
    if symbol.is_null() {
        return 0;
    }
    // SAFETY: every preload exports both with this prototype.
    let answer: extern "C" fn() -> u64 = unsafe { std::mem::transmute(symbol) };
    answer()
}

/// The second number of proc_pid_statm(5), in pages.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
    // SAFETY: asks for a number.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    pages * u64::try_from(page.max(0)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_counts_until_it_is_given_back() {
        const SIZES: [usize; 2] = [100, 8 << 20];
        for size in SIZES {
            let number = (64 << 20) / size;
            let bytes = u64::try_from(size * number).unwrap();
            let before = Held::now();
            let held: Vec<Vec<u8>> = (0..number).map(|_| vec![1; size]).collect();
            let with = Held::now();
            drop(held);
            let after = Held::now();
            // Other tests allocate at the same time, and what they gave back may stay resident.
            assert!(with.allocated >= before.allocated + bytes * 3 / 4, "{before:?} {with:?}");
            assert!(with.resident >= before.resident + bytes * 3 / 4, "{before:?} {with:?}");
            assert!(after.allocated <= before.allocated + bytes / 4, "{before:?} {after:?}");
        }
    }
}

//! The memory that everybody packs from and into: one region, shared with the processes of the MPI
//! libraries, so that all contenders have the same pages.
//!
//! The regions begin on pages; `packed` begins half a page after one, and `copy` on one again.
//! Stores and loads that go forward together are then about 2 kB apart modulo 4 kB, for everybody,
//! and no load waits for an unrelated store because the low twelve bits are equal.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use crate::layouts::{MOST_MEMORY, MOST_PACKED, length};

const PAGE: usize = 4096;

/// Addresses of the three regions in a process.
#[derive(Clone, Copy)]
pub struct Buffers {
    /// The memory of a layout: its displacement 0.
    pub memory: *mut u8,
    /// The packed stream.
    pub packed: *mut u8,
    /// As large as `packed`, for memcpy.
    pub copy: *mut u8,
}

/// The shared region.
pub struct Region {
    file: OwnedFd,
    buffers: Buffers,
    /// Bytes of memory that hold the pattern.
    filled: usize,
}

impl Region {
    /// A new region; pages are only taken when they are used.
    pub fn new(misalign: usize) -> Result<Region, String> {
        // SAFETY: a C string; the result is checked.
        let fd = unsafe { libc::memfd_create(c"commloom-speed".as_ptr(), 0) };
        if fd < 0 {
            return Err(format!("memfd_create: {}", std::io::Error::last_os_error()));
        }
        // SAFETY: just created, owned by nobody else.
        let file = unsafe { OwnedFd::from_raw_fd(fd) };
        let size = i64::try_from(total()).expect("a few GiB");
        // SAFETY: a file of ours.
        if unsafe { libc::ftruncate(file.as_raw_fd(), size) } != 0 {
            return Err(format!("ftruncate: {}", std::io::Error::last_os_error()));
        }
        Region::open(file, misalign)
    }

    /// The region of another process, from the descriptor that was inherited.
    pub fn inherited(fd: i32, misalign: usize) -> Result<Region, String> {
        // SAFETY: the parent leaves the descriptor open for this process, and nothing else takes
        // it.
        Region::open(unsafe { OwnedFd::from_raw_fd(fd) }, misalign)
    }

    fn open(file: OwnedFd, misalign: usize) -> Result<Region, String> {
        // SAFETY: a new mapping of a file that is as long.
        let base = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                total(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(format!("mmap: {}", std::io::Error::last_os_error()));
        }
        let base = base.cast::<u8>();
        let packed = region(MOST_MEMORY) + PAGE / 2;
        let buffers = Buffers {
            memory: base.wrapping_add(misalign),
            packed: base.wrapping_add(packed + 3 * misalign),
            copy: base.wrapping_add(packed + PAGE / 2 + region(MOST_PACKED)),
        };
        Ok(Region { file, buffers, filled: 0 })
    }

    pub fn buffers(&self) -> Buffers {
        self.buffers
    }

    /// The descriptor that a child inherits.
    pub fn descriptor(&self) -> i32 {
        self.file.as_raw_fd()
    }

    /// Writes the pattern to the first `bytes` of memory, where it is not yet.
    pub fn fill(&mut self, bytes: usize) {
        if bytes > self.filled {
            self.refill(self.filled..bytes);
            self.filled = bytes.next_multiple_of(8);
        }
    }

    /// Writes the pattern anew.
    pub fn refill(&mut self, range: std::ops::Range<usize>) {
        for word in range.start / 8..range.end.div_ceil(8) {
            // SAFETY: inside the memory, which has room past every footprint.
            unsafe { self.buffers.memory.cast::<u64>().add(word).write_unaligned(pattern(word)) };
        }
    }

    /// The first byte of memory below `bytes` that differs from the pattern.
    pub fn damage(&self, bytes: usize) -> Option<usize> {
        let differs = |&word: &usize| {
            // SAFETY: inside the memory, which has room past every footprint.
            let found = unsafe { self.buffers.memory.cast::<u64>().add(word).read_unaligned() };
            found != pattern(word)
        };
        (0..bytes.div_ceil(8)).find(differs).map(|word| 8 * word)
    }
}

/// Neighbouring words, and words a power of two apart, have different bytes.
fn pattern(word: usize) -> u64 {
    let z = (word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z ^ (z >> 29)
}

/// Room for that many bytes, misaligned, with pages between.
fn region(bytes: i64) -> usize {
    length(bytes).next_multiple_of(PAGE) + 4 * PAGE
}

fn total() -> usize {
    region(MOST_MEMORY) + 2 * region(MOST_PACKED) + PAGE
}

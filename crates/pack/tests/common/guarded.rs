//! Memory between two pages that nobody may touch.

use std::ptr;

/// Where the usable bytes lie between the guard pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The first byte is the first of a page after a guard page.
    Low,
    /// The last byte is the last of a page before a guard page.
    High,
}

/// `len` usable bytes that touch a guard page on one side.
pub struct Guarded {
    map: *mut u8,
    map_len: usize,
    start: *mut u8,
    len: usize,
}

impl Guarded {
    pub fn new(len: usize, side: Side) -> Guarded {
        // SAFETY: sysconf, mmap and mprotect are called as documented, on memory of our own.
        unsafe {
            let page = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).expect("a page size");
            let inner = len.div_ceil(page) * page;
            let map_len = inner + 2 * page;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let map = libc::mmap(ptr::null_mut(), map_len, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(map, libc::MAP_FAILED, "mmap of {map_len} bytes failed");
            let map = map.cast::<u8>();
            let usable = map.add(page);
            if inner > 0 {
                let access = libc::PROT_READ | libc::PROT_WRITE;
                assert_eq!(libc::mprotect(usable.cast(), inner, access), 0);
            }
            let start = if side == Side::Low { usable } else { usable.add(inner - len) };
            Guarded { map, map_len, start, len }
        }
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: `len` bytes from `start` are mapped, initialized to zero, and ours alone.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }

    pub fn pointer(&self) -> *mut u8 {
        self.start
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: this is what `new` mapped.
        unsafe { libc::munmap(self.map.cast(), self.map_len) };
    }
}

//! Packed buffers, kept for the next message of about the same size.
//!
//! Each is a mapping of its own, with room behind it and a guard behind that. Open MPI writes the
//! whole message into a contiguous receive where it reads it from the sender's memory, however
//! short the receive is (`ob1`'s get protocol, 4.1 and 5.0). On the heap that would damage what
//! lies behind the buffer. Here it ends in the room, or at the guard, where the kernel refuses the
//! copy: then Open MPI has the message sent in fragments, and cuts it off at the end of the
//! receive as for any datatype.

use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::runtime::making::making;

/// Bytes that a pool keeps at most while they are not in use. A program that has more messages
/// under way than this pays one mapping for each further one.
const KEEP: usize = 64 << 20;

/// Buffers that live at most. The kernel gives a process 65,530 mappings, and a buffer is two of
/// them: the program and its library shall not run out of them on our account.
const MOST: usize = 8192;

/// Room behind a buffer: as much again, at least this. What is not written costs addresses, no
/// memory.
const LEAST_ROOM: usize = 64 << 10;

/// Bytes of a new buffer that get their memory at once.
const FAULTED_IN: usize = 1 << 20;

/// Behind the room, and what mappings are multiples of: no page is larger.
const GUARD: usize = 64 << 10;

/// Buffers that are not in use, by size class (powers of two).
#[derive(Debug)]
pub struct Pool {
    idle: Mutex<Idle>,
}

#[derive(Debug)]
struct Idle {
    bytes: usize,
    classes: [Vec<Buffer>; CLASSES],
}

/// 2^12 (a page) to 2^31 bytes.
const CLASSES: usize = 20;
const SMALLEST: usize = 1 << 12;

/// Buffers of this process that live, and their bytes without the rooms.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// A buffer of at least the length that was asked for. Goes back to its pool by [`Pool::put`];
/// dropping it gives its memory back.
#[derive(Debug)]
pub struct Buffer {
    start: NonNull<u8>,
    length: usize,
    /// With room and guard.
    mapped: usize,
}

// SAFETY: the mapping belongs to the buffer alone, and lives in no thread.
unsafe impl Send for Buffer {}
// SAFETY: shared references only read.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// A new mapping of `length` readable and writable bytes with so much room; `None` where the
    /// limits of the process or of the machine do not allow it.
    fn map(length: usize, room: usize) -> Option<Buffer> {
        let usable = length.checked_add(room)?.checked_next_multiple_of(GUARD)?;
        let mapped = usable.checked_add(GUARD)?;
        // SAFETY: a new mapping, at an address of the kernel's choice.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if start == libc::MAP_FAILED {
            return None;
        }
        LIVE.fetch_add(1, Ordering::Relaxed);
        BYTES.fetch_add(length, Ordering::Relaxed);
        let buffer = Buffer { start: NonNull::new(start.cast())?, length, mapped };
        // SAFETY: pages of the mapping that was just made; nobody else knows it.
        let opened = unsafe { libc::mprotect(start, usable, libc::PROT_READ | libc::PROT_WRITE) };
        (opened == 0).then_some(buffer)
    }

    /// Has the kernel give it the pages of so many bytes at once, which takes some 0.6 of the time
    /// that they take one by one. Long ones are left: a receive may have room for more than ever
    /// comes.
    fn fault_in(&self, bytes: usize) {
        let bytes = bytes.min(self.length).min(FAULTED_IN);
        // SAFETY: pages of the mapping, which keep their content. Kernels before Linux 5.14
        // refuse.
        unsafe { libc::madvise(self.start.as_ptr().cast(), bytes, libc::MADV_POPULATE_WRITE) };
    }

    /// Its bytes, of any content.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the mapping has so many bytes that can be written, zero from the start on, and
        // is borrowed with the buffer. The library writes into it only between two uses of ours.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.length) }
    }

    /// Its bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        // SAFETY: the mapping has so many bytes that can be read, zero from the start on, and is
        // borrowed with the buffer. The library writes into it only between two uses of ours.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        LIVE.fetch_sub(1, Ordering::Relaxed);
        BYTES.fetch_sub(self.length, Ordering::Relaxed);
        // SAFETY: the mapping is the buffer's, and nothing borrows from it any more.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.mapped) };
    }
}

impl Pool {
    /// A pool without buffers.
    #[must_use]
    pub const fn new() -> Pool {
        Pool { idle: Mutex::new(Idle { bytes: 0, classes: [const { Vec::new() }; CLASSES] }) }
    }

    /// A buffer of at least `bytes` bytes with any content; `None` where there is no memory for
    /// it.
    pub fn get(&self, bytes: usize) -> Option<Buffer> {
        let size = bytes.max(SMALLEST).checked_next_power_of_two()?;
        let mut idle = self.idle.lock().ok()?;
        if let Some(buffer) = idle.classes.get_mut(class(size)?)?.pop() {
            idle.bytes -= size;
            return Some(buffer);
        }
        drop(idle);
        if LIVE.load(Ordering::Relaxed) >= MOST {
            return None;
        }
        making(|| {
            // Where addresses are limited (RLIMIT_AS) or memory is promised only once (strict
            // overcommit), the guard alone has to do.
            let map = Buffer::map(size, size.max(LEAST_ROOM)).or_else(|| Buffer::map(size, 0));
            map.inspect(|buffer| buffer.fault_in(bytes))
        })
    }

    /// Bytes of the buffers that are not in use.
    pub fn bytes(&self) -> usize {
        self.idle.lock().map_or(0, |idle| idle.bytes)
    }

    /// Takes a buffer back.
    pub fn put(&self, buffer: Buffer) {
        let size = buffer.length;
        let (Ok(mut idle), Some(class)) = (self.idle.lock(), class(size)) else { return };
        if idle.bytes + size <= KEEP {
            idle.bytes += size;
            idle.classes[class].push(buffer);
        }
    }
}

/// Bytes of all buffers of this process, in use or not.
pub fn mapped() -> u64 {
    u64::try_from(BYTES.load(Ordering::Relaxed)).unwrap_or(u64::MAX)
}

impl Default for Pool {
    fn default() -> Self {
        Pool::new()
    }
}

/// The class of a power of two.
fn class(size: usize) -> Option<usize> {
    let log = usize::try_from(size.trailing_zeros() - SMALLEST.trailing_zeros()).ok()?;
    (log < CLASSES).then_some(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_back_for_the_next_message_of_its_size() {
        let pool = Pool::new();
        let first = pool.get(5000).unwrap();
        let at = first.as_slice().as_ptr();
        assert!(first.as_slice().len() >= 5000);
        pool.put(first);
        assert_eq!(pool.get(8192).unwrap().as_slice().as_ptr(), at);
    }

    #[test]
    fn what_no_machine_has_is_refused_and_not_an_abort() {
        assert!(Pool::new().get(usize::MAX).is_none());
        assert!(Pool::new().get(1 << 40).is_none());
    }

    #[test]
    fn no_more_is_kept_than_the_limit() {
        let pool = Pool::new();
        let buffers: Vec<_> = (0..5).map(|_| pool.get(KEEP / 4).unwrap()).collect();
        for b in buffers {
            pool.put(b);
        }
        assert_eq!(pool.bytes(), KEEP);
    }

    /// Whether the kernel writes a byte there.
    fn takes(address: *mut u8) -> bool {
        let mut byte = 7u8;
        let from = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
        let to = libc::iovec { iov_base: address.cast(), iov_len: 1 };
        // SAFETY: the kernel checks the address that it writes to, which is in a mapping of the
        // test.
        let written = unsafe {
            libc::process_vm_writev(libc::getpid(), &raw const from, 1, &raw const to, 1, 0)
        };
        written == 1
    }

    #[test]
    fn what_is_written_past_the_end_ends_in_the_room_or_at_the_guard() {
        let pool = Pool::new();
        for bytes in [1, 5000, 70_000, 1 << 20, 3 << 20] {
            let mut buffers: Vec<_> = (0..4).map(|_| pool.get(bytes).unwrap()).collect();
            for buffer in &mut buffers {
                buffer.as_mut_slice().fill(1);
            }
            for b in &buffers {
                let (start, usable) = (b.start.as_ptr(), b.mapped - GUARD);
                assert!(usable >= 2 * b.length, "{bytes}");
                // SAFETY: the room is part of the mapping.
                unsafe { start.add(b.length).write_bytes(9, usable - b.length) };
                assert!(takes(start.wrapping_add(usable - 1)), "{bytes}");
                for past in [0, 1, GUARD / 2, GUARD - 1] {
                    assert!(!takes(start.wrapping_add(usable + past)), "{bytes}, {past}");
                }
            }
            for b in &buffers {
                assert!(b.as_slice().iter().all(|&byte| byte == 1), "{bytes}");
            }
        }
    }

    #[test]
    fn where_addresses_are_limited_the_room_is_left_out_and_then_the_buffer() {
        let size = 32 << 20;
        // SAFETY: the child has one thread, and ends by _exit.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
            let pages: u64 = text.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            let most = pages * 4096 + 40 * (1 << 20);
            let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
            // SAFETY: a limit of this process.
            let limited = unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) } == 0;
            let pool = Pool::new();
            let first = pool.get(size);
            let without_room = first.as_ref().is_some_and(|b| b.mapped < 2 * size);
            let right = limited && without_room && pool.get(size).is_none();
            // SAFETY: ends the child at once, without what the test's process does at its end.
            unsafe { libc::_exit(i32::from(!right)) };
        }
        let mut status = 0;
        // SAFETY: waits for the child of this test.
        assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0, "{status}");
    }
}

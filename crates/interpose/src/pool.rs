//! Packed buffers, kept for the next message of about the same size.

use std::sync::Mutex;

/// Bytes that a pool keeps at most while they are not in use. A program that has more messages
/// under way than this pays one allocation for each further one.
const KEEP: usize = 64 << 20;

/// Buffers that are not in use, by size class (powers of two).
#[derive(Debug)]
pub struct Pool {
    idle: Mutex<Idle>,
}

#[derive(Debug)]
struct Idle {
    bytes: usize,
    classes: [Vec<Box<[u8]>>; CLASSES],
}

/// 2^12 (a page) to 2^31 bytes.
const CLASSES: usize = 20;
const SMALLEST: usize = 1 << 12;

/// A buffer of at least the length that was asked for. Goes back to its pool by [`Pool::put`];
/// dropping it frees it.
#[derive(Debug)]
pub struct Buffer(Box<[u8]>);

impl Buffer {
    /// Its bytes, of any content.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.0
    }

    /// Its bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl Pool {
    /// A pool without buffers.
    #[must_use]
    pub const fn new() -> Pool {
        Pool { idle: Mutex::new(Idle { bytes: 0, classes: [const { Vec::new() }; CLASSES] }) }
    }

    /// A buffer of at least `bytes` bytes with any content; `None` where there is no memory for it.
    pub fn get(&self, bytes: usize) -> Option<Buffer> {
        let size = bytes.max(SMALLEST).checked_next_power_of_two()?;
        let mut idle = self.idle.lock().ok()?;
        if let Some(buffer) = idle.classes.get_mut(class(size)?)?.pop() {
            idle.bytes -= size;
            return Some(Buffer(buffer));
        }
        drop(idle);
        let mut fresh = Vec::new();
        fresh.try_reserve_exact(size).ok()?;
        fresh.resize(size, 0u8);
        Some(Buffer(fresh.into_boxed_slice()))
    }

    /// Bytes of the buffers that are not in use.
    pub fn bytes(&self) -> usize {
        self.idle.lock().map_or(0, |idle| idle.bytes)
    }

    /// Takes a buffer back.
    pub fn put(&self, buffer: Buffer) {
        let size = buffer.0.len();
        let (Ok(mut idle), Some(class)) = (self.idle.lock(), class(size)) else { return };
        if idle.bytes + size <= KEEP {
            idle.bytes += size;
            idle.classes[class].push(buffer.0);
        }
    }
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
}

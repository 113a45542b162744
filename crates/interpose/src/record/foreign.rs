//! Memory of the program that may be gone by now: the kernel reads it, and says where it ends.

/// Pages that are left out at most at the beginning of what is read.
const SKIPPED: u32 = 8;
const PAGE: u64 = 4096;

/// The bytes of this process from `start` on, at most `length`, and where the first of them is: up
/// to where no memory is any more, and without some pages at the beginning where none is yet.
/// `None` where nothing can be read.
pub(super) fn read_some(start: u64, length: usize) -> Option<(u64, Vec<u8>)> {
    let end = start.checked_add(u64::try_from(length).ok()?)?;
    let mut from = start;
    let mut bytes = vec![0; length];
    for _ in 0..SKIPPED {
        bytes.truncate(usize::try_from(end.checked_sub(from)?).ok()?);
        if bytes.is_empty() {
            return None;
        }
        let there = read(from, &mut bytes);
        if there > 0 {
            bytes.truncate(there);
            return Some((from, bytes));
        }
        from = (from / PAGE + 1).checked_mul(PAGE)?;
    }
    None
}

/// Fills `out` with the bytes from `start` on; whether all of them could be read.
pub(super) fn read_all(start: u64, out: &mut [u8]) -> bool {
    read(start, out) == out.len()
}

/// How many bytes could be read.
fn read(start: u64, out: &mut [u8]) -> usize {
    let Ok(address) = usize::try_from(start) else { return 0 };
    let to = libc::iovec { iov_base: out.as_mut_ptr().cast(), iov_len: out.len() };
    let from =
        libc::iovec { iov_base: std::ptr::without_provenance_mut(address), iov_len: out.len() };
    // SAFETY: the kernel writes to `out` only, and checks the addresses that it reads. What other
    // threads write meanwhile it reads as it happens to be.
    let there =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const to, 1, &raw const from, 1, 0) };
    usize::try_from(there).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_read_and_what_is_gone_is_said() {
        let length = 3 * usize::try_from(PAGE).unwrap();
        // SAFETY: a new mapping; its first and last page are taken away again, and nobody else
        // knows it.
        let start = unsafe {
            let place = libc::mmap(
                std::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(place, libc::MAP_FAILED);
            place.cast::<u8>().write_bytes(7, length);
            libc::munmap(place, length / 3);
            libc::munmap(place.byte_add(2 * length / 3), length / 3);
            u64::try_from(place.addr()).unwrap()
        };
        assert_eq!(read_some(start, length), Some((start + PAGE, vec![7; length / 3])));
        let mut out = [0; 16];
        assert!(read_all(start + PAGE, &mut out) && out == [7; 16]);
        assert!(!read_all(start + 2 * PAGE - 8, &mut out), "half of it is gone");
        assert_eq!(read_some(0, 64), None);
    }
}

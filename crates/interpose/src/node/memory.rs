//! The memory that one process shares with the others of its machine: offers for each of them, and
//! room for packed bytes. It has no name: the others open it through `/proc`, as who may look at
//! this process, and know by a stamp that it is what they look for.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

use super::offers::{Extent, OFFERS, Offer};
use super::put_board::PutBoard;
use super::room::SEATS;

/// Room for packed bytes. What is not written costs addresses, no memory.
pub(super) const PACKED: u64 = 64 << 20;

/// The beginning of the memory.
#[repr(C, align(64))]
struct Head {
    stamp: [AtomicU64; 2],
    offers: [[Offer; OFFERS]; SEATS],
    puts: PutBoard,
}

/// Where the packed bytes begin, a multiple of any page.
const START: usize = size_of::<Head>().next_multiple_of(1 << 16);

/// The memory of one process as this one sees it. It stays mapped until the process ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedMemory {
    base: NonNull<u8>,
}

// SAFETY: the mapping is never taken back. Its head is atomic; who may touch which packed bytes is
// settled by the offers.
unsafe impl Send for SharedMemory {}
// SAFETY: as for `Send`.
unsafe impl Sync for SharedMemory {}

/// Whether this process may make a file of so many bytes: a signal would end it otherwise
/// (`ulimit -f`).
fn may_be_as_long(bytes: u64) -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: a limit that the system knows, and a place for it.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) } == 0;
    known && bytes <= limit.rlim_cur
}

impl SharedMemory {
    /// Makes it; the file has to stay open as long as others may come.
    pub fn create(stamp: [u64; 2]) -> io::Result<(SharedMemory, File)> {
        // SAFETY: the name ends with a zero; the result is a new descriptor or an error.
        let descriptor = unsafe {
            libc::memfd_create(c"commloom".as_ptr(), libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING)
        };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a new descriptor that nobody else has.
        let file = unsafe { File::from_raw_fd(descriptor) };
        if !may_be_as_long(bytes()) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        file.set_len(bytes())?;
        // Nobody can make it shorter, which would end whoever touches it by a signal.
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: a descriptor of ours, and a number.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let made = SharedMemory::map(&file)?;
        for (word, value) in made.head().stamp.iter().zip(stamp) {
            word.store(value, Ordering::Release);
        }
        Ok((made, file))
    }

    /// The memory that another process has made, and has open as this descriptor.
    pub fn open(process: u32, descriptor: u32, stamp: [u64; 2]) -> io::Result<SharedMemory> {
        let path = format!("/proc/{process}/fd/{descriptor}");
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        // SAFETY: a descriptor of ours, and a number.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        if seals < 0 || seals & libc::F_SEAL_SHRINK == 0 || file.metadata()?.len() != bytes() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let found = SharedMemory::map(&file)?;
        let read = |word: &AtomicU64| word.load(Ordering::Acquire);
        match found.head().stamp.each_ref().map(read) == stamp {
            true => Ok(found),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn map(file: &File) -> io::Result<SharedMemory> {
        let length = usize::try_from(bytes()).map_err(io::Error::other)?;
        let (access, anywhere) = (libc::PROT_READ | libc::PROT_WRITE, std::ptr::null_mut());
        // SAFETY: a new mapping of an open file, wherever there is room.
        let at =
            unsafe { libc::mmap(anywhere, length, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        match NonNull::new(at.cast::<u8>()) {
            Some(base) if at != libc::MAP_FAILED => Ok(SharedMemory { base }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn head(&self) -> &'static Head {
        // SAFETY: the mapping is longer than a head, aligned to a page, and is never taken back.
        // Other processes change the head by atomic operations only, which all of it are.
        unsafe { self.base.cast::<Head>().as_ref() }
    }

    /// The offers for the process in this seat.
    pub fn offers(&self, seat: usize) -> Option<&'static [Offer; OFFERS]> {
        self.head().offers.get(seat)
    }

    /// The part that is about windows.
    pub fn puts(&self) -> &'static PutBoard {
        &self.head().puts
    }

    /// Where a part of the room for packed bytes is; `None` if it is not inside.
    pub fn packed(&self, part: Extent) -> Option<NonNull<[u8]>> {
        part.start.checked_add(part.bytes).filter(|&end| end <= PACKED)?;
        let start = usize::try_from(part.start).ok()?;
        let bytes = usize::try_from(part.bytes).ok()?;
        // SAFETY: inside the mapping, which is that long.
        let first = unsafe { self.base.add(START + start) };
        Some(NonNull::slice_from_raw_parts(first, bytes))
    }
}

/// Bytes of all.
fn bytes() -> u64 {
    u64::try_from(START).map_or(u64::MAX, |start| start + PACKED)
}

/// A number that nobody else has.
pub(super) fn stamp() -> Option<[u64; 2]> {
    let mut bytes = [0_u8; 16];
    // SAFETY: so many bytes can be written there.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
    (usize::try_from(got) == Ok(bytes.len()))
        .then(|| [u64::from_ne_bytes([a, b, c, d, e, f, g, h]), u64::from_ne_bytes(rest)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_process_would_see_the_same_bytes_and_nothing_else_is_taken_for_it() {
        let stamp = [7, 8];
        let (mine, file) = SharedMemory::create(stamp).unwrap();
        let descriptor = u32::try_from(file.as_raw_fd()).unwrap();
        let process = std::process::id();
        let theirs = SharedMemory::open(process, descriptor, stamp).unwrap();
        let part = Extent { start: 4096, bytes: 3 };
        // SAFETY: nobody else touches these bytes.
        unsafe {
            mine.packed(part).unwrap().as_mut().copy_from_slice(b"abc");
            assert_eq!(theirs.packed(part).unwrap().as_ref(), b"abc");
        }
        assert!(theirs.packed(Extent { start: PACKED, bytes: 1 }).is_none());
        assert!(theirs.packed(Extent { start: u64::MAX, bytes: 1 }).is_none());
        assert!(mine.offers(SEATS).is_none());
        assert!(SharedMemory::open(process, descriptor, [7, 9]).is_err(), "another stamp");
        assert!(SharedMemory::open(process, 0, stamp).is_err(), "something else");
        assert!(file.set_len(0).is_err(), "nobody can make it shorter");
    }
}

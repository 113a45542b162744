//! Memory that the processes of one machine share, for their [`Ballot`]s: a file of `/dev/shm`
//! that every process maps, and that has no name any more when all have done so.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use commloom_guard::{NAME, Shareable, make_shareable, open_shared};

use super::ballot::Ballot;
use super::comm::{COMMUNICATORS, GROUPS};

/// Ballots in all.
const BALLOTS: usize = COMMUNICATORS * GROUPS;
/// Bytes of all.
const BYTES: usize = size_of::<Memory>();

/// Memory that all processes share. Every bit pattern is one, and all of it is atomic.
#[repr(C, align(64))]
struct Memory {
    /// A number that tells this memory from any other with the same name.
    stamp: AtomicU64,
    /// Ballots that were given out.
    taken: AtomicU64,
    ballots: [Ballot; BALLOTS],
}

/// The memory as one process sees it. It stays mapped until the process ends.
#[derive(Clone, Copy)]
pub(super) struct Shared(&'static Memory);

impl Shared {
    /// Makes the file, and writes its stamp into it. The file has a name as long as the second
    /// value lives.
    pub fn create(folder: &Path) -> io::Result<(Shared, Shareable)> {
        let made = make_shareable(folder, length()?)?;
        let shared = Shared::map(&made.file)?;
        shared.0.stamp.store(stamp(made.name), Ordering::Release);
        Ok((shared, made))
    }

    /// Opens what another process has made, if it is that.
    pub fn open(folder: &Path, name: [u8; NAME]) -> io::Result<Shared> {
        let shared = Shared::map(&open_shared(folder, name, length()?)?)?;
        match shared.0.stamp.load(Ordering::Acquire) == stamp(name) {
            true => Ok(shared),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn map(file: &File) -> io::Result<Shared> {
        let (access, nothing) = (libc::PROT_READ | libc::PROT_WRITE, std::ptr::null_mut());
        // SAFETY: a new mapping of an open file, wherever there is room.
        let at =
            unsafe { libc::mmap(nothing, BYTES, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the mapping is as long as a `Memory`, aligned to a page, and is never taken
        // back. Other processes change it by atomic operations only, which all of its fields are.
        Ok(Shared(unsafe { &*at.cast::<Memory>() }))
    }

    /// Takes `count` ballots that nobody else gets; where they begin. `None` where there are no
    /// more.
    pub fn take(self, count: usize) -> Option<usize> {
        let count = u64::try_from(count).ok()?;
        let first = usize::try_from(self.0.taken.fetch_add(count, Ordering::AcqRel)).ok()?;
        (first + usize::try_from(count).ok()? <= BALLOTS).then_some(first)
    }

    /// One of the ballots.
    pub fn ballot(self, number: usize) -> Option<&'static Ballot> {
        self.0.ballots.get(number)
    }
}

fn length() -> io::Result<u64> {
    u64::try_from(BYTES).map_err(io::Error::other)
}

/// The number of the memory with this name.
fn stamp(name: [u8; NAME]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = name;
    u64::from_ne_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replace::ballot::{Action, Motion};

    #[test]
    fn two_mappings_are_one_memory_and_another_name_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, made) = Shared::create(folder.path()).expect("a new file");
        let mut foreign = made.name;
        foreign[0] ^= 1;
        assert!(Shared::open(folder.path(), foreign).is_err());
        let other = Shared::open(folder.path(), made.name).expect("the same file");
        drop(made);
        let left = std::fs::read_dir(folder.path()).expect("it is there").count();
        assert_eq!(left, 0, "the file has no name any more");
        assert_eq!((one.take(16), other.take(16)), (Some(0), Some(16)));
        let motion = Motion { round: 2, action: Action::Run };
        let both = [one, other].map(|shared| shared.ballot(3).expect("below the limit"));
        let [mine, theirs] = both;
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(mine.vote(2, motion, || true)));
            assert!(theirs.vote(2, motion, || true));
        });
        assert!(one.ballot(BALLOTS).is_none());
        assert_eq!(one.take(BALLOTS), None);
    }
}

//! Memory that the processes of one machine share, for their [`Ballot`]s: a file of `/dev/shm` that every process maps, and
//! that has no name any more when all have done so.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::ballot::Ballot;
use super::communicators::{COMMUNICATORS, GROUPS, REGIONS};
use super::region::Flag;

/// Ballots in all.
const BALLOTS: usize = COMMUNICATORS * (GROUPS + REGIONS);
/// Messages of regions in all. Only what is used takes memory.
const FLAGS: usize = 1 << 16;
/// Bytes of all.
const BYTES: usize = size_of::<Memory>();

/// What the processes have in common. Every bit pattern is one, and all of it is atomic.
#[repr(C, align(64))]
struct Memory {
    /// A number that tells this memory from any other with the same name.
    stamp: AtomicU64,
    /// Ballots that were given out.
    taken: AtomicU64,
    ballots: [Ballot; BALLOTS],
    /// Flags that were given out.
    flags_taken: AtomicU64,
    flags: [Flag; FLAGS],
}

/// The memory as one process sees it. It stays mapped until the process ends.
#[derive(Clone, Copy)]
pub(super) struct Shared(&'static Memory);

impl Shared {
    /// Makes the file, and writes `stamp` into it.
    pub fn create(path: &Path, stamp: u64) -> io::Result<Shared> {
        use std::os::unix::fs::OpenOptionsExt;
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create_new(true).mode(0o600).open(path)?;
        file.set_len(u64::try_from(BYTES).unwrap_or(u64::MAX))?;
        let shared = Shared::map(&file)?;
        shared.0.stamp.store(stamp, Ordering::Release);
        Ok(shared)
    }

    /// Opens what another process has made, if it is that.
    pub fn open(path: &Path, stamp: u64) -> io::Result<Shared> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        if file.metadata()?.len() != u64::try_from(BYTES).unwrap_or(u64::MAX) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let shared = Shared::map(&file)?;
        match shared.0.stamp.load(Ordering::Acquire) == stamp {
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
        // SAFETY: the mapping is as long as a `Memory`, aligned to a page, and is never taken back. Other processes
        // change it by atomic operations only, which all of its fields are.
        Ok(Shared(unsafe { &*at.cast::<Memory>() }))
    }

    /// Takes `count` ballots that nobody else gets; where they begin. `None` where there are no more.
    pub fn take(self, count: usize) -> Option<usize> {
        let count = u64::try_from(count).ok()?;
        let first = usize::try_from(self.0.taken.fetch_add(count, Ordering::AcqRel)).ok()?;
        (first + usize::try_from(count).ok()? <= BALLOTS).then_some(first)
    }

    /// The same for flags.
    pub fn take_flags(self, count: usize) -> Option<usize> {
        let count = u64::try_from(count).ok()?;
        let first = usize::try_from(self.0.flags_taken.fetch_add(count, Ordering::AcqRel)).ok()?;
        (first.checked_add(usize::try_from(count).ok()?)? <= FLAGS).then_some(first)
    }

    /// One of them.
    pub fn flag(self, number: usize) -> Option<&'static Flag> {
        self.0.flags.get(number)
    }

    /// One of the ballots.
    pub fn ballot(self, number: usize) -> Option<&'static Ballot> {
        self.0.ballots.get(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replace::ballot::{Action, Motion};

    #[test]
    fn two_mappings_are_one_memory_and_another_stamp_is_none() {
        let path = std::env::temp_dir().join(format!("commloom-shared-{}", std::process::id()));
        let one = Shared::create(&path, 7).expect("a new file");
        assert!(Shared::open(&path, 8).is_err());
        let other = Shared::open(&path, 7).expect("the same file");
        std::fs::remove_file(&path).expect("it is there");
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
        assert_eq!((one.take_flags(5), other.take_flags(FLAGS - 5)), (Some(0), Some(5)));
        assert_eq!(one.take_flags(1), None);
        assert!(one.flag(FLAGS - 1).is_some() && one.flag(FLAGS).is_none());
    }
}

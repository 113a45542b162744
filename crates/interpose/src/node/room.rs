//! The processes of one job on one machine, and where each has its memory: a file that they go to
//! before MPI begins. When it has begun for one of them, all are there who will be, because they
//! wait for each other in `MPI_Init`, and the file loses its name.
//!
//! No message is needed for it, and nobody waits here: who runs without commloom, or comes late,
//! is not there. That the processes are of one job is taken from their launcher: the name of the
//! file is made of what only its processes have in common. Where that is not known, there is no
//! room.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use commloom_guard::{NAME, meet, part};
use twox_hash::XxHash3_64;

use super::told::{TELLERS, ToldTimes};

/// Processes at most.
pub(super) const SEATS: usize = 128;

/// Where they meet.
const FOLDER: &str = "/dev/shm";
/// The launcher of MPICH and Intel MPI, as the kernel calls it: one for each job and machine.
const PROXY: &str = "hydra_pmi_proxy";

/// One process.
#[repr(C, align(64))]
struct Seat {
    /// 1 when the rest is there.
    is_taken: AtomicU32,
    /// In `MPI_COMM_WORLD`.
    rank: AtomicU32,
    process: AtomicU32,
    descriptor: AtomicU32,
    stamp: [AtomicU64; 2],
}

#[repr(C)]
struct Seats {
    /// Of the group that meets here, which the first one writes.
    group: AtomicU64,
    given: AtomicU32,
    /// Two processes say that they have the same rank: these are two jobs, and nobody knows who
    /// is who.
    is_mixed: AtomicU32,
    seats: [Seat; SEATS],
    told: [ToldTimes; TELLERS],
}

/// The processes, as one of them sees them.
#[derive(Clone, Copy)]
pub(super) struct Room(&'static Seats);

/// The name of a room, as long as this value lives.
pub(super) struct Door {
    folder: PathBuf,
    name: [u8; NAME],
}

impl Drop for Door {
    fn drop(&mut self) {
        part(&self.folder, self.name);
    }
}

/// Another process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Neighbour {
    pub seat: usize,
    pub process: u32,
    pub descriptor: u32,
    pub stamp: [u64; 2],
}

impl Room {
    /// Goes in as this rank; the seat. `group` is what only the processes of this job and machine
    /// have in common, `number` how many they are. Others find the memory of this process in the
    /// file, and know it by the stamp.
    pub fn enter(
        (group, number): (&str, u32),
        rank: u32,
        memory: Option<(&File, [u64; 2])>,
    ) -> io::Result<(Room, usize, Door)> {
        Room::enter_in(Path::new(FOLDER), (group, number), rank, memory)
    }

    fn enter_in(
        folder: &Path,
        (group, number): (&str, u32),
        rank: u32,
        memory: Option<(&File, [u64; 2])>,
    ) -> io::Result<(Room, usize, Door)> {
        let name = name(group);
        let bytes = u64::try_from(size_of::<Seats>()).map_err(io::Error::other)?;
        let room = Room(map(&meet(folder, name, bytes)?)?);
        let door = Door { folder: folder.to_owned(), name };
        // Somebody may have given this name to the room of another job.
        let own = XxHash3_64::oneshot_with_seed(1, group.as_bytes()) | 1;
        let first = room.0.group.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire);
        if first.is_err_and(|found| found != own) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let at = room.0.given.fetch_add(1, Ordering::AcqRel);
        let seat = usize::try_from(at).map_err(io::Error::other)?;
        let mine = room.0.seats.get(seat).ok_or(io::ErrorKind::StorageFull)?;
        let descriptor = |file: &File| u32::try_from(file.as_raw_fd());
        let none = (Ok(u32::MAX), [0; 2]);
        let (descriptor, stamp) = memory.map_or(none, |(file, stamp)| (descriptor(file), stamp));
        let descriptor = descriptor.map_err(io::Error::other)?;
        mine.rank.store(rank, Ordering::Relaxed);
        mine.process.store(std::process::id(), Ordering::Relaxed);
        mine.descriptor.store(descriptor, Ordering::Relaxed);
        for (word, value) in mine.stamp.iter().zip(stamp) {
            word.store(value, Ordering::Relaxed);
        }
        mine.is_taken.store(1, Ordering::SeqCst);
        // Of two with the same rank, the later one sees the other: both look after they are seen.
        let same = room
            .taken()
            .filter(|(other, taken)| *other != seat && taken.rank.load(Ordering::Relaxed) == rank);
        if same.count() > 0 || at >= number {
            room.0.is_mixed.store(1, Ordering::SeqCst);
        }
        Ok((room, seat, door))
    }

    /// Whether it is known who is who.
    pub fn is_clear(self) -> bool {
        self.0.is_mixed.load(Ordering::Relaxed) == 0
    }

    /// The process with this rank, if it is there by now.
    pub fn find(self, rank: u32) -> Option<Neighbour> {
        let (seat, taken) =
            self.taken().find(|(_, taken)| taken.rank.load(Ordering::Relaxed) == rank)?;
        Some(Neighbour {
            seat,
            process: taken.process.load(Ordering::Relaxed),
            descriptor: taken.descriptor.load(Ordering::Relaxed),
            stamp: taken.stamp.each_ref().map(|word| word.load(Ordering::Relaxed)),
        })
    }

    /// The times that the process in this seat tells the others, if it does.
    pub fn told(self, seat: usize) -> Option<&'static ToldTimes> {
        self.0.told.get(seat)
    }

    /// The times of all that do.
    pub fn all_told(self) -> impl Iterator<Item = &'static ToldTimes> {
        self.0.told.iter().take(self.given())
    }

    /// How many seats were given.
    pub fn given(self) -> usize {
        usize::try_from(self.0.given.load(Ordering::Relaxed))
            .map_or(SEATS, |given| given.min(SEATS))
    }

    fn taken(self) -> impl Iterator<Item = (usize, &'static Seat)> {
        let seats = self.0.seats.iter().enumerate();
        seats.filter(|(_, seat)| seat.is_taken.load(Ordering::SeqCst) == 1)
    }
}

fn map(file: &File) -> io::Result<&'static Seats> {
    let (access, anywhere) = (libc::PROT_READ | libc::PROT_WRITE, std::ptr::null_mut());
    let length = size_of::<Seats>();
    // SAFETY: a new mapping of an open file, wherever there is room.
    let at = unsafe { libc::mmap(anywhere, length, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the mapping is so long, aligned to a page, and is never taken back. Every bit
    // pattern is a value of it, and others change it by atomic operations only.
    Ok(unsafe { &*at.cast::<Seats>() })
}

/// The name at which a group meets. Where somebody else has it, there is no room, and nothing else
/// happens.
fn name(group: &str) -> [u8; NAME] {
    let digits = format!("{:016x}", XxHash3_64::oneshot(group.as_bytes()));
    let mut name = [b'0'; NAME];
    for (to, from) in name.iter_mut().zip(digits.bytes()) {
        *to = from;
    }
    name
}

/// A text that only the processes of this job and machine have in common. `told` is what their
/// launcher has told them and no other job; without it, the launcher itself, where it is known to
/// start one job only. `None` where nothing is certain.
pub(super) fn group(told: Option<&str>) -> Option<String> {
    let started_by = match told {
        Some(told) => told.to_owned(),
        None => {
            let parent = std::os::unix::process::parent_id();
            let stat = std::fs::read_to_string(format!("/proc/{parent}/stat")).ok()?;
            launcher(parent, &stat)?
        }
    };
    // Processes of two containers may have parents with the same number.
    let names = std::fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{} {started_by}", names.display()))
}

/// A process by its number and when it began, if it is a launcher of one job: of what the kernel
/// says of it (`proc_pid_stat(5)`).
fn launcher(process: u32, stat: &str) -> Option<String> {
    let (before, after) = stat.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    // The state is the third field, and the time the 22nd.
    let began = after.split_whitespace().nth(19)?;
    (name == PROXY).then(|| format!("{process} {began}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(folder: &Path, group: (&str, u32), rank: u32) -> (Room, usize, Door) {
        let file = File::open("/dev/null").unwrap();
        Room::enter_in(folder, group, rank, Some((&file, [u64::from(rank), 1]))).unwrap()
    }

    #[test]
    fn who_enters_is_found_and_the_first_for_whom_mpi_has_begun_takes_the_name_away() {
        let folder = tempfile::tempdir().unwrap();
        let left = || std::fs::read_dir(folder.path()).unwrap().count();
        let (one, seat, door) = enter(folder.path(), ("job", 3), 4);
        assert_eq!((seat, left()), (0, 1));
        let (two, seat, _two) = enter(folder.path(), ("job", 3), 6);
        assert_eq!(seat, 1);
        assert!(two.find(5).is_none());
        let (other, seat, another) = enter(folder.path(), ("another job", 1), 5);
        assert_eq!(seat, 0, "not in the same room");
        assert!(one.find(5).is_none() && other.find(4).is_none());
        let _three = enter(folder.path(), ("job", 3), 5);
        drop((door, another));
        assert_eq!(left(), 0);
        let (late, seat, _late) = enter(folder.path(), ("job", 3), 7);
        assert_eq!((seat, late.find(5)), (0, None), "too late: alone");
        let found = one.find(5).unwrap();
        assert_eq!((found.seat, found.stamp), (2, [5, 1]));
        assert_eq!(found.process, std::process::id());
        assert!([one, two, other].into_iter().all(Room::is_clear));
    }

    #[test]
    fn two_with_one_rank_or_one_too_many_spoil_it_for_all() {
        let folder = tempfile::tempdir().unwrap();
        let (one, _, _door) = enter(folder.path(), ("job", 4), 0);
        assert!(one.is_clear());
        let _same = enter(folder.path(), ("job", 4), 0);
        assert!(!one.is_clear());
        let (one, _, _door) = enter(folder.path(), ("full", 2), 0);
        let _two = enter(folder.path(), ("full", 2), 1);
        assert!(one.is_clear());
        let _three = enter(folder.path(), ("full", 2), 2);
        assert!(!one.is_clear());
    }

    #[test]
    fn the_room_of_another_job_under_this_name_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let _theirs = enter(folder.path(), ("theirs", 9), 0);
        let theirs = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
        let ours = String::from_utf8(name("ours").to_vec()).unwrap();
        std::fs::hard_link(theirs, folder.path().join(format!("commloom-{ours}"))).unwrap();
        assert!(Room::enter_in(folder.path(), ("ours", 2), 1, None).is_err());
    }

    #[test]
    fn only_a_launcher_of_one_job_is_one() {
        let stat = |name: &str| {
            let fields = (4..30).map(|n| n.to_string()).collect::<Vec<_>>().join(" ");
            format!("17 ({name}) S {fields}")
        };
        assert_eq!(launcher(17, &stat(PROXY)).as_deref(), Some("17 22"));
        assert_eq!(launcher(17, &stat("bash")), None);
        assert_eq!(launcher(17, &stat("a) hydra_pmi_proxy (b")), None);
        assert_eq!(launcher(17, ""), None);
    }
}

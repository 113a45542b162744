//! [`Present`]: this process among those of its machine, with the memory that it shares with them.

use std::fs::File;
use std::sync::Mutex;

use rustc_hash::FxHashMap;

use super::memory::{PACKED, SharedMemory, stamp};
use super::room::{Door, Room, SEATS, group};
use super::slots::Slots;
use crate::runtime::config::Config;
use crate::runtime::sync::lock;

/// Where the processes of the job on this machine have met.
pub(super) struct Met {
    /// In the world.
    pub rank: u32,
    pub seat: usize,
    pub room: Room,
    /// Until MPI has begun.
    pub door: Mutex<Option<Door>>,
}

/// The state of a process that shares memory with the others.
pub(crate) struct Present {
    /// In the world.
    rank: u32,
    pub(super) seat: usize,
    room: Room,
    /// The memory of this process, open for the others.
    pub(super) mine: SharedMemory,
    _file: File,
    pub(super) slots: Mutex<Slots>,
    /// By rank in the world.
    others: Mutex<FxHashMap<u32, Other>>,
}

/// Another process, or this one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Other {
    pub(super) seat: usize,
    /// `None` where it cannot be opened.
    pub(super) memory: Option<SharedMemory>,
}

impl Present {
    /// The process with this rank in the world, if it is on this machine: perhaps this one.
    pub(super) fn other(&self, rank: Option<u32>) -> Option<Other> {
        let rank = rank.filter(|_| self.room.is_clear())?;
        if rank == self.rank {
            return Some(Other { seat: self.seat, memory: Some(self.mine) });
        }
        let mut others = lock(&self.others);
        if let Some(other) = others.get(&rank) {
            return Some(*other);
        }
        let found = self.room.find(rank)?;
        let memory = SharedMemory::open(found.process, found.descriptor, found.stamp).ok();
        let other = Other { seat: found.seat, memory };
        others.insert(rank, other);
        Some(other)
    }
}

/// Goes where the others of this job and machine are; with memory that they can open, where that
/// is wanted.
pub(super) fn enter(config: &Config, shares_memory: bool) -> Option<(Met, Option<Present>)> {
    let started = config.started?;
    let (number, rank) = (started.together?, started.rank);
    if number < 2 || usize::try_from(number).ok()? > SEATS {
        return None;
    }
    let group = group(config.job.as_deref())?;
    let memory = shares_memory.then(|| {
        let stamp = stamp()?;
        let (mine, file) = SharedMemory::create(stamp).ok()?;
        Some((mine, file, stamp))
    });
    let memory = memory.flatten();
    let open = memory.as_ref().map(|(_, file, stamp)| (file, *stamp));
    let (room, seat, door) = Room::enter((&group, number), rank, open).ok()?;
    let present = memory.map(|(mine, file, _)| Present {
        rank,
        seat,
        room,
        mine,
        _file: file,
        slots: Mutex::new(Slots::new(PACKED)),
        others: Mutex::default(),
    });
    Some((Met { rank, seat, room, door: Mutex::new(Some(door)) }, present))
}

//! [`PutBoard`]: the part of the memory of a process that is about windows (MPI 4.1, chapter 12).
//! Every bit pattern is one, and zeros are none.

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

use super::room::SEATS;

/// Puts from one process to another at once.
const PUTS: usize = 64;
/// Windows that a process opens to the others at once.
const WINDOWS: usize = 64;

pub(super) const FREE: u64 = 0;
pub(super) const POSTED: u64 = 1;

#[repr(C, align(64))]
pub(super) struct PutBoard {
    /// 1 where this process has opened the memory of the one in that seat.
    opened: [AtomicU32; SEATS],
    windows: [OpenWindow; WINDOWS],
    /// The puts of this process, by the seat of the target.
    to: [PutsTo; SEATS],
}

/// A window of this process. Epochs are those that fences end, numbered from 1 on.
#[repr(C, align(64))]
pub(super) struct OpenWindow {
    /// The number that all of its processes agree on; 0 where there is none.
    pub name: AtomicU64,
    pub bytes: AtomicU64,
    pub unit: AtomicU64,
    /// The last epoch whose end it has come to.
    pub entered: AtomicU64,
    /// Epochs at whose end it looks for what was put into it, each in the place of its parity.
    pub looked_at: [AtomicU64; 2],
    /// 1 where another process would put something into it if it looked.
    pub wanted: AtomicU32,
}

#[repr(C, align(64))]
pub(super) struct PutsTo {
    /// How many there were in all.
    pub posted: AtomicU64,
    pub puts: [PostedPut; PUTS],
}

#[repr(C, align(64))]
pub(super) struct PostedPut {
    pub state: AtomicU64,
    pub window: AtomicU64,
    pub epoch: AtomicU64,
    pub start: AtomicU64,
    /// Bytes of the layout's notation, which comes first.
    pub notation: AtomicU64,
    pub bytes: AtomicU64,
    pub at: AtomicI64,
}

impl PutBoard {
    /// All that the process in that seat posts is within reach, even when it has ended.
    pub fn reach(&self, seat: usize) {
        if let Some(opened) = self.opened.get(seat) {
            opened.store(1, Ordering::Release);
        }
    }

    pub fn reaches(&self, seat: usize) -> bool {
        self.opened.get(seat).is_some_and(|opened| opened.load(Ordering::Acquire) != 0)
    }

    /// Opens a window; `None` where there are too many.
    pub fn open(&self, (name, bytes, unit): (u64, u64, u64)) -> Option<&OpenWindow> {
        let window = self.find(0)?;
        window.bytes.store(bytes, Ordering::Relaxed);
        window.unit.store(unit, Ordering::Relaxed);
        let [even, odd] = &window.looked_at;
        for epoch in [&window.entered, even, odd] {
            epoch.store(0, Ordering::Relaxed);
        }
        window.wanted.store(0, Ordering::Relaxed);
        window.name.store(name, Ordering::Release);
        Some(window)
    }

    /// The window with this name.
    pub fn find(&self, name: u64) -> Option<&OpenWindow> {
        self.windows.iter().find(|window| window.name.load(Ordering::Acquire) == name)
    }

    /// The puts of this process into windows of the one in that seat.
    pub fn to(&self, seat: usize) -> Option<&PutsTo> {
        self.to.get(seat)
    }
}

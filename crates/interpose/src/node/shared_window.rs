//! [`SharedWindow`]: a window (MPI 4.1, chapter 12) as those of its processes see it that are on
//! this machine.
//!
//! A fence ends an epoch for all, and who has passed it may read in any window what was put there.
//! So what was put aside has to land before the target's own fence begins, which is when all
//! origins have come to theirs: the target waits for them, and then the library's fence makes
//! everybody wait for the target. Only who expects something pays for that: an origin says that it
//! would put something aside, and does so from the next epoch on at whose end the target has said
//! that it will look.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::present::{Other, Present};
use super::put_board::OpenWindow;

/// So many looks at what another process does cost little. Later ones let the library of this one
/// do what the other one may wait for.
const LOOKS: u32 = 256;
/// After so many epochs in which nobody wanted to put anything aside nobody looks any more.
const PATIENCE: u32 = 16;

/// A window that this process shares with others.
pub(crate) struct SharedWindow {
    /// The number that all of its processes agree on.
    pub name: u64,
    mine: &'static OpenWindow,
    seat: usize,
    /// Those on this machine, by rank in the window, and their parts of it, once they are known.
    members: Vec<Option<(Other, OnceLock<WindowPart>)>>,
    /// Epochs in a row in which nobody wanted to put anything aside.
    unwanted: AtomicU32,
}

/// The part of a window that one process has made.
pub(crate) struct WindowPart {
    window: &'static OpenWindow,
    pub seat: usize,
    pub bytes: u64,
    pub unit: u64,
    /// It can read what this process posts.
    reads: bool,
}

impl Present {
    /// Opens a window that these processes have made: its name, its bytes and its unit. `None`
    /// where no other one of them is on this machine, or there is no room.
    pub fn open_window(
        &self,
        members: &[Option<u32>],
        (name, bytes, unit): (u64, u64, u64),
    ) -> Option<SharedWindow> {
        let board = self.mine.puts();
        let found = |rank: &Option<u32>| Some((self.other(*rank)?, OnceLock::new()));
        let members: Vec<_> = members.iter().map(found).collect();
        if !members.iter().flatten().any(|(other, _)| other.seat != self.seat) {
            return None;
        }
        for (other, _) in members.iter().flatten() {
            if other.memory.is_some() {
                board.reach(other.seat);
            }
        }
        let mine = board.open((name, bytes, unit))?;
        let unwanted = AtomicU32::new(PATIENCE);
        Some(SharedWindow { name, mine, seat: self.seat, members, unwanted })
    }
}

impl SharedWindow {
    /// Nobody puts anything into it any more, or waits for this process.
    pub fn close(&self) {
        self.mine.name.store(0, Ordering::Release);
    }

    /// The part of this rank in the window, where that process can take what this one posts.
    pub fn target(&self, rank: usize) -> Option<&WindowPart> {
        let (other, part) = self.members.get(rank)?.as_ref()?;
        let is_open = |part: &&WindowPart| part.window.name.load(Ordering::Acquire) == self.name;
        self.part(*other, part).filter(|part| part.reads).filter(is_open)
    }

    /// The process with this rank in the window, if it is on this machine.
    pub(super) fn member(&self, rank: usize) -> Option<Other> {
        Some(self.members.get(rank)?.as_ref()?.0)
    }

    fn part<'a>(&self, other: Other, part: &'a OnceLock<WindowPart>) -> Option<&'a WindowPart> {
        if let Some(known) = part.get() {
            return Some(known);
        }
        let board = other.memory?.puts();
        let window = board.find(self.name)?;
        let read = |field: &AtomicU64| field.load(Ordering::Relaxed);
        let (bytes, unit) = (read(&window.bytes), read(&window.unit));
        let reads = board.reaches(self.seat);
        Some(part.get_or_init(|| WindowPart { window, seat: other.seat, bytes, unit, reads }))
    }

    /// This process comes to the fence that ends this epoch. If it looks at what was put in it,
    /// that is all there when this returns. The fence itself is still to come.
    pub fn comes_to_fence(&self, epoch: u64, progress: impl Fn()) -> bool {
        let looks = self.mine.looks_at(epoch);
        let is_wanted = self.mine.wanted.swap(0, Ordering::Relaxed) != 0;
        let unwanted = self.unwanted.load(Ordering::Relaxed);
        let unwanted = if is_wanted { 0 } else { unwanted.saturating_add(1) };
        self.unwanted.store(unwanted, Ordering::Relaxed);
        if unwanted < PATIENCE && self.is_complete() {
            self.mine.looks_next(epoch + 1);
        }
        self.mine.entered.store(epoch, Ordering::Release);
        if looks {
            self.wait_for_all(epoch, progress);
        }
        looks
    }

    /// Whether all processes of the window that are on this machine share it, so that this one can
    /// see how far they are.
    fn is_complete(&self) -> bool {
        self.members.iter().flatten().all(|(other, part)| self.part(*other, part).is_some())
    }

    /// Waits until all that have the window have come to the end of this epoch.
    fn wait_for_all(&self, epoch: u64, progress: impl Fn()) {
        for part in self.members.iter().flatten().filter_map(|(_, part)| part.get()) {
            let mut looks = 0_u32;
            while part.window.entered.load(Ordering::Acquire) < epoch
                && part.window.name.load(Ordering::Acquire) == self.name
            {
                looks = looks.saturating_add(1);
                if looks < LOOKS {
                    std::hint::spin_loop();
                } else {
                    progress();
                    std::thread::yield_now();
                }
            }
        }
    }
}

impl WindowPart {
    /// Something would be put into it aside. That process looks as long as it hears so.
    pub fn is_wanted(&self) {
        if self.window.wanted.load(Ordering::Relaxed) == 0 {
            self.window.wanted.store(1, Ordering::Relaxed);
        }
    }

    /// Whether that process looks at the end of this epoch at what was put into its part.
    pub fn is_looked_at(&self, epoch: u64) -> bool {
        self.window.looks_at(epoch)
    }
}

impl OpenWindow {
    fn place(&self, epoch: u64) -> &AtomicU64 {
        &self.looked_at[usize::from(epoch % 2 == 1)]
    }

    fn looks_at(&self, epoch: u64) -> bool {
        self.place(epoch).load(Ordering::Acquire) == epoch
    }

    /// The place is that of the epoch before the last one, which is over for all who could have
    /// put something in it.
    fn looks_next(&self, epoch: u64) {
        self.place(epoch).store(epoch, Ordering::Release);
    }
}

//! Puts into windows of another process (MPI 4.1, chapter 12), while their epoch lasts: packed
//! into memory of the origin, together with the layout that they have in the window. The target
//! takes them out in its call that ends the epoch.
//!
//! ```text
//!        post              settle
//! FREE ────────► POSTED ──────────► FREE
//! ```
//!
//! Only the origin posts, and only the target settles, each in a call of MPI of its own; what lies
//! between is the synchronization of the window, which the library does.

use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use super::offers::Extent;
use super::present::Present;
use super::put_board::{FREE, POSTED, PostedPut};
use super::room::SEATS;
use super::shared_window::SharedWindow;
use crate::runtime::sync::lock;

/// The most bytes of one put. More would take the memory of many.
const LONGEST: u64 = 16 << 20;
/// Packed bytes begin at multiples of this.
const ALIGNED: u64 = 64;

/// Where a put belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PutPlace {
    /// The window, by the number that all of its processes agree on.
    pub window: u64,
    /// The epoch, by a number that origin and target agree on.
    pub epoch: u64,
    /// Bytes from the beginning of the window to the origin of the layout.
    pub at: i64,
}

/// A put, as its target gets it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrivedPut<'a> {
    pub at: i64,
    /// Of the layout that the bytes have in the window; empty for bytes that lie side by side.
    pub notation: &'a [u8],
    pub packed: &'a [u8],
}

/// The state of its puts that a process keeps for itself.
#[derive(Debug)]
pub(crate) struct OwnPuts {
    /// The memory of each that was ever posted, by seat and place.
    rooms: Mutex<FxHashMap<(usize, usize), Extent>>,
    /// Of those of others how many were settled, by seat.
    settled: [AtomicU64; SEATS],
}

impl OwnPuts {
    pub const fn new() -> OwnPuts {
        OwnPuts {
            rooms: Mutex::new(FxHashMap::with_hasher(rustc_hash::FxBuildHasher)),
            settled: [const { AtomicU64::new(0) }; SEATS],
        }
    }
}

impl Present {
    /// How many puts this process has posted.
    pub fn posted(&self) -> u64 {
        let to = (0..SEATS).filter_map(|seat| self.mine.puts().to(seat));
        to.map(|to| to.posted.load(Ordering::Relaxed)).sum()
    }

    /// Posts a put of so many packed bytes, which `fill` writes; whether that was done.
    pub fn post(
        &self,
        own: &OwnPuts,
        seat: usize,
        place: PutPlace,
        (notation, bytes): (&[u8], u64),
        fill: impl FnOnce(&mut [u8]) -> Option<()>,
    ) -> Option<()> {
        let before = u64::try_from(notation.len()).ok()?;
        let start = before.next_multiple_of(ALIGNED);
        let wanted = start.checked_add(bytes).filter(|wanted| *wanted <= LONGEST)?;
        let to = self.mine.puts().to(seat)?;
        let is_free = |put: &PostedPut| put.state.load(Ordering::Acquire) == FREE;
        let number = to.puts.iter().position(is_free)?;
        let put = &to.puts[number];
        let room = self.room_for(own, (seat, number), wanted)?;
        // SAFETY: inside the mapping, which is never taken back. The put is free, so that its
        // target does not look there, and nobody else has this part.
        let memory = unsafe { self.mine.packed(room)?.as_mut() };
        let (head, packed) = memory.split_at_mut_checked(usize::try_from(start).ok()?)?;
        head.get_mut(..notation.len())?.copy_from_slice(notation);
        fill(packed.get_mut(..usize::try_from(bytes).ok()?)?)?;
        put.window.store(place.window, Ordering::Relaxed);
        put.epoch.store(place.epoch, Ordering::Relaxed);
        put.at.store(place.at, Ordering::Relaxed);
        put.start.store(room.start, Ordering::Relaxed);
        put.notation.store(before, Ordering::Relaxed);
        put.bytes.store(bytes, Ordering::Relaxed);
        put.state.store(POSTED, Ordering::Release);
        to.posted.fetch_add(1, Ordering::Release);
        Some(())
    }

    /// Memory for a put that is free: what it had before, if that is as long. Where all memory is
    /// taken, that of all puts that are free is given back first.
    fn room_for(&self, own: &OwnPuts, of: (usize, usize), bytes: u64) -> Option<Extent> {
        let mut rooms = lock(&own.rooms);
        if let Some(room) = rooms.get(&of).filter(|room| room.bytes >= bytes) {
            return Some(*room);
        }
        let mut slots = lock(&self.slots);
        if let Some(old) = rooms.remove(&of) {
            slots.put(old.start, old.bytes);
        }
        let start = slots.take(bytes).or_else(|| {
            rooms.retain(|(seat, number), room| {
                let put = self.mine.puts().to(*seat).and_then(|to| to.puts.get(*number));
                let is_free = put.is_some_and(|put| put.state.load(Ordering::Acquire) == FREE);
                if is_free {
                    slots.put(room.start, room.bytes);
                }
                !is_free
            });
            slots.take(bytes)
        })?;
        let room = Extent { start, bytes };
        rooms.insert(of, room);
        Some(room)
    }

    /// Settles all that the process with this rank in the window has put into it in this epoch. An
    /// error of `land` is passed on, and what it is about is settled.
    pub fn settle<E>(
        &self,
        own: &OwnPuts,
        window: &SharedWindow,
        (rank, epoch): (usize, u64),
        mut land: impl FnMut(ArrivedPut<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(other) = window.member(rank) else { return Ok(()) };
        let Some(memory) = other.memory else { return Ok(()) };
        let from = memory.puts().to(self.seat);
        let Some((from, settled)) = from.zip(own.settled.get(other.seat)) else { return Ok(()) };
        let all = from.posted.load(Ordering::Acquire);
        let mut result = Ok(());
        for put in &from.puts {
            // Only this process counts them.
            if settled.load(Ordering::Relaxed) == all {
                break;
            }
            let read = |field: &AtomicU64| field.load(Ordering::Relaxed);
            if put.state.load(Ordering::Acquire) != POSTED
                || (read(&put.window), read(&put.epoch)) != (window.name, epoch)
            {
                continue;
            }
            let (before, bytes) = (read(&put.notation), read(&put.bytes));
            let start = before.next_multiple_of(ALIGNED);
            let part = |start: u64, bytes: u64| -> Option<NonNull<[u8]>> {
                let start = read(&put.start).checked_add(start)?;
                memory.packed(Extent { start, bytes })
            };
            if let (Some(notation), Some(packed)) = (part(0, before), part(start, bytes)) {
                // SAFETY: inside the mapping, which is never taken back. The origin has written
                // both before it said so, and does not come back until the put is settled.
                let (notation, packed) = unsafe { (notation.as_ref(), packed.as_ref()) };
                let at = put.at.load(Ordering::Relaxed);
                result = result.and(land(ArrivedPut { at, notation, packed }));
            }
            put.state.store(FREE, Ordering::Release);
            settled.fetch_add(1, Ordering::Relaxed);
        }
        result
    }
}

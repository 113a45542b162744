//! Looks messages up by the handle that the program gives: in a table of each thread, and behind
//! it in the record that hangs on the handle.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use commloom_mpi::{Abi, RawHandle};

use crate::accelerate::accelerator::Accelerator;
use crate::accelerate::committed::Found;
use crate::accelerate::part::Purpose;

/// Slots of the look-up table of one thread.
const SLOTS: usize = 64;
/// Longer messages are not in it: nothing tells other threads to let go of them, and what the
/// look-up takes is little beside the time of the message.
const SMALL: usize = 32 << 10;

struct Slot {
    datatype: usize,
    count: i64,
    epoch: u64,
    /// Sends and receives, in calls of their own, need not look any further.
    skip: bool,
    found: Option<Arc<dyn Any + Send + Sync>>,
}

thread_local! {
    static RECENT: RefCell<[Option<Slot>; SLOTS]> = const { RefCell::new([const { None }; SLOTS]) };
}

/// The slot of a handle and count. Handles are small integers or aligned addresses, so that only
/// some of their bits differ: a multiplication brings all of them to the top.
fn slot(datatype: usize, count: i64) -> usize {
    let key = datatype.wrapping_add(usize::try_from(count).unwrap_or(0) << 20);
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (usize::BITS - SLOTS.trailing_zeros())
}

/// Where an entry goes that another one takes the slot of: of sixteen handles some have the same
/// one as a rule, and a program uses them by turns.
fn second(slot: usize) -> usize {
    slot ^ 1
}

impl<A: Abi> Accelerator<A> {
    /// The message of `count` elements of a handle of the program. Known ones cost a few
    /// nanoseconds: a table per thread, valid for one epoch.
    pub(crate) fn message(
        &'static self,
        datatype: A::Datatype,
        count: i64,
        purpose: Purpose,
    ) -> Found<A> {
        if count <= 0 {
            return Found::Nothing;
        }
        let bits = datatype.to_bits();
        let epoch = self.epoch.load(Ordering::Acquire);
        let slot = slot(bits, count);
        let cached = RECENT.try_with(|table| {
            let table = table.try_borrow().ok()?;
            let is_it = |entry: &&Slot| {
                entry.datatype == bits && entry.count == count && entry.epoch == epoch
            };
            let of = |slot: usize| table[slot].as_ref().filter(is_it);
            let entry = of(slot).or_else(|| of(second(slot)))?;
            let skip = entry.skip && purpose == Purpose::Transfer;
            Some(if skip { None } else { entry.found.clone() })
        });
        if let Ok(Some(found)) = cached {
            let message = found.and_then(|any| any.downcast().ok());
            return message.map_or(Found::Nothing, Found::This);
        }
        let found = self.recorded_message(datatype, count, purpose);
        let message = match &found {
            Found::This(message) => Some(message),
            Found::Nothing => {
                self.note_plain(datatype, epoch);
                None
            }
            Found::Unknown => return found,
        };
        if message.is_some_and(|message| message.memory() > SMALL) {
            return found;
        }
        let skip = message.is_none_or(|m| m.is_left_alone() && !m.tally.is_enabled());
        let any = message.cloned().map(|message| message as Arc<dyn Any + Send + Sync>);
        let entry = Slot { datatype: bits, count, epoch, skip, found: any };
        // Dropped outside the borrow: the last reference may run code of ours.
        let _old = RECENT.try_with(|table| {
            let mut table = table.try_borrow_mut().ok()?;
            let other = table[slot].replace(entry);
            std::mem::replace(&mut table[second(slot)], other)
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_types_of_a_program_get_slots_of_their_own() {
        let used = |handles: &mut dyn Iterator<Item = usize>| {
            handles.map(|h| slot(h, 1)).collect::<std::collections::HashSet<_>>().len()
        };
        // MPICH numbers its handles, Open MPI has them on the heap.
        assert!(used(&mut (0..16).map(|i| 0x8c00_0000 + i)) >= 14);
        assert!(used(&mut (0..16).map(|i| 0x5555_5570_2a40 + 0x170 * i)) >= 12);
    }
}

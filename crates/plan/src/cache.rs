//! [`PlanCache`]: plans are made once and shared.
//!
//! A plan is a function of its key, so that nothing is ever stale: entries leave only to make
//! room, and each thread may keep copies of its own without asking anybody.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use commloom_layout::Type;

use crate::heap::{of_plan, of_type};
use crate::{Plan, PlanError, Target};

/// Plans by type, count and target, shared between threads and bounded in bytes.
///
/// The plan that a thread used last is found without a lock; everything else under a lock that
/// readers share. After a `fork` in a process with several threads the child should not use a
/// cache that another thread may have been changing, as with every lock.
#[derive(Debug)]
pub struct PlanCache {
    limit: usize,
    table: RwLock<Table>,
}

#[derive(Debug)]
struct Table {
    /// By the hash of the key: entries whose hashes are equal are compared.
    plans: HashMap<u64, Vec<Arc<Entry>>, BuildHasherDefault<Mix>>,
    bytes: usize,
}

/// A plan with its key; the target stands in the plan.
#[derive(Debug)]
struct Entry {
    ty: Type,
    count: u64,
    plan: Plan,
    /// Of memory, with the plan and the type.
    bytes: usize,
    /// Asked for since the last time that room was made.
    used: AtomicBool,
}

impl Entry {
    fn touch(&self) {
        // Written only where it changes: a line that is only read stays in the caches of all
        // cores.
        if !self.used.load(Ordering::Relaxed) {
            self.used.store(true, Ordering::Relaxed);
        }
    }
}

/// The key of a request.
#[derive(Clone, Copy)]
struct Key<'k> {
    ty: &'k Type,
    count: u64,
    target: &'k Target,
}

impl Key<'_> {
    fn is(&self, entry: &Entry) -> bool {
        entry.count == self.count && entry.plan.target() == self.target && entry.ty == *self.ty
    }

    /// The target is left out: a process has one.
    fn hash(&self) -> u64 {
        let mut mix = Mix::default();
        self.ty.hash(&mut mix);
        mix.write_u64(self.count);
        mix.finish()
    }
}

/// Plans that a thread remembers.
const RECENT: usize = 8;
/// Only plans up to this size are remembered by threads: for larger ones a lock costs nothing.
const SMALL: usize = 16 << 10;

thread_local! {
    static LAST: RefCell<[Option<Arc<Entry>>; RECENT]> =
        const { RefCell::new([const { None }; RECENT]) };
}

/// The slot of a hash: its top bits, which depend on all of the key.
fn slot(hash: u64) -> usize {
    crate::number::index(hash >> (u64::BITS - RECENT.trailing_zeros()))
}

impl PlanCache {
    /// A cache that holds at most `limit` bytes of plans and types. In addition every thread that
    /// uses it remembers a few small plans.
    #[must_use]
    pub const fn new(limit: usize) -> PlanCache {
        PlanCache { limit, table: RwLock::new(Table::EMPTY) }
    }

    /// The plan of `count` copies of `ty`, made if it is not there: see [`Plan::packed`].
    ///
    /// # Errors
    /// As [`Plan::packed`]. Errors are not remembered.
    pub fn get(&self, ty: &Type, count: u64, target: &Target) -> Result<Plan, PlanError> {
        self.with(ty, count, target, Plan::clone)
    }

    /// Hands the plan to `use_plan` without the price of a copy, some nanoseconds, where this
    /// thread used it last.
    ///
    /// # Errors
    /// As [`PlanCache::get`].
    pub fn with<R>(
        &self,
        ty: &Type,
        count: u64,
        target: &Target,
        use_plan: impl FnOnce(&Plan) -> R,
    ) -> Result<R, PlanError> {
        let key = Key { ty, count, target };
        let hash = key.hash();
        let mut use_plan = Some(use_plan);
        // Not there while a thread ends; borrowed where `use_plan` asks for another plan.
        let recent = LAST.try_with(|last| {
            let last = last.try_borrow().ok()?;
            let entry = last[slot(hash)].as_ref().filter(|entry| key.is(entry))?;
            entry.touch();
            use_plan.take().map(|use_plan| use_plan(&entry.plan))
        });
        if let Ok(Some(result)) = recent {
            return Ok(result);
        }
        let entry = match self.find(key, hash) {
            Some(found) => found,
            None => self.make(key, hash)?,
        };
        if entry.bytes <= SMALL {
            let entry = Arc::clone(&entry);
            // Dropped outside the borrow.
            let _old = LAST.try_with(|last| {
                last.try_borrow_mut().ok().and_then(|mut last| last[slot(hash)].replace(entry))
            });
        }
        let use_plan = use_plan.expect("taken only where it was used");
        Ok(use_plan(&entry.plan))
    }

    /// Bytes of the plans and types that are held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.table.read().unwrap_or_else(PoisonError::into_inner).bytes
    }

    fn find(&self, key: Key<'_>, hash: u64) -> Option<Arc<Entry>> {
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        let entry = table.find(key, hash)?;
        entry.touch();
        Some(Arc::clone(entry))
    }

    /// Makes a plan outside the lock; of two threads that make the same one, the first one's
    /// stays.
    fn make(&self, key: Key<'_>, hash: u64) -> Result<Arc<Entry>, PlanError> {
        let plan = Plan::packed(key.ty, key.count, key.target)?;
        let bytes = size_of::<Entry>() + of_plan(&plan) + of_type(key.ty);
        let (ty, used) = (key.ty.clone(), AtomicBool::new(false));
        let entry = Arc::new(Entry { ty, count: key.count, plan, bytes, used });
        if bytes > self.limit {
            return Ok(entry);
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = table.find(key, hash) {
            return Ok(Arc::clone(first));
        }
        table.make_room(self.limit - bytes);
        table.plans.entry(hash).or_default().push(Arc::clone(&entry));
        table.bytes += bytes;
        Ok(entry)
    }
}

impl Table {
    const EMPTY: Table = Table { plans: HashMap::with_hasher(BuildHasherDefault::new()), bytes: 0 };

    fn find(&self, key: Key<'_>, hash: u64) -> Option<&Arc<Entry>> {
        self.plans.get(&hash)?.iter().find(|entry| key.is(entry))
    }

    /// Leaves at most `most` bytes: drops what was not asked for since the last time, and if that
    /// does not suffice, everything.
    fn make_room(&mut self, most: usize) {
        if self.bytes <= most {
            return;
        }
        let mut kept = 0;
        self.plans.retain(|_, entries| {
            entries.retain(|entry| entry.used.swap(false, Ordering::Relaxed));
            kept += entries.iter().map(|entry| entry.bytes).sum::<usize>();
            !entries.is_empty()
        });
        self.bytes = kept;
        if self.bytes > most {
            *self = Table::EMPTY;
        }
    }
}

/// Types carry a hash of their own: what is left to do is mixing it with the count.
#[derive(Default)]
struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

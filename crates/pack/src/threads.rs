//! [`Threads`]: large packs and unpacks on several threads.
//!
//! The packed range is cut into pieces. Every thread first takes those of its own part, which is
//! the same part in every call: what a core moved before is in its cache. (Pieces taken by whoever
//! came first ran at half the speed of one thread in one of four runs; that lines changed hands
//! between cores is a guess.) Then it helps the others. So the caller never waits for a helper to
//! wake up: what nobody took yet it moves itself, and a busy machine costs nothing but the
//! helpers' share.

use std::fmt;
use std::mem::ManuallyDrop;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Thread};

use commloom_plan::Plan;

use crate::checked::{Buffers, check};
use crate::split::Split;
use crate::{PackError, pack_raw, unpack_raw};

/// Messages below so many packed bytes stay on the calling thread: at 256 kB two threads took 0.7
/// to 0.9 of the time where the second core was idle, and 1.1 to 1.25 of it where it was busy
/// (measured with pieces of 128 kB, taken by whoever came first).
const LEAST: u64 = 384 << 10;

/// How many threads move large messages: one (the default; there is no other thread then), or a
/// pool of helpers that is made once and shared by all clones.
///
/// After a `fork` the child has no helpers: there, everything runs on the calling thread.
#[derive(Debug, Clone, Default)]
pub struct Threads(Option<Arc<Pool>>);

/// The threads of a pool could not be started.
#[derive(Debug)]
pub struct ThreadsError {
    count: NonZeroUsize,
    source: rayon::ThreadPoolBuildError,
}

impl fmt::Display for ThreadsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} threads cannot be started: {}", self.count, self.source)
    }
}

impl std::error::Error for ThreadsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

#[derive(Debug)]
struct Pool {
    count: NonZeroUsize,
    helpers: ManuallyDrop<rayon::ThreadPool>,
    /// The process that has the helpers.
    process: u32,
}

impl Drop for Pool {
    fn drop(&mut self) {
        // In a forked child the helpers do not exist, and their locks may be held for ever.
        if self.process == std::process::id() {
            // SAFETY: dropped here only, and not used afterwards.
            unsafe { ManuallyDrop::drop(&mut self.helpers) };
        }
    }
}

impl Threads {
    /// Only the calling thread.
    pub const ONE: Threads = Threads(None);

    /// `count` threads: the caller's, and a pool of `count - 1` helpers that is started now.
    ///
    /// # Errors
    /// The system has no more threads.
    pub fn new(count: NonZeroUsize) -> Result<Threads, ThreadsError> {
        if count.get() == 1 {
            return Ok(Threads::ONE);
        }
        let helpers = rayon::ThreadPoolBuilder::new()
            .num_threads(count.get() - 1)
            .thread_name(|i| format!("commloom-pack-{i}"))
            .build()
            .map_err(|source| ThreadsError { count, source })?;
        let helpers = ManuallyDrop::new(helpers);
        Ok(Threads(Some(Arc::new(Pool { count, helpers, process: std::process::id() }))))
    }

    /// Number of threads, the caller's included.
    #[must_use]
    pub fn count(&self) -> NonZeroUsize {
        self.0.as_ref().map_or(NonZeroUsize::MIN, |pool| pool.count)
    }

    /// [`pack`](crate::pack()) on these threads.
    ///
    /// # Errors
    /// As [`pack`](crate::pack()).
    pub fn pack(
        &self,
        plan: &Plan,
        memory: &[u8],
        origin: usize,
        range: Range<u64>,
        out: &mut [u8],
    ) -> Result<(), PackError> {
        check(plan, &Buffers { memory: memory.len(), origin, packed: out.len() }, &range)?;
        let memory = memory.as_ptr().wrapping_add(origin);
        // SAFETY: the bounds of the plan lie in `memory` and the range fits in `out`; one is
        // borrowed shared, the other exclusively, so they do not overlap, and other threads touch
        // neither once the call returns.
        unsafe { self.pack_raw(plan, memory, out.as_mut_ptr(), range) };
        Ok(())
    }

    /// [`unpack`](crate::unpack()) on these threads. A layout that may name a byte twice is
    /// unpacked by the calling thread alone, so that the result does not depend on timing.
    ///
    /// # Errors
    /// As [`unpack`](crate::unpack()).
    pub fn unpack(
        &self,
        plan: &Plan,
        memory: &mut [u8],
        origin: usize,
        range: Range<u64>,
        packed: &[u8],
    ) -> Result<(), PackError> {
        check(plan, &Buffers { memory: memory.len(), origin, packed: packed.len() }, &range)?;
        let memory = memory.as_mut_ptr().wrapping_add(origin);
        // SAFETY: the bounds of the plan lie in `memory` and the range fits in `packed`; one is
        // borrowed exclusively, the other shared, so they do not overlap, and other threads touch
        // neither once the call returns.
        unsafe { self.unpack_raw(plan, memory, packed.as_ptr(), range) };
        Ok(())
    }

    /// [`pack_raw`] on these threads.
    ///
    /// # Safety
    /// Memory is valid as [`pack_raw`] demands, for threads other than the caller's too.
    pub unsafe fn pack_raw(
        &self,
        plan: &Plan,
        memory: *const u8,
        packed: *mut u8,
        range: Range<u64>,
    ) {
        let range = range.start..range.end.min(plan.bytes());
        // SAFETY: the caller vouches for the range, for all threads. Pieces are packed to places
        // of their own.
        unsafe {
            match self.pool(&range) {
                Some(pool) => pool.run(plan, Way::Pack, memory.cast_mut(), packed, range),
                None => pack_raw(plan, memory, packed, range),
            }
        }
    }

    /// [`unpack_raw`] on these threads, or by the caller alone as [`Threads::unpack`].
    ///
    /// # Safety
    /// Memory is valid as [`unpack_raw`] demands, for threads other than the caller's too.
    pub unsafe fn unpack_raw(
        &self,
        plan: &Plan,
        memory: *mut u8,
        packed: *const u8,
        range: Range<u64>,
    ) {
        let range = range.start..range.end.min(plan.bytes());
        // SAFETY: the caller vouches for the range, for all threads. Pieces of a layout that names
        // no byte twice have no byte of memory in common, and unpacking writes no others.
        unsafe {
            match self.pool(&range).filter(|_| plan.names_bytes_once()) {
                Some(pool) => pool.run(plan, Way::Unpack, memory, packed.cast_mut(), range),
                None => unpack_raw(plan, memory, packed, range),
            }
        }
    }

    /// The pool, where it pays and there is one in this process.
    fn pool(&self, range: &Range<u64>) -> Option<&Pool> {
        let pool = self.0.as_deref()?;
        let large = range.end.saturating_sub(range.start) >= LEAST;
        (large && pool.process == std::process::id()).then_some(pool)
    }
}

#[derive(Clone, Copy)]
enum Way {
    Pack,
    Unpack,
}

/// One call, shared by the caller and its helpers. Helpers that come late find no piece left and
/// do not follow the pointers.
struct Call {
    plan: Plan,
    way: Way,
    memory: *mut u8,
    packed: *mut u8,
    split: Split,
    /// Pieces of each thread's part that somebody has taken.
    taken: Box<[AtomicUsize]>,
    /// Pieces that are moved.
    done: AtomicUsize,
    failed: AtomicBool,
    caller: Thread,
}

// SAFETY: the pointers are followed only for a piece that was taken and is not done, while the
// caller waits; every piece is taken once, and pieces write to places of their own.
unsafe impl Send for Call {}
// SAFETY: what threads share is atomic or only read; through the pointers each reaches the bytes
// of pieces that it alone has taken.
unsafe impl Sync for Call {}

impl Pool {
    /// Moves a range in pieces.
    ///
    /// # Safety
    /// Memory is valid as [`pack_raw`] or [`unpack_raw`] demands, for the threads of the pool too;
    /// pieces of the range must not write the same bytes.
    unsafe fn run(
        &self,
        plan: &Plan,
        way: Way,
        memory: *mut u8,
        packed: *mut u8,
        range: Range<u64>,
    ) {
        let split = Split::new(plan, packed.addr(), range, self.count);
        let pieces = split.pieces();
        let call = Arc::new(Call {
            plan: plan.clone(),
            way,
            memory,
            packed,
            split,
            taken: (0..self.count.get()).map(|_| AtomicUsize::new(0)).collect(),
            done: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            caller: thread::current(),
        });
        for _ in 1..self.count.get().min(pieces) {
            let call = Arc::clone(&call);
            // SAFETY: the caller waits below until all pieces are done.
            self.helpers.spawn(move || unsafe {
                call.help(1 + rayon::current_thread_index().unwrap_or(0));
            });
        }
        // SAFETY: the caller of this function is the one who waits, and it has not returned.
        unsafe { call.help(0) };
        let mut patience = 1000;
        while call.done.load(Ordering::Acquire) < pieces {
            match patience {
                0 => thread::park(),
                _ => patience -= 1,
            }
            std::hint::spin_loop();
        }
        // What a plan is made of rules it out; but a caller must not take half a message for a
        // whole.
        assert!(!call.failed.load(Ordering::Relaxed), "a piece of a message could not be moved");
    }
}

impl Call {
    /// Takes and moves pieces until there is none left: first those of the part of `thread`, then
    /// those of the threads after it.
    ///
    /// # Safety
    /// The caller of [`Pool::run`] has not returned, or all pieces are taken.
    unsafe fn help(&self, thread: usize) {
        let parts = self.taken.len();
        for part in (thread..parts).chain(0..thread) {
            let pieces = self.split.part(part, parts);
            loop {
                let piece = pieces.start + self.taken[part].fetch_add(1, Ordering::Relaxed);
                if piece >= pieces.end {
                    break;
                }
                // SAFETY: the piece is ours, and the caller waits for it.
                unsafe { self.transfer(self.split.piece(piece)) };
            }
        }
    }

    /// Moves a piece and counts it.
    ///
    /// # Safety
    /// The piece was taken by this thread and is not done.
    unsafe fn transfer(&self, range: Range<u64>) {
        let packed = self.packed.wrapping_add(self.split.offset(&range));
        let work = || {
            // SAFETY: a part of what `Pool::run` was called for.
            unsafe {
                match self.way {
                    Way::Pack => pack_raw(&self.plan, self.memory, packed, range),
                    Way::Unpack => unpack_raw(&self.plan, self.memory, packed, range),
                }
            }
        };
        // A helper that unwound would end the process, a caller that did would free the buffers.
        let moved = catch_unwind(AssertUnwindSafe(work));
        self.failed.fetch_or(moved.is_err(), Ordering::Relaxed);
        if self.done.fetch_add(1, Ordering::AcqRel) + 1 == self.split.pieces() {
            self.caller.unpark();
        }
    }
}

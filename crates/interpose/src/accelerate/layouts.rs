//! Known layouts, whatever handle they came with: a program that makes the same type again and
//! again pays for its analysis once.
//!
//! Memory is bounded: see [`IDLE`], [`IDLE_BYTES`] and [`MESSAGE_BYTES`]. What live handles need
//! comes on top.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use commloom_layout::Type;
use commloom_mpi::Abi;
use commloom_plan::heap_of_type;
use commloom_report::{Format, Row};

use crate::accelerate::engine::Engine;
use crate::accelerate::message::Message;
use crate::accelerate::normalized::NormalizedLayout;
use crate::accelerate::rows::PastRows;
use crate::runtime::normal_form::normalize;
use crate::runtime::sync::lock;

/// The layout of one element of a datatype, and the kinds of message that were made of it.
pub(crate) struct KnownLayout<A: Abi> {
    pub layout: NormalizedLayout<A>,
    messages: Mutex<KnownMessages<A>>,
    /// Live handles that were found to have this layout, and when the last of them went.
    users: Mutex<Users>,
}

struct KnownMessages<A: Abi> {
    by_count: Vec<(i64, Arc<Message<A>>)>,
    /// Of all of them, about.
    bytes: usize,
}

#[derive(Default)]
struct Users {
    handles: usize,
    idle_since: Option<u64>,
}

/// Counts for which a layout keeps its plans. A program that sends a type with ever new counts has
/// them planned again, in microseconds.
const COUNTS: usize = 64;
/// The same where the messages of all layouts take much memory.
const FEW_COUNTS: usize = 4;
/// Much memory: bytes of all messages.
const MESSAGE_BYTES: usize = 8 << 20;
/// Layouts without a live handle that are kept at most, those of the last handles that went. Each
/// may have handles of our own, and a library can get slow, or [lossy](crate::accelerate::lossy),
/// with many.
const IDLE: usize = 128;
/// And their bytes at most.
const IDLE_BYTES: usize = 2 << 20;

impl<A: Abi> KnownLayout<A> {
    /// The message of `count` elements; `None` where our own code failed.
    pub fn message(
        &self,
        layouts: &Layouts<A>,
        engine: &'static Engine<A>,
        count: i64,
    ) -> Option<Arc<Message<A>>> {
        let same = |(c, _): &&(i64, Arc<Message<A>>)| *c == count;
        if let Some((_, found)) = lock(&self.messages).by_count.iter().find(same) {
            return Some(found.clone());
        }
        let made = Arc::new(Message::new(engine, &self.layout, count)?);
        let more = made.memory();
        let all = layouts.message_bytes.fetch_add(more, Ordering::Relaxed) + more;
        let most = if all > MESSAGE_BYTES { FEW_COUNTS } else { COUNTS };
        let mut messages = lock(&self.messages);
        let old = if messages.by_count.len() >= most {
            self.take(&mut messages, &layouts.message_bytes)
        } else {
            Vec::new()
        };
        messages.by_count.push((count, made.clone()));
        messages.bytes += more;
        drop(messages);
        // Here, where no lock is held.
        drop(old);
        Some(made)
    }

    fn take(
        &self,
        messages: &mut KnownMessages<A>,
        all: &AtomicUsize,
    ) -> Vec<(i64, Arc<Message<A>>)> {
        all.fetch_sub(std::mem::take(&mut messages.bytes), Ordering::Relaxed);
        std::mem::take(&mut messages.by_count)
    }

    /// About what it holds of memory.
    fn memory(&self) -> usize {
        let NormalizedLayout { before, after, .. } = &self.layout;
        let types = heap_of_type(before) + heap_of_type(after);
        size_of::<Self>() + types + lock(&self.messages).bytes
    }
}

/// All layouts that were looked at.
pub(crate) struct Layouts<A: Abi> {
    table: Mutex<Option<KnownTable<A>>>,
    /// Bytes of the messages of all layouts, about.
    message_bytes: AtomicUsize,
}

struct KnownTable<A: Abi> {
    known: HashMap<Type, Arc<KnownLayout<A>>>,
    /// Those without a live handle by the time since when, with what they hold of memory.
    idle: BTreeMap<u64, (Type, usize)>,
    idle_bytes: usize,
    now: u64,
    /// Counts of layouts that are gone, where messages are counted.
    past: PastRows,
}

impl<A: Abi> Default for KnownTable<A> {
    fn default() -> Self {
        let (known, idle) = (HashMap::new(), BTreeMap::new());
        KnownTable { known, idle, idle_bytes: 0, now: 0, past: PastRows::default() }
    }
}

impl<A: Abi> KnownTable<A> {
    /// A handle more has this layout.
    fn use_it(&mut self, known: &KnownLayout<A>) {
        let mut users = lock(&known.users);
        users.handles += 1;
        if let Some((_, bytes)) = users.idle_since.take().and_then(|since| self.idle.remove(&since))
        {
            self.idle_bytes -= bytes;
        }
    }

    /// The oldest idle layouts, taken out until the others are few.
    fn tidy(&mut self) -> Vec<Arc<KnownLayout<A>>> {
        let mut gone = Vec::new();
        while self.idle.len() > IDLE || self.idle_bytes > IDLE_BYTES {
            let Some((_, (ty, bytes))) = self.idle.pop_first() else { break };
            self.idle_bytes -= bytes;
            gone.extend(self.known.remove(&ty));
        }
        gone
    }
}

impl<A: Abi> Layouts<A> {
    pub const fn new() -> Self {
        Layouts { table: Mutex::new(None), message_bytes: AtomicUsize::new(0) }
    }

    /// The record of a layout, made now if need be, for a handle that has it. That goes back by
    /// [`Layouts::release`].
    pub fn get(&self, before: Type, report: Option<Format>) -> Result<Arc<KnownLayout<A>>, String> {
        if let Some(known) = self.find(&before) {
            return Ok(known);
        }
        let after = normalize(&before).map_err(|e| e.to_string())?;
        let mut guard = lock(&self.table);
        let table = guard.get_or_insert_default();
        let live = table.known.len();
        let known = table.known.entry(before.clone()).or_insert_with(|| {
            let tally = table.past.tally(&before, report, live);
            Arc::new(KnownLayout {
                layout: NormalizedLayout::new(before, after, tally),
                messages: Mutex::new(KnownMessages { by_count: Vec::new(), bytes: 0 }),
                users: Mutex::default(),
            })
        });
        let known = known.clone();
        known.layout.tally.described();
        table.use_it(&known);
        Ok(known)
    }

    fn find(&self, before: &Type) -> Option<Arc<KnownLayout<A>>> {
        let mut guard = lock(&self.table);
        let table = guard.get_or_insert_default();
        let known = table.known.get(before)?.clone();
        known.layout.tally.described();
        table.use_it(&known);
        Some(known)
    }

    /// A handle that had this layout is gone. May be called inside a callback of the library.
    pub fn release(&self, known: &Arc<KnownLayout<A>>) {
        let memory = known.memory();
        let mut guard = lock(&self.table);
        let Some(table) = guard.as_mut() else { return };
        // Of an older life of the library there is nothing in the table any more.
        if !table.known.get(&known.layout.before).is_some_and(|current| Arc::ptr_eq(current, known))
        {
            return;
        }
        let mut users = lock(&known.users);
        users.handles = users.handles.saturating_sub(1);
        if users.handles > 0 {
            return;
        }
        table.now += 1;
        users.idle_since = Some(table.now);
        drop(users);
        table.idle.insert(table.now, (known.layout.before.clone(), memory));
        table.idle_bytes += memory;
        let gone = table.tidy();
        table.past.keep(gone.iter().map(|known| &known.layout));
        drop(guard);
        self.drop_all(gone);
    }

    /// The library ends. Messages may still be under way in caches; what they are for is over.
    pub fn forget_all(&self) {
        let mut guard = lock(&self.table);
        let Some(table) = guard.as_mut() else { return };
        let gone: Vec<_> = table.known.drain().map(|(_, known)| known).collect();
        table.idle.clear();
        table.idle_bytes = 0;
        table.past.keep(gone.iter().map(|known| &known.layout));
        drop(guard);
        self.drop_all(gone);
    }

    /// Records of handles that nobody has freed may still hold them: then without their messages.
    fn drop_all(&self, gone: Vec<Arc<KnownLayout<A>>>) {
        for known in gone {
            let messages = known.take(&mut lock(&known.messages), &self.message_bytes);
            drop(messages);
        }
    }

    /// Bytes of what is kept of layouts without a live handle.
    pub fn idle_bytes(&self) -> usize {
        lock(&self.table).as_ref().map_or(0, |table| table.idle_bytes)
    }

    /// The rows of the report, of all layouts that were ever looked at.
    pub fn rows(&self, format: Format) -> Vec<Row> {
        let guard = lock(&self.table);
        let Some(table) = guard.as_ref() else { return Vec::new() };
        table.past.all(table.known.values().map(|known| &known.layout), format)
    }
}

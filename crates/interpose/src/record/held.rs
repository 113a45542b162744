//! How long the bytes of a message are in its buffer: since which call before it is sent, and up
//! to which one after.
//!
//! Messages that a program sends one after the other are one operation only where all that they
//! send is there at one time. So buffers are looked at whenever the program sends something or
//! posts a receive: those that it has sent from, and those that it will send from, which are
//! known from the last time. A *turn* is what the program does from one message on until one of
//! its messages comes again, or a collective.
//!
//! Buffers are looked at in few turns that begin alike, and only as long as that is cheap.

use std::collections::VecDeque;

use commloom_trace::{Action, Stay as Seen};
use rustc_hash::{FxHashMap, FxHashSet};
use twox_hash::XxHash3_64;

use super::foreign;
use super::layout::Data;

/// Turns that begin alike in which buffers are looked at: the first one tells which. Later ones
/// are looked at ever more rarely, each twice as far on.
const TURNS: u32 = 6;
/// Turns after which no buffer is looked at.
const ALL_TURNS: u32 = 1 << 14;
/// Beginnings of turns that are remembered.
const BEGINNINGS: usize = 1024;
/// Messages of a turn; the rest is the next one.
const MESSAGES: usize = 1024;
/// Buffers of a turn.
const BUFFERS: usize = 256;
/// Bytes that are read in a turn, and in all.
const TURN_BYTES: u64 = 1 << 23;
const ALL_BYTES: u64 = 1 << 26;
/// A look costs as much as reading so many bytes.
const LOOK: u64 = 4096;

/// A message that is sent, or a receive that is posted: buffer, peer and tag.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub is_send: bool,
    pub buffer: (usize, usize),
    /// `None` for any.
    pub peer: Option<u32>,
    pub tag: Option<i32>,
}

/// A buffer that is sent from in this turn.
struct Watched {
    key: Key,
    data: Data,
    /// Of what was there at the last look.
    hash: Option<u64>,
    seen: Seen,
    is_sent: bool,
}

/// The messages that followed a beginning the last time.
#[derive(Default)]
struct Beginning {
    turns: u32,
    sent: Vec<(Key, Data)>,
}

/// The state of the present turn, and what is known of earlier ones.
#[derive(Default)]
pub(crate) struct Held {
    known: FxHashMap<Key, Beginning>,
    begins: Option<Key>,
    /// Whether buffers are looked at in this turn.
    looks: bool,
    messages: FxHashSet<Key>,
    watched: Vec<Watched>,
    scratch: Vec<u8>,
    spent: u64,
    all_spent: u64,
    turns: u32,
}

impl Held {
    /// Of a process whose messages are compared; else nothing is looked at.
    pub fn new(compares: bool) -> Held {
        Held { all_spent: if compares { 0 } else { ALL_BYTES }, ..Held::default() }
    }

    /// The turn ends, as at a collective; what was seen in it.
    pub fn ends(&mut self) -> Vec<Action> {
        self.messages.clear();
        let watched = std::mem::take(&mut self.watched);
        let Some(begins) = self.begins.take() else { return Vec::new() };
        let sent = || watched.iter().filter(|watched| watched.is_sent);
        if let Some(beginning) = self.known.get_mut(&begins).filter(|_| self.looks) {
            beginning.sent = sent().map(|w| (w.key, w.data.clone())).collect();
        }
        // Of a single message all is said by that.
        let tells = self.looks && sent().nth(1).is_some();
        sent().filter(|_| tells).map(|watched| Action::Held(watched.seen)).collect()
    }

    /// Whether a turn ends before this message.
    pub fn ends_before(&self, key: &Key) -> bool {
        self.messages.contains(key) || self.messages.len() >= MESSAGES
    }

    /// A message is sent, or a receive is posted, by the event of this number.
    pub fn message(&mut self, key: Key, data: &Data, event: u64) {
        if self.turns >= ALL_TURNS || self.all_spent >= ALL_BYTES {
            return;
        }
        if self.begins.is_none() {
            self.begin(key);
        }
        self.messages.insert(key);
        if !self.looks {
            return;
        }
        let is_own = |watched: &Watched| watched.key == key && !watched.is_sent;
        let there = self.watched.iter().position(is_own).filter(|_| key.is_send);
        let is_new = key.is_send && there.is_none() && data.content.bytes > 0 && !data.is_hidden;
        if is_new && self.watched.len() < BUFFERS {
            self.watch(key, data.clone(), event);
        }
        self.look(event);
        let own = there.or_else(|| self.watched.len().checked_sub(1));
        let own = own.and_then(|own| self.watched.get_mut(own)).filter(|own| is_own(own));
        if let Some(own) = own.filter(|own| own.hash.is_some()) {
            own.is_sent = true;
            (own.seen.send, own.seen.until) = (event, event);
        }
    }

    fn begin(&mut self, key: Key) {
        self.turns += 1;
        self.begins = Some(key);
        self.spent = 0;
        if self.known.len() >= BEGINNINGS {
            self.known.clear();
        }
        let beginning = self.known.entry(key).or_default();
        beginning.turns = beginning.turns.saturating_add(1);
        self.looks = beginning.turns <= TURNS || beginning.turns.is_power_of_two();
        if self.looks {
            let mut sent: VecDeque<(Key, Data)> = std::mem::take(&mut beginning.sent).into();
            while let Some((key, data)) = sent.pop_front() {
                self.watch(key, data, u64::MAX);
            }
        }
    }

    fn watch(&mut self, key: Key, data: Data, event: u64) {
        let seen = Seen { send: event, since: event, before: None, until: event, after: None };
        self.watched.push(Watched { key, data, hash: None, seen, is_sent: false });
    }

    /// Looks at all buffers, at the event of this number.
    fn look(&mut self, event: u64) {
        for watched in &mut self.watched {
            if watched.seen.after.is_some() {
                continue;
            }
            let cost = LOOK.saturating_add(spanned(&watched.data));
            if self.spent.saturating_add(cost) > TURN_BYTES {
                // What is not looked at from now on is not known.
                self.looks = false;
                self.watched.clear();
                return;
            }
            self.spent += cost;
            self.all_spent += cost;
            let now = hash(&watched.data, &mut self.scratch);
            let is_same = now.is_some() && now == watched.hash;
            let seen = &mut watched.seen;
            match (watched.is_sent, is_same) {
                (false, true) => seen.until = event,
                (false, false) => {
                    seen.before = watched.hash.map(|_| seen.until);
                    (seen.since, seen.until, watched.hash) = (event, event, now);
                }
                (true, true) => seen.until = event,
                (true, false) => seen.after = Some(event),
            }
        }
    }
}

/// The bytes from the first to the last one.
fn spanned(data: &Data) -> u64 {
    data.bounds().map_or(u64::MAX, |bounds| bounds.end.saturating_sub(bounds.start))
}

/// Of what is in a buffer, in the order of addresses; `None` where it is gone.
fn hash(data: &Data, scratch: &mut Vec<u8>) -> Option<u64> {
    let bounds = data.bounds()?;
    scratch.resize(usize::try_from(bounds.end.checked_sub(bounds.start)?).ok()?, 0);
    if !foreign::read_all(bounds.start, scratch) {
        return None;
    }
    let runs = data.content.runs()?;
    let first = data.content.bounds().start;
    let mut hasher = XxHash3_64::new();
    for run in runs {
        let start = usize::try_from(run.displacement.checked_sub(first)?).ok()?;
        let end = start.checked_add(usize::try_from(run.length).ok()?)?;
        std::hash::Hasher::write(&mut hasher, scratch.get(start..end)?);
    }
    Some(std::hash::Hasher::finish(&hasher))
}

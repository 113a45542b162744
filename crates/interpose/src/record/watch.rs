//! Watches the messages that have come: whether the program adds them to something that it
//! has.
//!
//! A reduction that was written by hand receives into one buffer and combines it with another,
//! which is perhaps never sent: at its root, or in its last step. So when a message has come,
//! before the program sees it, a picture is taken of the memory where the other operand may be,
//! and at the next MPI calls that memory is compared with it. Looked at are, cheapest first:
//!
//! - what was sent from buffers of the same length, which needs no picture: the result there, or
//!   where the message lies;
//! - the places where results of the same call were found before;
//! - the neighbours of what was sent: a ring goes from block to block;
//! - the memory around the message, and the top of the stack.
//!
//! The last two only for the first messages of each call in the program ([`CREDIT`]), and as long
//! as that finds something: a halo exchange pays for a few messages, and then for none. What is
//! read and searched for the messages of a call until something is found is bounded too
//! ([`WORK`]): long messages have much memory beside them.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use commloom_trace::{Operator, Site};
use rustc_hash::FxHashMap;

use super::attention::{Call, call};
pub(crate) use super::combination::{Armed, Other};
use super::combination::{Candidates, Hit};
use super::contents::Kept;
use super::foreign;
use super::layout::Data;
use super::picture::{Shot, long};

/// Messages of one call for which memory is searched before that is given up.
const CREDIT: u32 = 12;
/// Messages of one call that nothing was found of, after which it is left alone.
const IDLE: u32 = 64;
/// Then one of so many is looked at again, and each time that finds nothing one of twice as many.
const AGAIN: u32 = 1024;
/// Calls whose habits are known.
const HABITS: usize = 4096;
/// Bytes of pictures that are read or searched through for the messages of a call, besides
/// [`WORK_EACH`] times the length of one, before that is given up; a quarter of it where one is
/// looked at again.
const WORK: usize = 1 << 24;
const WORK_EACH: usize = 16;
/// Results in a row at places that were known, after which they are not searched for elsewhere.
const SETTLED: u32 = 4;
/// Messages that are watched at most, and calls for which each is.
const ARMED: usize = 64;
const LOOKS: u32 = 64;
/// Longest message that is watched, in bytes.
const LONGEST: usize = 1 << 21;
/// Memory that is searched on both sides of a message besides its own length, and of the stack, in
/// bytes. The first is for the first search, and doubled for each one that finds nothing.
const AROUND: u64 = 1 << 12;
const AROUND_AT_MOST: u64 = 1 << 18;
const STACK: usize = 1 << 15;
/// The stack of our own functions, which is not the program's, in bytes.
const OURS: u64 = 1 << 16;
/// Calls for which such memory is looked at.
const WIDE_LOOKS: u32 = 4;
/// Places of results that are remembered of one call, and bytes of them.
const RESULTS: usize = 32;
const RESULT_BYTES: usize = 1 << 18;
/// Statistics on the messages of a call.
struct Habit {
    /// Searches that are left.
    credit: u32,
    /// Bytes that may still be searched.
    work: usize,
    /// Messages since the last one that was combined with something.
    idle: u32,
    /// How many are left alone before one is looked at again.
    pause: u32,
    /// Results at places that were known, one after the other.
    streak: u32,
    /// Addresses of results.
    results: Vec<u64>,
}

/// Messages that were combined, and what with.
pub(crate) struct Finding {
    pub operator: Operator,
    /// In the order in which they were combined.
    pub messages: Vec<Armed>,
    /// The other operand.
    pub other: Other,
    /// Address of the result.
    pub at: u64,
    pub result: Vec<u8>,
}

pub(crate) struct Watch {
    armed: Vec<(Armed, u32)>,
    shots: Vec<Shot>,
    habits: FxHashMap<Call, Habit>,
    /// Bytes of all pictures at most.
    limit: usize,
    rank: u32,
    /// Where the stack of the program ends, about. What lies below is our own, also sums that were
    /// tried.
    pub stack: u64,
}

fn work(length: usize) -> usize {
    WORK.saturating_add(length.saturating_mul(WORK_EACH))
}

impl Watch {
    /// Of the process with this rank; pictures take at most so many bytes.
    pub fn new(rank: u32, limit: usize) -> Watch {
        Watch {
            armed: Vec::new(),
            shots: Vec::new(),
            habits: FxHashMap::default(),
            limit,
            rank,
            stack: 0,
        }
    }

    /// Whether anything is watched.
    pub fn is_armed(&self) -> bool {
        !self.armed.is_empty()
    }

    /// Whether a message of this length that this call was told of is watched.
    pub fn wants(&mut self, site: Option<&Arc<Site>>, length: usize) -> bool {
        if length == 0 || length > LONGEST.min(self.limit / 4) {
            return false;
        }
        if self.habits.len() >= HABITS {
            self.habits.clear();
        }
        let habit = self.habits.entry(call(site, length)).or_insert(Habit {
            credit: CREDIT,
            work: work(length),
            idle: IDLE,
            pause: AGAIN,
            streak: 0,
            results: Vec::new(),
        });
        if habit.credit > 0 || habit.idle < IDLE {
            return true;
        }
        habit.idle = habit.idle.saturating_add(1);
        if habit.idle > habit.pause {
            (habit.credit, habit.idle, habit.work) = (1, IDLE, work(length) / 4);
            habit.pause = habit.pause.saturating_mul(2);
        }
        false
    }

    /// A message may come to this buffer: what lay there is not read any more.
    pub fn overwritten(&mut self, data: &Data) {
        if let Some(new) = data.bounds() {
            let is_apart = |old: Range<u64>| old.end <= new.start || new.end <= old.start;
            self.armed.retain(|(message, _)| message.data.bounds().is_none_or(is_apart));
        }
    }

    /// Watches a message. `sent`: what was sent last of the same length; `processes`: blocks that
    /// a ring has.
    pub fn arm(&mut self, message: Armed, sent: &[Kept<'_>], processes: usize) {
        // While nothing is watched nobody looks: pictures of that time are old.
        if self.armed.is_empty() {
            self.shots.clear();
        }
        let length = message.bytes.len();
        let Some(own) = message.data.bounds() else { return };
        let Some(habit) = self.habits.get_mut(&call(message.site.as_ref(), length)) else { return };
        let mut wanted: Vec<(u64, usize, bool)> =
            habit.results.iter().map(|at| (*at, length, false)).collect();
        let size = long(length);
        let span = |range: Range<u64>| {
            (range.start, usize::try_from(range.end.saturating_sub(range.start)).unwrap_or(0), true)
        };
        let is_settled = habit.streak >= SETTLED || habit.work == 0;
        if !is_settled {
            let starts = sent.iter().filter_map(|kept| kept.data.only_run());
            wanted.extend(starts.map(|at| (at, length, false)));
            for kept in sent.iter().take(2) {
                let Some(Range { start, end }) = kept.data.bounds() else { continue };
                wanted.push(span(start.saturating_sub(size)..start));
                wanted.push(span(end..end.saturating_add(size)));
                let around = size.saturating_mul(long(processes).saturating_sub(1));
                wanted.push((start.saturating_add(around), length, false));
                wanted.push((start.saturating_sub(around), length, false));
            }
        }
        if habit.credit > 0 && !is_settled {
            let around = (AROUND << (CREDIT - habit.credit)).min(AROUND_AT_MOST);
            habit.credit -= 1;
            wanted.push(span(own.start.saturating_sub(size + around)..own.start));
            wanted.push(span(own.end..own.end.saturating_add(size + around)));
            wanted.push((self.stack, STACK, true));
        }
        habit.idle = habit.idle.saturating_add(1);
        let align = long(message.element.size());
        for (start, length, is_wide) in wanted {
            self.picture(start.next_multiple_of(align), length, is_wide);
        }
        if self.armed.len() >= ARMED {
            self.armed.remove(0);
        }
        self.armed.push((message, 0));
    }

    fn picture(&mut self, start: u64, length: usize, is_wide: bool) {
        let end = start.saturating_add(long(length));
        let ours = self.stack.saturating_sub(OURS)..self.stack;
        let (start, end) = match start < ours.end && ours.start < end {
            true if end > ours.end => (start.max(ours.end), end),
            true => (start, end.min(ours.start)),
            false => (start, end),
        };
        let length = usize::try_from(end.saturating_sub(start)).unwrap_or(0);
        // A place is compared as a whole: part of a longer one is another.
        let there = |shot: &Shot| {
            let its_end = shot.start.saturating_add(long(shot.bytes.len()));
            match is_wide {
                true => shot.is_wide && shot.start <= start && end <= its_end,
                false => !shot.is_wide && (shot.start, its_end) == (start, end),
            }
        };
        let taken: usize = self.shots.iter().map(|shot| shot.bytes.len()).sum();
        if length == 0 || taken + length > self.limit || self.shots.iter().any(there) {
            return;
        }
        let Some((start, bytes)) = foreign::read_some(start, length) else { return };
        let now = Vec::with_capacity(bytes.len());
        self.shots.push(Shot { start, bytes, now, has_changed: false, is_wide, looks: 0 });
    }

    /// Looks at the memory of all pictures: once for each call.
    pub fn look(&mut self) {
        let calls = self.calls(0..self.armed.len());
        if self.left(&calls) == 0 {
            self.shots.retain(|shot| !shot.is_wide);
        }
        self.shots.retain_mut(Shot::look);
        let read = self.shots.iter().map(|shot| shot.bytes.len()).sum();
        self.pay(&calls, read);
    }

    /// Who was told of these messages.
    fn calls(&self, messages: impl Iterator<Item = usize>) -> Vec<Call> {
        let mut calls: Vec<Call> = messages
            .map(|i| call(self.armed[i].0.site.as_ref(), self.armed[i].0.bytes.len()))
            .collect();
        calls.sort_unstable();
        calls.dedup();
        calls
    }

    /// Bytes that may be searched for messages of these calls.
    fn left(&self, calls: &[Call]) -> usize {
        calls.iter().filter_map(|call| self.habits.get(call)).map(|h| h.work).max().unwrap_or(0)
    }

    fn pay(&mut self, calls: &[Call], bytes: usize) {
        for call in calls {
            let Some(habit) = self.habits.get_mut(call) else { continue };
            habit.work = habit.work.saturating_sub(bytes);
            if habit.work == 0 {
                habit.credit = 0;
            }
        }
    }

    /// The next messages that were combined, given what was sent or combined of a length; they are
    /// not watched any more. Linear in the pictures.
    pub fn find<'k>(&mut self, sent: impl Fn(usize) -> Vec<Kept<'k>>) -> Option<Finding> {
        let first = self.armed.first()?;
        let mut lengths = vec![(first.0.bytes.len(), first.0.element)];
        for (other, _) in &self.armed {
            let kind = (other.bytes.len(), other.element);
            if !lengths.contains(&kind) {
                lengths.push(kind);
            }
        }
        let mut found = None;
        for kind in lengths {
            let group: Vec<usize> = (0..self.armed.len())
                .filter(|&i| (self.armed[i].0.bytes.len(), self.armed[i].0.element) == kind)
                .collect();
            let known = sent(kind.0);
            let calls = self.calls(group.iter().copied());
            let left = Cell::new(self.left(&calls));
            let candidates = Candidates { armed: &self.armed, shots: &self.shots, rank: self.rank };
            found = candidates.among(&group, kind.1, &known, &left);
            self.pay(&calls, self.left(&calls) - left.get());
            if found.is_some() {
                break;
            }
        }
        let Hit { operator, order, other, at, result, is_known } = found?;
        let mut taken: Vec<usize> = order.clone();
        taken.sort_unstable();
        let mut messages: Vec<(usize, Armed)> =
            taken.into_iter().rev().map(|i| (i, self.armed.remove(i).0)).collect();
        messages.sort_by_key(|(i, _)| order.iter().position(|o| o == i));
        let messages: Vec<Armed> = messages.into_iter().map(|(_, armed)| armed).collect();
        for message in &messages {
            self.learn(call(message.site.as_ref(), message.bytes.len()), at, is_known);
        }
        for shot in &mut self.shots {
            shot.becomes(at, &result);
        }
        Some(Finding { operator, messages, other, at, result })
    }

    fn learn(&mut self, call: Call, at: u64, is_known: bool) {
        let Some(habit) = self.habits.get_mut(&call) else { return };
        (habit.idle, habit.pause, habit.work) = (0, AGAIN, work(call.1));
        habit.streak = habit.streak.saturating_add(1);
        if is_known || habit.results.contains(&at) {
            return;
        }
        habit.streak = 0;
        habit.credit = (habit.credit + 1).min(CREDIT);
        if habit.results.len() >= RESULTS.min((RESULT_BYTES / call.1).max(1)) {
            habit.results.remove(0);
        }
        habit.results.push(at);
    }

    /// From now on memory is compared with what it is now. Lets go of messages that were watched
    /// long enough.
    pub fn looked(&mut self) {
        for (message, looks) in &mut self.armed {
            *looks += 1;
            if *looks == LOOKS
                && let Some(habit) =
                    self.habits.get_mut(&call(message.site.as_ref(), message.bytes.len()))
            {
                habit.streak = 0;
            }
        }
        self.armed.retain(|(_, looks)| *looks < LOOKS);
        if self.armed.is_empty() {
            self.shots.clear();
            return;
        }
        self.shots.retain_mut(|shot| {
            shot.looks += 1;
            let stays = !shot.is_wide || shot.looks < WIDE_LOOKS;
            std::mem::swap(&mut shot.bytes, &mut shot.now);
            stays
        });
    }
}

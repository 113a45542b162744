//! What becomes of the messages that have come: whether the program adds them to something that it has.
//!
//! A reduction that was written by hand receives into one buffer and combines it with another, which is perhaps never
//! sent: at its root, or in its last step. So when a message has come, before the program sees it, a picture is
//! taken of the memory where the other operand may be, and at the next MPI calls that memory is compared with it.
//! Looked at are, cheapest first:
//!
//! - what was sent from buffers of the same length, which needs no picture: the result there, or where the message lies;
//! - the places where results of the same call were found before;
//! - the neighbours of what was sent: a ring goes from block to block;
//! - the memory around the message, and the top of the stack.
//!
//! The last two only for the first messages of each call in the program ([`CREDIT`]), and as long as that finds
//! something: a halo exchange pays for a few messages, and then for none. What is read and searched for the messages of a
//! call until something is found is bounded too ([`WORK`]): long messages have much memory beside them.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use commloom_trace::{Operator, Site};
use rustc_hash::FxHashMap;

use super::attention::{Call, call};
use super::contents::Kept;
use super::element::{CERTAIN, Element, LIKELY};
use super::layout::Data;
use super::{foreign, search};

/// Messages of one call for which memory is searched before that is given up.
const CREDIT: u32 = 12;
/// Messages of one call that nothing was found of, after which it is left alone.
const IDLE: u32 = 64;
/// Then one of so many is looked at again, and each time that finds nothing one of twice as many.
const AGAIN: u32 = 1024;
/// Calls whose habits are known.
const HABITS: usize = 4096;
/// Bytes of pictures that are read or searched through for the messages of a call, besides [`WORK_EACH`] times the length
/// of one, before that is given up; a quarter of it where one is looked at again.
const WORK: usize = 1 << 24;
const WORK_EACH: usize = 16;
/// Results in a row at places that were known, after which they are not searched for elsewhere.
const SETTLED: u32 = 4;
/// Messages that are watched at most, and calls for which each is.
const ARMED: usize = 64;
const LOOKS: u32 = 64;
/// Longest message that is watched, in bytes.
const LONGEST: usize = 1 << 21;
/// Memory that is searched on both sides of a message besides its own length, and of the stack, in bytes. The first is
/// for the first search, and doubled for each one that finds nothing.
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
/// Messages up to which all ways to add up the first of them are tried.
const CHAIN: usize = 8;
/// Bytes that are compared first.
const HEAD: usize = 64;

/// A message that has come.
pub(crate) struct Armed {
    /// Number of the event that brought it.
    pub event: u64,
    /// Rank in the world.
    pub from: u32,
    /// Who was told.
    pub site: Option<Arc<Site>>,
    pub element: Element,
    pub data: Data,
    pub bytes: Vec<u8>,
}

/// What is known of the messages of a call.
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

/// A picture of some memory.
struct Shot {
    start: u64,
    bytes: Vec<u8>,
    /// What is there at this call.
    now: Vec<u8>,
    has_changed: bool,
    /// More than one place: a result is searched for in there.
    is_wide: bool,
    looks: u32,
}

/// Messages that were combined, and what with.
pub(crate) struct Finding {
    pub operator: Operator,
    /// In the order in which they were combined.
    pub messages: Vec<Armed>,
    /// What the other operand was.
    pub other: Other,
    /// Address of the result.
    pub at: u64,
    pub result: Vec<u8>,
}

pub(crate) enum Other {
    /// It lay where the result is now.
    There(Vec<u8>),
    /// It is known of this event.
    Known(u64, Vec<u8>),
}

/// The same, with the places of the messages among those that are watched.
struct Hit {
    operator: Operator,
    order: Vec<usize>,
    other: Other,
    at: u64,
    result: Vec<u8>,
    /// Something was sent from there, or received.
    is_known: bool,
}

pub(crate) struct Watch {
    armed: Vec<(Armed, u32)>,
    shots: Vec<Shot>,
    habits: FxHashMap<Call, Habit>,
    /// Bytes of all pictures at most.
    limit: usize,
    rank: u32,
    /// Where the stack of the program ends, about. What lies below is our own, also sums that were tried.
    pub stack: u64,
}

fn work(length: usize) -> usize {
    WORK.saturating_add(length.saturating_mul(WORK_EACH))
}

fn long(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
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

    /// Watches a message. `sent`: what was sent last of the same length; `processes`: blocks that a ring has.
    pub fn arm(&mut self, message: Armed, sent: &[Kept<'_>], processes: usize) {
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
        let there = |shot: &Shot| {
            shot.start <= start
                && end <= shot.start.saturating_add(long(shot.bytes.len()))
                && shot.is_wide >= is_wide
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

    /// The next messages that were combined, given what was sent or combined of a length; they are not watched any more.
    /// Linear in the pictures.
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
            found = self.among(&group, kind.1, &known, &left);
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

    /// From now on memory is compared with what it is now. Lets go of messages that were watched long enough.
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

    /// Among messages of one kind.
    fn among(
        &self,
        group: &[usize],
        element: Element,
        known: &[Kept<'_>],
        left: &Cell<usize>,
    ) -> Option<Hit> {
        let orders = self.orders(group);
        self.at_known(group, &orders, element, known)
            .or_else(|| self.in_pictures(&orders, element, known, left))
    }

    fn operands(&self, order: &[usize]) -> Vec<&[u8]> {
        order.iter().map(|&i| self.armed[i].0.bytes.as_slice()).collect()
    }

    /// Where something was sent from, or the messages themselves are.
    fn at_known(
        &self,
        group: &[usize],
        orders: &[Vec<usize>],
        element: Element,
        known: &[Kept<'_>],
    ) -> Option<Hit> {
        let length = self.armed[*group.first()?].0.bytes.len();
        let mut places: Vec<u64> = known.iter().filter_map(|kept| kept.data.only_run()).collect();
        places.extend(group.iter().filter_map(|&i| self.armed[i].0.data.only_run()));
        let heads: Vec<(u64, Vec<u8>)> = places
            .into_iter()
            .filter_map(|at| {
                let mut head = vec![0; length.min(HEAD)];
                foreign::read_all(at, &mut head).then_some((at, head))
            })
            .collect();
        for order in orders {
            for kept in known {
                let plain = Some((kept.bytes, self.operands(order)));
                for (first, rest) in plain.into_iter().chain(self.by_rank(order, kept.bytes)) {
                    let found = element.operators().iter().find_map(|&operator| {
                        let found = result_at(element, operator, first, &rest, &heads)?;
                        (!self.is_older(order, known, &found)).then_some((operator, found))
                    });
                    let Some((operator, (at, result))) = found else { continue };
                    let own = kept.bytes.to_vec();
                    let other = match kept.data.only_run() == Some(at) {
                        true => Other::There(own),
                        false => Other::Known(kept.event, own),
                    };
                    let order = order.clone();
                    return Some(Hit { operator, order, other, at, result, is_known: true });
                }
            }
        }
        None
    }

    /// `left`: bytes that may be searched.
    fn in_pictures(
        &self,
        orders: &[Vec<usize>],
        element: Element,
        known: &[Kept<'_>],
        left: &Cell<usize>,
    ) -> Option<Hit> {
        let may = |bytes: usize| {
            let may = left.get() >= bytes;
            left.set(left.get().saturating_sub(bytes));
            may
        };
        for shot in self.shots.iter().filter(|shot| shot.has_changed) {
            let now = &shot.now;
            for order in orders {
                if !may(shot.bytes.len()) {
                    return None;
                }
                let operands = self.operands(order);
                let there = shot.combined(element, now, &operands).map(|(operator, place)| {
                    let before = shot.bytes[place..place + operands[0].len()].to_vec();
                    (operator, place, Other::There(before))
                });
                let elsewhere = || {
                    let mut known = known.iter().filter(|_| shot.is_wide && may(shot.bytes.len()));
                    known.find_map(|kept| {
                        let place = shot.appears(element, now, kept.bytes, &operands)?;
                        Some((Operator::Sum, place, Other::Known(kept.event, kept.bytes.to_vec())))
                    })
                };
                if let Some((operator, place, other)) = there.or_else(elsewhere) {
                    let result = now[place..place + operands[0].len()].to_vec();
                    let (at, order) = (shot.start + long(place), order.clone());
                    if self.is_older(&order, known, &(at, result.clone())) {
                        continue;
                    }
                    return Some(Hit { operator, order, other, at, result, is_known: false });
                }
            }
        }
        None
    }

    /// Whether a result was sent from its place before all of these messages had come: then it was not made of them.
    fn is_older(&self, order: &[usize], known: &[Kept<'_>], (at, result): &(u64, Vec<u8>)) -> bool {
        let last = order.iter().map(|&i| self.armed[i].0.event).max();
        known.iter().any(|kept| {
            Some(kept.event) < last && kept.data.only_run() == Some(*at) && kept.bytes == result
        })
    }

    /// The orders in which some of the messages may have been combined: each alone, then several together, in the
    /// order in which they came, or the last one first.
    fn orders(&self, group: &[usize]) -> Vec<Vec<usize>> {
        let mut orders: Vec<Vec<usize>> = group.iter().map(|&i| vec![i]).collect();
        let shortest = if group.len() <= CHAIN { 2 } else { group.len() };
        for count in (shortest..=group.len()).rev().filter(|count| *count > 1) {
            let some = group[..count].to_vec();
            orders.push(some.iter().rev().copied().collect());
            orders.push(some);
        }
        if group.len() > 1 {
            let mut sorted = group.to_vec();
            sorted.sort_by_key(|&i| self.armed[i].0.from);
            orders.push(sorted);
        }
        orders
    }

    /// The same with what this process has in the place of its rank: many programs add up in this order.
    fn by_rank<'a>(&'a self, order: &[usize], own: &'a [u8]) -> Option<(&'a [u8], Vec<&'a [u8]>)> {
        let from = |i: &usize| self.armed[*i].0.from;
        let place = order.iter().filter(|i| from(i) < self.rank).count();
        if order.len() < 2 || place == 0 || !order.is_sorted_by_key(from) {
            return None;
        }
        let mut all: Vec<&[u8]> = order.iter().map(|i| self.armed[*i].0.bytes.as_slice()).collect();
        all.insert(place, own);
        let first = all.remove(0);
        Some((first, all))
    }
}

/// Where the result of a sequence lies now, among places with their first bytes; and the result.
fn result_at(
    element: Element,
    operator: Operator,
    first: &[u8],
    rest: &[&[u8]],
    heads: &[(u64, Vec<u8>)],
) -> Option<(u64, Vec<u8>)> {
    let length = first.len().min(HEAD);
    let mut head = first[..length].to_vec();
    rest.iter().for_each(|b| element.combine(operator, &mut head, &b[..length]));
    for (at, _) in heads.iter().filter(|(_, there)| *there == head) {
        let mut now = vec![0; first.len()];
        if foreign::read_all(*at, &mut now)
            && element.is(operator, &now, first, rest)
            && element.evidence(operator, first, rest) >= LIKELY
        {
            return Some((*at, now));
        }
    }
    None
}

impl Shot {
    /// Sees what is there now; whether that could be read.
    fn look(&mut self) -> bool {
        self.now.resize(self.bytes.len(), 0);
        let is_there = foreign::read_all(self.start, &mut self.now);
        self.has_changed = self.now != self.bytes;
        is_there
    }

    /// Where what was there is now combined with the operands.
    fn combined(
        &self,
        element: Element,
        now: &[u8],
        operands: &[&[u8]],
    ) -> Option<(Operator, usize)> {
        for &operator in element.operators() {
            let place = if self.is_wide {
                // Anything may be a maximum.
                (operator == Operator::Sum)
                    .then(|| search::in_place(element, (&self.bytes, now), operands))
                    .flatten()
            } else {
                let is = element.is(operator, now, &self.bytes, operands)
                    && element.evidence(operator, &self.bytes, operands) >= LIKELY;
                is.then_some(0)
            };
            if let Some(place) = place {
                return Some((operator, place));
            }
        }
        None
    }

    /// Where the sum of a sequence is that was not there before.
    fn appears(
        &self,
        element: Element,
        now: &[u8],
        first: &[u8],
        operands: &[&[u8]],
    ) -> Option<usize> {
        if element.evidence(Operator::Sum, first, operands) < CERTAIN {
            return None;
        }
        let mut result = first.to_vec();
        operands.iter().for_each(|b| element.combine(Operator::Sum, &mut result, b));
        let place = search::find(element.size(), now, &result)?;
        let is_new = self.bytes.get(place..place + result.len()) != Some(&result);
        (is_new && element.is(Operator::Sum, &result, first, operands)).then_some(place)
    }

    /// What lies at an address is known to have become this.
    fn becomes(&mut self, at: u64, bytes: &[u8]) {
        for (own, address) in self.bytes.iter_mut().zip(self.start..) {
            if let Some(byte) =
                address.checked_sub(at).and_then(|i| bytes.get(usize::try_from(i).ok()?))
            {
                *own = *byte;
            }
        }
    }
}

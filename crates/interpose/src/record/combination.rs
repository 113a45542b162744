//! Which of the messages that are watched were combined, in which order and what with.

use std::cell::Cell;
use std::sync::Arc;

use commloom_trace::{Operator, Site};

use super::contents::Kept;
use super::element::{Element, LIKELY};
use super::foreign;
use super::layout::Data;
use super::picture::{Shot, long};

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

/// The other operand of a combination.
pub(crate) enum Other {
    /// It lay where the result is now.
    There(Vec<u8>),
    /// It is known of this event.
    Known(u64, Vec<u8>),
}

/// Messages that were combined, by their places among those that are watched.
pub(super) struct Hit {
    pub operator: Operator,
    pub order: Vec<usize>,
    pub other: Other,
    pub at: u64,
    pub result: Vec<u8>,
    /// Something was sent from there, or received.
    pub is_known: bool,
}

/// Where a combination is looked for.
pub(super) struct Candidates<'w> {
    /// Messages, each with the calls for which it was watched.
    pub armed: &'w [(Armed, u32)],
    pub shots: &'w [Shot],
    /// Of this process.
    pub rank: u32,
}

impl Candidates<'_> {
    /// Among messages of one kind.
    pub fn among(
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
                    let is_there = kept.data.only_run() == Some(at);
                    // What was sent from there before the messages came may be kept elsewhere.
                    let is_since = order.iter().any(|&i| self.armed[i].0.event < kept.event);
                    if is_there && is_since && self.is_in_message(order, (at, result.len())) {
                        continue;
                    }
                    let other = match is_there {
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
                let there = shot.combined(element, now, &operands);
                let there = there.filter(|(_, place)| {
                    !self.is_in_message(order, (shot.start + long(*place), operands[0].len()))
                });
                let there = there.map(|(operator, place)| {
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

    /// Whether memory overlaps that of one of these messages: what lay there was the message
    /// itself. Where a program doubles that in place it adds it to nothing else.
    fn is_in_message(&self, order: &[usize], (at, length): (u64, usize)) -> bool {
        let end = at.saturating_add(long(length));
        order.iter().any(|&i| {
            let bounds = self.armed[i].0.data.bounds();
            bounds.is_some_and(|bounds| bounds.start < end && at < bounds.end)
        })
    }

    /// Whether a result was sent from its place before all of these messages had come: then it was
    /// not made of them.
    fn is_older(&self, order: &[usize], known: &[Kept<'_>], (at, result): &(u64, Vec<u8>)) -> bool {
        let last = order.iter().map(|&i| self.armed[i].0.event).max();
        known.iter().any(|kept| {
            Some(kept.event) < last && kept.data.only_run() == Some(*at) && kept.bytes == result
        })
    }

    /// The orders in which some of the messages may have been combined: each alone, then several
    /// together, in the order in which they came, or the last one first.
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

    /// The same with what this process has in the place of its rank: many programs add up in this
    /// order.
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

//! The least price of parts that cover a sequence (book/src/explanation/lower-bounds.md, theorem
//! 2).
//!
//! A part of a strc is a leaf, or a path node over equal blocks. What it covers, and every piece
//! of that, has a price here that is no higher: evenly spaced leaves ([`Lane::step`]), lists of
//! leaves, blocks of a repeat, lists over linked repeats ([`Chain`]). A piece costs no more than
//! the whole, so prices of prefixes never fall, and every kind is best begun as early as it can
//! be.
//!
//! Time: O(n + r log r) for r repeats.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::buckets::Buckets;
use super::repeats::{Packed, Repeat};
use super::strides::Strides;
use super::tariff::Tariff;
use crate::num::count;

/// Least prices of the parts that cover a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    /// Of a single part.
    pub one: u64,
    /// Of two or more parts.
    pub more: u64,
}

/// A repeat, and a lower bound on the cost of one of its blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Priced {
    pub packed: Packed,
    pub block: u64,
    /// Whether one of the same period ends one step before it, or begins one step after it.
    pub before: bool,
    pub after: bool,
}

impl Priced {
    pub(super) fn repeat(&self) -> Repeat {
        self.packed.get()
    }
}

/// For each of the lengths `at`, ascending, from 1 on: the least price of parts that cover the
/// first so many elements. `repeats` in the order of their starts.
pub(super) fn least_parts(
    starts: &[i64],
    repeats: &[Priced],
    tariff: &Tariff,
    at: &[usize],
) -> Vec<Parts> {
    let last = at.last().copied().unwrap_or(0);
    let (mut first, mut later) = (Lane::new(last, tariff), Lane::new(last, tariff));
    let mut found = Vec::with_capacity(at.len());
    let mut wanted = at.iter().copied().peekable();
    let mut coming = repeats.iter().peekable();
    let mut so_far = Parts { one: 0, more: u64::MAX };
    let mut step = None;
    for i in 0..last {
        // Element i; `open` is the least price of parts that end just before it.
        let open = so_far.one.min(so_far.more);
        let (open_first, open_later) = if i == 0 { (open, u64::MAX) } else { (u64::MAX, open) };
        while let Some(priced) = coming.next_if(|p| p.repeat().start <= i) {
            first.enter(priced, open_first);
            if i > 0 {
                later.enter(priced, open_later);
            }
        }
        if i == 1 {
            let at_zero = repeats.iter().take_while(|p| p.repeat().start == 0);
            at_zero.for_each(|p| later.enter(p, open_later));
        }
        if i > 0 {
            let next = starts[i] - starts[i - 1];
            let same = step == Some(next);
            step = Some(next);
            first.step(next, same);
            later.step(next, same);
        }
        so_far = Parts { one: first.element(i, open_first), more: later.element(i, open_later) };
        while wanted.next_if(|&w| w == i + 1).is_some() {
            found.push(so_far);
        }
    }
    found
}

/// Parts that begin at the first element, or those that begin later.
struct Lane<'a> {
    tariff: &'a Tariff,
    /// Price of the parts before the last element.
    before: u64,
    /// Evenly spaced leaves.
    even: u64,
    /// idx of leaves.
    list: u64,
    /// idxbuc of leaves, and the price of such a node with one bucket.
    buckets: Strides,
    one_bucket: u64,
    /// Nodes over blocks: price and end.
    blocks: BinaryHeap<Reverse<(u64, usize)>>,
    /// The last repeat of each period, where another one follows.
    chains: FxHashMap<usize, Chain>,
}

impl<'a> Lane<'a> {
    fn new(elements: usize, tariff: &'a Tariff) -> Self {
        let (one_bucket, bucket) = tariff.buckets_of_leaves();
        Lane {
            tariff,
            before: u64::MAX,
            even: u64::MAX,
            list: u64::MAX,
            buckets: Strides::new(elements, bucket),
            one_bucket,
            blocks: BinaryHeap::new(),
            chains: FxHashMap::default(),
        }
    }

    /// A repeat begins, or goes on, where parts that cost `open` end.
    fn enter(&mut self, priced: &Priced, open: u64) {
        let repeat = &priced.repeat();
        let tariff = self.tariff;
        let open = open.saturating_add(tariff.part).saturating_add(priced.block);
        let before = if priced.before { self.chains.remove(&repeat.period) } else { None };
        let chain = Chain::new(repeat, open, before.as_ref(), tariff);
        let least = open.saturating_add(tariff.node()).min(chain.reached.least());
        if least < u64::MAX {
            self.blocks.push(Reverse((least, repeat.elements_end())));
            if priced.after {
                self.chains.insert(repeat.period, chain);
            }
        }
    }

    /// The step to the next element, the `same` as the one before or not.
    fn step(&mut self, step: i64, same: bool) {
        let before = self.over_leaves(self.before);
        let even = if same { self.even } else { u64::MAX };
        self.even = even.min(before.saturating_add(self.tariff.node()));
        self.buckets.copy(step, before.saturating_add(self.one_bucket));
    }

    /// Element `i`. Returns the least price of parts up to it.
    fn element(&mut self, i: usize, open: u64) -> u64 {
        let single = self.over_leaves(open);
        let list = single.saturating_add(self.tariff.idx).min(self.list);
        self.list = list.saturating_add(self.tariff.entry);
        while self.blocks.peek().is_some_and(|Reverse((_, end))| *end <= i) {
            self.blocks.pop();
        }
        let blocks = self.blocks.peek().map_or(u64::MAX, |Reverse((price, _))| *price);
        self.before = open;
        single.min(self.even).min(self.list).min(self.buckets.least()).min(blocks)
    }

    /// A part over leaves that begins where parts that cost `open` end, without its node.
    fn over_leaves(&self, open: u64) -> u64 {
        open.saturating_add(self.tariff.part).saturating_add(self.tariff.leaf)
    }
}

/// Lists over the blocks of neighbouring repeats of one period.
#[derive(Debug, Clone, Copy)]
struct Chain {
    end: usize,
    /// Lists whose first blocks are in this repeat.
    begun: Lists,
    /// Lists that came from the repeat before, and where that ended.
    reached: Lists,
    from: usize,
}

impl Chain {
    fn new(repeat: &Repeat, open: u64, before: Option<&Chain>, tariff: &Tariff) -> Chain {
        let before = before.filter(|c| c.end + 1 == repeat.start);
        let reached = match before {
            None => Lists::NONE,
            Some(chain) => {
                let mut lists = chain.begun;
                if (chain.end - chain.from).is_multiple_of(repeat.period) {
                    // All the equal differences of a repeat that is passed through are entries.
                    let equal = count((chain.end - chain.from) / repeat.period);
                    lists = lists.min(chain.reached.extended(equal.saturating_sub(1), tariff));
                }
                lists.stepped(tariff)
            }
        };
        let from = before.map_or(repeat.end, |c| c.end);
        Chain { end: repeat.end, begun: Lists::of_two(open, tariff), reached, from }
    }
}

/// Least prices of idx and idxbuc.
#[derive(Debug, Clone, Copy)]
struct Lists {
    idx: u64,
    buckets: Buckets,
}

impl Lists {
    const NONE: Lists = Lists { idx: u64::MAX, buckets: Buckets::NONE };

    /// Lists of two blocks.
    fn of_two(open: u64, tariff: &Tariff) -> Lists {
        let mut buckets = Buckets::NONE;
        buckets.step(false, open.saturating_add(tariff.one_bucket()), tariff.bucket);
        Lists { idx: open.saturating_add(tariff.list(2)), buckets }
    }

    fn extended(mut self, equal: u64, tariff: &Tariff) -> Lists {
        self.idx = self.idx.saturating_add(tariff.entry.saturating_mul(equal));
        self.buckets.extend(equal, tariff.bucket);
        self
    }

    /// One block more, at another distance.
    fn stepped(mut self, tariff: &Tariff) -> Lists {
        self.idx = self.idx.saturating_add(tariff.entry);
        self.buckets.step(false, u64::MAX, tariff.bucket);
        self
    }

    fn min(self, other: Lists) -> Lists {
        Lists { idx: self.idx.min(other.idx), buckets: self.buckets.min(other.buckets) }
    }

    fn least(self) -> u64 {
        self.idx.min(self.buckets.least())
    }
}

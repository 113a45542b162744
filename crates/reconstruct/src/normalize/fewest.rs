//! The fewest buckets for the copies of a prefix in a longer one, from the levels between them.
//!
//! N copies take N minus (count of the most frequent difference of neighbouring starts) buckets. A
//! level of m copies makes m - 1 differences, each as often as the levels above it have copies;
//! from the start of a copy to that of the next it is the difference in the level, less what the
//! levels below span.
//!
//! Idxbuc is of interest only up to `most` buckets, about N/2 (an idx takes N entries), so only
//! differences that make up half of all, less a constant, matter. Long lists are therefore not
//! counted in full: a difference that makes up half of all makes up half of some level, and is one
//! of at most [`HITTERS`] candidates there (Misra and Gries 1982).

use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

use commloom_layout::{LayoutError, Type};

use super::levels::Level;
use crate::extended;
use crate::num::{add, count, length, span};
use crate::sequence::Sequence;

/// Lists up to this length are counted in full.
const SHORT: usize = 1024;

/// Differences of which each may make up more than a share of 1 / (HITTERS + 1).
const HITTERS: usize = 3;

/// Differences of a level and their exact counts.
#[derive(Debug)]
pub(super) struct Steps {
    /// By difference. All of a short list; the frequent ones of a long list.
    pub counts: Vec<(i64, u64)>,
    /// No difference occurs more often.
    pub most: u64,
}

/// A level and how often its steps occur.
#[derive(Debug)]
pub(super) struct Counted {
    pub level: Level,
    pub steps: OnceCell<Steps>,
}

/// The levels between two prefixes, innermost first: part of an even one, whole ones, part of an
/// even one. Parts are (copies, stride).
#[derive(Debug, Clone, Copy)]
pub(super) struct Between<'a> {
    pub first: Option<(u64, i64)>,
    pub whole: &'a [Rc<Counted>],
    pub last: Option<(u64, i64)>,
}

#[derive(Clone, Copy)]
enum View<'a> {
    Even { count: u64, stride: i64 },
    Other(&'a Counted),
}

impl<'a> Between<'a> {
    /// Innermost first.
    fn views(&self) -> impl DoubleEndedIterator<Item = View<'a>> {
        let part = |(count, stride)| View::Even { count, stride };
        let whole = self.whole.iter().map(|counted| match counted.level {
            Level::Even { count, stride } => View::Even { count, stride },
            _ => View::Other(counted),
        });
        self.first.map(part).into_iter().chain(whole).chain(self.last.map(part))
    }

    /// Copies and stride, if they are at equal distances.
    pub(super) fn even(&self) -> Option<(u64, i64)> {
        let mut views = self.views();
        match (views.next(), views.next()) {
            (Some(View::Even { count, stride }), None) => Some((count, stride)),
            _ => None,
        }
    }

    /// Differences that no stride is equal to, at least. Two even levels on top of each other do
    /// not go on in each other, so one of them breaks.
    fn least_breaks(&self) -> u64 {
        let mut views = self.views();
        let (Some(View::Even { count: inner, .. }), Some(View::Even { count: outer, .. })) =
            (views.next(), views.next())
        else {
            return 0;
        };
        let above = views.fold(1u64, |n, view| n.saturating_mul(view.copies()));
        let (inside, between) = ((inner - 1).saturating_mul(outer), outer - 1);
        inside.min(between).saturating_mul(above)
    }

    /// Copies of the shorter prefix in the longer one.
    pub(super) fn copies(&self) -> u64 {
        self.views().fold(1, |n, view| n.saturating_mul(view.copies()))
    }

    /// Where they start.
    pub(super) fn starts(&self) -> Result<Arc<[i64]>, LayoutError> {
        if let (None, [only], None) = (self.first, self.whole, self.last)
            && let Level::List(starts) = &only.level
        {
            return Ok(Arc::clone(starts));
        }
        let mut starts = vec![0];
        for view in self.views() {
            let mut outer = Vec::new();
            view.origins(|origin| outer.push(origin));
            let copies = outer.iter().flat_map(|&o| starts.iter().map(move |&s| add(o, s)));
            starts = copies.collect::<Result<_, _>>()?;
        }
        Ok(starts.into())
    }

    /// The idxbuc of them with this stride over `child`.
    pub(super) fn idxbuc(&self, stride: i64, child: Type) -> Result<Type, LayoutError> {
        if let (None, [only], None) = (self.first, self.whole, self.last)
            && let Level::Buckets(b) = &only.level
            && b.stride == stride
        {
            return match &b.node {
                Some(node) if node.children()[0] == child => Ok(node.clone()),
                _ => Type::idxbuc(stride, Arc::clone(&b.indices), Arc::clone(&b.blocks), child),
            };
        }
        let (indices, blocks) = self.buckets(stride)?;
        Type::idxbuc(stride, indices, blocks, child)
    }

    fn buckets(&self, stride: i64) -> Result<(Vec<i64>, Vec<u64>), LayoutError> {
        let mut runs = Runs { stride, list: vec![(0, 1)] };
        for view in self.views() {
            runs = runs.repeated(view)?;
        }
        Ok(runs.list.into_iter().unzip())
    }
}

impl View<'_> {
    fn copies(&self) -> u64 {
        match self {
            View::Even { count, .. } => *count,
            View::Other(counted) => counted.level.copies(),
        }
    }

    fn last(&self) -> i64 {
        match *self {
            View::Even { count, stride } => Level::Even { count, stride }.last(),
            View::Other(counted) => counted.level.last(),
        }
    }

    /// All origins, in order.
    fn origins(&self, mut visit: impl FnMut(i64)) {
        let even = |from: i64, count: u64, stride: i64, visit: &mut dyn FnMut(i64)| {
            let mut at = from;
            for _ in 0..count {
                visit(at);
                at = at.wrapping_add(stride);
            }
        };
        match self {
            View::Even { count, stride } => even(0, *count, *stride, &mut visit),
            View::Other(counted) => match &counted.level {
                Level::Even { count, stride } => even(0, *count, *stride, &mut visit),
                Level::List(starts) => starts.iter().for_each(|s| visit(*s)),
                Level::Buckets(b) => {
                    for (&index, &block) in b.indices.iter().zip(b.blocks.iter()) {
                        even(index, block, b.stride, &mut visit);
                    }
                }
            },
        }
    }
}

/// Copies at equal distances, as (start, copies).
struct Runs {
    stride: i64,
    list: Vec<(i64, u64)>,
}

impl Runs {
    /// The runs of copies of these runs.
    fn repeated(&self, view: View<'_>) -> Result<Runs, LayoutError> {
        let mut all = Runs { stride: self.stride, list: Vec::new() };
        match view {
            View::Even { count, stride } => self.append_even(0, count, stride, &mut all)?,
            View::Other(counted) => match &counted.level {
                Level::Even { count, stride } => self.append_even(0, *count, *stride, &mut all)?,
                Level::List(starts) => {
                    starts.iter().try_for_each(|&start| self.append(start, &mut all))?;
                }
                Level::Buckets(b) => {
                    for (&index, &block) in b.indices.iter().zip(b.blocks.iter()) {
                        self.append_even(index, block, b.stride, &mut all)?;
                    }
                }
            },
        }
        Ok(all)
    }

    fn append_even(
        &self,
        from: i64,
        count: u64,
        stride: i64,
        all: &mut Runs,
    ) -> Result<(), LayoutError> {
        if let [(start, copies)] = self.list[..]
            && span(copies, self.stride) == Some(stride)
            && let Some(copies) = copies.checked_mul(count)
        {
            return all.push(add(from, start)?, copies);
        }
        let mut origin = from;
        for _ in 0..count {
            self.append(origin, all)?;
            origin = origin.wrapping_add(stride);
        }
        Ok(())
    }

    fn append(&self, origin: i64, all: &mut Runs) -> Result<(), LayoutError> {
        self.list.iter().try_for_each(|&(start, copies)| all.push(add(origin, start)?, copies))
    }

    fn push(&mut self, start: i64, copies: u64) -> Result<(), LayoutError> {
        if let Some((last, before)) = self.list.last_mut()
            && span(*before, self.stride).and_then(|s| last.checked_add(s)) == Some(start)
        {
            let sum = before.checked_add(copies);
            *before = sum.ok_or(LayoutError::Overflow { what: "a block of idxbuc" })?;
        } else {
            self.list.push((start, copies));
        }
        Ok(())
    }
}

/// The fewest buckets and their stride, if they are at most `most`.
pub(super) fn fewest_buckets(between: &Between<'_>, most: u64) -> Option<(u64, i64)> {
    if most == 0 {
        return None;
    }
    if let Some((_, stride)) = between.even() {
        return Some((1, stride));
    }
    if let (None, [only], None) = (between.first, between.whole, between.last)
        && let Level::List(starts) = &only.level
    {
        // Stops as soon as there are too many.
        let most = length(most).unwrap_or(usize::MAX).min(starts.len());
        let found = extended::fewest_buckets(&Sequence { starts }, 1, starts.len(), most);
        return found.map(|(buckets, stride)| (count(buckets), stride));
    }
    if let (None, [only], None) = (between.first, between.whole, between.last)
        && let Level::Buckets(b) = &only.level
        && b.inside() >= count(b.indices.len())
    {
        // No other step can be as frequent.
        let buckets = count(b.indices.len());
        return (buckets <= most).then_some((buckets, b.stride));
    }
    if between.least_breaks() >= most {
        return None;
    }
    let copies = between.copies();
    let needed = copies.saturating_sub(most).max(1);
    let (frequency, stride) = most_frequent(between, needed)?;
    let buckets = copies.saturating_sub(frequency);
    (buckets <= most).then_some((buckets, stride))
}

/// A view with the number of copies of it, and the span of all below it.
struct Placed<'a> {
    view: View<'a>,
    above: u64,
    below: i64,
}

/// The most frequent difference and its count, if some may occur `needed` times.
fn most_frequent(between: &Between<'_>, needed: u64) -> Option<(u64, i64)> {
    let placed = placed(between);
    let possible = placed.iter().map(Placed::bound).fold(0, u64::saturating_add);
    if possible < needed {
        return None;
    }
    let mut short: Vec<(i64, u64)> = placed.iter().flat_map(Placed::short_counts).collect();
    let short = sum_up(&mut short);
    let long: Vec<&Placed<'_>> = placed.iter().filter(|p| p.is_long()).collect();
    if long.is_empty() {
        return short.into_iter().map(|(step, times)| (times, step)).max_by_key(|&(t, _)| t);
    }
    let in_long = long.iter().map(|p| p.bound()).fold(0, u64::saturating_add);
    let mut candidates: Vec<i64> =
        placed.iter().flat_map(|p| p.hitters(in_long >= needed)).collect();
    candidates.sort_unstable();
    candidates.dedup();
    let in_short = |value: i64| {
        short.binary_search_by_key(&value, |&(step, _)| step).map_or(0, |k| short[k].1)
    };
    let possible =
        candidates.into_iter().filter(|v| in_short(*v).saturating_add(in_long) >= needed);
    let total =
        |v: i64| long.iter().map(|p| p.occurrences(v)).fold(in_short(v), u64::saturating_add);
    possible.map(|value| (total(value), value)).max_by_key(|&(times, _)| times)
}

fn placed<'a>(between: &Between<'a>) -> Vec<Placed<'a>> {
    let mut placed = Vec::new();
    let mut below = 0i64;
    for view in between.views() {
        placed.push(Placed { view, above: 1, below });
        below = below.wrapping_add(view.last());
    }
    let mut above = 1u64;
    for p in placed.iter_mut().rev() {
        p.above = above;
        above = above.saturating_mul(p.view.copies());
    }
    placed
}

impl Placed<'_> {
    fn is_long(&self) -> bool {
        matches!(self.view, View::Other(counted) if counted.level.entries() > SHORT)
    }

    /// No difference of this level occurs more often.
    fn bound(&self) -> u64 {
        let most = match self.view {
            View::Other(counted) if !self.is_long() => counted.steps().most,
            view => view.copies() - 1,
        };
        most.saturating_mul(self.above)
    }

    /// Differences as they are between the lowest copies, and how often they occur; nothing for
    /// long lists.
    fn short_counts(&self) -> Vec<(i64, u64)> {
        let whole = |&(step, times): &(i64, u64)| {
            (step.wrapping_sub(self.below), times.saturating_mul(self.above))
        };
        match self.view {
            View::Even { count, stride } => vec![whole(&(stride, count - 1))],
            View::Other(_) if self.is_long() => Vec::new(),
            View::Other(counted) => counted.steps().counts.iter().map(whole).collect(),
        }
    }

    /// Those that make up a large share of this level.
    fn hitters(&self, of_long: bool) -> Vec<i64> {
        match self.view {
            View::Even { stride, .. } => vec![stride.wrapping_sub(self.below)],
            View::Other(_) if self.is_long() && !of_long => Vec::new(),
            View::Other(counted) => {
                let share = (counted.level.copies() - 1) / (count(HITTERS) + 1);
                let frequent = counted.steps().counts.iter().filter(|&&(_, times)| times > share);
                frequent.map(|&(step, _)| step.wrapping_sub(self.below)).collect()
            }
        }
    }

    /// How often a difference occurs here. Linear in the list.
    fn occurrences(&self, value: i64) -> u64 {
        let step = value.wrapping_add(self.below);
        let mut times = 0u64;
        if let View::Other(counted) = self.view {
            counted.level.steps(|s, n| times += if s == step { n } else { 0 });
        }
        times.saturating_mul(self.above)
    }
}

/// Sorts by value and adds the counts of equal ones.
fn sum_up(counts: &mut [(i64, u64)]) -> Vec<(i64, u64)> {
    counts.sort_unstable_by_key(|&(value, _)| value);
    let mut sums: Vec<(i64, u64)> = Vec::with_capacity(counts.len());
    for &(value, times) in counts.iter() {
        match sums.last_mut() {
            Some((last, sum)) if *last == value => *sum = sum.saturating_add(times),
            _ => sums.push((value, times)),
        }
    }
    sums
}

impl Counted {
    fn steps(&self) -> &Steps {
        self.steps.get_or_init(|| Steps::of(&self.level))
    }
}

impl Steps {
    fn of(level: &Level) -> Steps {
        let mut counts = Vec::new();
        if level.entries() <= SHORT {
            level.steps(|step, times| counts.push((step, times)));
            let counts = sum_up(&mut counts);
            let most = counts.iter().map(|&(_, times)| times).max().unwrap_or(0);
            return Steps { counts, most };
        }
        let candidates = match level {
            // No other step has such a share.
            Level::Buckets(b) if b.inside() / count(HITTERS) >= count(b.indices.len()) => {
                vec![b.stride]
            }
            _ => hitters(level),
        };
        counts.extend(candidates.into_iter().map(|value| {
            let mut times = 0u64;
            level.steps(|step, n| times += if step == value { n } else { 0 });
            (value, times)
        }));
        let found = counts.iter().map(|&(_, times)| times).max().unwrap_or(0);
        // Whatever else there is has a smaller share.
        let share = (level.copies() - 1) / (count(HITTERS) + 1);
        Steps { counts, most: found.max(share) }
    }
}

/// Every difference that makes up more than 1 / (HITTERS + 1) of all is among these.
fn hitters(level: &Level) -> Vec<i64> {
    let mut slots: [(i64, u64); HITTERS] = [(0, 0); HITTERS];
    level.steps(|step, times| {
        let mut left = times;
        if let Some(slot) = slots.iter_mut().find(|s| s.1 > 0 && s.0 == step) {
            slot.1 = slot.1.saturating_add(left);
            return;
        }
        while left > 0 {
            if let Some(slot) = slots.iter_mut().find(|s| s.1 == 0) {
                *slot = (step, left);
                return;
            }
            let least = slots.iter().map(|s| s.1).min().unwrap_or(0).min(left);
            slots.iter_mut().for_each(|s| s.1 -= least);
            left -= least;
        }
    });
    slots.iter().filter(|s| s.1 > 0).map(|s| s.0).collect()
}

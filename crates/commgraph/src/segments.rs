//! A map from disjoint address ranges of one process to what is known of them.
//!
//! The segments of few operations lie in a sorted vector, which is fastest; a process with many
//! operations may have many, in any order, and gets a tree. Calls for one range take time
//! logarithmic in the segments plus linear in those that overlap it (in the vector: plus a move of
//! the segments behind it); those for many ranges ([`Segments::update`]) one pass over the vector.

use std::collections::BTreeMap;

/// A range `start..end` of addresses and what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment<T> {
    pub start: u64,
    pub end: u64,
    pub value: T,
}

/// The value of a range, and of its parts.
pub(crate) trait SegmentValue: Copy {
    /// The value of the range without its first bytes.
    fn after(self, skipped: u64) -> Self;
}

/// The segments that hold a whole range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole<T> {
    /// No segment.
    Unknown,
    /// One segment; of its part there.
    Known(T),
    /// Perhaps several.
    Parts,
}

impl<T: SegmentValue> Segment<T> {
    /// The part of the segment inside `start..end`, where there is one.
    fn inside(self, start: u64, end: u64) -> Option<Segment<T>> {
        let (first, end) = (self.start.max(start), self.end.min(end));
        let value = self.value.after(first.wrapping_sub(self.start));
        (first < end).then_some(Segment { start: first, end, value })
    }
}

/// Operations of a process up to which its segments stay in a vector.
const FEW: usize = 1024;

#[derive(Debug)]
pub(crate) struct Segments<T> {
    sorted: Vec<Segment<T>>,
    tree: BTreeMap<u64, Segment<T>>,
    in_tree: bool,
    /// The vector before an update.
    spare: Vec<Segment<T>>,
}

impl<T: SegmentValue> Segments<T> {
    pub(crate) fn new() -> Self {
        Segments { sorted: Vec::new(), tree: BTreeMap::new(), in_tree: false, spare: Vec::new() }
    }

    /// Forgets everything and gets ready for a process with so many operations.
    pub(crate) fn clear(&mut self, operations: usize) {
        self.sorted.clear();
        self.tree.clear();
        self.in_tree = operations > FEW;
    }

    /// The segment that holds all of `start..end`, or that nothing is known of any of it.
    #[inline]
    pub(crate) fn whole(&self, start: u64, end: u64) -> Whole<T> {
        if self.in_tree || start >= end {
            return Whole::Parts;
        }
        match self.sorted.get(self.first_past(start)) {
            Some(segment) if segment.start < end => {
                match segment.start <= start && end <= segment.end {
                    true => Whole::Known(segment.value.after(start - segment.start)),
                    false => Whole::Parts,
                }
            }
            _ => Whole::Unknown,
        }
    }

    /// Adds to `found` the parts of the segments inside `start..end`, in order. `near` is a place
    /// to start from, and becomes the place where they end: who looks at one range after the other
    /// need not search.
    pub(crate) fn look_near(
        &self,
        near: &mut usize,
        start: u64,
        end: u64,
        found: &mut Vec<Segment<T>>,
    ) {
        if self.in_tree {
            self.look(start, end, found);
            return;
        }
        let first = self.first_past_near(*near, start);
        let mut here = first;
        while let Some(segment) = self.sorted.get(here).filter(|s| s.start < end) {
            found.extend(segment.inside(start, end));
            here += 1;
        }
        // The last may reach further.
        *near = here.saturating_sub(1).max(first);
    }

    /// Adds to `found` the parts of the segments inside `start..end`, in order.
    pub(crate) fn look(&self, start: u64, end: u64, found: &mut Vec<Segment<T>>) {
        if self.in_tree {
            let first = self.tree.range(..=start).next_back().map_or(start, |(&key, _)| key);
            let near = self.tree.range(first..end).map(|(_, segment)| *segment);
            found.extend(near.filter_map(|s| s.inside(start, end)));
        } else {
            let near = self.sorted[self.first_past(start)..].iter();
            let near = near.take_while(|s| s.start < end);
            found.extend(near.filter_map(|s| s.inside(start, end)));
        }
    }

    /// Takes `start..end` out of the map and adds the parts of the segments there to `found`, in
    /// order. What lies outside stays.
    pub(crate) fn take(&mut self, start: u64, end: u64, found: &mut Vec<Segment<T>>) {
        if start >= end {
            return;
        }
        let before = found.len();
        self.look(start, end, found);
        if found.len() == before {
            return;
        }
        if self.in_tree {
            let first = self.tree.range(..=start).next_back().map_or(start, |(&key, _)| key);
            let keys: Vec<u64> = self.tree.range(first..end).map(|(&key, _)| key).collect();
            for key in keys {
                let Some(whole) = self.tree.remove(&key) else { continue };
                let outside = [whole.inside(0, start), whole.inside(end, u64::MAX)];
                self.tree.extend(outside.into_iter().flatten().map(|rest| (rest.start, rest)));
            }
        } else {
            let first = self.first_past(start);
            let past = first + (found.len() - before);
            let left = self.sorted[first].inside(0, start);
            let right = self.sorted[past - 1].inside(end, u64::MAX);
            self.sorted.splice(first..past, left.into_iter().chain(right));
        }
    }

    /// Adds a segment that overlaps none in the map.
    pub(crate) fn put(&mut self, segment: Segment<T>) {
        if segment.start >= segment.end {
            return;
        }
        if self.in_tree {
            self.tree.insert(segment.start, segment);
        } else if self.sorted.last().is_none_or(|last| last.end <= segment.start) {
            self.sorted.push(segment);
        } else {
            self.sorted.insert(self.first_past(segment.start), segment);
        }
    }

    /// Replaces what is in each range. `ranges` calls its argument with ranges that ascend and are
    /// disjoint; `replace` gets each, the parts of the segments there, and a place to put what is
    /// there afterwards.
    pub(crate) fn update<R>(
        &mut self,
        ranges: impl FnOnce(&mut dyn FnMut(u64, u64, R)),
        mut replace: impl FnMut((u64, u64, R), &[Segment<T>], &mut Vec<Segment<T>>),
    ) {
        let mut found = Vec::new();
        if self.in_tree {
            let mut new = Vec::new();
            ranges(&mut |start, end, what| {
                found.clear();
                self.take(start, end, &mut found);
                replace((start, end, what), &found, &mut new);
                new.drain(..).for_each(|segment| self.put(segment));
            });
            return;
        }
        let mut new = std::mem::take(&mut self.spare);
        // The next old segment, and what is left of the one before it.
        let (mut next, mut cut) = (0, None::<Segment<T>>);
        ranges(&mut |start, end, what| {
            found.clear();
            let meet = |segment: Segment<T>, new: &mut Vec<_>, found: &mut Vec<_>| {
                new.extend(segment.inside(0, start));
                found.extend(segment.inside(start, end));
                segment.inside(end, u64::MAX)
            };
            cut = cut.and_then(|segment| meet(segment, &mut new, &mut found));
            if cut.is_none() {
                let past = self.ends_after(next, start);
                new.extend_from_slice(&self.sorted[next..past]);
                next = past;
                while let Some(segment) = self.sorted.get(next).filter(|s| s.start < end) {
                    cut = meet(*segment, &mut new, &mut found);
                    next += 1;
                }
            }
            replace((start, end, what), &found, &mut new);
        });
        new.extend(cut);
        new.extend_from_slice(&self.sorted[next..]);
        self.spare = std::mem::replace(&mut self.sorted, new);
        self.spare.clear();
    }

    /// All segments, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = Segment<T>> + '_ {
        self.sorted.iter().chain(self.tree.values()).copied()
    }

    /// The same, in time logarithmic in how far it is behind `near`.
    fn first_past_near(&self, near: usize, start: u64) -> usize {
        if near > 0 && self.sorted.get(near - 1).is_none_or(|s| s.end > start) {
            return self.first_past(start);
        }
        self.ends_after(near, start)
    }

    /// The first segment from `near` on that ends after `start`.
    fn ends_after(&self, near: usize, start: u64) -> usize {
        let (mut from, mut step) = (near, 1);
        while let Some(segment) = self.sorted.get(from + step - 1) {
            if segment.end > start {
                break;
            }
            from += step;
            step *= 2;
        }
        let past = self.sorted.len().min(from + step);
        from + self.sorted[from..past].partition_point(|s| s.end <= start)
    }

    /// The first segment of the vector that ends after `start`.
    fn first_past(&self, start: u64) -> usize {
        self.sorted.partition_point(|s| s.end <= start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::count;

    /// A step, and the distance from the start of what it wrote.
    impl SegmentValue for (u32, u64) {
        fn after(self, skipped: u64) -> Self {
            (self.0, self.1 + skipped)
        }
    }

    fn index(address: u64) -> usize {
        usize::try_from(address).unwrap()
    }

    /// The value of each address, by the segments.
    fn values(segments: impl IntoIterator<Item = Segment<(u32, u64)>>) -> [Option<(u32, u64)>; 40] {
        let mut seen = [None; 40];
        for s in segments {
            for at in s.start..s.end {
                assert!(seen[index(at)].is_none(), "twice");
                seen[index(at)] = Some((s.value.0, s.value.1 + at - s.start));
            }
        }
        seen
    }

    /// Both forms against one value per address.
    #[test]
    fn ranges_are_what_a_value_per_address_says() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            for operations in [0, FEW + 1] {
                let mut map = Segments::new();
                map.clear(operations);
                let mut oracle = [None; 40];
                for step in 0..60_u32 {
                    let (a, b) = (random.u64(0..40), random.u64(0..=40));
                    let (start, end) = (a.min(b), a.max(b));
                    let (s, e) = (index(start), index(end));
                    match map.whole(start, end) {
                        Whole::Parts => {}
                        Whole::Unknown => assert_eq!(oracle[s..e], vec![None; e - s]),
                        Whole::Known((step, from)) => {
                            let all: Vec<_> =
                                (0..count(e - s)).map(|i| Some((step, from + i))).collect();
                            assert_eq!(oracle[s..e], all, "seed {seed}");
                        }
                    }
                    let mut found = Vec::new();
                    if random.bool() {
                        let mut near = random.usize(0..5);
                        map.look_near(&mut near, start, end, &mut found);
                        let mut again = Vec::new();
                        map.look(start, end, &mut again);
                        assert_eq!(found, again, "seed {seed}, step {step}");
                    } else {
                        map.take(start, end, &mut found);
                    }
                    let seen = values(found.iter().copied());
                    assert_eq!(seen[s..e], oracle[s..e], "seed {seed}, step {step}");
                    assert!(found.is_sorted_by(|x, y| x.end <= y.start), "seed {seed}");
                    map.take(start, end, &mut Vec::new());
                    oracle[s..e].fill(None);
                    let value = (step, 0);
                    if random.bool() {
                        map.put(Segment { start, end, value });
                        (s..e).for_each(|i| oracle[i] = Some((step, count(i - s))));
                    } else {
                        let (gap, length) = (random.u64(0..3), random.u64(1..4));
                        let starts = (start..end).step_by(index(gap + length));
                        let ranges: Vec<_> = starts.map(|s| (s, end.min(s + length))).collect();
                        map.update(
                            |each| ranges.iter().for_each(|(s, e)| each(*s, *e, ())),
                            |(start, end, ()), there, new| {
                                let seen = values(there.iter().copied());
                                let (s, e) = (index(start), index(end));
                                assert_eq!(seen[s..e], oracle[s..e], "seed {seed}, step {step}");
                                new.push(Segment { start, end, value });
                            },
                        );
                        for (start, end) in ranges {
                            (start..end).for_each(|i| oracle[index(i)] = Some((step, i - start)));
                        }
                    }
                    assert_eq!(values(map.all()), oracle, "seed {seed}, step {step}");
                    assert!(map.all().is_sorted_by(|x, y| x.end <= y.start), "seed {seed}");
                }
            }
        }
    }
}

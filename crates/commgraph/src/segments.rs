//! A map from disjoint address ranges of one process to what is known of them.
//!
//! Few segments lie in a sorted vector, which is fastest; a process with many operations may have
//! many, in any order, and gets a tree. All calls take time logarithmic in the segments plus linear in
//! those that overlap the range (in the vector: plus a move of at most [`FEW`] segments).

use std::collections::BTreeMap;

/// A range `start..end` of addresses and what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Segment<T> {
    pub start: u64,
    pub end: u64,
    pub value: T,
}

impl<T: Copy> Segment<T> {
    /// The part of the segment inside `start..end`, where there is one.
    fn inside(self, start: u64, end: u64) -> Option<Segment<T>> {
        let part =
            Segment { start: self.start.max(start), end: self.end.min(end), value: self.value };
        (part.start < part.end).then_some(part)
    }
}

/// Operations of a process up to which its segments stay in a vector.
const FEW: usize = 1024;

#[derive(Debug)]
pub(crate) struct Segments<T> {
    sorted: Vec<Segment<T>>,
    tree: BTreeMap<u64, Segment<T>>,
    in_tree: bool,
}

impl<T: Copy> Segments<T> {
    pub(crate) fn new() -> Self {
        Segments { sorted: Vec::new(), tree: BTreeMap::new(), in_tree: false }
    }

    /// Forgets everything and gets ready for a process with so many operations.
    pub(crate) fn clear(&mut self, operations: usize) {
        self.sorted.clear();
        self.tree.clear();
        self.in_tree = operations > FEW;
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

    /// Takes `start..end` out of the map and adds the parts of the segments there to `found`, in order.
    /// What lies outside stays.
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

    /// All segments, in order.
    pub(crate) fn all(&self) -> impl Iterator<Item = Segment<T>> + '_ {
        self.sorted.iter().chain(self.tree.values()).copied()
    }

    /// The first segment of the vector that ends after `start`.
    fn first_past(&self, start: u64) -> usize {
        self.sorted.partition_point(|s| s.end <= start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                    let mut found = Vec::new();
                    if random.bool() {
                        map.look(start, end, &mut found);
                    } else {
                        map.take(start, end, &mut found);
                    }
                    let mut seen = [None; 40];
                    for s in &found {
                        (s.start..s.end)
                            .for_each(|i| seen[usize::try_from(i).unwrap()] = Some(s.value));
                    }
                    let (s, e) = (usize::try_from(start).unwrap(), usize::try_from(end).unwrap());
                    assert_eq!(seen[s..e], oracle[s..e], "seed {seed}, step {step}");
                    assert!(found.is_sorted_by(|x, y| x.end <= y.start), "seed {seed}");
                    map.take(start, end, &mut Vec::new());
                    oracle[s..e].fill(None);
                    if random.bool() {
                        map.put(Segment { start, end, value: step });
                        oracle[s..e].fill(Some(step));
                    }
                    assert!(map.all().is_sorted_by(|x, y| x.end <= y.start), "seed {seed}");
                }
            }
        }
    }
}

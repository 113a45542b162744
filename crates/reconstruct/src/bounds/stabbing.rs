//! Which of many intervals, in the order of their starts, reach past a point.

/// A tree of maxima over the ends of intervals; an interval that was not inserted has the end 0.
pub(super) struct Stabbing {
    /// Node k has the children 2k and 2k + 1; the leaves are the second half.
    ends: Vec<u32>,
}

impl Stabbing {
    /// For intervals numbered below `n`.
    pub(super) fn new(n: usize) -> Stabbing {
        Stabbing { ends: vec![0; 2 * n.next_power_of_two()] }
    }

    /// Interval `k` ends at `end`. O(log n).
    pub(super) fn insert(&mut self, k: usize, end: usize) {
        let end = capped(end);
        let mut node = self.ends.len() / 2 + k;
        while node > 0 {
            self.ends[node] = self.ends[node].max(end);
            node /= 2;
        }
    }

    /// The intervals numbered below `limit` that end after `point`, ascending. O(log n) for each.
    pub(super) fn reaching(&self, limit: usize, point: usize) -> Vec<usize> {
        let (leaves, point) = (self.ends.len() / 2, capped(point));
        let mut found = Vec::new();
        // Nodes with the number of their first leaf and how many leaves they have.
        let mut todo = vec![(1, 0, leaves)];
        while let Some((node, first, size)) = todo.pop() {
            if first >= limit || self.ends[node] <= point {
                continue;
            }
            if size == 1 {
                found.push(first);
            } else {
                todo.push((2 * node + 1, first + size / 2, size / 2));
                todo.push((2 * node, first, size / 2));
            }
        }
        found
    }
}

/// Places past 2^32 - 1 count as this one: no interval reaches past them, so there it is left out,
/// and prices only fall.
fn capped(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use commloom_testkit::check;

    #[test]
    fn intervals_that_reach_past_a_point_are_those_that_a_scan_finds() {
        check(300, |rng| {
            let n = rng.usize(1..40);
            let mut ends = vec![0; n];
            let mut tree = Stabbing::new(n);
            for _ in 0..rng.usize(0..60) {
                let k = rng.usize(0..n);
                ends[k] = ends[k].max(rng.usize(1..100));
                tree.insert(k, ends[k]);
            }
            let (limit, point) = (rng.usize(0..n + 3), rng.usize(0..100));
            let scan: Vec<usize> = (0..limit.min(n)).filter(|&k| ends[k] > point).collect();
            assert_eq!(tree.reaching(limit, point), scan);
        });
    }
}

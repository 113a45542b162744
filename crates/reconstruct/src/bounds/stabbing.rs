//! Which of many intervals, in the order of their starts, reach past a point.

/// A tree of maxima over the ends of intervals; an interval that was not inserted has the end 0.
pub(super) struct Stabbing {
    intervals: usize,
    /// The node of m intervals stands before its left child, that of the first m/2 of them, and 2
    /// (m/2) before its right child: 2 n - 1 nodes in all.
    ends: Vec<u32>,
}

impl Stabbing {
    /// For intervals numbered below `n`.
    pub(super) fn new(n: usize) -> Stabbing {
        Stabbing { intervals: n, ends: vec![0; 2 * n] }
    }

    /// Interval `k` ends at `end`. O(log n).
    pub(super) fn insert(&mut self, k: usize, end: usize) {
        let end = capped(end);
        let (mut node, mut first, mut size) = (0, 0, self.intervals);
        loop {
            self.ends[node] = self.ends[node].max(end);
            let half = size / 2;
            if half == 0 {
                return;
            }
            if k < first + half {
                (node, size) = (node + 1, half);
            } else {
                (node, first, size) = (node + 2 * half, first + half, size - half);
            }
        }
    }

    /// The intervals numbered below `limit` that end after `point`, ascending. O(log n) for each.
    pub(super) fn reaching(&self, limit: usize, point: usize) -> Vec<usize> {
        let point = capped(point);
        let mut found = Vec::new();
        // Nodes with the number of their first interval and how many intervals they have.
        let mut todo = vec![(0, 0, self.intervals)];
        while let Some((node, first, size)) = todo.pop() {
            if size == 0 || first >= limit || self.ends[node] <= point {
                continue;
            }
            let half = size / 2;
            if half == 0 {
                found.push(first);
            } else {
                todo.push((node + 2 * half, first + half, size - half));
                todo.push((node + 1, first, half));
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

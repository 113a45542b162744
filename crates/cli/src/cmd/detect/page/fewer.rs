//! Fewer lines where there are more than a page can hold: lanes, steps and times become coarser,
//! all as little as needed.

use std::collections::BTreeMap;

use super::model::{Diagram, Line};

/// Lanes, steps and nanoseconds are told apart up to 2^FINEST of them, at first.
const FINEST: u32 = 12;

/// Joins lines until there are at most `most`, or only 16 lanes. O(n log n) for each power of two
/// tried.
pub fn thin(diagram: &mut Diagram, processes: u32, most: usize) {
    diagram.lane = diagram.lane.max(1);
    if diagram.lines.len() <= most {
        return;
    }
    let ends = |of: fn(&Line) -> u64| diagram.lines.iter().map(of).max().unwrap_or(0);
    let (steps, times) = (ends(|line| line.steps.1), ends(|line| line.times.1));
    for finest in (4..=FINEST).rev() {
        let by = Scale {
            lanes: shift(processes.into(), finest),
            steps: shift(steps, finest),
            times: shift(times, finest),
        };
        let joined = joined(&diagram.lines, by);
        if joined.len() <= most || finest == 4 {
            diagram.lines = joined;
            diagram.lane = 1 << by.lanes;
            return;
        }
    }
}

/// Bits that go so that at most 2^finest values are left.
fn shift(values: u64, finest: u32) -> u32 {
    (u64::BITS - values.saturating_sub(1).leading_zeros()).saturating_sub(finest).min(31)
}

/// Bits that go.
#[derive(Clone, Copy)]
struct Scale {
    lanes: u32,
    steps: u32,
    times: u32,
}

/// Lanes, steps and times.
type Ends = (u32, u32, (u64, u64), (u64, u64));

/// Lines with equal ends are one.
fn joined(lines: &[Line], by: Scale) -> Vec<Line> {
    let pair = |(a, b): (u64, u64), bits: u32| (a >> bits, b >> bits);
    let mut all: BTreeMap<Ends, Line> = BTreeMap::new();
    for line in lines {
        let (from, to) = (line.from >> by.lanes, line.to >> by.lanes);
        let key = (from, to, pair(line.steps, by.steps), pair(line.times, by.times));
        all.entry(key).and_modify(|sum| sum.add(line)).or_insert_with(|| Line {
            from,
            to,
            ..line.clone()
        });
    }
    all.into_values().collect()
}

impl Line {
    fn add(&mut self, other: &Line) {
        let hull = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
        self.steps = hull(self.steps, other.steps);
        self.times = hull(self.times, other.times);
        self.messages = self.messages.saturating_add(other.messages);
        self.bytes = self.bytes.saturating_add(other.bytes);
        for (own, other) in [(&mut self.sender, other.sender), (&mut self.receiver, other.receiver)]
        {
            if *own != other {
                *own = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_messages_and_bytes_are_left_in_fewer_lines() {
        let line = |k: u32| Line {
            from: k % 4096,
            to: (k * 7 + 1) % 4096,
            steps: (u64::from(k / 4096), u64::from(k / 4096) + 1),
            times: (u64::from(k) * 1000, u64::from(k) * 1000 + 70_000),
            messages: 1,
            bytes: 8,
            sender: 1,
            receiver: 1 + usize::from(k.is_multiple_of(2)),
        };
        let lines = (0..50_000).map(line).collect();
        let mut diagram = Diagram { lines, ..Diagram::default() };
        thin(&mut diagram, 4096, 60_000);
        assert_eq!((diagram.lines.len(), diagram.lane), (50_000, 1));
        thin(&mut diagram, 4096, 5_000);
        assert!((100..=5_000).contains(&diagram.lines.len()), "{}", diagram.lines.len());
        assert!(diagram.lane > 1);
        assert_eq!(diagram.lines.iter().map(|line| line.messages).sum::<u64>(), 50_000);
        assert_eq!(diagram.lines.iter().map(|line| line.bytes).sum::<u64>(), 400_000);
        assert!(diagram.lines.iter().all(|line| line.sender == 1));
        assert!(diagram.lines.iter().all(|line| line.from < 4096 / diagram.lane));
    }
}

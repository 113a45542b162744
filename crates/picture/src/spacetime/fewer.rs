//! Fewer lines where there are more than an eye can tell apart.

use std::collections::{BTreeMap, BTreeSet};

use super::{Band, Mark, Message, Timeline};

/// Lanes, and steps, that are drawn one by one.
const LANES: usize = 40;
const STEPS: u32 = 120;

/// How many lanes, and how many steps, become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scale {
    pub lanes: usize,
    pub steps: u32,
}

impl Scale {
    pub(super) fn of(timeline: &Timeline) -> Scale {
        let steps = timeline.steps().div_ceil(STEPS).max(1);
        Scale { lanes: timeline.lanes.len().div_ceil(LANES).max(1), steps }
    }
}

/// The timeline with neighbouring lanes and steps joined, and equal messages drawn once.
pub(super) fn joined(timeline: &Timeline, scale: Scale) -> Timeline {
    let lane = |k: usize| k / scale.lanes;
    let step = |k: u32| k / scale.steps;
    let lanes = timeline.lanes.chunks(scale.lanes).map(|lanes| match lanes {
        [only] => only.clone(),
        several => {
            let (first, last) = (several.first(), several.last());
            format!("{}\u{2013}{}", first.map_or("", |l| l), last.map_or("", |l| l))
        }
    });
    let mut messages: BTreeMap<(usize, usize, u32, u32), (u64, u64)> = BTreeMap::new();
    for m in &timeline.messages {
        let leaves = step(m.leaves);
        let key = (lane(m.from), lane(m.to), leaves, step(m.arrives).max(leaves + 1));
        let sum = messages.entry(key).or_default();
        *sum = (sum.0.saturating_add(m.bytes), sum.1 + m.count);
    }
    let message = |((from, to, leaves, arrives), (bytes, count))| Message {
        from,
        to,
        leaves,
        arrives,
        bytes,
        count,
    };
    let bands = timeline.bands.iter().map(|band| {
        let lanes: BTreeSet<usize> = band.lanes.iter().map(|k| lane(*k)).collect();
        Band {
            lanes: lanes.into_iter().collect(),
            root: band.root.map(lane),
            step: step(band.step),
            ..band.clone()
        }
    });
    let marks: BTreeSet<(usize, u32, bool)> =
        timeline.marks.iter().map(|m| (lane(m.lane), step(m.step), m.reduces)).collect();
    Timeline {
        heading: timeline.heading.clone(),
        legend: timeline.legend.clone(),
        lanes: lanes.collect(),
        unit: timeline.unit.clone(),
        messages: messages.into_iter().map(message).collect(),
        bands: bands.collect(),
        marks: marks
            .into_iter()
            .map(|(lane, step, reduces)| Mark { lane, step, reduces })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_processes_become_forty_lanes_and_no_message_is_lost() {
        let lanes = (0..1000).map(|p| p.to_string()).collect();
        let messages = (1..1000)
            .map(|to| Message { from: 0, to, leaves: 0, arrives: 1, bytes: 8, count: 1 })
            .collect();
        let timeline = Timeline { lanes, messages, ..Timeline::default() };
        let fewer = joined(&timeline, Scale::of(&timeline));
        assert_eq!((fewer.lanes.len(), fewer.lanes[1].as_str()), (40, "25\u{2013}49"));
        assert_eq!(fewer.messages.len(), 40);
        assert_eq!(fewer.messages.iter().map(|m| m.count).sum::<u64>(), 999);
    }
}

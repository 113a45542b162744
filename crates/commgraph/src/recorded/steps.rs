//! The steps of exchanges in a segment: a process that sends something new after it has got
//! something is one further.

use std::collections::HashMap;

use crate::number::{at, count};
use crate::recorded::lists::Lists;
use crate::recorded::model::Message;
use crate::recorded::units::Units;

/// The step of each unit in its segment. O(n).
pub(super) fn of(
    units: &Units,
    members: &Lists<u32>,
    segment_of: &[u32],
    is_new: impl Fn(u32) -> bool,
    messages: &[Message],
) -> Vec<u32> {
    let mut steps: Vec<u32> = vec![0; units.count];
    // Segment and step in which each process got something last.
    let mut got: HashMap<u32, (u32, u32)> = HashMap::new();
    for (unit, own) in members.iter().enumerate() {
        let segment = segment_of[unit];
        let before = own.iter().flat_map(|m| units.before[at(*m)].iter().flatten());
        let before = before.map(|m| at(units.of[at(*m)])).filter(|u| segment_of[*u] == segment);
        let mut step = before.map(|u| steps[u]).max().unwrap_or(0);
        for message in own.iter().filter(|m| is_new(**m)) {
            let last = got.get(&messages[at(*message)].send.process);
            if let Some((_, last)) = last.filter(|(of, _)| *of == segment) {
                step = step.max(last + 1);
            }
        }
        steps[unit] = step;
        for message in own.iter().map(|m| &messages[at(*m)]).filter(|m| m.bytes > 0) {
            got.insert(message.receive.process, (segment, step));
        }
    }
    steps
}

/// Whether processes that have to do with each other, three or more, all send to each other. O(n
/// log n).
pub(super) fn is_complete(pairs: &[(u32, u32)]) -> bool {
    let mut pairs = pairs.to_vec();
    pairs.retain(|(from, to)| from != to);
    pairs.sort_unstable();
    pairs.dedup();
    // In a complete group all have the same members: themselves and those to whom they send.
    let mut groups: HashMap<Vec<u32>, u64> = HashMap::new();
    for own in pairs.chunk_by(|a, b| a.0 == b.0) {
        let mut group: Vec<u32> = own.iter().map(|(_, to)| *to).collect();
        group.push(own[0].0);
        group.sort_unstable();
        *groups.entry(group).or_default() += 1;
    }
    groups.iter().all(|(group, n)| group.len() > 2 && count(group.len()) == *n)
}

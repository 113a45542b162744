//! Exchanges that are made of those before: the faces of a halo along one dimension are packed
//! when those along the one before have come, and have some of that in them.
//!
//! Where the recorder has looked at buffers it has seen which bytes were not there yet when an
//! earlier message was under way. Steps before and behind are then no single exchange, but each
//! may be one by itself. Steps are taken together until who sends to a process is also who gets
//! from it, as between neighbours along a dimension.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use commloom_trace::{Action, Kind, Site, Stay, Trace};

use crate::number::at;
use crate::recorded::lists::Lists;
use crate::recorded::model::{Message, Place, action, site};
use crate::recorded::steps::is_complete;
use crate::recorded::units::Units;

/// Events between a look and the send of what was not there yet: a turn has no more.
const NEAR: usize = 4096;

/// A send as it is the same in all times: process, line, address, elements, destination.
type Same = (u32, Option<Arc<Site>>, u64, u64, u32);

/// How many sends and receives begin between the last look at which the bytes of a send were not
/// there, and the send; of several times the least.
#[derive(Default)]
pub(super) struct Made(HashMap<Same, usize>);

impl Made {
    /// As far as the recorder has looked, which is in a few of all times.
    pub fn of(traces: &[&Trace]) -> Made {
        let mut all = HashMap::new();
        for (process, trace) in (0..).zip(traces) {
            for (_, event) in trace.events.only(&[Kind::HELD]) {
                let Action::Held(Stay { send, before: Some(before), .. }) = event.action else {
                    continue;
                };
                let Some(same) = same(traces, Place { process, event: send }) else { continue };
                let since = trace.events.since(before.saturating_add(1)).take(NEAR);
                let between = since.take_while(|(number, _)| *number < send);
                let begins =
                    |event: &Action| matches!(event, Action::Send { .. } | Action::Receive { .. });
                let begun = between.filter(|(_, event)| begins(&event.action)).count();
                all.entry(same).and_modify(|least| *least = begun.min(*least)).or_insert(begun);
            }
        }
        Made(all)
    }

    /// The exchange of each unit, in segments that are several; 0 elsewhere. O(n log n).
    pub fn exchanges(
        &self,
        traces: &[&Trace],
        messages: &[Message],
        (units, members): (&Units, &Lists<u32>),
        segment_of: &[u32],
        is_new: impl Fn(u32) -> bool,
    ) -> Vec<u32> {
        if self.0.is_empty() {
            return vec![0; units.count];
        }
        let mut walk = Walk::of(traces, messages);
        let mut levels: Vec<u32> = vec![0; units.count];
        for (unit, own) in members.iter().enumerate() {
            let segment = segment_of[unit];
            let before = own.iter().flat_map(|m| units.before[at(*m)].iter().flatten());
            let before = before.map(|m| at(units.of[at(*m)])).filter(|u| segment_of[*u] == segment);
            let mut level = before.map(|u| levels[u]).max().unwrap_or(0);
            for message in own.iter().filter(|m| is_new(**m)).map(|m| &messages[at(*m)]) {
                let same = same(traces, message.send).and_then(|same| self.0.get(&same));
                let there = same.and_then(|begun| walk.came_before(message.send, *begun));
                if let Some(earlier) = there.filter(|unit| segment_of[*unit] == segment) {
                    level = level.max(levels[earlier] + 1);
                }
            }
            levels[unit] = level;
            own.iter().for_each(|m| walk.came(&messages[at(*m)], unit));
        }
        joined(messages, (units, members), segment_of, &levels)
    }
}

/// All that is the same in all times of a send.
fn same(traces: &[&Trace], place: Place) -> Option<Same> {
    let Action::Send { buffer, to, .. } = action(traces, place)? else { return None };
    Some((place.process, site(traces, place).cloned(), buffer.address, buffer.count, to))
}

/// The way through a part.
struct Walk {
    /// When sends and receives begin, by process; sorted.
    begun: Vec<Vec<u64>>,
    /// The messages so far that have come, by process: when their receive began, and their unit.
    came: Vec<Vec<(u64, usize)>>,
}

impl Walk {
    fn of(traces: &[&Trace], messages: &[Message]) -> Walk {
        let mut begun = vec![Vec::new(); traces.len()];
        for end in messages.iter().flat_map(|m| [m.send, m.receive]) {
            begun[at(end.process)].push(end.event);
        }
        begun.iter_mut().for_each(|own| own.sort_unstable());
        Walk { begun, came: vec![Vec::new(); traces.len()] }
    }

    fn came(&mut self, message: &Message, unit: usize) {
        if message.bytes > 0 {
            self.came[at(message.receive.process)].push((message.receive.event, unit));
        }
    }

    /// The unit of the last message that has come to a process and was waited for at that look.
    fn came_before(&self, send: Place, begun: usize) -> Option<usize> {
        let own = &self.begun[at(send.process)];
        let look = own.partition_point(|event| *event < send.event).checked_sub(begun + 1)?;
        let came = &self.came[at(send.process)];
        let earlier = came.partition_point(|(event, _)| *event <= own[look]).checked_sub(1)?;
        Some(came[earlier].1)
    }
}

/// Levels taken together to exchanges, in each segment that is wholly such ones and not one of all
/// with all.
fn joined(
    messages: &[Message],
    (units, members): (&Units, &Lists<u32>),
    segment_of: &[u32],
    levels: &[u32],
) -> Vec<u32> {
    type Pairs = BTreeSet<(u32, u32)>;
    let higher = (0..units.count).filter(|unit| levels[*unit] > 0).map(|unit| segment_of[unit]);
    let mut ways: HashMap<u32, BTreeMap<u32, Pairs>> =
        higher.map(|segment| (segment, BTreeMap::new())).collect();
    for (unit, own) in members.iter().enumerate() {
        let Some(ways) = ways.get_mut(&segment_of[unit]) else { continue };
        let way = |m: &u32| (messages[at(*m)].send.process, messages[at(*m)].receive.process);
        ways.entry(levels[unit]).or_default().extend(own.iter().map(way));
    }
    let mut exchange_of: HashMap<(u32, u32), u32> = HashMap::new();
    for (segment, by_level) in ways {
        let all: Vec<(u32, u32)> = by_level.values().flatten().copied().collect();
        if is_complete(&all) {
            continue;
        }
        let (mut open, mut number) = (Pairs::new(), 0);
        let mut own = Vec::new();
        for (level, ways) in by_level {
            own.push(((segment, level), number));
            open.extend(ways);
            if open.iter().all(|(from, to)| open.contains(&(*to, *from))) {
                open.clear();
                number += 1;
            }
        }
        if open.is_empty() {
            exchange_of.extend(own);
        }
    }
    let exchange = |unit: usize| exchange_of.get(&(segment_of[unit], levels[unit]));
    (0..units.count).map(|unit| exchange(unit).copied().unwrap_or(0)).collect()
}

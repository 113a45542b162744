//! A part in the pieces that can be looked at alone.
//!
//! A receive that overwrites what came before over the same way, and which nobody has passed on,
//! starts something new: in between the program has computed with what it had. So does a message
//! that is part of no exchange, if its sender has got something in the same piece and sends bytes
//! that are new: it may have made them of that. *Segments* begin there; what passes on the bytes
//! of a segment, or sums them up, belongs to it.
//!
//! Where processes exchange, step by step, all steps are one segment: an alltoall in pairs sends
//! in its last step what was there in the first. That this is so is not in the traces, and
//! therefore said ([`TracePart::assumed`]). Where memory is used again from step to step,
//! something was computed in between: then the steps are only kept together if in the end
//! everybody has exchanged with everybody, as in a transpose through one buffer; else each is a
//! segment.
//!
//! Messages without bytes that are a barrier end there: what follows, as the next barrier, has
//! waited for it.
//!
//! Messages that came to where they are by [`chance`] are parts of their own.
//!
//! Segments are the same for all processes: no message crosses from one into the next, and no
//! process is in a later one before it has left the earlier.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use commloom_trace::{Action, Trace};

use crate::number::at;
use crate::recorded::barriers::{self, Barriers};
use crate::recorded::cut::TracePart;
use crate::recorded::exchanges;
use crate::recorded::graph::Layouts;
use crate::recorded::landed::Landed;
use crate::recorded::links::Links;
use crate::recorded::model::{Message, Place, event};
use crate::recorded::units::{Units, ends};
use crate::recorded::{chance, steps, sweeps};

/// The part in its segments, in their order. O(n log n).
pub(super) fn segments(traces: &[&Trace], part: TracePart) -> Vec<TracePart> {
    let messages = &part.messages;
    let ends = ends(traces.len(), messages);
    let units = Units::of(&ends, messages.len());
    let links = Links::of(traces, messages, &part.sums);
    let exchanged = exchanges::of(traces, messages);
    let sweeps = sweeps::of(&ends, &units, &links, messages);
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); units.count];
    for (message, unit) in (0..).zip(&units.of) {
        members[at(*unit)].push(message);
    }
    let (sources, ranges) = memory(traces, messages);
    let way = |m: u32| (messages[at(m)].send.process, messages[at(m)].receive.process);
    let mut targets = Targets::default();
    let mixed = units.mixed(&ends, |message| links.is_new(message));
    // Even: exchanges; odd: sweeps.
    let mut segment_of: Vec<u32> = vec![0; units.count];
    let mut assumed: HashSet<u32> = HashSet::new();
    let mut reused: HashSet<u32> = HashSet::new();
    // What each process has got, and sent, in the newest segment.
    let mut landed_at = Targets::default();
    let mut sent_from = Targets::default();
    let mut barriers = Barriers::new(traces.len());
    // The last segment in which each process got something.
    let mut got: Vec<Option<u32>> = vec![None; traces.len()];
    for (unit, own) in members.iter().enumerate() {
        let earlier = |message: &u32| at(units.of[at(*message)]) != unit;
        let segment = |message: &u32| segment_of[at(units.of[at(*message)])];
        let before = own.iter().flat_map(|m| units.before[at(*m)].iter().flatten());
        let latest = before.filter(|m| earlier(m)).map(segment).max().unwrap_or(0);
        let is_sweep = mixed[unit] || own.iter().any(|message| sweeps[at(*message)]);
        let depends = |m: &u32| links.is_new(*m) && got[at(way(*m).0)] == Some(latest);
        let new_segment = if (latest % 2 == 1) != is_sweep {
            latest + 1
        } else if is_sweep {
            latest
        } else {
            let mut linked = own.iter().flat_map(|m| &links.to[at(*m)]);
            let linked = linked.any(|m| earlier(m) && segment(m) == latest);
            let overwrites = |m: &u32| {
                let Some(landed) = targets.of(way(*m), latest) else { return false };
                let is_there = |r| if linked { landed.unused(r) } else { landed.any(r) };
                ranges[at(*m)].iter().any(is_there)
            };
            let is_over = || barriers.is_complete(latest) && barriers::is_empty(own, messages);
            let depends = own.iter().any(depends);
            let alone = own.len() == 1 && !exchanged[at(own[0])];
            if (alone && depends) || own.iter().any(overwrites) || is_over() {
                latest + 2
            } else {
                let again = |m: &u32| {
                    let (from, to) = way(*m);
                    let landed = landed_at.of((to, to), latest);
                    let sent = sent_from.of((from, from), latest);
                    let any = |landed: &Landed, ranges: &[Range<u64>]| {
                        ranges.iter().any(|range| landed.any(range))
                    };
                    landed.is_some_and(|l| any(l, &ranges[at(*m)]))
                        || sent.is_some_and(|s| any(s, &sources[at(*m)]))
                };
                if depends {
                    assumed.insert(latest);
                    if own.iter().any(again) {
                        reused.insert(latest);
                    }
                }
                latest
            }
        };
        segment_of[unit] = new_segment;
        barriers.add(new_segment, own, messages);
        for message in own {
            let (from, to) = way(*message);
            for range in &ranges[at(*message)] {
                let landed = targets.of_mut((from, to), new_segment);
                landed.add(range, links.used[at(*message)]);
                landed_at.of_mut((to, to), new_segment).add(range, false);
            }
            let sent = sent_from.of_mut((from, from), new_segment);
            sources[at(*message)].iter().for_each(|range| sent.add(range, false));
            if messages[at(*message)].bytes > 0 {
                got[at(to)] = Some(new_segment);
            }
        }
    }
    let steps = steps::of(&units, &members, &segment_of, |m| links.is_new(m), messages);
    let mut pairs: HashMap<u32, Vec<(u32, u32)>> =
        reused.into_iter().map(|s| (s, vec![])).collect();
    for message in (0..).take(messages.len()) {
        if let Some(pairs) = pairs.get_mut(&segment_of[at(units.of[at(message)])]) {
            pairs.push(way(message));
        }
    }
    let split: HashSet<u32> =
        pairs.into_iter().filter(|(_, p)| !steps::is_complete(p)).map(|(s, _)| s).collect();
    let place = |unit: u32| {
        let segment = segment_of[at(unit)];
        (segment, if split.contains(&segment) { steps[at(unit)] } else { 0 }, 0)
    };
    let by_chance = chance::of(traces, &part);
    let came: HashMap<Place, u32> =
        messages.iter().zip(&units.of).map(|(m, unit)| (m.arrival, *unit)).collect();
    let mut found: BTreeMap<(u32, u32, u32), TracePart> = BTreeMap::new();
    let empty = TracePart { messages: Vec::new(), sums: Vec::new(), ..part.clone() };
    for (number, (message, unit)) in (0..).zip(part.messages.into_iter().zip(&units.of)) {
        let (segment, step, _) = place(*unit);
        // Those that came to their places by chance are nothing with any other.
        let alone = if by_chance[at(number)] { number + 1 } else { 0 };
        let new = || TracePart {
            sweep: segment % 2 == 1,
            assumed: assumed.contains(&segment) && !split.contains(&segment),
            ..empty.clone()
        };
        found.entry((segment, step, alone)).or_insert_with(new).messages.push(message);
    }
    for sum in part.sums {
        let Some(Action::Summed(summed)) = event(traces, sum).map(|event| &event.action) else {
            continue;
        };
        let unit = came.get(&Place { event: summed.receive, ..sum });
        if let Some(part) = unit.and_then(|unit| found.get_mut(&place(*unit))) {
            part.sums.push(sum);
        }
    }
    found.into_values().collect()
}

/// The ranges where messages have come, by sender and receiver: in the newest segment of each.
#[derive(Default)]
struct Targets(HashMap<(u32, u32), (u32, Landed)>);

impl Targets {
    fn of(&self, way: (u32, u32), segment: u32) -> Option<&Landed> {
        self.0.get(&way).filter(|newest| newest.0 == segment).map(|(_, landed)| landed)
    }

    fn of_mut(&mut self, way: (u32, u32), segment: u32) -> &mut Landed {
        let newest = self.0.entry(way).or_default();
        if newest.0 != segment {
            *newest = (segment, Landed::default());
        }
        &mut newest.1
    }
}

/// Where each message comes from and where it comes to.
type Ranges = Vec<Vec<Range<u64>>>;

fn memory(traces: &[&Trace], messages: &[Message]) -> (Ranges, Ranges) {
    let mut layouts = Layouts::default();
    let mut range = |place: Place, bytes: u64| match event(traces, place).map(|e| &e.action) {
        Some(Action::Send { buffer, .. } | Action::Receive { buffer, .. }) => {
            layouts.ranges(buffer, bytes)
        }
        _ => Vec::new(),
    };
    messages.iter().map(|m| (range(m.send, m.bytes), range(m.receive, m.bytes))).unzip()
}

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
//! Where the recorder has seen that a step was [`made`](super::made) after an earlier one, the
//! steps are several exchanges, if each is one by itself.
//!
//! Messages without bytes, or of one token, that are a barrier end there: what follows, as the
//! next barrier, has waited for it.
//!
//! Messages that came to where they are by [`chance`] are parts of their own.
//!
//! Segments are the same for all processes: no message crosses from one into the next, and no
//! process is in a later one before it has left the earlier.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use commloom_trace::{Action, Trace};

use crate::number::at;
use crate::recorded::barriers::Barriers;
use crate::recorded::cut::TracePart;
use crate::recorded::exchanges;
use crate::recorded::landed::Landed;
use crate::recorded::layouts::Layouts;
use crate::recorded::links::Links;
use crate::recorded::lists::Lists;
use crate::recorded::made::Made;
use crate::recorded::model::{Message, Place, action};
use crate::recorded::tokens::Tokens;
use crate::recorded::units::{Units, ends};
use crate::recorded::{chance, steps, sweeps};

/// The part in its segments, in their order. O(n log n).
pub(super) fn segments(
    traces: &[&Trace],
    part: TracePart,
    tokens: &Tokens,
    made: &Made,
) -> Vec<TracePart> {
    let messages = &part.messages;
    let ends = ends(traces.len(), messages);
    let units = Units::of(&ends, messages.len());
    let links = Links::of(traces, messages, &part.sums);
    let sweeps = sweeps::of(&ends, &units, &links, messages);
    let mixed = units.mixed(&ends, |message| links.is_new(message));
    let members = Lists::places(units.count, &units.of);
    let (sources, targets) = memory(traces, messages);
    let mut segments = Segments {
        messages,
        units: &units,
        links: &links,
        exchanged: exchanges::of(traces, messages),
        sources,
        targets,
        of: vec![0; units.count],
        assumed: HashSet::new(),
        reused: HashSet::new(),
        came: Newest::default(),
        landed: Newest::default(),
        sent: Newest::default(),
        barriers: Barriers::new(traces.len(), messages.iter().map(|m| tokens.token(m)).collect()),
        got: vec![None; traces.len()],
    };
    for (unit, own) in members.iter().enumerate() {
        let is_sweep = mixed[unit] || own.iter().any(|message| sweeps[at(*message)]);
        let segment = segments.next(unit, own, is_sweep);
        segments.add(unit, own, segment);
    }
    let steps = steps::of(&units, &members, &segments.of, |m| links.is_new(m), messages);
    let split = segments.split();
    let whole = (&units, &members);
    let made = made.exchanges(traces, messages, whole, &segments.of, |m| links.is_new(m));
    // Long programs: what is not needed any more makes room for their parts.
    let Segments { of, assumed, .. } = { segments };
    drop((links, members));
    // Only sums ask for them.
    let arrivals = if part.sums.is_empty() { &[][..] } else { messages };
    let came: HashMap<Place, u32> =
        arrivals.iter().zip(&units.of).map(|(m, unit)| (m.arrival, *unit)).collect();
    let place = |unit: u32| {
        let segment = of[at(unit)];
        let step = if split.contains(&segment) { &steps } else { &made };
        (segment, step[at(unit)], 0)
    };
    let by_chance = chance::of(traces, &part);
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
        let Some(Action::Summed(summed)) = action(traces, sum) else {
            continue;
        };
        let unit = came.get(&Place { event: summed.receive, ..sum });
        if let Some(part) = unit.and_then(|unit| found.get_mut(&place(*unit))) {
            part.sums.push(sum);
        }
    }
    found.into_values().collect()
}

/// The segments so far, unit by unit. Even ones are exchanges, odd ones sweeps.
struct Segments<'a> {
    messages: &'a [Message],
    units: &'a Units,
    links: &'a Links,
    exchanged: Vec<bool>,
    /// Where each message comes from and where it comes to.
    sources: Ranges,
    targets: Ranges,
    /// The segment of each unit.
    of: Vec<u32>,
    /// Segments in which a later step may be made of what came in an earlier one.
    assumed: HashSet<u32>,
    /// Those of them in which such a step uses memory again.
    reused: HashSet<u32>,
    /// Where messages have come in the newest segment, by sender and receiver.
    came: Newest,
    /// Where each process has got something in it, and sent something from.
    landed: Newest,
    sent: Newest,
    barriers: Barriers,
    /// The last segment in which each process got something.
    got: Vec<Option<u32>>,
}

impl Segments<'_> {
    /// The sender and the receiver of a message.
    fn way(&self, message: u32) -> (u32, u32) {
        let message = &self.messages[at(message)];
        (message.send.process, message.receive.process)
    }

    /// The segment of the next unit, which has these messages.
    fn next(&mut self, unit: usize, own: &[u32], is_sweep: bool) -> u32 {
        let unit_of = |m: &u32| at(self.units.of[at(*m)]);
        let earlier = |m: &u32| unit_of(m) != unit;
        let before = own.iter().flat_map(|m| self.units.before[at(*m)].iter().flatten());
        let latest = before.filter(|m| earlier(m)).map(|m| self.of[unit_of(m)]).max().unwrap_or(0);
        if (latest % 2 == 1) != is_sweep {
            return latest + 1;
        }
        if is_sweep {
            return latest;
        }
        let mut linked = own.iter().flat_map(|m| self.links.to.of(at(*m)));
        let is_linked = linked.any(|m| earlier(m) && self.of[unit_of(m)] == latest);
        let overwrites = |m: &u32| {
            let Some(came) = self.came.of(self.way(*m), latest) else { return false };
            let is_there = |r| if is_linked { came.unused(r) } else { came.any(r) };
            self.targets.of(at(*m)).iter().any(is_there)
        };
        let is_over = || self.barriers.is_over(latest, own);
        let depends = own
            .iter()
            .any(|m| self.links.is_new(*m) && self.got[at(self.way(*m).0)] == Some(latest));
        let alone = own.len() == 1 && !self.exchanged[at(own[0])];
        if (alone && depends) || own.iter().any(overwrites) || is_over() {
            return latest + 2;
        }
        if depends {
            self.assumed.insert(latest);
            if own.iter().any(|m| self.uses_again(*m, latest)) {
                self.reused.insert(latest);
            }
        }
        latest
    }

    /// Whether a message comes to where one came before in this segment, or is sent from where one
    /// was.
    fn uses_again(&self, message: u32, segment: u32) -> bool {
        let (from, to) = self.way(message);
        let any = |newest: &Newest, process: u32, ranges: &[Range<u64>]| {
            let there = newest.of((process, process), segment);
            there.is_some_and(|there| ranges.iter().any(|range| there.any(range)))
        };
        any(&self.landed, to, self.targets.of(at(message)))
            || any(&self.sent, from, self.sources.of(at(message)))
    }

    /// Adds a unit to a segment.
    fn add(&mut self, unit: usize, own: &[u32], segment: u32) {
        self.of[unit] = segment;
        self.barriers.add(segment, own, self.messages);
        for &message in own {
            let (from, to) = self.way(message);
            for range in self.targets.of(at(message)) {
                let came = self.came.of_mut((from, to), segment);
                came.add(range, self.links.used[at(message)]);
                self.landed.of_mut((to, to), segment).add(range, false);
            }
            let sent = self.sent.of_mut((from, from), segment);
            self.sources.of(at(message)).iter().for_each(|range| sent.add(range, false));
            if self.messages[at(message)].bytes > 0 {
                self.got[at(to)] = Some(segment);
            }
        }
    }

    /// The segments that use memory again, and in which not everybody has exchanged with
    /// everybody: each of their steps is a segment.
    fn split(&self) -> HashSet<u32> {
        let mut pairs: HashMap<u32, Vec<(u32, u32)>> =
            self.reused.iter().map(|segment| (*segment, vec![])).collect();
        for (message, unit) in (0..).zip(&self.units.of) {
            if let Some(pairs) = pairs.get_mut(&self.of[at(*unit)]) {
                pairs.push(self.way(message));
            }
        }
        let apart = |(segment, pairs): (u32, Vec<(u32, u32)>)| {
            (!steps::is_complete(&pairs)).then_some(segment)
        };
        pairs.into_iter().filter_map(apart).collect()
    }
}

/// Ranges in the memory of processes, by sender and receiver: in the newest segment of each.
#[derive(Default)]
struct Newest(HashMap<(u32, u32), (u32, Landed)>);

impl Newest {
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

/// For each message.
type Ranges = Lists<Range<u64>>;

fn memory(traces: &[&Trace], messages: &[Message]) -> (Ranges, Ranges) {
    let mut layouts = Layouts::default();
    let mut range = |place: Place, bytes: u64| match action(traces, place) {
        Some(Action::Send { buffer, .. } | Action::Receive { buffer, .. }) => {
            layouts.ranges(&buffer, bytes)
        }
        _ => Vec::new(),
    };
    let mut all = (Ranges::default(), Ranges::default());
    for message in messages {
        all.0.push(range(message.send, message.bytes));
        all.1.push(range(message.receive, message.bytes));
    }
    all
}

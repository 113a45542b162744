//! Which messages of a part pass on what came with others, or combine it with something.

use std::collections::HashMap;

use commloom_trace::{Action, NOT_LOOKED_AT, Trace};

use crate::number::{at, id};
use crate::recorded::lists::Lists;
use crate::recorded::model::{Message, Place, action};

/// The relations between the messages of a part, by their places in it.
#[derive(Default)]
pub(super) struct Links {
    /// The earlier messages whose bytes each one passes on or combines.
    pub to: Lists<u32>,
    /// Whether a later one, or a sum, does so with it.
    pub used: Vec<bool>,
    /// Whether its sender sends the same bytes from the same memory to other processes as well,
    /// before something comes to it.
    pub shared: Vec<bool>,
    /// Whether it has bytes that no earlier event knew.
    new: Vec<bool>,
}

/// By sender, how much had come to it before, address and content: a message, and to whom it is
/// sent.
type Copied = ((u32, u32, u64, u64), u32, u32);

impl Links {
    /// As far as the recorder has seen them; `sums`: where something was combined. O(n) in
    /// messages and origins.
    pub fn of(traces: &[&Trace], messages: &[Message], sums: &[Place]) -> Links {
        let n = messages.len();
        let mut links = Links {
            to: Lists::default(),
            used: vec![false; n],
            shared: vec![false; n],
            new: vec![false; n],
        };
        let events = Events::of(traces, messages, sums);
        for place in sums {
            for message in events.messages(*place) {
                links.used[at(message)] |= messages[at(message)].receive.process == place.process;
            }
        }
        // Sums by where they are and what they are: those that are sent as they were made.
        let made: HashMap<(u32, u64, u64), Place> = sums
            .iter()
            .filter_map(|place| match action(traces, *place) {
                Some(Action::Summed(s)) => {
                    Some(((place.process, s.buffer.address, s.hash), *place))
                }
                _ => None,
            })
            .collect();
        let mut came: Vec<Vec<u64>> = vec![Vec::new(); traces.len()];
        messages.iter().for_each(|m| came[at(m.arrival.process)].push(m.arrival.event));
        came.iter_mut().for_each(|own| own.sort_unstable());
        let mut copies: Vec<Copied> = Vec::with_capacity(n);
        for (number, message) in messages.iter().enumerate() {
            let Some(Action::Send { to, buffer, hash, origins, sum, .. }) =
                action(traces, message.send)
            else {
                links.to.push([]);
                continue;
            };
            let mut linked = Vec::new();
            let process = message.send.process;
            let here = |event| Place { process, event };
            let brought = origins.iter().map(|o| o.receive).chain(sum.as_ref().map(|s| s.receive));
            let sum_here = made.get(&(process, buffer.address, hash)).map(|place| place.event);
            let sum_here = sum_here.filter(|made| *made < message.send.event);
            for earlier in brought.chain(sum_here).flat_map(|event| events.messages(here(event))) {
                // Bytes that were only sent before are known, but nobody has brought them.
                if messages[at(earlier)].receive.process == process {
                    linked.push(earlier);
                    links.used[at(earlier)] = true;
                }
            }
            let before = sum.as_ref().map(|sum| here(sum.before));
            linked.extend(before.into_iter().flat_map(|place| events.messages(place)));
            let known: u64 = origins.iter().map(|o| o.length).sum();
            links.new[number] = linked.is_empty() && known < message.bytes;
            links.to.push(linked);
            let before = came[at(process)].partition_point(|e| *e < message.send.event);
            if hash != NOT_LOOKED_AT {
                copies.push(((process, id(before), buffer.address, hash), id(number), to));
            }
        }
        copies.sort_unstable();
        for same in copies.chunk_by(|a, b| a.0 == b.0) {
            let (_, first, first_to) = same[0];
            for (_, number, _) in same.iter().filter(|(.., to)| *to != first_to) {
                links.shared[at(*number)] = true;
                links.shared[at(first)] = true;
            }
        }
        links
    }

    /// Whether bytes are sent that no earlier event knew.
    pub fn is_new(&self, message: u32) -> bool {
        self.new[at(message)]
    }
}

/// The messages that events of the part are about.
struct Events {
    /// The ends of messages at each process, by the number of the event: sorted lists take a third
    /// of the memory of a map, of which long programs need much.
    ends: Vec<Vec<(u64, u32)>>,
    sums: HashMap<Place, [Option<u32>; 2]>,
}

impl Events {
    fn of(traces: &[&Trace], messages: &[Message], sums: &[Place]) -> Events {
        let mut ends = vec![Vec::new(); traces.len()];
        for (number, message) in messages.iter().enumerate() {
            for place in [message.arrival, message.send] {
                ends[at(place.process)].push((place.event, id(number)));
            }
        }
        ends.iter_mut().for_each(|own: &mut Vec<(u64, u32)>| own.sort_unstable());
        let mut events = Events { ends, sums: HashMap::new() };
        // By process and event: what was combined before is known.
        let mut sums = sums.to_vec();
        sums.sort_unstable();
        for place in sums {
            let Some(Action::Summed(summed)) = action(traces, place) else { continue };
            let of = |event: u64| events.messages(Place { event, ..place }).next();
            let other = summed.other.into_iter().chain(summed.origins.iter().map(|o| o.receive));
            let both = [of(summed.receive), other.filter_map(of).next()];
            events.sums.insert(place, both);
        }
        events
    }

    /// At most two: of a sum the one that it takes, and one of those in what it had.
    fn messages(&self, place: Place) -> impl Iterator<Item = u32> + use<> {
        let known = self.sums.get(&place).copied().or_else(|| {
            let own = self.ends.get(at(place.process))?;
            let found = own.binary_search_by_key(&place.event, |(event, _)| *event).ok()?;
            Some([Some(own[found].1), None])
        });
        known.unwrap_or_default().into_iter().flatten()
    }
}

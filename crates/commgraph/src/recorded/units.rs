//! Which messages happen at once: those of which none can be put wholly before another.
//!
//! Each process sends and learns of arrivals in an order. A message is before another where one of
//! its ends is, at a process that has an end of both. Messages that are before each other both
//! ways, as in any exchange, are one *unit*: the strongly connected components of that relation.
//! Units that are left have an order.

use crate::number::{at, id};
use crate::recorded::model::Message;

/// The units of some messages.
pub(super) struct Units {
    /// Of each message, by its place. A unit comes after those that are before it.
    pub of: Vec<u32>,
    /// How many.
    pub count: usize,
    /// Of each message, the ones just before it at its sender and at its receiver.
    pub before: Vec<[Option<u32>; 2]>,
}

/// The ends of messages at each process, in the order in which it sends and learns of arrivals:
/// the message, and whether it is sent.
pub(super) fn ends(processes: usize, messages: &[Message]) -> Vec<Vec<(u32, bool)>> {
    let mut all: Vec<Vec<(u64, u32, bool)>> = Vec::new();
    all.resize_with(processes, Vec::new);
    for (number, message) in messages.iter().enumerate() {
        for (place, sent) in [(message.send, true), (message.arrival, false)] {
            all[at(place.process)].push((place.event, id(number), sent));
        }
    }
    let ordered = |mut own: Vec<(u64, u32, bool)>| {
        own.sort_unstable();
        own.into_iter().map(|(_, message, sent)| (message, sent)).collect()
    };
    all.into_iter().map(ordered).collect()
}

impl Units {
    /// Of messages with these [`ends`]. O(n): Tarjan's algorithm ("Depth-first search and linear
    /// graph algorithms", 1972), which meets components in the reverse of their order.
    pub fn of(ends: &[Vec<(u32, bool)>], messages: usize) -> Units {
        let mut before = vec![[None; 2]; messages];
        let mut after = vec![[None; 2]; messages];
        for own in ends {
            for pair in own.windows(2) {
                let [(first, sent_first), (second, sent_second)] = [pair[0], pair[1]];
                after[at(first)][usize::from(!sent_first)] = Some(second);
                before[at(second)][usize::from(!sent_second)] = Some(first);
            }
        }
        let mut walk = Walk {
            after: &after,
            seen: vec![None; messages],
            low: vec![0; messages],
            open: Vec::new(),
            unit: vec![None; messages],
            clock: 0,
            units: 0,
        };
        (0..id(messages)).for_each(|message| walk.from(message));
        let last = walk.units;
        let of = walk.unit.into_iter().map(|unit| last - 1 - unit.unwrap_or(0)).collect();
        Units { of, count: at(last), before }
    }

    /// Of each unit, whether a process sends something new in it after it has got something in it.
    /// Such processes answer each other, and what they send may be made of what they got. O(n).
    pub fn mixed(&self, ends: &[Vec<(u32, bool)>], is_new: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut mixed = vec![false; self.count];
        for own in ends {
            // No unit comes back: they have an order, and the process follows it.
            let mut got_in = None;
            for &(message, sent) in own {
                let unit = self.of[at(message)];
                if !sent {
                    got_in = Some(unit);
                } else if got_in == Some(unit) && is_new(message) {
                    mixed[at(unit)] = true;
                }
            }
        }
        mixed
    }
}

/// A depth-first walk, without recursion.
struct Walk<'a> {
    after: &'a [[Option<u32>; 2]],
    /// When each message was met first.
    seen: Vec<Option<u32>>,
    /// The earliest open message that each one leads to.
    low: Vec<u32>,
    /// Those whose unit is not yet known.
    open: Vec<u32>,
    unit: Vec<Option<u32>>,
    clock: u32,
    units: u32,
}

impl Walk<'_> {
    fn from(&mut self, root: u32) {
        if self.seen[at(root)].is_some() {
            return;
        }
        // A message, and how many of those after it were looked at.
        let mut path = vec![(root, 0)];
        while let Some((message, next)) = path.pop() {
            if next == 0 {
                self.meet(message);
            }
            match self.after[at(message)].get(next) {
                Some(after) => {
                    path.push((message, next + 1));
                    if let Some(after) = *after {
                        match self.seen[at(after)] {
                            None => path.push((after, 0)),
                            Some(seen) if self.unit[at(after)].is_none() => {
                                self.low[at(message)] = self.low[at(message)].min(seen);
                            }
                            Some(_) => {}
                        }
                    }
                }
                None => {
                    self.leave(message);
                    if let Some((parent, _)) = path.last() {
                        self.low[at(*parent)] = self.low[at(*parent)].min(self.low[at(message)]);
                    }
                }
            }
        }
    }

    fn meet(&mut self, message: u32) {
        self.seen[at(message)] = Some(self.clock);
        self.low[at(message)] = self.clock;
        self.clock += 1;
        self.open.push(message);
    }

    /// The first message of a unit closes it.
    fn leave(&mut self, message: u32) {
        if self.seen[at(message)] != Some(self.low[at(message)]) {
            return;
        }
        while let Some(last) = self.open.pop() {
            self.unit[at(last)] = Some(self.units);
            if last == message {
                break;
            }
        }
        self.units += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::model::Place;

    /// Messages from a program: by process, what it sends to (`true`) and gets from whom, in
    /// order.
    fn messages(programs: &[&[(bool, u32)]]) -> Vec<Message> {
        let place =
            |process: usize, event: usize| Place { process: id(process), event: event as u64 };
        let mut all = Vec::new();
        for (from, own) in programs.iter().enumerate() {
            let mut sent: Vec<usize> = vec![0; programs.len()];
            for (event, (_, to)) in own.iter().enumerate().filter(|(_, (sends, _))| *sends) {
                let nth = sent[at(*to)];
                sent[at(*to)] += 1;
                let gets = programs[at(*to)].iter().enumerate();
                let gets = gets.filter(|(_, end)| **end == (false, id(from)));
                let arrival =
                    place(at(*to), gets.map(|(event, _)| event).nth(nth).expect("it comes"));
                let send = place(from, event);
                let message = Message {
                    send,
                    receive: arrival,
                    arrival,
                    bytes: 1,
                    sender: None,
                    receiver: None,
                };
                all.push(message);
            }
        }
        all
    }

    fn units(programs: &[&[(bool, u32)]]) -> Vec<u32> {
        let messages = messages(programs);
        Units::of(&ends(programs.len(), &messages), messages.len()).of
    }

    #[test]
    fn an_exchange_is_one_unit_and_a_chain_has_one_for_each_message() {
        assert_eq!(units(&[&[(true, 1), (false, 1)], &[(true, 0), (false, 0)]]), [0, 0]);
        let chain: [&[(bool, u32)]; 3] = [&[(true, 1)], &[(false, 0), (true, 2)], &[(false, 1)]];
        assert_eq!(units(&chain), [0, 1]);
        // A ring, in which everybody sends first.
        let ring: Vec<Vec<(bool, u32)>> =
            (0..5).map(|r| vec![(true, (r + 1) % 5), (false, (r + 4) % 5)]).collect();
        let ring: Vec<&[(bool, u32)]> = ring.iter().map(Vec::as_slice).collect();
        assert_eq!(units(&ring), [0; 5]);
    }

    #[test]
    fn one_message_after_the_other_and_none() {
        assert_eq!(units(&[&[(true, 1), (true, 1)], &[(false, 0), (false, 0)]]), [0, 1]);
        assert!(units(&[&[], &[]]).is_empty());
    }

    /// Reachability by hand, for random programs that run.
    #[test]
    fn units_are_what_reaches_each_other() {
        for seed in 0..400 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let processes = rng.usize(2..6);
            let mut programs: Vec<Vec<(bool, u32)>> = vec![Vec::new(); processes];
            for _ in 0..rng.usize(0..10) {
                // Sends at once, arrivals in an order of their own: sends never wait.
                let pairs: Vec<(usize, usize)> = (0..rng.usize(1..4))
                    .map(|_| (rng.usize(..processes), rng.usize(..processes)))
                    .collect();
                pairs.iter().for_each(|(from, to)| programs[*from].push((true, id(*to))));
                pairs.iter().for_each(|(from, to)| programs[*to].push((false, id(*from))));
            }
            let programs: Vec<&[(bool, u32)]> = programs.iter().map(Vec::as_slice).collect();
            let messages = messages(&programs);
            let ends = ends(processes, &messages);
            let n = messages.len();
            let mut reaches = vec![vec![false; n]; n];
            for own in &ends {
                for (i, (first, _)) in own.iter().enumerate() {
                    own[i + 1..]
                        .iter()
                        .for_each(|(later, _)| reaches[at(*first)][at(*later)] = true);
                }
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        reaches[i][j] |= reaches[i][k] && reaches[k][j];
                    }
                }
            }
            let units = Units::of(&ends, n).of;
            for i in 0..n {
                for j in 0..n {
                    let both = i == j || (reaches[i][j] && reaches[j][i]);
                    assert_eq!(units[i] == units[j], both, "seed {seed}, messages {i} and {j}");
                    assert!(
                        !reaches[i][j] || units[i] <= units[j],
                        "seed {seed}: order of {i} and {j}"
                    );
                }
            }
        }
    }
}

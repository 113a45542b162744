//! A program that ran, as a whole: all of its messages, and the collectives that it calls itself,
//! over time.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use commloom_advice::Ran;
use commloom_commgraph::recorded::messages;
use commloom_trace::{Action, Trace};

use super::clock::Clock;
use super::fewer::thin;
use super::model::{Band, Diagram, Figure, Line};
use super::phase::{Room, sample, times, traffic};
use super::places::Places;

/// Collectives that are drawn.
const BANDS: usize = 600;

/// The program as a whole, and what is odd about its clocks. `begins` are its phases, by their
/// messages.
pub fn figure(
    traces: &[Trace],
    begins: &[(usize, &Ran)],
    places: &mut Places,
    room: Room,
) -> (Figure, Option<String>) {
    let clock = Clock::of(traces);
    let processes = u32::try_from(traces.len()).unwrap_or(u32::MAX);
    // Incomplete traces were refused before.
    let messages = messages(traces).unwrap_or_default();
    let line = |message: &commloom_commgraph::recorded::Message| Line {
        from: message.send.process,
        to: message.receive.process,
        steps: (0, 0),
        times: times(&clock, message),
        messages: 1,
        bytes: message.bytes,
        sender: places.number(message.sender.as_deref()),
        receiver: places.number(message.receiver.as_deref()),
    };
    let lines: Vec<Line> = messages.iter().map(line).collect();
    let (matrix, pairs) = traffic(processes, &lines, room.squares);
    let note = skew(&lines);
    let bands = collectives(&clock);
    let begin = |(number, ran): &(usize, &Ran)| {
        let sent = ran.messages.iter().filter_map(|message| clock.at(message.send));
        Some((sent.min()?, *number))
    };
    let mut heading = format!("{} messages", lines.len());
    match bands.len() {
        0 => {}
        1 => heading.push_str(", one collective of its own"),
        n => heading.push_str(&format!(", {n} collectives of its own")),
    }
    let mut before = Diagram {
        heading,
        lane: 1,
        lines,
        begins: begins.iter().filter_map(begin).collect(),
        bands: sample_of(bands),
        timed: clock.duration() > 0,
        stepped: false,
    };
    thin(&mut before, processes, room.lines);
    let before = before.timed.then_some(before);
    (Figure { processes, before, after: None, matrix, pairs }, note)
}

/// Clocks of different machines are never the same.
fn skew(lines: &[Line]) -> Option<String> {
    let early = lines.iter().map(|line| line.times.0.saturating_sub(line.times.1));
    let (count, most) =
        early.filter(|by| *by > 0).fold((0_u64, 0), |(n, most), by| (n + 1, most.max(by)));
    (count > 0).then(|| {
        format!(
            "the clocks of the processes differ: {count} messages seem to arrive before they were \
             sent, by up to {}",
            commloom_report::numbers::time(most)
        )
    })
}

/// The collectives that a program calls, with the time when each process did. Those of the same
/// processes are joined in the order in which they were called (MPI 4.1, section 6.14).
fn collectives(clock: &Clock<'_>) -> Vec<Band> {
    let mut all: HashMap<(u64, usize), Calls> = HashMap::new();
    for trace in clock.traces() {
        // By the number of the communicator: its members, and the calls so far.
        let mut groups: HashMap<u64, (u64, usize)> = HashMap::new();
        for (_, event) in &trace.events {
            let Action::Collective(c) = &event.action else { continue };
            let group = groups.entry(c.communicator.number);
            let key = group.or_insert_with(|| (hash(&c.communicator.members), 0));
            let entry = all.entry(*key).or_insert_with(|| (c.name.clone(), c.root, Vec::new()));
            entry.2.push((trace.header.rank, clock.since_start(trace, event.time)));
            key.1 += 1;
        }
    }
    let band = |(name, root, calls): Calls| {
        let detail = format!("{} processes", calls.len());
        let (members, times) = sample(&calls).copied().unzip();
        Band { name: name.to_string(), detail, root, members, times, step: 0 }
    };
    let mut bands: Vec<Band> = all.into_values().map(band).collect();
    bands.sort_by_key(|band| band.times.iter().min().copied());
    bands
}

/// Name, root, who called it and when.
type Calls = (Arc<str>, Option<u32>, Vec<(u32, u64)>);

fn hash(members: &[u32]) -> u64 {
    let mut hasher = DefaultHasher::new();
    members.hash(&mut hasher);
    hasher.finish()
}

/// As many as are drawn, evenly.
fn sample_of(bands: Vec<Band>) -> Vec<Band> {
    let every = bands.len().div_ceil(BANDS).max(1);
    bands.into_iter().step_by(every).collect()
}

//! Rounds: messages on the same ways again, each process with all of one round before any of the
//! next.
//!
//! Data of a later round may be made after an earlier one, also where it has another place
//! beside the first: rows that are broadcast one after the other are rows, and no matrix that is
//! there from the beginning. So each round is looked at alone. Only where a round passes on what
//! an earlier one brought, as in a ring, they belong together.

use std::collections::{HashMap, HashSet};

use commloom_trace::{Site, Trace};

use crate::number::{at, id};
use crate::recorded::cut::TracePart;
use crate::recorded::exchanges;
use crate::recorded::links::Links;
use crate::recorded::model::Message;
use crate::recorded::units::ends;

/// Sender and receiver, and the lines of both where they exchange: those of several directions may
/// be of one step. Other messages are of one loop also where a compiler has made several of it.
type Way<'m> = (u32, u32, Option<(Option<&'m Site>, Option<&'m Site>)>);

/// The part in its rounds, in their order, where it has several. O(n log n).
pub(super) fn rounds(traces: &[&Trace], part: &TracePart) -> Option<Vec<TracePart>> {
    let rounds = of(traces, part)?;
    Some(part.clone().apart(traces, &rounds))
}

/// The round of each message, where there are several.
fn of(traces: &[&Trace], part: &TracePart) -> Option<Vec<u32>> {
    let messages = &part.messages;
    let ways: HashSet<(u32, u32)> =
        messages.iter().map(|m| (m.send.process, m.receive.process)).collect();
    // What has no data depends on none.
    if ways.len() == messages.len() || messages.iter().all(|message| message.bytes == 0) {
        return None;
    }
    let exchanged = exchanges::of(traces, messages);
    let mut order: Vec<u32> = (0..id(messages.len())).collect();
    order.sort_by_key(|message| messages[at(*message)].send);
    let mut sent: HashMap<Way<'_>, u32> = HashMap::new();
    let mut rounds = vec![0; messages.len()];
    for number in order {
        let Message { send, receive, sender, receiver, .. } = &messages[at(number)];
        let lines = (sender.as_deref(), receiver.as_deref());
        let way = (send.process, receive.process, exchanged[at(number)].then_some(lines));
        let nth = sent.entry(way).or_default();
        rounds[at(number)] = *nth;
        *nth += 1;
    }
    let times = *sent.values().next()?;
    if times < 2 || sent.len() < 2 || sent.values().any(|other| *other != times) {
        return None;
    }
    let ordered =
        |own: &Vec<(u32, bool)>| own.is_sorted_by_key(|(message, _)| rounds[at(*message)]);
    if !ends(traces.len(), messages).iter().all(ordered) {
        return None;
    }
    let links = Links::of(traces, messages, &part.sums);
    let mut linked = (0..messages.len()).flat_map(|m| links.to.of(m).iter().map(move |l| (m, *l)));
    linked.all(|(message, earlier)| rounds[message] == rounds[at(earlier)]).then_some(rounds)
}

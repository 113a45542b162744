//! Which receive a sent message came to (MPI 4.1, section 3.5): messages of one sender, receiver,
//! communicator and tag are received in the order in which they were sent, by the receives in the
//! order in which they were posted. Wildcards are recorded with what they matched, so nothing is
//! left to choose.

use std::collections::HashMap;
use std::sync::Arc;

use commloom_trace::{Action, Communicator, NOT_LOOKED_AT, Received, Site, Trace};

use crate::number::{count, id};
use crate::recorded::model::{Message, Oddity, Place};

/// Sender, receiver, tag, communicator. Those whose numbers mean nothing to others have one in
/// common: their messages are told apart by their bytes.
type Envelope = (u32, u32, i32, u64);

fn number(communicator: &Communicator) -> u64 {
    if communicator.is_private() { Communicator::PRIVATE } else { communicator.number }
}

struct Sent {
    place: Place,
    site: Option<Arc<Site>>,
    bytes: u64,
    hash: u64,
}

struct Came {
    posted: Place,
    /// Where the receive was posted.
    site: Option<Arc<Site>>,
    arrival: Place,
    what: Received,
}

#[derive(Default)]
struct Ends {
    sent: Vec<Sent>,
    came: Vec<Came>,
}

/// How far a receive looks ahead for the send with its bytes, where the next one has others.
const AHEAD: usize = 64;

/// All messages, by receiver and then by posted receive, and what does not fit. O(n log n).
pub(super) fn messages(traces: &[&Trace]) -> (Vec<Message>, Vec<Oddity>) {
    let mut ends: HashMap<Envelope, Ends> = HashMap::new();
    for (process, trace) in traces.iter().enumerate() {
        let process = id(process);
        let mut posted_on: HashMap<u64, (u64, Option<Arc<Site>>)> = HashMap::new();
        for (event, entry) in &trace.events {
            let place = Place { process, event };
            match &entry.action {
                Action::Receive { communicator, .. } => {
                    posted_on.insert(event, (number(communicator), entry.site));
                }
                Action::Send { to, tag, communicator, buffer, hash, .. } => {
                    let sent = Sent { place, site: entry.site, bytes: buffer.bytes, hash: *hash };
                    let envelope = (process, *to, *tag, number(communicator));
                    ends.entry(envelope).or_default().sent.push(sent);
                }
                Action::Received { receive, what } => {
                    // Where its block is lost, so is the buffer; or the number means nothing.
                    let Some((on, site)) = posted_on.remove(receive) else { continue };
                    let posted = Place { process, event: *receive };
                    let came = Came { posted, site, arrival: place, what: *what };
                    ends.entry((what.from, process, what.tag, on)).or_default().came.push(came);
                }
                _ => {}
            }
        }
    }
    let mut envelopes: Vec<(Envelope, Ends)> = ends.into_iter().collect();
    envelopes.sort_unstable_by_key(|(envelope, _)| *envelope);
    let (mut messages, mut oddities) = (Vec::new(), Vec::new());
    for ((from, to, ..), ends) in envelopes {
        join((from, to), ends, &mut messages, &mut oddities);
    }
    messages.sort_unstable_by_key(|m: &Message| m.receive);
    (messages, oddities)
}

fn join(
    (from, to): (u32, u32),
    Ends { sent, mut came }: Ends,
    messages: &mut Vec<Message>,
    oddities: &mut Vec<Oddity>,
) {
    came.sort_by_key(|came| came.posted.event);
    let mut free: Vec<Option<Sent>> = sent.into_iter().map(Some).collect();
    let mut first = 0;
    let mut unsent = 0;
    for came in came {
        while free.get(first).is_some_and(Option::is_none) {
            first += 1;
        }
        let fits = |sent: &Sent| {
            let hashes = [sent.hash, came.what.hash];
            sent.bytes == came.what.bytes
                && (hashes[0] == hashes[1] || hashes.contains(&NOT_LOOKED_AT))
        };
        let ahead = free.iter().enumerate().skip(first).take(AHEAD);
        let fitting =
            ahead.filter(|(_, sent)| sent.as_ref().is_some_and(fits)).map(|(i, _)| i).next();
        let Some(sent) = free.get_mut(fitting.unwrap_or(first)).and_then(Option::take) else {
            unsent += 1;
            continue;
        };
        if fitting.is_none() {
            oddities.push(Oddity::Differs { send: sent.place, receive: came.posted });
            continue;
        }
        messages.push(Message {
            send: sent.place,
            receive: came.posted,
            arrival: came.arrival,
            bytes: sent.bytes,
            sender: sent.site,
            receiver: came.site,
        });
    }
    let unreceived = count(free.iter().flatten().count());
    for (count, missing) in [(unsent, "send"), (unreceived, "receive")] {
        if count > 0 {
            oddities.push(Oddity::Unmatched { from, to, missing, count });
        }
    }
}

//! Which messages are part of an exchange: sent while their sender has posted a receive that is
//! not yet complete, as in `MPI_Sendrecv`, or between `MPI_Irecv` and `MPI_Wait`.
//!
//! At the border of a grid a process only sends, or only receives. So this is a matter of the
//! place in the program: what one process does there in an exchange, all do.

use std::collections::HashSet;

use commloom_trace::{Action, Site, Trace};

use crate::number::at;
use crate::recorded::model::{Message, Place, action, site};

/// The messages of exchanges. O(n log n).
pub(super) fn of(traces: &[&Trace], messages: &[Message]) -> Vec<bool> {
    let mut open: Vec<[Vec<u64>; 2]> = vec![[Vec::new(), Vec::new()]; traces.len()];
    for message in messages {
        let [posted, done] = &mut open[at(message.receive.process)];
        posted.push(posted_at(traces, message.receive));
        done.push(message.arrival.event);
    }
    open.iter_mut().flatten().for_each(|events| events.sort_unstable());
    let is_waiting = |place: Place| {
        let [posted, done] = &open[at(place.process)];
        posted.partition_point(|e| *e <= place.event) > done.partition_point(|e| *e < place.event)
    };
    let waiting: Vec<bool> = messages.iter().map(|m| is_waiting(m.send)).collect();
    let sites: HashSet<&Site> = messages
        .iter()
        .zip(&waiting)
        .filter(|(_, w)| **w)
        .filter_map(|(m, _)| m.sender.as_deref())
        .collect();
    let from_there = |m: &Message| m.sender.as_deref().is_some_and(|site| sites.contains(site));
    messages.iter().zip(waiting).map(|(m, waiting)| waiting || from_there(m)).collect()
}

/// Where a receive was posted. That of `MPI_Sendrecv` is recorded after its send, but posted with
/// it.
fn posted_at(traces: &[&Trace], receive: Place) -> u64 {
    let Some(here) = site(traces, receive) else { return receive.event };
    let before = (0..receive.event).rev().map_while(|number| {
        let earlier = Place { event: number, ..receive };
        (site(traces, earlier) == Some(here)).then(|| (number, action(traces, earlier)))
    });
    // As many as one call makes.
    let mut before = before.take(2);
    let send = before.find(|(_, action)| matches!(action, Some(Action::Send { .. })));
    send.map_or(receive.event, |(number, _)| number)
}

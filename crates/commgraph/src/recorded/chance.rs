//! Messages that come to a place by chance: a receive from `MPI_ANY_SOURCE` has its buffer before
//! anybody knows whose message it gets. Where several processes send to such receives, the order
//! of their blocks in memory is that in which they came, and may be another the next time; no
//! collective operation leaves blocks like that. What is only added up may come in any order.

use std::collections::{BTreeSet, HashMap, HashSet};

use commloom_trace::{Action, Trace};

use crate::recorded::cut::TracePart;
use crate::recorded::model::{Place, action};

/// Which messages of a part. O(n log n).
pub(super) fn of(traces: &[&Trace], part: &TracePart) -> Vec<bool> {
    // Receives that could have got each other's messages have all this in common.
    let wildcard = |m: &super::Message| match action(traces, m.receive)? {
        Action::Receive { from: None, tag, communicator, .. } if m.bytes > 0 => {
            Some((m.receive.process, communicator.number, tag))
        }
        _ => None,
    };
    let all: Vec<_> = part.messages.iter().map(wildcard).collect();
    let mut senders: HashMap<_, BTreeSet<u32>> = HashMap::new();
    for (m, wildcard) in part.messages.iter().zip(&all) {
        if let Some(wildcard) = wildcard {
            senders.entry(*wildcard).or_default().insert(m.send.process);
        }
    }
    senders.retain(|_, senders| senders.len() > 1);
    if senders.is_empty() {
        return vec![false; all.len()];
    }
    let added = part.messages.iter().map(|m| m.send).chain(part.sums.iter().copied());
    let added: HashSet<Place> = added
        .filter_map(|place| match action(traces, place)? {
            Action::Send { sum: Some(sum), .. } => Some(Place { event: sum.receive, ..place }),
            Action::Summed(summed) => Some(Place { event: summed.receive, ..place }),
            _ => None,
        })
        .collect();
    let is = |(m, wildcard): (&super::Message, &Option<_>)| {
        wildcard.is_some_and(|w| senders.contains_key(&w)) && !added.contains(&m.arrival)
    };
    part.messages.iter().zip(&all).map(is).collect()
}

//! Calls that send and receive at once, one half of which an operation takes the place of.

use std::collections::BTreeSet;

use commloom_commgraph::recorded::Place;
use commloom_trace::{Action, Trace};

use crate::finding::Finding;

/// Why the calls cannot be divided: one half sends from where the other one receives, so that
/// whichever comes second meets what the first has left there (`MPI_Sendrecv_replace`). One look
/// at the events beside those of each message.
pub fn other_half(same: &[&Finding]) -> Option<String> {
    let messages = || same.iter().flat_map(|finding| finding.messages().map(move |m| (finding, m)));
    let own: BTreeSet<(u32, u64)> =
        messages().flat_map(|(_, m)| [m.send, m.receive]).map(|p| (p.process, p.event)).collect();
    messages().find_map(|(finding, message)| {
        [message.send, message.receive].into_iter().find_map(|half| {
            let trace = finding.trace(half.process)?;
            let other = beside(trace, half)?;
            (!own.contains(&(half.process, other))).then(|| {
                "its messages are sent from, or received into, what other messages of the same \
                 calls use (MPI_Sendrecv_replace): these would need memory of their own"
                    .to_owned()
            })
        })
    })
}

/// The other half of a call, if it uses the same memory.
fn beside(trace: &Trace, half: Place) -> Option<u64> {
    let own = trace.events.get(half.event)?;
    let others = [half.event.checked_sub(1), half.event.checked_add(1)];
    others.into_iter().flatten().find(|number| {
        let Some(other) = trace.events.get(*number).filter(|e| e.site == own.site) else {
            return false;
        };
        match (&own.action, &other.action) {
            (Action::Send { buffer: one, .. }, Action::Receive { buffer: other, .. })
            | (Action::Receive { buffer: one, .. }, Action::Send { buffer: other, .. }) => {
                one.address == other.address && one.bytes.min(other.bytes) > 0
            }
            _ => false,
        }
    })
}

//! Receives from anybody, or with any tag.
//!
//! A trace does not say which message came. It is clear where only one channel has messages left,
//! once those that were received by name are taken away.

use std::collections::BTreeMap;

use commloom_layout::text::ParseError;

use super::calls::TraceError;
use super::calls::{Call, Event, Message};
use crate::number::{at, id};

/// Gives every receive its source and tag: how many had none. O(n log n), and for each open
/// receive the channels to its process.
pub(super) fn resolve(texts: &[&str], calls: &mut [Vec<Call>]) -> Result<u64, TraceError> {
    let open = |m: &Message| !m.is_send && (m.peer.is_none() || m.tag.is_none());
    let of = |call: &Call| match &call.event {
        Event::Messages(messages) => messages.clone(),
        _ => Vec::new(),
    };
    if !calls.iter().flatten().any(|call| of(call).iter().any(open)) {
        return Ok(0);
    }
    // By destination and communicator: by source and tag, how many messages nobody receives by
    // name.
    let mut left: BTreeMap<(u32, u32), BTreeMap<(u32, i32), i64>> = BTreeMap::new();
    for (process, calls) in (0..).zip(calls.iter()) {
        for message in calls.iter().flat_map(of) {
            let (Some(peer), Some(tag)) = (message.peer, message.tag) else { continue };
            let (from, to, count) =
                if message.is_send { (process, peer, 1) } else { (peer, process, -1) };
            *left.entry((to, message.communicator)).or_default().entry((from, tag)).or_default() +=
                count;
        }
    }
    let mut resolved = 0;
    for (process, calls) in calls.iter_mut().enumerate() {
        for call in calls {
            let Event::Messages(messages) = &mut call.event else { continue };
            for message in messages.iter_mut().filter(|m| open(m)) {
                let channels = left.entry((id(process), message.communicator)).or_default();
                let mut candidates = channels.iter_mut().filter(|((from, tag), count)| {
                    **count > 0
                        && message.peer.is_none_or(|p| p == *from)
                        && message.tag.is_none_or(|t| t == *tag)
                });
                let wrong = match (candidates.next(), candidates.next()) {
                    (Some(((from, tag), count)), None) => {
                        *count -= 1;
                        (message.peer, message.tag) = (Some(*from), Some(*tag));
                        resolved += 1;
                        continue;
                    }
                    (None, _) => "no message is left for this receive".to_owned(),
                    (Some(((a, s), _)), Some(((b, t), _))) => format!(
                        "this receive may get a message of process {a} with tag {s}, or one of \
                         process {b} with tag {t}: the trace does not say which"
                    ),
                };
                let error = ParseError::other(texts[process], call.span.clone(), wrong);
                return Err((at(id(process)), error));
            }
        }
    }
    Ok(resolved)
}

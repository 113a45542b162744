//! Whether all that is sent is received, and all that is waited for comes.
//!
//! A connection is a sender, a receiver and a channel. MSCCL gives it to one thread block on each
//! side, and cuts nothing: a message of n chunks is received as n chunks.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use commloom_layout::text::ParseError;

use super::syntax::{Algo, Block, Step};

/// Refuses what would hang, or receive other data than was sent.
pub(super) fn check(text: &str, algo: &Algo) -> Result<(), ParseError> {
    let mut senders: BTreeMap<(u32, u32, u32), &Block> = BTreeMap::new();
    let mut receivers = senders.clone();
    for gpu in &algo.list {
        for block in &gpu.blocks {
            for (peer, map, what) in [
                (block.send, &mut senders, "sends to"),
                (block.receive, &mut receivers, "receives from"),
            ] {
                let Some(peer) = peer else { continue };
                if peer == gpu.id {
                    let message = format!("GPU {peer} {what} itself");
                    return Err(ParseError::other(text, block.span.clone(), message));
                }
                let uses = block.steps.iter().any(|s| match what {
                    "sends to" => s.kind.sends(),
                    _ => s.kind.receives(),
                });
                if !uses {
                    continue;
                }
                let key = match what {
                    "sends to" => (gpu.id, peer, block.channel),
                    _ => (peer, gpu.id, block.channel),
                };
                match map.entry(key) {
                    Entry::Vacant(free) => drop(free.insert(block)),
                    Entry::Occupied(other) => {
                        let message = format!(
                            "thread block {} of GPU {} {what} GPU {peer} on channel {} too: a \
                             connection belongs to one",
                            other.get().id,
                            gpu.id,
                            block.channel
                        );
                        return Err(ParseError::other(text, block.span.clone(), message));
                    }
                }
            }
        }
        waits(text, &gpu.blocks, gpu.id)?;
    }
    for (connection, sender) in &senders {
        messages(text, *connection, Some(sender), receivers.remove(connection))?;
    }
    match receivers.into_iter().next() {
        Some((connection, receiver)) => messages(text, connection, None, Some(receiver)),
        None => Ok(()),
    }
}

/// The k-th message is the k-th received, in the same size.
fn messages(
    text: &str,
    (from, to, channel): (u32, u32, u32),
    sender: Option<&Block>,
    receiver: Option<&Block>,
) -> Result<(), ParseError> {
    let mut sends = sender.iter().flat_map(|b| &b.steps).filter(|s| s.kind.sends());
    let mut receives = receiver.iter().flat_map(|b| &b.steps).filter(|s| s.kind.receives());
    let wrong = |step: &Step, message: String| {
        Err(ParseError::other(text, step.span.clone(), format!("{message} (channel {channel})")))
    };
    loop {
        return match (sends.next(), receives.next()) {
            (None, None) => Ok(()),
            (Some(send), None) => {
                wrong(send, format!("GPU {to} never receives this message of GPU {from}"))
            }
            (None, Some(receive)) => {
                wrong(receive, format!("GPU {from} never sends this message to GPU {to}"))
            }
            (Some(send), Some(receive)) if send.count != receive.count => {
                let (n, m) = (receive.count, send.count);
                wrong(receive, format!("GPU {to} receives {n} chunks, but GPU {from} sends {m}"))
            }
            _ => continue,
        };
    }
}

/// Every step that others wait for exists, and says that it is done.
fn waits(text: &str, blocks: &[Block], gpu: u32) -> Result<(), ParseError> {
    let mut by_id: BTreeMap<u64, &Block> = BTreeMap::new();
    for block in blocks {
        if by_id.insert(block.id, block).is_some() {
            let message = format!("GPU {gpu} has a thread block {} already", block.id);
            return Err(ParseError::other(text, block.span.clone(), message));
        }
    }
    // The last step of each block that signals: those before it are then known to be done.
    let last_signal: BTreeMap<u64, Option<usize>> = blocks
        .iter()
        .map(|b| (b.id, b.steps.iter().rposition(|s| s.signals != Some(false))))
        .collect();
    for step in blocks.iter().flat_map(|b| &b.steps) {
        let Some((id, number)) = step.on else { continue };
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        let wrong = |message: String| Err(ParseError::other(text, step.span.clone(), message));
        match by_id.get(&id) {
            None => {
                return wrong(format!("this step waits for thread block {id}: GPU {gpu} has none"));
            }
            Some(block) if number >= block.steps.len() => {
                let steps = block.steps.len();
                return wrong(format!(
                    "this step waits for step {number} of thread block {id}, which has {steps} \
                     steps"
                ));
            }
            Some(_) if last_signal.get(&id).copied().flatten().is_none_or(|last| last < number) => {
                return wrong(format!(
                    "this step waits for ever: neither step {number} of thread block {id} nor a \
                     later one has hasdep=1"
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

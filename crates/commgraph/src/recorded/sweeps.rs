//! Sweeps: a process gets something, computes with it, and sends the result to others, who do the
//! same. That is the order of a calculation (a wavefront, a pipeline, a tree that combines by
//! anything but sums), and no collective operation has it: its messages together may look like a
//! scatter or an exchange with neighbours, but a process cannot send before it has received.
//!
//! The computations of a process are not recorded. So this goes by the order of messages that
//! nobody answers at once: a process that gets such messages from some, and then sends such
//! messages to others, is a *stage*.

use crate::number::at;
use crate::recorded::links::Links;
use crate::recorded::model::Message;
use crate::recorded::units::Units;

/// Which messages come to a stage, or go out from one. O(n log n).
pub(super) fn of(
    ends: &[Vec<(u32, bool)>],
    units: &Units,
    links: &Links,
    messages: &[Message],
) -> Vec<bool> {
    let mut sizes = vec![0_u32; units.count];
    units.of.iter().for_each(|unit| sizes[at(*unit)] += 1);
    // One way, with bytes that are only for one, and that nobody passes on.
    let single = |m: u32| {
        let m = at(m);
        let alone = sizes[at(units.of[m])] == 1 && messages[m].bytes > 0;
        alone && links.to.of(m).is_empty() && !links.used[m] && !links.shared[m]
    };
    let mut marked = vec![false; messages.len()];
    for own in ends {
        let mut stage = Stage::default();
        for &(message, sent) in own {
            if !single(message) {
                stage.close(&mut marked, ends.len());
                continue;
            }
            if !sent && !stage.sent.is_empty() {
                stage.close(&mut marked, ends.len());
            }
            let Message { send, receive, .. } = &messages[at(message)];
            match sent {
                true => stage.sent.push((message, receive.process)),
                false => stage.came.push((message, send.process)),
            }
        }
        stage.close(&mut marked, ends.len());
    }
    marked
}

/// The messages that a process gets, those that it sends then, and their other ends.
#[derive(Default)]
struct Stage {
    came: Vec<(u32, u32)>,
    sent: Vec<(u32, u32)>,
}

impl Stage {
    /// Marks its messages, if it is one.
    fn close(&mut self, marked: &mut [bool], processes: usize) {
        let Stage { came, sent } = std::mem::take(self);
        let others = |all: &[(u32, u32)]| {
            let mut others: Vec<u32> = all.iter().map(|(_, other)| *other).collect();
            others.sort_unstable();
            others.dedup();
            others
        };
        let (from, to) = (others(&came), others(&sent));
        // Who gets from all or gives to all is the root of something.
        let some = |others: &[u32]| !others.is_empty() && others.len() + 1 < processes;
        if some(&from) && some(&to) && from.iter().all(|other| to.binary_search(other).is_err()) {
            came.iter().chain(&sent).for_each(|(message, _)| marked[at(*message)] = true);
        }
    }
}

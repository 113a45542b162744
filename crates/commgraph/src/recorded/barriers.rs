//! Where a barrier of messages without bytes is over: every process knows that all have begun.

use crate::number::at;
use crate::recorded::model::Message;

/// Processes up to which this is followed: the square of that many bits.
const PROCESSES: usize = 4096;

/// The facts that messages without bytes of the newest segment tell, as long as there are no
/// others.
pub(super) struct Barriers {
    segment: u32,
    /// Of each process, those of which it knows that they have begun; empty where nothing is
    /// followed.
    knows: Vec<Vec<u64>>,
    /// How many know of all.
    complete: usize,
    processes: usize,
}

/// Whether none of these messages has bytes.
pub(super) fn is_empty(own: &[u32], messages: &[Message]) -> bool {
    own.iter().all(|message| messages[at(*message)].bytes == 0)
}

impl Barriers {
    pub fn new(processes: usize) -> Barriers {
        Barriers { segment: 0, knows: Vec::new(), complete: 0, processes }
    }

    /// The messages of a unit, which are taken to be sent all at once: where one of them waits for
    /// another, this knows less than there is to know.
    pub fn add(&mut self, segment: u32, own: &[u32], messages: &[Message]) {
        if !is_empty(own, messages) || self.processes > PROCESSES {
            self.knows.clear();
            return;
        }
        if self.segment != segment || self.knows.is_empty() {
            self.segment = segment;
            let words = self.processes.div_ceil(64);
            let alone = |process: usize| {
                let mut own = vec![0; words];
                own[process / 64] |= 1 << (process % 64);
                own
            };
            self.knows = (0..self.processes).map(alone).collect();
            self.complete = 0;
        }
        let told: Vec<(usize, Vec<u64>)> = own
            .iter()
            .map(|message| &messages[at(*message)])
            .map(|m| (at(m.receive.process), self.knows[at(m.send.process)].clone()))
            .collect();
        for (to, told) in told {
            let is_complete = |own: &[u64]| {
                own.iter().map(|word| at(word.count_ones())).sum::<usize>() == self.processes
            };
            if !is_complete(&self.knows[to]) {
                self.knows[to].iter_mut().zip(told).for_each(|(known, told)| *known |= told);
                self.complete += usize::from(is_complete(&self.knows[to]));
            }
        }
    }

    /// Whether all know of all in this segment, by the messages without bytes at its end.
    pub fn is_complete(&self, segment: u32) -> bool {
        self.segment == segment && !self.knows.is_empty() && self.complete == self.processes
    }
}

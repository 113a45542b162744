//! Where a barrier of messages without bytes, or of one token, is over: every process knows that
//! all have begun.

use crate::number::at;
use crate::recorded::model::Message;
use crate::recorded::tokens::Token;

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
    /// The token of each message, and the one of this segment.
    tokens: Vec<Option<Token>>,
    token: Option<Token>,
}

impl Barriers {
    pub fn new(processes: usize, tokens: Vec<Option<Token>>) -> Barriers {
        Barriers { segment: 0, knows: Vec::new(), complete: 0, processes, tokens, token: None }
    }

    /// The token that all these messages are.
    fn token(&self, own: &[u32]) -> Option<Token> {
        let token = self.tokens[at(*own.first()?)]?;
        own.iter().all(|message| self.tokens[at(*message)] == Some(token)).then_some(token)
    }

    /// The messages of a unit, which are taken to be sent all at once: where one of them waits for
    /// another, this knows less than there is to know.
    pub fn add(&mut self, segment: u32, own: &[u32], messages: &[Message]) {
        let token = self.token(own);
        if token.is_none() || self.processes > PROCESSES {
            self.knows.clear();
            return;
        }
        if self.segment != segment || self.knows.is_empty() || self.token != token {
            (self.segment, self.token) = (segment, token);
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

    /// Whether all know of all in this segment, by the messages at its end, which are like these.
    pub fn is_over(&self, segment: u32, own: &[u32]) -> bool {
        let is_complete = !self.knows.is_empty() && self.complete == self.processes;
        self.segment == segment && is_complete && self.token == self.token(own)
    }
}

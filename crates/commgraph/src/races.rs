//! Whether the graph orders two operations.

use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::at;
use crate::order::{Order, send_of};

/// Answers whether one operation has completed before another starts.
pub(crate) struct Before<'a> {
    graph: &'a Graph,
    matching: &'a Matching,
    places: Vec<u32>,
    /// The question in which an operation was last met.
    met: Vec<u32>,
    question: u32,
    open: Vec<u32>,
}

impl<'a> Before<'a> {
    pub(crate) fn new(graph: &'a Graph, matching: &'a Matching, order: &Order) -> Self {
        let met = vec![0; graph.operations()];
        Before { graph, matching, places: order.places(), met, question: 0, open: Vec::new() }
    }

    /// The operations of a process in an order in which they can complete.
    pub(crate) fn sort(&self, operations: &mut [u32]) {
        if !operations.is_sorted_by_key(|o| self.places[at(*o)]) {
            operations.sort_unstable_by_key(|o| self.places[at(*o)]);
        }
    }

    /// Whether `late` waits for `early`, directly or through others, in its own process or
    /// elsewhere. Walks back from `late` over what lies between the two in the order: O(1) for a
    /// direct dependency, else linear in what it meets.
    pub(crate) fn orders(&mut self, early: u32, late: u32) -> bool {
        self.question += 1;
        self.open.clear();
        self.open.push(late);
        while let Some(operation) = self.open.pop() {
            let before = self.graph.before(at(operation));
            let send = send_of(self.graph, self.matching, at(operation));
            if before.contains(&early) || send == Some(early) {
                return true;
            }
            for on in before.iter().copied().chain(send) {
                let new = self.met[at(on)] != self.question;
                if new && self.places[at(on)] > self.places[at(early)] {
                    self.met[at(on)] = self.question;
                    self.open.push(on);
                }
            }
        }
        false
    }
}

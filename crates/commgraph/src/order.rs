//! An order in which the operations can complete.
//!
//! An operation completes after those that it waits for, a receive also after its send. A
//! depth-first walk along these edges gives such an order in O(n + m), or a cycle.

use crate::error::GraphError;
use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::{at, id};
use crate::operation::Kind;

/// An order in which the operations can complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// None: the order in which the graph holds them.
    sorted: Option<Vec<u32>>,
    operations: u32,
}

impl Order {
    /// Finds an order.
    ///
    /// # Errors
    /// [`GraphError::Cycle`] where operations wait for each other.
    pub fn of(graph: &Graph, matching: &Matching) -> Result<Order, GraphError> {
        let operations = id(graph.operations());
        // Most trees are numbered from their root, and then there is nothing to do.
        let early = |operation: usize| {
            let mut before = graph.before(operation).iter().copied();
            before.all(|on| at(on) < operation)
                && send_of(graph, matching, operation).is_none_or(|send| at(send) < operation)
        };
        let sorted = match (0..graph.operations()).all(early) {
            true => None,
            false => Some(sorted(graph, matching)?),
        };
        Ok(Order { sorted, operations })
    }

    /// The operations in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let listed = self.sorted.iter().flatten().copied();
        let plain = if self.sorted.is_none() { 0..self.operations } else { 0..0 };
        plain.chain(listed)
    }

    /// The place of every operation in the order.
    pub(crate) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; at(self.operations)];
        self.iter().zip(0..).for_each(|(operation, place)| places[at(operation)] = place);
        places
    }
}

/// The send that a receive waits for.
#[inline]
pub(crate) fn send_of(graph: &Graph, matching: &Matching, operation: usize) -> Option<u32> {
    let receives = graph.operations[operation].kind() == Kind::Receive;
    receives.then(|| matching.partner(operation))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

fn sorted(graph: &Graph, matching: &Matching) -> Result<Vec<u32>, GraphError> {
    let mut state = vec![State::New; graph.operations()];
    let mut order = Vec::with_capacity(graph.operations());
    // An operation, and how many of its predecessors were looked at.
    let mut open: Vec<(u32, u32)> = Vec::new();
    for root in 0..id(graph.operations()) {
        if state[at(root)] != State::New {
            continue;
        }
        open.push((root, 0));
        while let Some((operation, seen)) = open.last_mut() {
            let here = at(*operation);
            state[here] = State::Open;
            let before = graph.before(here);
            let next = match before.get(at(*seen)) {
                Some(on) => Some(*on),
                None if at(*seen) == before.len() => send_of(graph, matching, here),
                None => None,
            };
            *seen += 1;
            match next {
                None => {
                    state[here] = State::Done;
                    order.push(*operation);
                    open.pop();
                }
                Some(next) => match state[at(next)] {
                    State::Done => {}
                    State::New => open.push((next, 0)),
                    State::Open => {
                        let start = open.iter().position(|(o, _)| *o == next).unwrap_or(0);
                        let operations = open[start..].iter().map(|(o, _)| graph.named(*o));
                        return Err(GraphError::Cycle { operations: operations.collect() });
                    }
                },
            }
        }
    }
    Ok(order)
}

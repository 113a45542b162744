//! How far from the start each operation is, for pictures.

use crate::graph::Graph;
use crate::matching::Matching;
use crate::number::at;
use crate::order::{Order, send_of};

/// By operation of the graph, process after process: the number of messages and local operations
/// that must be over before it, on the longest way to it. A message arrives one step after it was
/// sent. O(n).
#[must_use]
pub fn levels(graph: &Graph, matching: &Matching, order: &Order) -> Vec<u32> {
    let mut levels = vec![0_u32; graph.operations()];
    for operation in order.iter() {
        let here = at(operation);
        let before = graph.before(here).iter().copied().chain(send_of(graph, matching, here));
        let level = before.map(|on| levels[at(on)].saturating_add(takes(graph, on))).max();
        levels[here] = level.unwrap_or(0);
    }
    levels
}

/// How many steps an operation takes.
fn takes(graph: &Graph, operation: u32) -> u32 {
    use crate::operation::Kind;
    match graph.operations[at(operation)].kind() {
        Kind::Send | Kind::Copy | Kind::Reduce => 1,
        Kind::Receive | Kind::Nothing => 0,
    }
}

//! The whole way from a graph to its collective operations.

use crate::dataflow::Dataflow;
use crate::detect::{Blocks, Collective, Detection, Group, Kind, Options, Pieces, detect};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::ids::Bytes;
use crate::matching::Matching;
use crate::note::{Note, notes};
use crate::order::Order;
use crate::wait::{Messages, complete};

/// Everything that is known of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Messages.
    pub matches: usize,
    /// Transfers that they make together.
    pub transfers: u64,
    /// Whether every process waits for every other.
    pub wait_sets_complete: bool,
    /// The operations found, and the transfers left. Barriers are among them.
    pub detection: Detection,
    /// Remarks for people.
    pub notes: Vec<Note>,
}

/// The facts about a graph whose addresses mean nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synchronization {
    /// Messages.
    pub matches: usize,
    /// Whether every process waits for every other.
    pub wait_sets_complete: bool,
    /// Whether it does so by empty messages alone.
    pub barrier: Option<Collective>,
}

/// Matches, orders, follows the data and detects. Near-linear in operations and transfers; O(n p /
/// 64) where every process waits for every other.
///
/// # Errors
/// See [`GraphError`].
pub fn analyse(graph: &Graph, options: Options) -> Result<Analysis, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    analyse_matched(graph, &matching, &order, options)
}

/// The same for a graph whose messages are matched and ordered.
pub(crate) fn analyse_matched(
    graph: &Graph,
    matching: &Matching,
    order: &Order,
    options: Options,
) -> Result<Analysis, GraphError> {
    let flow = Dataflow::of(graph, matching, order)?;
    let transfers = flow.count();
    let Synchronization { matches, wait_sets_complete, barrier } = waiting(graph, matching, order);
    let mut detection = detect(graph.processes(), flow, options);
    detection.collectives.extend(barrier);
    let notes = notes(graph, matching, order, &detection);
    Ok(Analysis { matches, transfers, wait_sets_complete, detection, notes })
}

/// Matches and orders; leaves the data alone.
///
/// # Errors
/// See [`GraphError`]; no races.
pub fn synchronization(graph: &Graph) -> Result<Synchronization, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    Ok(waiting(graph, &matching, &order))
}

fn waiting(graph: &Graph, matching: &Matching, order: &Order) -> Synchronization {
    let wait_sets_complete = complete(graph, matching, order, Messages::All);
    // Data that comes from everywhere has to be waited for anyway: only empty messages make a
    // barrier.
    let is_barrier = wait_sets_complete
        && graph.processes() > 1
        && complete(graph, matching, order, Messages::Empty);
    let barrier = is_barrier.then(|| Collective {
        kind: Kind::Barrier,
        root: None,
        group: Group::All(graph.processes()),
        length: Bytes(0),
        own: false,
        transfers: 0,
        blocks: Blocks::None,
        pieces: Pieces::ONE,
    });
    Synchronization { matches: matching.messages(), wait_sets_complete, barrier }
}

//! The whole way from a graph to its collective operations.

use crate::dataflow::Dataflow;
use crate::detect::{Blocks, Collective, Detection, Kind, Options, detect};
use crate::error::GraphError;
use crate::graph::Graph;
use crate::ids::Bytes;
use crate::matching::Matching;
use crate::order::Order;
use crate::wait::{Messages, complete};

/// What is known of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Messages.
    pub matches: usize,
    /// Transfers that they make together.
    pub transfers: u64,
    /// Whether every process waits for every other.
    pub wait_sets_complete: bool,
    /// What was found, and what is left. Barriers are among it.
    pub detection: Detection,
}

/// Matches, orders, follows the data and detects. Near-linear in operations and transfers.
///
/// # Errors
/// See [`GraphError`].
pub fn analyse(graph: &Graph, options: Options) -> Result<Analysis, GraphError> {
    let matching = Matching::of(graph)?;
    let order = Order::of(graph, &matching)?;
    let flow = Dataflow::of(graph, &matching, &order)?;
    let transfers = flow.count();
    let wait_sets_complete = complete(graph, &matching, &order, Messages::All);
    let mut detection = detect(graph.processes(), flow, options);
    // Data that comes from everywhere has to be waited for anyway: only empty messages make a barrier.
    if wait_sets_complete
        && graph.processes() > 1
        && complete(graph, &matching, &order, Messages::Empty)
    {
        detection.collectives.push(Collective {
            kind: Kind::Barrier,
            root: None,
            processes: graph.processes(),
            length: Bytes(0),
            own: false,
            transfers: 0,
            blocks: Blocks::None,
        });
    }
    let matches = matching.messages();
    Ok(Analysis { matches, transfers, wait_sets_complete, detection })
}

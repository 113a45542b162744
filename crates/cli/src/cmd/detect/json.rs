//! Findings for programs.

use commloom_advice::Advice;
use commloom_commgraph::{Blocks, Collective};
use serde::Serialize;

use super::calls::call;
use super::case::Case;
use super::found::{Found, Waits};
use crate::failure::Failure;

#[derive(Serialize)]
struct Object<'a> {
    processes: u32,
    operations: usize,
    matches: usize,
    /// None: there are no addresses.
    transfers: Option<u64>,
    wait_sets_complete: bool,
    collectives: Vec<Operation>,
    left: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ran: Option<Ran<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claim: Option<Claimed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strict: Option<Added>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted: Option<Times>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// `count` pieces of `bytes_each` bytes make a block. `members` is there where not all processes
/// take part, the grid where neighbours exchange.
#[derive(Serialize)]
struct Operation {
    kind: &'static str,
    root: Option<u32>,
    processes: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Vec<u32>>,
    count: u32,
    bytes_each: u64,
    in_place: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    dims: Option<Vec<u32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    periods: Option<Vec<bool>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    neighbors: Option<Vec<Vec<i32>>>,
    call: String,
}

/// How often a phase ran, and who sent and received its messages: places in the program with how
/// many.
#[derive(Serialize)]
struct Ran<'a> {
    times: u64,
    /// There is nothing to replace.
    sweep: bool,
    /// The findings are right only if what is sent does not depend on what comes in the same
    /// phase.
    assumed: bool,
    senders: &'a [(String, u64)],
    receivers: &'a [(String, u64)],
}

/// Additions of strict mode.
#[derive(Serialize)]
struct Added {
    barrier: bool,
    messages: usize,
}

/// In seconds, by the cost model.
#[derive(Serialize)]
struct Times {
    messages: f64,
    replaced: f64,
}

/// Whether an MSCCL algorithm is what its `coll` says.
#[derive(Serialize)]
struct Claimed {
    coll: &'static str,
    root: Option<u32>,
    holds: bool,
    difference: Option<String>,
}

/// The last line for a program that ran.
///
/// # Errors
/// None that is known.
pub fn advice(advice: &[Advice]) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Last<'a> {
        advice: &'a [Advice],
    }
    serde_json::to_string(&Last { advice }).map_err(|error| Failure::message(error.to_string()))
}

/// One object, in one line.
///
/// # Errors
/// None that is known.
pub fn object(case: &Case, found: &Found) -> Result<String, Failure> {
    let graph = &case.program.graph;
    let object = Object {
        processes: graph.processes(),
        operations: graph.operations(),
        matches: found.messages(),
        transfers: found.analysis().map(|a| a.transfers),
        wait_sets_complete: found.wait_sets_complete(),
        collectives: found.collectives().iter().map(|c| operation(case, c)).collect(),
        left: found.left(),
        phase: case.phase.map(|_| case.name.as_str()),
        ran: case.ran.as_ref().map(|ran| Ran {
            times: ran.times(),
            sweep: ran.sweep,
            assumed: ran.assumed,
            senders: &ran.senders,
            receivers: &ran.receivers,
        }),
        claim: case.claim.as_ref().map(|claim| Claimed {
            coll: claim.coll().name(),
            root: claim.root().map(|root| root.0),
            holds: found.claim_holds(),
            difference: found.difference.as_ref().map(ToString::to_string),
        }),
        strict: found.waits.map(|waits| match waits {
            Waits::Nothing => Added { barrier: false, messages: 0 },
            Waits::Barrier => Added { barrier: true, messages: 0 },
            Waits::Messages(messages) => Added { barrier: false, messages },
        }),
        predicted: found
            .predicted
            .map(|p| Times { messages: p.messages.0, replaced: p.replaced.0 }),
        notes: found.notes().map(ToString::to_string).chain(case.notes.iter().cloned()).collect(),
    };
    serde_json::to_string(&object).map_err(|error| Failure::message(error.to_string()))
}

fn operation(case: &Case, c: &Collective) -> Operation {
    let grid = match &c.blocks {
        Blocks::Neighbors { grid, neighbors } => Some((grid, neighbors)),
        _ => None,
    };
    Operation {
        kind: c.kind.name(),
        root: c.root.map(|root| root.0),
        processes: c.group.size(),
        members: c.group.members().map(|all| all.iter().map(|p| p.0).collect()),
        count: c.pieces.count,
        bytes_each: c.length.0,
        in_place: !c.own,
        dims: grid.map(|(grid, _)| grid.dims.clone()),
        periods: grid.map(|(grid, _)| grid.periodic.clone()),
        neighbors: grid.map(|(_, neighbors)| neighbors.iter().map(|n| n.offset.clone()).collect()),
        call: call(case, c),
    }
}

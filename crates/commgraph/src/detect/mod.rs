//! Which collective operations the transfers of a graph are.
//!
//! Hoefler and Schneider, PACT'12, section 2.4: from the most abstract operation to the least.
//! Here: allgather > alltoall > bcast > scatter, gather on transfers joined as far as they can be;
//! the same on what is left, cut as far as it can be ([`pieces`]); then exchanges with neighbours,
//! then the vector forms. Nothing is taken without a certificate: replayed by its definition, the
//! operation does exactly what the transfers do that it replaces ([`work::Work::take`]). So what
//! is found may be too little, but is never wrong.

pub(crate) mod addresses;
mod alltoall;
mod beside;
mod broadcast;
pub(crate) mod collective;
mod grid;
mod group;
mod merge;
mod near;
mod neighbors;
mod odd;
mod partial;
mod pieces;
mod reduction;
mod regular;
mod rooted;
mod subsets;
mod work;

pub use addresses::Addresses;
pub(crate) use beside::contributions as odd_contributions;
pub use collective::{Blocks, Collective, Kind, Neighbor, Pieces};
pub use grid::Grid;
pub use group::Group;
pub(crate) use near::misses as near_misses;
pub use near::{Expected, NearMiss, SHOWN};
pub(crate) use odd::blocks as odd_blocks;
pub use odd::{OddBlock, Oddity};
pub(crate) use partial::reductions as partial_reductions;
pub use partial::{PartialReduction, PartialResult};

use rooted::Way;
use work::Work;

use crate::dataflow::{Dataflow, Reduced};
use crate::number::at;
use crate::transfers::Transfer;

/// The operations to look for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Which part of the blocks of a scatterv, gatherv or alltoallv must be there, from 0 to 1
    /// (the paper's tau). The others get a count of zero.
    pub density: f64,
    /// Whether to look for operations on some of the processes too.
    pub subsets: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { density: 1.0, subsets: false }
    }
}

/// The operations found, and the transfers left.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Detection {
    /// In the order in which they were found, the most abstract first.
    pub collectives: Vec<Collective>,
    /// Transfers that are part of none, joined as far as they can be; sorted.
    pub left: Vec<Transfer>,
    /// Results of reductions that are part of none.
    pub left_reduced: Vec<Reduced>,
}

/// Finds the collective operations on all `processes`. O(n log n) in the transfers and their cuts.
/// Those on some of them, if `options` say so, take longer: up to cubic in how many others each
/// process exchanges with.
#[must_use]
pub fn detect(processes: u32, mut flow: Dataflow, options: Options) -> Detection {
    let regular = regular::detect(processes, &mut flow);
    let trios = std::mem::take(&mut flow.trios);
    let (mut transfers, results) = flow.into_parts(processes);
    // What a process gets back where it had it has not moved.
    transfers.retain(|t| (t.source, t.source_address) != (t.destination, t.destination_address));
    if processes < 2 {
        let left_reduced = results.into_reduced();
        return Detection { collectives: Vec::new(), left: transfers, left_reduced };
    }
    let seams = pieces::joined(&mut transfers);
    let (mut collectives, mut left_reduced) = reduction::detect(processes, &mut transfers, results);
    if options.subsets {
        collectives.extend(subsets::reductions(&mut left_reduced, &mut transfers));
    }
    let mut work = Work::new(processes, transfers);
    uniform(&mut work);
    let (found, mut left) = work.finish();
    collectives.extend(found);
    collectives.extend(regular);
    if let Some(fine) = pieces::refined(processes, &left, &seams) {
        let mut work = Work::new(processes, fine);
        uniform(&mut work);
        let (found, rest) = work.finish();
        collectives.extend(found);
        left = rest;
        pieces::joined(&mut left);
    }
    let mut work = Work::new(processes, left);
    neighbors::exchanges(&mut work);
    if options.subsets {
        subsets::all_and_broadcasts(&mut work);
    }
    vectors(&mut work, options.density);
    if options.subsets {
        subsets::scatters_and_gathers(&mut work, &trios);
    }
    let (found, mut left) = work.finish();
    collectives.extend(found);
    if options.subsets
        && let Some(fine) = pieces::refined(processes, &left, &seams)
    {
        let mut work = Work::new(processes, fine);
        subsets::all_and_broadcasts(&mut work);
        subsets::scatters_and_gathers(&mut work, &trios);
        let (found, rest) = work.finish();
        collectives.extend(found);
        left = rest;
        pieces::joined(&mut left);
    }
    merge::neighbours(&mut collectives);
    merge::columns(&mut collectives);
    Detection { collectives, left, left_reduced }
}

/// Operations in which all blocks have one length, and those that are nothing else than those.
fn uniform(work: &mut Work) {
    if work.processes == 2 {
        // One message is a broadcast, a scatter and a gather: what processes copy tells which.
        work.only_own = true;
        uniform_in_order(work);
        work.only_own = false;
    }
    uniform_in_order(work);
}

fn uniform_in_order(work: &mut Work) {
    let groups = broadcast::groups(work);
    let groups = broadcast::allgathers(work, groups);
    let groups = broadcast::allgathervs(work, groups);
    alltoall::alltoalls(work);
    broadcast::broadcasts(work, groups);
    rooted::uniform(work, Way::Scatter);
    rooted::uniform(work, Way::Gather);
}

fn vectors(work: &mut Work, density: f64) {
    let others = work.others();
    alltoall::alltoallvs(work, share(density, at(work.processes).saturating_mul(others)));
    rooted::vector(work, Way::Scatter, share(density, others));
    rooted::vector(work, Way::Gather, share(density, others));
}

/// The least number that is at least this share of `all`, and at least 1.
fn share(density: f64, all: usize) -> usize {
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // At most one off, and only past 2^53.
    let share = (density.clamp(0.0, 1.0) * all as f64).ceil() as usize;
    share.clamp(1, all.max(1))
}

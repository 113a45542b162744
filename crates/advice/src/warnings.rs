//! Changes that come with a replacement, besides the time.

use std::collections::BTreeSet;

use commloom_commgraph::{Blocks, Combine, Kind};

use crate::asked::are_recorded;
use crate::blocks::{Rows, rows};
use crate::finding::{Finding, block_bytes};
use crate::kinds::mpi;
use crate::model::Predicted;
use crate::replacement::Replacement;
use crate::waits::waits_for_all;

/// Warnings for a person who replaces the messages of this finding, and of the `same` ones.
pub fn warnings(
    finding: &Finding,
    same: &[&Finding],
    predicted: Predicted,
    written: &Replacement,
) -> Vec<String> {
    let c = finding.collective;
    let mut all = Vec::new();
    if let Some(reduction) = finding.share.reduction {
        let element = reduction.element.name();
        let floating = ["FLOAT", "DOUBLE", "REAL", "COMPLEX"].iter().any(|n| element.contains(n));
        if floating && matches!(reduction.combine, Combine::Sum | Combine::Product) {
            all.push(format!(
                "MPI adds {element} in an order of its own: results may differ in their last \
                 digits, and from one number of processes to another"
            ));
        }
    }
    if written.comm.is_new {
        all.push(format!(
            "it needs a communicator of its {} processes: make it once, not each time",
            c.group.size()
        ));
    }
    if c.kind == Kind::Barrier && finding.messages().any(|message| message.bytes > 0) {
        all.push(
            "in this run all these messages have the same bytes: where these may differ, or are \
             read, the messages are more than a barrier"
                .to_owned(),
        );
    }
    all.extend(of_waiting(finding));
    if let Some(text) = own_block(finding) {
        all.push(text);
    }
    if at_one_place(finding) {
        all.push(
            "one buffer has the blocks one after the other: give each a place of its own before \
             the call"
                .to_owned(),
        );
    }
    let lengths: BTreeSet<u64> = same.iter().map(|f| block_bytes(f.collective)).collect();
    let what = match (lengths.len() > 1 && !written.tells_count, written.names_root) {
        (true, true) => Some("count and root"),
        (true, false) => Some("count"),
        (false, true) => Some("root"),
        (false, false) => None,
    };
    if let Some(what) = what {
        all.push(format!("{what} must be known at every process before the call"));
    }
    if !are_recorded(&finding.ran.traces) {
        all.push(
            "an older commloom made these traces: whether the program asks messages for their \
             source or length (MPI_Probe, MPI_Get_count) is not recorded"
                .to_owned(),
        );
    }
    if predicted.call >= predicted.messages && predicted.messages > 0.0 {
        all.push("by the cost model it does not pay".to_owned());
    }
    all
}

/// Warnings of who waits for whom.
fn of_waiting(finding: &Finding) -> Vec<String> {
    let kind = finding.collective.kind;
    let name = mpi(kind.name());
    let mut all = Vec::new();
    if waits_less(finding) && !finding.waits {
        all.push(format!(
            "now every process waits until all have started; {name} does not promise that"
        ));
    } else if waits_for_all(kind) && !finding.complete {
        all.push(format!("{name} may make all processes wait for each other; the messages do not"));
    }
    if non_blocking(finding) {
        all.push(format!(
            "the messages are non-blocking: where the program computes meanwhile, use MPI_I{} \
             and complete it where the messages are",
            kind.name()
        ));
    }
    all
}

/// Whether the messages alone make everybody wait for all, where the operation does not.
fn waits_less(finding: &Finding) -> bool {
    finding.complete && !waits_for_all(finding.collective.kind)
}

/// Whether messages are completed later than they are started.
fn non_blocking(finding: &Finding) -> bool {
    // A blocking receive is over in the next event; between those of MPI_Sendrecv nothing else is.
    let later = finding.messages().filter(|m| m.arrival.event > m.receive.event + 2).count();
    later > 0
}

fn own_block(finding: &Finding) -> Option<String> {
    let c = finding.collective;
    if c.own {
        return None;
    }
    match (&c.blocks, c.kind) {
        (Blocks::Rooted { .. }, Kind::Scatter | Kind::Gather) => Some(
            "MPI_IN_PLACE: the root's own block stays where it is among the others; give a buffer \
             in its place, and the call copies it"
                .to_owned(),
        ),
        (Blocks::Rooted { .. }, Kind::Scatterv | Kind::Gatherv) => Some(
            "MPI_IN_PLACE: the root's own block stays where it is, and its count is 0; for the \
             call to copy it, give a buffer in that place, the block's count, and in displs where \
             it belongs among the others"
                .to_owned(),
        ),
        _ => None,
    }
}

/// Whether blocks go through one buffer, one after the other.
fn at_one_place(finding: &Finding) -> bool {
    let c = finding.collective;
    let n = usize::try_from(c.group.size()).unwrap_or(usize::MAX);
    let root = c.root.and_then(|root| c.group.rank(root)).and_then(|r| usize::try_from(r).ok());
    let is_same = |blocks: Vec<(u64, u64)>| rows(&blocks) == Rows::Same;
    match &c.blocks {
        Blocks::Rooted { from, to, lengths } if c.kind != Kind::Bcast => {
            let at_root = if c.kind.gathers() { to } else { from };
            let length = |k: usize| if Some(k) == root && !c.own { 0 } else { lengths.get(k) };
            is_same((0..n).map(|k| (at_root.get(k), length(k))).collect())
        }
        Blocks::Exchanged { from, to, lengths } => (0..n).any(|own| {
            let length = |i: usize, j: usize| if i == j && !c.own { 0 } else { lengths[i].get(j) };
            is_same((0..n).map(|j| (from[own].get(j), length(own, j))).collect())
                || is_same((0..n).map(|i| (to[own].get(i), length(i, own))).collect())
        }),
        _ => false,
    }
}

//! Reductions: the memory after the call against that after the messages.

use commloom_commgraph::recorded::program_address;
use commloom_commgraph::{Blocks, Kind};

use super::moves::{MOST, at};
use crate::elements::Elements;
use crate::finding::{Finding, block_bytes};
use crate::printed::Block;

/// Whether a reduction leaves what the messages leave, in all memory that the call names.
pub(super) fn reduced(
    finding: &Finding,
    combine: Option<&str>,
    block: &Block,
    (in_place, at_root): (bool, bool),
    elements: &Elements,
) -> Result<(), String> {
    let c = finding.collective;
    let Blocks::Reduced { from, to, lengths, offsets, .. } = &c.blocks else {
        return Err("the times are not all of one form".to_owned());
    };
    let scatters = matches!(c.kind, Kind::ReduceScatter | Kind::ReduceScatterBlock);
    let element = finding.share.reduction.map(|reduction| reduction.element);
    if element != Some(elements.basic) {
        return Err("the messages are not of the type that is combined".to_owned());
    }
    let own = finding.share.reduction.and_then(|r| r.combine.mpi_name());
    match own {
        None => return Err("its operation is one of the program".to_owned()),
        Some(_) if own != combine => return Err("it combines in another way".to_owned()),
        Some(_) => {}
    }
    let bytes = block_bytes(c);
    if block.place(0, bytes) != [(0, bytes)] || c.pieces.count != 1 || bytes > MOST {
        return Err("its elements are not all one after the other".to_owned());
    }
    let ranks = 0..at(c.group.size());
    if scatters {
        let is_regular = |k: usize| {
            let before = u64::try_from(k).unwrap_or(u64::MAX).saturating_mul(c.length.0);
            lengths.get(k) == c.length.0 && offsets.get(k) == before
        };
        if c.kind == Kind::ReduceScatter || !ranks.clone().all(is_regular) {
            return Err("the counts of its blocks are not written".to_owned());
        }
    }
    let holds = |k: usize| match c.root {
        None => true,
        Some(root) => c.group.rank(root).is_some_and(|rank| at(rank) == k),
    };
    let is_in_place = if c.root.is_some() { at_root } else { in_place };
    for (k, process) in ranks.zip(c.group.iter()) {
        let (own, result) = (from.get(k), to.get(k));
        let is_same = own == result;
        let whole = if scatters { bytes.saturating_mul(c.group.size().into()) } else { bytes };
        let apart = program_address(own).abs_diff(program_address(result));
        if holds(k) && (is_same != is_in_place || (!is_same && apart < whole)) {
            return Err(format!("process {process} has its result at another place"));
        }
        // Partial sums that the program does not miss, as far as a trace knows.
        let mut dead = finding.graph.dead(process);
        let is_lost = !(holds(k) && is_same)
            && dead.any(|(start, length)| {
                start.0 < own.saturating_add(whole) && own < start.0.saturating_add(length.0)
            });
        if is_lost {
            return Err(format!(
                "the messages leave a partial result in the buffer of process {process}, and the \
                 call would not: whether the program reads it is not recorded"
            ));
        }
    }
    Ok(())
}

//! Whether a written call does what was recorded: replayed at every rank with its arguments as
//! they are printed, for every time, it has to move the same bytes between the same places. What
//! cannot be shown is a reason not to print it.

mod memory;
mod moves;
mod reduction;

use std::collections::BTreeSet;

use commloom_commgraph::Kind;

use crate::elements::Elements;
use crate::finding::Finding;
use crate::printed::Printed;
use crate::replacement::Replacement;
use memory::{at_one_time, one_array, replayed};
use moves::moves;
use reduction::reduced;

/// Shows that a call does the same as the messages of all these findings.
///
/// # Errors
/// The reason, as the end of a sentence that begins with why.
pub fn prove(
    written: &Replacement,
    same: &[&Finding],
    groups: &BTreeSet<Vec<u32>>,
    elements: &Elements,
) -> Result<(), String> {
    disjoint(groups)?;
    for finding in same {
        ranks(written, finding)?;
        envelopes(finding)?;
        let c = finding.collective;
        let at = |reason: String| match same.len() {
            1 => reason,
            _ => format!("{reason}, in part {} of the program", finding.part + 1),
        };
        match &written.printed {
            Printed::Barrier => {}
            Printed::Reduced { block, in_place, at_root } => {
                reduced(finding, block, (*in_place, *at_root), elements).map_err(at)?;
            }
            printed => {
                let moved = moves(printed, c).map_err(at)?;
                let mut named = replayed(c, &moved).map_err(at)?;
                at_one_time(finding, &mut named).map_err(at)?;
                one_array(finding, &named, printed).map_err(at)?;
            }
        }
    }
    Ok(())
}

fn disjoint(groups: &BTreeSet<Vec<u32>>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    match groups.iter().flatten().find(|rank| !seen.insert(**rank)) {
        Some(rank) => Err(format!(
            "process {rank} is in several of its groups, and one communicator has it in one"
        )),
        None => Ok(()),
    }
}

/// Blocks are told by rank: those of the communicator must be those of the operation.
fn ranks(written: &Replacement, finding: &Finding) -> Result<(), String> {
    let is_ordered = !matches!(
        finding.collective.kind,
        Kind::Barrier | Kind::Bcast | Kind::Reduce | Kind::Allreduce
    );
    let mut ranks = (0..).zip(finding.collective.group.iter());
    match ranks.all(|(rank, process)| written.comm.rank(process) == rank) {
        false if is_ordered && !written.comm.is_new => {
            Err(format!("{} has its processes in another order", written.comm.name))
        }
        _ => Ok(()),
    }
}

/// No collective operation tells what a program learns from the envelope of a message.
fn envelopes(finding: &Finding) -> Result<(), String> {
    for (number, (_, place)) in &finding.ends {
        let Some(message) = finding.ran.messages.get(*number) else { continue };
        let Some((buffer, from, tag)) = finding.receive(message) else {
            return Err("the trace has lost some of its receives".to_owned());
        };
        let at = place.as_ref().map_or(String::new(), |place| format!(" in {place}"));
        if from.is_none() || tag.is_none() {
            return Err(format!(
                "the receive{at} takes messages of any source or tag: the program may learn from \
                 them who sends what"
            ));
        }
        if buffer.bytes > message.bytes {
            return Err(format!(
                "the receive{at} has room for {} bytes and gets {}: only the message tells how \
                 many come",
                buffer.bytes, message.bytes
            ));
        }
    }
    Ok(())
}

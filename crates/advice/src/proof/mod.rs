//! Whether a written call does what was recorded: replayed at every rank with its arguments as
//! they are printed, for every time, it has to move the same bytes between the same places. What
//! cannot be shown is a reason not to print it.

mod lines;
mod memory;
mod moves;
mod reduction;

use std::collections::BTreeSet;
use std::sync::Arc;

use commloom_commgraph::{Blocks, Kind};
use commloom_layout::{mpi, text};

use crate::elements::Elements;
use crate::finding::Finding;
use crate::printed::{Block, Printed};
use crate::replacement::Replacement;
use lines::one_array_of_lines;
use memory::{arrays, at_one_time, buffers, from_the_start, in_one, one_array, replayed};
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
    let (mut all_named, mut not_alone) = (Vec::new(), None);
    for finding in same {
        ranks(written, finding)?;
        envelopes(finding)?;
        let c = finding.collective;
        let at = |reason: String| match same.len() {
            1 => reason,
            _ => format!("{reason}, in part {} of the program", finding.part + 1),
        };
        two_processes(finding)?;
        let as_sent;
        let printed = match &written.printed {
            Printed::BcastAsSent => {
                as_sent = Printed::Bcast(layout_of_all(finding).map_err(at)?);
                &as_sent
            }
            printed => printed,
        };
        match printed {
            Printed::Barrier => {}
            Printed::Reduced { combine, block, in_place, at_root } => {
                let how = (*in_place, *at_root);
                reduced(finding, *combine, block, how, elements).map_err(at)?;
            }
            printed => {
                let moved = moves(printed, c).map_err(at)?;
                let named = replayed(c, &moved).map_err(at)?;
                at_one_time(finding, &named, printed).map_err(at)?;
                one_array_of_lines(finding).map_err(at)?;
                let buffers = buffers(finding);
                from_the_start(&named, &buffers, printed).map_err(at)?;
                let is_one = one_array(finding, &named, &buffers, printed).map_err(at);
                match is_one {
                    Err(_) if matches!(printed, Printed::Neighbors { .. }) => is_one?,
                    Err(reason) => not_alone = not_alone.or(Some(reason)),
                    Ok(()) => {}
                }
                all_named.push((*finding, named));
            }
        }
    }
    let Some(reason) = not_alone else { return Ok(()) };
    let arrays = arrays(all_named.iter().map(|(finding, named)| (*finding, named)));
    let is_one = all_named.iter().all(|(_, named)| in_one(named, &arrays));
    if is_one { Ok(()) } else { Err(reason) }
}

/// Between two processes a message is no collective operation: every operation with a root is the
/// same one message, also the first step of a chain of many. Nor are one there and one back, as
/// those of a halo: where the block of a process itself would be, nothing tells.
fn two_processes(finding: &Finding) -> Result<(), String> {
    let c = finding.collective;
    let why = match c.blocks {
        _ if c.group.size() != 2 => return Ok(()),
        Blocks::Rooted { .. } => {
            "from one process to one other a broadcast, a scatter, a gather and a chain are the \
             same message: with three or more processes they differ"
        }
        Blocks::Exchanged { .. } | Blocks::Gathered { .. } if !c.own => {
            "two processes exchange a message each: MPI_Sendrecv does that"
        }
        _ => return Ok(()),
    };
    Err(why.to_owned())
}

/// The layout that all messages of a broadcast have at both ends.
fn layout_of_all(finding: &Finding) -> Result<Block, String> {
    let mut only: Option<(u64, Arc<str>)> = None;
    for message in finding.messages() {
        let sent = finding.send(message).map(|(buffer, _)| buffer);
        for buffer in [sent, finding.receive(message).map(|(buffer, ..)| buffer)] {
            let buffer = buffer.ok_or("the trace has lost some of its messages")?;
            let layout = (buffer.count, buffer.layout);
            if *only.get_or_insert_with(|| layout.clone()) != layout {
                return Err("its messages have several layouts at one time".to_owned());
            }
        }
    }
    let (count, layout) = only.ok_or("it has no messages")?;
    let ty = text::parse(&layout).map_err(|_| "a layout of its messages is not known")?;
    let all = mpi::contiguous(count, &ty).and_then(|ty| Block::of(&ty));
    all.map_err(|_| "its messages are larger than memory".to_owned())
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
    let ranks = written.comm.members(finding);
    match finding.collective.group.iter().map(|process| process.0).eq(ranks) {
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

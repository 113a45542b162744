//! An operation that was found in a part of a program that ran, and what is known of its messages.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

use commloom_commgraph::cost::LogGp;
use commloom_commgraph::recorded::{Message, Place};
use commloom_commgraph::{
    Action, Collective, Detection, Graph, GraphError, Named, Share, needed, returned, shares,
};
use commloom_trace::{Action as Recorded, Buffer, Communicator, Site, Trace};

use crate::place::Called;
use crate::waits;

/// The knowledge of a recorder about a part of a program.
#[derive(Debug)]
pub struct Ran {
    /// Where the first of its messages is received, each time that it ran.
    pub first_receives: Vec<Place>,
    /// Whether it is a sweep, in which there is nothing to replace.
    pub sweep: bool,
    /// Whether processes send after they have got something in it.
    pub assumed: bool,
    /// Who sent its messages, and how many.
    pub senders: Vec<(String, u64)>,
    /// Who received them.
    pub receivers: Vec<(String, u64)>,
    /// The messages of the graph, by the tags of their operations.
    pub messages: Vec<Message>,
    /// The traces of the whole program.
    pub traces: Rc<Vec<Trace>>,
}

impl Ran {
    /// How often it ran.
    #[must_use]
    pub fn times(&self) -> u64 {
        self.first_receives.len().try_into().unwrap_or(u64::MAX)
    }
}

/// A part of a program that ran, with what was found in it.
#[derive(Debug, Clone, Copy)]
pub struct RecordedPart<'a> {
    /// From 0.
    pub number: usize,
    /// Its messages.
    pub graph: &'a Graph,
    /// The record of it.
    pub ran: &'a Ran,
    /// The operations that were found.
    pub collectives: &'a [Collective],
    /// And the messages that are part of none, where there are addresses.
    pub detection: Option<&'a Detection>,
    /// Whether its messages make every process wait for every other.
    pub complete: bool,
}

/// A graph that has no meaning.
#[derive(Debug, thiserror::Error)]
#[error("part {part} of the program: {error}")]
pub struct AdviceError {
    /// Its part, from 0.
    pub part: usize,
    /// Why.
    pub error: GraphError,
}

/// An operation in a part of the program.
pub struct Finding<'a> {
    /// From 0.
    pub part: usize,
    /// The graph of its part.
    pub graph: &'a Graph,
    /// The record of its part.
    pub ran: &'a Ran,
    /// The operation.
    pub collective: &'a Collective,
    /// The messages that it takes the place of.
    pub share: Share,
    /// Whether the messages of its part make every process wait for every other.
    pub complete: bool,
    /// Where its messages are sent, and received, by their numbers in the part.
    pub ends: BTreeMap<usize, (Option<Called>, Option<Called>)>,
    /// Whether its messages make every process wait for all others, which its call does not.
    pub waits: bool,
    /// Something else that its messages do, and no call does.
    pub beyond: Option<String>,
}

impl<'a> Finding<'a> {
    /// The messages that it takes the place of.
    pub fn messages(&self) -> impl Iterator<Item = &'a Message> + '_ {
        self.ends.keys().filter_map(|number| self.ran.messages.get(*number))
    }

    /// The places where they are sent, or received.
    pub fn places(&self, are_sent: bool) -> BTreeSet<&Called> {
        let ends = self.ends.values();
        ends.filter_map(|(sent, received)| if are_sent { sent } else { received }.as_ref())
            .collect()
    }

    /// The record of a send.
    pub fn send(&self, message: &Message) -> Option<(Buffer, Arc<Communicator>)> {
        match action(&self.ran.traces, message.send)? {
            Recorded::Send { buffer, communicator, .. } => Some((buffer, communicator)),
            _ => None,
        }
    }

    /// Whether all its sends of a process were under way at one time: until they are complete the
    /// program does not change what is sent (MPI 4.1, section 3.7.2), so that memory that several
    /// of them send is the same in each.
    pub fn sends_together(&self, process: u32) -> bool {
        let own = self.messages().map(|m| m.send).filter(|send| send.process == process);
        let mut open: BTreeSet<u64> = own.map(|send| send.event).collect();
        let Some(last) = open.pop_last() else { return true };
        let Some(trace) = self.trace(process) else { return false };
        for (_, event) in trace.events.since(last.saturating_add(1)) {
            if open.is_empty() {
                break;
            }
            if let Recorded::Sent { send } = event.action {
                open.remove(&send);
            }
        }
        open.is_empty()
    }

    /// The record of a process.
    pub fn trace(&self, process: u32) -> Option<&Trace> {
        trace(&self.ran.traces, process)
    }

    /// And of a receive, with the source and tag that it asks for.
    pub fn receive(&self, message: &Message) -> Option<(Buffer, Option<u32>, Option<i32>)> {
        match action(&self.ran.traces, message.receive)? {
            Recorded::Receive { buffer, from, tag, .. } => Some((buffer, from, tag)),
            _ => None,
        }
    }
}

fn trace(traces: &[Trace], process: u32) -> Option<&Trace> {
    let is_of = |trace: &&Trace| trace.header.rank == process;
    let there = usize::try_from(process).ok().and_then(|rank| traces.get(rank)).filter(is_of);
    there.or_else(|| traces.iter().find(is_of))
}

fn action(traces: &[Trace], place: Place) -> Option<Recorded> {
    trace(traces, place.process)?.events.action(place.event)
}

/// The number of a message in its part, by its send.
fn number(send: &Named) -> Option<usize> {
    match send.action {
        Action::Send { tag, .. } => usize::try_from(tag.0).ok(),
        _ => None,
    }
}

/// All operations of all parts. `called` names the place of a call in the program.
///
/// # Errors
/// None for graphs that were analysed.
pub fn findings<'a>(
    parts: impl IntoIterator<Item = RecordedPart<'a>>,
    mut called: impl FnMut(&Site) -> Called,
) -> Result<Vec<Finding<'a>>, AdviceError> {
    let mut all = Vec::new();
    for RecordedPart { number: part, graph, ran, collectives, detection, complete } in parts {
        if collectives.is_empty() {
            continue;
        }
        let failed = |error| AdviceError { part, error };
        let shares = shares(graph, collectives, &LogGp::default()).map_err(failed)?;
        let numbers = |messages: &[(Named, Named)]| -> BTreeSet<usize> {
            messages.iter().filter_map(|(send, _)| number(send)).collect()
        };
        let left = match detection {
            Some(detection) => numbers(&needed(graph, detection).map_err(failed)?),
            None => BTreeSet::new(),
        };
        let mut of: Vec<BTreeSet<usize>> = shares.iter().map(|s| numbers(&s.messages)).collect();
        let is_free =
            |number: &usize| !left.contains(number) && !of.iter().any(|o| o.contains(number));
        let mut free: Vec<usize> = (0..ran.messages.len()).filter(is_free).collect();
        if !free.is_empty() {
            // From the same lines as an operation, and without effect: it goes with that.
            let back = numbers(&returned(graph).map_err(failed)?);
            free.retain(|number| back.contains(number));
            for number in free {
                let site = |number: usize| {
                    ran.messages.get(number).map(|message| (&message.sender, &message.receiver))
                };
                let own = of.iter_mut().find(|own| own.iter().any(|o| site(*o) == site(number)));
                own.map(|own| own.insert(number));
            }
        }
        let waits =
            complete && !waits::are_kept(graph.processes(), collectives, &ran.messages, &of);
        for ((collective, share), numbers) in collectives.iter().zip(shares).zip(of) {
            let is_alone = collectives.len() == 1 && collective.group.size() == graph.processes();
            let beyond = match (numbers.intersection(&left).count(), waits && !is_alone) {
                (0, false) => None,
                (0, true) => Some(
                    "the messages make every process wait for all others, and without them not \
                     all would wait"
                        .to_owned(),
                ),
                (some, _) => Some(format!(
                    "{some} of its messages also bring what is part of no collective operation"
                )),
            };
            let mut place = |site: &Option<Arc<Site>>| site.as_deref().map(&mut called);
            let ends = numbers.into_iter().filter_map(|number| {
                let message = ran.messages.get(number)?;
                Some((number, (place(&message.sender), place(&message.receiver))))
            });
            let ends = ends.collect();
            all.push(Finding {
                part,
                graph,
                ran,
                collective,
                share,
                complete,
                ends,
                waits: waits && is_alone,
                beyond,
            });
        }
    }
    Ok(all)
}

/// Bytes of a block, with all its pieces.
pub fn block_bytes(collective: &Collective) -> u64 {
    collective.length.0.saturating_mul(u64::from(collective.pieces.count))
}

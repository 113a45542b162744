//! The questions of a program about messages that it has not received yet, or about their length:
//! no collective operation answers them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use commloom_commgraph::Blocks;
use commloom_trace::{Action, Communicator, Event, Kind, Site, Trace};

use crate::finding::Finding;
use crate::place::Called;

/// The first version of traces that have the questions.
const SINCE: u64 = 3;

/// The questions about the messages that a line receives, and where they are asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Who sends one, or with which tag.
    pub envelope: Option<Called>,
    /// How long it is.
    pub length: Option<Called>,
    /// Whether it has come, by a program that goes on if it has not.
    pub arrival: Option<Called>,
}

impl Asked {
    fn add(&mut self, other: &Asked) {
        for (own, other) in [
            (&mut self.envelope, &other.envelope),
            (&mut self.length, &other.length),
            (&mut self.arrival, &other.arrival),
        ] {
            *own = own.take().or_else(|| other.clone());
        }
    }
}

/// The questions of a whole program.
#[derive(Debug, Default)]
pub struct Questions {
    /// By the line that receives.
    lines: BTreeMap<Called, Asked>,
}

/// Whether traces hold such questions.
pub fn are_recorded(traces: &[Trace]) -> bool {
    traces.iter().all(|trace| trace.version >= SINCE)
}

impl Questions {
    /// Near-linear in the events.
    pub fn of(traces: &[Trace], mut called: impl FnMut(&Site) -> Called) -> Questions {
        let mut all = Questions::default();
        for trace in traces {
            if trace.events.only(&[Kind::PROBED, Kind::COUNTED]).next().is_none() {
                continue;
            }
            let mut asking = Asking { trace, open: BTreeMap::new(), last: HashMap::new() };
            for (number, event) in &trace.events {
                let told = asking.next(number, event, &mut called);
                let Some((site, asked)) = told else { continue };
                all.lines.entry(called(&site)).or_default().add(&asked);
            }
        }
        all
    }

    /// The questions at the lines of these operations, by any of their messages in the run.
    pub fn about(&self, same: &[&Finding]) -> Asked {
        let mut asked = Asked::default();
        for line in same.iter().flat_map(|finding| finding.places(false)) {
            asked.add(self.lines.get(line).unwrap_or(&Asked::default()));
        }
        asked
    }
}

/// A message that a probe has found, and that is not received yet.
struct Found {
    communicator: Arc<Communicator>,
    source: u32,
    /// As a status says it.
    key: StatusKey,
    takes: bool,
    asked: Asked,
}

/// Source in the communicator, tag and bytes.
type StatusKey = (u32, i32, u64);

/// Whom a status is of.
enum Owner {
    /// The probe with this number, which is open.
    Probe(u64),
    /// A message that was received in this line, or that is for it.
    Line(Arc<Site>),
}

/// The way through the events of a process.
struct Asking<'t> {
    trace: &'t Trace,
    /// The probes whose messages were not received yet, by the numbers of their events.
    open: BTreeMap<u64, Found>,
    /// The last message of each.
    last: HashMap<StatusKey, Owner>,
}

impl Asking<'_> {
    /// A line that receives a message, with what this event tells about that.
    fn next(
        &mut self,
        number: u64,
        event: Event,
        called: &mut impl FnMut(&Site) -> Called,
    ) -> Option<(Arc<Site>, Asked)> {
        let mut place = || event.site.as_deref().map(&mut *called);
        match event.action {
            Action::Probed { from, tag, communicator, waits, takes, found } => {
                let (source, its, bytes) = found;
                let is_any = from.is_none() || tag.is_none();
                let asked = Asked {
                    envelope: if is_any { place() } else { None },
                    length: None,
                    arrival: if waits { None } else { place() },
                };
                let key = (rank(&communicator, source)?, its, bytes);
                self.last.insert(key, Owner::Probe(number));
                self.open.insert(number, Found { communicator, source, key, takes, asked });
                None
            }
            Action::Counted { source, tag, bytes } => {
                let length = place();
                match self.last.get(&(source, tag, bytes))? {
                    Owner::Line(site) => {
                        Some((Arc::clone(site), Asked { length, ..Asked::default() }))
                    }
                    Owner::Probe(at) => {
                        self.open.get_mut(at)?.asked.length = length;
                        None
                    }
                }
            }
            Action::Receive { from, tag, communicator, .. } => {
                let asked = self.received(&communicator, from, tag, event.site.as_ref());
                event.site.zip(asked)
            }
            Action::Received { receive, what } => {
                let events = &self.trace.events;
                if let (Some(Action::Receive { communicator, .. }), Some(site)) =
                    (events.action(receive), events.site(receive))
                {
                    let key = (rank(&communicator, what.from)?, what.tag, what.bytes);
                    self.last.insert(key, Owner::Line(Arc::clone(site)));
                }
                None
            }
            _ => None,
        }
    }

    /// A receive with these arguments is posted: what was asked about its message before. Of those
    /// that were taken by a probe each has a receive of its own.
    fn received(
        &mut self,
        communicator: &Communicator,
        from: Option<u32>,
        tag: Option<i32>,
        site: Option<&Arc<Site>>,
    ) -> Option<Asked> {
        let mut asked: Option<Asked> = None;
        let mut is_taken = false;
        let Asking { open, last, .. } = self;
        open.retain(|at, found| {
            let fits = *found.communicator == *communicator
                && from.is_none_or(|from| from == found.source)
                && tag.is_none_or(|tag| tag == found.key.1)
                && !(found.takes && is_taken);
            if !fits {
                return true;
            }
            is_taken |= found.takes;
            asked.get_or_insert_default().add(&found.asked);
            let is_its = |owner: &Owner| matches!(owner, Owner::Probe(of) if of == at);
            if last.get(&found.key).is_some_and(is_its) {
                match site {
                    Some(site) => last.insert(found.key, Owner::Line(Arc::clone(site))),
                    None => last.remove(&found.key),
                };
            }
            false
        });
        asked
    }
}

/// How much comes is known to a process by what it has posted before the first message has come:
/// the same at one time and another, and the rest follows from that. Otherwise a message tells it,
/// as a first one that is a length, or a last one with a mark.
pub fn is_told_by_messages(same: &[&Finding]) -> Option<String> {
    let mut known: BTreeMap<(u32, Vec<(bool, u64)>), u64> = BTreeMap::new();
    for finding in same.iter().filter(|f| matches!(f.collective.blocks, Blocks::Rooted { .. })) {
        let mut posted: BTreeMap<u32, Vec<(u64, bool, u64)>> = BTreeMap::new();
        let mut first: BTreeMap<u32, u64> = BTreeMap::new();
        for message in finding.messages() {
            let (send, receive, arrival) = (message.send, message.receive, message.arrival);
            let ends = [(send, false), (receive, true)];
            for (place, receives) in ends {
                let own = posted.entry(place.process).or_default();
                own.push((place.event, receives, message.bytes));
            }
            let first = first.entry(arrival.process).or_insert(arrival.event);
            *first = arrival.event.min(*first);
        }
        for (process, mut own) in posted {
            own.sort_unstable();
            let first = first.get(&process).copied().unwrap_or(u64::MAX);
            let before = own.iter().take_while(|(event, ..)| *event < first);
            let before = before.map(|(_, receives, bytes)| (*receives, *bytes)).collect();
            let comes = own.iter().filter(|(_, receives, _)| *receives).map(|own| own.2).sum();
            let other = known.insert((process, before), comes);
            if other.is_some_and(|other| other != comes) {
                return Some(format!(
                    "process {process} begins alike and then gets more at one time than at \
                     another: only the messages tell how much comes"
                ));
            }
        }
    }
    None
}

/// The rank of a process in the group that messages come from.
fn rank(communicator: &Communicator, process: u32) -> Option<u32> {
    let Communicator { members, remote, .. } = communicator;
    let group = if remote.is_empty() { members } else { remote };
    let place = group.iter().position(|member| *member == process)?;
    u32::try_from(place).ok()
}

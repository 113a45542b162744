//! The lines of an operation in the whole run: whether they send anything else, and whether that
//! is the operation again, at a time when the recorder did not look at what the program adds up.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use commloom_commgraph::Blocks;
use commloom_trace::{Action, Kind, NOT_LOOKED_AT, Site, Trace};

use crate::finding::Finding;
use crate::place::Called;

/// Messages by the place of their call.
type Counts = BTreeMap<Option<Called>, u64>;

/// How many messages are sent and received where in the whole program.
pub struct Whole<'a> {
    traces: &'a [Trace],
    places: HashMap<Arc<Site>, Called>,
    sent: Counts,
    received: Counts,
}

/// The messages of the times of an operation that are not proven.
#[derive(Debug, Default)]
pub struct Unseen {
    pub times: u64,
    pub messages: u64,
    pub bytes: u64,
    pub sent: BTreeMap<Called, u64>,
    pub received: BTreeMap<Called, u64>,
}

/// A send or receive at one of the lines of an operation, by all but its content.
#[derive(PartialEq)]
struct Step<'a> {
    place: &'a Called,
    /// To whom it is sent, or from whom it is received.
    send_to: Option<u32>,
    receive_from: Option<u32>,
    buffer: (u64, u64, Arc<str>),
    bytes: u64,
}

/// A step that was recorded.
struct Seen<'a> {
    /// The number of its event.
    number: u64,
    step: Step<'a>,
    /// The hash of what is sent.
    sent: u64,
    /// The hash of what is received.
    received: u64,
    /// The recorder has seen that what is received was added up.
    is_operand: bool,
}

/// The steps of a process.
type Steps<'a> = Vec<Seen<'a>>;

/// All that a process does at the lines of an operation.
struct Course<'a> {
    process: u32,
    steps: Steps<'a>,
    /// The first step of the first proven time.
    at: usize,
    /// How many steps a time has.
    each: usize,
}

impl Course<'_> {
    /// How many steps come before an event.
    fn before(&self, event: u64) -> usize {
        self.steps.partition_point(|seen| seen.number < event)
    }

    /// The steps of one time.
    fn steps_of(&self, time: usize) -> impl Iterator<Item = &Seen<'_>> + '_ {
        self.steps.iter().skip(time.saturating_mul(self.each)).take(self.each)
    }

    /// The hashes of what is sent in one time.
    fn sent(&self, time: usize) -> impl Iterator<Item = u64> + '_ {
        self.steps_of(time).filter(|seen| seen.step.send_to.is_some()).map(|seen| seen.sent)
    }

    /// The hashes of what is received in one time where it was added up in the first proven one.
    fn operands(&self, time: usize) -> impl Iterator<Item = u64> + '_ {
        let proven = self.steps_of(self.at / self.each);
        let both = proven.zip(self.steps_of(time));
        both.filter(|(proven, _)| proven.is_operand).map(|(_, seen)| seen.received)
    }
}

impl<'a> Whole<'a> {
    pub fn of(traces: &'a [Trace], mut called: impl FnMut(&Site) -> Called) -> Whole<'a> {
        let by_site = |kind: Kind| {
            let mut all: BTreeMap<Option<Arc<Site>>, u64> = BTreeMap::new();
            for trace in traces {
                // Equal sites of a trace are mostly one: few are compared by their text.
                let mut known: HashMap<Option<*const Site>, (Option<&Arc<Site>>, u64)> =
                    HashMap::new();
                for site in trace.events.sites(kind) {
                    known.entry(site.map(Arc::as_ptr)).or_insert((site, 0)).1 += 1;
                }
                for (site, count) in known.into_values() {
                    *all.entry(site.cloned()).or_insert(0) += count;
                }
            }
            all
        };
        let (sent, received) = (by_site(Kind::SEND), by_site(Kind::RECEIVE));
        let sites = sent.keys().chain(received.keys()).flatten();
        let places: HashMap<Arc<Site>, Called> =
            sites.map(|site| (Arc::clone(site), called(site))).collect();
        let by_place = |all: BTreeMap<Option<Arc<Site>>, u64>| {
            let mut by_place = Counts::new();
            for (site, count) in all {
                let place = site.and_then(|site| places.get(&site).cloned());
                *by_place.entry(place).or_insert(0) += count;
            }
            by_place
        };
        let (sent, received) = (by_place(sent), by_place(received));
        Whole { traces, places, sent, received }
    }

    /// How many messages are sent in these lines.
    pub fn sent_in(&self, same: &[&Finding]) -> u64 {
        let ends = same.iter().flat_map(|finding| finding.ends.values());
        let places: BTreeSet<&Option<Called>> = ends.map(|(from, _)| from).collect();
        places.into_iter().filter_map(|place| self.sent.get(place)).sum()
    }

    /// All calls that send or receive, and where they are.
    pub fn sites(&self) -> impl Iterator<Item = (&Arc<Site>, &Called)> {
        self.places.iter()
    }

    fn place(&self, site: &Option<Arc<Site>>) -> Option<&Called> {
        self.places.get(site.as_ref()?)
    }

    /// Something else that is sent or received where these are: the call cannot stand there.
    pub fn beside(&self, same: &[&Finding]) -> Option<String> {
        let mut ends = BTreeMap::new();
        for finding in same {
            for (number, (from, to)) in &finding.ends {
                ends.insert((finding.part, *number), (from, to, finding.ran.times()));
            }
        }
        let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
        for (from, to, times) in ends.into_values() {
            *sent.entry(from).or_insert(0_u64) += times;
            *received.entry(to).or_insert(0_u64) += times;
        }
        let sides = [(&self.sent, sent, "sent"), (&self.received, received, "received")];
        for (all, own, verb) in sides {
            for (place, own) in own {
                let all = all.get(place).copied().unwrap_or(0);
                if let Some(others) = all.checked_sub(own).filter(|others| *others > 0) {
                    let name = place.as_ref().map_or(String::new(), |place| format!(" in {place}"));
                    return Some(format!(
                        "{others} of the {all} messages {verb}{name} are not part of it"
                    ));
                }
            }
        }
        None
    }

    /// The other times of a reduction, if all else that its lines do is that: at every process the
    /// same steps, between the same buffers, in the same order, as often as it takes; what is the
    /// same content in the first proven time is so in each. Fewer than are proven, and only those
    /// whose messages the recorder did not look at: where it looked and saw no sum, the program
    /// may have done something else.
    pub fn unseen(&self, same: &[&Finding]) -> Option<Unseen> {
        let first = same.iter().min_by_key(|finding| finding.part)?;
        if !same.iter().all(|f| matches!(f.collective.blocks, Blocks::Reduced { .. })) {
            return None;
        }
        let proven: u64 = same.iter().map(|finding| finding.ran.times()).sum();
        let places = |are_sent| -> BTreeSet<&Called> {
            same.iter().flat_map(|finding| finding.places(are_sent)).collect()
        };
        let lines = (places(true), places(false));
        let mut unseen: Option<u64> = None;
        let mut all: Vec<Course<'_>> = Vec::new();
        for trace in self.traces {
            let steps = self.steps(trace, &lines);
            if steps.is_empty() {
                continue;
            }
            let own = |place: commloom_commgraph::recorded::Place| {
                (place.process == trace.header.rank).then_some(place.event)
            };
            let numbers: BTreeSet<u64> =
                first.messages().flat_map(|m| [own(m.send), own(m.receive)]).flatten().collect();
            let (begin, each) = (numbers.first()?, numbers.len());
            let at = steps.iter().position(|seen| seen.number == *begin)?;
            let times = count(steps.len() / each).checked_sub(proven)?;
            let is_whole = steps.len().is_multiple_of(each) && at.is_multiple_of(each);
            if !is_whole || times == 0 || times >= proven || *unseen.get_or_insert(times) != times {
                return None;
            }
            if !(0..steps.len()).all(|k| steps[k].step == steps[at + k % each].step) {
                return None;
            }
            all.push(Course { process: trace.header.rank, steps, at, each });
        }
        let times = unseen?;
        let total = usize::try_from(times.saturating_add(proven)).ok()?;
        let is_proven = proven_times(same, &all)?;
        let is_as_counted = count(is_proven.len()) == proven;
        let is_unseen = |time: usize| is_proven.contains(&time) || !is_looked_at(&all, time);
        (is_as_counted && (0..total).all(is_unseen) && is_like(&all, total))
            .then(|| counted(times, &all))
    }

    /// The actions of a process at these lines.
    fn steps(
        &self,
        trace: &Trace,
        (sent, received): &(BTreeSet<&Called>, BTreeSet<&Called>),
    ) -> Steps<'_> {
        let mut all: Steps<'_> = Vec::new();
        for (number, event) in &trace.events {
            let mut added_up = None;
            let (is_there, send_to, receive_from, buffer, hash) = match event.action {
                Action::Send { to, buffer, hash, sum, .. } => {
                    added_up = sum.map(|sum| sum.receive);
                    (sent, Some(to), None, buffer, hash)
                }
                Action::Receive { from, buffer, .. } => {
                    (received, None, from, buffer, NOT_LOOKED_AT)
                }
                Action::Received { receive, what } => {
                    if let Some(seen) = at(&mut all, receive) {
                        seen.received = what.hash;
                    }
                    continue;
                }
                Action::Summed(summed) => {
                    operand(trace, &mut all, summed.receive);
                    continue;
                }
                _ => continue,
            };
            if let Some(receive) = added_up {
                operand(trace, &mut all, receive);
            }
            let Some(place) = self.place(&event.site).filter(|place| is_there.contains(place))
            else {
                continue;
            };
            let bytes = buffer.bytes;
            let buffer = (buffer.address, buffer.count, buffer.layout);
            let step = Step { place, send_to, receive_from, buffer, bytes };
            let (received, is_operand) = (NOT_LOOKED_AT, false);
            all.push(Seen { number, step, sent: hash, received, is_operand });
        }
        all
    }
}

/// The step with this event.
fn at<'s, 'a>(steps: &'s mut Steps<'a>, event: u64) -> Option<&'s mut Seen<'a>> {
    let place = steps.binary_search_by_key(&event, |seen| seen.number).ok()?;
    steps.get_mut(place)
}

/// Marks the receive whose message has come with this event: that was added up.
fn operand(trace: &Trace, steps: &mut Steps<'_>, came: u64) {
    if let Some(Action::Received { receive, .. }) = trace.events.action(came)
        && let Some(seen) = at(steps, receive)
    {
        seen.is_operand = true;
    }
}

/// Which times of all that the processes do at these lines are proven; none where that cannot be
/// told.
fn proven_times(same: &[&Finding], all: &[Course<'_>]) -> Option<BTreeSet<usize>> {
    let mut proven = BTreeSet::new();
    for finding in same {
        let receives = &finding.ran.first_receives;
        let anchor = receives.first()?;
        let course = all.iter().find(|course| course.process == anchor.process)?;
        let ends = finding.messages().flat_map(|message| [message.send, message.receive]);
        let own = ends.filter(|end| end.process == anchor.process).map(|end| end.event).min()?;
        let (begin, anchor) = (course.before(own), course.before(anchor.event));
        for receive in receives {
            let begin = course.before(receive.event).checked_add(begin)?.checked_sub(anchor)?;
            begin.is_multiple_of(course.each).then_some(())?;
            proven.insert(begin / course.each);
        }
    }
    Some(proven)
}

/// Whether the contents of all messages of one time were looked at: as they were sent, or where
/// the program adds them up as they came, which is where sums are seen.
fn is_looked_at(all: &[Course<'_>], time: usize) -> bool {
    let is_known = |hash: u64| hash != NOT_LOOKED_AT;
    let operands = || all.iter().flat_map(|course| course.operands(time));
    all.iter().flat_map(|course| course.sent(time)).all(is_known)
        || operands().next().is_some() && operands().all(is_known)
}

/// Whether contents that are the same in the first proven time are the same in each.
fn is_like(all: &[Course<'_>], times: usize) -> bool {
    let mut classes: BTreeMap<u64, Vec<(usize, usize)>> = BTreeMap::new();
    for (process, Course { steps, at, each, .. }) in all.iter().enumerate() {
        for k in 0..*each {
            let hash = steps[at + k].sent;
            if hash != NOT_LOOKED_AT {
                classes.entry(hash).or_default().push((process, k));
            }
        }
    }
    let hash = |time: usize, (process, k): (usize, usize)| {
        let course = &all[process];
        course.steps[time * course.each + k].sent
    };
    (0..times).all(|time| {
        classes.values().all(|class| {
            let known = class.iter().map(|step| hash(time, *step));
            known.filter(|hash| *hash != NOT_LOOKED_AT).collect::<BTreeSet<_>>().len() <= 1
        })
    })
}

fn counted(times: u64, all: &[Course<'_>]) -> Unseen {
    let mut unseen = Unseen { times, ..Unseen::default() };
    for Seen { step, .. } in all.iter().flat_map(|course| course.steps_of(course.at / course.each))
    {
        if step.send_to.is_some() {
            unseen.messages += times;
            unseen.bytes += step.bytes.saturating_mul(times);
        }
        let side = if step.send_to.is_some() { &mut unseen.sent } else { &mut unseen.received };
        *side.entry(step.place.clone()).or_insert(0) += times;
    }
    unseen
}

fn count(n: usize) -> u64 {
    u64::try_from(n).unwrap_or(u64::MAX)
}

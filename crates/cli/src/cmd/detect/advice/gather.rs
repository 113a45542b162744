//! From the parts of a program to advice: what is the same at the same places is one.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use commloom_commgraph::cost::LogGp;
use commloom_commgraph::recorded::Message;
use commloom_commgraph::{
    Action, Blocks, Collective, Named, Share, Together, needed, shares, together,
};
use commloom_trace::{Action as Recorded, Buffer, Communicator, Event, Site, Trace};

use super::super::case::{Case, Ran};
use super::super::found::Found;
use super::elements::Elements;
use super::proof::prove;
use super::replacement::{Replacement, replacement};
use super::waits;
use super::warnings::warnings;
use super::{Advice, Grid, Language, Location, Predicted};
use crate::failure::Failure;
use crate::sites::{Called, Sites};

/// An operation in a part of the program.
pub struct Finding<'a> {
    /// From 0.
    pub part: usize,
    pub case: &'a Case,
    pub ran: &'a Ran,
    pub collective: &'a Collective,
    pub share: Share,
    /// Whether the messages of its part make every process wait for every other.
    pub complete: bool,
    /// Where its messages are sent, and received, by their numbers in the part.
    pub ends: BTreeMap<usize, (Option<Called>, Option<Called>)>,
    /// What else its messages do, that no call does.
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

    /// What was recorded of a send.
    pub fn send(&self, message: &Message) -> Option<(&'a Buffer, &'a Communicator)> {
        match event(&self.ran.traces, message.send.process, message.send.event)?.action {
            Recorded::Send { ref buffer, ref communicator, .. } => Some((buffer, communicator)),
            _ => None,
        }
    }

    /// Whether all its sends of a process were under way at one time: until they are complete the program does not change what is
    /// sent (MPI 4.1, section 3.7.2), so that memory that several of them send is the same in each.
    pub fn sends_together(&self, process: u32) -> bool {
        let own = self.messages().map(|m| m.send).filter(|send| send.process == process);
        let mut open: BTreeSet<u64> = own.map(|send| send.event).collect();
        let Some(last) = open.pop_last() else { return true };
        let Some(trace) = trace(&self.ran.traces, process) else { return false };
        let after = trace.events.partition_point(|(number, _)| *number <= last);
        for (_, event) in &trace.events[after..] {
            if open.is_empty() {
                break;
            }
            if let Recorded::Sent { send } = event.action {
                open.remove(&send);
            }
        }
        open.is_empty()
    }

    /// And of a receive, with the source and tag that it asks for.
    pub fn receive(&self, message: &Message) -> Option<(&'a Buffer, Option<u32>, Option<i32>)> {
        match event(&self.ran.traces, message.receive.process, message.receive.event)?.action {
            Recorded::Receive { ref buffer, from, tag, .. } => Some((buffer, from, tag)),
            _ => None,
        }
    }
}

fn trace(traces: &[Trace], process: u32) -> Option<&Trace> {
    let is_of = |trace: &&Trace| trace.header.rank == process;
    let there = usize::try_from(process).ok().and_then(|rank| traces.get(rank)).filter(is_of);
    there.or_else(|| traces.iter().find(is_of))
}

fn event(traces: &[Trace], process: u32, number: u64) -> Option<&Event> {
    let trace = trace(traces, process)?;
    let found = trace.events.binary_search_by_key(&number, |(number, _)| *number).ok()?;
    Some(&trace.events[found].1)
}

/// The number of a message in its part, by its send.
fn number(send: &Named) -> Option<usize> {
    match send.action {
        Action::Send { tag, .. } => usize::try_from(tag.0).ok(),
        _ => None,
    }
}

/// All operations of all parts.
///
/// # Errors
/// None for graphs that were analysed.
pub fn findings<'a>(
    cases: &'a [Case],
    found: &'a [Found],
    sites: &mut Sites,
) -> Result<Vec<Finding<'a>>, Failure> {
    let mut all = Vec::new();
    for (part, (case, found)) in cases.iter().zip(found).enumerate() {
        let Some(ran) = &case.ran else { continue };
        let collectives = found.collectives();
        if collectives.is_empty() {
            continue;
        }
        let graph = &case.program.graph;
        let shares = shares(graph, collectives, &LogGp::default());
        let shares = shares.map_err(|error| case.failure(&error))?;
        let numbers = |messages: &[(Named, Named)]| -> BTreeSet<usize> {
            messages.iter().filter_map(|(send, _)| number(send)).collect()
        };
        let left = match found.analysis() {
            Some(analysis) => {
                let left = needed(graph, &analysis.detection);
                numbers(&left.map_err(|error| case.failure(&error))?)
            }
            None => BTreeSet::new(),
        };
        let complete = found.wait_sets_complete();
        let of: Vec<BTreeSet<usize>> = shares.iter().map(|s| numbers(&s.messages)).collect();
        let waits =
            complete && !waits::are_kept(graph.processes(), collectives, &ran.messages, &of);
        for ((collective, share), numbers) in collectives.iter().zip(shares).zip(of) {
            let beyond = match (numbers.intersection(&left).count(), waits) {
                (0, false) => None,
                (0, true) => Some(
                    "the messages make every process wait for all others, and without them not all would wait"
                        .to_owned(),
                ),
                (some, _) => Some(format!(
                    "{some} of its messages also bring what is part of no collective operation"
                )),
            };
            let mut place = |site: &Option<Arc<Site>>| site.as_ref().map(|site| sites.call(site));
            let ends = numbers.into_iter().filter_map(|number| {
                let message = ran.messages.get(number)?;
                Some((number, (place(&message.sender), place(&message.receiver))))
            });
            let ends = ends.collect();
            all.push(Finding { part, case, ran, collective, share, complete, ends, beyond });
        }
    }
    Ok(all)
}

/// What findings, which are sorted by part, take the place of in each.
fn by_part<'a>(findings: &[&Finding<'a>]) -> Result<Vec<(&'a Ran, Together)>, Failure> {
    let of = |same: &[&Finding<'a>]| {
        let shares: Vec<&Share> = same.iter().map(|finding| &finding.share).collect();
        let Finding { case, ran, .. } = *same[0];
        let all = together(&case.program.graph, &shares, &LogGp::default());
        Ok((ran, all.map_err(|error| case.failure(&error))?))
    };
    findings.chunk_by(|a, b| a.part == b.part).map(of).collect()
}

/// Findings of one kind at the same places, and what is written for them.
struct Group<'f, 'a> {
    same: Vec<&'f Finding<'a>>,
    most: &'f Finding<'a>,
    groups: BTreeSet<Vec<u32>>,
    language: Language,
    written: Replacement,
    predicted: Predicted,
    /// Why that is not printed.
    withheld: Option<String>,
}

/// A message: its part, and its number there.
type Number = (usize, usize);

impl Group<'_, '_> {
    fn numbers(&self) -> BTreeSet<Number> {
        let of = |f: &&Finding| f.ends.keys().map(|number| (f.part, *number)).collect::<Vec<_>>();
        self.same.iter().flat_map(of).collect()
    }
}

/// The findings, those that are the same at the same places together; what takes longest first, and what is not proven last. With
/// each advice the finding that it is written for.
///
/// # Errors
/// None for graphs that were analysed.
pub fn advice<'f, 'a>(
    findings: &'f [Finding<'a>],
    sites: &mut Sites,
) -> Result<Vec<(Advice, &'f Finding<'a>)>, Failure> {
    type Places<'f> = BTreeSet<&'f Called>;
    let mut same: BTreeMap<(&str, u32, Places, Places), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let (sent, received) = (finding.places(true), finding.places(false));
        let c = finding.collective;
        let key = (c.kind.name(), c.group.size(), sent, received);
        same.entry(key).or_default().push(finding);
    }
    let whole = findings.first().map(|f| Whole::of(&f.ran.traces, sites));
    let all: Result<Vec<Group>, Failure> = same.into_values().map(group).collect();
    let mut all = all?;
    for group in &mut all {
        let reason = group.withheld.take();
        let covered = || whole.as_ref().and_then(|whole| whole.beside(&group.same));
        group.withheld = reason.or_else(covered);
    }
    all.sort_by(|a, b| {
        (b.predicted.messages.total_cmp(&a.predicted.messages))
            .then(b.most.share.bytes.cmp(&a.most.share.bytes))
    });
    together_or_not(&mut all);
    all.sort_by_key(|group| group.withheld.is_some());
    let mut counted: BTreeSet<Number> = BTreeSet::new();
    Ok(all.into_iter().map(|group| joined(group, &mut counted)).collect())
}

/// Messages that an operation shares with one whose call is not printed have to stay, and so its own call is not.
fn together_or_not(all: &mut [Group]) {
    let numbers: Vec<BTreeSet<Number>> = all.iter().map(Group::numbers).collect();
    loop {
        let stay: BTreeSet<Number> = (all.iter().zip(&numbers))
            .filter(|(group, _)| group.withheld.is_some())
            .flat_map(|(_, numbers)| numbers.iter().copied())
            .collect();
        let mut changed = false;
        for (group, numbers) in all.iter_mut().zip(&numbers) {
            if group.withheld.is_none() && numbers.intersection(&stay).next().is_some() {
                group.withheld = Some(
                    "its messages are also part of another operation, whose call is not shown to be right"
                        .to_owned(),
                );
                changed = true;
            }
        }
        if !changed {
            return;
        }
    }
}

/// Bytes of a block, with all its pieces.
pub fn block_bytes(collective: &Collective) -> u64 {
    collective.length.0.saturating_mul(u64::from(collective.pieces.count))
}

/// What is written for findings of one kind and place.
fn group<'f, 'a>(same: Vec<&'f Finding<'a>>) -> Result<Group<'f, 'a>, Failure> {
    let cost = |finding: &Finding| finding.share.bytes.saturating_mul(finding.ran.times);
    let most = same.iter().copied().reduce(|a, b| if cost(b) > cost(a) { b } else { a });
    let most = most.expect("a finding for each key");
    let mut groups: BTreeSet<Vec<u32>> = BTreeSet::new();
    let mut predicted = Predicted::default();
    for finding in &same {
        let members = finding.collective.group.members();
        groups.extend(members.map(|all| all.iter().map(|p| p.0).collect::<Vec<_>>()));
        predicted.call += float(finding.ran.times) * finding.share.call.0;
    }
    for (ran, part) in by_part(&same)? {
        predicted.messages += float(ran.times) * part.plain.0;
    }
    let language = language(most);
    let elements = Elements::of(most);
    let written = replacement(most, &same, &groups, &elements, language);
    let beyond = same.iter().find_map(|finding| finding.beyond.clone());
    let withheld = beyond.or_else(|| prove(&written, &same, &groups, &elements).err());
    Ok(Group { same, most, groups, language, written, predicted, withheld })
}

/// One advice for findings of one kind and place. Messages that an earlier one has `counted` are not its own.
fn joined<'f, 'a>(
    group: Group<'f, 'a>,
    counted: &mut BTreeSet<Number>,
) -> (Advice, &'f Finding<'a>) {
    let Group { same, most, groups, language, written, predicted, withheld } = group;
    let (mut roots, mut phases) = (BTreeSet::new(), BTreeSet::new());
    let (mut bytes, mut messages, mut all_times) = (0_u64, 0_u64, 0_u64);
    let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
    for finding in &same {
        roots.extend(finding.collective.root.map(|root| root.0));
        phases.insert(finding.part + 1);
        let times = finding.ran.times;
        all_times = all_times.saturating_add(times);
        for (number, (from, to)) in &finding.ends {
            let own = u64::from(counted.insert((finding.part, *number))).saturating_mul(times);
            let length = finding.ran.messages.get(*number).map_or(0, |m| m.bytes);
            messages = messages.saturating_add(own);
            bytes = bytes.saturating_add(length.saturating_mul(own));
            for (all, place) in [(&mut sent, from), (&mut received, to)] {
                let Some(place) = place else { continue };
                *all.entry(place).or_insert(0_u64) += own;
            }
        }
    }
    let sizes = || same.iter().map(|finding| block_bytes(finding.collective));
    let is_printed = withheld.is_none();
    let advice = Advice {
        kind: most.collective.kind.name(),
        processes: most.collective.group.size(),
        groups: groups.into_iter().collect(),
        roots: roots.into_iter().collect(),
        times: all_times,
        phases: phases.into_iter().collect(),
        bytes_each: (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0)),
        messages,
        bytes,
        sent: locations(sent),
        received: locations(received),
        language,
        code: if is_printed { written.code } else { Vec::new() },
        legend: if is_printed { written.legend } else { Vec::new() },
        grid: match &most.collective.blocks {
            Blocks::Neighbors { grid, .. } => {
                Some(Grid { dims: grid.dims.clone(), periods: grid.periodic.clone() })
            }
            _ => None,
        },
        predicted: is_printed.then_some(predicted),
        measured: None,
        warnings: if is_printed { warnings(most, &same, predicted) } else { Vec::new() },
        withheld,
    };
    (advice, most)
}

/// How many messages are sent and received where in the whole program.
struct Whole {
    sent: BTreeMap<Option<Called>, u64>,
    received: BTreeMap<Option<Called>, u64>,
}

impl Whole {
    fn of(traces: &[Trace], sites: &mut Sites) -> Whole {
        let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
        for (_, event) in traces.iter().flat_map(|trace| &trace.events) {
            let all = match event.action {
                Recorded::Send { .. } => &mut sent,
                Recorded::Receive { .. } => &mut received,
                _ => continue,
            };
            *all.entry(event.site.clone()).or_insert(0_u64) += 1;
        }
        let mut by_place = |all: BTreeMap<Option<Arc<Site>>, u64>| {
            let mut places = BTreeMap::new();
            for (site, count) in all {
                *places.entry(site.map(|site| sites.call(&site))).or_insert(0) += count;
            }
            places
        };
        Whole { sent: by_place(sent), received: by_place(received) }
    }

    /// What else is sent or received where these are: the call cannot stand there.
    fn beside(&self, same: &[&Finding]) -> Option<String> {
        let mut ends: BTreeMap<Number, (&Option<Called>, &Option<Called>, u64)> = BTreeMap::new();
        for finding in same {
            for (number, (from, to)) in &finding.ends {
                ends.insert((finding.part, *number), (from, to, finding.ran.times));
            }
        }
        let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
        for (from, to, times) in ends.into_values() {
            *sent.entry(from).or_insert(0_u64) += times;
            *received.entry(to).or_insert(0_u64) += times;
        }
        for (all, own, verb) in [(&self.sent, sent, "sent"), (&self.received, received, "received")]
        {
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
}

#[expect(clippy::cast_precision_loss, reason = "repetitions of a program")]
fn float(times: u64) -> f64 {
    times as f64
}

fn locations(places: BTreeMap<&Called, u64>) -> Vec<Location> {
    let mut all: Vec<Location> =
        places.into_iter().map(|(called, messages)| Location::new(called, messages)).collect();
    all.sort_by_key(|location| std::cmp::Reverse(location.messages));
    all
}

fn language(finding: &Finding) -> Language {
    let frames = |are_sent| finding.places(are_sent).into_iter().flat_map(|c| &c.frames);
    let is_fortran = frames(true).chain(frames(false)).any(|frame| frame.is_fortran);
    if is_fortran { Language::Fortran } else { Language::C }
}

//! From the parts of a program to advice: what is the same at the same places is one.

use std::collections::{BTreeMap, BTreeSet};

use commloom_commgraph::cost::LogGp;
use commloom_commgraph::recorded::Message;
use commloom_commgraph::{Action, Blocks, Collective, Share, Together, shares, together};
use commloom_trace::{Action as Recorded, Buffer, Communicator, Event, Trace};

use super::super::case::{Case, Ran};
use super::super::found::Found;
use super::elements::Elements;
use super::replacement::{Replacement, replacement};
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
    /// Sends, and receives: with how many messages.
    pub sent: BTreeMap<Called, u64>,
    pub received: BTreeMap<Called, u64>,
}

impl<'a> Finding<'a> {
    /// The messages that it takes the place of.
    pub fn messages(&self) -> impl Iterator<Item = &'a Message> + '_ {
        self.share.messages.iter().filter_map(|(send, _)| match send.action {
            Action::Send { tag, .. } => self.ran.messages.get(usize::try_from(tag.0).ok()?),
            _ => None,
        })
    }

    /// What was recorded of a send.
    pub fn send(&self, message: &Message) -> Option<(&'a Buffer, &'a Communicator)> {
        match event(&self.ran.traces, message.send.process, message.send.event)?.action {
            Recorded::Send { ref buffer, ref communicator, .. } => Some((buffer, communicator)),
            _ => None,
        }
    }

    /// And of a receive.
    pub fn receive(&self, message: &Message) -> Option<&'a Buffer> {
        match event(&self.ran.traces, message.receive.process, message.receive.event)?.action {
            Recorded::Receive { ref buffer, .. } => Some(buffer),
            _ => None,
        }
    }
}

fn event(traces: &[Trace], process: u32, number: u64) -> Option<&Event> {
    let trace = traces.iter().find(|trace| trace.header.rank == process)?;
    let found = trace.events.binary_search_by_key(&number, |(number, _)| *number).ok()?;
    Some(&trace.events[found].1)
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
        let shares = shares(&case.program.graph, collectives, &LogGp::default());
        let shares = shares.map_err(|error| case.failure(&error))?;
        for (collective, share) in collectives.iter().zip(shares) {
            let (sent, received) = (BTreeMap::new(), BTreeMap::new());
            let complete = found.wait_sets_complete();
            let mut finding =
                Finding { part, case, ran, collective, share, complete, sent, received };
            let ends = |message: &Message| (message.sender.clone(), message.receiver.clone());
            let ends: Vec<_> = finding.messages().map(ends).collect();
            for (sender, receiver) in ends {
                for (site, counts) in
                    [(sender, &mut finding.sent), (receiver, &mut finding.received)]
                {
                    if let Some(site) = site {
                        *counts.entry(sites.call(&site)).or_default() += 1;
                    }
                }
            }
            all.push(finding);
        }
    }
    Ok(all)
}

/// How many messages the findings take the place of: those that serve several of them once.
///
/// # Errors
/// None for graphs that were analysed.
pub fn replaced(findings: &[Finding]) -> Result<u64, Failure> {
    let all: Vec<&Finding> = findings.iter().collect();
    let parts = by_part(&all)?;
    let messages = parts.iter().map(|(ran, part)| part.messages.saturating_mul(ran.times));
    Ok(messages.fold(0, u64::saturating_add))
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

/// The findings, those that are the same at the same places together; what takes longest first. With each advice the
/// finding that it is written for.
///
/// # Errors
/// None for graphs that were analysed.
pub fn advice<'f, 'a>(
    findings: &'f [Finding<'a>],
) -> Result<Vec<(Advice, &'f Finding<'a>)>, Failure> {
    type Places<'f> = Vec<&'f Called>;
    let mut same: BTreeMap<(&str, u32, Places, Places), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let (sent, received) = (finding.sent.keys().collect(), finding.received.keys().collect());
        let c = finding.collective;
        let key = (c.kind.name(), c.group.size(), sent, received);
        same.entry(key).or_default().push(finding);
    }
    let all: Result<Vec<_>, Failure> = same.into_values().map(|same| joined(&same)).collect();
    let mut all = all?;
    all.sort_by(|(a, _), (b, _)| {
        (b.predicted.messages.total_cmp(&a.predicted.messages)).then(b.bytes.cmp(&a.bytes))
    });
    Ok(all)
}

/// Bytes of a block, with all its pieces.
pub fn block_bytes(collective: &Collective) -> u64 {
    collective.length.0.saturating_mul(u64::from(collective.pieces.count))
}

/// One advice for findings of one kind and place.
fn joined<'f, 'a>(same: &[&'f Finding<'a>]) -> Result<(Advice, &'f Finding<'a>), Failure> {
    let times = |finding: &Finding| finding.ran.times;
    let cost = |finding: &Finding| finding.share.bytes.saturating_mul(times(finding));
    let most = same.iter().copied().reduce(|a, b| if cost(b) > cost(a) { b } else { a });
    let most = most.expect("a finding for each key");
    let mut groups: BTreeSet<Vec<u32>> = BTreeSet::new();
    let (mut roots, mut phases) = (BTreeSet::new(), BTreeSet::new());
    let mut predicted = Predicted::default();
    let (mut bytes, mut messages, mut all_times) = (0_u64, 0_u64, 0_u64);
    let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
    for finding in same {
        let c = finding.collective;
        groups.extend(c.group.members().map(|all| all.iter().map(|p| p.0).collect::<Vec<_>>()));
        roots.extend(c.root.map(|root| root.0));
        phases.insert(finding.part + 1);
        let n = times(finding);
        predicted.call += float(n) * finding.share.call.0;
        all_times = all_times.saturating_add(n);
        for (all, own) in [(&mut sent, &finding.sent), (&mut received, &finding.received)] {
            for (place, n) in own {
                *all.entry(place).or_insert(0) += n;
            }
        }
    }
    for (ran, part) in by_part(same)? {
        predicted.messages += float(ran.times) * part.plain.0;
        bytes = bytes.saturating_add(part.bytes.saturating_mul(ran.times));
        messages = messages.saturating_add(part.messages.saturating_mul(ran.times));
    }
    let sizes = || same.iter().map(|finding| block_bytes(finding.collective));
    let language = language(most);
    let elements = Elements::of(most);
    let Replacement { code, legend } = replacement(most, same, &groups, &elements, language);
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
        code,
        legend,
        grid: match &most.collective.blocks {
            Blocks::Neighbors { grid, .. } => {
                Some(Grid { dims: grid.dims.clone(), periods: grid.periodic.clone() })
            }
            _ => None,
        },
        predicted,
        measured: None,
        warnings: warnings(most, same, predicted),
    };
    Ok((advice, most))
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
    let mut frames = finding.sent.keys().chain(finding.received.keys()).flat_map(|c| &c.frames);
    if frames.any(|frame| frame.is_fortran) { Language::Fortran } else { Language::C }
}

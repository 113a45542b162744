//! From the parts of a program to advice: what is the same at the same places is one.

use std::collections::{BTreeMap, BTreeSet};

use commloom_commgraph::cost::LogGp;
use commloom_commgraph::{Blocks, Share, Together, together};
use commloom_trace::{Kind, Site, Trace};

use crate::asked::{Questions, is_told_by_messages};
use crate::conditions::{conditions, later_use};
use crate::elements::Elements;
use crate::finding::{AdviceError, Finding, Ran, block_bytes};
use crate::group::{Group, Number};
use crate::halves::other_half;
use crate::model::{Advice, Location, Predicted, ProcessGrid};
use crate::orders::without_deadlocks;
use crate::place::Called;
use crate::proof::prove;
use crate::replacement::replacement;
use crate::warnings::warnings;
use crate::whole::{Unseen, Whole};

/// The messages that findings take the place of in each part; they are sorted by part.
fn by_part<'a>(findings: &[&Finding<'a>]) -> Result<Vec<(&'a Ran, Together)>, AdviceError> {
    let of = |same: &[&Finding<'a>]| {
        let shares: Vec<&Share> = same.iter().map(|finding| &finding.share).collect();
        let Finding { part, graph, ran, .. } = *same[0];
        let all = together(graph, &shares, &LogGp::default());
        Ok((ran, all.map_err(|error| AdviceError { part, error })?))
    };
    findings.chunk_by(|a, b| a.part == b.part).map(of).collect()
}

/// The findings, those that are the same at the same places together; what takes longest first,
/// and what is not proven last. With each advice the finding that it is written for.
///
/// # Errors
/// None for graphs that were analysed.
pub fn advice<'f, 'a>(
    findings: &'f [Finding<'a>],
    mut called: impl FnMut(&Site) -> Called,
) -> Result<Vec<(Advice, &'f Finding<'a>)>, AdviceError> {
    type Places<'f> = BTreeSet<&'f Called>;
    let mut same: BTreeMap<(&str, u32, Places, Places), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let (sent, received) = (finding.places(true), finding.places(false));
        let c = finding.collective;
        let key = (c.kind.name(), c.group.size(), sent, received);
        same.entry(key).or_default().push(finding);
    }
    let whole = findings.first().map(|f| Whole::of(&f.ran.traces, &mut called));
    let questions = findings.first().map(|f| Questions::of(&f.ran.traces, &mut called));
    let questions = questions.unwrap_or_default();
    let all = same.into_values().map(|same| group(same, &questions));
    let mut all: Vec<Group> = all.collect::<Result<_, AdviceError>>()?;
    for group in &mut all {
        let Some(whole) = &whole else { continue };
        group.sent_there = whole.sent_in(&group.same);
        if group.withheld.is_some() {
            continue;
        }
        let traces = &group.most.ran.traces;
        if let Some(reason) = later_use(&group.same, traces, &mut called) {
            group.withheld = Some(reason);
            continue;
        }
        match conditions(&group.same) {
            Ok(conditions) => group.conditions = conditions,
            Err(reason) => {
                group.withheld = Some(reason);
                continue;
            }
        }
        group.withheld = whole.beside(&group.same);
        if group.withheld.is_some()
            && let Some(unseen) = whole.unseen(&group.same)
        {
            group.withheld = None;
            group.predicted = group.predicted.with_unseen(group.times(), unseen.times);
            group.unseen = unseen;
        }
    }
    without_covered(&mut all);
    all.sort_by(|a, b| {
        (b.predicted.messages.total_cmp(&a.predicted.messages))
            .then(b.most.share.bytes.cmp(&a.most.share.bytes))
    });
    whole_messages(&mut all);
    if let Some(first) = findings.first() {
        without_threads(&mut all, &first.ran.traces);
    }
    if let (Some(whole), Some(first)) = (&whole, findings.first()) {
        without_deadlocks(&mut all, whole, &first.ran.traces);
    }
    all.sort_by_key(|group| group.withheld.is_some());
    let mut counted: BTreeSet<Number> = BTreeSet::new();
    Ok(all.into_iter().map(|group| joined(group, &mut counted)).collect())
}

/// All messages of a call that is printed are its own: what else was found in the same lines, at
/// times when the recorder did not look at what they add up, is left out.
fn without_covered(all: &mut Vec<Group>) {
    let printed = all.iter().filter(|group| group.withheld.is_none() && group.unseen.times > 0);
    let printed: Vec<BTreeSet<(bool, Called)>> = printed
        .map(|group| group.lines().into_iter().map(|(sent, c)| (sent, c.clone())).collect())
        .collect();
    all.retain(|group| {
        let is_in = |lines: &BTreeSet<(bool, Called)>| {
            group.lines().iter().all(|(sent, place)| lines.contains(&(*sent, (*place).clone())))
        };
        group.withheld.is_none() || !printed.iter().any(is_in)
    });
}

/// In which order threads send is not in a trace, and collective calls of one communicator must
/// not be made at the same time (MPI 5.0, section 6.15).
fn without_threads(all: &mut [Group], traces: &[Trace]) {
    let mut several = traces.iter().filter(|t| t.events.only(&[Kind::THREADS]).next().is_some());
    let Some(trace) = several.next() else { return };
    for group in all.iter_mut().filter(|group| group.withheld.is_none()) {
        group.withheld = Some(format!(
            "several threads of process {} make calls, in an order that a trace does not tell",
            trace.header.rank
        ));
    }
}

/// A call is for whole messages: the names in it are of their buffers, and no part of a message
/// goes with another call or stays.
fn whole_messages(all: &mut [Group]) {
    let mut of: BTreeMap<Number, usize> = BTreeMap::new();
    for finding in all.iter().flat_map(|group| &group.same) {
        finding.ends.keys().for_each(|number| *of.entry((finding.part, *number)).or_default() += 1);
    }
    for group in all.iter_mut().filter(|group| group.withheld.is_none()) {
        let parts = group.numbers().into_iter().filter(|number| of[number] > 1).count();
        if parts > 0 {
            group.withheld = Some(format!(
                "{parts} of its messages are also part of another operation, and a call is for \
                 whole messages"
            ));
        }
    }
}

/// The advice for findings of one kind and place.
fn group<'f, 'a>(
    same: Vec<&'f Finding<'a>>,
    questions: &Questions,
) -> Result<Group<'f, 'a>, AdviceError> {
    let cost = |finding: &Finding| finding.share.bytes.saturating_mul(finding.ran.times());
    let most = same.iter().copied().reduce(|a, b| if cost(b) > cost(a) { b } else { a });
    let most = most.expect("a finding for each key");
    let mut groups: BTreeSet<Vec<u32>> = BTreeSet::new();
    let mut predicted = Predicted::default();
    for finding in &same {
        let members = finding.collective.group.members();
        groups.extend(members.map(|all| all.iter().map(|p| p.0).collect::<Vec<_>>()));
        predicted.call += float(finding.ran.times()) * finding.share.call.0;
    }
    for (ran, part) in by_part(&same)? {
        predicted.messages += float(ran.times()) * part.plain.0;
    }
    let elements = Elements::of(&same);
    let written = replacement(most, &same, &groups, &elements, questions.about(&same));
    let beyond = same.iter().find_map(|finding| finding.beyond.clone());
    let withheld = beyond.or_else(|| written.unknown.clone());
    let withheld = withheld.or_else(|| is_told_by_messages(&same));
    let withheld = withheld.or_else(|| other_half(&same));
    let withheld = withheld.or_else(|| prove(&written, &same, &groups, &elements).err());
    let (conditions, unseen, sent_there) = (Vec::new(), Unseen::default(), 0);
    Ok(Group { same, most, groups, written, predicted, withheld, conditions, unseen, sent_there })
}

/// One advice for findings of one kind and place. Messages that an unseen one has `counted` are
/// not its own.
fn joined<'f, 'a>(
    group: Group<'f, 'a>,
    counted: &mut BTreeSet<Number>,
) -> (Advice, &'f Finding<'a>) {
    let Group { same, most, groups, written, predicted, withheld, conditions, unseen, sent_there } =
        group;
    let (mut roots, mut phases) = (BTreeSet::new(), BTreeSet::new());
    let (mut bytes, mut messages, mut all_times) = (0_u64, 0_u64, 0_u64);
    let (mut sent, mut received) = (BTreeMap::new(), BTreeMap::new());
    for finding in &same {
        roots.extend(finding.collective.root.map(|root| root.0));
        phases.insert(finding.part + 1);
        let times = finding.ran.times();
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
    all_times = all_times.saturating_add(unseen.times);
    messages = messages.saturating_add(unseen.messages);
    bytes = bytes.saturating_add(unseen.bytes);
    for (all, more) in [(&mut sent, &unseen.sent), (&mut received, &unseen.received)] {
        for (place, count) in more {
            *all.entry(place).or_insert(0) += count;
        }
    }
    let conditions = if withheld.is_none() { conditions } else { Vec::new() };
    let mut notes =
        if withheld.is_none() { warnings(most, &same, predicted, &written) } else { Vec::new() };
    if unseen.times > 0 {
        notes.push(format!(
            "in {} of {all_times} times the recorder did not look at what is added up: the \
             messages are the same, their sums are not shown to be",
            unseen.times
        ));
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
        sent_there,
        sent: locations(sent),
        received: locations(received),
        language: written.language,
        code: if is_printed { written.code } else { Vec::new() },
        legend: if is_printed { written.legend } else { Vec::new() },
        grid: match &most.collective.blocks {
            Blocks::Neighbors { grid, .. } => {
                Some(ProcessGrid { dims: grid.dims.clone(), periods: grid.periodic.clone() })
            }
            _ => None,
        },
        predicted: is_printed.then_some(predicted),
        measured: None,
        conditions,
        warnings: notes,
        withheld,
    };
    (advice, most)
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

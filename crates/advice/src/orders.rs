//! Calls that cannot stand together in the program, or not with what stays there, are withheld.

use std::collections::BTreeMap;

use commloom_trace::Trace;

use crate::course::CallLines;
use crate::deadlock::{Awaited, Deadlock, Placed, deadlock};
use crate::group::Group;
use crate::kinds::mpi;
use crate::place::Called;
use crate::whole::Whole;

/// Withholds calls in which processes would wait for ever. Of several it is one without which the
/// others can stay, and else the one whose messages take least: the groups are sorted by that.
pub fn without_deadlocks(all: &mut [Group], whole: &Whole, traces: &[Trace]) {
    loop {
        let is_known = |group: &Group| {
            let mut ends = group.same.iter().flat_map(|finding| finding.ends.values());
            group.withheld.is_none() && ends.all(|(from, to)| from.is_some() && to.is_some())
        };
        let printed: Vec<usize> = (0..all.len()).filter(|at| is_known(&all[*at])).collect();
        let find = |printed: &[usize], placed| {
            let calls: Vec<_> = printed.iter().map(|at| all[*at].same.as_slice()).collect();
            deadlock(&calls, traces, &lines(all, printed, whole), placed)
        };
        // Where nobody waits with the strictest of all rules, nobody does with the others: mostly
        // the program is run once.
        let at_once = if printed.is_empty() { None } else { find(&printed, Placed::AtOnce) };
        let Some(at_once) = at_once else { return };
        let mut placed = Placed::Anywhere;
        let mut found = find(&printed, placed);
        // One call alone is in one order with itself.
        if found.is_none()
            && printed.len() > 1
            && let Some(posted) = find(&printed, Placed::Posted)
        {
            placed = Placed::Completed;
            found = find(&printed, placed);
            if found.is_none() {
                return in_one_order(all, &printed, &posted);
            }
        }
        let Some(found) = found else { return started_and_completed(all, &printed, &at_once) };
        let is_enough = |call: &&usize| {
            let others = printed.iter().enumerate().filter(|(at, _)| at != *call);
            find(&others.map(|(_, at)| *at).collect::<Vec<_>>(), placed).is_none()
        };
        let enough = found.calls.iter().rev().find(is_enough).or(found.calls.last());
        let Some(call) = enough.copied() else { return };
        let reason = match placed {
            Placed::Anywhere => for_ever(all, &printed, &found),
            _ => {
                let other = found.calls.iter().find(|other| **other != call);
                let other = other.map(|at| named(&all[printed[*at]]));
                let other = other.unwrap_or_else(|| "another time of it".to_owned());
                format!("not all processes come to it and to {other} in the same order")
            }
        };
        all[printed[call]].withheld = Some(reason);
    }
}

/// Processes that only receive post that in another order than they need it.
fn in_one_order(all: &mut [Group], printed: &[usize], posted: &Deadlock) {
    for call in &posted.calls {
        let others = posted.calls.iter().filter(|other| *other != call);
        let others: Vec<String> = others.map(|at| named(&all[printed[*at]])).collect();
        all[printed[*call]].conditions.push(format!(
            "it stands in one order with {} at all processes: their messages are not posted in one",
            others.join(" and ")
        ));
    }
}

/// Processes wait for other messages between where those of a call are posted and completed.
fn started_and_completed(all: &mut [Group], printed: &[usize], found: &Deadlock) {
    for call in &found.calls {
        let group = &mut all[printed[*call]];
        group.conditions.push(format!(
            "it is started where its messages are posted and completed where they are, as by \
             MPI_I{}: processes wait for others in between",
            group.most.collective.kind.name()
        ));
    }
}

/// The lines of the calls that are printed.
fn lines(all: &[Group], printed: &[usize], whole: &Whole) -> CallLines {
    let mut of: BTreeMap<(bool, &Called), usize> = BTreeMap::new();
    for (call, at) in printed.iter().enumerate() {
        of.extend(all[*at].lines().into_iter().map(|line| (line, call)));
    }
    let sites =
        whole.sites().flat_map(|(site, called)| [(true, site, called), (false, site, called)]);
    sites
        .filter_map(|(is_send, site, called)| {
            Some(((is_send, std::sync::Arc::clone(site)), *of.get(&(is_send, called))?))
        })
        .collect()
}

fn for_ever(all: &[Group], printed: &[usize], found: &Deadlock) -> String {
    let (waits, missing, awaited) = found.waits;
    let first = match awaited {
        Awaited::Message(from) => format!("waits for a message of process {from}"),
        Awaited::Call(at) => format!("waits in {}", named(&all[printed[at]])),
        Awaited::Operation => "waits in an operation of the program".to_owned(),
    };
    format!(
        "processes would wait for each other for ever: process {waits} in the call for process \
         {missing}, which {first}"
    )
}

/// A call, and what it takes the place of.
fn named(group: &Group) -> String {
    let from: Vec<String> =
        group.lines().iter().filter(|line| line.0).map(|(_, place)| place.to_string()).collect();
    format!("{} for {}", mpi(group.most.collective.kind.name()), from.join(" and "))
}

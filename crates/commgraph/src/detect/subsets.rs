//! Operations on some of the processes.
//!
//! Hoefler and Schneider, PACT'12, section 4: the largest groups of rooted operations are found in
//! polynomial time (section 4.2, [`rooted`]); those of allgather and alltoall are as hard as the
//! largest clique (section 4.1), so that candidates come from heuristics ([`candidates`]). Each
//! candidate is looked at as a graph of its own: its processes are numbered from 0, and the
//! detectors for all processes decide. So what is found is certified like everything else.

mod candidates;
mod members;
mod rooted;
mod sums;

pub(crate) use rooted::scatters_and_gathers;
pub(crate) use sums::reductions;

use std::collections::BTreeMap;

use self::members::among;
use crate::detect::work::Work;
use crate::detect::{alltoall, broadcast, neighbors};
use crate::number::at;
use crate::transfers::Transfer;

/// Takes allgathers and alltoalls of some of the processes until there are no more, the largest
/// first, then what neighbours exchange, and then broadcasts.
pub(crate) fn all_and_broadcasts(work: &mut Work) {
    loop {
        let candidates = candidates::groups(work);
        let taken = candidates.iter().filter(|members| all_of(work, members)).count();
        if taken == 0 {
            break;
        }
    }
    neighbours(work);
    rooted::broadcasts(work);
}

/// Takes the exchanges of neighbours among processes that have to do with each other, and not with
/// the others: those of a row where a grid exchanges along its rows alone. Three in a line are
/// just messages.
fn neighbours(work: &mut Work) {
    // The least process that each one has to do with so far.
    let mut least: Vec<u32> = (0..work.processes).collect();
    let picks = work.sorted_by_key(|t| (t.source, t.destination));
    for pick in &picks {
        let t = work.get(*pick);
        let [a, b] = [t.source, t.destination].map(|end| first(&mut least, end));
        least[at(a.max(b))] = a.min(b);
    }
    let mut rows: BTreeMap<u32, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for process in 0..work.processes {
        rows.entry(first(&mut least, process)).or_default().0.push(process);
    }
    for pick in picks {
        let row = first(&mut least, work.get(pick).source);
        rows.entry(row).or_default().1.push(pick);
    }
    for (members, picks) in rows.into_values().filter(|(own, _)| own.len() > members::MIN_SIZE) {
        among(work, &members, &picks, neighbors::exchanges);
    }
}

/// The first of the processes that have to do with this one; the way there becomes shorter.
fn first(least: &mut [u32], mut process: u32) -> u32 {
    while least[at(process)] != process {
        least[at(process)] = least[at(least[at(process)])];
        process = least[at(process)];
    }
    process
}

/// Takes the allgathers and alltoalls of a group. Whether there were some.
fn all_of(work: &mut Work, members: &[u32]) -> bool {
    let picks: Vec<u32> =
        members.iter().flat_map(|destination| arriving(work, *destination, members)).collect();
    if picks.len() < members.len() * (members.len() - 1) {
        return false;
    }
    among(work, members, &picks, |sub| {
        let spreads = broadcast::groups(sub);
        let spreads = broadcast::allgathers(sub, spreads);
        broadcast::allgathervs(sub, spreads);
        alltoall::alltoalls(sub);
    })
}

/// The free transfers to a process from these, itself among them.
fn arriving(work: &Work, destination: u32, members: &[u32]) -> Vec<u32> {
    let from_members = |(_, t): &(u32, &Transfer)| members.binary_search(&t.source).is_ok();
    work.arriving(destination).filter(from_members).map(|(pick, _)| pick).collect()
}

//! Reductions of some of the processes: those that contributed to a result are the group.

use std::collections::BTreeMap;

use super::members::lifted;
use crate::dataflow::{Contributions, Reduced, Results};
use crate::detect::collective::Collective;
use crate::detect::reduction;
use crate::number::id;
use crate::transfers::Transfer;

/// Two processes that add up what they exchange do more than that.
const TWO: usize = 2;

/// Takes reductions out of `left`, and the transfers that belong to them out of `transfers`; the
/// largest groups first. Near-linear in the results and their contributions, for each group.
pub(crate) fn reductions(
    left: &mut Vec<Reduced>,
    transfers: &mut Vec<Transfer>,
) -> Vec<Collective> {
    let mut groups: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
    for contributions in left.iter().filter_map(|r| r.contributions.as_ref()) {
        let members: Vec<u32> = contributions.memory.iter().map(|(p, _)| *p).collect();
        // Sorted, and each once.
        if members.len() >= TWO && members.is_sorted_by(|a, b| a < b) {
            *groups.entry(members).or_default() += 1;
        }
    }
    let mut groups: Vec<Vec<u32>> = groups.into_keys().collect();
    groups.sort_by_key(|members| std::cmp::Reverse(members.len()));
    groups.iter().flat_map(|members| of_group(members, left, transfers)).collect()
}

fn of_group(
    members: &[u32],
    left: &mut Vec<Reduced>,
    transfers: &mut Vec<Transfer>,
) -> Vec<Collective> {
    let rank = |process: u32| members.binary_search(&process).ok().map(id);
    let mut results = Results::default();
    let mut others = Vec::new();
    for result in left.drain(..) {
        match inside(&result, &rank) {
            Some((destination, contributions)) => {
                let value = id(results.contributions.len());
                results.contributions.push(Some(contributions));
                results.results.push((destination, result.address, result.length, value));
            }
            None => others.push(result),
        }
    }
    let (mut within, mut outside): (Vec<Transfer>, Vec<Transfer>) = std::mem::take(transfers)
        .into_iter()
        .partition(|t| rank(t.source).is_some() && rank(t.destination).is_some());
    for t in &mut within {
        t.source = rank(t.source).unwrap_or(t.source);
        t.destination = rank(t.destination).unwrap_or(t.destination);
    }
    let (found, rest) = reduction::detect(id(members.len()), &mut within, results);
    // What was not taken goes back.
    let process = |rank: u32| members[crate::number::at(rank)];
    outside.extend(within.into_iter().map(|t| Transfer {
        source: process(t.source),
        destination: process(t.destination),
        ..t
    }));
    outside.sort_unstable();
    *transfers = outside;
    others.extend(rest.into_iter().map(|r| Reduced {
        destination: process(r.destination),
        contributions: r.contributions.map(|c| Contributions {
            memory: c.memory.into_iter().map(|(p, a)| (process(p), a)).collect(),
            ..c
        }),
        ..r
    }));
    others.sort_by_key(|r| (r.destination, r.address));
    *left = others;
    found.into_iter().map(|collective| lifted(collective, members)).collect()
}

/// A result and its contributions by rank, if all of them belong to the group.
fn inside(result: &Reduced, rank: &impl Fn(u32) -> Option<u32>) -> Option<(u32, Contributions)> {
    let destination = rank(result.destination)?;
    let contributions = result.contributions.as_ref()?;
    let memory = contributions.memory.iter().map(|(p, a)| Some((rank(*p)?, *a)));
    let memory = memory.collect::<Option<Vec<_>>>()?;
    Some((destination, Contributions { memory, reduction: contributions.reduction }))
}

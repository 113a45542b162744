//! Scan and exscan: process j has what the processes up to j, or before it, contributed.

use super::results::{Found, is_full};
use crate::detect::collective::Kind;
use crate::number::{at, id};
use crate::transfers::Transfer;

/// Takes scans. Process 0 has its own contribution, in place or copied.
pub(super) fn scans(found: &mut Found, transfers: &mut Vec<Transfer>) {
    for (last, length) in candidates(found, found.processes) {
        let Some(picks) = prefixes(found, last, length, 1, 1) else { continue };
        let first = found.terms[at(found.results[at(last)].terms)].memory[0].1;
        // Out of place, process 0 copies.
        let copy = transfers.iter().position(|t| is(t, 0, 0, first, length));
        let to = copy.map_or(first, |copy| transfers[copy].destination_address);
        if found.take(Kind::Scan, None, &picks, Some((0, to))) {
            copy.map(|copy| transfers.remove(copy));
        }
    }
}

/// Takes exscans. Process 1 has what process 0 sent, process 0 nothing.
pub(super) fn exscans(found: &mut Found, transfers: &mut Vec<Transfer>) {
    if found.processes < 3 {
        return;
    }
    for (last, length) in candidates(found, found.processes - 1) {
        let Some(picks) = prefixes(found, last, length, 2, 0) else { continue };
        let first = found.terms[at(found.results[at(last)].terms)].memory[0].1;
        let Some(arrival) = transfers.iter().position(|t| is(t, 0, 1, first, length)) else {
            continue;
        };
        let to = transfers[arrival].destination_address;
        if found.take(Kind::Exscan, None, &picks, Some((1, to))) {
            transfers.remove(arrival);
        }
    }
}

/// Results at the last process with one contribution of each of the first `of` processes.
fn candidates(found: &Found, of: u32) -> Vec<(u32, u64)> {
    let last = found.processes - 1;
    let results = (0..).zip(&found.results);
    let candidates = results.filter(|(r, result)| {
        !found.taken[*r]
            && result.destination == last
            && is_full(&found.terms[at(result.terms)], of)
    });
    candidates.map(|(r, result)| (id(r), result.length)).collect()
}

/// For each process from `first` on, the result with the contributions of the first
/// `process + more` processes to the result `last`. Quadratic in the processes, once there are
/// results like that.
fn prefixes(found: &Found, last: u32, length: u64, first: u32, more: u32) -> Option<Vec<u32>> {
    let whole = &found.terms[at(found.results[at(last)].terms)];
    let fits = |process: u32| {
        let from = found.results.partition_point(|r| r.destination < process);
        let here = (from..).zip(&found.results[from..]);
        let mut here = here.take_while(|(_, r)| r.destination == process);
        here.find(|(place, r)| {
            let terms = &found.terms[at(r.terms)];
            !found.taken[*place]
                && r.length == length
                && terms.reduction == whole.reduction
                && terms.memory[..] == whole.memory[..at(process + more)]
        })
        .map(|(place, _)| id(place))
    };
    // Longest first: most others fail there.
    let mut picks: Vec<u32> = (first..found.processes).rev().map(fits).collect::<Option<_>>()?;
    picks.reverse();
    Some(picks)
}

fn is(t: &Transfer, source: u32, destination: u32, from: u64, length: u64) -> bool {
    (t.source, t.destination, t.source_address, t.length) == (source, destination, from, length)
}

//! The graph of some of the processes, as detectors for all processes see it.

use crate::detect::collective::Collective;
use crate::detect::group::Group;
use crate::detect::work::Work;
use crate::ids::Process;
use crate::number::{at, id};
use crate::transfers::Transfer;

/// Groups below this size are not looked at: two processes exchange messages, three or more do it
/// together.
pub(super) const MIN_SIZE: usize = 3;

/// Runs detectors on `picks`, which are between `members` (sorted), as if there were no other
/// processes. Takes what they find. Whether they found something.
pub(super) fn among(
    work: &mut Work,
    members: &[u32],
    picks: &[u32],
    detectors: impl FnOnce(&mut Work),
) -> bool {
    let rank = |process: u32| members.binary_search(&process).ok().map(id);
    let inside = |pick: &u32| {
        let t = work.get(*pick);
        Some(Transfer { source: rank(t.source)?, destination: rank(t.destination)?, ..*t })
    };
    let mut transfers: Vec<Transfer> = picks.iter().filter_map(inside).collect();
    transfers.sort_unstable();
    let mut sub = Work::new(id(members.len()), transfers);
    detectors(&mut sub);
    let (found, _) = sub.finish();
    let mut any = false;
    for collective in found {
        let collective = lifted(collective, members);
        let mut picks = Vec::new();
        collective.replay(|t| picks.extend(work.find(&t)));
        any |= work.take(collective, &picks);
    }
    any
}

/// An operation of processes `0..members.len()` as one of these members.
pub(super) fn lifted(collective: Collective, members: &[u32]) -> Collective {
    let root = collective.root.map(|root| Process(members[at(root.0)]));
    let group = Group::Members(members.iter().copied().map(Process).collect());
    Collective { root, group, ..collective }
}

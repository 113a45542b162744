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

use self::members::among;
use crate::detect::work::Work;
use crate::detect::{alltoall, broadcast};
use crate::transfers::Transfer;

/// Takes allgathers and alltoalls of some of the processes until there are no more, the largest
/// first, and then broadcasts.
pub(crate) fn all_and_broadcasts(work: &mut Work) {
    loop {
        let candidates = candidates::groups(work);
        let taken = candidates.iter().filter(|members| all_of(work, members)).count();
        if taken == 0 {
            break;
        }
    }
    rooted::broadcasts(work);
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

//! Whether processes that wait for each other still do so with calls in the place of messages.

use std::collections::BTreeSet;

use commloom_commgraph::recorded::Message;
use commloom_commgraph::{Collective, Kind};

/// Whether nobody can leave such an operation before all have come.
pub fn waits_for_all(kind: Kind) -> bool {
    use Kind::{Allgather, Allgatherv, Allreduce, Alltoall, Barrier, ReduceScatterBlock};
    matches!(kind, Allgather | Allgatherv | Allreduce | Alltoall | Barrier | ReduceScatterBlock)
}

/// Of messages by which every process waits for every other: whether it still does with these
/// operations in the place of those that are `replaced`, by what it gets from each in one
/// operation or message.
pub fn are_kept(
    processes: u32,
    collectives: &[Collective],
    messages: &[Message],
    replaced: &[BTreeSet<usize>],
) -> bool {
    let all = |c: &&Collective| c.group.size() == processes && waits_for_all(c.kind);
    if collectives.iter().any(|c| all(&c)) {
        return true;
    }
    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    for c in collectives {
        c.replay(|t| {
            pairs.insert((t.source, t.destination));
        });
        for result in c.results() {
            let from = result.contributions.iter().flat_map(|all| &all.memory);
            pairs.extend(from.map(|(process, _)| (*process, result.destination)));
        }
    }
    let stays = |number: &usize| !replaced.iter().any(|some| some.contains(number));
    let staying = (0..messages.len()).filter(stays);
    pairs.extend(staying.map(|k| (messages[k].send.process, messages[k].receive.process)));
    let different = pairs.iter().filter(|(from, to)| from != to).count();
    let n = usize::try_from(processes).unwrap_or(usize::MAX);
    different == n.saturating_mul(n.saturating_sub(1))
}

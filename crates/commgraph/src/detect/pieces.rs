//! The same transfers in fewer, or in more, pieces.

use crate::number::at;
use crate::transfers::Transfer;

/// Joins transfers of neighbouring bytes, in place; they are sorted by destination and address.
/// Back come the places where they were joined: source and address there.
pub(crate) fn joined(transfers: &mut Vec<Transfer>) -> Vec<(u32, u64)> {
    let mut seams = Vec::new();
    transfers.dedup_by(|next, kept| {
        let follows = kept.absorb(next);
        if follows {
            seams.push((next.source, next.source_address));
        }
        follows
    });
    seams
}

/// Cuts transfers wherever another one from the same memory starts or ends, and at `seams`: blocks
/// that lie side by side by accident come apart. `None` where that changes nothing, or makes more
/// than eight times as many.
///
/// Destinations are disjoint, so cuts spread through sources only, and one pass finds all.
pub(crate) fn refined(
    processes: u32,
    transfers: &[Transfer],
    seams: &[(u32, u64)],
) -> Option<Vec<Transfer>> {
    if transfers.is_empty() {
        return None;
    }
    let cuts = Cuts::of(processes, transfers, seams);
    let limit = transfers.len().saturating_mul(8).saturating_add(1024);
    let mut pieces = Vec::with_capacity(transfers.len());
    for t in transfers {
        let mut from = 0;
        for cut in cuts.inside(t) {
            pieces.push(t.part(from, cut - t.source_address));
            from = cut - t.source_address;
        }
        pieces.push(t.part(from, t.length));
        if pieces.len() > limit {
            return None;
        }
    }
    (pieces.len() > transfers.len()).then_some(pieces)
}

/// Addresses at which each process's memory is cut. Grouped by process before they are sorted:
/// searched in one list of all, they were a third of the time of random messages, all of it misses
/// of the cache.
struct Cuts {
    addresses: Vec<u64>,
    /// Where those of each process start, and at last where they end.
    first: Vec<usize>,
}

impl Cuts {
    fn of(processes: u32, transfers: &[Transfer], seams: &[(u32, u64)]) -> Cuts {
        let ends = transfers
            .iter()
            .flat_map(|t| [(t.source, t.source_address), (t.source, t.source_address + t.length)]);
        let all = ends.chain(seams.iter().copied());
        let mut first = vec![0; at(processes) + 1];
        all.clone().for_each(|(process, _)| first[at(process) + 1] += 1);
        for k in 1..first.len() {
            first[k] += first[k - 1];
        }
        let mut next = first.clone();
        let mut addresses = vec![0; first[at(processes)]];
        for (process, address) in all {
            addresses[next[at(process)]] = address;
            next[at(process)] += 1;
        }
        for group in first.windows(2) {
            addresses[group[0]..group[1]].sort_unstable();
        }
        Cuts { addresses, first }
    }

    /// The cuts between the first and the last byte of what is sent, ascending, each once.
    fn inside(&self, t: &Transfer) -> impl Iterator<Item = u64> {
        let mine = &self.addresses[self.first[at(t.source)]..self.first[at(t.source) + 1]];
        let (mut last, end) = (t.source_address, t.source_address + t.length);
        let later = mine[mine.partition_point(|cut| *cut <= last)..].iter().copied();
        later
            .take_while(move |cut| *cut < end)
            .filter(move |cut| std::mem::replace(&mut last, *cut) < *cut)
    }
}

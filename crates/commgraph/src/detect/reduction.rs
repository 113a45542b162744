//! Reductions, from what went into each result.
//!
//! The full set everywhere is an allreduce, at one process a reduce, block by block a
//! reduce_scatter; growing prefixes are a scan. A result to which a process contributed twice is
//! none of these.

mod prefix;
mod results;

use crate::dataflow::{Reduced, Results};
use crate::detect::addresses::Addresses;
use crate::detect::collective::{Blocks, Collective, Kind, Pieces};
use crate::detect::group::Group;
use crate::ids::{Bytes, Process};
use crate::number::{at, count, id};
use crate::transfers::Transfer;

use results::Found;

/// Takes the reductions out of `results`, and what belongs to them out of `transfers`: the
/// operations, and the results left. Near-linear in the results and the contributions of different
/// ones.
pub(crate) fn detect(
    processes: u32,
    transfers: &mut Vec<Transfer>,
    results: Results,
) -> (Vec<Collective>, Vec<Reduced>) {
    let mut found = Found::new(processes, results);
    if !found.results.is_empty() {
        allreduces(&mut found);
        // Of two processes, one would look like a scan and a reduce.
        reduce_scatters(&mut found);
        prefix::scans(&mut found, transfers);
        prefix::exscans(&mut found, transfers);
        reduces(&mut found);
    }
    found.finish()
}

/// One set, from all, at all.
fn allreduces(found: &mut Found) {
    let class = |f: &Found, r: u32| (f.results[at(r)].terms, f.results[at(r)].length);
    let free = found.full_sorted_by(|r| (r.terms, r.length, r.destination, r.address));
    let classes: Vec<Vec<u32>> =
        free.chunk_by(|a, b| class(found, *a) == class(found, *b)).map(<[u32]>::to_vec).collect();
    for mut class in classes {
        // Of several results of a process the one that took the place of what it gave.
        class.sort_by_key(|r| {
            let result = &found.results[at(*r)];
            let own = (result.destination, result.address);
            (result.destination, found.terms[at(result.terms)].memory.binary_search(&own).is_err())
        });
        while let Some(picks) = found.one_of_each(&class) {
            found.take(Kind::Allreduce, None, &picks, None);
            class.retain(|r| !picks.contains(r));
        }
    }
}

/// One set, from all, at one.
fn reduces(found: &mut Found) {
    for pick in found.full_sorted_by(|r| (r.destination, r.address)) {
        let Some(result) = found.results.get(at(pick)).copied() else { continue };
        let root = Some(Process(result.destination));
        found.take(Kind::Reduce, root, &[pick], None);
    }
}

/// At every process another block of the same contributions: blocks of one length, then any.
fn reduce_scatters(found: &mut Found) {
    for kind in [Kind::ReduceScatterBlock, Kind::ReduceScatter] {
        let free = found.full_sorted_by(|r| (r.destination, r.address));
        let class = |r: u32| {
            let length = found.results[at(r)].length;
            (found.shape(r), if kind == Kind::ReduceScatter { 0 } else { length })
        };
        let mut classes: Vec<_> = free.into_iter().map(|r| (class(r), r)).collect();
        classes.sort();
        let classes: Vec<Vec<u32>> = classes
            .chunk_by(|a, b| a.0 == b.0)
            .map(|same| same.iter().map(|(_, r)| *r).collect())
            .collect();
        for mut class in classes {
            while let Some(picks) = found.one_of_each(&class) {
                found.take(kind, None, &picks, None);
                class.retain(|r| !picks.contains(r));
            }
        }
    }
}

impl Found {
    /// Takes results as one operation. The certificate: by the definition of the operation, every
    /// process would hold just the contributions that its result has.
    ///
    /// `single`: the process whose result is the contribution of process 0 alone, and where it
    /// goes; of a scan and an exscan.
    fn take(
        &mut self,
        kind: Kind,
        root: Option<Process>,
        picks: &[u32],
        single: Option<(u32, u64)>,
    ) -> bool {
        let results: Vec<_> = picks.iter().map(|r| self.results[at(*r)]).collect();
        let Some(last) = results.last() else { return false };
        let length = results.iter().map(|r| r.length).max().unwrap_or(0);
        // The result with most contributions tells where each process has its own.
        let (reduction, whole) = {
            let terms = &self.terms[at(last.terms)];
            (terms.reduction, terms.memory.clone())
        };
        let base = |r: &results::Result| self.terms[at(r.terms)].memory[0].1;
        let first = base(&results[0]);
        let offset = |r: &results::Result| base(r).wrapping_sub(first);
        let start = |k: usize| whole.get(k).map(|(_, a)| a.wrapping_sub(offset(last)));
        let certified = results.iter().all(|r| {
            let terms = &self.terms[at(r.terms)];
            let wanted = match kind {
                Kind::Scan => 0..r.destination + 1,
                Kind::Exscan => 0..r.destination,
                _ => 0..self.processes,
            };
            let expected =
                wanted.map(|i| (i, start(at(i)).map_or(0, |a| a.wrapping_add(offset(r)))));
            terms.reduction == reduction && terms.memory.iter().copied().eq(expected)
        });
        if !certified {
            return false;
        }
        let by_process = |value: &dyn Fn(&results::Result) -> u64, step| {
            let single = single.map(|(destination, address)| results::Result {
                destination,
                address,
                length,
                terms: last.terms,
            });
            let mut rest = single.iter().chain(&results).peekable();
            let cells =
                (0..self.processes).map(|p| rest.next_if(|r| r.destination == p).map(value));
            Addresses::collect(cells, step)
        };
        let blocks = Blocks::Reduced {
            from: Addresses::collect((0..at(self.processes)).map(start), 0),
            to: by_process(&|r| r.address, 0),
            lengths: by_process(&|r| r.length, 0),
            offsets: by_process(&offset, length),
            reduction,
        };
        self.collectives.push(Collective {
            kind,
            root,
            group: Group::All(self.processes),
            length: Bytes(length),
            own: true,
            transfers: count(picks.len()),
            blocks,
            pieces: Pieces::ONE,
        });
        picks.iter().for_each(|r| self.taken[at(*r)] = true);
        true
    }

    /// The first result of each process in a list sorted by process, if all have one.
    fn one_of_each(&self, sorted: &[u32]) -> Option<Vec<u32>> {
        let mut next = 0;
        let picks: Vec<u32> = sorted
            .iter()
            .copied()
            .filter(|r| {
                let here = self.results[at(*r)].destination == next;
                next += u32::from(here);
                here
            })
            .collect();
        (id(picks.len()) == self.processes).then_some(picks)
    }
}

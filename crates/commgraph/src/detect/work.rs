//! The transfers that are not yet part of a collective.

use crate::detect::collective::Collective;
use crate::number::{at, id};
use crate::transfers::Transfer;

/// Transfers, sorted by destination and address, and which of them were taken.
pub(crate) struct Work {
    pub processes: u32,
    pub transfers: Vec<Transfer>,
    taken: Vec<bool>,
    /// How many are free and between different processes.
    free: usize,
    /// Take only operations in which processes copy what they have for themselves.
    pub only_own: bool,
    pub found: Vec<Collective>,
}

impl Work {
    pub(crate) fn new(processes: u32, transfers: Vec<Transfer>) -> Work {
        let taken = vec![false; transfers.len()];
        let free = transfers.iter().filter(|t| t.source != t.destination).count();
        Work { processes, transfers, taken, free, only_own: false, found: Vec::new() }
    }

    /// How many processes every process has to talk to.
    pub(crate) fn others(&self) -> usize {
        at(self.processes) - 1
    }

    pub(crate) fn get(&self, pick: u32) -> &Transfer {
        &self.transfers[at(pick)]
    }

    /// How many transfers between different processes nobody took.
    pub(crate) fn free(&self) -> usize {
        self.free
    }

    /// The transfers between different processes that nobody took, in the order of `key`.
    pub(crate) fn sorted_by_key<K: Ord>(&self, key: impl Fn(&Transfer) -> K) -> Vec<u32> {
        let mut free = Vec::with_capacity(self.free);
        free.extend(self.all_free());
        self.sort(free, key)
    }

    /// Those of processes that have at least so many of them: at the same end (source or
    /// destination). Where that is nobody, nothing is sorted.
    pub(crate) fn sorted_where<K: Ord>(
        &self,
        end: impl Fn(&Transfer) -> u32,
        at_least: usize,
        key: impl Fn(&Transfer) -> K,
    ) -> Vec<u32> {
        if self.free < at_least {
            return Vec::new();
        }
        let counts = self.counts(&end);
        let counts = |pick: &u32| at(counts[at(end(self.get(*pick)))]) >= at_least;
        // Counted first: a vector that grows would take twice the memory.
        let mut free = Vec::with_capacity(self.all_free().filter(counts).count());
        free.extend(self.all_free().filter(counts));
        self.sort(free, key)
    }

    /// How many free transfers each process is at this end of.
    pub(crate) fn counts(&self, end: impl Fn(&Transfer) -> u32) -> Vec<u32> {
        let mut counts = vec![0; at(self.processes)];
        self.all_free().for_each(|pick| counts[at(end(self.get(pick)))] += 1);
        counts
    }

    fn all_free(&self) -> impl Iterator<Item = u32> {
        // Without any, there is no need to look.
        let some = if self.free > 0 { self.transfers.len() } else { 0 };
        let all = self.transfers[..some].iter().zip(&self.taken).zip(0..);
        all.filter(|((t, taken), _)| !**taken && t.source != t.destination).map(|(_, i)| i)
    }

    fn sort<K: Ord>(&self, mut picks: Vec<u32>, key: impl Fn(&Transfer) -> K) -> Vec<u32> {
        if !picks.is_sorted_by_key(|i| key(self.get(*i))) {
            picks.sort_unstable_by_key(|i| key(self.get(*i)));
        }
        picks
    }

    pub(crate) fn is_free(&self, pick: u32) -> bool {
        !self.taken[at(pick)]
    }

    /// The place of exactly this transfer, if it is there and free.
    pub(crate) fn find(&self, wanted: &Transfer) -> Option<u32> {
        let place = self.transfers.binary_search(wanted).ok()?;
        (!self.taken[place]).then(|| id(place))
    }

    /// The transfers to one process that are free.
    pub(crate) fn arriving(&self, process: u32) -> impl Iterator<Item = (u32, &Transfer)> {
        let first = self.transfers.partition_point(|t| t.destination < process);
        let mine = self.transfers[first..].iter().take_while(move |t| t.destination == process);
        (id(first)..).zip(mine).filter(move |(i, _)| self.is_free(*i))
    }

    /// The copies inside one process that are free.
    pub(crate) fn copies(&self, process: u32) -> impl Iterator<Item = (u32, &Transfer)> {
        self.arriving(process).filter(move |(_, t)| t.source == process)
    }

    /// Takes `picks`, by destination and then by source, out, and adds the collective. The
    /// certificate: replayed, it does exactly what they do; if not, nothing is taken.
    pub(crate) fn take(&mut self, mut collective: Collective, picks: &[u32]) -> bool {
        if self.only_own && !collective.own {
            return false;
        }
        let mut rest = picks.iter();
        let mut equal = true;
        collective.replay(|t| {
            equal &= rest.next().is_some_and(|pick| *self.get(*pick) == t && self.is_free(*pick));
        });
        if !equal || rest.next().is_some() {
            debug_assert!(false, "a detector claims what is not there: {collective:?}");
            return false;
        }
        for pick in picks {
            self.taken[at(*pick)] = true;
            let t = self.get(*pick);
            self.free -= usize::from(t.source != t.destination);
        }
        collective.transfers = crate::number::count(picks.len());
        self.found.push(collective);
        true
    }

    /// The operations found, and the transfers left.
    pub(crate) fn finish(mut self) -> (Vec<Collective>, Vec<Transfer>) {
        let mut taken = self.taken.iter();
        self.transfers.retain(|_| taken.next() == Some(&false));
        (self.found, self.transfers)
    }
}
